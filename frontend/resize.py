"""Resizing by interpolation, axis by axis, with the coordinates of ONNX Resize."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, cast, check_dtype, constant, number
from lamina.frontend.dispatch import public
from lamina.frontend.elementwise import add, multiply
from lamina.frontend.location import fail, shown
from lamina.frontend.shapes import Shape

Numbers = np.ndarray[Any, np.dtype[np.float64]]

COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
ROUNDING: dict[str, Callable[[Numbers], Numbers]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
"""How a place between two elements becomes one of them."""
MODES = ("nearest", "linear", "cubic")


@dataclass(frozen=True)
class _How:
    """The options of `resize` but the sizes."""

    mode: str
    coordinates: str
    rounding: str
    coefficient: float
    exclude_outside: bool

    def places(self, size: int, scale: float, out: int) -> Numbers:
        """Where along an axis of `size` each of `out` elements comes from."""
        at = np.arange(out, dtype=np.float64)
        length = size * scale
        if self.coordinates == "asymmetric":
            return at / scale
        if self.coordinates == "align_corners":
            return at * (size - 1) / (length - 1) if length != 1 else at * 0.0
        if self.coordinates == "pytorch_half_pixel" and out <= 1:
            return at * 0.0
        return (at + 0.5) / scale - 0.5

    def taps(self, places: Numbers, size: int) -> list[tuple[Numbers, Numbers | None]]:
        """For each neighbour: its index, clamped to the axis, and its weight."""
        if self.mode == "nearest":
            return [(np.clip(ROUNDING[self.rounding](places), 0, size - 1), None)]
        floor = np.floor(places)
        part = places - floor
        offsets = (0, 1) if self.mode == "linear" else (-1, 0, 1, 2)
        weights = [self.weight(np.abs(part - offset)) for offset in offsets]
        indices = [floor + offset for offset in offsets]
        if self.exclude_outside:
            inside = [(index >= 0) & (index < size) for index in indices]
            weights = [np.where(here, w, 0.0) for here, w in zip(inside, weights, strict=True)]
            total = np.sum(weights, axis=0)
            weights = [w / np.where(total == 0, 1.0, total) for w in weights]
        return [(np.clip(i, 0, size - 1), w) for i, w in zip(indices, weights, strict=True)]

    def weight(self, distance: Numbers) -> Numbers:
        """The weight of a neighbour at a distance of less than 1 (linear), or 2 (cubic)."""
        if self.mode == "linear":
            return 1.0 - distance
        a, d = self.coefficient, distance
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
        return np.where(d <= 1, near, far)


@public
def resize(
    x: ArrayLike,
    shape: Any = None,
    /,
    *,
    scales: Any = None,
    axes: Any = None,
    mode: str = "nearest",
    coordinates: str = "half_pixel",
    rounding: str = "round_prefer_floor",
    cubic_coefficient: float = -0.75,
    exclude_outside: bool = False,
    antialias: bool = False,
) -> Array:
    """x with other sizes along `axes` (default: all), by interpolation as ONNX Resize, an axis
    after the other (the smallest scale first, then the last axis).

    shape: the new sizes. scales: instead, new sizes over old ones; a size is floor(size * scale).
    mode: "nearest" (any dtype, exact), "linear", "cubic" (floating-point; float16 and bfloat16
    are computed in float32 and rounded once). coordinates: element i comes from
    (i + 0.5) / scale - 0.5 ("half_pixel"; "pytorch_half_pixel": 0 for a new size of 1),
    i * (size - 1) / (size * scale - 1) ("align_corners"), or i / scale ("asymmetric"). rounding, of
    "nearest": "round_prefer_floor", "round_prefer_ceil", "floor", "ceil". "linear" is the sum of
    two neighbours times 1 - distance, "cubic" of four times the kernel of Keys (Cubic Convolution
    Interpolation for Digital Image Processing, 1981) with `cubic_coefficient`; a neighbour outside
    is that at the edge, or with `exclude_outside` left out (weights then have the sum 1).
    `ArgumentError` for `antialias`, which is not there, and for unknown names.

    >>> lm.resize(lm.asarray([1.0, 3.0]), 4, mode="linear")
    Array([1. , 1.5, 2.5, 3. ])
    """
    array = as_array("resize", x)
    _check_name("mode", mode, MODES)
    _check_name("coordinates", coordinates, COORDINATES)
    _check_name("rounding", rounding, tuple(ROUNDING))
    if shapes.flag("resize", antialias, "antialias"):
        fail(ArgumentError, "resize: expected antialias=False (it is not there yet), found True")
    outside = shapes.flag("resize", exclude_outside, "exclude_outside")
    coefficient = _number("cubic_coefficient", cubic_coefficient)
    if mode != "nearest":
        check_dtype("resize", array.dtype, dtypes.FLOATS)
    how = _How(mode, coordinates, rounding, coefficient, outside)
    along = shapes.axis_indices("resize", axes, array.ndim)
    result = array if mode == "nearest" else cast(array, dtypes.wide(array.dtype))
    targets = _targets(array.shape, along, shape, scales)
    # small results first; the last axis, whose neighbours are not moved in vectors, before others
    for axis, scale, size in sorted(targets, key=lambda target: (target[1], -target[0])):
        if scale != 1 or size != array.shape[axis]:
            result = _resized(result, axis, scale, size, how)
    return cast(result, array.dtype)


def _check_name(what: str, value: object, known: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(f'"{name}"' for name in known)
        fail(ArgumentError, f"resize: expected {what} of {listed}, found {shown(value)}")


def _number(what: str, value: Any) -> float:
    found = float(number("resize", value, what))
    if not math.isfinite(found):
        fail(ArgumentError, f"resize: expected a finite number as {what}, found {value}")
    return found


def _targets(shape: Shape, axes: Shape, sizes: Any, scales: Any) -> list[tuple[int, float, int]]:
    """(axis, scale, new size) of each axis."""
    if (sizes is None) == (scales is None):
        fail(ArgumentError, "resize: expected a shape or scales, found both or neither")
    if sizes is not None:
        wanted = shapes.shape_tuple("resize", sizes)
        _check_count(wanted, axes)
        old = [shape[axis] for axis in axes]
        for axis, size, new in zip(axes, old, wanted, strict=True):
            if size == 0 and new:
                fail(
                    ShapeError,
                    f"resize: expected a size of 1 or more on axis {axis} to resize, found 0",
                )
        ratios = [new / size if size else 1.0 for size, new in zip(old, wanted, strict=True)]
        return list(zip(axes, ratios, wanted, strict=True))
    listed = tuple(scales) if shapes.is_sequence(scales) else (scales,)
    _check_count(listed, axes)
    found: list[tuple[int, float, int]] = []
    for axis, value in zip(axes, listed, strict=True):
        scale = _number("each of scales", value)
        if scale <= 0:
            fail(ArgumentError, f"resize: expected scales above 0, found {value}")
        new = math.floor(shape[axis] * scale)
        shapes.check_size("resize", (new,))
        found.append((axis, scale, new))
    return found


def _check_count(listed: tuple[Any, ...], axes: Shape) -> None:
    if len(listed) != len(axes):
        fail(
            ShapeError, f"resize: expected a number for each of axes {axes}, found {shown(listed)}"
        )


def _resized(array: Array, axis: int, scale: float, size: int, how: _How) -> Array:
    """`array` with `size` elements along one axis."""
    places = how.places(array.shape[axis], scale, size)
    others = tuple(a for a in range(array.ndim) if a != axis)
    total: Array | None = None
    for index, weight in how.taps(places, array.shape[axis]):
        chosen = constant(index.astype(np.int64))
        part = bind("gather", array, chosen, axes=(axis,), dims=others, index_dims=(axis,))
        if weight is not None:
            wide = weight.reshape([-1 if a == axis else 1 for a in range(array.ndim)])
            part = multiply(part, constant(wide.astype(array.dtype)))
        total = part if total is None else add(total, part)
    assert total is not None
    return total
