(** RoPE on h pairs with arbitrary frequencies th 0, ..., th (h-1) and arbitrary real positions.

    A vector is a sequence of pairs; channels outside the h pairs play no part.
    R_p x        = rope th p x          [RoFormer eq. 14]
    <x, y>       = dotp h x y
    s(m, n)      = score h th m n q k = <R_m q, R_n k>          [RoFormer eq. 16]   *)

Require Import Reals Lra Lia Arith.
From RopeProofs Require Import Rotation.
Open Scope R_scope.

Fixpoint Sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S n => Sum n f + f n end.

Lemma Sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> Sum n f = Sum n g.
Proof.
  induction n as [|n IH]; intro H; simpl; [reflexivity|].
  rewrite IH, H by (intros; auto with arith). reflexivity.
Qed.

Lemma Sum_add n f g : Sum n (fun i => f i + g i) = Sum n f + Sum n g.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma Sum_scal n c f : Sum n (fun i => c * f i) = c * Sum n f.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma Sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> Sum n f <= Sum n g.
Proof.
  induction n as [|n IH]; intro H; simpl; [lra|].
  apply Rplus_le_compat; [apply IH; intros|apply H]; auto with arith.
Qed.

(** sum over [0, a + b) = sum over [0, a) + sum over [a, a + b) *)
Lemma Sum_app a b f : Sum (a + b) f = Sum a f + Sum b (fun i => f (a + i)%nat).
Proof.
  induction b as [|b IH]; [rewrite Nat.add_0_r|rewrite Nat.add_succ_r]; simpl; [|rewrite IH]; ring.
Qed.

(** sum over [0, 2n) = sum over the even and the odd numbers *)
Lemma Sum_double n f : Sum (2 * n) f = Sum n (fun i => f (2 * i)%nat + f (2 * i + 1)%nat).
Proof.
  induction n as [|n IH]; [reflexivity|].
  replace (2 * S n)%nat with (S (S (2 * n))) by lia. cbn [Sum]. rewrite IH, (Nat.add_1_r (2 * n)). ring.
Qed.

Section Rope.
Variables (h : nat) (th : nat -> R).

Definition vector := nat -> vec.
Definition dotp (x y : vector) : R := Sum h (fun i => dot2 (x i) (y i)).
Definition rope (p : R) (x : vector) : vector := fun i => act (Rot (p * th i)) (x i).
Definition score (m n : R) (q k : vector) : R := dotp (rope m q) (rope n k).

(** s(m, n) = <q, R_{n-m} k> *)
Theorem score_relative m n q k : score m n q k = dotp q (rope (n - m) k).
Proof.
  apply Sum_ext. intros i _. unfold rope. rewrite dot2_rot.
  replace (n * th i - m * th i) with ((n - m) * th i) by ring. reflexivity.
Qed.

(** s(m + s, n + s) = s(m, n) *)
Theorem score_shift s m n q k : score (m + s) (n + s) q k = score m n q k.
Proof. rewrite !score_relative. replace (n + s - (m + s)) with (n - m) by ring. reflexivity. Qed.

(** |R_p x| = |x| *)
Theorem rope_isometry p x : dotp (rope p x) (rope p x) = dotp x x.
Proof. apply Sum_ext. intros i _. exact (rot_norm (p * th i) (x i)). Qed.

(** R_p R_s x = R_{p+s} x *)
Theorem rope_compose p s x i : rope p (rope s x) i = rope (p + s) x i.
Proof.
  unfold rope. rewrite act_mul, rot_add, <- Rmult_plus_distr_r. reflexivity.
Qed.

(** s(m, n) = sum_i (q_i . k_i) cos((n-m) th_i) + (q_i2 k_i1 - q_i1 k_i2) sin((n-m) th_i)  [RoFormer eq. 35] *)
Theorem score_trig m n q k :
  score m n q k = Sum h (fun i => dot2 (q i) (k i) * cos ((n - m) * th i)
    + (snd (q i) * fst (k i) - fst (q i) * snd (k i)) * sin ((n - m) * th i)).
Proof. rewrite score_relative. apply Sum_ext. intros i _. unfold rope, dot2; simpl. ring. Qed.

(** Softmax attention over N keys at positions pos j, one component v j of each value:
    o = sum_j e^{c s(m, n_j)} v_j / sum_j e^{c s(m, n_j)},  c = 1 / sqrt d          [RoFormer eq. 2] *)
Definition attn (N : nat) (c m : R) (pos : nat -> R) (q : vector) (k : nat -> vector) (v : nat -> R) : R :=
  let w j := exp (c * score m (pos j) q (k j)) in Sum N (fun j => w j * v j) / Sum N w.

(** The output does not change when every position moves by s. (The values are not rotated.) *)
Theorem attn_shift s N c m pos q k v :
  attn N c (m + s) (fun j => pos j + s) q k v = attn N c m pos q k v.
Proof.
  apply (f_equal2 Rdiv); apply Sum_ext; intros; rewrite score_shift; reflexivity.
Qed.

(** * The two layouts of a flat vector x_0, ..., x_{2h-1}

    Half-split pairs channels (i, h + i), interleaved pairs (2i, 2i + 1).                    *)

