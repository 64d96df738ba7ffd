"""Elementwise functions of the Array API: operands promote to one dtype and broadcast to one shape.

Arrays, NumPy arrays and Python numbers are taken. Errors: `ShapeError` where shapes do not
broadcast, `DTypeError` where the common dtype is not of the family that the docstring names.
"""

from __future__ import annotations

import numpy as np

from lamina.errors import DomainError
from lamina.frontend import complex_functions, complexes, dtypes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import (
    as_array,
    bind,
    cast,
    check_dtype,
    constant,
    duplicate,
    eager_pair,
    is_weak,
    result_dtype,
    unify,
)
from lamina.frontend.checks import check
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import DType


def binary(
    name: str, x1: ArrayLike, x2: ArrayLike, family: frozenset[DType], op: str = ""
) -> Array:
    """The primitive `op` (or `name`) on two operands whose common dtype must be of `family`."""
    if (pair := eager_pair(x1, x2, family)) is not None:
        return bind(op or name, *pair)
    dtype = result_dtype(name, (x1, x2))
    check_dtype(name, dtype, family)
    return bind(op or name, *unify(name, (x1, x2), dtype))


def unary(name: str, x: ArrayLike, family: frozenset[DType]) -> Array:
    """The primitive `name` on an operand whose dtype must be of `family`."""
    array = as_array(name, x)
    check_dtype(name, array.dtype, family)
    return bind(name, array)


# arithmetic


