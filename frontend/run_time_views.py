"""`x[i]` where i is a Python int that only a run knows: a view, as for a known int."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lamina.errors import ArgumentError
from lamina.frontend.array import Array
from lamina.frontend.bind import size_array, view
from lamina.frontend.index_arrays import check_range, from_start
from lamina.frontend.location import fail
from lamina.frontend.runtime_scalar import RuntimeScalar, bounds_of, plain
from lamina.frontend.shapes import Shape
from lamina.frontend.views import Starts

Basic = Callable[[Shape, tuple[Any, ...]], tuple[Shape, Shape, Shape, Shape, Shape]]


def is_run_time(keys: tuple[Any, ...]) -> bool:
    """Whether a key is an int that only a run knows."""
    return any(type(key) is RuntimeScalar for key in keys)


def static_keys(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The keys with 0-d arrays for such ints: beside other arrays they mean the same."""
    return tuple(plain(key) if type(key) is RuntimeScalar else key for key in keys)


def run_time_view(x: Array, keys: tuple[Any, ...], basic: Basic) -> Array:
    """The view of `x` at keys of which some are ints of a run; the others are ints, slices and
    None, one for each axis (and None). basic: `indexing.basic_index`."""
    sliced = tuple(slice(None) if type(key) is RuntimeScalar else key for key in keys)
    lows, limits, strides, backwards, _ = basic(x.shape, sliced)
    source = x
    if backwards or any(stride != 1 for stride in strides):  # the window is then cut from a view
        source = view("slice", x, starts=lows, limits=limits, strides=strides)
        source = view("reverse", source, axes=backwards) if backwards else source
        lows, limits = (0,) * x.ndim, source.shape
    starts: list[Array] = []
    names: list[Any] = []
    sizes: list[int] = []
    final: list[int] = []
    for key in keys:
        if key is None:
            final.append(1)
            continue
        axis = len(starts)
        size = limits[axis] - lows[axis]
        if type(key) is RuntimeScalar:
            starts.append(_start(key, x.shape[axis], axis))
            names.append(id(key._storage))
            sizes.append(1)
        else:
            starts.append(size_array(lows[axis]))
            names.append(lows[axis])
            sizes.append(size)
            final += [size] if isinstance(key, slice) else []
    at = Starts(tuple(starts), (tuple(names), x.shape))
    window = view("dynamic_slice", source, starts=at, sizes=tuple(sizes))
    return view("reshape", window, shape=tuple(final))


def _start(key: RuntimeScalar, size: int, axis: int) -> Array:
    """An index as the place that it means; its range is checked unless it is known."""
    if key.kind is not int:
        expected = "an integer key (or a slice, None, ... or an array)"
        fail(ArgumentError, f"index: expected {expected}, found a {key.kind.__name__}")
    bounds = bounds_of(key)
    if bounds is not None and bounds[0] >= 0 and bounds[1] < size:
        return plain(key)
    index = plain(key)
    if bounds is None or not (-size <= bounds[0] and bounds[1] < size):
        check_range("index", index, size, axis)
    if bounds is not None and bounds[0] >= 0:
        return index
    return from_start(index, size)
