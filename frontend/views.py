"""Which operations are views, and how a write goes back through one.

The steps are the primitives slice, reverse, transpose, reshape and broadcast, and traced also
dynamic_slice, a window whose place a run computes (`Starts`). Eager views are
NumPy's; a traced view keeps its strides over the row-major storage, so that NumPy's own rule says
for both whether a reshape is a view.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from lamina.frontend.array import NDArray
from lamina.frontend.dims import is_static, same
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
    order = sorted(range(x.ndim), key=dims.__getitem__)
    return np.broadcast_to(x.transpose(order).reshape(sizes), shape)


def _transpose(x: NDArray, *, permutation: Shape) -> NDArray:
    return x.transpose(permutation)


def _reshape(x: NDArray, *, shape: Shape) -> NDArray:
    return x.reshape(shape)


Step: TypeAlias = tuple[str, dict[str, Any]]
"""A view primitive and its parameters."""


class Starts:
    """Where a window begins: 0-d int64 arrays, traced. Equal `names` mean equal places."""

    def __init__(self, arrays: tuple[Any, ...], names: Any) -> None:
        self.arrays = arrays
        self.names = names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Starts) and self.names == other.names

    __hash__ = None  # type: ignore[assignment]


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
        case "dynamic_slice":
            return strides
        case "broadcast":
            result = [0] * len(params["shape"])
            for axis, size, stride in zip(params["dims"], shape, strides, strict=True):
                result[axis] = stride if same(size, params["shape"][axis]) else 0
            return tuple(result)
        case _:
            return _reshaped_strides(shape, strides, params["shape"])


def _reshaped_strides(shape: Shape, strides: Shape, wanted: Shape) -> Shape | None:
    if same(strides, row_major(shape)):
        return row_major(wanted)
    if not is_static((*shape, *strides, *wanted)):
        return _symbolic_strides(shape, strides, wanted)
    if not prod(shape):
        return row_major(wanted)
    # NumPy's own rule, asked on an image that is never read
    image = as_strided(np.empty(1, np.int8), shape, strides, writeable=False)
    try:
        return np.reshape(image, wanted, copy=False).strides
    except ValueError:
        return None


def same_steps(steps: tuple[Step, ...], others: tuple[Step, ...]) -> bool:
    """Whether two chains of views are the same for certain."""
    return len(steps) == len(others) and all(
        name == other
        and params.keys() == found.keys()
        and all(same(params[key], found[key]) for key in params)
        for (name, params), (other, found) in zip(steps, others, strict=True)
    )


def _symbolic_strides(shape: Shape, strides: Shape, wanted: Shape) -> Shape | None:
    """NumPy's rule for sizes that are expressions: each run of memory is cut into whole axes."""
    runs: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides, strict=True):
        if runs and same(runs[-1][1], size * stride):
            runs[-1] = runs[-1][0] * size, stride
        elif not same(size, 1):
            runs.append((size, stride))
    result, place = [0] * len(wanted), len(wanted)
    for size, stride in reversed(runs):
        part = 1
        while not same(part, size):
            if place == 0:
                return None
            place -= 1
            result[place] = stride * part
            part *= wanted[place]
    return tuple(result) if all(same(size, 1) for size in wanted[:place]) else None


def view_steps(base: NDArray, view: NDArray) -> list[Step] | None:
    """The view steps that make `view` of the row-major `base`; None where slices cannot."""
    if not base.flags.c_contiguous or base.dtype != view.dtype or not view.size:
        return None
    window = _window(base, view)
    if window is None:
        return None
    starts, limits, strides, axes, backwards = window
    others = tuple(axis for axis in range(base.ndim) if axis not in axes)
    steps: list[Step] = []
    if view.size != base.size:
        steps.append(("slice", {"starts": starts, "limits": limits, "strides": strides}))
    if backwards:
        steps.append(("reverse", {"axes": backwards}))
    if (*others, *axes) != tuple(range(base.ndim)):
        steps.append(("transpose", {"permutation": (*others, *axes)}))
    image = base
    for name, params in steps:
        image = EAGER[name](image, **params)
    if image.shape != view.shape:
        steps.append(("reshape", {"shape": view.shape}))
        image = image.reshape(view.shape)
    return steps if _same_memory(image, view) else None


def _window(base: NDArray, view: NDArray) -> tuple[Shape, Shape, Shape, Shape, Shape] | None:
    """Starts, limits and strides on `base`, which of its axes the axes of `view` of more than one
    element are, and which of these are reversed; None where an axis of `view` is none of `base`."""
    unit, major = base.itemsize, row_major(base.shape)
    axes_of_view = [
        (size, stride // unit)
        for size, stride in zip(view.shape, view.strides, strict=True)
        if size > 1
    ]
    rest = (_address(view) - _address(base)) // unit
    rest += sum(stride * (size - 1) for size, stride in axes_of_view if stride < 0)
    if not 0 <= rest < base.size:
        return None
    starts: list[int] = []
    for step in major:
        starts.append(rest // step)
        rest %= step
    limits, strides = [start + 1 for start in starts], [1] * base.ndim
    axes: list[int] = []
    for size, stride in axes_of_view:
        fitting = (
            axis
            for axis, step in enumerate(major)
            if axis not in axes and base.shape[axis] > 1 and abs(stride) % step == 0
        )
        axis = next(fitting, None)
        if axis is None or not stride:
            return None
        strides[axis] = abs(stride) // major[axis]
        limits[axis] = starts[axis] + (size - 1) * strides[axis] + 1
        if limits[axis] > base.shape[axis]:
            return None
        axes.append(axis)
    backwards = tuple(
        axis for axis, (_, stride) in zip(axes, axes_of_view, strict=True) if stride < 0
    )
    return tuple(starts), tuple(limits), tuple(strides), tuple(axes), backwards


def _address(array: NDArray) -> int:
    return array.__array_interface__["data"][0]


def _same_memory(image: NDArray, view: NDArray) -> bool:
    """Whether two arrays of one dtype are the same elements of the same memory."""
    strides = zip(image.strides, view.strides, view.shape, strict=True)
    return (
        _address(image) == _address(view)
        and image.shape == view.shape
        and all(a == b for a, b, size in strides if size > 1)
    )


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
        case "dynamic_slice":
            return recorder.at_index("dynamic_update_slice", [old, update], params["starts"].arrays)
        case _:
            return _write_slice(recorder, params, old, update)


def _write_slice(
    recorder: Recorder, params: dict[str, Any], old: TracedArray, update: TracedArray
) -> TracedArray:
    starts, strides = params["starts"], params["strides"]
    if is_static(update.shape) and not prod(update.shape):
        return old
    if same(update.shape, old.shape):
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
