"""log, log2, log10 and log1p: exponent extraction and a polynomial.

x = 2^k m with m in [2/3, 4/3) in f32, [sqrt(1/2), sqrt(2)) in f64, and f = m - 1. In base b,
log_b(1 + f) = h f + (f (L - h) + w L) with L = log_b(e), h = 1 or 1/2 near L (so that h f is
exact) and w = log(1 + f) - f, about -f^2 / 2. f32 takes w from a polynomial in f; f64, where that
would need 20 terms, from log(1 + f) = 2 atanh(s), s = f / (2 + f):
w = s (f^2/2 + R(s^2)) - f^2/2. Coefficients: `tests/fit_polynomials.py`, log32 and log64.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from lamina.lowering.math_builder import Emitter


@dataclass(frozen=True)
class Base:
    """log_b(e) = head + tail; log_b(2) = high + low, with n * high exact for every exponent n."""

    head: float
    tail: float
    high: float
    low: float


@dataclass(frozen=True)
class LogTable:
    """Constants of one format.

    `offset` is the bit pattern of m's lower end; 2^scale_bits lifts denormals to normal numbers;
    `base` is explained at `split`.
    """

    fraction_bits: int
    bias: int
    base: int
    offset: int
    smallest_normal: float
    scale_bits: int
    coefficients: tuple[float, ...]
    bases: dict[str, Base]


_TABLE32 = LogTable(
    fraction_bits=23,
    bias=127,
    base=0,
    offset=0x3F2AAAAB,
    smallest_normal=2.0**-126,
    scale_bits=23,
    coefficients=(
        0.33333215,
        -0.24999806,
        0.20010465,
        -0.1668003,
        0.14004762,
        -0.12191465,
        0.1399047,
        -0.1285676,
    ),
    bases={
        "e": Base(1.0, 0.0, 0.693145751953125, 1.4286068e-06),
        "2": Base(1.0, 0.4426950408889634, 1.0, 0.0),
        "10": Base(0.5, -0.06570551809674817, 0.301025390625, 4.605039e-06),
    },
)

_TABLE64 = LogTable(
    fraction_bits=52,
    bias=1023,
    base=1024,
    offset=0x3FE6A09E667F3BCD,
    smallest_normal=2.0**-1022,
    scale_bits=52,
    coefficients=(
        0.6666666666666734,
        0.3999999999941677,
        0.28571428742000504,
        0.2222219860668731,
        0.18183562855145277,
        0.1531408216385471,
        0.14795687346279066,
    ),
    bases={
        "e": Base(1.0, 0.0, 0.693147180559663, 2.8235290563031577e-13),
        "2": Base(1.0, 0.4426950408889634, 1.0, 0.0),
        "10": Base(0.5, -0.06570551809674817, 0.30102999566361177, 3.694239077158931e-13),
    },
)


def table(e: Emitter) -> LogTable:
    """The constants of `e`'s format."""
    return _TABLE32 if e.bits == 32 else _TABLE64