Definition rope_hs (p : R) (x : nat -> R) (j : nat) : R :=
  if (j <? h)%nat then x j * cos (p * th j) - x (h + j)%nat * sin (p * th j)
  else x j * cos (p * th (j - h)%nat) + x (j - h)%nat * sin (p * th (j - h)%nat).

Definition rope_il (p : R) (x : nat -> R) (j : nat) : R :=
  let i := Nat.div2 j in
  if Nat.even j then x j * cos (p * th i) - x (j + 1)%nat * sin (p * th i)
  else x j * cos (p * th i) + x (j - 1)%nat * sin (p * th i).

(** sigma: where interleaved channel j stands in the half-split layout; sigma' goes back. *)
Definition sigma (j : nat) : nat := if Nat.even j then Nat.div2 j else (h + Nat.div2 j)%nat.
Definition sigma' (j : nat) : nat := if (j <? h)%nat then (2 * j)%nat else (2 * (j - h) + 1)%nat.

Lemma even_half i : Nat.even (2 * i) = true /\ Nat.div2 (2 * i) = i.
Proof. split; [apply Nat.even_spec; exists i; reflexivity|apply Nat.div2_double]. Qed.

Lemma odd_half i : Nat.even (2 * i + 1) = false /\ Nat.div2 (2 * i + 1) = i.
Proof.
  rewrite Nat.even_add, (proj1 (even_half i)), (Nat.add_1_r (2 * i)). split; [reflexivity|].
  apply Nat.div2_succ_double.
Qed.

Lemma sigma_even i : sigma (2 * i) = i.
Proof. unfold sigma. destruct (even_half i) as [-> ->]. reflexivity. Qed.

Lemma sigma_odd i : sigma (2 * i + 1) = (h + i)%nat.
Proof. unfold sigma. destruct (odd_half i) as [-> ->]. reflexivity. Qed.

(** sigma maps [0, 2h) to itself, and sigma' inverts it there, both ways. *)
Theorem sigma_inverse j : (j < 2 * h)%nat ->
  (sigma j < 2 * h)%nat /\ (sigma' j < 2 * h)%nat /\ sigma' (sigma j) = j /\ sigma (sigma' j) = j.
Proof.
  intro H. repeat split.
  1, 3: destruct (Nat.Even_or_Odd j) as [[i ->]|[i ->]]; rewrite ?sigma_even, ?sigma_odd; unfold sigma'.
  1, 2: lia.
  1, 2: match goal with |- context [(?x <? h)%nat] => destruct (Nat.ltb_spec x h) end; lia.
  all: unfold sigma'; destruct (Nat.ltb_spec j h); rewrite ?sigma_even, ?sigma_odd; lia.
Qed.

(** The layouts are the same map in two coordinate systems: (hs x)_{sigma j} = (il (x o sigma))_j. *)
Theorem layouts_conjugate p x j : (j < 2 * h)%nat ->
  rope_hs p x (sigma j) = rope_il p (fun i => x (sigma i)) j.
Proof.
  intro H. unfold rope_hs, rope_il. destruct (Nat.Even_or_Odd j) as [[i ->]|[i ->]].
  - rewrite sigma_odd, sigma_even. destruct (even_half i) as [-> ->].
    destruct (Nat.ltb_spec i h); [reflexivity|lia].
  - replace (2 * i + 1 - 1)%nat with (2 * i)%nat by lia. rewrite sigma_odd, sigma_even.
    destruct (odd_half i) as [-> ->]. destruct (Nat.ltb_spec (h + i) h); [lia|].
    replace (h + i - h)%nat with i by lia. reflexivity.
Qed.

(** <hs_m q, hs_n k> = <il_m (q o sigma), il_n (k o sigma)> *)
Theorem layouts_same_score m n q k :
  Sum (2 * h) (fun j => rope_hs m q j * rope_hs n k j) =
  Sum (2 * h) (fun j => rope_il m (fun i => q (sigma i)) j * rope_il n (fun i => k (sigma i)) j).
Proof.
  transitivity (Sum (2 * h) (fun j => rope_hs m q (sigma j) * rope_hs n k (sigma j))).
  - symmetry. rewrite Sum_double. replace (2 * h)%nat with (h + h)%nat by lia. rewrite Sum_app, <- Sum_add.
    apply Sum_ext. intros i _. rewrite sigma_even, sigma_odd. reflexivity.
  - apply Sum_ext. intros j Hj. rewrite !layouts_conjugate by assumption. reflexivity.
Qed.

End Rope.

(** A checkpoint made for one layout and run with the other gives different scores:
    cos th_0 <> cos th_1  ->  <x, il_1 x> <> <x, hs_1 x> for some x of four channels. *)
Theorem layouts_differ th : cos (th 0%nat) <> cos (th 1%nat) ->
  exists x, Sum 4 (fun j => x j * rope_il th 1 x j) <> Sum 4 (fun j => x j * rope_hs 2 th 1 x j).
Proof.
  intro H. exists (fun j => if (j =? 1)%nat then 1 else 0). intro E. apply H.
  cbv [rope_il rope_hs Sum Nat.even Nat.div2 Nat.ltb Nat.leb Nat.eqb Nat.add Nat.sub] in E.
  rewrite !Rmult_1_l in E. lra.
Qed.
