(** Position interpolation's Theorem 2.1 fails for its own width and base, d = 128, c = 10000, with h_j = 1,
    half-way between two positions: the chord misses by 0.459, the printed bound is 0.434.   *)

Require Import Reals Lra ZArith.
From Interval Require Import Tactic.
From RopeProofs Require Import Rotation Rope Uniqueness Interpolation.
Open Scope R_scope.

(** One pair's cos(t/2) - (1 + cos t)/2, in terms of x = cos(t/2) *)
Definition miss (t : R) : R := cos (t / 2) * (1 - cos (t / 2)).

(** d H (1/2)(1/2) / (8 ln c)  <  |a(1/2) - chord(1/2)| *)
Theorem printed_bound_false_128 :
  128 * (1 / 2 * (1 / 2)) / (8 * ln 10000)
  < Rabs (a 64 (theta 10000 128) (fun _ => (1, 0)) (1 / 2)
          - chord (a 64 (theta 10000 128) (fun _ => (1, 0))) 0 1 (1 / 2)).
Proof.
  apply Rlt_le_trans with (459 / 1000); [interval|].
  rewrite chord_Sum. unfold a.
  assert (E : forall h, Sum h (fun j => wave (1, 0) (theta 10000 128 j) (1 / 2))
    - Sum h (fun j => chord (wave (1, 0) (theta 10000 128 j)) 0 1 (1 / 2))
    = Sum h (fun j => miss (exp (- (2 * IZR (Z.of_nat j) / 128) * ln 10000)))).
  { induction h as [|h IH]; [simpl; ring|]. cbn [Sum]. rewrite <- IH. unfold wave, chord. cbn [fst snd].
    rewrite <- INR_IZR_INZ. change (exp (- (2 * INR h / 128) * ln 10000)) with (theta 10000 128 h).
    set (t := theta 10000 128 h). unfold miss. replace (1 * t) with (2 * (t / 2)) by field. rewrite cos_2a_cos.
    rewrite !Rmult_0_l, cos_0. replace (1 / 2 * t) with (t / 2) by field. field. }
  rewrite E. cbv [Sum miss Z.of_nat Pos.of_succ_nat Pos.succ]. interval.
Qed.
