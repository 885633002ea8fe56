#!/usr/bin/env python3
"""Writes Table.v: one goal for each correctly rounded entry of a cos/sin table, to be certified by Coq-Interval.

    emit.py > Table.v

The values come from Python's decimal arithmetic at 80 digits (Machin's pi, Taylor's cosine), from no other part of
this project. A wrong value cannot pass: Coq proves each one or refuses it.
"""
from decimal import Decimal, getcontext

getcontext().prec = 80
WIDTH, BASE = 128, 10000
POSITIONS = [1, 2, 3, 255, 256, 710, 2048, 4095, 4096, 8191, 32768, 65519, 65535, 65536, 131071, 524287, 1048575]
PAIRS = [0, 1, 21, 42, 63]


def arctan_inverse(n):
    """atan(1/n), n an integer above 1"""
    term = total = Decimal(1) / n
    k = 1
    while abs(term) > Decimal(10) ** -90:
        term /= -n * n
        k += 2
        total += term / k
    return total


PI = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


def cosine(x):
    x %= 2 * PI
    term = total = Decimal(1)
    k = 0
    while abs(term) > Decimal(10) ** -85:
        k += 2
        term *= -x * x / (k * (k - 1))
        total += term
    return total


def angle(m, i):
    return m * (-(Decimal(2 * i) / WIDTH) * Decimal(BASE).ln()).exp()


def rounded(v):
    """v = mantissa / 2^k to 53 bits, to nearest: (mantissa, k); half an ulp is 2^-(k+1)"""
    k = 53
    while abs(v) * 2**k >= 2**53:
        k -= 1
    while abs(v) * 2**k < 2**52:
        k += 1
    return int((v * 2**k).to_integral_value(rounding="ROUND_HALF_EVEN")), k


print(f"""(** {2 * len(POSITIONS) * len(PAIRS)} entries of the binary64 table for d = {WIDTH}, base {BASE}: each lies within half an ulp of the true
    value, so it is the correctly rounded one. Written by emit.py; cos(m theta_i) is cos_m_i.  *)

Require Import Reals.
From Interval Require Import Tactic.
Open Scope R_scope.

Definition angle (m i : R) : R := m * exp (- (2 * i / {WIDTH}) * ln {BASE}).
Ltac certify := unfold angle; interval with (i_prec 100).
""")
for m in POSITIONS:
    for i in PAIRS:
        for name, value in (("cos", cosine(angle(m, i))), ("sin", cosine(angle(m, i) - PI / 2))):
            mantissa, k = rounded(value)
            print(f"Lemma {name}_{m}_{i} : Rabs ({name} (angle {m} {i}) - {mantissa} / {2**k}) <= / {2**(k + 1)}. "
                  "Proof. certify. Qed.")
