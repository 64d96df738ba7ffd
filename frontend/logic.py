"""Comparisons, logic, bits and tests of the Array API, with results of bool (bits: the operands').

Operands promote and broadcast as in `elementwise`, with the same errors.
"""

from __future__ import annotations

import math

from lamina.frontend import complexes, dtypes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, check_dtype
from lamina.frontend.dispatch import public
from lamina.frontend.elementwise import abs, binary, unary


@public
def equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 == x2, bool. NaN equals nothing.

    >>> lm.equal(lm.asarray([1, 2]), 2)
    Array([False,  True])
    """
    return binary("equal", x1, x2, dtypes.ALL)


@public
def not_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 != x2, bool. True where either is NaN.

    >>> lm.not_equal(lm.asarray([1, 2]), 2)
    Array([ True, False])
    """
    return binary("not_equal", x1, x2, dtypes.ALL)


@public
def less(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 < x2, bool. Real.

    >>> lm.less(lm.asarray([1, 2]), 2)
    Array([ True, False])
    """
    return binary("less", x1, x2, dtypes.REAL)


@public
def less_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 <= x2, bool. Real.

    >>> lm.less_equal(lm.asarray([1, 3]), 2)
    Array([ True, False])
    """
    return binary("less_equal", x1, x2, dtypes.REAL)


@public
def greater(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 > x2, bool. Real.

    >>> lm.greater(lm.asarray([1, 3]), 2)
    Array([False,  True])
    """
    return binary("greater", x1, x2, dtypes.REAL)


@public
def greater_equal(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 >= x2, bool. Real.

    >>> lm.greater_equal(lm.asarray([1, 2]), 2)
    Array([False,  True])
    """
    return binary("greater_equal", x1, x2, dtypes.REAL)


@public
def logical_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Both are true. Bool.

    >>> lm.logical_and(lm.asarray([True, False]), True)
    Array([ True, False])
    """
    return binary("logical_and", x1, x2, dtypes.BOOL, "bitwise_and")


@public
def logical_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """At least one is true. Bool.

    >>> lm.logical_or(lm.asarray([True, False]), False)
    Array([ True, False])
    """
    return binary("logical_or", x1, x2, dtypes.BOOL, "bitwise_or")


@public
def logical_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Exactly one is true. Bool.

    >>> lm.logical_xor(lm.asarray([True, False]), True)
    Array([False,  True])
    """
    return binary("logical_xor", x1, x2, dtypes.BOOL, "bitwise_xor")


@public
def logical_not(x: ArrayLike, /) -> Array:
    """Not x. Bool.

    >>> lm.logical_not(lm.asarray([True, False]))
    Array([False,  True])
    """
    array = as_array("logical_not", x)
    check_dtype("logical_not", array.dtype, dtypes.BOOL)
    return bind("bitwise_invert", array)


@public
def bitwise_and(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Bits set in both. Integers and bool.

    >>> lm.bitwise_and(lm.asarray([5, 6]), 3)
    Array([1, 2])
    """
    return binary("bitwise_and", x1, x2, dtypes.BITS)


@public
def bitwise_or(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Bits set in either. Integers and bool.

    >>> lm.bitwise_or(lm.asarray([4, 6]), 3)
    Array([7, 7])
    """
    return binary("bitwise_or", x1, x2, dtypes.BITS)


@public
def bitwise_xor(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Bits set in one of the two. Integers and bool.

    >>> lm.bitwise_xor(lm.asarray([5, 6]), 3)
    Array([6, 5])
    """
    return binary("bitwise_xor", x1, x2, dtypes.BITS)


@public
def bitwise_invert(x: ArrayLike, /) -> Array:
    """Every bit inverted. Integers and bool.

    >>> lm.bitwise_invert(lm.asarray([0, 5]))
    Array([-1, -6])
    """
    return unary("bitwise_invert", x, dtypes.BITS)


@public
def bitwise_left_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 << x2. Integers; by a negative amount, or the width and more, 0.

    >>> lm.bitwise_left_shift(lm.asarray([1, 2]), 3)
    Array([ 8, 16])
    """
    return binary("bitwise_left_shift", x1, x2, dtypes.INTEGERS, "left_shift")


@public
def bitwise_right_shift(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 >> x2. Integers; by too much, the sign, or 0 when unsigned.

    >>> lm.bitwise_right_shift(lm.asarray([8, -8]), 2)
    Array([ 2, -2])
    """
    return binary("bitwise_right_shift", x1, x2, dtypes.INTEGERS, "right_shift")


@public
def isnan(x: ArrayLike, /) -> Array:
    """x is NaN, bool: x != x.

    >>> lm.isnan(lm.asarray([1.0, float("nan")]))
    Array([False,  True])
    """
    array = as_array("isnan", x)
    check_dtype("isnan", array.dtype, dtypes.NUMERIC)
    return bind("not_equal", array, array)


@public
def isinf(x: ArrayLike, /) -> Array:
    """x is an infinity, bool: abs(x) == inf; of complex numbers, one of the parts is.

    >>> lm.isinf(lm.asarray([1.0, float("-inf")]))
    Array([False,  True])
    """
    array = as_array("isinf", x)
    check_dtype("isinf", array.dtype, dtypes.NUMERIC)
    if complexes.is_complex(array):
        return logical_or(*map(isinf, complexes.parts(array)))
    if array.dtype in dtypes.INTEGERS:
        return bind("not_equal", array, array)
    return equal(abs(array), math.inf)


@public
def isfinite(x: ArrayLike, /) -> Array:
    """x is neither NaN nor an infinity, bool: abs(x) < inf; of complex numbers, both parts.

    >>> lm.isfinite(lm.asarray([1.0, float("nan"), float("inf")]))
    Array([ True, False, False])
    """
    array = as_array("isfinite", x)
    check_dtype("isfinite", array.dtype, dtypes.NUMERIC)
    if complexes.is_complex(array):
        return logical_and(*map(isfinite, complexes.parts(array)))
    if array.dtype in dtypes.INTEGERS:
        return bind("equal", array, array)
    return less(abs(array), math.inf)


@public
def signbit(x: ArrayLike, /) -> Array:
    """The sign bit is set, bool: copysign(1, x) < 0. Floating-point.

    >>> lm.signbit(lm.asarray([-0.0, 0.0, -1.0]))
    Array([ True, False,  True])
    """
    array = as_array("signbit", x)
    check_dtype("signbit", array.dtype, dtypes.FLOATS)
    return less(copysign(1, array), 0)


@public
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The magnitude of x1 with the sign bit of x2. Floating-point.

    >>> lm.copysign(lm.asarray([1.0, 2.0]), lm.asarray([-0.0, 3.0]))
    Array([-1.,  2.])
    """
    return binary("copysign", x1, x2, dtypes.FLOATS)


@public
def nextafter(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The number next to x1 in the direction of x2; x2 where they are equal. Floating-point.

    >>> lm.nextafter(lm.asarray([0.0]), 1)
    Array([5.e-324])
    """
    return binary("nextafter", x1, x2, dtypes.FLOATS)
