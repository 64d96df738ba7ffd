"""Reductions of the Array API.

axis: None (all), an int or a tuple of ints; `AxisError` outside the array. keepdims: reduced axes
stay, with size 1. Sums of float16 and bfloat16 accumulate in float32 and round once.
"""

from __future__ import annotations

from math import prod as product
from typing import Any

from lamina.frontend import complexes, dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, cast, check_dtype, full, number, view
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import add, divide, multiply, subtract
from lamina.frontend.logic import isinf, not_equal
from lamina.frontend.shapes import Shape
from lamina.frontend.transcendental import exp, log, sqrt


def reduce(name: str, kind: str, array: Array, axes: Shape, keepdims: bool) -> Array:
    """`array` combined along `axes` (normalized); errors name the function `name`."""
    if kind in ("max", "min"):
        for axis in axes:
            shapes.check_filled(name, array.shape[axis], axis)
    if kind == "prod" and complexes.is_complex(array):
        result = array
        for axis in sorted(axes, reverse=True):
            result = complexes.product_along(result, axis)
    else:
        result = bind("reduce", array, kind=kind, axes=axes) if axes else array
    if shapes.flag(name, keepdims, "keepdims") and axes:
        return view("reshape", result, shape=shapes.kept(array.shape, axes))
    return result


def _summed(name: str, kind: str, x: ArrayLike, axis: Any, dtype: Any, keepdims: bool) -> Array:
    array = as_array(name, x)
    wanted = sum_dtype(array.dtype) if dtype is None else dtypes.normalize(dtype)
    axes = shapes.axis_indices(name, axis, array.ndim)
    check_dtype(name, wanted, dtypes.NUMERIC)
    return reduce(name, kind, cast(array, wanted), axes, keepdims)


def sum_dtype(dtype: DType) -> DType:
    """The default dtype of a sum or product: integers and bool in 64 bits."""
    if dtype in dtypes.KINDS["unsigned"]:
        return dtypes.uint64
    return dtypes.int64 if dtype in dtypes.BITS else dtype


