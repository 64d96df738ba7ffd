"""Complex arithmetic, as formulas on real and imaginary parts.

Eager and compiled code so give equal bits, and lowering needs to know real numbers only. A product
with an infinity may hold NaN, as the formula gives it.
"""

from __future__ import annotations

import math

from lamina.frontend import dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import bind, constant, duplicate, full, view
from lamina.frontend.shapes import Shape


def is_complex(x: Array) -> bool:
    """Whether the elements are complex."""
    return x.dtype in dtypes.COMPLEX


def parts(x: Array) -> tuple[Array, Array]:
    """Real and imaginary part."""
    return bind("real", x), bind("imag", x)


def joined(re: Array, im: Array) -> Array:
    """re + im i."""
    return bind("complex", re, im)


def _number(value: float, x: Array) -> Array:
    """`value` everywhere, in the shape and type of `x`."""
    return full(value, x.shape, x.dtype)


def product(x: Array, y: Array) -> Array:
    """(a + b i)(c + d i) = (a c - b d) + (a d + b c) i."""
    (a, b), (c, d) = parts(x), parts(y)
    re = bind("subtract", bind("multiply", a, c), bind("multiply", b, d))
    im = bind("add", bind("multiply", a, d), bind("multiply", b, c))
    return joined(re, im)


def quotient(x: Array, y: Array) -> Array:
    """x / y by Smith's method (R. L. Smith, Algorithm 116: complex division, 1962).

    With |c| >= |d|: r = d / c, (a + b i) / (c + d i) = ((a + b r) + (b - a r) i) / (c + d r); else
    the other way round. Off by at most 8 units of rounding of abs(x / y). x / 0 has infinite parts.
    """
    (a, b), (c, d) = parts(x), parts(y)
    straight = bind("greater_equal", bind("abs", c), bind("abs", d))
    larger, smaller = bind("select", straight, c, d), bind("select", straight, d, c)
    zero = _number(0, larger)
    ratio = bind("divide", smaller, larger)
    ratio = bind("select", bind("equal", larger, zero), zero, ratio)
    divisor = bind("add", larger, bind("multiply", smaller, ratio))
    a_part, b_part = bind("multiply", a, ratio), bind("multiply", b, ratio)
    re = bind("select", straight, bind("add", a, b_part), bind("add", a_part, b))
    im = bind("select", straight, bind("subtract", b, a_part), bind("subtract", b_part, a))
    return joined(bind("divide", re, divisor), bind("divide", im, divisor))


def magnitude(x: Array) -> Array:
    """hypot(re, im)."""
    return bind("hypot", *parts(x))


def unit(x: Array) -> Array:
    """x / abs(x); of zero, zero."""
    size = magnitude(x)
    nothing = bind("equal", size, _number(0, size))

    def scaled(part: Array) -> Array:
        return bind("select", nothing, size, bind("divide", part, size))

    re, im = parts(x)
    return joined(scaled(re), scaled(im))


def conjugate(x: Array) -> Array:
    """re - im i."""
    re, im = parts(x)
    return joined(re, bind("negative", im))


_LARGE = {dtypes.float32: 80.0, dtypes.float64: 700.0}
"""Beyond, exp(re) overflows before exp(re) cos(im) does."""


def exponential(x: Array) -> Array:
    """exp(re) (cos(im) + sin(im) i), special values as in C99 Annex G; each part within 8 ulp."""
    re, im = parts(x)
    large = bind("greater", re, _number(_LARGE[re.dtype], re))
    shift = bind("select", large, _number(32, re), _number(0, re))
    scale = bind("select", large, _number(math.exp(32), re), _number(1, re))
    size = bind("exp", bind("subtract", re, shift))

    def scaled(angle: Array) -> Array:
        return bind("multiply", bind("multiply", size, angle), scale)

    infinity = _number(math.inf, re)
    finite = bind("less", bind("abs", im), infinity)
    endless = bind("equal", bind("abs", re), infinity)
    nan, zero = _number(math.nan, re), _number(0, re)
    odd = bind("select", endless, size, nan)  # of an angle that is no number
    real_part = bind("select", finite, scaled(bind("cos", im)), odd)
    gone = bind("equal", re, _number(-math.inf, re))
    odd = bind("select", gone, zero, nan)
    imaginary = bind("select", finite, scaled(bind("sin", im)), odd)
    imaginary = bind("select", bind("equal", im, zero), im, imaginary)
    return joined(real_part, imaginary)


def contraction(x: Array, y: Array, batch: tuple[Shape, Shape], sums: tuple[Shape, Shape]) -> Array:
    """A sum of products, by four of the parts."""
    (a, b), (c, d) = parts(x), parts(y)

    def dot(left: Array, right: Array) -> Array:
        return bind(
            "dot_general",
            left,
            right,
            lhs_batch=batch[0],
            rhs_batch=batch[1],
            lhs_contract=sums[0],
            rhs_contract=sums[1],
        )

    re = bind("subtract", dot(a, c), dot(b, d))
    return joined(re, bind("add", dot(a, d), dot(b, c)))


def product_along(x: Array, axis: int) -> Array:
    """The product along an axis, which goes away: the first half by the second, again and again."""
    if x.shape[axis] == 0:
        shape = x.shape[:axis] + x.shape[axis + 1 :]
        return full(constant(dtypes.scalar_array(1, x.dtype)), shape, x.dtype)

    def part(low: int, high: int) -> Array:
        starts, limits = [0] * x.ndim, list(x.shape)
        starts[axis], limits[axis] = low, high
        steps = (1,) * x.ndim
        return view("slice", x, starts=tuple(starts), limits=tuple(limits), strides=steps)

    rest: Array | None = None
    while (size := x.shape[axis]) > 1:
        half = size // 2
        if size % 2:
            last = part(size - 1, size)
            rest = last if rest is None else product(rest, last)
        x = product(part(0, half), part(half, 2 * half))
    x = x if rest is None else product(x, rest)
    return view("reshape", x, shape=x.shape[:axis] + x.shape[axis + 1 :])


def running_product(x: Array, axis: int) -> Array:
    """The products of the elements up to each one along an axis: of 2, then 4, 8, ... elements
    (W. D. Hillis, G. L. Steele, Data parallel algorithms, 1986)."""
    size, reach = x.shape[axis], 1
    one = constant(dtypes.scalar_array(1, x.dtype))
    x = duplicate(x)
    while reach < size:
        starts, limits = [0] * x.ndim, list(x.shape)
        limits[axis] = size - reach
        steps = (1,) * x.ndim
        earlier = view("slice", x, starts=tuple(starts), limits=tuple(limits), strides=steps)
        ones = full(one, (*x.shape[:axis], reach, *x.shape[axis + 1 :]), x.dtype)
        x = product(bind("concat", ones, earlier, axis=axis), x)
        reach *= 2
    return x
