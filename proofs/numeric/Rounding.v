(** What boxes cannot say: rounding errors as vectors, and through an exponent. u is the unit roundoff, and each e the
    relative error of one rounding, |e| <= u.                                                                   *)

Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
Open Scope R_scope.

Lemma within a b : Rabs a <= b -> - b <= a <= b.
Proof. unfold Rabs. destruct Rcase_abs; lra. Qed.

Lemma Rabs_mult_le a b x y : Rabs a <= x -> Rabs b <= y -> Rabs (a * b) <= x * y.
Proof. intros. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

Lemma Rabs_plus_le a b x y : Rabs a <= x -> Rabs b <= y -> Rabs (a + b) <= x + y.
Proof. intros. apply Rle_trans with (1 := Rabs_triang a b). lra. Qed.

(** |x c| + |y s| <= |(x, y)| |(c, s)| *)
Lemma schwarz x y c s : Rabs (x * c) + Rabs (y * s) <= sqrt (x * x + y * y) * sqrt (c * c + s * s).
Proof.
  rewrite <- sqrt_mult by nra. apply Rsqr_incr_0_var; [|apply sqrt_pos].
  rewrite Rsqr_sqrt by nra. unfold Rsqr. rewrite !Rabs_mult.
  rewrite <- (Rabs_pos_eq (x * x)), <- (Rabs_pos_eq (y * y)), <- (Rabs_pos_eq (c * c)), <- (Rabs_pos_eq (s * s)) by nra.
  rewrite !Rabs_mult. pose proof (Rle_0_sqr (Rabs x * Rabs s - Rabs y * Rabs c)) as H. unfold Rsqr in H. lra.
Qed.

(** * The rotation *)

(** RN(x c) - RN(y s) with given c and s:  off by at most  u |(x, y)| |(c, s)| *)
Theorem products_rounded x y c s u e1 e2 : Rabs e1 <= u -> Rabs e2 <= u ->
  Rabs ((x * c * (1 + e1) - y * s * (1 + e2)) - (x * c - y * s)) <= u * (sqrt (x * x + y * y) * sqrt (c * c + s * s)).
Proof.
  intros H1 H2. replace (_ - (x * c - y * s)) with (x * c * e1 + - (y * s * e2)) by ring.
  apply Rle_trans with (Rabs (x * c) * u + Rabs (y * s) * u).
  - apply Rabs_plus_le; [|rewrite Rabs_Ropp]; apply Rabs_mult_le; auto; apply Rle_refl.
  - pose proof (schwarz x y c s). pose proof (Rabs_pos e1). nra.
Qed.

(** RN(RN(x c) - RN(y s)):  off by at most  (2 u + u^2) |(x, y)| |(c, s)| *)
Theorem rotation_rounded x y c s u e1 e2 e3 : Rabs e1 <= u -> Rabs e2 <= u -> Rabs e3 <= u ->
  Rabs ((x * c * (1 + e1) - y * s * (1 + e2)) * (1 + e3) - (x * c - y * s))
  <= (2 * u + u * u) * (sqrt (x * x + y * y) * sqrt (c * c + s * s)).
Proof.
  intros H1 H2 H3. pose proof (products_rounded x y c s u e1 e2 H1 H2) as HP. pose proof (schwarz x y c s) as HS.
  set (N := sqrt _ * sqrt _) in *. set (z := x * c * (1 + e1) - y * s * (1 + e2)) in *. set (z0 := x * c - y * s) in *.
  assert (H0 : Rabs z0 <= N).
  { unfold z0. apply Rle_trans with (2 := HS). unfold Rminus. apply Rle_trans with (1 := Rabs_triang _ _).
    rewrite Rabs_Ropp. lra. }
  replace (z * (1 + e3) - z0) with ((z - z0) + ((z - z0) * e3 + z0 * e3)) by ring.
  replace ((2 * u + u * u) * N) with (u * N + (u * N * u + N * u)) by ring.
  repeat apply Rabs_plus_le; auto; apply Rabs_mult_le; auto.
Qed.

(** * The table *)

(** A (C, S), |(C, S)| = 1, made from cosine and sine within L u each and a rounded A:  within (2 + 3/2 L) u A as a vector *)
Lemma magnitude_of_libm L A C S u a e1 e2 dc ds : 1 <= L -> 0 <= A -> u <= 1 / 256 -> C * C + S * S = 1 ->
  Rabs a <= u -> Rabs e1 <= u -> Rabs e2 <= u -> Rabs dc <= L * u -> Rabs ds <= L * u ->
  let c := A * (1 + a) * (C + dc) * (1 + e1) in
  let s := A * (1 + a) * (S + ds) * (1 + e2) in
  sqrt ((c - A * C) * (c - A * C) + (s - A * S) * (s - A * S)) <= (2 + 3 / 2 * L) * u * A.
