(** Rotations of the plane: the group law, orthogonality, and the one identity that RoPE rests on.

    <x, y>    = dot2 x y          |x|^2 = norm2 x
    R(a)      = Rot a             [RoFormer eq. 13]
    A x, A B  = act A x, mul A B  A^T = tr A          *)

Require Import Reals Lra.
Open Scope R_scope.

Definition vec := (R * R)%type.
Definition dot2 (x y : vec) : R := fst x * fst y + snd x * snd y.
Definition norm2 (x : vec) : R := dot2 x x.

Record mat := Mat { m11 : R; m12 : R; m21 : R; m22 : R }.
Definition one : mat := Mat 1 0 0 1.
Definition tr (A : mat) : mat := Mat (m11 A) (m21 A) (m12 A) (m22 A).
Definition det (A : mat) : R := m11 A * m22 A - m12 A * m21 A.
Definition mul (A B : mat) : mat :=
  Mat (m11 A * m11 B + m12 A * m21 B) (m11 A * m12 B + m12 A * m22 B)
      (m21 A * m11 B + m22 A * m21 B) (m21 A * m12 B + m22 A * m22 B).
Definition act (A : mat) (x : vec) : vec :=
  (m11 A * fst x + m12 A * snd x, m21 A * fst x + m22 A * snd x).

Definition Rot (a : R) : mat := Mat (cos a) (- sin a) (sin a) (cos a).

(** Two matrices are equal when their four entries are. *)
Ltac entries := unfold Rot, tr, mul, one; simpl; f_equal.

(** R(0) = I *)
Theorem rot_0 : Rot 0 = one.
Proof. unfold Rot. rewrite cos_0, sin_0, Ropp_0. reflexivity. Qed.

(** R(a) R(b) = R(a + b) *)
Theorem rot_add a b : mul (Rot a) (Rot b) = Rot (a + b).
Proof. entries; rewrite ?cos_plus, ?sin_plus; ring. Qed.

(** R(a)^T R(b) = R(b - a): where the two positions become one distance. *)
Theorem rot_transpose_mul a b : mul (tr (Rot a)) (Rot b) = Rot (b - a).
Proof. entries; rewrite ?cos_minus, ?sin_minus; ring. Qed.

(** R(a)^T R(a) = I *)
Theorem rot_orthogonal a : mul (tr (Rot a)) (Rot a) = one.
Proof. rewrite rot_transpose_mul, Rminus_diag_eq by reflexivity. apply rot_0. Qed.

(** cos^2 a + sin^2 a = 1, in the form that the proofs use *)
Lemma circle a : cos a * cos a + sin a * sin a = 1.
Proof. rewrite Rplus_comm. exact (sin2_cos2 a). Qed.

(** det R(a) = 1 *)
Theorem rot_det a : det (Rot a) = 1.
Proof. unfold det; simpl. rewrite <- (circle a). ring. Qed.

(** A (B x) = (A B) x *)
Lemma act_mul A B x : act A (act B x) = act (mul A B) x.
Proof. unfold act; simpl. f_equal; ring. Qed.

(** <A x, B y> = <x, A^T B y> *)
Lemma dot2_adjoint A B x y : dot2 (act A x) (act B y) = dot2 x (act (mul (tr A) B) y).
Proof. unfold dot2; simpl. ring. Qed.

(** <R(a) q, R(b) k> = <q, R(b - a) k> *)
Theorem dot2_rot a b q k : dot2 (act (Rot a) q) (act (Rot b) k) = dot2 q (act (Rot (b - a)) k).
Proof. rewrite dot2_adjoint, rot_transpose_mul. reflexivity. Qed.

(** |R(a) x|^2 = |x|^2 *)
Theorem rot_norm a x : norm2 (act (Rot a) x) = norm2 x.
Proof.
  unfold norm2. rewrite dot2_adjoint, rot_orthogonal. unfold dot2; simpl. ring.
Qed.

(** <R(m t) q, R(n t) k> = <q, R((n - m) t) k> for integer positions m, n  [RoFormer eq. 12] *)
Theorem rot_relative (t : R) (m n : Z) q k :
  dot2 (act (Rot (IZR m * t)) q) (act (Rot (IZR n * t)) k) = dot2 q (act (Rot (IZR (n - m) * t)) k).
Proof.
  rewrite dot2_rot, minus_IZR. replace (IZR n * t - IZR m * t) with ((IZR n - IZR m) * t) by ring.
  reflexivity.
Qed.

(** R(a) (s x + t y) = s R(a) x + t R(a) y: the same matrix for every vector *)
Theorem rot_linear a s t x y :
  act (Rot a) (s * fst x + t * fst y, s * snd x + t * snd y)
  = (s * fst (act (Rot a) x) + t * fst (act (Rot a) y), s * snd (act (Rot a) x) + t * snd (act (Rot a) y)).
Proof. unfold act; simpl. f_equal; ring. Qed.

(** det(R(a) - z I) = (z - cos a)^2 + sin^2 a: the eigenvalues are cos a + i sin a and cos a - i sin a *)
Theorem rot_characteristic a z :
  det (Mat (cos a - z) (- sin a) (sin a) (cos a - z)) = (z - cos a) * (z - cos a) + sin a * sin a.
Proof. unfold det; simpl. ring. Qed.
