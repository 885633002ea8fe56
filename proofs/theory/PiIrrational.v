(** pi is irrational.   (Optional reading: only Aliasing.v uses the result.)

    J_n = int_0^pi (x (pi - x))^n sin x dx satisfies a recurrence with integer coefficients in n and pi^2.
    If pi = p/q, then K_n = q^n J_n / n! is an integer for every n; but K_n > 0 and K_n -> 0.            *)

Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition g (x : R) : R := x * (PI - x).
Definition f (n : nat) (x : R) : R := g x ^ n * sin x.
Definition J (n : nat) : R := RInt (f n) 0 PI.

Lemma ex_J n : ex_RInt (f n) 0 PI.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _.
  apply (ex_derive_continuous (f n)). unfold f, g. auto_derive. exact I.
Qed.

Lemma J_correct n : is_RInt (f n) 0 PI (J n).
Proof. exact (RInt_correct (V := R_CompleteNormedModule) _ _ _ (ex_J n)). Qed.

(** If F' = a f_i + b f_j + c f_k on the line and F(0) = F(pi), then a J_i + b J_j + c J_k = 0. *)
Lemma by_parts (F : R -> R) (i j k : nat) (a b c : R) :
  (forall x, is_derive F x (a * f i x + b * f j x + c * f k x)) -> F 0 = F PI ->
  a * J i + b * J j + c * J k = 0.
Proof.
  intros HF H0.
  assert (HI : forall m u, is_RInt (fun x => u * f m x) 0 PI (u * J m)).
  { intros m u. exact (is_RInt_scal (V := R_NormedModule) (f m) 0 PI u (J m) (J_correct m)). }
  assert (H1 : is_RInt (fun x => a * f i x + b * f j x + c * f k x) 0 PI (a * J i + b * J j + c * J k)).
  { apply (is_RInt_plus (V := R_NormedModule) (fun x => a * f i x + b * f j x) (fun x => c * f k x)); auto.
    apply (is_RInt_plus (V := R_NormedModule) (fun x => a * f i x) (fun x => b * f j x)); auto. }
  assert (H2 : is_RInt (fun x => a * f i x + b * f j x + c * f k x) 0 PI (F PI - F 0)).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) F); auto. intros x _.
    apply (ex_derive_continuous (fun x => a * f i x + b * f j x + c * f k x)).
    unfold f, g. auto_derive. exact I. }
  rewrite <- (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ H1).
  rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ H2). lra.
Qed.

Ltac ends := unfold f, g; rewrite ?sin_0, ?cos_0, ?sin_PI, ?cos_PI; simpl; ring.

(** J_0 = 2 *)
Lemma J_0 : J 0 = 2.
Proof.
  assert (H : is_RInt (f 0) 0 PI (- cos PI - - cos 0)).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - cos x)); intros x _.
    - unfold f. auto_derive; [exact I|]. simpl. ring.
    - apply (ex_derive_continuous (f 0)). unfold f, g. auto_derive. exact I. }
  unfold J. rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ H), cos_PI, cos_0. ring.
Qed.