Proof.
  intros HL HA Hu HCS Ha H1 H2 Hc Hs c s. assert (0 <= u) by (pose proof (Rabs_pos a); lra).
  (* c - A C = A (C t + w),  |t| <= 2.004 u,  |w| <= 1.008 L u *)
  assert (part : forall e d, Rabs e <= u -> Rabs d <= L * u ->
    Rabs ((1 + a) * (1 + e) - 1) <= 2004 / 1000 * u /\ Rabs ((1 + a) * (1 + e) * d) <= 1008 / 1000 * L * u).
  { intros e d He Hd. replace ((1 + a) * (1 + e) - 1) with (a + e + a * e) by ring.
    assert (Ht : Rabs (a + e + a * e) <= u + u + u * u) by (repeat apply Rabs_plus_le; auto; apply Rabs_mult_le; auto).
    split; [nra|].
    assert (H1a : Rabs (1 + a) <= 1 + u) by (apply Rabs_plus_le; [rewrite Rabs_R1|]; lra).
    assert (H1e : Rabs (1 + e) <= 1 + u) by (apply Rabs_plus_le; [rewrite Rabs_R1|]; lra).
    apply Rle_trans with ((1 + u) * (1 + u) * (L * u)); [repeat apply Rabs_mult_le; auto|].
    replace ((1 + u) * (1 + u) * (L * u)) with (L * ((1 + u) * (1 + u) * u)) by ring. replace (1008 / 1000 * L * u) with (L * (1008 / 1000 * u)) by ring.
    apply Rmult_le_compat_l; [lra|nra]. }
  destruct (part e1 dc H1 Hc) as [Ht1 Hw1]. destruct (part e2 ds H2 Hs) as [Ht2 Hw2].
  replace (c - A * C) with (A * (C * ((1 + a) * (1 + e1) - 1) + (1 + a) * (1 + e1) * dc)) by (unfold c; ring).
  replace (s - A * S) with (A * (S * ((1 + a) * (1 + e2) - 1) + (1 + a) * (1 + e2) * ds)) by (unfold s; ring).
  set (t1 := (1 + a) * (1 + e1) - 1) in *. set (t2 := (1 + a) * (1 + e2) - 1) in *.
  set (w1 := (1 + a) * (1 + e1) * dc) in *. set (w2 := (1 + a) * (1 + e2) * ds) in *.
  clearbody t1 t2 w1 w2. clear c s part.
  assert (HT : (C * t1 + w1) * (C * t1 + w1) + (S * t2 + w2) * (S * t2 + w2) <= (2 + 3 / 2 * L) * (2 + 3 / 2 * L) * (u * u)).
  { assert (Hsum : Rabs C + Rabs S <= 14143 / 10000).
    { pose proof (schwarz 1 1 C S) as H0. rewrite HCS, sqrt_1, !Rmult_1_l, Rmult_1_r in H0.
      apply Rle_trans with (1 := H0). interval. }
    assert (square : forall z b, Rabs z <= b -> z * z <= b * b).
    { intros z b Hz. rewrite <- (Rabs_pos_eq (z * z)) by nra. apply Rabs_mult_le; assumption. }
    apply square in Ht1 as Q1. apply square in Ht2 as Q2. apply square in Hw1 as Q3. apply square in Hw2 as Q4.
    assert (cross : forall z t w, Rabs t <= 2004 / 1000 * u -> Rabs w <= 1008 / 1000 * L * u ->
      z * t * w <= Rabs z * (2004 / 1000 * u) * (1008 / 1000 * L * u)).
    { intros z t w Ht Hw. apply Rle_trans with (1 := Rle_abs _). repeat apply Rabs_mult_le; auto. apply Rle_refl. }
    pose proof (cross C t1 w1 Ht1 Hw1). pose proof (cross S t2 w2 Ht2 Hw2).
    assert (C * C * (t1 * t1) + S * S * (t2 * t2) <= 2004 / 1000 * u * (2004 / 1000 * u)) by nra.
    assert (HLu : 0 <= u * u <= L * (u * u)) by (split; nra).
    assert ((Rabs C + Rabs S) * (L * (u * u)) <= 14143 / 10000 * (L * (u * u))) by (apply Rmult_le_compat_r; lra).
    assert (0 <= L * (L * (u * u))) by (apply Rmult_le_pos; lra). lra. }
  apply Rsqr_incr_0_var; [|repeat apply Rmult_le_pos; lra]. rewrite Rsqr_sqrt by (apply Rplus_le_le_0_compat; apply Rle_0_sqr). unfold Rsqr.
  replace ((2 + 3 / 2 * L) * u * A * ((2 + 3 / 2 * L) * u * A)) with (A * A * ((2 + 3 / 2 * L) * (2 + 3 / 2 * L) * (u * u))) by ring.
  apply Rle_trans with (A * A * ((C * t1 + w1) * (C * t1 + w1) + (S * t2 + w2) * (S * t2 + w2))); [right; ring|].
  apply Rmult_le_compat_l; [nra|exact HT].
