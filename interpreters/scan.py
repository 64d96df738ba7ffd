"""Scans, one element after the other in float64 or the operand's own type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.complexes import complex_
from lamina.interpreters.dtypes import F32, F64, HALVES, Array
from lamina.interpreters.elementwise import MEANING as ELEMENTWISE
from lamina.interpreters.elementwise import cast


def scan(x: Array, *, kind: str, axis: int, direction: str) -> Array:
    """Each element along `axis` combined with those before it, or behind it in reverse."""
    if direction == "reverse":
        x = np.flip(x, axis)
    result = _KINDS[kind](x, axis)
    return np.flip(result, axis) if direction == "reverse" else result


def _sum(x: Array, axis: int) -> Array:
    if x.dtype.kind == "c":
        return complex_(*(_sum(np.asarray(part(x)), axis) for part in (np.real, np.imag)))
    return _accumulated(x, np.add, axis)


def _prod(x: Array, axis: int) -> Array:
    return _accumulated(x, np.multiply, axis)


def _accumulated(x: Array, combine: np.ufunc, axis: int) -> Array:
    if x.dtype in HALVES or x.dtype == F32:
        return cast(combine.accumulate(x, axis, F64), dtype=x.dtype)
    return combine.accumulate(x, axis, x.dtype)


def _max(x: Array, axis: int) -> Array:
    return _extreme(x, axis, "maximum")


def _min(x: Array, axis: int) -> Array:
    return _extreme(x, axis, "minimum")


def _extreme(x: Array, axis: int, name: str) -> Array:
    """By the elementwise meaning, for its signed zeros."""
    result = np.moveaxis(x, axis, 0).copy()
    for k in range(1, len(result)):
        result[k] = ELEMENTWISE[name](result[k - 1], result[k])
    return np.moveaxis(result, 0, axis)


_KINDS: dict[str, Callable[[Array, int], Array]] = {
    "sum": _sum, "prod": _prod, "max": _max, "min": _min,
}  # fmt: skip

MEANING: dict[str, Callable[..., Any]] = {"scan": scan}
