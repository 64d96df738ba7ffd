"""Elements at places that arrays of integers hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import INT64, Array, DType

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


def scatter(
    x: Array,
    updates: Array,
    *indices: Array,
    kind: str,
    axes: Ints,
    dims: Ints,
    index_dims: Ints,
) -> Array:
    """A copy of `x` with `updates` at the places that `indices` select: see `scatter_into`."""
    result = np.array(x, order="C")
    scatter_into(result, updates, *indices, kind=kind, axes=axes, dims=dims, index_dims=index_dims)
    return result


def scatter_into(
    x: Array,
    updates: Array,
    *indices: Array,
    kind: str,
    axes: Ints,
    dims: Ints,
    index_dims: Ints,
) -> None:
    """Write `updates` to, or combine them with, the elements of `x` that `indices` select, in
    their row-major order. Negative indices count from the end; updates out of range are left out.
    `updates` may share memory with `x`: the chosen ones are copied first.
    """
    walked = [axis for axis in range(x.ndim) if axis not in axes]
    places = [from_end(index, x.shape[axis]) for index, axis in zip(indices, axes, strict=True)]
    inside = np.ones(indices[0].shape, np.bool_)
    for place, axis in zip(places, axes, strict=True):
        inside &= (place >= 0) & (place < x.shape[axis])
    if not set(dims) & set(index_dims):  # whole slices
        order = sorted(range(len(index_dims)), key=index_dims.__getitem__)
        chosen = inside.transpose(order)
        key = tuple(place.transpose(order)[chosen] for place in places)
        rows = updates.transpose((*sorted(index_dims), *dims))[chosen]
        _combine(x.transpose((*axes, *walked)), key, rows, kind)
        return
    everywhere = places_of(
        [*places, inside], (*axes, x.ndim), walked, dims, index_dims, updates.shape
    )
    *key, chosen = (np.broadcast_to(place, updates.shape) for place in everywhere)
    _combine(x, tuple(place[chosen] for place in key), updates[chosen], kind)


def from_end(index: Array, size: int) -> Array:
    """Each index as an int64, negative ones counted from the end; -1 for those beyond int64."""
    if index.dtype.kind == "u":
        wide = index.astype(np.uint64)
        return np.where(wide < size, wide, np.uint64(2**63 - 1)).astype(INT64)
    wide = index.astype(INT64)
    return np.where(wide < 0, wide + size, wide)


def _combine(x: Array, key: tuple[Array, ...], updates: Array, kind: str) -> None:
    """Write through 1-d index arrays, one after the other."""
    if kind == "set":
        x[key] = updates
    elif kind in ("max", "min") and x.dtype.kind not in "iu":
        lattice = _ordered(x, kind)
        {"max": np.maximum, "min": np.minimum}[kind].at(lattice, key, _ordered(updates, kind))
        x[...] = _unordered(lattice, x.dtype)
    else:
        names = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
        names[kind].at(x, key, updates)


def _ordered(x: Array, kind: str) -> Array:
    """Floats as integers of their order: -0.0 below 0.0, NaN beyond what `kind` looks for."""
    bits = np.dtype(f"i{x.dtype.itemsize}")
    found = np.ascontiguousarray(x).view(bits).reshape(x.shape)
    top = np.iinfo(bits).max
    found = np.where(found < 0, found ^ top, found)
    return np.where(np.isnan(x), top if kind == "max" else np.iinfo(bits).min, found)


def _unordered(found: Array, dtype: DType) -> Array:
    """The floats of `_ordered`."""
    top = np.iinfo(found.dtype).max
    found = np.ascontiguousarray(np.where(found < 0, found ^ top, found))
    return found.view(dtype).reshape(found.shape)


MEANING: dict[str, Callable[..., Any]] = {"gather": gather, "scatter": scatter}
