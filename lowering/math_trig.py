"""sin, cos and tan: reduction modulo pi, then one odd polynomial on [-pi/2, pi/2].

|x| + c pi = N pi + r with N an integer (c = 0 for sin, 1/2 for cos), so that the result is
(-1)^N sin(r). Up to `bound` the reduction subtracts N pi in three parts (Cody and Waite). Beyond it
f32 multiplies the integer significand by a 96-bit window of 1/pi (Payne and Hanek), and f64 leaves
the op to libm (attribute `lamina.libm`); that code runs only when some lane needs it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from lamina.dialects import math
from lamina.lowering.math_builder import Emitter

INVERSE_PI = 0.3183098861837907
_HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
_HALF_PI32 = (1.5707963705062866, -4.3711390001862426e-08)  # an f32 and an f64
# sin(r) = r + r^3 P(r^2) and cos(r) = 1 - r^2/2 + r^4 P(r^2) for |r| <= pi/4: f64, and f32 in f64
_SIN = (
    -0.1666666666666663,
    0.008333333333321896,
    -0.0001984126982942995,
    2.7557313569855685e-06,
    -2.5050740081446913e-08,
    1.5895799988231916e-10,
)
_COS = (
    0.041666666666666595,
    -0.0013888888888873327,
    2.480158728898444e-05,
    -2.755731420991008e-07,
    2.087570418586178e-09,
    -1.1358675544172814e-11,
)
_SIN_SHORT = (
    -0.16666654553672317,
    0.00833215714999056,
    -0.00019514783633572936,
)
_COS_SHORT = (
    0.04166664559772159,
    -0.0013887311947575118,
    2.443264683909234e-05,
)


@dataclass(frozen=True)
class TrigTable:
    """Constants of one format: `pi` in three parts, `bound` of the fast reduction."""

    fraction_bits: int
    bound: float
    pi: tuple[float, float, float]
    sin: tuple[float, ...]


_TABLE32 = TrigTable(
    fraction_bits=23,
    bound=131072.0,
    pi=(3.1415927410125732, -8.742277657347586e-08, -3.4302490200117637e-15),
    sin=(
        -0.1666666,
        0.0083330665,
        -0.0001980949,
        2.6051816e-06,
    ),
)

_TABLE64 = TrigTable(
    fraction_bits=52,
    bound=2.0**30,
    pi=(3.141592653589793, 1.2246467991473532e-16, -2.9947698097183397e-33),
    sin=(
        -0.16666666666666666,
        0.008333333333333208,
        -0.00019841269841213495,
        2.7557319211739444e-06,
        -2.5052106920611184e-08,
        1.605894183694286e-10,
        -7.64304137088041e-13,
        2.7216525009952055e-15,
    ),
)

# floor(2^217 / pi), 7 words of 32 bits, the highest first
_INVERSE_PI_WORDS = (
    0xA2F983,
    0x6E4E4415,
    0x29FC2757,
    0xD1F534DD,
    0xC0DB6295,
    0x993C4390,
    0x41FE5163,
)


def table(e: Emitter) -> TrigTable:
    """The constants of `e`'s format."""
    return _TABLE32 if e.bits == 32 else _TABLE64


def subtract_multiple(e: Emitter, x: SSAValue, n: SSAValue, parts: tuple[float, ...]) -> SSAValue:
    """x - n * sum(parts), rounding only what is left after each part."""
    for part in parts:
        x = e.fma_exact(n, e.real(-part), x)
    return x