Qed.

(** L = 2, binary32:  within 5 u A *)
Theorem magnitude_rounded A C S u a e1 e2 dc ds : 0 <= A -> u <= 1 / 256 -> C * C + S * S = 1 ->
  Rabs a <= u -> Rabs e1 <= u -> Rabs e2 <= u -> Rabs dc <= 2 * u -> Rabs ds <= 2 * u ->
  let c := A * (1 + a) * (C + dc) * (1 + e1) in
  let s := A * (1 + a) * (S + ds) * (1 + e2) in
  sqrt ((c - A * C) * (c - A * C) + (s - A * S) * (s - A * S)) <= 5 * u * A.
Proof. intros. replace 5 with (2 + 3 / 2 * 2) by lra. apply magnitude_of_libm; auto; lra. Qed.

(** L = 4, binary64:  within 8 u A *)
Theorem magnitude_rounded_double A C S u a e1 e2 dc ds : 0 <= A -> u <= 1 / 256 -> C * C + S * S = 1 ->
  Rabs a <= u -> Rabs e1 <= u -> Rabs e2 <= u -> Rabs dc <= 4 * u -> Rabs ds <= 4 * u ->
  let c := A * (1 + a) * (C + dc) * (1 + e1) in
  let s := A * (1 + a) * (S + ds) * (1 + e2) in
  sqrt ((c - A * C) * (c - A * C) + (s - A * S) * (s - A * S)) <= 8 * u * A.
Proof. intros. replace 8 with (2 + 3 / 2 * 4) by lra. apply magnitude_of_libm; auto; lra. Qed.

(** * The determinant *)

(** Two columns of length A, each off by at most A e:  det is off by at most  A^2 (2 e + e^2) *)
Theorem determinant_off A e a1 a2 b1 b2 x1 x2 y1 y2 :
  sqrt (a1 * a1 + a2 * a2) <= A -> sqrt (b1 * b1 + b2 * b2) <= A ->
  sqrt (x1 * x1 + x2 * x2) <= A * e -> sqrt (y1 * y1 + y2 * y2) <= A * e ->
  Rabs (((a1 + x1) * (b2 + y2) - (a2 + x2) * (b1 + y1)) - (a1 * b2 - a2 * b1)) <= A * A * (2 * e + e * e).
Proof.
  intros Ha Hb Hx Hy.
  (* |det(p, q)| <= |p| |q| *)
  assert (hadamard : forall p1 p2 q1 q2 P Q, sqrt (p1 * p1 + p2 * p2) <= P -> sqrt (q1 * q1 + q2 * q2) <= Q ->
    Rabs (p1 * q2 - p2 * q1) <= P * Q).
  { intros p1 p2 q1 q2 P Q HP HQ. unfold Rminus. apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rabs_Ropp.
    apply Rle_trans with (1 := schwarz p1 p2 q2 q1). rewrite (Rplus_comm (q2 * q2)).
    apply Rmult_le_compat; auto using sqrt_pos. }
  replace (_ - (a1 * b2 - a2 * b1)) with
    ((a1 * y2 - a2 * y1) + ((x1 * b2 - x2 * b1) + (x1 * y2 - x2 * y1))) by ring.
  replace (A * A * (2 * e + e * e)) with (A * (A * e) + (A * e * A + A * e * (A * e))) by ring.
  repeat apply Rabs_plus_le; apply hadamard; assumption.
Qed.

(** * An exponent *)

(** b^(e (1 + d)) = b^e exp(x d) with x = e ln b:  off by x |d| relatively, but for 2^-17 of it *)
Theorem exponent_rounded x d : 0 <= x <= 31 -> Rabs d <= 4 / 2 ^ 24 ->
  Rabs (exp (x * d) - 1) <= x * Rabs d * (1 + 1 / 2 ^ 17).
Proof.
  intros [Hx0 Hx] Hd. destruct (MVT_abs exp exp 0 (x * d) (fun c _ => derivable_pt_lim_exp c)) as [c [E Hc]].
  rewrite exp_0, Rminus_0_r in E. rewrite E, Rabs_mult, (Rabs_pos_eq x), Rmult_comm by exact Hx0.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; [exact Hx0|apply Rabs_pos]|].
  assert (Hxd : Rabs (x * d) <= 31 * (4 / 2 ^ 24)).
  { apply Rabs_mult_le; [rewrite Rabs_pos_eq|]; assumption. }
  apply within in Hxd. assert (Hcb : - (31 * (4 / 2 ^ 24)) <= c <= 31 * (4 / 2 ^ 24)).
  { unfold Rmin, Rmax in Hc. destruct (Rle_dec 0 (x * d)); lra. }
  rewrite Rabs_pos_eq by (left; apply exp_pos). interval.
Qed.
