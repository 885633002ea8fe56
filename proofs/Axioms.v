(** What the theorems rest on. check.sh compares the answers with axioms.expected, and fails when a theorem of theory/
    is missing here. One question for many theorems: each costs seconds.                                         *)

From RopeProofs Require Import Rotation Rope Efficient Decay Limits Linear Uniqueness PiIrrational Aliasing Interpolation Schemes.

(** These use the construction of the real numbers, nothing else. *)
Definition constructed :=
  (Rotation.rot_0, Rotation.rot_add, Rotation.rot_transpose_mul, Rotation.rot_orthogonal, Rotation.rot_det,
   Rotation.dot2_rot, Rotation.rot_norm, Rotation.rot_relative, Rotation.rot_linear,
   Rotation.rot_characteristic, Rope.score_relative, Rope.score_shift,
   Rope.rope_isometry, Rope.rope_compose, Rope.score_trig, Rope.attn_shift, Rope.sigma_inverse,
   Rope.layouts_conjugate, Rope.layouts_same_score, Rope.layouts_differ, Efficient.efficient_form,
   Efficient.efficient_is_interleaved, Efficient.interleaved_is_rope, Decay.abel, Decay.abel_bound,
   Decay.score_complex, Decay.rope_decay_bound, Decay.B_upper, Decay.B_lower, Limits.pe_dot_relative,
   Limits.sinusoidal_not_shift_invariant, Limits.score_max_at_any_distance, Limits.cauchy_schwarz,
   Limits.score_bound, Limits.no_decay_fixed, Linear.num_relative, Linear.linear_attention_shift,
   Linear.den_pos, Uniqueness.phase_affine, Uniqueness.reflection_is_relative,
   Uniqueness.position_interpolation, Aliasing.rot_eq_iff, Aliasing.injective_1_iff, Aliasing.alias_exists,
   Aliasing.lagrange, Schemes.shift_invariant_iff, Schemes.t5_relative, Schemes.alibi_relative,
   Schemes.shaw_relative, Schemes.txl_relative, Schemes.shaw_clip, Schemes.additive_terms,
   Schemes.additive_not_relative, Schemes.txl_factors, Schemes.signed_alibi_factors).

(** These use pi, acos or integrals, and with them the excluded middle. *)
Definition classical :=
  (Limits.sinusoidal_1, Linear.linear_weight_negative, Uniqueness.rope_unique, Uniqueness.ntk_aware,
   PiIrrational.PI_irrational, Aliasing.no_alias_rational, Aliasing.no_alias_1, Aliasing.PI_bounds,
   Aliasing.alias_710_gap, Aliasing.cos_710_max, Interpolation.interpolation_bound,
   Interpolation.interpolation_bound_geometric, Interpolation.printed_bound_false).

Print Assumptions constructed.
Print Assumptions classical.
