"""Sorting, and searching in what is sorted.

NaN is last in both orders, -0.0 equals +0.0, and equal elements keep their order: every sort is
stable. Complex numbers are ordered by their real, then by their imaginary parts; of those with a
NaN the ones whose real part is a number come first. No axis of these functions may be None, as in
the Array API.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, SupportsIndex

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, cast, full, result_dtype, view
from lamina.frontend.dispatch import public
from lamina.frontend.location import fail, shown
from lamina.frontend.logic import equal, less, logical_and, logical_not
from lamina.frontend.taking import take, take_along_axis


class TopK(NamedTuple):
    """The result of `top_k`."""

    values: Array
    indices: Array


def _ordered(
    name: str, primitive: str, x: ArrayLike, axis: SupportsIndex, descending: Any, stable: Any
) -> Array:
    array = as_array(name, x)
    along = shapes.axis_index(name, axis, array.ndim)
    downwards = shapes.flag(name, descending, "descending")
    shapes.flag(name, stable, "stable")
    return bind(primitive, array, axis=along, order="descending" if downwards else "ascending")


@public
def sort(
    x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True
) -> Array:
    """The elements of x along `axis` in order. Equal elements keep their order
    whatever `stable` is. `AxisError` for an axis outside x.

    >>> lm.sort(lm.asarray([3.0, float("nan"), 1.0]))
    Array([ 1.,  3., nan])
    >>> lm.sort(lm.asarray([3.0, float("nan"), 1.0]), descending=True)
    Array([ 3.,  1., nan])
    """
    return _ordered("sort", "sort", x, axis, descending, stable)


@public
def argsort(
    x: ArrayLike, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True
) -> Array:
    """The indices (int64) that put x in order along `axis`: `take_along_axis(x, argsort(x))` is
    `sort(x)`. Types and errors as in `sort`.

    >>> lm.argsort(lm.asarray([2, 1, 2, 1]), descending=True)
    Array([0, 2, 1, 3])
    """
    return _ordered("argsort", "argsort", x, axis, descending, stable)


@public
def top_k(
    x: ArrayLike, k: SupportsIndex, /, *, axis: SupportsIndex = -1, largest: bool = True
) -> TopK:
    """The k largest (or smallest) elements of x along `axis`, in order, and their indices (int64).

    Of equal elements the first come first; NaN comes after all numbers.
    `ShapeError` for a k that is not from 0 to the size along `axis`.

    >>> lm.top_k(lm.asarray([1.0, 4.0, 2.0, 4.0]), 3)
    TopK(values=Array([4., 4., 2.]), indices=Array([1, 3, 2]))
    """
    array = as_array("top_k", x)
    along = shapes.axis_index("top_k", axis, array.ndim)
    count = shapes.integer("top_k", k, "k")
    if not 0 <= count <= array.shape[along]:
        fail(
            ShapeError,
            f"top_k: expected a k from 0 to {array.shape[along]} on axis {along}, found {count}",
        )
    first = (*[slice(None)] * along, slice(count))
    downwards = shapes.flag("top_k", largest, "largest")
    indices = _ordered("top_k", "argsort", array, along, downwards, True)[first]
    return TopK(take_along_axis(array, indices, axis=along, mode="clip"), indices)


@public
def searchsorted(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
) -> Array:
    """Where each element of x2 would be put into x1 to keep it sorted: the number of elements of
    x1 that are less ("left"), or not greater ("right"), int64, of x2's shape.

    x1: of rank 1 and sorted, or put in order by `sorter` (the indices of `argsort`); the types
    promote. A binary search: for an x1 that is not sorted the result is some number from 0 to its
    size. `ShapeError` for another rank, `ArgumentError` for another side, `IndexRangeError` for a
    `sorter` that points outside.

    >>> lm.searchsorted(lm.asarray([1, 2, 2, 5]), lm.asarray([2, 9]))
    Array([1, 4])
    >>> lm.searchsorted(lm.asarray([1, 2, 2, 5]), lm.asarray([2, 9]), side="right")
    Array([3, 4])
    """
    dtype = result_dtype("searchsorted", (x1, x2))
    line, values = (cast(as_array("searchsorted", x, dtype), dtype) for x in (x1, x2))
    if line.ndim != 1:
        fail(ShapeError, f"searchsorted: expected a sorted array of rank 1, found rank {line.ndim}")
    given: Any = side
    if not isinstance(given, str) or given not in ("left", "right"):
        fail(ArgumentError, f'searchsorted: expected a side "left" or "right", found {shown(side)}')
    if sorter is not None:
        order = as_array("searchsorted", sorter)
        if order.shape != line.shape:
            text = f"expected a sorter of shape {line.shape}, found {order.shape}"
            fail(ShapeError, f"searchsorted: {text}")
        line = take(line, order, axis=0)
    return bind("searchsorted", line, values, side=side)


@public
def isin(x1: ArrayLike, x2: ArrayLike, /, *, invert: bool = False) -> Array:
    """Whether each element of x1 is equal to some element of x2: bool, of x1's shape.

    The types promote; NaN equals nothing. By a search in the sorted x2. invert: whether it is not.

    >>> lm.isin(lm.asarray([1, 2, 3]), lm.asarray([[3, 1]]))
    Array([ True, False,  True])
    """
    dtype: Any = result_dtype("isin", (x1, x2))
    values, wanted = (cast(as_array("isin", x, dtype), dtype) for x in (x1, x2))
    turned = shapes.flag("isin", invert, "invert")
    if not wanted.size:
        return full(turned, values.shape, dtypes.bool_)
    line = bind("sort", view("reshape", wanted, shape=(wanted.size,)), axis=0, order="ascending")
    left = bind("searchsorted", line, values, side="left")
    right = bind("searchsorted", line, values, side="right")
    found = logical_and(less(left, right), equal(values, values))
    return logical_not(found) if turned else found
