(** Values of the decay bound B(r) for theta_i = 10000^(-2i/d), enclosed by interval arithmetic:
    d = 8 (four pairs), and d = 128, the width of RoFormer's figure.                            *)

Require Import Reals Lra ZArith.
From Coquelicot Require Import Complex.
From Interval Require Import Tactic.
From RopeProofs Require Import Rotation Rope Decay Uniqueness.
Open Scope R_scope.

Section Recurrence.
Variables (d r : R).

(** Re S_n, Im S_n and B_n, and how they grow by one pair *)
Definition X (n : nat) : R := Re (CSum n (fun j => cis (r * theta 10000 d j))).
Definition Y (n : nat) : R := Im (CSum n (fun j => cis (r * theta 10000 d j))).
Definition bound (n : nat) : R := B n (theta 10000 d) r.

Lemma X_S n : X (S n) = X n + cos (r * exp (- (2 * IZR (Z.of_nat n) / d) * ln 10000)).
Proof. rewrite <- INR_IZR_INZ. reflexivity. Qed.

Lemma Y_S n : Y (S n) = Y n + sin (r * exp (- (2 * IZR (Z.of_nat n) / d) * ln 10000)).
Proof. rewrite <- INR_IZR_INZ. reflexivity. Qed.

Lemma bound_S n : bound (S n) = bound n + sqrt (X (S n) ^ 2 + Y (S n) ^ 2).
Proof. reflexivity. Qed.
End Recurrence.

(** Encloses the left side of E, a recurrence, from enclosures of what stands on its right. *)
Ltac enclose E :=
  let H := fresh "H" in
  match type of E with _ = ?e => interval_intro e with (i_prec 90) as H end; rewrite <- E in H; clear E.

(** Pairs n, ..., N - 1, one after the other: expressions stay small. *)
Ltac walk d r n N :=
  match n with
  | N => idtac
  | _ =>
    let EX := fresh "EX" in let EY := fresh "EY" in let EB := fresh "EB" in
    pose proof (X_S d r n) as EX; pose proof (Y_S d r n) as EY; pose proof (bound_S d r n) as EB;
    cbv [Z.of_nat Pos.of_succ_nat Pos.succ] in EX, EY;
    enclose EX; enclose EY; enclose EB;
    match goal with H : _ <= X _ _ n <= _ |- _ => clear H end; (* interval reads every hypothesis *)
    match goal with H : _ <= Y _ _ n <= _ |- _ => clear H end;
    match goal with H : _ <= bound _ _ n <= _ |- _ => clear H end;
    walk d r (S n) N
  end.

Ltac enclosed d r N :=
  assert (HX : 0 <= X d r 0 <= 0) by (unfold X; simpl; lra);
  assert (HY : 0 <= Y d r 0 <= 0) by (unfold Y; simpl; lra);
  assert (HB : 0 <= bound d r 0 <= 0) by (unfold bound, B; simpl; lra);
  walk d r 0%nat N; match goal with |- context [B ?h _ _] => change (B h (theta 10000 d) r) with (bound d r h) end;
  interval with (i_prec 90).

(** B(r) to 10^-17; divide by h = d / 2 for the figure's scale *)
Theorem B_8_1 : Rabs (B 4 (theta 10000 8) 1 - 9.170026832215151334) <= 1 / 10^17.
Proof. enclosed 8 1 4%nat. Qed.

Theorem B_8_10 : Rabs (B 4 (theta 10000 8) 10 - 3.967598248569423877) <= 1 / 10^17.
Proof. enclosed 8 10 4%nat. Qed.

Theorem B_8_100 : Rabs (B 4 (theta 10000 8) 100 - 4.214037893966862389) <= 1 / 10^17.
Proof. enclosed 8 100 4%nat. Qed.

Theorem B_128_100 : Rabs (B 64 (theta 10000 128) 100 - 654.549116704329176084) <= 1 / 10^17.
Proof. enclosed 128 100 64%nat. Qed.

(** The bound is not monotone: B(2) < B(5) for d = 8. *)
Theorem B_8_not_monotone : B 4 (theta 10000 8) 2 < B 4 (theta 10000 8) 5.
Proof.
  apply Rlt_trans with (73 / 10).
  - enclosed 8 2 4%nat.
  - enclosed 8 5 4%nat.
Qed.