@public
def sum(x: ArrayLike, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Sum along `axis`. Signed integers and bool give int64, unsigned uint64; of nothing, 0.

    >>> lm.sum(lm.asarray([[1, 2], [3, 4]]), axis=0)
    Array([4, 6])
    """
    return _summed("sum", "sum", x, axis, dtype, keepdims)


@public
def prod(x: ArrayLike, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Product along `axis`. Signed integers and bool give int64, unsigned uint64; of nothing, 1.

    >>> lm.prod(lm.asarray([[1, 2], [3, 4]]), axis=1)
    Array([ 2, 12])
    """
    return _summed("prod", "prod", x, axis, dtype, keepdims)


def _extreme(name: str, x: ArrayLike, axis: Any, keepdims: bool) -> Array:
    array = as_array(name, x)
    check_dtype(name, array.dtype, dtypes.REAL)
    axes = shapes.axis_indices(name, axis, array.ndim)
    return reduce(name, name, array, axes, keepdims)


@public
def max(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The largest; NaN wins, -0.0 < +0.0. Real. `ShapeError` on an empty axis.

    >>> lm.max(lm.asarray([[1, 5], [3, 4]]), axis=1)
    Array([5, 4])
    """
    return _extreme("max", x, axis, keepdims)


@public
def min(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The smallest; NaN wins, -0.0 < +0.0. Real. `ShapeError` on an empty axis.

    >>> lm.min(lm.asarray([[1, 5], [3, 4]]), axis=1)
    Array([1, 3])
    """
    return _extreme("min", x, axis, keepdims)


def _boolean(name: str, kind: str, x: ArrayLike, axis: Any, keepdims: bool) -> Array:
    array = as_array(name, x)
    axes = shapes.axis_indices(name, axis, array.ndim)
    return reduce(name, kind, cast(array, dtypes.bool_), axes, keepdims)


@public
def any(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether any element is not 0, bool; of nothing, False. NaN is not 0.

    >>> lm.any(lm.asarray([[0, 1], [0, 0]]), axis=1)
    Array([ True, False])
    """
    return _boolean("any", "or", x, axis, keepdims)


@public
def all(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether every element is not 0, bool; of nothing, True.

    >>> lm.all(lm.asarray([[0, 1], [1, 1]]), axis=1)
    Array([False,  True])
    """
    return _boolean("all", "and", x, axis, keepdims)


@public
def count_nonzero(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The number of elements that are not 0, int64.

    >>> lm.count_nonzero(lm.asarray([3, 0, 1]))
    Array(2)
    """
    array = as_array("count_nonzero", x)
    flags = array if array.dtype == dtypes.bool_ else not_equal(array, 0)
    return sum(flags, axis=axis, keepdims=keepdims)


def _statistics(name: str, x: ArrayLike, axis: Any) -> tuple[Array, DType, Shape]:
    """x in the dtype that statistics are computed in, their result's dtype, and the axes."""
    array = as_array(name, x)
    axes = shapes.axis_indices(name, axis, array.ndim)
    dtype = dtypes.float64 if array.dtype in dtypes.BITS else array.dtype
    check_dtype(name, dtype, dtypes.FLOATS_OR_COMPLEX if name == "mean" else dtypes.FLOATS)
    return cast(array, dtypes.wide(dtype)), dtype, axes


def centered(array: Array, axes: Shape) -> Array:
    """`array` less its mean along `axes`."""
    return subtract(array, _mean(array, axes, keepdims=True))


def _mean(array: Array, axes: Shape, keepdims: bool) -> Array:
    total = reduce("mean", "sum", array, axes, keepdims)
    return divide(total, _count(array, axes))


def _count(array: Array, axes: Shape) -> float:
    """How many elements are combined, as a number of weak type."""
    count = product(array.shape[axis] for axis in axes)
    return count * 1.0


@public
def mean(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """sum(x) / n. Floating-point or complex; integers give float64. Of nothing, NaN.

    >>> lm.mean(lm.asarray([1.0, 2.0, 6.0]))
    Array(3.)
    """
    array, dtype, axes = _statistics("mean", x, axis)
    return cast(_mean(array, axes, keepdims), dtype)


def variance(deviation: Array, axes: Shape, correction: Any, keepdims: bool) -> Array:
    """sum(d**2) / (n - correction) along `axes`, where d is `centered`."""
    correction = number("var", correction, "correction")
    total = reduce("var", "sum", multiply(deviation, deviation), axes, keepdims)
    count = product(deviation.shape[axis] for axis in axes)
    return divide(total, count * 1.0 - correction if count > correction else 0.0)


@public
def var(
    x: ArrayLike, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """sum((x - mean(x))**2) / (n - correction), in two passes. Floating-point; integers give
    float64.

    >>> lm.var(lm.asarray([1.0, 2.0, 6.0]), correction=1)
    Array(7.)
    """
    array, dtype, axes = _statistics("var", x, axis)
    return cast(variance(centered(array, axes), axes, correction, keepdims), dtype)


@public
def std(
    x: ArrayLike, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """sqrt(var(x)). Floating-point; integers give float64.

    >>> lm.std(lm.asarray([1.0, 3.0]))
    Array(1.)
    """
    array, dtype, axes = _statistics("std", x, axis)
    return cast(sqrt(variance(centered(array, axes), axes, correction, keepdims)), dtype)


@public
def logsumexp(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """m + log(sum(exp(x - m))), m = max(x), 0 where that is infinite. Floating-point.

    Half types are computed in float32 and rounded once.

    >>> lm.logsumexp(lm.asarray([0.0, 0.0])) - lm.log(2.0)
    Array(0.)
    """
    array, dtype, axes = _statistics("logsumexp", x, axis)
    top = reduce("logsumexp", "max", array, axes, True)
    top = bind("select", isinf(top), full(0, top.shape, top.dtype), top)
    total = reduce("logsumexp", "sum", exp(subtract(array, top)), axes, True)
    result = cast(add(top, log(total)), dtype)
    if shapes.flag("logsumexp", keepdims, "keepdims"):
        return result
    return view("reshape", result, shape=shapes.reduced(array.shape, axes))
