"""tanh, sinh and cosh.

Below `border`, tanh(x) = x + x^3 P(x^2); above, tanh(x) = 1 - 2 / (exp(2x) + 1), whose rounding
errors shrink with the subtrahend: at the border it is just less than 1/2.
Coefficients: `tests/fit_polynomials.py`, tanh32 and tanh64.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.lowering import math_exp
from lamina.lowering.math_builder import Emitter

_BORDER = 0.5625
_TANH32 = (-0.33333313, 0.13332437, -0.053835757, 0.021000376, -0.0061696093)
_TANH64 = (
    -0.33333333333333276,
    0.13333333333322822,
    -0.053968253961546746,
    0.021869488322276517,
    -0.008863231556706711,
    0.003592081452013022,
    -0.0014554746013000191,
    0.0005881633206000154,
    -0.00023266555842633491,
    8.228986449820189e-05,
    -1.8861058760646747e-05,
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