def split(e: Emitter, bits: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """(k, f, above): `bits` of a positive normal float = 2^k (1 + f), k an integer-valued float.

    Above its fraction bits the integer `above` is k + `base`. In f64 that is positive, since AVX2
    has neither an arithmetic shift nor a conversion of 64-bit integers: k comes from the low bits
    of a float near 2^52.
    """
    t = table(e)
    fraction = e.integer((1 << t.fraction_bits) - 1)
    above = e.isub(bits, e.integer(t.offset - (t.base << t.fraction_bits)))
    m = e.iadd(e.and_(above, fraction), e.integer(t.offset))
    f = e.sub(e.from_bits(m), e.real(1.0))
    if e.bits == 32:
        return e.to_real(e.sar(above, t.fraction_bits)), f, above
    shifted = e.or_(e.shr(above, t.fraction_bits), e.integer(0x433 << t.fraction_bits))
    return e.sub(e.from_bits(shifted), e.real(2.0**52 + t.base)), f, above


def excess(e: Emitter, f: SSAValue) -> SSAValue:
    """log(1 + f) - f for the f of `split`."""
    t = table(e)
    if e.bits == 32:
        return e.mul(e.mul(f, f), e.horner(f, (-0.5, *t.coefficients)))
    half_square = e.mul(e.mul(f, e.real(0.5)), f)
    s = e.div(f, e.add(f, e.real(2.0)))
    z = e.mul(s, s)
    series = e.mul(z, e.horner(z, t.coefficients))
    return e.sub(e.mul(s, e.add(half_square, series)), half_square)


def log_of_parts(e: Emitter, base: str, k: SSAValue, f: SSAValue) -> SSAValue:
    """log_b(2^k (1 + f)), k an integer-valued float."""
    b = table(e).bases[base]
    w = excess(e, f)
    if base == "e":
        tail = e.fma(k, e.real(b.low), w)
        return e.fma(k, e.real(b.high), e.add(f, tail))
    # k * high + head * f loses nothing where it matters: |k| = 1 and a result that cancels
    tail = e.fma(f, e.real(b.tail), e.mul(w, e.real(b.head + b.tail)))
    if base == "2":
        return e.add(e.add(k, f), tail)
    tail = e.fma(k, e.real(b.low), tail)
    return e.add(e.fma(k, e.real(b.high), e.mul(f, e.real(b.head))), tail)


def with_special_values(e: Emitter, x: SSAValue, result: SSAValue) -> SSAValue:
    """`result` where 0 < x < inf; -inf at 0, NaN below, inf and NaN unchanged."""
    zero = e.real(0.0)
    pole = e.select(e.compare("oeq", x, zero), e.real(float("-inf")), e.real(float("nan")))
    result = e.select(e.compare("ogt", x, zero), result, pole)
    return e.select(e.compare("ult", x, e.real(float("inf"))), result, x)


def split_any(e: Emitter, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """(k, f): x = 2^k (1 + f) for x > 0, also a denormal."""
    t = table(e)
    denormal = e.compare("olt", x, e.real(t.smallest_normal))
    lifted = e.select(denormal, e.mul(x, e.real(2.0**t.scale_bits)), x)
    k, f, _ = split(e, e.bits_of(lifted))
    return e.add(k, e.select(denormal, e.real(-float(t.scale_bits)), e.real(0.0))), f


def _log(e: Emitter, x: SSAValue, base: str) -> SSAValue:
    return with_special_values(e, x, log_of_parts(e, base, *split_any(e, x)))


def log(e: Emitter, x: SSAValue) -> SSAValue:
    """Natural logarithm."""
    return _log(e, x, "e")


def log2(e: Emitter, x: SSAValue) -> SSAValue:
    """Logarithm in base 2, exact for powers of two."""
    return _log(e, x, "2")


def log10(e: Emitter, x: SSAValue) -> SSAValue:
    """Logarithm in base 10."""
    return _log(e, x, "10")


def log_of_sum(e: Emitter, high: SSAValue, low: SSAValue, more: SSAValue | None = None) -> SSAValue:
    """log(high + low), plus `more` * ln 2: high >= 2^-60 is normal, |low| at most an ulp of it."""
    t = table(e)
    k, f, above = split(e, e.bits_of(high))
    # 2^-k, and 0 for the largest k, where low means nothing
    exponent = e.and_(above, e.integer(-1 << t.fraction_bits))
    down = e.isub(e.integer((t.base + t.bias) << t.fraction_bits), exponent)
    f = e.fma(low, e.at_least(e.from_bits(down), 0.0), f)
    return log_of_parts(e, "e", k if more is None else e.add(k, more), f)


def log1p(e: Emitter, x: SSAValue) -> SSAValue:
    """log(1 + x): -inf at -1, NaN below, -0.0 kept."""
    high, low = e.sum_exact(e.real(1.0), x)
    return e.copysign(with_special_values(e, high, log_of_sum(e, high, low)), x)
