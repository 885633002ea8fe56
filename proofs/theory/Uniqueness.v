(** RoPE is forced in the plane: relative positions and det = 1 leave only rotations by m t.
    And two rules for longer contexts as identities between frequencies. *)

Require Import Reals Lra Lia ZArith.
From RopeProofs Require Import Rotation.
Open Scope R_scope.

(** * From the functional equation to the angle *)

(** (for all m: phi(m+1) - phi(m) = c)  ->  phi(m) = m c + phi(0)        [RoFormer eq. 31-33] *)
Theorem phase_affine (phi : nat -> R) (c : R) :
  (forall m, phi (S m) - phi m = c) -> forall m, phi m = INR m * c + phi 0%nat.
Proof.
  intros H m. induction m as [|m IH]; [simpl; ring|]. rewrite S_INR. specialize (H m). lra.
Qed.

(** c^2 + s^2 = 1  ->  c = cos t and s = sin t for some t *)
Lemma angle_exists c s : c * c + s * s = 1 -> exists t, cos t = c /\ sin t = s.
Proof.
  intro H. assert (Hc : -1 <= c <= 1) by (pose proof (Rle_0_sqr s); unfold Rsqr in *; nra).
  assert (Hs : sqrt (1 - c²) = Rabs s).
  { rewrite <- sqrt_Rsqr_abs. f_equal. unfold Rsqr. lra. }
  destruct (Rle_dec 0 s) as [Hp|Hn].
  - exists (acos c). rewrite cos_acos, sin_acos by exact Hc. rewrite Hs, Rabs_right by lra. split; reflexivity.
  - exists (- acos c). rewrite cos_neg, sin_neg, cos_acos, sin_acos by exact Hc.
    rewrite Hs, Rabs_left by lra. split; [reflexivity|ring].
Qed.

(** A^T A = I and det A = 1  ->  A = R(t) for some t *)
Lemma special_orthogonal A : mul (tr A) A = one -> det A = 1 -> exists t, A = Rot t.
Proof.
  destruct A as [a b c d]. unfold mul, tr, det, one; simpl. intros HO HD.
  injection HO as H1 _ _ H2.
  assert (HS : (a - d)² + (b + c)² = 0) by (unfold Rsqr; lra).
  destruct (Rplus_sqr_eq_0 _ _ HS) as [Ha Hb].
  destruct (angle_exists a c H1) as [t [Hc Hs]]. exists t. unfold Rot. rewrite Hc, Hs. f_equal; lra.
Qed.

(** A^T A = I  ->  A (A^T M) = M, for square matrices *)
Lemma orthogonal_cancel A M N : mul (tr A) A = one -> det A = 1 -> mul (tr A) M = N -> M = mul A N.
Proof.
  intros HO HD <-. destruct (special_orthogonal A HO HD) as [t ->]. destruct M as [a b c d].
  pose proof (circle t) as C. unfold mul, tr, Rot; simpl. f_equal.
  - transitivity ((cos t * cos t + sin t * sin t) * a); [rewrite C|]; ring.
  - transitivity ((cos t * cos t + sin t * sin t) * b); [rewrite C|]; ring.
  - transitivity ((cos t * cos t + sin t * sin t) * c); [rewrite C|]; ring.
  - transitivity ((cos t * cos t + sin t * sin t) * d); [rewrite C|]; ring.
Qed.

(** A_0 = I,  det A_m = 1,  A_m^T A_n = G(n - m)   ->   A_m = R(m t) for some t and all m *)
Theorem rope_unique (A : nat -> mat) (G : Z -> mat) :
  A 0%nat = one -> (forall m, det (A m) = 1) ->
  (forall m n, mul (tr (A m)) (A n) = G (Z.of_nat n - Z.of_nat m)%Z) ->
  exists t, forall m, A m = Rot (INR m * t).
Proof.
  intros H0 HD HG.
  assert (HO : forall m, mul (tr (A m)) (A m) = one).
  { intro m. rewrite HG, Z.sub_diag. rewrite <- (Z.sub_diag (Z.of_nat 0)), <- HG, H0.
    unfold mul, one; simpl. f_equal; ring. }
  assert (HS : forall m, A (S m) = mul (A m) (A 1%nat)).
  { intro m. apply orthogonal_cancel; auto. rewrite HG.
    replace (Z.of_nat (S m) - Z.of_nat m)%Z with (Z.of_nat 1 - Z.of_nat 0)%Z by lia.
    rewrite <- HG, H0. destruct (A 1%nat). unfold mul, one; simpl. f_equal; ring. }
  destruct (special_orthogonal (A 1%nat)) as [t Ht]; auto. exists t.
  intro m. induction m as [|m IH].
  - rewrite H0, Rmult_0_l. symmetry. apply rot_0.
  - rewrite HS, IH, Ht, rot_add, S_INR. f_equal. ring.
Qed.

(** det = 1 is needed: A_m = S^m with the reflection S = diag(1, -1) meets all the rest, and is no rotation. *)
Definition reflection (m : nat) : mat := if Nat.even m then one else Mat 1 0 0 (-1).

Theorem reflection_is_relative :
  reflection 0 = one /\
  (forall m n, mul (tr (reflection m)) (reflection n)
               = if Z.even (Z.of_nat n - Z.of_nat m) then one else Mat 1 0 0 (-1)) /\
  ~ exists t, forall m, reflection m = Rot (INR m * t).
Proof.
  split; [reflexivity|split].
  - intros m n. rewrite Z.even_sub.
    assert (E : forall k, Z.even (Z.of_nat k) = Nat.even k).
    { intro k. induction k as [|k IH]; [reflexivity|].
      rewrite Nat2Z.inj_succ, Z.even_succ, <- Z.negb_even, IH, Nat.even_succ, <- Nat.negb_even. reflexivity. }
    rewrite !E. unfold reflection. destruct (Nat.even m), (Nat.even n); unfold mul, one; simpl; f_equal; ring.
  - intros [t H]. specialize (H 1%nat). apply (f_equal det) in H. rewrite rot_det in H.
    unfold reflection, det in H; simpl in H. lra.
Qed.

(** * Longer contexts *)

(** theta_i = b^(-2i/d) *)
Definition theta (b d : R) (i : nat) : R := Rpower b (- (2 * INR i / d)).

(** Position interpolation: position m / s with theta is position m with theta / s. *)
Theorem position_interpolation m s t : s <> 0 -> m / s * t = m * (t / s).
Proof. intro. field. assumption. Qed.

(** NTK-aware: b' = b s^(d/(d-2)) leaves theta_0 and divides the last frequency, i = d/2 - 1, by exactly s. *)
Theorem ntk_aware b s d i : 0 < b -> 0 < s -> 2 < d -> INR i = d / 2 - 1 ->
  theta (b * Rpower s (d / (d - 2))) d 0 = theta b d 0 /\
  theta (b * Rpower s (d / (d - 2))) d i = theta b d i / s.
Proof.
  intros Hb Hs Hd Hi. assert (Hp : 0 < Rpower s (d / (d - 2))) by apply exp_pos. unfold theta. split.
  - simpl. replace (- (2 * 0 / d)) with 0 by (field; lra).
    rewrite !Rpower_O; auto. apply Rmult_lt_0_compat; assumption.
  - rewrite <- Rpower_mult_distr, Rpower_mult, Hi by assumption.
    replace (d / (d - 2) * - (2 * (d / 2 - 1) / d)) with (- (1)) by (field; lra).
    rewrite (Rpower_Ropp s 1), Rpower_1 by assumption. reflexivity.
Qed.
