"""exp, exp2 and expm1 by Cody-Waite reduction and a polynomial.

x = n ln 2 + r with |r| <= ln(2)/2, so that exp(x) = 2^n (1 + r + r^2 P(r)). n comes from adding a
constant 1.5 * 2^m whose last bit is worth one: the low bits of the sum are n plus a bias, ready to
become exponents. P is a minimax polynomial (`tests/fit_polynomials.py`, exp32 and exp64).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from lamina.lowering.math_builder import Emitter


@dataclass(frozen=True)
class ExpTable:
    """Constants of one format.

    `ln2_high` has so few bits that n * ln2_high is exact; [low, high] is where exp is neither 0 nor
    infinite, with a margin; `tiny` bounds the |x| for which expm1(x) rounds to x.
    """

    fraction_bits: int
    bias: int
    low: float
    high: float
    low2: float
    high2: float
    tiny: float
    ln2_high: float
    ln2_low: float
    exp: tuple[float, ...]
    exp2: tuple[float, ...]

    @property
    def magic(self) -> float:
        """1.5 * 2^fraction_bits: the sum with it has the integer part in its low bits."""
        return 1.5 * 2.0**self.fraction_bits


LOG2_E = 1.4426950408889634

_TABLE32 = ExpTable(
    fraction_bits=23,
    bias=127,
    low=-104.0,
    high=88.8,
    low2=-151.0,
    high2=128.0,
    tiny=2.0**-25,
    ln2_high=0.693145751953125,
    ln2_low=1.4286068e-06,
    exp=(0.49999994, 0.1666652, 0.04166834, 0.008368869, 0.0013819047),
    exp2=(),
)

_TABLE64 = ExpTable(
    fraction_bits=52,
    bias=1023,
    low=-746.0,
    high=709.9,
    low2=-1076.0,
    high2=1024.0,
    tiny=2.0**-54,
    ln2_high=0.693147180559663,
    ln2_low=2.8235290563031577e-13,
    exp=(
        0.5000000000000011,
        0.1666666666666642,
        0.04166666666652744,
        0.00833333333348737,
        0.0013888888944431695,
        0.000198412695268356,
        2.480149219268159e-05,
        2.7557564028512948e-06,
        2.763059522756574e-07,
        2.5008443736629823e-08,
    ),
    exp2=(),
)


def table(e: Emitter) -> ExpTable:
    """The constants of `e`'s format."""
    return _TABLE32 if e.bits == 32 else _TABLE64


def power_of_two(e: Emitter, shifted: SSAValue) -> SSAValue:
    """2^n from the bits of a float whose low bits are n + bias, for n in the normal range."""
    return e.from_bits(e.shl(shifted, table(e).fraction_bits))


def scale(e: Emitter, value: SSAValue, shifted: SSAValue) -> SSAValue:
    """value * 2^n where the low bits of `shifted` are n + 2 * bias.

    Two factors 2^(n/2): n reaches from below the denormals to the overflow, and only the second
    product rounds.
    """
    half = e.shr(shifted, 1)
    return e.mul(e.mul(value, power_of_two(e, half)), power_of_two(e, e.isub(shifted, half)))


def exp_reduced(e: Emitter, x: SSAValue, bias: int) -> tuple[SSAValue, SSAValue]:
    """(p, shifted): exp(x) = p 2^n, p in [0.7, 1.5]; the low bits of `shifted` are n + bias."""
    t = table(e)
    magic = e.real(t.magic + bias)
    sum_ = e.fma(x, e.real(LOG2_E), magic)
    n = e.sub(sum_, magic)
    r = e.fma(n, e.real(-t.ln2_low), e.fma(n, e.real(-t.ln2_high), x))
    tail = e.fma(e.mul(r, r), e.horner(r, t.exp), r)
    return e.add(tail, e.real(1.0)), e.bits_of(sum_)


def exp(e: Emitter, x: SSAValue) -> SSAValue:
    """exp(x): exp(-inf) = 0, exp(inf) = inf, denormal results rounded once."""
    t = table(e)
    x = e.at_most(e.at_least(x, t.low), t.high)
    p, shifted = exp_reduced(e, x, 2 * t.bias)
    return scale(e, p, shifted)


def exp_normal(e: Emitter, x: SSAValue) -> SSAValue:
    """exp(x) for x (or NaN) whose result is a normal number less than 2^127 (2^1023)."""
    p, shifted = exp_reduced(e, x, table(e).bias)
    return e.mul(p, power_of_two(e, shifted))
