"""Sorting: stable in both orders, NaN last in both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import BF16, Array


def keys(x: Array) -> Array:
    """What NumPy orders as the elements: NaN last, -0.0 equal to +0.0."""
    if x.dtype == BF16:
        return x.astype(np.float32)
    return x


def argsort(x: Array, *, axis: int, order: str) -> Array:
    """The indices that sort `x`, stable in either order; NaN last in either order."""
    found = keys(x)
    if order == "descending" and found.dtype.kind == "c":
        found, order = -found, "ascending"  # exact; what is NaN stays where it is
    if order == "ascending":
        return np.argsort(found, axis, kind="stable")
    size: int = x.shape[axis]
    nan = np.isnan(found) if found.dtype.kind == "f" else np.zeros(found.shape, np.bool_)
    count = np.sum(nan, axis, keepdims=True)
    # backwards, so that a stable sort of the flipped array ends with the first of equal elements;
    # then NaN, the first now, go behind the others, again in their order
    turned = np.flip(np.argsort(np.flip(found, axis), axis, kind="stable"), axis)
    place: Array = np.arange(size).reshape(tuple(size if d == axis else 1 for d in range(x.ndim)))
    return np.take_along_axis(size - 1 - turned, (place + count) % max(size, 1), axis)


def sort(x: Array, *, axis: int, order: str) -> Array:
    """The elements in the order of `argsort`."""
    return np.take_along_axis(x, argsort(x, axis=axis, order=order), axis)


def searchsorted(sorted: Array, values: Array, *, side: str) -> Array:
    """The number of elements of `sorted` that are less than each value, or not greater."""
    known, wanted = keys(sorted), keys(values)
    left_or_right: Any = side
    found: Array = np.searchsorted(known, wanted, left_or_right)
    return found


MEANING: dict[str, Callable[..., Any]] = {
    "sort": sort,
    "argsort": argsort,
    "searchsorted": searchsorted,
}
