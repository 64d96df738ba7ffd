"""erf and erfc.

For small |x|, erf(x) = x + x P(x^2). Above, erf(x) = 1 - exp(-x Q(x)) with Q fitted to
-log(erfc(x)) / x, whose error fades with erfc(x).

erfc(x) = exp(-x^2) P(q) / (x + 3) with q = (x - 3) / (x + 3) from 1/2 on. f64 keeps two terms of
the square, the exponential, P and the quotient, since each rounding would cost half an ulp; f32 is
computed in f64. Coefficients: `tests/fit_polynomials.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from lamina.lowering import math_exp
from lamina.lowering.math_arc import widened
from lamina.lowering.math_builder import Emitter


@dataclass(frozen=True)
class ErfTable:
    """Constants of one format: the `border` between the two forms, and where erf rounds to 1."""

    border: float
    one: float
    small: tuple[float, ...]
    large: tuple[float, ...]


_ERFC_SHORT = (
    1.0740069082769594,
    -0.8833944631573424,
    0.5902282053354418,
    -0.3104667884636637,
    0.11953096051945054,
    -0.02683264658948026,
    -0.001237203183920715,
    0.003054309231366055,
    -0.00046510817442012563,
    -0.0002914884897151807,
)
_ERFC_LONG = (
    0.0115069070883397,
    -0.8833944531698836,
    0.5902283571041023,
    -0.31046726190056595,
    0.11952776128726543,
    -0.02682723462454639,
    -0.0012124166266069842,
    0.0030340620022530503,
    -0.0005483096996477589,
    -0.0002767778531525816,
    0.00010756155013755551,
    3.039817235344463e-05,
    -1.747089563221088e-05,
    -4.749103117243111e-06,
    2.766501455704601e-06,
    9.981187480192423e-07,
    -4.1036213807712717e-07,
    -2.313888833782362e-07,
    4.924904649039539e-08,
    4.743877858949837e-08,
    -3.4329634531679656e-09,
    -5.911686932153004e-09,
)

_TABLE32 = ErfTable(
    border=0.83,
    one=4.0,
    small=(
        0.12837917,
        -0.37612587,
        0.11282833,
        -0.02680613,
        0.0050559803,
        -0.0006339448,
    ),
    large=(
        1.1285815,
        0.63543475,
        0.10574937,
        -0.023326308,
        0.0034291528,
        -0.0002686179,
        5.652786e-06,
    ),
)

_TABLE64 = ErfTable(
    border=0.995,
    one=6.0,
    small=(
        0.12837916709551256,
        -0.3761263890318346,
        0.11283791670942668,
        -0.02686617064293324,
        0.0052239776049503965,
        -0.0008548325882420152,
        0.00012055292365464453,
        -1.4924691756459645e-05,
        1.64469041076629e-06,
        -1.6204730895318407e-07,
        1.370469646818795e-08,
        -7.768613875554173e-10,
    ),
    large=(
        1.1283791181673788,
        0.6366201858660763,
        0.10277111056194065,
        -0.01912570602331057,
        -0.00021069834705457772,
        0.0016908392475141355,
        -0.0005728860661057093,
        -2.3506896208226874e-06,
        9.632373921064814e-05,
        -5.644015593001357e-05,
        2.0503260511327862e-05,
        -5.430272474902761e-06,
        1.0884624873869221e-06,
        -1.6482141786545202e-07,
        1.8359569290217e-08,
        -1.4225137587530464e-09,
        6.853408908819602e-11,
        -1.5460986793715743e-12,
    ),
)


def table(e: Emitter) -> ErfTable:
    """The constants of `e`'s format."""
    return _TABLE32 if e.bits == 32 else _TABLE64


