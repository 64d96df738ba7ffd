"""Choosing and searching."""

from __future__ import annotations

from typing import Any

from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    cast,
    check_dtype,
    result_dtype,
    view,
)
from lamina.frontend.dims import same
from lamina.frontend.dispatch import public


@public
def where(condition: ArrayLike, x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1 where `condition` is true, else x2; the three broadcast, x1 and x2 promote.

    >>> lm.where(lm.asarray([True, False]), 1.0, lm.asarray([5.0, 6.0]))
    Array([1., 6.])
    """
    predicate = as_array("where", condition)
    check_dtype("where", predicate.dtype, dtypes.BOOL)
    dtype = result_dtype("where", (x1, x2))
    a, b = (cast(as_array("where", x, dtype), dtype) for x in (x1, x2))
    shape = shapes.broadcast_shapes("where", predicate.shape, a.shape, b.shape)
    return bind("select", *(broadcast(x, shape) for x in (predicate, a, b)))


def _search(name: str, x: ArrayLike, axis: Any, keepdims: bool) -> Array:
    array = as_array(name, x)
    keepdims = shapes.flag(name, keepdims, "keepdims")
    check_dtype(name, array.dtype, dtypes.REAL)
    shape = array.shape
    if axis is None:
        array, along = view("reshape", array, shape=(array.size,)), 0
        result_shape = (1,) * len(shape) if keepdims else ()
    else:
        along = shapes.axis_index(name, axis, array.ndim)
        result_shape = shapes.kept(shape, (along,)) if keepdims else shapes.reduced(shape, (along,))
    shapes.check_filled(name, array.shape[along], along)
    result = bind(name, array, axis=along)
    return (
        result if same(result.shape, result_shape) else view("reshape", result, shape=result_shape)
    )


@public
def argmax(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The index of the first NaN, else of the first largest, int64; None: in the flattened array.

    Real. `ShapeError` on an empty axis.

    >>> lm.argmax(lm.asarray([3.0, 7.0, 7.0]))
    Array(1)
    """
    return _search("argmax", x, axis, keepdims)


@public
def argmin(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The index of the first NaN, else of the first smallest, int64; None: in the flattened array.

    Real. `ShapeError` on an empty axis.

    >>> lm.argmin(lm.asarray([3.0, 1.0, 7.0]))
    Array(1)
    """
    return _search("argmin", x, axis, keepdims)
