"""Arrays of integers as indices: their types and range, and reads and writes through them.

`indices` say which element of axis `axes[k]` each place of a space is (see `nd.gather`). Modes: an
index out of range is an error ("raise"), that of the nearest element ("clip"), or none ("fill":
reads give a fill value, writes leave the element out). Negative ones count from the end in each.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, DTypeError, IndexRangeError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike, writable
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    cast,
    constant,
    duplicate,
    is_weak,
    size_array,
    store,
    values,
    view,
)
from lamina.frontend.checks import check
from lamina.frontend.dims import AnySize
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail, shown
from lamina.frontend.shapes import Shape
from lamina.interpreters.indexing import scatter_into

MODES = ("raise", "clip", "fill")


@dataclass(frozen=True)
class Space:
    """Which axis of an array and of its index arrays is which dim of a space."""

    axes: Shape
    dims: Shape
    index_dims: Shape

    def params(self) -> dict[str, Shape]:
        """As parameters of the primitives."""
        return {"axes": self.axes, "dims": self.dims, "index_dims": self.index_dims}

    def shape(self, x: Shape, index: Shape) -> Shape:
        """The shape of the space."""
        return shapes.space(x, index, **self.params())


def check_mode(name: str, mode: Any) -> None:
    """Raise `ArgumentError` unless `mode` is one of `MODES`."""
    if not isinstance(mode, str) or mode not in MODES:
        listed = ", ".join(map(repr, MODES))
        fail(ArgumentError, f"{name}: expected a mode of {listed}, found {shown(mode)}")


def index_array(name: str, value: ArrayLike) -> Array:
    """`value` as an array of an integer dtype. Raises `DTypeError` for others.

    An empty list or array of floats, NumPy's default, is one of no indices.
    """
    if isinstance(value, (list, tuple)):
        value = known(name, value)
    array = as_array(name, value)
    if array.dtype not in dtypes.INTEGERS and not is_weak(value) and array.size == 0:
        return cast(array, dtypes.int64)
    if array.dtype not in dtypes.INTEGERS:
        fail(DTypeError, f"{name}: expected indices of an integer dtype, found {array.dtype}")
    return array


def known(name: str, values: Any) -> Array:
    """A list as an array whose values are known now."""
    try:
        array = np.asarray(values)
    except ValueError:
        fail(ArgumentError, f"{name}: expected a list of ints or bools, found a ragged one")
    if array.dtype.kind not in "biuf":
        fail(ArgumentError, f"{name}: expected a list of ints or bools, found {shown(values)}")
    return constant(array if array.size else array.astype(np.int64))


def in_range(index: Array, size: int) -> Array:
    """Where `index` is from `-size` to `size - 1`."""
    if index.dtype.kind == "u":
        return _compared("less", index, size, dtypes.uint64)
    low = _compared("greater_equal", index, -size, dtypes.int64)
    return bind("bitwise_and", low, _compared("less", index, size, dtypes.int64))


def _compared(name: str, index: Array, number: int, dtype: dtypes.DType) -> Array:
    other = broadcast(size_array(number, dtype), index.shape)
    return bind(name, cast(index, dtype), other)


def check_range(name: str, index: Array, size: Any, axis: int) -> None:
    """Raise `IndexRangeError`, now or at run time, unless each index is on its axis.

    The message shows the largest index if that is too large, else the smallest.
    """
    if not index.size:
        return
    if not size:
        found = f"indices of shape {index.shape}" if index.ndim else "one"
        expected = f"no index on axis {axis} (the size is 0)"
        fail(IndexRangeError, f"{name}: expected {expected}, found {found}")
    least, most = dtypes.RANGES[index.dtype]
    if isinstance(size, int) and -size <= least and most < size:
        return
    message = f"{name}: expected an index from {-size} to {size - 1} on axis {axis}, found {{}}"
    if CURRENT.get() is None:
        data = values(index)
        smallest, largest = int(data.min()), int(data.max())
        if smallest < -size or largest >= size:
            shown = min(largest, _LARGEST) if largest >= size else smallest
            fail(IndexRangeError, message.format(shown))
        return
    _check_traced(index, size, message)


def _check_traced(index: Array, size: Any, message: str) -> None:
    every = tuple(range(index.ndim))
    largest = bind("reduce", index, kind="max", axes=every) if every else index
    small_enough = _compared(
        "less", largest, size, dtypes.uint64 if index.dtype.kind == "u" else dtypes.int64
    )
    if index.dtype.kind == "u":
        if index.dtype == dtypes.uint64:
            largest = bind("minimum", largest, constant(np.array(_LARGEST, np.uint64)))
        check(small_enough, IndexRangeError, message, largest)
        return
    smallest = bind("reduce", index, kind="min", axes=every) if every else index
    holds = bind(
        "bitwise_and", _compared("greater_equal", smallest, -size, dtypes.int64), small_enough
    )
    shown = bind("select", small_enough, smallest, largest)
    check(holds, IndexRangeError, message, shown)


_LARGEST = 2**63 - 1
"""What a message shows of an index beyond it."""


def gather(
    name: str,
    x: Array,
    indices: Sequence[Array],
    space: Space,
    mode: str = "raise",
    fill_value: ArrayLike = 0,
    axes: Shape | None = None,
) -> Array:
    """The elements of `x` at `indices`, which have one shape. `axes`: what messages call the axes
    of `space`."""
    shape = space.shape(x.shape, indices[0].shape)
    inside = _inside(name, x, indices, space, mode, axes)
    empty = any(x.shape[axis] == 0 for axis in space.axes)
    if empty and mode == "fill":
        return duplicate(broadcast(_filler(name, x, fill_value), shape))
    result = bind("gather", x, *indices, **space.params())
    if mode != "fill":
        return result
    filler = broadcast(_filler(name, x, fill_value), shape)
    return bind("select", _spread(inside, space, shape), result, filler)


def _inside(
    name: str, x: Array, indices: Sequence[Array], space: Space, mode: str, axes: Shape | None
) -> list[Array]:
    """Check the range of `indices` where the mode says so; in mode "fill" where each is inside."""
    shown = space.axes if axes is None else axes
    if mode == "fill":
        return [
            in_range(index, x.shape[axis]) for index, axis in zip(indices, space.axes, strict=True)
        ]
    for index, axis, called in zip(indices, space.axes, shown, strict=True):
        if mode == "raise" or not x.shape[axis]:
            check_range(name, index, x.shape[axis], called)
    return []


def _spread(inside: Sequence[Array], space: Space, shape: Shape) -> Array:
    """Where all of `inside` hold, at each place of a space."""
    flag = inside[0]
    for other in inside[1:]:
        flag = bind("bitwise_and", flag, other)
    return view("broadcast", flag, dims=space.index_dims, shape=shape)


def _filler(name: str, x: Array, fill_value: ArrayLike) -> Array:
    filler = cast(as_array(name, fill_value, x.dtype), x.dtype)
    if filler.ndim:
        fail(ShapeError, f"{name}: expected a 0-d fill_value, found shape {filler.shape}")
    return filler


def from_start(index: Array, size: int) -> Array:
    """A 0-d index in range as an int64 from 0 up."""
    if index.dtype.kind == "u":
        return cast(index, dtypes.int64)
    wide = cast(index, dtypes.int64)
    from_end = bind("add", wide, size_array(size))
    return bind("select", _compared("less", wide, 0, dtypes.int64), from_end, wide)


def clamped(index: Array, size: int) -> Array:
    """Indices from 0 to `size` - 1: negative ones counted from the end, then the nearest."""
    last = broadcast(size_array(size - 1), index.shape)
    if index.dtype.kind == "u":
        most = cast(last, dtypes.uint64)
        return bind("minimum", cast(index, dtypes.uint64), most)
    wide, zero = cast(index, dtypes.int64), broadcast(constant(np.zeros((), np.int64)), index.shape)
    from_end = bind("add", wide, broadcast(size_array(size), index.shape))
    wide = bind("select", bind("less", wide, zero), from_end, wide)
    return bind("maximum", bind("minimum", wide, last), zero)


def dynamic_slice(x: Array, starts: Sequence[Array | AnySize], sizes: Shape) -> Array:
    """The window of `sizes` at `starts` (0-d arrays of int64, or sizes), in traced code."""
    recorder = CURRENT.get()
    assert recorder is not None
    return recorder.at_index("dynamic_slice", [x], starts, sizes)


def dynamic_update_slice(x: Array, update: Array, starts: Sequence[Array | AnySize]) -> Array:
    """x with the window at such `starts` replaced, in traced code."""
    recorder = CURRENT.get()
    assert recorder is not None
    return recorder.at_index("dynamic_update_slice", [x, update], starts)


def scatter_to(
    name: str, x: Array, updates: Array, indices: Sequence[Array], space: Space, kind: str
) -> None:
    """Write or add `updates` to the elements of `x` at `indices`; those out of range are left out.

    Eager arrays are updated where they are.
    """
    if CURRENT.get() is None and x._tape is None and updates._tape is None:
        data = [values(index) for index in indices]
        scatter_into(writable(name, x), values(updates), *data, kind=kind, **space.params())
        return
    store(name, x, bind("scatter", x, updates, *indices, kind=kind, **space.params()))
