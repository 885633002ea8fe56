(** What does not hold: additive positions are not relative, and RoPE scores need not decay. *)

Require Import Reals Lra Lia.
From RopeProofs Require Import Rotation Rope.
Open Scope R_scope.

(** * Additive sinusoidal positions, one pair of frequency t *)

Definition pe (t p : R) : vec := (sin (p * t), cos (p * t)).
Definition plus2 (x y : vec) : vec := (fst x + fst y, snd x + snd y).
(** s(m, n) = <q + pe_m, k + pe_n>     [RoFormer eqs. 3, 4] *)
Definition sscore (t m n : R) (q k : vec) : R := dot2 (plus2 q (pe t m)) (plus2 k (pe t n)).

(** In fairness: <pe_m, pe_n> = cos((n - m) t). Alone the positions are relative; the mixed terms are not. *)
Theorem pe_dot_relative t m n : dot2 (pe t m) (pe t n) = cos ((n - m) * t).
Proof. rewrite Rmult_minus_distr_r, cos_minus. unfold dot2; simpl. ring. Qed.

(** cos t <> 1  ->  some q, k, m, n, s with  s(m + s, n + s) <> s(m, n) *)
Theorem sinusoidal_not_shift_invariant t : cos t <> 1 ->
  exists q k m n s, sscore t (m + s) (n + s) q k <> sscore t m n q k.
Proof.
  intros H. exists (0, 1), (0, 0), 0, 0, 1. unfold sscore, dot2, pe; simpl.
  rewrite !Rplus_0_l, Rmult_1_l, Rmult_0_l, sin_0, cos_0. pose proof (circle t). intro E. apply H. lra.
Qed.

(** ... as for the first frequency of every base, t = 1. *)
Corollary sinusoidal_1 : exists q k m n s, sscore 1 (m + s) (n + s) q k <> sscore 1 m n q k.
Proof.
  apply sinusoidal_not_shift_invariant, Rlt_not_eq. apply Rlt_le_trans with (cos 0); [|rewrite cos_0; lra].
  pose proof PI2_1. apply cos_decreasing_1; lra.
Qed.

(** * Scores at a distance *)

(** For every distance r and every q there is a k, |k| = |q|, with s(0, r) = |q|^2: the largest value at any distance. *)
Theorem score_max_at_any_distance h th r q :
  exists k, dotp h k k = dotp h q q /\ score h th 0 r q k = dotp h q q.
Proof.
  exists (rope th (- r) q). split; [apply rope_isometry|].
  rewrite score_relative. apply Sum_ext. intros i _.
  rewrite rope_compose. replace (r - 0 + - r) with 0 by ring. unfold rope.
  rewrite Rmult_0_l, rot_0. unfold dot2; simpl. ring.
Qed.

(** (D + d)^2 <= (A + a)(B + b)  when  D^2 <= A B,  d^2 <= a b: the step of Cauchy-Schwarz. *)
Lemma schwarz_step A B D a b d : 0 <= A -> 0 <= B -> 0 <= a -> 0 <= b ->
  D * D <= A * B -> d * d <= a * b -> (D + d) * (D + d) <= (A + a) * (B + b).
Proof.
  intros HA HB Ha Hb H1 H2.
  assert (Hm : 2 * (D * d) <= A * b + a * B).
  { assert (0 <= A * b) by (apply Rmult_le_pos; assumption).
    assert (0 <= a * B) by (apply Rmult_le_pos; assumption).
    apply Rsqr_incr_0_var; [unfold Rsqr|lra].
    assert (H3 : (D * D) * (d * d) <= (A * B) * (a * b)).
    { apply Rmult_le_compat; auto; apply Rle_0_sqr. }
    pose proof (Rle_0_sqr (A * b - a * B)) as Hs. unfold Rsqr in Hs. lra. }
  lra.
Qed.

Lemma dotp_ge_0 h x : 0 <= dotp h x x.
Proof.
  unfold dotp. induction h as [|h IH]; simpl; [lra|]. unfold dot2 in *.
  pose proof (Rle_0_sqr (fst (x h))). pose proof (Rle_0_sqr (snd (x h))). unfold Rsqr in *. lra.
Qed.

(** <x, y>^2 <= |x|^2 |y|^2 *)
Theorem cauchy_schwarz h x y : dotp h x y * dotp h x y <= dotp h x x * dotp h y y.
Proof.
  induction h as [|h IH]; [unfold dotp; simpl; lra|]. apply schwarz_step; try apply dotp_ge_0; try exact IH; unfold dot2.
  1, 2: apply Rplus_le_le_0_compat; apply Rle_0_sqr.
  pose proof (Rle_0_sqr (fst (x h) * snd (y h) - snd (x h) * fst (y h))) as H. unfold Rsqr in H. lra.
Qed.

(** |s(m, n)| <= |q| |k| *)
Theorem score_bound h th m n q k : Rabs (score h th m n q k) <= sqrt (dotp h q q) * sqrt (dotp h k k).
Proof.
  rewrite <- sqrt_mult by apply dotp_ge_0. rewrite <- (sqrt_Rsqr_abs (score h th m n q k)).
  apply sqrt_le_1_alt. unfold Rsqr.
  rewrite <- (rope_isometry h th m q), <- (rope_isometry h th n k). apply cauchy_schwarz.
Qed.

(** The unit vector of the first channel *)
Definition e0 : vector := fun i => match i with O => (1, 0) | _ => (0, 0) end.

Lemma dotp_e0 h x : (0 < h)%nat -> dotp h e0 x = fst (x 0%nat).
Proof.
  unfold dotp. induction h as [|[|h] IH]; intro H; [lia| |].
  - simpl. unfold dot2; simpl. ring.
  - cbn [Sum] in *. rewrite IH by lia. unfold dot2; simpl. ring.
Qed.

(** Fixed unit q and k whose score does not tend to 0: at r or at 2r it is at least 1/2. *)
Theorem no_decay_fixed h th : (0 < h)%nat ->
  exists q k, dotp h q q = 1 /\ dotp h k k = 1 /\
  forall r, 1 / 2 <= Rabs (score h th 0 r q k) \/ 1 / 2 <= Rabs (score h th 0 (2 * r) q k).
Proof.
  intro H. exists e0, e0. rewrite dotp_e0 by exact H. split; [reflexivity|split; [reflexivity|]]. intro r.
  rewrite !score_relative, !dotp_e0 by exact H. unfold rope; simpl. rewrite !Rmult_1_r, !Rmult_0_r, !Rplus_0_r.
  replace ((2 * r - 0) * th 0%nat) with (2 * ((r - 0) * th 0%nat)) by ring. rewrite cos_2a_cos.
  set (c := cos _). unfold Rabs. repeat destruct (Rcase_abs _); try lra; nra.
Qed.
