"""powf and rsqrt.

x^y = 2^(y log2 |x|), with the sign and the special values of C99 F.9.4.4 put right afterwards.
f32 works in f64. f64 keeps the logarithm in two terms (about 2^-65 relative), since y log2 |x|, up
to 1075, must be right to 2^-55. Coefficients: `tests/fit_polynomials.py`, pow32 and pow64.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.lowering import math_exp, math_log
from lamina.lowering.math_arc import widened
from lamina.lowering.math_builder import Emitter

_LOG2_SHORT = (
    2.8853900817901006,
    0.9617966733231619,
    0.5770835886968306,
    0.4116724844725023,
    0.3407346358389558,
)
_LOG_LONG = (
    0.3999999999999998,
    0.2857142857144408,
    0.2222222221769863,
    0.18181818857554463,
    0.15384557407621482,
    0.1333630588253212,
    0.11674918185606867,
    0.11989014244082828,
)
_EXP2_SHORT = (
    0.69314724,
    0.24022657,
    0.055502754,
    0.0096172,
    0.0013416773,
    0.00015734167,
)
_LOG2_E = (1.4426950408889634, 2.0355273740931033e-17)
_TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17)


def _log2_short(e: Emitter, k: SSAValue, f: SSAValue) -> SSAValue:
    """k + log2(1 + f) to 2^-37."""
    s = e.div(f, e.add(f, e.real(2.0)))
    return e.fma(s, e.horner(e.mul(s, s), _LOG2_SHORT), k)


def _log2_long(e: Emitter, k: SSAValue, f: SSAValue) -> tuple[SSAValue, SSAValue]:
    """(high, low): k + log2(1 + f) = k + log2(e) (2 s + s^3 (2/3 + s^2 P(s^2)))."""
    d, d_low = e.sum_ordered(e.real(2.0), f)
    inverse = e.div(e.real(1.0), d)
    s = e.mul(f, inverse)
    high, low = e.product_exact(s, d)
    lost = e.sub(e.sub(e.sub(f, high), low), e.mul(s, d_low))
    s_low = e.mul(lost, inverse)
    z, z_low = e.product_exact(s, s)
    z_low = e.fma(e.add(s, s), s_low, z_low)
    ratio, r_low = e.sum_ordered(e.real(_TWO_THIRDS[0]), e.mul(z, e.horner(z, _LOG_LONG)))
    r_low = e.add(r_low, e.real(_TWO_THIRDS[1]))
    cubic, c_low = e.product_exact(z, ratio)
    c_low = e.fma(z, r_low, e.fma(z_low, ratio, c_low))
    tail, t_low = e.product_exact(cubic, s)
    t_low = e.fma(cubic, s_low, e.fma(c_low, s, t_low))
    log, l_low = e.sum_ordered(e.add(s, s), tail)
    l_low = e.add(l_low, e.add(t_low, e.add(s_low, s_low)))
    high, low = e.product_exact(log, e.real(_LOG2_E[0]))
    low = e.fma(log, e.real(_LOG2_E[1]), e.fma(l_low, e.real(_LOG2_E[0]), low))
    total, rest = e.sum_ordered(k, high)
    return total, e.add(rest, low)


def _positive_power(e: Emitter, short: bool, a: SSAValue, y: SSAValue) -> SSAValue:
    """a^y for a >= 0 and finite y; NaN for 0^0 and inf^0."""
    t = math_exp.table(e)
    if short:  # the denormals of f32 are normal in f64
        k, f, _ = math_log.split(e, e.bits_of(a))
    else:
        k, f = math_log.split_any(e, a)
    log, rest = (_log2_short(e, k, f), None) if short else _log2_long(e, k, f)
    log = e.select(e.compare("oeq", a, e.real(0.0)), e.real(float("-inf")), log)
    log = e.select(e.compare("olt", a, e.real(float("inf"))), log, a)
    exponent = e.mul(y, log)
    low, high, bias = (-200.0, 200.0, t.bias) if short else (t.low2, t.high2, 2 * t.bias)
    clamped = e.at_most(e.at_least(exponent, low), high)
    magic = e.real(t.magic + bias)
    sum_ = e.add(clamped, magic)
    r = e.sub(clamped, e.sub(sum_, magic))
    shifted = e.bits_of(sum_)
    one = e.real(1.0)
    if rest is None:
        p = e.fma(r, e.horner(r, _EXP2_SHORT), one)
        return e.mul(p, math_exp.power_of_two(e, shifted))
    _, error = e.product_exact(y, log)
    error = e.fma(y, rest, error)
    inside = e.compare("oeq", exponent, clamped)
    r = e.add(r, e.select(inside, error, e.real(0.0)))
    return math_exp.scale(e, e.fma(r, e.horner(r, t.exp2), one), shifted)


def _powf(e: Emitter, short: bool, x: SSAValue, y: SSAValue) -> SSAValue:
    a = e.abs(x)
    one, half = e.real(1.0), e.real(0.5)
    # beyond 2^66 a power is 0, 1 or infinite; a finite exponent spares 0 * inf, and it is even
    bounded = e.at_most(e.at_least(y, -1e20), 1e20)
    result = _positive_power(e, short, a, bounded)
    fraction = e.compare("une", e.floor(bounded), bounded)
    halved = e.mul(bounded, half)
    even_or_fraction = e.or_(fraction, e.compare("oeq", e.floor(halved), halved))
    result = e.select(even_or_fraction, result, e.copysign(result, x))
    negative = e.compare("olt", x, e.real(0.0))
    finite = e.compare("olt", a, e.real(float("inf")))
    undefined = e.and_(e.and_(negative, finite), fraction)
    result = e.select(undefined, e.real(float("nan")), result)
    unit = e.or_(e.compare("oeq", x, one), e.compare("oeq", y, e.real(0.0)))
    return e.select(unit, one, result)


def powf(e: Emitter, x: SSAValue, y: SSAValue) -> SSAValue:
    """x^y: 1 for y = 0 or x = 1 (also with NaN), NaN for finite x < 0 and y not an integer."""
    return widened(_powf, e, x, y)


def rsqrt(e: Emitter, x: SSAValue) -> SSAValue:
    """1 / sqrt(x)."""
    return e.div(e.real(1.0), e.sqrt(x))
