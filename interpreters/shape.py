"""Ops that make, move or choose elements. Results may be views of the operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import INT64, Array, DType
from lamina.interpreters.elementwise import cast

Ints = tuple[int, ...]


def constant(*, value: Array) -> Array:
    """The literal itself."""
    return value


def iota(*, axis: int, shape: Ints, dtype: DType) -> Array:
    """The index along `axis` at each place, cast to `dtype`; read-only."""
    line = cast(np.arange(shape[axis], dtype=INT64), dtype=dtype)
    return np.broadcast_to(np.expand_dims(line, tuple(range(1, len(shape) - axis))), shape)


def dim(x: Array, *, axis: int) -> int:
    """The size of `axis`."""
    return x.shape[axis]


def from_index(index: int) -> Array:
    """An index as a 0-d int64 array."""
    return np.array(index, INT64)


def to_index(x: Array) -> int:
    """A 0-d int64 array as an index."""
    return int(x)


def broadcast(x: Array, *, dims: Ints, shape: Ints) -> Array:
    """Axis `i` of `x` becomes axis `dims[i]` of the result, sizes of 1 stretched; read-only."""
    if sorted(dims) != list(dims):
        order = sorted(range(len(dims)), key=lambda i: dims[i])
        x, dims = np.transpose(x, order), tuple(sorted(dims))
    sizes = [1] * len(shape)
    for axis, size in zip(dims, x.shape, strict=True):
        sizes[axis] = size
    return np.broadcast_to(x.reshape(sizes), shape)


def reshape(x: Array, *, shape: Ints) -> Array:
    """The same elements, in row-major order, in another shape."""
    return x.reshape(shape)


def transpose(x: Array, *, permutation: Ints) -> Array:
    """Result axis `i` is axis `permutation[i]` of `x`."""
    return x.transpose(permutation)


def reverse(x: Array, *, axes: Ints) -> Array:
    """The order along `axes` reversed."""
    return np.flip(x, axes)


def concat(*inputs: Array, axis: int) -> Array:
    """Operands joined along `axis`."""
    return np.concatenate(inputs, axis)


def pad(x: Array, value: Array, *, low: Ints, high: Ints) -> Array:
    """`low[i]` and `high[i]` copies of the 0-d `value` before and after axis `i`."""
    shape = tuple(sum(sizes) for sizes in zip(low, x.shape, high, strict=True))
    result = np.full(shape, value, x.dtype)
    result[_window(low, x.shape)] = x
    return result


def slice_(x: Array, *, starts: Ints, limits: Ints, strides: Ints) -> Array:
    """Elements `starts[i] : limits[i] : strides[i]` of each axis; a limit of -1 is the end."""
    return x[
        tuple(
            slice(start, None if limit == -1 else limit, stride)
            for start, limit, stride in zip(starts, limits, strides, strict=True)
        )
    ]


def dynamic_slice(x: Array, *, starts: Ints, sizes: Ints, extents: Ints = ()) -> Array:
    """The window of `sizes` at `starts`, each clamped so that the window is inside.

    extents: the run-time sizes, one for each -1 of `sizes`; clamped to what `x` has.
    """
    if extents:
        rest = iter(extents)
        sizes = tuple(
            max(0, min(next(rest), dim)) if size == -1 else size
            for size, dim in zip(sizes, x.shape, strict=True)
        )
    return x[_window(_clamped(starts, sizes, x.shape), sizes)]


def dynamic_update_slice(x: Array, update: Array, *, starts: Ints) -> Array:
    """A copy of `x` with the window at `starts` (clamped) replaced by `update`."""
    result = np.array(x)
    result[_window(_clamped(starts, update.shape, x.shape), update.shape)] = update
    return result


def _clamped(starts: Ints, sizes: Ints, shape: Ints) -> Ints:
    return tuple(
        max(0, min(start, dim - size))
        for start, size, dim in zip(starts, sizes, shape, strict=True)
    )


def _window(starts: Ints, sizes: Ints) -> tuple[slice, ...]:
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


MEANING: dict[str, Callable[..., Any]] = {
    "constant": constant,
    "iota": iota,
    "dim": dim,
    "from_index": from_index,
    "to_index": to_index,
    "broadcast": broadcast,
    "reshape": reshape,
    "optimization_barrier": np.array,
    "transpose": transpose,
    "reverse": reverse,
    "concat": concat,
    "pad": pad,
    "slice": slice_,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
}
