(** Do positions come back? For theta = 1, or any rational frequency, never; but 710 comes close.  *)

Require Import Reals Lra Lia ZArith Machin.
From RopeProofs Require Import Rotation PiIrrational.
Open Scope R_scope.

(** * When two rotations are equal *)

(** cos x = 1  ->  x = 2 pi k *)
Lemma cos_1_multiple x : cos x = 1 -> exists k : Z, x = 2 * PI * IZR k.
Proof.
  intro H. replace x with (2 * (x / 2)) in H by field. rewrite cos_2a_sin in H.
  assert (Hs : sin (x / 2) = 0) by nra. destruct (sin_eq_0_0 _ Hs) as [k Hk]. exists k. lra.
Qed.

Lemma cos_sin_multiple (k : Z) : cos (2 * PI * IZR k) = 1 /\ sin (2 * PI * IZR k) = 0.
Proof.
  replace (2 * PI * IZR k) with (2 * (IZR k * PI)) by ring.
  rewrite cos_2a_sin, sin_2a, (sin_eq_0_1 (IZR k * PI)) by (exists k; reflexivity). lra.
Qed.

(** R(a) = R(b)  <->  a - b = 2 pi k for some integer k *)
Theorem rot_eq_iff a b : Rot a = Rot b <-> exists k : Z, a - b = 2 * PI * IZR k.
Proof.
  split.
  - intro H. injection H as Hc _ Hs _. apply cos_1_multiple.
    rewrite cos_minus, Hc, Hs. apply circle.
  - intros [k Hk]. replace a with (b + 2 * PI * IZR k) by lra.
    unfold Rot. rewrite cos_plus, sin_plus. destruct (cos_sin_multiple k) as [-> ->]. f_equal; ring.
Qed.

(** Integer positions are distinct under theta = 1  <->  2 pi k is an integer only for k = 0. *)
Theorem injective_1_iff :
  (forall m n : Z, Rot (IZR m) = Rot (IZR n) -> m = n) <->
  (forall k j : Z, 2 * PI * IZR k = IZR j -> k = 0%Z).
Proof.
  split; intro H.
  - intros k j E. apply eq_IZR. assert (j = 0%Z) as ->.
    { apply H, rot_eq_iff. exists k. lra. }
    pose proof PI_RGT_0. nra.
  - intros m n E. apply rot_eq_iff in E as [k Hk]. rewrite <- minus_IZR in Hk. symmetry in Hk.
    specialize (H _ _ Hk). subst k. rewrite Rmult_0_r in Hk. apply eq_IZR in Hk. lia.
Qed.

(** pi k = j  ->  k = 0, for integers: irrationality without the sign condition *)
Lemma PI_multiple k j : PI * IZR k = IZR j -> k = 0%Z.
Proof.
  intro H. destruct (Z.lt_trichotomy k 0) as [Hk|[Hk|Hk]]; [exfalso|exact Hk|exfalso].
  - apply (PI_irrational (- j) (- k)); [lia|]. rewrite !opp_IZR. lra.
  - exact (PI_irrational j k Hk H).
Qed.

(** theta = a / b rational and not 0:  R(m theta) = R(n theta)  ->  m = n *)
Theorem no_alias_rational (a b m n : Z) : (0 < b)%Z -> a <> 0%Z ->
  Rot (IZR m * (IZR a / IZR b)) = Rot (IZR n * (IZR a / IZR b)) -> m = n.
Proof.
  intros Hb Ha E. apply rot_eq_iff in E as [k Hk]. assert (0 < IZR b) by (apply IZR_lt; exact Hb).
  assert (HZ : PI * IZR (2 * k * b) = IZR ((m - n) * a)).
  { rewrite !mult_IZR, minus_IZR. apply (Rmult_eq_reg_r (/ IZR b)); [|apply Rinv_neq_0_compat; lra].
    field_simplify; [|lra|lra]. unfold Rdiv in Hk. field_simplify in Hk; lra. }
  pose proof (PI_multiple _ _ HZ) as H0. rewrite H0, Rmult_0_r in HZ. apply eq_IZR in HZ. nia.
Qed.

(** theta = 1:  R(m) = R(n)  ->  m = n. No two positions agree exactly in pair 0. *)
Theorem no_alias_1 (m n : Z) : Rot (IZR m) = Rot (IZR n) -> m = n.
Proof.
  intro H. apply (no_alias_rational 1 1 m n); [lia|lia|].
  replace (IZR 1 / IZR 1) with 1 by field. rewrite !Rmult_1_r. exact H.
Qed.

(** theta = 2 pi / N repeats: R((m + N) theta) = R(m theta). Irrationality is needed. *)
Theorem alias_exists (m N : Z) : (0 < N)%Z ->
  Rot (IZR (m + N) * (2 * PI / IZR N)) = Rot (IZR m * (2 * PI / IZR N)).
Proof.
  intro H. assert (0 < IZR N) by (apply IZR_lt; exact H). apply rot_eq_iff. exists 1%Z.
  rewrite plus_IZR. field. lra.
