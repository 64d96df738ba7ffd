"""Windows, by shifted copies of the operand: windows of k along an axis in log2(k) steps.

Each axis by itself: a window is combined from two of half its length, so that a sum is pairwise
and its error small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import F32, F64, HALVES, Array
from lamina.interpreters.elementwise import MEANING as ELEMENTWISE
from lamina.interpreters.elementwise import cast

Ints = tuple[int, ...]
Combine = Callable[[Array, Array], Array]

_KINDS: dict[str, Combine] = {
    "sum": np.add,
    "max": ELEMENTWISE["maximum"],
    "min": ELEMENTWISE["minimum"],
}


def _identity(kind: str, dtype: np.dtype[Any]) -> Array:
    """What changes nothing when it is combined."""
    if kind == "sum":
        return np.zeros((), dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array(info.min if kind == "max" else info.max, dtype)
    return np.array(-np.inf if kind == "max" else np.inf, dtype)


def _along(x: Array, combine: Combine, axis: int, window: int, stride: int, spread: int) -> Array:
    """Windows along one axis, their elements `spread` apart."""

    def part(array: Array, start: int) -> Array:
        stop = start + max(count - 1, 0) * stride + min(count, 1)
        return array[(slice(None),) * axis + (slice(start, stop, stride),)]

    count = max(0, (x.shape[axis] - spread * (window - 1) - 1) // stride + 1)
    if window == 1:
        return part(x, 0)
    half = window // 2
    halves = _along(x, combine, axis, half, 1, spread)
    result = combine(part(halves, 0), part(halves, spread * half))
    if window % 2:
        result = combine(result, part(x, spread * (window - 1)))
    return result


def reduce_window(
    x: Array, *, kind: str, window: Ints, strides: Ints, padding: Ints, dilation: Ints
) -> Array:
    """The elements of each window combined; all parameters have an entry (padding: two) an axis."""
    dtype = x.dtype
    if kind == "sum" and (dtype in HALVES or dtype == F32):
        x = x.astype(F64)
    if any(padding):
        edges = list(zip(padding[::2], padding[1::2], strict=True))
        x = np.pad(x, edges, constant_values=_identity(kind, x.dtype))
    for axis in range(x.ndim):
        x = _along(x, _KINDS[kind], axis, window[axis], strides[axis], dilation[axis])
    return cast(x, dtype=dtype) if x.dtype != dtype else x


MEANING: dict[str, Callable[..., Any]] = {"reduce_window": reduce_window}
