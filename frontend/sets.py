"""Functions whose result's shape depends on data: they run at once, and not in traced code."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lamina.errors import ShapeError, TraceError
from lamina.frontend.array import Array, ArrayLike, NDArray, wrap
from lamina.frontend.bind import as_array, values
from lamina.frontend.dispatch import CURRENT, public
from lamina.frontend.location import fail
from lamina.interpreters.meaning import call


class UniqueAll(NamedTuple):
    """The result of `unique_all`."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """The result of `unique_counts`."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """The result of `unique_inverse`."""

    values: Array
    inverse_indices: Array


def _known(name: str, x: ArrayLike) -> NDArray:
    """The memory of an eager array."""
    if CURRENT.get() is not None:
        fail(
            TraceError,
            f"{name}: expected eager code, since the shape of the result depends on the data, "
            "found traced code; call it outside of the jitted function",
        )
    return values(as_array(name, x))


def _grouped(name: str, x: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """The flattened array, its indices in the order of its elements, and in that order whether an
    element differs from the one before. NaN differs from every NaN."""
    flat = _known(name, x).reshape(-1)
    order = call("argsort", flat, axis=0, order="ascending")
    line = flat[order]
    begins = np.ones(line.shape, np.bool_)
    begins[1:] = line[1:] != line[:-1]
    return flat, order, begins


def _inverse(order: NDArray, begins: NDArray, shape: tuple[int, ...]) -> Array:
    """For each element the number of its group."""
    result = np.empty(order.shape, np.int64)
    result[order] = np.cumsum(begins) - 1
    return wrap(result.reshape(shape))


def _counts(begins: NDArray) -> Array:
    """How many elements each group has."""
    return wrap(np.diff(np.flatnonzero(np.append(begins, True))))


@public
def unique_all(x: ArrayLike, /) -> UniqueAll:
    """The distinct elements of x in order, the index (in the flattened x) where each is first, for
    each element of x the index of its value (of x's shape), and how often each occurs; int64.

    -0.0 equals +0.0, and the first of them stays; each NaN is distinct. Eager code only
    (`TraceError`): the shape depends on the data.

    >>> lm.unique_all(lm.asarray([3, 1, 3])).values
    Array([1, 3])
    >>> lm.unique_all(lm.asarray([3, 1, 3])).inverse_indices
    Array([1, 0, 1])
    """
    flat, order, begins = _grouped("unique_all", x)
    first = order[begins]
    shape: Any = as_array("unique_all", x).shape
    inverse = _inverse(order, begins, shape)
    return UniqueAll(wrap(flat[first]), wrap(first), inverse, _counts(begins))


@public
def unique_counts(x: ArrayLike, /) -> UniqueCounts:
    """The distinct elements of x in order, and how often each occurs; as in `unique_all`.

    >>> lm.unique_counts(lm.asarray([3, 1, 3]))
    UniqueCounts(values=Array([1, 3]), counts=Array([1, 2]))
    """
    flat, order, begins = _grouped("unique_counts", x)
    return UniqueCounts(wrap(flat[order[begins]]), _counts(begins))


@public
def unique_inverse(x: ArrayLike, /) -> UniqueInverse:
    """The distinct elements of x in order, and for each element of x the index of its value; as in
    `unique_all`.

    >>> lm.unique_inverse(lm.asarray([3, 1, 3]))
    UniqueInverse(values=Array([1, 3]), inverse_indices=Array([1, 0, 1]))
    """
    flat, order, begins = _grouped("unique_inverse", x)
    shape: Any = as_array("unique_inverse", x).shape
    return UniqueInverse(wrap(flat[order[begins]]), _inverse(order, begins, shape))


@public
def unique_values(x: ArrayLike, /) -> Array:
    """The distinct elements of x in order; as in `unique_all`.

    >>> lm.unique_values(lm.asarray([[3, 1], [3, 2]]))
    Array([1, 2, 3])
    """
    flat, order, begins = _grouped("unique_values", x)
    return wrap(flat[order[begins]])


@public
def nonzero(x: ArrayLike, /) -> tuple[Array, ...]:
    """The indices (int64) of the elements that are not 0, in row-major order: one array an axis.

    NaN is not 0. `ShapeError` for rank 0. Eager code only (`TraceError`): the shape depends on the
    data.

    >>> lm.nonzero(lm.asarray([[0, 5], [7, 0]]))
    (Array([0, 1]), Array([1, 0]))
    """
    data = _known("nonzero", x)
    if not data.ndim:
        fail(ShapeError, "nonzero: expected a rank of 1 or more, found a 0-d array")
    return tuple(wrap(index) for index in np.nonzero(data))
