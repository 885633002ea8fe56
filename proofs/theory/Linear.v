(** RoPE in linear attention (RoFormer section 3.3): what survives a shift, and what is lost.

    num(m) = sum_j <R_m phi(q), R_{n_j} phi(k_j)> v_j,   den = sum_j <phi(q), phi(k_j)>       [eq. 19]
    Here fq = phi(q) and fk j = phi(k_j).                                                      *)

Require Import Reals Lra Lia.
From RopeProofs Require Import Rotation Rope.
Open Scope R_scope.

Section Linear.
Variables (h : nat) (th : nat -> R) (N : nat) (fq : vector) (fk : nat -> vector) (v : nat -> R).

Definition num (m : R) (pos : nat -> R) : R := Sum N (fun j => score h th m (pos j) fq (fk j) * v j).
Definition den : R := Sum N (fun j => dotp h fq (fk j)).
Definition linear_attn (m : R) (pos : nat -> R) : R := num m pos / den.

(** num(m) = sum_j <phi(q), R_{n_j - m} phi(k_j)> v_j *)
Theorem num_relative m pos :
  num m pos = Sum N (fun j => dotp h fq (rope th (pos j - m) (fk j)) * v j).
Proof. apply Sum_ext. intros. rewrite score_relative. reflexivity. Qed.

(** num / den does not change when every position moves by s; den knows no positions at all. *)
Theorem linear_attention_shift s m pos : linear_attn (m + s) (fun j => pos j + s) = linear_attn m pos.
Proof. apply (f_equal (fun x => x / den)), Sum_ext. intros. rewrite score_shift. reflexivity. Qed.

Definition positive (x : vector) : Prop := forall i, 0 < fst (x i) /\ 0 < snd (x i).

Lemma Sum_pos n f : (0 < n)%nat -> (forall i, 0 < f i) -> 0 < Sum n f.
Proof.
  intros H Hf. induction n as [|[|n] IH]; [lia|simpl; specialize (Hf 0%nat); lra|].
  cbn [Sum] in *. specialize (Hf (S n)). assert (0 < S n)%nat as Hn by lia. specialize (IH Hn). lra.
Qed.

(** Positive features give a positive denominator: the division is safe. *)
Theorem den_pos : (0 < h)%nat -> (0 < N)%nat -> positive fq -> (forall j, positive (fk j)) -> 0 < den.
Proof.
  intros Hh HN Hq Hk. apply Sum_pos; [assumption|]. intro j. apply Sum_pos; [assumption|]. intro i.
  destruct (Hq i), (Hk j i). unfold dot2. apply Rplus_lt_0_compat; apply Rmult_lt_0_compat; assumption.
Qed.

End Linear.

Lemma cos_3_neg : cos 3 < 0.
Proof. pose proof PI_RGT_0. pose proof PI2_3_2. pose proof PI_4. apply cos_lt_0; lra. Qed.

(** The weights of eq. 19 are no longer weights: with features (1, 1), theta = 1 and distance 3
    one of them is cos 3 < 0. *)
Theorem linear_weight_negative :
  exists fq fk : vector, positive fq /\ positive fk /\ dotp 1 fq fk <> 0 /\
    score 1 (fun _ => 1) 0 3 fq fk / dotp 1 fq fk < 0.
Proof.
  exists (fun _ => (1, 1)), (fun _ => (1, 1)). unfold positive; simpl.
  split; [intro; lra|split; [intro; lra|]].
  rewrite score_trig. unfold dotp, dot2; simpl.
  replace ((3 - 0) * 1) with 3 by ring. pose proof cos_3_neg. split; lra.
Qed.
