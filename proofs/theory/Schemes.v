(** Other position schemes: which scores are relative, and which factor as linear attention needs.

    x, y, ...  vectors of h pairs;  m, n  integer positions of query and key.                     *)

Require Import Reals Lra Lia ZArith.
From RopeProofs Require Import Rotation Rope Limits.
Open Scope R_scope.

Definition add (x y : vector) : vector := fun i => plus2 (x i) (y i).

Lemma dotp_add_l h x y z : dotp h (add x y) z = dotp h x z + dotp h y z.
Proof. unfold dotp. rewrite <- Sum_add. apply Sum_ext. intros. unfold add, plus2, dot2; simpl. ring. Qed.

Lemma dotp_sym h x y : dotp h x y = dotp h y x.
Proof. apply Sum_ext. intros. unfold dot2. ring. Qed.

(** * Relative scores *)

Definition shift_invariant (s : Z -> Z -> R) : Prop := forall m n t, s (m + t)%Z (n + t)%Z = s m n.

(** s is shift invariant  <->  s(m, n) = g(n - m) for some g           [RoFormer eq. 11] *)
Theorem shift_invariant_iff s : shift_invariant s <-> exists g, forall m n, s m n = g (n - m)%Z.
Proof.
  split.
  - intro H. exists (s 0%Z). intros m n. rewrite <- (H 0%Z (n - m)%Z m). f_equal; lia.
  - intros [g H] m n t. rewrite !H. f_equal. lia.
Qed.

Section Schemes.
Variables (h : nat) (q k : vector).

Definition t5 (b : Z -> R) (m n : Z) : R := dotp h q k + b (n - m)%Z.                (* b after bucketing *)
Definition alibi (slope : R) (m n : Z) : R := dotp h q k - slope * IZR (Z.abs (m - n)).
Definition clip (c r : Z) : Z := Z.max (- c) (Z.min c r).
Definition shaw (a : Z -> vector) (c m n : Z) : R := dotp h q (add k (a (clip c (n - m)%Z))).
(** Transformer-XL, r = W p: q.k + q.r(m - n) + u.k + v.r(m - n) *)
Definition txl (r : Z -> vector) (u v : vector) (m n : Z) : R :=
  dotp h q k + dotp h q (r (m - n)%Z) + dotp h u k + dotp h v (r (m - n)%Z).
Definition additive (p : Z -> vector) (m n : Z) : R := dotp h (add q (p m)) (add k (p n)).

Ltac by_distance := intros m n t; unfold t5, alibi, shaw, txl;
  replace (n + t - (m + t))%Z with (n - m)%Z by lia; replace (m + t - (n + t))%Z with (m - n)%Z by lia; reflexivity.

(** T5, ALiBi, Shaw and Transformer-XL scores are shift invariant for every choice of their parameters. *)
Theorem t5_relative b : shift_invariant (t5 b).                     Proof. by_distance. Qed.
Theorem alibi_relative slope : shift_invariant (alibi slope).       Proof. by_distance. Qed.
Theorem shaw_relative a c : shift_invariant (shaw a c).             Proof. by_distance. Qed.
Theorem txl_relative r u v : shift_invariant (txl r u v).           Proof. by_distance. Qed.

(** Shaw's clip forgets: beyond c, distances r and r' cannot be told apart. *)
Theorem shaw_clip a c n n' : (0 <= c)%Z -> (c <= n)%Z -> (c <= n')%Z -> shaw a c 0 n = shaw a c 0 n'.
Proof. intros. unfold shaw, clip. do 3 f_equal. lia. Qed.

End Schemes.

(** * Additive positions *)

(** <q + p_m, k + p_n> = <q, k> + <q, p_n> + <p_m, k> + <p_m, p_n>       [RoFormer eq. 6] *)
Theorem additive_terms h q k p m n :
  additive h q k p m n = dotp h q k + dotp h q (p n) + dotp h (p m) k + dotp h (p m) (p n).
Proof. unfold additive. rewrite dotp_add_l, !(dotp_sym h _ (add k _)), !dotp_add_l, !(dotp_sym h _ q), !(dotp_sym h _ (p m)). ring. Qed.

Definition zero : vector := fun _ => (0, 0).

Lemma dotp_zero h x : dotp h zero x = 0.
Proof.
  unfold dotp. rewrite <- (Rmult_0_l (Sum h (fun _ => 0))), <- Sum_scal. apply Sum_ext.
  intros. unfold dot2, zero; simpl. ring.
Qed.

(** Additive scores are not shift invariant, unless all positions look alike to every z:
    <p_m, z> <> <p_0, z>  ->  s is not shift invariant for the contents (0, z) or (0, 0). *)
Theorem additive_not_relative h p m z : dotp h (p m) z <> dotp h (p 0%Z) z ->
  ~ (shift_invariant (additive h zero z p) /\ shift_invariant (additive h zero zero p)).
Proof.
  intros Hp [H1 H2]. apply Hp. specialize (H1 0%Z 0%Z m). specialize (H2 0%Z 0%Z m).
  rewrite !additive_terms, !dotp_zero, !(dotp_sym h _ zero), !dotp_zero, !Z.add_0_l in *. lra.
Qed.

(** * Scores that factor: s(m, n) = <F(m), G(n)> with a fixed number of features, as linear attention needs *)

(** e_r = (sin r t, cos r t) is bilinear in e_m and e_n:
    <w, e_{m-n}> = <turned(m, w), e_n> *)
Definition turned (t m : R) (w : vec) : vec :=
  (snd w * sin (m * t) - fst w * cos (m * t), fst w * sin (m * t) + snd w * cos (m * t)).

Lemma pe_factors t m n w : dot2 w (pe t (m - n)) = dot2 (turned t m w) (pe t n).
Proof. unfold pe. rewrite Rmult_minus_distr_r, sin_minus, cos_minus. unfold turned, dot2; simpl. ring. Qed.

(** Transformer-XL with sinusoids factors with 2 h pairs, so RoPE is not the only such scheme.
    wq, wv = W^T q, W^T v:  q.W p = wq.p *)
Theorem txl_factors h th q k u wq wv m n :
  let p r i := pe (th i) r in
  dotp h q k + dotp h wq (p (m - n)) + dotp h u k + dotp h wv (p (m - n))
  = dotp h (add q u) k + dotp h (fun i => turned (th i) m (plus2 (wq i) (wv i))) (p n).
Proof.
  intro p. rewrite dotp_add_l. unfold dotp. rewrite <- !Sum_add. apply Sum_ext. intros i _.
  unfold p. rewrite <- pe_factors. unfold plus2, dot2; simpl. ring.
Qed.

(** Signed ALiBi: <q, k> - s (m - n) = <(q; -s m, s), (k; 1, n)> with one more pair *)
Theorem signed_alibi_factors h q k s m n :
  dotp h q k - s * (m - n) = dotp h q k + dot2 (- (s * m), s) (1, n).
Proof. unfold dot2; simpl. ring. Qed.