def half_turns(e: Emitter, x: SSAValue) -> SSAValue:
    """x / pi modulo 2 in units of 2^-63 (i64), for f32 x >= 2^17, to within a unit.

    x = m 2^(s - 6) with m < 2^24 and s in [0, 110]. In these units x / pi is m * W / 2^32 with W
    the 96 bits of 1/pi that start at bit s: what is left of them counts whole turns.
    """
    wide = e.with_bits(64)
    bits = e.bits_of(x)
    m = e.or_(e.and_(bits, e.integer(0x7FFFFF)), e.integer(0x800000))
    m = wide.extend_unsigned(m)
    shift = wide.extend_unsigned(e.isub(e.shr(bits, 23), e.integer(144)))
    word = wide.shr(shift, 5)
    shift = wide.and_(shift, wide.integer(31))
    tests = [wide.compare_integer("eq", word, wide.integer(i)) for i in range(3)]

    def window(first: int) -> SSAValue:
        """32 bits of 1/pi, `first` words after the word of the shift."""
        pairs = [
            wide.integer(_INVERSE_PI_WORDS[first + i] << 32 | _INVERSE_PI_WORDS[first + i + 1])
            for i in range(4)
        ]
        pair = pairs[3]
        for test, value in zip(tests, pairs[:3], strict=True):
            pair = wide.select(test, value, pair)
        return wide.shr(wide.shl_by(pair, shift), 32)

    return wide.iadd(
        wide.shl(wide.imul(m, window(0)), 32),
        wide.iadd(wide.imul(m, window(1)), wide.shr(wide.imul(m, window(2)), 32)),
    )


def split_turns(e: Emitter, turns: SSAValue, unit: float) -> tuple[SSAValue, SSAValue]:
    """(r in f64, sign): `turns` counts units in 2^-63; r is the distance from the nearest whole
    number of units, `sign` (i32) has the top bit set where that number is odd.
    """
    wide = e.with_bits(64)
    odd = wide.shr(wide.iadd(turns, wide.integer(1 << 62)), 63)
    r = wide.mul(wide.to_real(wide.shl(turns, 1)), wide.real(unit * 2.0**-64))
    return r, e.shl(e.truncate_integer(odd), 31)


def reduce_large(e: Emitter, x: SSAValue, quarter: bool) -> tuple[SSAValue, SSAValue]:
    """(r, sign) of `reduce_small` for f32 x beyond its bound; r is NaN for infinite x."""
    wide = e.with_bits(64)
    turns = half_turns(e, x)
    if quarter:
        turns = wide.iadd(turns, wide.integer(1 << 62))
    r, sign = split_turns(e, turns, 3.141592653589793)
    return e.add(e.truncate(r), e.sub(x, x)), sign


def sine_polynomial(e: Emitter, r: SSAValue) -> SSAValue:
    """sin(r) for |r| <= pi/2."""
    square = e.mul(r, r)
    sine = e.fma_exact(e.mul(r, square), e.horner(square, table(e).sin), r)
    if e.has_fma:
        return sine
    return e.at_least(e.at_most(sine, 1.0), -1.0)  # the two roundings of Horner's steps overshoot


def reduce_small(e: Emitter, x: SSAValue, quarter: bool) -> tuple[SSAValue, SSAValue]:
    """(r, sign) for 0 <= x <= bound; `sign` has the top bit set where N is odd."""
    t = table(e)
    magic = e.real(1.5 * 2.0**t.fraction_bits)
    half = e.real(0.5)
    if quarter:
        sum_ = e.add(e.fma(x, e.real(INVERSE_PI), half), magic)
        n = e.sub(e.sub(sum_, magic), half)
    else:
        sum_ = e.fma(x, e.real(INVERSE_PI), magic)
        n = e.sub(sum_, magic)
    return subtract_multiple(e, x, n, t.pi), e.shl(e.bits_of(sum_), e.bits - 1)


def _sin_or_cos(e: Emitter, x: SSAValue, quarter: bool) -> SSAValue:
    size = e.abs(x)
    r, sign = reduce_small(e, size, quarter)
    large = e.compare("ogt", size, e.real(table(e).bound))
    if e.bits == 32:
        body = e.nested()
        large_r, large_sign = reduce_large(body, size, quarter)
        chosen = [body.select(large, large_r, r), body.select(large, large_sign, sign)]
        r, sign = e.if_else(e.any(large), body, chosen, [r, sign])
    if not quarter:  # sin(-x) = -sin(x), and -0.0 stays
        sign = e.xor(sign, e.xor(e.bits_of(x), e.bits_of(size)))
    result = e.from_bits(e.xor(e.bits_of(sine_polynomial(e, r)), sign))
    if e.bits == 64:
        result = e.rarely(math.CosOp if quarter else math.SinOp, x, large, result)
    return result


def sin(e: Emitter, x: SSAValue) -> SSAValue:
    """sin(x); NaN at the infinities."""
    return _sin_or_cos(e, x, quarter=False)


