(** The decay bound of RoFormer section 3.4.3, and how far it can fall: never below h / 2.

    w_j = e^{i r th_j},   S_j = w_0 + ... + w_{j-1},   B(r) = |S_1| + ... + |S_h|
    (the paper's figure shows B(r) / h).                                              *)

Require Import Reals Lra Lia.
From Coquelicot Require Import Complex.
From RopeProofs Require Import Rotation Rope.
Open Scope R_scope.

Fixpoint CSum (n : nat) (f : nat -> C) : C :=
  match n with O => RtoC 0 | S n => (CSum n f + f n)%C end.

Fixpoint maximum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S n => Rmax (maximum n f) (f n) end.

Lemma maximum_ge n f i : (i < n)%nat -> f i <= maximum n f.
Proof.
  induction n as [|n IH]; intro H; [lia|]; simpl. destruct (Nat.eq_dec i n) as [->|].
  - apply Rmax_r.
  - apply Rle_trans with (maximum n f); [apply IH; lia|apply Rmax_l].
Qed.

(** sum_{i<n} z_i w_i = z_n S_n - sum_{i<n} (z_{i+1} - z_i) S_{i+1}      [RoFormer eq. 36] *)
Theorem abel n (z w : nat -> C) :
  CSum n (fun i => z i * w i)%C = (z n * CSum n w - CSum n (fun i => (z (S i) - z i) * CSum (S i) w))%C.
Proof. induction n as [|n IH]; simpl in *; [|rewrite IH]; ring. Qed.

Lemma Cmod_CSum n f : Cmod (CSum n f) <= Sum n (fun i => Cmod (f i)).
Proof.
  induction n as [|n IH]; simpl; [rewrite Cmod_0; lra|].
  apply Rle_trans with (1 := Cmod_triangle _ _). lra.
Qed.

(** z_n = 0  ->  |sum_{i<n} z_i w_i| <= max_{i<n} |z_{i+1} - z_i| * sum_{i<n} |S_{i+1}|    [RoFormer eq. 37] *)
Theorem abel_bound n (z w : nat -> C) : z n = RtoC 0 ->
  Cmod (CSum n (fun i => z i * w i)%C)
  <= maximum n (fun i => Cmod (z (S i) - z i)%C) * Sum n (fun i => Cmod (CSum (S i) w)).
Proof.
  intro H. rewrite abel, H, Cmult_0_l. unfold Cminus. rewrite Cplus_0_l, Cmod_opp.
  apply Rle_trans with (1 := Cmod_CSum _ _). rewrite <- Sum_scal. apply Sum_le. intros i Hi.
  rewrite Cmod_mult. apply Rmult_le_compat_r; [apply Cmod_ge_0|].
  exact (maximum_ge n (fun i => Cmod (z (S i) - z i)%C) i Hi).
Qed.

(** * The bound on the score *)

Definition cis (a : R) : C := (cos a, sin a).
Definition B (h : nat) (th : nat -> R) (r : R) : R :=
  Sum h (fun i => Cmod (CSum (S i) (fun j => cis (r * th j)))).

Lemma Cmod_cis a : Cmod (cis a) = 1.
Proof. unfold Cmod, cis; simpl. rewrite !Rmult_1_r, circle. apply sqrt_1. Qed.

(** h_i = conj(q_i) k_i for i < h, and 0 from h on: without this last step eq. 36 has a boundary term. *)
Definition product (h : nat) (q k : vector) (i : nat) : C :=
  if Nat.ltb i h then (Cconj (q i) * (k i : C))%C else RtoC 0.

Lemma Re_CSum n f : Re (CSum n f) = Sum n (fun i => Re (f i)).
Proof. induction n as [|n IH]; simpl; [|rewrite <- IH]; reflexivity. Qed.

(** s(m, n) = Re sum_i h_i e^{i (n-m) th_i}       [RoFormer eq. 35] *)
Theorem score_complex h th m n q k :
  score h th m n q k = Re (CSum h (fun i => product h q k i * cis ((n - m) * th i))%C).
Proof.
  rewrite score_trig, Re_CSum. apply Sum_ext. intros i Hi. unfold product.
  apply Nat.ltb_lt in Hi. rewrite Hi. unfold dot2, cis, Re; simpl. ring.
Qed.

(** |s(m, n)| <= max_i |h_{i+1} - h_i| * B(n - m) *)
Theorem rope_decay_bound h th m n q k :
  Rabs (score h th m n q k)
  <= maximum h (fun i => Cmod (product h q k (S i) - product h q k i)%C) * B h th (n - m).
Proof.
  rewrite score_complex.
  apply Rle_trans with (2 := abel_bound h (product h q k) (fun j => cis ((n - m) * th j))
                               ltac:(unfold product; now rewrite Nat.ltb_irrefl)).
  apply Rle_trans with (2 := Rmax_Cmod _). apply Rmax_l.
Qed.

(** * What B can and cannot be *)

Lemma partial_le i r th : Cmod (CSum i (fun j => cis (r * th j))) <= INR i.
Proof.
  induction i as [|i IH]; [simpl; rewrite Cmod_0; lra|]. rewrite S_INR; simpl.
  apply Rle_trans with (1 := Cmod_triangle _ _). rewrite Cmod_cis. lra.
Qed.

(** B(r) <= h (h + 1) / 2 *)
Theorem B_upper h th r : B h th r <= INR h * (INR h + 1) / 2.
Proof.
  unfold B. induction h as [|h IH]; [simpl; lra|]. cbn [Sum].
  pose proof (partial_le (S h) r th). rewrite S_INR in *. lra.
Qed.

(** 1 = |w_j| <= |S_j| + |S_{j+1}|: two neighbouring partial sums cannot both be small. *)
Lemma neighbours j r th :
  1 <= Cmod (CSum j (fun j => cis (r * th j))) + Cmod (CSum (S j) (fun j => cis (r * th j))).
Proof.
  rewrite <- (Cmod_cis (r * th j)) at 1. rewrite <- (Cmod_opp (CSum j _)).
  replace (cis (r * th j))
    with (- CSum j (fun j => cis (r * th j)) + CSum (S j) (fun j => cis (r * th j)))%C at 1 by (simpl; ring).
  apply Cmod_triangle.
Qed.

(** h / 2 <= B(r) for all frequencies and all r: the bound can never show decay to 0. *)
Theorem B_lower h th r : INR h / 2 <= B h th r.
Proof.
  assert (H : INR h + Cmod (CSum h (fun j => cis (r * th j))) <= 2 * B h th r).
  { unfold B. induction h as [|h IH]; [simpl; rewrite Cmod_0; lra|].
    pose proof (neighbours h r th). rewrite S_INR. cbn [Sum]. lra. }
  pose proof (Cmod_ge_0 (CSum h (fun j => cis (r * th j)))). lra.
Qed.
