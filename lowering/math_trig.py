"""sin, cos and tan: reduction modulo pi, then one odd polynomial on [-pi/2, pi/2].

|x| + c pi = N pi + r with N an integer (c = 0 for sin, 1/2 for cos), so that the result is
(-1)^N sin(r). Up to `bound` the reduction subtracts N pi in three parts (Cody and Waite). Beyond it
f32 multiplies the integer significand by a 96-bit window of 1/pi (Payne and Hanek), and f64 calls
libm lane by lane; that code runs only when some lane needs it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from lamina.lowering.math_builder import Emitter

INVERSE_PI = 0.3183098861837907


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
    sin=(-0.1666666, 0.008333066, -0.0001980939, 2.6049256e-06),
)

_TABLE64 = TrigTable(
    fraction_bits=52,
    bound=2.0**30,
    pi=(3.141592653589793, 1.2246467991473532e-16, -2.9947698097183397e-33),
    sin=(
        -0.16666666666666666,
        0.008333333333333207,
        -0.00019841269841212663,
        2.7557319211571947e-06,
        -2.505210690430262e-08,
        1.6058940990504416e-10,
        -7.643018914079694e-13,
        2.7214130068888533e-15,
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


def reduce_large(e: Emitter, x: SSAValue, quarter: bool) -> tuple[SSAValue, SSAValue]:
    """(r, sign): |x| >= 2^17 in f32 by a fixed-point product with 1/pi, to 2^-62 of a turn.

    x = m 2^(s - 6) with m < 2^24 and s in [0, 110]; x / pi in units of 2^-63, modulo 2^64, is
    m * W / 2^32 with W the 96 bits of 1/pi that start at bit s: what is left of them counts whole
    turns. `sign` is 2^31 where the number of half turns is odd.
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

    turns = wide.iadd(
        wide.shl(wide.imul(m, window(0)), 32),
        wide.iadd(wide.imul(m, window(1)), wide.shr(wide.imul(m, window(2)), 32)),
    )
    if quarter:
        turns = wide.iadd(turns, wide.integer(1 << 62))
    odd = wide.shr(wide.iadd(turns, wide.integer(1 << 62)), 63)
    fraction = wide.to_real(wide.shl(turns, 1))
    r = e.truncate(wide.mul(fraction, wide.real(3.141592653589793 * 2.0**-64)))
    # inf - inf makes the NaN of an infinite argument
    return e.add(r, e.sub(x, x)), e.shl(e.truncate_integer(odd), 31)


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
        result = e.per_lane_call("cos" if quarter else "sin", x, large, result)
    return result


def sin(e: Emitter, x: SSAValue) -> SSAValue:
    """sin(x); NaN at the infinities."""
    return _sin_or_cos(e, x, quarter=False)


def cos(e: Emitter, x: SSAValue) -> SSAValue:
    """cos(x); NaN at the infinities."""
    return _sin_or_cos(e, x, quarter=True)
