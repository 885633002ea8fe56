(** The form that is computed, x * cos + turn(x) * sin, is the block-diagonal matrix of the definition.

    Flat interleaved vectors x_0, ..., x_{2h-1};  turn(x) = (-x_1, x_0, -x_3, x_2, ...)       [RoFormer eqs. 15, 34] *)

Require Import Reals Lra Lia Arith.
From RopeProofs Require Import Rotation Rope.
Open Scope R_scope.

Section Efficient.
Variables (h : nat) (th : nat -> R).

(** Row j, column l of R_p: the 2x2 rotation of pair i where j and l both belong to it, else 0. *)
Definition dense (p : R) (j l : nat) : R :=
  let a := p * th (Nat.div2 j) in
  if (Nat.div2 j =? Nat.div2 l)%nat then
    if Nat.even j then (if Nat.even l then cos a else - sin a) else (if Nat.even l then sin a else cos a)
  else 0.

Definition turn (x : nat -> R) (j : nat) : R := if Nat.even j then - x (j + 1)%nat else x (j - 1)%nat.

(** a sum with one term that is not 0 *)
Lemma Sum_single n f i : (i < n)%nat -> (forall j, (j < n)%nat -> j <> i -> f j = 0) -> Sum n f = f i.
Proof.
  intros Hi Hf. induction n as [|n IH]; [lia|]. simpl. destruct (Nat.eq_dec i n) as [->|Hn].
  - rewrite (Sum_ext n f (fun _ => 0 * 0)) by (intros; rewrite Hf by lia; ring). rewrite Sum_scal. ring.
  - rewrite IH, (Hf n) by (intros; try apply Hf; lia). ring.
Qed.

(** (R_p x)_j = x_j cos(p th_{j/2}) + turn(x)_j sin(p th_{j/2}) *)
Theorem efficient_form p x j : (j < 2 * h)%nat ->
  Sum (2 * h) (fun l => dense p j l * x l)
  = x j * cos (p * th (Nat.div2 j)) + turn x j * sin (p * th (Nat.div2 j)).
Proof.
  intro H. rewrite Sum_double, (Sum_single h _ (Nat.div2 j)).
  - unfold dense, turn. destruct (Nat.Even_or_Odd j) as [[i ->]|[i ->]].
    + destruct (even_half i) as [-> ->], (even_half i) as [-> ->], (odd_half i) as [-> ->].
      rewrite Nat.eqb_refl. ring.
    + destruct (odd_half i) as [-> ->], (even_half i) as [-> ->], (odd_half i) as [-> ->].
      rewrite Nat.eqb_refl. replace (2 * i + 1 - 1)%nat with (2 * i)%nat by lia. ring.
  - destruct (Nat.Even_or_Odd j) as [[i ->]|[i ->]]; rewrite ?(proj2 (even_half i)), ?(proj2 (odd_half i)); lia.
  - intros i _ Hi. unfold dense. rewrite (proj2 (even_half i)), (proj2 (odd_half i)).
    apply Nat.neq_sym, Nat.eqb_neq in Hi. rewrite Hi. ring.
Qed.

(** The interleaved kernel of Rope.v is this form, ... *)
Theorem efficient_is_interleaved p x j :
  rope_il th p x j = x j * cos (p * th (Nat.div2 j)) + turn x j * sin (p * th (Nat.div2 j)).
Proof. unfold rope_il, turn. destruct (Nat.even j); ring. Qed.

(** ... and pair by pair it is R_p. *)
Theorem interleaved_is_rope p x i :
  (rope_il th p x (2 * i)%nat, rope_il th p x (2 * i + 1)%nat)
  = rope th p (fun i => (x (2 * i)%nat, x (2 * i + 1)%nat)) i.
Proof.
  unfold rope_il, rope, act, Rot; simpl Rotation.m11; simpl Rotation.m12; simpl Rotation.m21; simpl Rotation.m22.
  destruct (even_half i) as [-> ->], (odd_half i) as [-> ->].
  replace (2 * i + 1 - 1)%nat with (2 * i)%nat by lia. cbn [fst snd]. f_equal; ring.
Qed.

End Efficient.