(** J_1 = 2 J_0: integrate by parts twice, F = - g cos + g' sin *)
Lemma J_1 : J 1 = 4.
Proof.
  assert (H : 1 * J 1 + (-2) * J 0 + 0 * J 0 = 0).
  { apply (by_parts (fun x => - g x * cos x + (PI - 2 * x) * sin x)).
    - intro x. unfold f, g. auto_derive; [exact I|]. simpl. ring.
    - ends. }
  rewrite J_0 in H. lra.
Qed.

(** J_{n+2} = 2 (n+2)(2n+3) J_{n+1} - (n+2)(n+1) pi^2 J_n, with F = - g^{n+2} cos + (g^{n+2})' sin *)
Lemma J_step n :
  J (S (S n)) = 2 * (INR n + 2) * (2 * INR n + 3) * J (S n) - (INR n + 2) * (INR n + 1) * PI ^ 2 * J n.
Proof.
  assert (H : 1 * J (S (S n)) + - (2 * (INR n + 2) * (2 * INR n + 3)) * J (S n)
              + ((INR n + 2) * (INR n + 1) * PI ^ 2) * J n = 0).
  { apply (by_parts (fun x => - g x ^ S (S n) * cos x
                              + (INR n + 2) * g x ^ S n * (PI - 2 * x) * sin x)).
    - intro x. unfold f, g. auto_derive; [exact I|].
      change (match n with O => 1 | S _ => INR n + 1 end) with (INR (S n)). rewrite !S_INR. simpl. unfold Rminus. ring.
    - ends. }
  lra.
Qed.

(** J_n > 0 *)
Lemma J_pos n : 0 < J n.
Proof.
  apply RInt_gt_0; [exact PI_RGT_0| |].
  - intros x [Hl Hr]. apply Rmult_lt_0_compat; [apply pow_lt, Rmult_lt_0_compat; lra|apply sin_gt_0; assumption].
  - intros x _. apply (ex_derive_continuous (f n)). unfold f, g. auto_derive. exact I.
Qed.

(** J_n <= pi (pi^2)^n *)
Lemma J_le n : J n <= PI * (PI ^ 2) ^ n.
Proof.
  assert (H : RInt (fun _ => (PI ^ 2) ^ n) 0 PI = PI * (PI ^ 2) ^ n).
  { rewrite RInt_const. unfold scal; simpl. unfold mult; simpl. ring. }
  rewrite <- H. pose proof PI_RGT_0.
  apply RInt_le; [lra|apply ex_J|apply ex_RInt_const|]. intros x [Hl Hr].
  assert (0 <= g x <= PI ^ 2) by (unfold g; simpl; nra).
  assert (0 <= g x ^ n) by (apply pow_le; lra). assert (g x ^ n <= (PI ^ 2) ^ n) by (apply pow_incr; lra).
  pose proof (SIN_bound x). unfold f. nra.
Qed.

Section Contradiction.
Variables p q : Z.
Hypotheses (Hq : (0 < q)%Z) (Hp : PI * IZR q = IZR p).

Definition K (n : nat) : R := IZR q ^ n * J n / INR (fact n).

(** K_{n+2} = 2 (2n+3) q K_{n+1} - p^2 K_n *)
Lemma K_step n : K (S (S n)) = 2 * (2 * INR n + 3) * IZR q * K (S n) - IZR p ^ 2 * K n.
Proof.
  unfold K. rewrite J_step, <- Hp, !fact_simpl, !mult_INR, !S_INR. cbn [pow].
  pose proof (INR_fact_neq_0 n). pose proof (pos_INR n). field. repeat split; lra.
Qed.

Lemma K_integer n : (exists a, K n = IZR a) /\ (exists b, K (S n) = IZR b).
Proof.
  induction n as [|n [[a Ha] [b Hb]]].
  - split; [exists 2%Z|exists (4 * q)%Z]; unfold K; rewrite ?J_0, ?J_1, ?mult_IZR; simpl; field.
  - split; [exists b; exact Hb|]. exists (2 * (2 * Z.of_nat n + 3) * q * b - p * p * a)%Z.
    rewrite K_step, Ha, Hb, INR_IZR_INZ, minus_IZR, !mult_IZR, plus_IZR, mult_IZR. ring.
Qed.

(** K_n < 1 for some n, since K_n <= pi (q pi^2)^n / n! *)
Lemma K_small : exists n, K n < 1.
Proof.
  pose proof PI_RGT_0 as HP. assert (HQ : 0 < IZR q) by (apply IZR_lt; exact Hq).
  destruct (cv_speed_pow_fact (IZR q * PI ^ 2) (/ PI)) as [N HN]; [apply Rinv_0_lt_compat; exact HP|].
  specialize (HN N (le_n N)). unfold R_dist in HN. rewrite Rminus_0_r in HN.
  apply (Rle_lt_trans _ _ _ (Rle_abs _)), (Rmult_lt_compat_l PI _ _ HP) in HN.
  rewrite Rinv_r, Rpow_mult_distr in HN by lra. exists N. apply Rle_lt_trans with (2 := HN).
  pose proof (INR_fact_lt_0 N) as HF. apply Rinv_0_lt_compat in HF. pose proof (J_le N).
  unfold K, Rdiv. apply Rle_trans with (IZR q ^ N * (PI * (PI ^ 2) ^ N) * / INR (fact N)); [|apply Req_le; ring].
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [apply pow_le; lra|assumption].
Qed.

Lemma absurd : False.
Proof.
  destruct K_small as [n Hn]. destruct (K_integer n) as [[a Ha] _].
  assert (H : 0 < K n).
  { unfold K. apply Rdiv_lt_0_compat; [|apply INR_fact_lt_0].
    apply Rmult_lt_0_compat; [apply pow_lt, IZR_lt; exact Hq|apply J_pos]. }
  rewrite Ha in H, Hn. apply lt_IZR in H, Hn. lia.
Qed.

End Contradiction.

(** 0 < q  ->  pi q <> p, for integers p and q *)
Theorem PI_irrational (p q : Z) : (0 < q)%Z -> PI * IZR q <> IZR p.
Proof. exact (absurd p q). Qed.
