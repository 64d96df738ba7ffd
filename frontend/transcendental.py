"""Powers, exponentials, logarithms, trigonometry and error functions: within 2 ulp (sqrt exact).

Operands promote and broadcast as in `elementwise`, with the same errors. Special values are those
of C99 Annex F.
"""

from __future__ import annotations

from lamina.frontend import complex_functions, complexes, dtypes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, cast, check_dtype, full, result_dtype, unify
from lamina.frontend.dispatch import public
from lamina.frontend.elementwise import abs, add, binary, maximum, negative, subtract, unary


def _unary(name: str, x: ArrayLike) -> Array:
    """The primitive `name`, or the formula for complex numbers."""
    array = as_array(name, x)
    if complexes.is_complex(array):
        return complex_functions.apply(complex_functions.FUNCTIONS[name], array)
    return unary(name, array, dtypes.FLOATS_OR_COMPLEX)


@public
def sqrt(x: ArrayLike, /) -> Array:
    """Square root, correctly rounded. Floating-point.

    >>> lm.sqrt(lm.asarray([4.0, 9.0]))
    Array([2., 3.])
    """
    return _unary("sqrt", x)


@public
def exp(x: ArrayLike, /) -> Array:
    """e to the power x. Floating-point or complex: exp(re) (cos(im) + sin(im) i).

    >>> lm.exp(lm.asarray([0.0]))
    Array([1.])
    """
    array = as_array("exp", x)
    if complexes.is_complex(array):
        return complexes.exponential(array)
    return unary("exp", array, dtypes.FLOATS_OR_COMPLEX)


@public
def exp2(x: ArrayLike, /) -> Array:
    """2 to the power x. Floating-point.

    >>> lm.exp2(lm.asarray([3.0]))
    Array([8.])
    """
    return unary("exp2", x, dtypes.FLOATS)


@public
def expm1(x: ArrayLike, /) -> Array:
    """exp(x) - 1, exact near 0. Floating-point.

    >>> lm.expm1(lm.asarray([0.0]))
    Array([0.])
    """
    return _unary("expm1", x)


@public
def log(x: ArrayLike, /) -> Array:
    """Natural logarithm. Floating-point.

    >>> lm.log(lm.asarray([1.0]))
    Array([0.])
    """
    return _unary("log", x)


@public
def log1p(x: ArrayLike, /) -> Array:
    """log(1 + x), exact near 0. Floating-point.

    >>> lm.log1p(lm.asarray([0.0]))
    Array([0.])
    """
    return _unary("log1p", x)


@public
def log2(x: ArrayLike, /) -> Array:
    """Logarithm to base 2. Floating-point.

    >>> lm.log2(lm.asarray([8.0]))
    Array([3.])
    """
    return _unary("log2", x)


@public
def log10(x: ArrayLike, /) -> Array:
    """Logarithm to base 10. Floating-point.

    >>> lm.log10(lm.asarray([100.0]))
    Array([2.])
    """
    return _unary("log10", x)


@public
def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """log(exp(x1) + exp(x2)) = max + log1p(exp(-abs(x1 - x2))). Floating-point.

    Half types are computed in float32 and rounded once.

    >>> lm.logaddexp(lm.asarray([0.0]), float("-inf"))
    Array([0.])
    """
    dtype = result_dtype("logaddexp", (x1, x2))
    check_dtype("logaddexp", dtype, dtypes.FLOATS)
    a, b = (cast(x, dtypes.wide(dtype)) for x in unify("logaddexp", (x1, x2), dtype))
    same = bind("equal", a, b)  # also two infinities, whose difference is NaN
    gap = abs(subtract(a, b))
    gap = bind("select", same, full(0, gap.shape, gap.dtype), gap)
    return cast(add(maximum(a, b), log1p(exp(negative(gap)))), dtype)


@public
def sin(x: ArrayLike, /) -> Array:
    """Sine of radians. Floating-point.

    >>> lm.sin(lm.asarray([0.0]))
    Array([0.])
    """
    return _unary("sin", x)


