"""Counts of values: `np.histogram`, `np.bincount`, `np.digitize` of our arrays.

The number of bins must be known while tracing; where a value lies in no bin it is left out.
"""

from __future__ import annotations

from typing import Any

from lamina.errors import ArgumentError, DomainError, DTypeError, IndexRangeError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, cast, full, is_weak
from lamina.frontend.checks import check
from lamina.frontend.complexes import joined, parts
from lamina.frontend.creation import asarray, linspace
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.elementwise import add, divide, maximum, minimum, multiply, subtract
from lamina.frontend.index_arrays import index_array
from lamina.frontend.location import fail, shown
from lamina.frontend.logic import (
    equal,
    greater,
    greater_equal,
    isfinite,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_or,
    not_equal,
)
from lamina.frontend.manipulation import reshape
from lamina.frontend.putting import scatter_add
from lamina.frontend.reductions import all as every
from lamina.frontend.reductions import max as largest
from lamina.frontend.reductions import min as smallest
from lamina.frontend.reductions import sum as total
from lamina.frontend.scans import diff
from lamina.frontend.searching import where
from lamina.frontend.sorting import searchsorted
from lamina.frontend.taking import take


def histogram(
    a: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """How many elements (or the sum of whose weights) lie between edges, and the edges.

    bins: a number of bins of equal width over `range` (None: from the smallest to the largest
    element), or the n + 1 edges, ascending. A bin has its lower edge, the last one both. density:
    divided by width and total. Real or bool; counts are int64. `DomainError` where the range is
    not finite, descending, or the edges do not ascend.
    """
    name = "np.histogram"
    values = as_array(name, a)
    x = reshape(values, -1)
    if x.dtype not in dtypes.ORDERED:
        fail(DTypeError, f"{name}: expected a real or bool dtype, found {x.dtype}")
    x = cast(x, dtypes.uint8) if x.dtype == dtypes.bool_ else x
    weight = None if weights is None else as_array(name, weights)
    if weight is not None and weight.shape != values.shape:
        fail(ShapeError, f"{name}: expected weights of shape {values.shape}, found {weight.shape}")
    if not isinstance(bins, str) and (is_weak(bins) or not getattr(bins, "ndim", 1)):
        edges, index = _equal_bins(name, x, shapes.integer(name, bins, "number of bins"), range)
    else:
        edges, index = _given_bins(name, x, bins)
    count = edges.shape[0] - 1
    found = _counted(index, count, None if weight is None else reshape(weight, -1))
    if density is not None and shapes.flag(name, density, "density"):
        width = cast(diff(edges), dtypes.float64)
        found = divide(divide(found, width), total(found))
    return found, edges


def _equal_bins(name: str, x: Array, count: int, limits: Any) -> tuple[Array, Array]:
    """Edges of equal distance, and the bin of each element: `count` for none."""
    if count < 1:
        fail(ArgumentError, f"{name}: expected 1 bin or more, found {count}")
    low, high = _outer_edges(name, x, limits)
    same = equal(low, high)
    low, high = where(same, subtract(low, 0.5), low), where(same, add(high, 0.5), high)
    exact = x.dtype if x.dtype in dtypes.FLOATS else dtypes.float64
    edges = cast(linspace(low, high, count + 1), exact)
    x, low, high = cast(x, exact), cast(low, exact), cast(high, exact)
    inside = logical_and(greater_equal(x, low), less_equal(x, high))
    place = multiply(divide(subtract(x, low), subtract(high, low)), float(count))
    index = cast(where(inside, place, 0.0), dtypes.int64)
    index = minimum(index, count - 1)
    # rounding may have put an element on the wrong side of an edge
    index = subtract(index, cast(less(x, take(edges, index, mode="clip")), dtypes.int64))
    index = maximum(index, 0)
    above = greater_equal(x, take(edges, add(index, 1), mode="clip"))
    above = logical_and(above, not_equal(index, count - 1))
    index = add(index, cast(above, dtypes.int64))
    return edges, where(inside, index, count)


def _outer_edges(name: str, x: Array, limits: Any) -> tuple[Array, Array]:
    """The first and the last edge, float64, as far as they are known now or when the code runs."""
    if limits is not None:
        first, last = (_number(name, limit) for limit in limits)
        check(isfinite(subtract(last, first)), DomainError, f"{name}: expected a finite range")
        check(less_equal(first, last), DomainError, f"{name}: expected an ascending range")
        return first, last
    if not x.size:
        return _number(name, 0), _number(name, 1)
    first, last = (cast(found, dtypes.float64) for found in (smallest(x), largest(x)))
    finite = logical_and(isfinite(first), isfinite(last))
    check(finite, DomainError, f"{name}: expected finite elements, or a range")
    return first, last


def _number(name: str, value: Any) -> Array:
    found = as_array(name, value, dtypes.float64)
    if found.ndim or found.dtype not in dtypes.REAL:
        fail(ArgumentError, f"{name}: expected two numbers as range, found {shown(value)}")
    return cast(found, dtypes.float64)


def _given_bins(name: str, x: Array, bins: Any) -> tuple[Array, Array]:
    if isinstance(bins, str):
        fail(ArgumentError, f"{name}: expected a number of bins or edges, found {shown(bins)}")
    edges = asarray(bins)
    if edges.ndim != 1 or edges.size < 2 or edges.dtype not in dtypes.REAL:
        fail(ArgumentError, f"{name}: expected 2 edges or more, found shape {edges.shape}")
    ascend = every(less_equal(edges[:-1], edges[1:]))
    check(ascend, DomainError, f"{name}: expected ascending edges, found others")
    count = edges.size - 1
    dtype = dtypes.promote(edges.dtype, x.dtype)
    line, x = cast(edges, dtype), cast(x, dtype)
    index = subtract(searchsorted(line, x, side="right"), 1)
    index = where(equal(x, line[-1]), count - 1, index)
    outside = logical_or(less(x, line[0]), greater(x, line[-1]))
    if dtype in dtypes.FLOATS:
        outside = logical_or(outside, isnan(x))
    return edges, where(outside, count, index)


def _counted(index: Array, count: int, weights: Array | None) -> Array:
    """How often each bin is named, or the sum of the weights; indices of `count` are left out."""
    if weights is None:
        ones = full(1, index.shape, dtypes.int64)
        return scatter_add(full(0, (count,), dtypes.int64), index, ones, mode="fill")
    if weights.dtype in dtypes.COMPLEX:
        return cast(
            joined(*(_counted(index, count, part) for part in parts(weights))), weights.dtype
        )
    start = full(0, (count,), dtypes.float64)
    found = scatter_add(start, index, cast(weights, dtypes.float64), mode="fill")
    return cast(found, weights.dtype)


def bincount(x: ArrayLike, weights: ArrayLike | None = None, minlength: Any = 0) -> Array:
    """How often each of 0, 1, ... is an element, or the sum of the weights of these (float64).

    x: 1-d, integers of 0 or more. The result is as long as the largest element needs, at least
    `minlength`; in traced code exactly so long, with an `IndexRangeError` where that is too short.
    """
    name = "np.bincount"
    index = index_array(name, x)
    if index.ndim != 1:
        fail(ShapeError, f"{name}: expected 1 axis, found shape {index.shape}")
    count = shapes.integer(name, minlength, "minlength")
    if count < 0:
        fail(ArgumentError, f"{name}: expected a minlength of 0 or more, found {count}")
    if index.size:
        low = smallest(index)
        message = f"{name}: expected elements of 0 or more, found {{}}"
        check(greater_equal(low, 0), IndexRangeError, message, low)
        high = largest(index)
        if CURRENT.get() is None:
            count = max(count, int(high) + 1)
        else:
            message = f"{name}: expected elements below {count}, the minlength, found {{}}"
            check(less(high, count), IndexRangeError, message, high)
    weight = None if weights is None else as_array(name, weights)
    if weight is not None and weight.shape != index.shape:
        fail(ShapeError, f"{name}: expected weights of shape {index.shape}, found {weight.shape}")
    weight = None if weight is None else cast(weight, dtypes.float64)
    return _counted(index, count, weight)


def digitize(x: ArrayLike, bins: ArrayLike, right: Any = False) -> Array:
    """The number of bins whose edge is at or below each element (right: below), int64.

    bins: 1-d, ascending. `DomainError` for others.
    """
    edges = asarray(bins)
    if edges.ndim != 1:
        fail(ShapeError, f"np.digitize: expected 1 axis of bins, found shape {edges.shape}")
    ascend = every(less_equal(edges[:-1], edges[1:]))
    check(ascend, DomainError, "np.digitize: expected ascending bins, found others")
    side = "left" if shapes.flag("np.digitize", right, "right") else "right"
    return searchsorted(edges, x, side=side)


NAMES = {"bincount": bincount, "digitize": digitize, "histogram": histogram}
"""NumPy's name -> the function."""
