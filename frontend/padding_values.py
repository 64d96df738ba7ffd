"""What `pad` puts around one axis in the modes that compute: ramps, statistics, odd reflections.

Each function takes an array, an axis and what is added before and after it, and gives the extended
array. The order of operations is that of `np.pad` (NumPy 2), so that results are equal; but for a
ramp in float32 or half types, which NumPy computes in that type where `end_values` has a pair for
each axis, and in float64 else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.errors import ArgumentError
from lamina.frontend import complexes, dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import bind, broadcast, cast, constant, view
from lamina.frontend.elementwise import add, divide, floor, multiply, subtract
from lamina.frontend.elementwise import round as rounded
from lamina.frontend.location import fail
from lamina.frontend.logic import equal, isnan, logical_or
from lamina.frontend.reductions import any as any_of
from lamina.frontend.reductions import max as largest
from lamina.frontend.reductions import mean
from lamina.frontend.reductions import min as smallest
from lamina.frontend.searching import where

Pair = tuple[Any, Any]


def part(x: Array, axis: int, start: int, stop: int) -> Array:
    """Elements `start` to `stop` of one axis."""
    starts = tuple(start if d == axis else 0 for d in range(x.ndim))
    limits = tuple(stop if d == axis else n for d, n in enumerate(x.shape))
    return view("slice", x, starts=starts, limits=limits, strides=(1,) * x.ndim)


def joined(parts: list[Array], axis: int) -> Array:
    """The parts that are not empty, one after the other."""
    return bind("concat", *[p for p in parts if p.shape[axis]], axis=axis)


def stretched(x: Array, axis: int, width: int) -> Array:
    """The one element of an axis, `width` times."""
    return broadcast(x, (*x.shape[:axis], width, *x.shape[axis + 1 :]))


# ramps


def ramp(edge: Array, end: Array, axis: int, width: int) -> Array:
    """`width` values from `end` on towards `edge`, which is not reached: as `np.linspace`, in
    float64, rounded once; in integers, rounded down."""
    wide = dtypes.complex128 if edge.dtype in dtypes.COMPLEX else dtypes.float64
    start = cast(end, wide)
    delta = subtract(cast(edge, wide), start)
    step = divide(delta, width)
    sizes = tuple(width if d == axis else 1 for d in range(edge.ndim))
    number = constant(np.arange(width, dtype=np.float64).reshape(sizes))
    # a step may be too small for a float: then all are computed in the other order
    lost = any_of(equal(step, 0))
    fractions = times(divide(number, width), delta)
    values = add(where(lost, fractions, times(number, step)), start)
    if edge.dtype in dtypes.INTEGERS:
        values = floor(values)
    return cast(values, edge.dtype)


def times(number: Array, x: Array) -> Array:
    """A real number times each part."""
    if not complexes.is_complex(x):
        return multiply(number, x)
    return complexes.joined(*(multiply(number, p) for p in complexes.parts(x)))


def ramped(x: Array, axis: int, widths: tuple[int, int], ends: tuple[Array, Array]) -> Array:
    """x between two ramps."""
    n = x.shape[axis]
    edges = part(x, axis, 0, 1), part(x, axis, n - 1, n)
    low, high = (
        ramp(edge, end, axis, width) for edge, end, width in zip(edges, ends, widths, strict=True)
    )
    return joined([low, x, view("reverse", high, axes=(axis,))], axis)


# statistics


def _sorted(x: Array, axis: int) -> tuple[Array, Array]:
    """The elements in order, and the last of them: a NaN where there is one."""
    array = bind("sort", x, axis=axis, order="ascending")
    n = x.shape[axis]
    return array, part(array, axis, n - 1, n)


def _maximum(x: Array, axis: int) -> Array:
    if x.dtype in dtypes.REAL:
        return largest(x, axis=axis, keepdims=True)
    return _sorted(x, axis)[1]


def _minimum(x: Array, axis: int) -> Array:
    if x.dtype in dtypes.REAL:
        return smallest(x, axis=axis, keepdims=True)
    array, last = _sorted(x, axis)
    first = part(array, axis, 0, 1)
    return where(isnan(last), last, first) if complexes.is_complex(x) else first


def _mean(x: Array, axis: int) -> Array:
    return mean(x, axis=axis, keepdims=True)


def _median(x: Array, axis: int) -> Array:
    array, last = _sorted(x, axis)
    n = x.shape[axis]
    middle = _mean(part(array, axis, (n - 1) // 2, n // 2 + 1), axis)
    return middle if x.dtype not in dtypes.FLOATS_OR_COMPLEX else where(isnan(last), last, middle)


STATISTICS: dict[str, Callable[[Array, int], Array]] = {
    "maximum": _maximum,
    "mean": _mean,
    "median": _median,
    "minimum": _minimum,
}


def with_statistic(
    x: Array, axis: int, widths: tuple[int, int], mode: str, lengths: tuple[int, int]
) -> Array:
    """x between statistics of its first and its last elements."""
    n = x.shape[axis]
    if 0 in lengths:
        fail(ArgumentError, f"pad: expected a stat_length of 1 or more on axis {axis}, found 0")
    first, last = (min(length, n) for length in lengths)
    low = statistic(part(x, axis, 0, first), axis, mode)
    high = low if first == last == n else statistic(part(x, axis, n - last, n), axis, mode)
    return joined([stretched(low, axis, widths[0]), x, stretched(high, axis, widths[1])], axis)


def statistic(x: Array, axis: int, mode: str) -> Array:
    """One value for an axis; of integers the nearest one, half to even."""
    value = STATISTICS[mode](x, axis)
    return cast(rounded(value) if x.dtype in dtypes.INTEGERS else value, x.dtype)


# odd reflections


def odd(x: Array, axis: int, widths: tuple[int, int], mode: str) -> Array:
    """x with twice its edge less its reflection on both sides, again and again till it is wide
    enough; each time as much as whole periods of the reflection give."""
    low, high = widths
    n, again = x.shape[axis], int(mode == "symmetric")
    period = n - 1 + again
    result = x
    while low or high:
        size = result.shape[axis]
        most = (size - 1 + again) // period * period
        before, after = min(most, low), min(most, high)
        skipped = 1 - again
        left = part(result, axis, skipped, skipped + before)
        right = part(result, axis, size - skipped - after, size - skipped)
        result = joined(
            [
                _mirrored(left, part(result, axis, 0, 1), axis),
                result,
                _mirrored(right, part(result, axis, size - 1, size), axis),
            ],
            axis,
        )
        low, high = low - before, high - after
    return result


def _mirrored(chunk: Array, edge: Array, axis: int) -> Array:
    turned = view("reverse", chunk, axes=(axis,))
    if chunk.dtype == dtypes.bool_:
        return logical_or(edge, turned)  # where twice the edge less it is not 0
    return subtract(add(edge, edge), turned)