@public
def cos(x: ArrayLike, /) -> Array:
    """Cosine of radians. Floating-point.

    >>> lm.cos(lm.asarray([0.0]))
    Array([1.])
    """
    return _unary("cos", x)


@public
def tan(x: ArrayLike, /) -> Array:
    """Tangent of radians. Floating-point.

    >>> lm.tan(lm.asarray([0.0]))
    Array([0.])
    """
    return _unary("tan", x)


@public
def sinh(x: ArrayLike, /) -> Array:
    """Hyperbolic sine. Floating-point.

    >>> lm.sinh(lm.asarray([0.0]))
    Array([0.])
    """
    return _unary("sinh", x)


@public
def cosh(x: ArrayLike, /) -> Array:
    """Hyperbolic cosine. Floating-point.

    >>> lm.cosh(lm.asarray([0.0]))
    Array([1.])
    """
    return _unary("cosh", x)


@public
def tanh(x: ArrayLike, /) -> Array:
    """Hyperbolic tangent. Floating-point.

    >>> lm.tanh(lm.asarray([0.0, 50.0]))
    Array([0., 1.])
    """
    return _unary("tanh", x)


@public
def asinh(x: ArrayLike, /) -> Array:
    """Number whose hyperbolic sine is x. Floating-point.

    >>> lm.asinh(lm.asarray([0.0]))
    Array([0.])
    """
    return _unary("asinh", x)


@public
def acosh(x: ArrayLike, /) -> Array:
    """Number of 0 or more whose hyperbolic cosine is x; NaN below 1. Floating-point.

    >>> lm.acosh(lm.asarray([1.0, 0.0]))
    Array([ 0., nan])
    """
    return _unary("acosh", x)


@public
def atanh(x: ArrayLike, /) -> Array:
    """Number whose hyperbolic tangent is x; NaN outside [-1, 1]. Floating-point.

    >>> lm.atanh(lm.asarray([0.0, 1.0]))
    Array([ 0., inf])
    """
    return _unary("atanh", x)


@public
def asin(x: ArrayLike, /) -> Array:
    """Angle in radians whose sine is x; NaN outside [-1, 1]. Floating-point.

    >>> lm.asin(lm.asarray([0.0, 2.0]))
    Array([ 0., nan])
    """
    return _unary("asin", x)


@public
def acos(x: ArrayLike, /) -> Array:
    """Angle in radians whose cosine is x; NaN outside [-1, 1]. Floating-point.

    >>> lm.acos(lm.asarray([1.0, 2.0]))
    Array([ 0., nan])
    """
    return _unary("acos", x)


@public
def atan(x: ArrayLike, /) -> Array:
    """Angle in radians whose tangent is x, from -pi/2 to pi/2. Floating-point.

    >>> lm.atan(lm.asarray([0.0, 1.0]))
    Array([0.        , 0.78539816])
    """
    return _unary("atan", x)


@public
def atan2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Angle in radians of the point (x2, x1), from -pi to pi. Floating-point.

    >>> lm.atan2(lm.asarray([0.0]), lm.asarray([1.0]))
    Array([0.])
    """
    return binary("atan2", x1, x2, dtypes.FLOATS)


@public
def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """sqrt(x1^2 + x2^2), also where a square overflows; an infinity wins over NaN. Floating-point.

    >>> lm.hypot(lm.asarray([3.0]), 4)
    Array([5.])
    """
    return binary("hypot", x1, x2, dtypes.FLOATS)


@public
def erf(x: ArrayLike, /) -> Array:
    """Error function. Floating-point.

    >>> lm.erf(lm.asarray([0.0]))
    Array([0.])
    """
    return unary("erf", x, dtypes.FLOATS)


@public
def erfc(x: ArrayLike, /) -> Array:
    """1 - erf(x), accurate where erf(x) is near 1. Floating-point.

    >>> lm.erfc(lm.asarray([0.0, 30.0]))
    Array([1., 0.])
    """
    return unary("erfc", x, dtypes.FLOATS)
