(** The rotation of a pair in binary64 with FMA, for any real angle, as a theorem about Flocq's rounding:
    the bound of rotation64.gappa inside Coq.                                                        *)

Require Import Reals.
From Flocq Require Import Core.
From Gappa Require Import Gappa_tactic.
Open Scope R_scope.

Notation rnd := (round radix2 (FLT_exp (-1074) 53) ZnearestE).

(** |x| <= 1, |y| <= 1  ->  |rnd(x rnd(cos a) - rnd(y rnd(sin a))) - (x cos a - y sin a)| <= 2.5 * 2^-53 *)
Theorem rot64_fma_angle (a x y : R) : Rabs x <= 1 -> Rabs y <= 1 ->
  Rabs (rnd (x * rnd (cos a) - rnd (y * rnd (sin a))) - (x * cos a - y * sin a)) <= 5 / 18014398509481984.
Proof.
  assert (Hc : Rabs (cos a) <= 1) by apply Rabs_le, COS_bound.
  assert (Hs : Rabs (sin a) <= 1) by apply Rabs_le, SIN_bound.
  revert Hc Hs. generalize (cos a) (sin a). intros c s Hc Hs Hx Hy. gappa.
Qed.
