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
    exp=(
        0.49999994,
        0.1666652,
        0.041668225,
        0.008368845,
        0.0013825215,
    ),
    exp2=(
        0.69314724,
        0.24022657,
        0.055502754,
        0.0096172,
        0.0013416773,
        0.00015734167,
    ),
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
        0.16666666666666424,
        0.04166666666652608,
        0.00833333333348457,
        0.00138888889447337,
        0.0001984126953296705,
        2.4801491918205384e-05,
        2.7557558524072597e-06,
        2.763068307024955e-07,
        2.5010188257588947e-08,
    ),
    exp2=(
        0.6931471805599453,
        0.2402265069591007,
        0.055504108664822964,
        0.009618129107629653,
        0.0013333558146155298,
        0.000154035303910555,
        1.5252734046772412e-05,
        1.3215488754803267e-06,
        1.0177981198757494e-07,
        7.054164241678397e-09,
        4.4662333653482145e-10,
        2.674845081599512e-11,
    ),
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


def half_exp(e: Emitter, x: SSAValue) -> SSAValue:
    """exp(x) / 2 for x >= 0, finite a little beyond the overflow of exp."""
    t = table(e)
    p, shifted = exp_reduced(e, e.at_most(x, t.high + 0.7), 2 * t.bias - 1)
    return scale(e, p, shifted)


def exp2(e: Emitter, x: SSAValue) -> SSAValue:
    """2^x, exact for integers."""
    t = table(e)
    x = e.at_most(e.at_least(x, t.low2), t.high2)
    magic = e.real(t.magic + 2 * t.bias)
    sum_ = e.add(x, magic)
    r = e.sub(x, e.sub(sum_, magic))
    return scale(e, e.fma(r, e.horner(r, t.exp2), e.real(1.0)), e.bits_of(sum_))


def expm1(e: Emitter, x: SSAValue) -> SSAValue:
    """exp(x) - 1: -1 at -inf, -0.0 kept.

    With s = 2^(n-1) (n can be one more than the largest exponent) and r in two terms, half the
    result is (s r + (s - 1/2)) + s (r^2 P(r) + r's low term), each sum rounding once: n = 1 and
    r < 0 cancel.
    """
    t = table(e)
    clamped = e.at_most(e.at_least(x, -40.0), t.high)
    magic = e.real(t.magic + t.bias - 1)
    sum_ = e.fma(clamped, e.real(LOG2_E), magic)
    n = e.sub(sum_, magic)
    power = power_of_two(e, e.bits_of(sum_))
    exact = e.fma(n, e.real(-t.ln2_high), clamped)
    low = e.mul(n, e.real(-t.ln2_low))
    r = e.add(exact, low)
    rest = e.add(e.sub(exact, r), low)
    tail = e.fma(e.mul(r, r), e.horner(r, t.exp), rest)
    half = e.fma(power, tail, e.fma(power, r, e.sub(power, e.real(0.5))))
    return e.select(e.compare("olt", e.abs(x), e.real(t.tiny)), x, e.add(half, half))
