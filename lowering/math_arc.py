"""asin, acos, atan, atan2 and asinh, acosh, atanh.

atan(y / x) is reduced to |t| <= 1/2 by one division: t = y / x, (y - x) / (y + x) plus pi/4,
or -x / y plus pi/2; then t + t^3 P(t^2). asin and acos use s + s^3 P(s^2) with s = |x| up to 1/2
and s = sqrt((1 - |x|) / 2) above. The inverse hyperbolic functions are logarithms of two-term sums.

f32 (except atan) is computed in f64 with short polynomials and rounded once.
Coefficients: `tests/fit_polynomials.py`, atan32 to atanh64.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from lamina.lowering import math_log
from lamina.lowering.math_builder import Emitter

_ATAN32 = (
    -0.33333233,
    0.19994186,
    -0.14174582,
    0.101581655,
    -0.051297754,
)
_ATAN64 = (
    -0.3333333333333298,
    0.19999999999903123,
    -0.14285714276387465,
    0.11111110659709326,
    -0.09090896246539382,
    0.07692073939660131,
    -0.06663810879959699,
    0.058583006000516656,
    -0.05122012870849752,
    0.04186523125030603,
    -0.027435236152949998,
    0.010117038441751637,
)
_ASIN32 = (
    0.16666752482891292,
    0.07495297539123746,
    0.045470390793408276,
    0.02417944383339755,
    0.042166417649050755,
)
_ASIN64 = (
    0.1666666666666676,
    0.07499999999970858,
    0.04464285717457364,
    0.03038194270910818,
    0.02237221496007226,
    0.017351612383245483,
    0.013980817245381619,
    0.01139893208853584,
    0.010780173348015402,
    0.0037066111762781395,
    0.021707149593544414,
    -0.020998870741943166,
    0.0326286240912887,
)
_ATANH64 = (
    0.3333333333333399,
    0.19999999999794746,
    0.1428571430805894,
    0.11111109887782795,
    0.09090948502620123,
    0.07691494528678544,
    0.06677946316737492,
    0.057743845822758606,
    0.05982450269339863,
    0.014563637965566003,
    0.14492945785946407,
    -0.15289533170341602,
    0.22477594749502197,
)

# pi / 2 as the sum of two numbers
_HALF_PI = {
    32: (1.5707963705062866, -4.371139000186243e-08),
    64: (1.5707963267948966, 6.123233995736766e-17),
}

# from 1/2 on y - x is exact, and |t| stays below 1/2
_FIRST = 0.5
_SECOND = 2.5


def widened(compute: Callable[..., SSAValue], e: Emitter, *operands: SSAValue) -> SSAValue:
    """compute(f64 emitter, whether f32 accuracy is enough, operands), in the format of `e`."""
    if e.bits == 64:
        return compute(e, False, *operands)
    wide = e.with_bits(64)
    return e.truncate(compute(wide, True, *(wide.extend(operand) for operand in operands)))


def _quotient_angle(
    e: Emitter, y: SSAValue, x: SSAValue, coefficients: tuple[float, ...]
) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue]:
    """(base, low, t, cubic): atan(y / x) = base + t + (low + cubic), for y, x >= 0."""
    first = e.compare("ole", y, e.mul(x, e.real(_FIRST)))
    second = e.compare("ole", y, e.mul(x, e.real(_SECOND)))

    def choose(a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        return e.select(first, a, e.select(second, b, c))

    numerator = choose(y, e.sub(y, x), e.neg(x))
    denominator = choose(x, e.add(y, x), y)
    none = e.compare("oeq", denominator, e.real(0.0))  # y = x = 0
    t = e.div(numerator, e.select(none, e.real(1.0), denominator))
    square = e.mul(t, t)
    cubic = e.mul(e.mul(t, square), e.horner(square, coefficients))
    base, low = (choose(e.real(0.0), e.real(0.5 * part), e.real(part)) for part in _HALF_PI[e.bits])
    return base, low, t, cubic


def atan(e: Emitter, x: SSAValue) -> SSAValue:
    """atan(x): +-pi/2 at the infinities, -0.0 kept."""
    coefficients = _ATAN32 if e.bits == 32 else _ATAN64
    base, low, t, cubic = _quotient_angle(e, e.abs(x), e.real(1.0), coefficients)
    high, rest = e.sum_ordered(base, t)
    return e.copysign(e.add(high, e.add(rest, e.add(low, cubic))), x)


def _atan2(e: Emitter, short: bool, y: SSAValue, x: SSAValue) -> SSAValue:
    zero, one, infinity = e.real(0.0), e.real(1.0), e.real(float("inf"))
    size_y, size_x = e.abs(y), e.abs(x)
    y_infinite = e.compare("oeq", size_y, infinity)
    x_infinite = e.compare("oeq", size_x, infinity)
    infinite = e.or_(y_infinite, x_infinite)
    if not short:  # f32 has room in f64: no sum overflows, no ratio of denormals is rounded
        largest = e.select(e.compare("ogt", size_y, size_x), size_y, size_x)
        up = e.select(e.compare("olt", largest, e.real(2.0**-900)), e.real(2.0**100), one)
        factor = e.select(e.compare("ogt", largest, e.real(2.0**1000)), e.real(0.25), up)
        size_y, size_x = e.mul(size_y, factor), e.mul(size_x, factor)
    size_y = e.select(infinite, e.select(y_infinite, one, zero), size_y)
    size_x = e.select(infinite, e.select(x_infinite, one, zero), size_x)
    base, low, t, cubic = _quotient_angle(e, size_y, size_x, _ATAN32 if short else _ATAN64)
    left = e.compare_integer("slt", e.bits_of(x), e.integer(0))
    pi_high, pi_low = (2.0 * part for part in _HALF_PI[64])
    base = e.select(left, e.sub(e.real(pi_high), base), base)
    rest = e.add(low, cubic)
    rest = e.select(left, e.sub(e.real(pi_low), rest), rest)
    high, more = e.sum_ordered(base, e.select(left, e.neg(t), t))
    angle = e.add(high, e.add(more, rest))
    return e.copysign(e.select(e.compare("uno", y, x), e.add(y, x), angle), y)


def atan2(e: Emitter, y: SSAValue, x: SSAValue) -> SSAValue:
    """The angle of the point (x, y) in [-pi, pi], signs of zeros as in C99 F.9.1.4."""
    return widened(_atan2, e, y, x)


def _arc_parts(e: Emitter, short: bool, a: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """(small, s, tail): asin(s) = s + tail; s = a if small (a <= 1/2), else sqrt((1 - a) / 2)."""
    half = e.real(0.5)
    small = e.compare("ole", a, half)
    inner = e.sub(half, e.mul(a, half))
    square = e.select(small, e.mul(a, a), inner)
    root = e.sqrt(inner)
    s = e.select(small, a, root)
    tail = e.mul(e.mul(s, square), e.horner(square, _ASIN32 if short else _ASIN64))
    if short:
        return small, s, tail
    # what the square root lost: (inner - root^2) / (2 root)
    high, low = e.product_exact(root, root)
    lost = e.div(e.sub(e.sub(inner, high), low), e.at_least(e.add(root, root), 2.0**-100))
    return small, s, e.add(tail, e.select(small, e.real(0.0), lost))


def _asin(e: Emitter, short: bool, x: SSAValue) -> SSAValue:
    small, s, tail = _arc_parts(e, short, e.abs(x))
    half_pi, rest = (e.real(part) for part in _HALF_PI[64])
    large = e.sub(e.sub(half_pi, e.add(s, s)), e.sub(e.add(tail, tail), rest))
    return e.copysign(e.select(small, e.add(s, tail), large), x)


def asin(e: Emitter, x: SSAValue) -> SSAValue:
    """asin(x): NaN for |x| > 1, -0.0 kept."""
    return widened(_asin, e, x)


def _acos(e: Emitter, short: bool, x: SSAValue) -> SSAValue:
    small, s, tail = _arc_parts(e, short, e.abs(x))
    half_pi, rest = (e.real(part) for part in _HALF_PI[64])
    near_zero = e.sub(half_pi, e.add(x, e.sub(e.copysign(tail, x), rest)))
    twice, twice_tail = e.add(s, s), e.add(tail, tail)
    pi, pi_rest = (e.real(2.0 * part) for part in _HALF_PI[64])
    left = e.sub(e.sub(pi, twice), e.sub(twice_tail, pi_rest))
    right = e.add(twice, twice_tail)
    large = e.select(e.compare("olt", x, e.real(0.0)), left, right)
    return e.select(small, near_zero, large)


def acos(e: Emitter, x: SSAValue) -> SSAValue:
    """acos(x): 0 at 1, NaN for |x| > 1."""
    return widened(_acos, e, x)


def _log_of_one_plus(e: Emitter, x: SSAValue, high: SSAValue, low: SSAValue) -> SSAValue:
    """log(1 + high + low), or log(2 x) for x > 2^28 (2x overflows, and its square before that)."""
    huge = e.compare("ogt", x, e.real(2.0**28))
    total, rest = e.sum_exact(e.real(1.0), high)
    total = e.select(huge, x, total)
    rest = e.select(huge, e.real(0.0), e.add(rest, low))
    more = e.select(huge, e.real(1.0), e.real(0.0))
    result = math_log.log_of_sum(e, total, rest, more)
    return e.select(e.compare("ult", x, e.real(float("inf"))), result, x)


def _asinh(e: Emitter, short: bool, x: SSAValue) -> SSAValue:
    # a + sqrt(a^2 + 1) = 1 + a + a^2 / (1 + sqrt(a^2 + 1))
    a, one = e.abs(x), e.real(1.0)
    square = e.mul(a, a)
    more = e.div(square, e.add(one, e.sqrt(e.add(square, one))))
    high, low = e.sum_ordered(a, more)
    return e.copysign(_log_of_one_plus(e, a, high, low), x)


def asinh(e: Emitter, x: SSAValue) -> SSAValue:
    """asinh(x), -0.0 kept."""
    return widened(_asinh, e, x)


def _acosh(e: Emitter, short: bool, x: SSAValue) -> SSAValue:
    # x + sqrt(x^2 - 1) = 1 + t + sqrt(t^2 + 2 t), t = x - 1
    one = e.real(1.0)
    t = e.sub(x, one)
    square, s_low = e.product_exact(t, t)
    y, y_low = e.sum_exact(e.add(t, t), square)
    root = e.sqrt(y)
    high, low = e.sum_exact(root, t)
    if not short:  # what the square root lost: (y - root^2) / (2 root)
        square, r_low = e.product_exact(root, root)
        lost = e.add(e.sub(e.sub(y, square), r_low), e.add(y_low, s_low))
        low = e.add(low, e.div(e.mul(lost, e.real(0.5)), e.at_least(root, 2.0**-100)))
    result = _log_of_one_plus(e, x, high, low)
    return e.select(e.compare("olt", x, one), e.real(float("nan")), result)


def acosh(e: Emitter, x: SSAValue) -> SSAValue:
    """acosh(x): NaN for x < 1."""
    return widened(_acosh, e, x)


def _atanh(e: Emitter, short: bool, x: SSAValue) -> SSAValue:
    a = e.abs(x)
    square = e.mul(a, a)
    small = e.fma(e.mul(a, square), e.horner(square, _ATANH64), a)
    ratio = e.div(e.add(a, a), e.sub(e.real(1.0), a))
    large = e.mul(math_log.log1p(e, ratio), e.real(0.5))
    return e.copysign(e.select(e.compare("olt", a, e.real(0.5)), small, large), x)


def atanh(e: Emitter, x: SSAValue) -> SSAValue:
    """atanh(x): +-inf at +-1, NaN beyond, -0.0 kept."""
    return widened(_atanh, e, x)
