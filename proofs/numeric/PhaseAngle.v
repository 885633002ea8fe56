(** cos and sin of a reduced angle by polynomials (the kernel of phase_angle.gappa): what the polynomials leave, and the
    sum of all errors, below 2^-52.

    P(r) = 1 - r^2/2! + ... + r^16/16!,   Q(r) = r - r^3/3! + ... + r^17/17!                                 *)

Require Import Reals Lra.
From Interval Require Import Tactic.
Open Scope R_scope.

Definition P (r : R) : R :=
  let z := r * r in
  1 + z * (- / 2 + z * (/ 24 + z * (- / 720 + z * (/ 40320 + z * (- / 3628800 + z * (/ 479001600
    + z * (- / 87178291200 + z * / 20922789888000))))))).
Definition Q (r : R) : R :=
  let z := r * r in
  r + r * z * (- / 6 + z * (/ 120 + z * (- / 5040 + z * (/ 362880 + z * (- / 39916800 + z * (/ 6227020800
    + z * (- / 1307674368000 + z * / 355687428096000))))))).

Lemma within a b : Rabs a <= b -> - b <= a <= b.
Proof. unfold Rabs. destruct Rcase_abs; lra. Qed.

(** |r| <= 0.7855  ->  |P(r) - cos r| <= 2^-58,  |Q(r) - sin r| <= 2^-62 *)
Theorem cos_polynomial r : Rabs r <= 7855 / 10000 -> Rabs (P r - cos r) <= 1 / 2 ^ 58.
Proof.
  intro H. apply within in H. unfold P. cbv zeta. interval with (i_bisect r, i_taylor r, i_degree 20, i_prec 90).
Qed.

Theorem sin_polynomial r : Rabs r <= 7855 / 10000 -> Rabs (Q r - sin r) <= 1 / 2 ^ 62.
Proof.
  intro H. apply within in H. unfold Q. cbv zeta. interval with (i_bisect r, i_taylor r, i_degree 20, i_prec 90).
Qed.

(** A slope of at most 1: |f(r) - f(t)| <= |r - t| *)
Lemma slope_1 (f f' : R -> R) r t : (forall x, derivable_pt_lim f x (f' x)) -> (forall x, Rabs (f' x) <= 1) ->
  Rabs (f r - f t) <= Rabs (r - t).
Proof.
  intros H H1. destruct (MVT_abs f f' t r (fun c _ => H c)) as [c [-> _]].
  rewrite <- (Rmult_1_l (Rabs (r - t))) at 2. apply Rmult_le_compat_r; [apply Rabs_pos|apply H1].
Qed.

(** t: the exact reduced angle, r: the computed one, within 2 * 2^-54. x and y: what the kernel returns, as far from
    P(r) and Q(r) as phase_angle.gappa says. Then  |x - cos t| <= 2^-52  and  |y - sin t| <= 2^-52. *)
Theorem reduced_angle r t x y : Rabs r <= 7855 / 10000 -> Rabs (r - t) <= 2 / 2 ^ 54 ->
  Rabs (x - P r) <= 15 / 2 ^ 57 -> Rabs (y - Q r) <= 3 / 2 ^ 55 ->
  Rabs (x - cos t) <= 1 / 2 ^ 52 /\ Rabs (y - sin t) <= 1 / 2 ^ 52.
Proof.
  intros Hr Ht Hx Hy. pose proof (cos_polynomial r Hr) as HP. pose proof (sin_polynomial r Hr) as HQ.
  assert (Hc : Rabs (cos r - cos t) <= 2 / 2 ^ 54).
  { apply Rle_trans with (2 := Ht). apply (slope_1 cos (fun x => - sin x)); [exact derivable_pt_lim_cos|].
    intro u. rewrite Rabs_Ropp. apply Rabs_le, SIN_bound. }
  assert (Hs : Rabs (sin r - sin t) <= 2 / 2 ^ 54).
  { apply Rle_trans with (2 := Ht). apply (slope_1 sin cos); [exact derivable_pt_lim_sin|].
    intro u. apply Rabs_le, COS_bound. }
  apply within in Hx, Hy, HP, HQ, Hc, Hs. split; apply Rabs_le; lra.
Qed.
