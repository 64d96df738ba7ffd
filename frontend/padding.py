"""`pad`, in every mode that reads the array itself or a constant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, broadcast, cast, constant, duplicate, view
from lamina.frontend.dispatch import public
from lamina.frontend.location import fail, shown
from lamina.frontend.shapes import Shape
from lamina.frontend.taking import along_axis

MOST_RUNS = 16
"""Parts of an axis that are joined; more are gathered."""


def _reflected(i: int, n: int) -> int:
    i %= max(2 * n - 2, 1)
    return min(i, 2 * n - 2 - i)


SOURCES: dict[str, Callable[[int, int], int]] = {
    "edge": lambda i, n: min(max(i, 0), n - 1),
    "reflect": _reflected,
    "symmetric": lambda i, n: min(i % (2 * n), 2 * n - 1 - i % (2 * n)),
    "wrap": lambda i, n: i % n,
}
"""Mode -> which of n elements stands at place i, from below 0 to beyond n."""


@public
def pad(x: ArrayLike, width: Any, /, *, mode: str = "constant", value: ArrayLike = 0) -> Array:
    """x with more elements around it.

    width: an int, a (low, high) pair, or a pair for each axis. The result has size low + n + high
    on an axis of size n, and the dtype of x. mode: what is put there, with i the place before
    (below 0) or after (n and up):

    "constant": the 0-d `value`; "edge": the first or last element; "reflect": x[-i], mirrored at
    the edge elements; "symmetric": x[-1 - i], mirrored behind them; "wrap": x[i mod n].

    `ShapeError` where an empty axis would be extended by other than a constant.

    >>> lm.pad(lm.asarray([1, 2]), (1, 2))
    Array([0, 1, 2, 0, 0])
    >>> lm.pad(lm.asarray([1, 2, 3]), 2, mode="reflect")
    Array([3, 2, 1, 2, 3, 2, 1])
    """
    array = as_array("pad", x)
    low, high = _edges(array.ndim, width)
    if type(mode) is str and mode == "constant":
        filler = cast(as_array("pad", value, array.dtype), array.dtype)
        if filler.ndim:
            fail(ShapeError, f"pad: expected a 0-d value, found shape {filler.shape}")
        return bind("pad", array, filler, low=low, high=high)
    if type(mode) is not str or mode not in SOURCES:
        listed = ", ".join(map(repr, ("constant", *SOURCES)))
        fail(ArgumentError, f"pad: expected a mode of {listed}, found {shown(mode)}")
    result = array
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        if before or after:
            result = _extended(result, axis, before, after, mode)
    return duplicate(array) if result is array else result


def _edges(rank: int, width: Any) -> tuple[Shape, Shape]:
    """What is added before and after each axis."""
    pairs: list[Any]
    if shapes.is_sequence(width):
        nested = all(shapes.is_sequence(edge) for edge in width)
        pairs = list(width) if nested else [tuple(width)] * rank
    else:
        pairs = [(width, width)] * rank
    if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
        fail(ShapeError, f"pad: expected a pair for each of {rank} axes, found {width}")
    edges = [shapes.shape_tuple("pad", tuple(pair)) for pair in pairs]
    return tuple(pair[0] for pair in edges), tuple(pair[1] for pair in edges)


def _extended(x: Array, axis: int, low: int, high: int, mode: str) -> Array:
    """x with elements of its own before and after one axis."""
    size = x.shape[axis]
    if not size:
        fail(
            ShapeError,
            f"pad: expected a size of 1 or more on axis {axis} in mode {shown(mode)}, found 0",
        )
    shapes.check_size("pad", (*x.shape[:axis], low + size + high, *x.shape[axis + 1 :]))
    source = SOURCES[mode]
    places = [source(i, size) for i in range(-low, size + high)]
    runs = _runs(places)
    if len(runs) > MOST_RUNS:
        space = along_axis(x.ndim, axis, 1)
        return bind("gather", x, constant(np.array(places, np.int64)), **space.params())
    parts = [_part(x, axis, *run) for run in runs]
    return duplicate(parts[0]) if len(parts) == 1 else bind("concat", *parts, axis=axis)


def _runs(places: Sequence[int]) -> list[tuple[int, int, int]]:
    """The places as runs of (first, count, step), with steps of 1, -1 and 0."""
    runs: list[tuple[int, int, int]] = []
    for place in places:
        if runs:
            first, count, step = runs[-1]
            last = first + (count - 1) * step
            if count == 1 and abs(place - last) <= 1:
                runs[-1] = first, 2, place - last
                continue
            if count > 1 and place == last + step:
                runs[-1] = first, count + 1, step
                continue
        runs.append((place, 1, 1))
    return runs


def _part(x: Array, axis: int, first: int, count: int, step: int) -> Array:
    """`count` elements of an axis from `first` on by `step`."""
    last = first + (count - 1) * step
    starts = tuple(min(first, last) if d == axis else 0 for d in range(x.ndim))
    limits = tuple(max(first, last) + 1 if d == axis else n for d, n in enumerate(x.shape))
    part = view("slice", x, starts=starts, limits=limits, strides=(1,) * x.ndim)
    if step < 0:
        return view("reverse", part, axes=(axis,))
    return broadcast(part, (*x.shape[:axis], count, *x.shape[axis + 1 :])) if not step else part