@public
def add(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Sum. Numeric; integers wrap.

    >>> lm.add(lm.asarray([1, 2]), 3)
    Array([4, 5])
    """
    return binary("add", x1, x2, dtypes.NUMERIC)


@public
def subtract(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Difference. Numeric; integers wrap.

    >>> lm.subtract(lm.asarray([1, 2]), 3)
    Array([-2, -1])
    """
    return binary("subtract", x1, x2, dtypes.NUMERIC)


@public
def multiply(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Product. Numeric; integers wrap; of complex numbers (a c - b d) + (a d + b c) i.

    >>> lm.multiply(lm.asarray([1, 2]), 3)
    Array([3, 6])
    """
    if (pair := eager_pair(x1, x2, dtypes.REAL)) is not None:
        return bind("multiply", *pair)
    dtype = result_dtype("multiply", (x1, x2))
    check_dtype("multiply", dtype, dtypes.NUMERIC)
    return product(*unify("multiply", (x1, x2), dtype))


def product(x: Array, y: Array) -> Array:
    """x * y of arrays that fit."""
    return complexes.product(x, y) if complexes.is_complex(x) else bind("multiply", x, y)


@public
def divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """IEEE quotient. Numeric; integers are cast to float64 first; complex numbers are divided by
    Smith's method, off by at most 8 units of rounding of abs(x1 / x2).

    >>> lm.divide(lm.asarray([1, 2]), 4)
    Array([0.25, 0.5 ])
    """
    if (pair := eager_pair(x1, x2, dtypes.FLOATS)) is not None:
        return bind("divide", *pair)
    dtype = result_dtype("divide", (x1, x2))
    check_dtype("divide", dtype, dtypes.NUMERIC)
    if dtype in dtypes.INTEGERS:
        x1, x2 = (cast(as_array("divide", x, dtype), dtypes.float64) for x in (x1, x2))
        dtype = dtypes.float64
    x, y = unify("divide", (x1, x2), dtype)
    return complexes.quotient(x, y) if complexes.is_complex(x) else bind("divide", x, y)


@public
def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Floor of the quotient. Real; an integer by 0 gives 0.

    >>> lm.floor_divide(lm.asarray([-7, 7]), lm.asarray([2, 0]))
    Array([-4,  0])
    """
    return binary("floor_divide", x1, x2, dtypes.REAL)


@public
def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Rest of the floor division, with the divisor's sign. Real; an integer by 0 gives 0.

    >>> lm.remainder(lm.asarray([-7, 7]), lm.asarray([2, 0]))
    Array([1, 0])
    """
    return binary("remainder", x1, x2, dtypes.REAL)


@public
def pow(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 to the power x2. Numeric. `DomainError` for an integer to a negative power.

    Of complex numbers exp(x2 log(x1)); products for a Python int from 0 to 64.

    >>> lm.pow(lm.asarray([2.0, 3.0]), 3)
    Array([ 8., 27.])
    """
    dtype = result_dtype("pow", (x1, x2))
    check_dtype("pow", dtype, dtypes.NUMERIC)
    if type(x2) is int and x2 == 2 and not is_weak(x1):
        return square(cast(as_array("pow", x1), dtype))
    base, exponent = unify("pow", (x1, x2), dtype)
    if complexes.is_complex(base):
        if type(x2) is int and 0 <= x2 <= 64:
            return complex_functions.integer_power(base, x2)
        return complex_functions.power(base, exponent)
    fine = isinstance(x2, int) and x2 >= 0
    if dtype.kind == "i" and exponent.size and not fine:
        least = bind("reduce", exponent, kind="min", axes=tuple(range(exponent.ndim)))
        check(
            bind("greater_equal", least, constant(np.zeros((), dtype))),
            DomainError,
            "pow: expected integer exponents of 0 or more, found {}; "
            "cast to a floating-point type first",
            least,
        )
    return bind("pow", base, exponent)


@public
def negative(x: ArrayLike, /) -> Array:
    """-x. Numeric; the smallest integer stays itself.

    >>> lm.negative(lm.asarray([1.0, -2.0]))
    Array([-1.,  2.])
    """
    return unary("negative", x, dtypes.NUMERIC)


@public
def positive(x: ArrayLike, /) -> Array:
    """A copy. Numeric.

    >>> lm.positive(lm.asarray([1.0]))
    Array([1.])
    """
    array = as_array("positive", x)
    check_dtype("positive", array.dtype, dtypes.NUMERIC)
    return duplicate(array)


@public
def abs(x: ArrayLike, /) -> Array:
    """Absolute value. Numeric; the smallest integer stays itself; of complex numbers the real
    hypot(real, imag).

    >>> lm.abs(lm.asarray([1.0, -2.0]))
    Array([1., 2.])
    """
    array = as_array("abs", x)
    if complexes.is_complex(array):
        return complexes.magnitude(array)
    return unary("abs", array, dtypes.NUMERIC)


@public
def sign(x: ArrayLike, /) -> Array:
    """-1, +0 or 1; NaN stays NaN. Numeric; of complex x, x / abs(x).

    >>> lm.sign(lm.asarray([3, -2, 0]))
    Array([ 1, -1,  0])
    """
    array = as_array("sign", x)
    return (
        complexes.unit(array) if complexes.is_complex(array) else unary("sign", x, dtypes.NUMERIC)
    )


@public
def square(x: ArrayLike, /) -> Array:
    """x * x. Numeric.

    >>> lm.square(lm.asarray([3, -2]))
    Array([9, 4])
    """
    array = as_array("square", x)
    check_dtype("square", array.dtype, dtypes.NUMERIC)
    return product(array, array)


@public
def reciprocal(x: ArrayLike, /) -> Array:
    """1 / x. Floating-point.

    >>> lm.reciprocal(lm.asarray([4.0, 0.5]))
    Array([0.25, 2.  ])
    """
    array = as_array("reciprocal", x)
    check_dtype("reciprocal", array.dtype, dtypes.FLOATS_OR_COMPLEX)
    return divide(1, array)


@public
def maximum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The larger; NaN wins, -0.0 < +0.0. Real.

    >>> lm.maximum(lm.asarray([1.0, float("nan")]), 2)
    Array([ 2., nan])
    """
    return binary("maximum", x1, x2, dtypes.REAL)


@public
def minimum(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The smaller; NaN wins, -0.0 < +0.0. Real.

    >>> lm.minimum(lm.asarray([1.0, 3.0]), 2)
    Array([1., 2.])
    """
    return binary("minimum", x1, x2, dtypes.REAL)


@public
def clip(x: ArrayLike, /, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array:
    """minimum(maximum(x, min), max), of the dtype of x. Real; bounds broadcast to x.

    >>> lm.clip(lm.asarray([1, 5, 9]), 2, 8)
    Array([2, 5, 8])
    """
    array = as_array("clip", x)
    check_dtype("clip", array.dtype, dtypes.REAL)
    if min is None and max is None:
        return positive(array)
    for bound, choose in ((min, "maximum"), (max, "minimum")):
        if bound is not None:
            limit = cast(as_array("clip", bound, array.dtype), array.dtype)
            array = bind(choose, *unify("clip", (array, limit)))
    return array


# rounding


def _rounding(name: str, x: ArrayLike) -> Array:
    array = as_array(name, x)
    check_dtype(name, array.dtype, dtypes.REAL)
    return positive(array) if array.dtype in dtypes.INTEGERS else bind(name, array)


@public
def floor(x: ArrayLike, /) -> Array:
    """Rounded down. Real.

    >>> lm.floor(lm.asarray([1.5, -1.5]))
    Array([ 1., -2.])
    """
    return _rounding("floor", x)


@public
def ceil(x: ArrayLike, /) -> Array:
    """Rounded up. Real.

    >>> lm.ceil(lm.asarray([1.5, -1.5]))
    Array([ 2., -1.])
    """
    return _rounding("ceil", x)


@public
def trunc(x: ArrayLike, /) -> Array:
    """Rounded towards zero. Real.

    >>> lm.trunc(lm.asarray([1.5, -1.5]))
    Array([ 1., -1.])
    """
    return _rounding("trunc", x)


@public
def round(x: ArrayLike, /) -> Array:
    """Rounded to the nearest integer, half to even. Real.

    >>> lm.round(lm.asarray([0.5, 1.5, 2.6]))
    Array([0., 2., 3.])
    """
    return _rounding("round", x)


# complex numbers


@public
def real(x: ArrayLike, /) -> Array:
    """The real part. Numeric.

    >>> lm.real(lm.asarray([1 + 2j]))
    Array([1.])
    """
    array = as_array("real", x)
    check_dtype("real", array.dtype, dtypes.NUMERIC)
    return bind("real", array) if complexes.is_complex(array) else positive(array)


@public
def imag(x: ArrayLike, /) -> Array:
    """The imaginary part. Complex.

    >>> lm.imag(lm.asarray([1 + 2j]))
    Array([2.])
    """
    return unary("imag", x, dtypes.COMPLEX)


@public
def conj(x: ArrayLike, /) -> Array:
    """The complex conjugate; a copy of real numbers. Numeric.

    >>> lm.conj(lm.asarray([1 + 2j]))
    Array([1.-2.j])
    """
    array = as_array("conj", x)
    check_dtype("conj", array.dtype, dtypes.NUMERIC)
    return complexes.conjugate(array) if complexes.is_complex(array) else positive(array)
