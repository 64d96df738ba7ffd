"""Reductions. Sums hold the contract's bound along every axis, where NumPy's own do not."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lamina.errors import ShapeError
from lamina.interpreters.complexes import complex_
from lamina.interpreters.dtypes import BF16, F32, F64, HALVES, Array
from lamina.interpreters.elementwise import cast

Ints = tuple[int, ...]

_SHORT = 8
"""Sums of so few elements are exact enough in any order: error at most 7 u."""


def _accumulated(x: Array, combine: np.ufunc, axes: Ints) -> Array:
    """`x` folded by `combine` in float64 (half types and float32), else in its own type."""
    if x.dtype in HALVES or x.dtype == F32:
        return cast(combine.reduce(x, axes, F64), dtype=x.dtype)
    return combine.reduce(x, axes, x.dtype)


def _sum(x: Array, axes: Ints) -> Array:
    if x.dtype.kind == "c":
        return complex_(*(np.asarray(_sum(part(x), axes)) for part in (np.real, np.imag)))
    if x.dtype != F64 or prod(x.shape[axis] for axis in axes) <= _SHORT:
        return _accumulated(x, np.add, axes)
    for axis in sorted(axes, reverse=True):
        x = _pairwise(np.moveaxis(x, axis, 0))
    return x


def _pairwise(x: Array) -> Array:
    """The sum along axis 0 by halving: each element is in at most 7 + log2(n) additions.

    NumPy adds pairwise along the innermost axis only.
    """
    size = len(x)
    if size >= _SHORT * _SHORT:
        rows = size // _SHORT
        tail = x[_SHORT * rows :]
        x = np.add.reduce(x[: _SHORT * rows].reshape(_SHORT, rows, *x.shape[1:]), 0)
        x[: len(tail)] += tail
        size = rows
    while size > 1:
        half = (size + 1) // 2
        folded = x[:half].copy("K")
        folded[: size - half] += x[half:]
        x, size = folded, half
    return x[0] if size else np.zeros(x.shape[1:], x.dtype)


def _prod(x: Array, axes: Ints) -> Array:
    return _accumulated(x, np.multiply, axes)


def _max(x: Array, axes: Ints) -> Array:
    _check_not_empty(x, axes, "max")
    result = np.maximum.reduce(x, axes)
    if x.dtype.kind in "iu" or not np.count_nonzero(result == 0):
        return result
    zero = _signed_zero(x, ~np.logical_or.reduce((x == 0) & ~np.signbit(x), axes))
    return np.where(result == 0, zero, result)


def _min(x: Array, axes: Ints) -> Array:
    _check_not_empty(x, axes, "min")
    result = np.minimum.reduce(x, axes)
    if x.dtype.kind in "iu" or not np.count_nonzero(result == 0):
        return result
    zero = _signed_zero(x, np.logical_or.reduce((x == 0) & np.signbit(x), axes))
    return np.where(result == 0, zero, result)


def _signed_zero(x: Array, negative: Array) -> Array:
    """-0.0 where `negative`, else +0.0, in the type of `x`."""
    return np.where(negative, np.array(-0.0, x.dtype), np.array(0.0, x.dtype))


def _check_not_empty(x: Array, axes: Ints, what: str) -> None:
    empty = [axis for axis in axes if x.shape[axis] == 0]
    if empty:
        raise ShapeError(f"{what}: expected a size of 1 or more on axis {empty[0]}, found 0")


_KINDS: dict[str, Callable[[Array, Ints], Array]] = {
    "sum": _sum,
    "prod": _prod,
    "max": _max,
    "min": _min,
    "and": np.logical_and.reduce,
    "or": np.logical_or.reduce,
}


def reduce(x: Array, *, kind: str, axes: Ints) -> Array:
    """The elements along `axes` combined; ShapeError for the max or min of an empty axis."""
    return _KINDS[kind](x, axes)


def argmax(x: Array, *, axis: int) -> Array:
    """The index of the first NaN, else of the first largest (int64). -0.0 equals +0.0."""
    _check_not_empty(x, (axis,), "argmax")
    return np.argmax(x.astype(F32) if x.dtype == BF16 else x, axis)


def argmin(x: Array, *, axis: int) -> Array:
    """The index of the first NaN, else of the first smallest (int64). -0.0 equals +0.0."""
    _check_not_empty(x, (axis,), "argmin")
    return np.argmin(x.astype(F32) if x.dtype == BF16 else x, axis)


MEANING: dict[str, Callable[..., Any]] = {"reduce": reduce, "argmax": argmax, "argmin": argmin}