def cos(e: Emitter, x: SSAValue) -> SSAValue:
    """cos(x); NaN at the infinities."""
    return _sin_or_cos(e, x, quarter=True)


def _tan32(e: Emitter, x: SSAValue) -> SSAValue:
    wide, size = e.with_bits(64), e.abs(x)
    magic = e.real(1.5 * 2.0**23)
    sum_ = e.fma(size, e.real(2.0 * INVERSE_PI), magic)
    n = e.sub(sum_, magic)
    high = wide.extend(e.fma_exact(n, e.real(-_HALF_PI32[0]), size))  # exact
    r = wide.fma(wide.extend(n), wide.real(-_HALF_PI32[1]), high)
    sign = e.shl(e.bits_of(sum_), 31)
    large = e.compare("ogt", size, e.real(_TABLE32.bound))
    body = e.nested()
    body_wide = body.with_bits(64)
    turns = body_wide.shl(half_turns(body, size), 1)
    large_r, large_sign = split_turns(body, turns, _HALF_PI[0])
    large_r = body_wide.add(large_r, body_wide.extend(body.sub(size, size)))
    chosen = [body.select(large, large_r, r), body.select(large, large_sign, sign)]
    r, sign = e.if_else(e.any(large), body, chosen, [r, sign])
    z = wide.mul(r, r)
    sine = wide.fma(wide.mul(r, z), wide.horner(z, _SIN_SHORT), r)
    cosine = wide.horner(z, (1.0, -0.5, *_COS_SHORT))
    odd = e.compare_integer("slt", sign, e.integer(0))
    ratio = wide.div(wide.select(odd, cosine, sine), wide.select(odd, sine, cosine))
    sign = e.xor(sign, e.xor(e.bits_of(x), e.bits_of(size)))
    return e.from_bits(e.xor(e.bits_of(e.truncate(ratio)), sign))


def _tan64(e: Emitter, x: SSAValue) -> SSAValue:
    """The ratio of sine and cosine, each in two terms, of r in two terms."""
    size = e.abs(x)
    magic = e.real(1.5 * 2.0**52)
    sum_ = e.fma(size, e.real(2.0 * INVERSE_PI), magic)
    n = e.sub(sum_, magic)
    first = e.fma_exact(n, e.real(-_HALF_PI[0]), size)  # exact
    second, s_low = e.product_exact(n, e.real(-_HALF_PI[1]))
    r, r_low = e.sum_exact(first, second)
    r_low = e.add(r_low, e.fma(n, e.real(-_HALF_PI[2]), s_low))
    one = e.real(1.0)
    z = e.mul(r, r)
    half_z = e.mul(z, e.real(0.5))
    sine, sine_low = e.sum_ordered(
        r, e.fma(e.mul(r, z), e.horner(z, _SIN), e.mul(r_low, e.sub(one, half_z)))
    )
    correction = e.fma(e.mul(z, z), e.horner(z, _COS), e.neg(e.mul(r, r_low)))
    cosine, cosine_low = e.sum_ordered(one, e.sub(correction, half_z))
    sign = e.shl(e.bits_of(sum_), 63)
    odd = e.compare_integer("slt", sign, e.integer(0))
    top, top_low = e.select(odd, cosine, sine), e.select(odd, cosine_low, sine_low)
    bottom, bottom_low = e.select(odd, sine, cosine), e.select(odd, sine_low, cosine_low)
    inverse = e.div(one, bottom)
    ratio = e.mul(top, inverse)
    product, p_low = e.product_exact(ratio, bottom)
    lost = e.sub(e.sub(e.sub(top, product), p_low), e.fma(ratio, bottom_low, e.neg(top_low)))
    ratio = e.fma(lost, inverse, ratio)
    sign = e.xor(sign, e.xor(e.bits_of(x), e.bits_of(size)))
    result = e.from_bits(e.xor(e.bits_of(ratio), sign))
    return e.rarely(math.TanOp, x, e.compare("ogt", size, e.real(_TABLE64.bound)), result)


def tan(e: Emitter, x: SSAValue) -> SSAValue:
    """tan(x); NaN at the infinities."""
    return _tan32(e, x) if e.bits == 32 else _tan64(e, x)
