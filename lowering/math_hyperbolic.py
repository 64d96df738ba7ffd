"""tanh, sinh and cosh.

Below `border`, tanh(x) = x + x^3 P(x^2); above, tanh(x) = 1 - 2 / (exp(2x) + 1), whose rounding
errors shrink with the subtrahend: at the border it is just less than 1/2.
Coefficients: `tests/fit_polynomials.py`, tanh32 and tanh64,
sinh32 and sinh64.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.lowering import math_exp
from lamina.lowering.math_builder import Emitter

_BORDER = 0.5625
_SINH32 = (
    0.16666667,
    0.008333315,
    0.00019841666,
    2.789984e-06,
)
_SINH64 = (
    0.16666666666666669,
    0.00833333333333297,
    0.00019841269841531248,
    2.7557319130350856e-06,
    2.5052126862353843e-08,
    1.6056999931261446e-10,
    7.765917777923414e-13,
)
_TANH32 = (
    -0.33333313,
    0.13332441,
    -0.053836513,
    0.021004291,
    -0.0061759576,
)
_TANH64 = (
    -0.33333333333333276,
    0.13333333333322914,
    -0.05396825396162761,
    0.02186948832505801,
    -0.008863231607075382,
    0.003592081991932647,
    -0.0014554782060573206,
    0.0005881784743263756,
    -0.00023270456190969084,
    8.23460083306538e-05,
    -1.8895678758735173e-05,
)


def tanh(e: Emitter, x: SSAValue) -> SSAValue:
    """tanh(x): +-1 from 9.1 (f32) or 19.1 (f64) on, -0.0 kept."""
    coefficients, limit = (_TANH32, 9.1) if e.bits == 32 else (_TANH64, 19.1)
    a = e.at_most(e.abs(x), limit)
    square = e.mul(a, a)
    small = e.fma(e.mul(a, square), e.horner(square, coefficients), a)
    one = e.real(1.0)
    grown = math_exp.exp_normal(e, e.add(a, a))
    large = e.sub(one, e.div(e.real(2.0), e.add(grown, one)))
    return e.copysign(e.select(e.compare("olt", a, e.real(_BORDER)), small, large), x)


def sinh(e: Emitter, x: SSAValue) -> SSAValue:
    """sinh(x): x + x^3 P(x^2) below 1, h - 1 / (4 h) with h = exp(x) / 2 above; -0.0 kept."""
    a = e.abs(x)
    square = e.mul(a, a)
    series = e.horner(square, _SINH32 if e.bits == 32 else _SINH64)
    small = e.fma(e.mul(a, square), series, a)
    grown = math_exp.half_exp(e, a)
    large = e.sub(grown, e.div(e.real(0.25), grown))
    return e.copysign(e.select(e.compare("olt", a, e.real(1.0)), small, large), x)


def cosh(e: Emitter, x: SSAValue) -> SSAValue:
    """cosh(x) = h + 1 / (4 h) with h = exp(|x|) / 2."""
    grown = math_exp.half_exp(e, e.abs(x))
    return e.add(grown, e.div(e.real(0.25), grown))
