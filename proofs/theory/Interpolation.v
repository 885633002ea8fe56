(** Position interpolation: the bound on scores between two trained positions, corrected.

    Theorem 2.1 of the paper bounds |a(s) - a_lin(s)| by d H (s - s1)(s2 - s) / (8 ln c), where H = max |h_j|.
    Its proof uses c^x <= 1 + x ln c; convexity gives >=. The correct constant is H sum_j theta_j^2 / 2, and for
    theta_j = c^(-2j/d) at most H / (2 (1 - c^(-4/d))).     [Chen et al. 2023, arXiv 2306.15595, eqs. 5-17] *)

Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From RopeProofs Require Import Rotation Rope Uniqueness.
Open Scope R_scope.

(** The chord from (x, f x) to (y, f y), at s *)
Definition chord (f : R -> R) (x y s : R) : R := f x * ((y - s) / (y - x)) + f y * ((s - x) / (y - x)).

(** f'' <= 0 and f(x) = f(y) = 0  ->  f(s) >= 0 between *)
Lemma concave_above (f f' f'' : R -> R) x y s :
  (forall t, is_derive f t (f' t)) -> (forall t, is_derive f' t (f'' t)) ->
  (forall t, f'' t <= 0) -> f x = 0 -> f y = 0 -> x < s < y -> 0 <= f s.
Proof.
  intros H1 H2 Hneg Hx Hy [Hxs Hsy].
  destruct (MVT_cor2 f f' x s Hxs) as [u [Eu [Hu1 Hu2]]]; [intros; apply is_derive_Reals; auto|].
  destruct (MVT_cor2 f f' s y Hsy) as [v [Ev [Hv1 Hv2]]]; [intros; apply is_derive_Reals; auto|].
  destruct (MVT_cor2 f' f'' u v) as [w [Ew _]]; [lra|intros; apply is_derive_Reals; auto|].
  specialize (Hneg w). apply Rnot_lt_le. intro Hs.
  assert (f' u < 0) by nra. assert (0 < f' v) by nra. assert (f'' w * (v - u) <= 0) by nra. lra.
Qed.

(** One pair: a cos(t theta) + b sin(t theta), |(a, b)| <= H *)
Definition wave (z : vec) (theta t : R) : R := fst z * cos (t * theta) + snd z * sin (t * theta).

Lemma wave_bound z theta t H : 0 <= H -> norm2 z <= H * H -> Rabs (wave z theta t) <= H.
Proof.
  intros HH Hz. rewrite <- (Rabs_right H) by lra. apply Rsqr_le_abs_0. unfold Rsqr.
  apply Rle_trans with (2 := Hz). unfold norm2, dot2, wave.
  pose proof (circle (t * theta)) as C. set (c := cos _) in *. set (s := sin _) in *.
  pose proof (Rle_0_sqr (fst z * s - snd z * c)) as S. unfold Rsqr in S.
  replace (fst z * fst z + snd z * snd z) with ((fst z * fst z + snd z * snd z) * (c * c + s * s)) by (rewrite C; ring).
  lra.
Qed.

(** |f(s) - chord(s)| <= H theta^2 (s - x)(y - s) / 2 for one pair f *)
Lemma wave_interpolation z theta H x y s : 0 <= H -> norm2 z <= H * H -> x < s < y ->
  Rabs (wave z theta s - chord (wave z theta) x y s) <= H * ((s - x) * (y - s) / 2) * (theta * theta).
Proof.
  intros HH Hz Hs. set (M := H * (theta * theta)).
  (* for e = +1 and -1, M (t - x)(y - t) / 2 - e (f - chord) is concave and vanishes at both ends *)
  assert (side : forall e, Rabs e = 1 ->
    0 <= M / 2 * ((s - x) * (y - s)) - e * (wave z theta s - chord (wave z theta) x y s)).
  { intros e He. unfold chord. set (fx := wave z theta x). set (fy := wave z theta y).
    apply (concave_above
      (fun t => M / 2 * ((t - x) * (y - t)) - e * (wave z theta t - (fx * ((y - t) / (y - x)) + fy * ((t - x) / (y - x)))))
      (fun t => M / 2 * ((y - t) - (t - x)) - e * (wave (snd z, - fst z) theta t * theta - (fy - fx) / (y - x)))
      (fun t => - M + e * (wave z theta t * (theta * theta))) x y s).
    - intro t. unfold wave. auto_derive; [exact I|]. simpl. field. lra.
    - intro t. unfold wave. auto_derive; [exact I|]. simpl. field.
    - intro t. assert (e * wave z theta t <= H).
      { apply Rle_trans with (1 := Rle_abs _). rewrite Rabs_mult, He, Rmult_1_l. apply wave_bound; assumption. }
      assert (0 <= (H - e * wave z theta t) * (theta * theta)) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
      unfold M. lra.
    - unfold fx, fy. field. lra.
    - unfold fx, fy. field. lra.
    - exact Hs. }
  assert (H1 := side 1 ltac:(apply Rabs_R1)).
  assert (H2 := side (-1) ltac:(rewrite Rabs_left; lra)). unfold M in *. apply Rabs_le. lra.
Qed.

(** * The bound *)

(** a(t) = sum_j Re(h_j e^{i t theta_j}), h_j = fst - i snd *)
Definition a (h : nat) (th : nat -> R) (z : vector) (t : R) : R := Sum h (fun j => wave (z j) (th j) t).

Lemma chord_Sum h th z x y s : chord (a h th z) x y s = Sum h (fun j => chord (wave (z j) (th j)) x y s).
Proof.
  unfold a, chord. induction h as [|h IH]; simpl; [|rewrite <- IH]; ring.
Qed.

(** |h_j| <= H for all j  ->  |a(s) - a_lin(s)| <= H (s - s1)(s2 - s) / 2 * sum_j theta_j^2 *)
Theorem interpolation_bound h th z H s1 s2 s : 0 <= H -> (forall j, norm2 (z j) <= H * H) -> s1 < s < s2 ->
  Rabs (a h th z s - chord (a h th z) s1 s2 s)
  <= H * ((s - s1) * (s2 - s) / 2) * Sum h (fun j => th j * th j).
Proof.
  intros HH Hz Hs. rewrite chord_Sum, <- Sum_scal. unfold a. induction h as [|h IH]; simpl.
  - rewrite Rminus_0_r, Rabs_R0. lra.
  - pose proof (wave_interpolation (z h) (th h) H s1 s2 s HH (Hz h) Hs) as Hw.
    match goal with |- Rabs (?A + ?B - (?C + ?D)) <= _ => replace (A + B - (C + D)) with ((A - C) + (B - D)) by ring end.
    apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat; assumption.
Qed.

(** sum_j c^(-4j/d) <= 1 / (1 - c^(-4/d)) for c > 1 *)
Lemma theta_squares c d h : 1 < c -> 0 < d ->
  Sum h (fun j => theta c d j * theta c d j) <= / (1 - Rpower c (- (4 / d))).
Proof.
  intros Hc Hd. set (rho := Rpower c (- (4 / d))).
  assert (Hr : 0 < rho < 1).
  { split; [apply exp_pos|]. unfold rho. rewrite <- (Rpower_O c) by lra. apply Rpower_lt; [lra|].
    assert (0 < 4 / d) by (apply Rdiv_lt_0_compat; lra). lra. }
  assert (E : forall j, theta c d j * theta c d j = rho ^ j).
  { intro j. unfold theta, rho. rewrite <- Rpower_plus, <- Rpower_pow, Rpower_mult by apply exp_pos. f_equal. field. lra. }
  assert (G : (1 - rho) * Sum h (fun j => theta c d j * theta c d j) = 1 - rho ^ h).
  { induction h as [|h IH]; simpl; [ring|]. rewrite Rmult_plus_distr_l, IH, E. ring. }
  apply (Rmult_le_reg_l (1 - rho)); [lra|]. rewrite G, Rinv_r by lra.
  assert (0 < rho ^ h) by (apply pow_lt; lra). lra.
Qed.

(** |a(s) - a_lin(s)| <= H (s - s1)(s2 - s) / (2 (1 - c^(-4/d))) *)
Theorem interpolation_bound_geometric c d h z H s1 s2 s : 1 < c -> 0 < d -> 0 <= H ->
  (forall j, norm2 (z j) <= H * H) -> s1 < s < s2 ->
  Rabs (a h (theta c d) z s - chord (a h (theta c d) z) s1 s2 s)
  <= H * ((s - s1) * (s2 - s)) / (2 * (1 - Rpower c (- (4 / d)))).
Proof.
  intros Hc Hd HH Hz Hs. apply Rle_trans with (1 := interpolation_bound h (theta c d) z H s1 s2 s HH Hz Hs).
  pose proof (theta_squares c d h Hc Hd) as HT.
  assert (0 <= H * ((s - s1) * (s2 - s) / 2)) by (apply Rmult_le_pos; [assumption|nra]).
  apply Rle_trans with (H * ((s - s1) * (s2 - s) / 2) * / (1 - Rpower c (- (4 / d)))).
  - apply Rmult_le_compat_l; assumption.
  - unfold Rdiv. rewrite Rinv_mult. apply Req_le. ring.
Qed.

(** * The printed bound is false *)

(** 1/2 <= cos(1/2) <= 0.924, from pi/8 <= 1/2 <= pi/3 *)
Lemma cos_half : 1 / 2 <= cos (1 / 2) <= 924 / 1000.
Proof.
  pose proof PI_4. pose proof PI2_1. split.
  - apply Rle_trans with (cos (PI / 3)); [rewrite cos_PI3; lra|apply cos_decr_1; lra].
  - apply Rle_trans with (cos (PI / 8)); [apply cos_decr_1; lra|].
    assert (H8 : 2 * cos (PI / 8) * cos (PI / 8) - 1 = / sqrt 2).
    { rewrite <- cos_2a_cos. replace (2 * (PI / 8)) with (PI / 4) by field. rewrite cos_PI4. field. apply sqrt2_neq_0. }
    assert (0 < sqrt 2) by apply Rlt_sqrt2_0. assert (H2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
    assert (/ sqrt 2 <= 7074 / 10000).
    { apply (Rmult_le_reg_l (sqrt 2)); [assumption|]. rewrite Rinv_r by lra.
      apply Rnot_lt_le. intro. assert (sqrt 2 < 1414 / 1000) by lra. nra. }
    apply Rnot_lt_le. intro. nra.
Qed.

(** d = 2, c = 10000, h_0 = 1, between positions 0 and 1:  a(1/2) is further from the chord than
    d H (1/2)(1/2) / (8 ln c). (For d = 128, the paper's own width, see numeric/Interpolation128.v.) *)
Theorem printed_bound_false :
  2 * (1 / 2 * (1 / 2)) / (8 * ln 10000)
  < Rabs (a 1 (theta 10000 2) (fun _ => (1, 0)) (1 / 2) - chord (a 1 (theta 10000 2) (fun _ => (1, 0))) 0 1 (1 / 2)).
Proof.
  unfold a, chord, wave, Sum, theta. cbn [fst snd INR]. replace (- (2 * 0 / 2)) with 0 by field.
  rewrite Rpower_O by lra. rewrite !Rmult_1_r, cos_0. replace (cos 1) with (cos (2 * (1 / 2))) by (f_equal; field).
  rewrite cos_2a_cos. pose proof cos_half. set (x := cos (1 / 2)) in *.
  assert (Hln : 1 < ln 10000).
  { rewrite <- (ln_exp 1). apply ln_increasing; [apply exp_pos|]. pose proof exp_le_3. lra. }
  apply Rlt_le_trans with (1 / 16).
  - apply (Rmult_lt_reg_r (8 * ln 10000)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rle_trans with (2 := Rle_abs _). rewrite ?Rmult_0_l, ?Rplus_0_l. nra.
Qed.
