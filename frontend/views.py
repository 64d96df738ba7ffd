"""Which operations are views, and how a write goes back through one.

The steps are the primitives slice, reverse, transpose, reshape and broadcast. Eager views are
NumPy's; a traced view keeps its strides over the row-major storage, so that NumPy's own rule says
for both whether a reshape is a view.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from lamina.frontend.array import NDArray
from lamina.frontend.dtypes import bool_
from lamina.frontend.shapes import Shape

if TYPE_CHECKING:
    from lamina.frontend.recorder import Recorder
    from lamina.frontend.traced import TracedArray


def _slice(x: NDArray, *, starts: Shape, limits: Shape, strides: Shape) -> NDArray:
    return x[(*map(slice, starts, limits, strides), ...)]


def _reverse(x: NDArray, *, axes: Shape) -> NDArray:
    backwards = slice(None, None, -1)
    return x[(*(backwards if axis in axes else slice(None) for axis in range(x.ndim)), ...)]


def _broadcast(x: NDArray, *, dims: Shape, shape: Shape) -> NDArray:
    sizes = [1] * len(shape)
    for axis, size in zip(dims, x.shape, strict=True):
        sizes[axis] = size
    return np.broadcast_to(x.reshape(sizes), shape)


def _transpose(x: NDArray, *, permutation: Shape) -> NDArray:
    return x.transpose(permutation)


def _reshape(x: NDArray, *, shape: Shape) -> NDArray:
    return x.reshape(shape)


EAGER: dict[str, Callable[..., NDArray]] = {
    "slice": _slice,
    "reverse": _reverse,
    "transpose": _transpose,
    "reshape": _reshape,
    "broadcast": _broadcast,
}
"""View primitive -> the NumPy view; a reshape may be a copy."""


@cache
def row_major(shape: Shape) -> Shape:
    """The strides, in elements, of a row-major array."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def viewed_strides(name: str, shape: Shape, strides: Shape, params: dict[str, Any]) -> Shape | None:
    """The strides, in elements, of the view `name` of an array with these; None when only a copy
    can have the shape."""
    match name:
        case "slice":
            steps: Shape = params["strides"]
            return tuple(a * b for a, b in zip(strides, steps, strict=True))
        case "reverse":
            return tuple(-s if axis in params["axes"] else s for axis, s in enumerate(strides))
        case "transpose":
            order: Shape = params["permutation"]
            return tuple(strides[axis] for axis in order)
        case "broadcast":
            result = [0] * len(params["shape"])
            for axis, size, stride in zip(params["dims"], shape, strides, strict=True):
                result[axis] = stride if size == params["shape"][axis] else 0
            return tuple(result)
        case _:
            return _reshaped_strides(shape, strides, params["shape"])


def _reshaped_strides(shape: Shape, strides: Shape, wanted: Shape) -> Shape | None:
    if strides == row_major(shape) or not prod(shape):
        return row_major(wanted)
    # NumPy's own rule, asked on an image that is never read
    image = as_strided(np.empty(1, np.int8), shape, strides, writeable=False)
    try:
        return np.reshape(image, wanted, copy=False).strides
    except ValueError:
        return None


def write_back(
    recorder: Recorder, name: str, params: dict[str, Any], old: TracedArray, update: TracedArray
) -> TracedArray:
    """The value that `old` takes when `update` is written to its view `name`."""
    match name:
        case "transpose":
            permutation: Shape = params["permutation"]
            inverse = tuple(permutation.index(axis) for axis in range(len(permutation)))
            return recorder.emit(name, [update], {"permutation": inverse})
        case "reverse":
            return recorder.emit(name, [update], params)
        case "reshape":
            return recorder.emit(name, [update], {"shape": old.shape})
        case _:
            return _write_slice(recorder, params, old, update)


def _write_slice(
    recorder: Recorder, params: dict[str, Any], old: TracedArray, update: TracedArray
) -> TracedArray:
    starts, strides = params["starts"], params["strides"]
    if not prod(update.shape):
        return old
    if update.shape == old.shape:
        return update
    if all(stride == 1 for stride in strides):
        return recorder.update_window(old, update, starts)
    zero = recorder.constant(np.zeros((), old.dtype))
    spread = _spread(recorder, update, zero, old.shape, starts, strides)
    ones = recorder.emit(
        "broadcast", [recorder.constant(np.ones((), bool_))], {"dims": (), "shape": update.shape}
    )
    absent = recorder.constant(np.zeros((), bool_))
    mask = _spread(recorder, ones, absent, old.shape, starts, strides)
    return recorder.emit("select", [mask, spread, old], {})


def _spread(
    recorder: Recorder,
    values: TracedArray,
    filler: TracedArray,
    shape: Shape,
    starts: Shape,
    strides: Shape,
) -> TracedArray:
    """An array of `shape` with `values` at each `start + i * stride` and `filler` elsewhere."""
    counts = values.shape
    pairs = tuple(size for count in counts for size in (count, 1))
    edges = tuple(gap for stride in strides for gap in (0, stride - 1))
    values = recorder.emit("reshape", [values], {"shape": pairs})
    values = recorder.emit("pad", [values, filler], {"low": (0,) * len(edges), "high": edges})
    flat = tuple(count * stride for count, stride in zip(counts, strides, strict=True))
    values = recorder.emit("reshape", [values], {"shape": flat})
    # the gap after the last element may reach beyond the end
    limits = tuple(
        min(size, whole - start) for size, whole, start in zip(flat, shape, starts, strict=True)
    )
    none = (0,) * len(shape)
    values = recorder.emit(
        "slice", [values], {"starts": none, "limits": limits, "strides": (1,) * len(shape)}
    )
    high = tuple(
        whole - start - limit for whole, start, limit in zip(shape, starts, limits, strict=True)
    )
    return recorder.emit("pad", [values, filler], {"low": starts, "high": high})
