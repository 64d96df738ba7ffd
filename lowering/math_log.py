"""log, log2, log10 and log1p: exponent extraction and a polynomial.

x = 2^k m with m in [2/3, 4/3) in f32, [sqrt(1/2), sqrt(2)) in f64, and f = m - 1. In base b,
log_b(1 + f) = h f + (f (L - h) - w L) with L = log_b(e), h = 1 or 1/2 near L (so that h f is
exact) and w = f - log(1 + f), about f^2 / 2. f32 takes w from a polynomial in f; f64, where that
would need 20 terms, from log(1 + f) = 2 atanh(s), s = f / (2 + f):
w = f^2/2 - s (f^2/2 + R(s^2)). Coefficients: `tests/fit_polynomials.py`, log32 and log64.
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

    `offset` is the bit pattern of m's lower end; 2^scale_bits lifts denormals to normal numbers.
    """

    fraction_bits: int
    offset: int
    smallest_normal: float
    scale_bits: int
    coefficients: tuple[float, ...]
    bases: dict[str, Base]


_TABLE32 = LogTable(
    fraction_bits=23,
    offset=0x3F2AAAAB,
    smallest_normal=2.0**-126,
    scale_bits=23,
    coefficients=(
        0.33333215,
        -0.24999806,
        0.20010492,
        -0.16680036,
        0.14004396,
        -0.121913515,
        0.13992059,
        -0.1285733,
    ),
    bases={
        "e": Base(1.0, 0.0, 0.693145751953125, 1.4286068e-06),
        "2": Base(1.0, 0.4426950408889634, 1.0, 0.0),
        "10": Base(0.5, -0.06570551809674817, 0.301025390625, 4.605039e-06),
    },
)

_TABLE64 = LogTable(
    fraction_bits=52,
    offset=0x3FE6A09E667F3BCD,
    smallest_normal=2.0**-1022,
    scale_bits=52,
    coefficients=(
        0.6666666666666734,
        0.39999999999416697,
        0.2857142874203587,
        0.2222219860119278,
        0.18183563219073312,
        0.15314071331961085,
        0.1479580691757547,
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


def split(e: Emitter, bits: SSAValue) -> tuple[SSAValue, SSAValue]:
    """(k, m): bits of a positive normal float = 2^k m, k an integer, m as bits."""
    t = table(e)
    offset = e.integer(t.offset)
    above = e.isub(bits, offset)
    k = e.sar(above, t.fraction_bits)
    m = e.iadd(e.and_(above, e.integer((1 << t.fraction_bits) - 1)), offset)
    return k, m


def deficit(e: Emitter, f: SSAValue) -> SSAValue:
    """w = f - log(1 + f) for the f of `split`."""
    t = table(e)
    if e.bits == 32:
        square = e.mul(f, f)
        cubic = e.horner(f, t.coefficients)
        return e.mul(square, e.fma(e.neg(f), cubic, e.real(0.5)))
    half_square = e.mul(e.mul(f, e.real(0.5)), f)
    s = e.div(f, e.add(f, e.real(2.0)))
    z = e.mul(s, s)
    series = e.mul(z, e.horner(z, t.coefficients))
    return e.sub(half_square, e.mul(s, e.add(half_square, series)))


def log_of_parts(e: Emitter, base: str, k: SSAValue, f: SSAValue) -> SSAValue:
    """log_b(2^k (1 + f)), k an integer-valued float."""
    b = table(e).bases[base]
    w = deficit(e, f)
    if base == "e":
        tail = e.fma(k, e.real(b.low), e.neg(w))
        return e.fma(k, e.real(b.high), e.add(f, tail))
    # k * high + head * f loses nothing where it matters: |k| = 1 and a result that cancels
    tail = e.fma(f, e.real(b.tail), e.mul(w, e.real(-b.head - b.tail)))
    if base == "2":
        return e.add(e.add(k, f), tail)
    tail = e.fma(k, e.real(b.low), tail)
    return e.add(e.fma(k, e.real(b.high), e.mul(f, e.real(b.head))), tail)


def with_special_values(e: Emitter, x: SSAValue, result: SSAValue) -> SSAValue:
    """`result` where 0 < x < inf; -inf at 0, NaN below, inf and NaN unchanged."""
    zero = e.real(0.0)
    pole = e.select(e.compare("oeq", x, zero), e.real(float("-inf")), e.real(float("nan")))
    result = e.select(e.compare("ogt", x, zero), result, pole)
    return e.select(e.compare("ult", x, e.real(float("inf"))), result, e.add(x, x))


def _log(e: Emitter, x: SSAValue, base: str) -> SSAValue:
    t = table(e)
    denormal = e.compare("olt", x, e.real(t.smallest_normal))
    lifted = e.select(denormal, e.mul(x, e.real(2.0**t.scale_bits)), x)
    k, m = split(e, e.bits_of(lifted))
    k = e.to_real(k)
    k = e.add(k, e.select(denormal, e.real(-float(t.scale_bits)), e.real(0.0)))
    f = e.sub(e.from_bits(m), e.real(1.0))
    return with_special_values(e, x, log_of_parts(e, base, k, f))


def log(e: Emitter, x: SSAValue) -> SSAValue:
    """Natural logarithm."""
    return _log(e, x, "e")


def log2(e: Emitter, x: SSAValue) -> SSAValue:
    """Logarithm in base 2, exact for powers of two."""
    return _log(e, x, "2")


def log10(e: Emitter, x: SSAValue) -> SSAValue:
    """Logarithm in base 10."""
    return _log(e, x, "10")
