"""erf and erfc.

For small |x|, erf(x) = x + x P(x^2). Above, erf(x) = 1 - exp(-x Q(x)) with Q fitted to
-log(erfc(x)) / x, whose error fades with erfc(x). Coefficients: `tests/fit_polynomials.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from lamina.lowering import math_exp
from lamina.lowering.math_builder import Emitter


@dataclass(frozen=True)
class ErfTable:
    """Constants of one format: the `border` between the two forms, and where erf rounds to 1."""

    border: float
    one: float
    small: tuple[float, ...]
    large: tuple[float, ...]


_TABLE32 = ErfTable(
    border=0.83,
    one=4.0,
    small=(0.12837917, -0.3761259, 0.11282865, -0.026807286, 0.0050576967, -0.0006348455),
    large=(
        1.1285815,
        0.63543475,
        0.10574936,
        -0.023326287,
        0.0034291325,
        -0.0002686093,
        5.651428e-06,
    ),
)

_TABLE64 = ErfTable(
    border=0.995,
    one=6.0,
    small=(
        0.12837916709551256,
        -0.37612638903183343,
        0.11283791670936948,
        -0.02686617064195145,
        0.005223977596507918,
        -0.0008548325458787239,
        0.00012055278975473735,
        -1.4924416076875114e-05,
        1.644320722990346e-06,
        -1.6173614963150404e-07,
        1.3555753716969597e-08,
        -7.460164075810461e-10,
    ),
    large=(
        1.1283791181673788,
        0.6366201858630193,
        0.10277111058685134,
        -0.019125706116308934,
        -0.0002106981360845465,
        0.0016908389221854353,
        -0.0005728857044972759,
        -2.3509896310151375e-06,
        9.632392929367858e-05,
        -5.644024946569276e-05,
        2.0503296787230893e-05,
        -5.430283725061955e-06,
        1.0884653117132158e-06,
        -1.648219923179264e-07,
        1.8359661526551002e-08,
        -1.4225246756277139e-09,
        6.853492205820219e-11,
        -1.5461288697725418e-12,
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