Qed.

(** * How near two positions can come *)

(** Twelve decimals of pi from six terms of Machin's series (2 atan 1/3 + atan 1/7 = pi/4) *)
Lemma PI_digits : 3141592653589 / 1000000000000 < PI < 3141592653590 / 1000000000000.
Proof.
  pose proof (PI_2_3_7_ineq 6) as H. unfold sum_f_R0, tg_alt, PI_2_3_7_tg, Ratan_seq in H. simpl in H. lra.
Qed.

(** 103993 / 33102 < pi < 355 / 113 *)
Theorem PI_bounds : 103993 / 33102 < PI < 355 / 113.
Proof. pose proof PI_digits. lra. Qed.

(** 6.02e-5 < 710 - 226 pi < 6.03e-5 *)
Theorem alias_710_gap : 602 / 10000000 < 710 - 113 * (2 * PI) < 603 / 10000000.
Proof. pose proof PI_digits. lra. Qed.

(** Best approximation. Let p v - u q = 1 and let p - q t > 0 > u - v t, where 0 < p, u.
    Then  p - q t <= |n - k t|  for every integer k and every n with 0 < n < u.     (Lagrange) *)
Theorem lagrange (t : R) (p q u v : Z) : (0 < p)%Z -> (p * v - u * q = 1)%Z ->
  0 < IZR p - IZR q * t -> IZR u - IZR v * t < 0 ->
  forall n k : Z, (0 < n < u)%Z -> IZR p - IZR q * t <= Rabs (IZR n - IZR k * t).
Proof.
  intros Hp Hd He Hf n k Hn.
  (* n = x p + y u and k = x q + y v *)
  set (x := (n * v - k * u)%Z). set (y := (k * p - n * q)%Z).
  assert (En : n = (x * p + y * u)%Z)
    by (transitivity (n * (p * v - u * q))%Z; [rewrite Hd|unfold x, y]; ring).
  assert (Ek : k = (x * q + y * v)%Z)
    by (transitivity (k * (p * v - u * q))%Z; [rewrite Hd|unfold x, y]; ring).
  replace (IZR n - IZR k * t) with (IZR x * (IZR p - IZR q * t) + IZR y * (IZR u - IZR v * t))
    by (rewrite En, Ek, !plus_IZR, !mult_IZR; ring).
  clearbody x y. (* x and y have opposite signs, so the two terms have the same *)
  assert (H : (1 <= x /\ y <= 0 \/ x <= -1 /\ 0 <= y)%Z) by (destruct (Z.lt_trichotomy y 0) as [|[|]]; nia).
  destruct H as [[Hx Hy]|[Hx Hy]]; apply IZR_le in Hx, Hy.
  - apply Rle_trans with (2 := Rle_abs _). nra.
  - rewrite <- Rabs_Ropp. apply Rle_trans with (2 := Rle_abs _). nra.
Qed.

(** Every x is within pi of a multiple of 2 pi. *)
Lemma nearest_multiple x : exists k : Z, Rabs (x - IZR k * (2 * PI)) <= PI.
Proof.
  pose proof PI_RGT_0. destruct (archimed (x / (2 * PI) - 1 / 2)) as [H1 H2]. exists (up (x / (2 * PI) - 1 / 2)).
  replace x with (x / (2 * PI) * (2 * PI)) at 1 by (field; lra). set (z := x / (2 * PI)) in *.
  replace (z * (2 * PI) - IZR (up (z - 1 / 2)) * (2 * PI)) with ((z - IZR (up (z - 1 / 2))) * (2 * PI)) by ring.
  rewrite Rabs_mult, (Rabs_right (2 * PI)) by lra.
  assert (Rabs (z - IZR (up (z - 1 / 2))) <= 1 / 2) by (apply Rabs_le; lra). nra.
Qed.

(** 0 < n < 103993  ->  cos n <= cos 710: positions 710 apart are the nearest aliases of pair 0
    in every context below 103993. *)
Theorem cos_710_max (n : Z) : (0 < n < 103993)%Z -> cos (IZR n) <= cos 710.
Proof.
  intro Hn. pose proof alias_710_gap as Hg. pose proof PI_bounds as Hpi.
  assert (period : forall z k, cos (z - IZR k * (2 * PI)) = cos z).
  { intros z k. rewrite cos_minus, (Rmult_comm (IZR k)). destruct (cos_sin_multiple k) as [-> ->]. ring. }
  destruct (nearest_multiple (IZR n)) as [k Hk].
  rewrite <- (period (IZR n) k), <- (period 710 113%Z).
  assert (E : cos (IZR n - IZR k * (2 * PI)) = cos (Rabs (IZR n - IZR k * (2 * PI)))).
  { unfold Rabs. destruct Rcase_abs; [rewrite cos_neg|]; reflexivity. }
  rewrite E. apply cos_decr_1; try lra; [apply Rabs_pos|].
  apply (lagrange (2 * PI) 710 113 103993 16551); try lia; lra.
Qed.