def erf(e: Emitter, x: SSAValue) -> SSAValue:
    """erf(x): +-1 at the infinities, -0.0 kept."""
    t = table(e)
    small = e.fma(x, e.horner(e.mul(x, x), t.small), x)
    a = e.at_most(e.abs(x), t.one)
    exponent = e.mul(e.neg(a), e.horner(a, t.large))
    large = e.sub(e.real(1.0), math_exp.exp_normal(e, exponent))
    is_small = e.compare("olt", a, e.real(t.border))
    return e.copysign(e.select(is_small, small, large), x)


def _erfc_short(e: Emitter, a: SSAValue) -> SSAValue:
    """erfc(a) for 1/2 <= a <= 11, to f32 accuracy."""
    three = e.real(3.0)
    inverse = e.div(e.real(1.0), e.add(a, three))
    ratio = e.mul(e.horner(e.mul(e.sub(a, three), inverse), _ERFC_SHORT), inverse)
    return e.mul(math_exp.exp_normal(e, e.mul(e.neg(a), a)), ratio)


def _exp_of_square(e: Emitter, a: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """(high, low, shifted): exp(-a^2) = (high + low) 2^n, the low bits of `shifted` n + 2 bias."""
    t = math_exp.table(e)
    square, s_low = e.product_exact(a, a)
    magic = e.real(t.magic + 2 * t.bias)
    sum_ = e.fma(square, e.real(-math_exp.LOG2_E), magic)
    n = e.sub(sum_, magic)
    exact = e.sub(e.mul(n, e.real(-t.ln2_high)), square)
    r, r_low = e.sum_exact(exact, e.mul(n, e.real(-t.ln2_low)))
    high, low = e.sum_ordered(e.real(1.0), r)
    bent = e.mul(e.mul(r, r), e.horner(r, t.exp))
    tail = e.fma(e.sub(r_low, s_low), e.add(high, bent), bent)
    high, low = e.sum_ordered(high, e.add(low, tail))
    return high, low, e.bits_of(sum_)


def _erfc_long(e: Emitter, a: SSAValue) -> SSAValue:
    """erfc(a) for 1/2 <= a <= 28."""
    three = e.real(3.0)
    grown, g_low, shifted = _exp_of_square(e, a)
    bottom, b_low = e.sum_exact(a, three)
    inverse = e.div(e.real(1.0), bottom)
    product, p_low = e.product_exact(inverse, bottom)
    lost = e.sub(e.sub(e.sub(e.real(1.0), product), p_low), e.mul(inverse, b_low))
    i_low = e.mul(lost, inverse)
    six = e.real(-6.0)  # q = 1 - 6 / (a + 3)
    q = e.add(e.fma_exact(six, inverse, e.real(1.0)), e.mul(six, i_low))
    slope, s_low = e.product_exact(q, e.horner(q, _ERFC_LONG[1:]))
    top, t_low = e.sum_exact(e.real(1.0625), slope)
    t_low = e.add(t_low, e.add(s_low, e.real(_ERFC_LONG[0])))
    first, f_low = e.product_exact(grown, top)
    f_low = e.fma(grown, t_low, e.fma(g_low, top, f_low))
    high, low = e.product_exact(first, inverse)
    low = e.fma(first, i_low, e.fma(f_low, inverse, low))
    return math_exp.scale(e, e.add(high, low), shifted)


def _erfc(e: Emitter, short: bool, x: SSAValue) -> SSAValue:
    one, a = e.real(1.0), e.abs(x)
    coefficients = _TABLE32.small if short else _TABLE64.small
    small = e.sub(one, e.fma(x, e.horner(e.mul(x, x), coefficients), x))
    bounded = e.at_most(a, 11.0 if short else 28.0)
    large = _erfc_short(e, bounded) if short else _erfc_long(e, bounded)
    reflected = e.sub(e.real(2.0), large)
    large = e.select(e.compare("olt", x, e.real(0.0)), reflected, large)
    return e.select(e.compare("olt", a, e.real(0.5)), small, large)


def erfc(e: Emitter, x: SSAValue) -> SSAValue:
    """1 - erf(x): 0 at inf, 2 at -inf, denormal results rounded once."""
    return widened(_erfc, e, x)
