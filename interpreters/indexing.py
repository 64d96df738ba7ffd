"""Elements at places that arrays of integers hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import INT64, Array

Ints = tuple[int, ...]


def gather(x: Array, *indices: Array, axes: Ints, dims: Ints, index_dims: Ints) -> Array:
    """The elements of `x` that `indices` select: negative ones count from the end, then each is
    clamped to its axis."""
    walked = [axis for axis in range(x.ndim) if axis not in axes]
    shape = space_shape(x.shape, walked, dims, indices[0].shape, index_dims)
    if 0 in shape:
        return np.empty(shape, x.dtype)
    places = [clamped(index, x.shape[axis]) for index, axis in zip(indices, axes, strict=True)]
    if len(axes) == 1 and (*walked[: axes[0]], *walked) == (*range(axes[0]), *walked):
        first, rank = axes[0], indices[0].ndim
        block = tuple(range(first, first + rank))
        after = tuple(range(first + rank, len(shape)))
        if index_dims == block and dims == (*range(first), *after):
            return x.take(places[0], first)
    return x[places_of(places, axes, walked, dims, index_dims, shape)]


def space_shape(
    shape: Ints, walked: list[int], dims: Ints, index_shape: Ints, index_dims: Ints
) -> Ints:
    """The shape of the space of an index op."""
    sizes = dict(zip(index_dims, index_shape, strict=True))
    sizes.update((dim, shape[axis]) for dim, axis in zip(dims, walked, strict=True))
    return tuple(sizes[dim] for dim in range(len(sizes)))


def clamped(index: Array, size: int) -> Array:
    """Each index as an int64 from 0 to `size` - 1."""
    if index.dtype.kind == "u":
        return np.minimum(index, np.uint64(size - 1), dtype=np.uint64).astype(INT64)
    wide = index.astype(INT64)
    return np.clip(np.where(wide < 0, wide + size, wide), 0, size - 1)


def places_of(
    places: list[Array],
    axes: Ints,
    walked: list[int],
    dims: Ints,
    index_dims: Ints,
    shape: Ints,
) -> tuple[Array, ...]:
    """For each axis of the operand, the index at each place of the space (broadcast)."""
    rank = len(shape)
    key: dict[int, Array] = {}
    for axis, place in zip(axes, places, strict=True):
        order = sorted(range(len(index_dims)), key=index_dims.__getitem__)
        sizes = [shape[d] if d in index_dims else 1 for d in range(rank)]
        key[axis] = place.transpose(order).reshape(sizes)
    for axis, dim in zip(walked, dims, strict=True):
        sizes = [shape[dim] if d == dim else 1 for d in range(rank)]
        key[axis] = np.arange(shape[dim]).reshape(sizes)
    return tuple(key[axis] for axis in range(len(key)))


MEANING: dict[str, Callable[..., Any]] = {"gather": gather}
