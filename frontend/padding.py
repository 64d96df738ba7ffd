"""`pad`: elements around an array, by every mode of `np.pad` but a function of the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from typing import cast as cast_type

import numpy as np

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, broadcast, cast, constant, duplicate, view
from lamina.frontend.dispatch import public
from lamina.frontend.location import fail, shown
from lamina.frontend.padding_values import STATISTICS, odd, ramped, with_statistic
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
def pad(
    x: ArrayLike,
    width: Any,
    /,
    *,
    mode: str = "constant",
    value: Any = None,
    stat_length: Any = None,
    end_values: Any = None,
    reflect_type: str | None = None,
) -> Array:
    """x with more elements around it, as `np.pad`.

    width: an int, a (low, high) pair, a pair for each axis, or a dict from axes to ints or pairs.
    The result has size low + n + high on an axis of size n, and the dtype of x. Axes are extended
    one after the other: corners come from what stands beside them. mode: what is put there, with
    i the place before (below 0) or after (n and up):

    "constant": `value` (0 if it is not given); "empty": anything (zeros); "edge": the first or last
    element; "reflect": x[-i], mirrored at the edge elements; "symmetric": x[-1 - i], mirrored
    behind them; "wrap": x[i mod n]; "linear_ramp": evenly spaced from `end_values` (0) at the outer
    end up to the edge; "maximum", "minimum", "mean", "median": that of the `stat_length` elements
    nearest to the edge (all by default), rounded to even in integers.

    value, end_values, stat_length: one for all, a (low, high) pair, or a pair for each axis; values
    are 0-d. reflect_type: "even", or "odd" for twice the edge less the reflection ("reflect" and
    "symmetric").

    `ShapeError` where an empty axis would be extended by other than a constant, and for pairs that
    do not fit; `ArgumentError` for another mode, and for an option that the mode does not have.

    >>> lm.pad(lm.asarray([1, 2]), (1, 2))
    Array([0, 1, 2, 0, 0])
    >>> lm.pad(lm.asarray([1, 2, 3]), 2, mode="reflect")
    Array([3, 2, 1, 2, 3, 2, 1])
    >>> lm.pad(lm.asarray([1, 5, 3]), 2, mode="maximum", stat_length=2)
    Array([5, 5, 1, 5, 3, 5, 5])
    """
    array = as_array("pad", x)
    options = {
        "value": value, "stat_length": stat_length, "end_values": end_values,
        "reflect_type": reflect_type,
    }  # fmt: skip
    _check_mode(mode, options)
    widths = _widths(array.ndim, width)
    if mode in ("constant", "empty"):
        return _around(array, widths, 0 if value is None else value)
    extend = _extender(array, mode, options)
    result = array
    for axis, (low, high) in enumerate(widths):
        if low or high:
            _check_extended(result, axis, low + high, mode)
            result = extend(result, axis, (low, high))
    return duplicate(array) if result is array else result


OPTIONS = {
    "constant": "value", "empty": "", "edge": "", "wrap": "", "linear_ramp": "end_values",
    "maximum": "stat_length", "mean": "stat_length", "median": "stat_length",
    "minimum": "stat_length", "reflect": "reflect_type", "symmetric": "reflect_type",
}  # fmt: skip
"""Mode -> the option that it has."""

Extend = Callable[[Array, int, tuple[int, int]], Array]
"""(array, axis, widths) -> the extended array."""


def _check_mode(mode: str, options: dict[str, Any]) -> None:
    """Raise `ArgumentError` for an unknown mode, or an option of another mode."""
    if type(mode) is not str or mode not in OPTIONS:
        fail(
            ArgumentError,
            f"pad: expected a mode of {', '.join(map(repr, OPTIONS))}, found {shown(mode)}",
        )
    for name, given in options.items():
        if given is not None and name != OPTIONS[mode]:
            having = ", ".join(repr(m) for m, option in OPTIONS.items() if option == name)
            fail(ArgumentError, f"pad: expected {name} in mode {having} only, found mode {mode!r}")


def _extender(array: Array, mode: str, options: dict[str, Any]) -> Extend:
    """What extends one axis."""
    rank, kind = array.ndim, options["reflect_type"]
    if mode == "linear_ramp":
        given = 0 if options["end_values"] is None else options["end_values"]
        ends = _values(array, given, "end_values", wide=True)
        return lambda x, axis, widths: ramped(x, axis, widths, ends[axis])
    if mode in STATISTICS:
        given = options["stat_length"]
        whole = [(n, n) for n in array.shape]
        lengths = whole if given is None else _whole_pairs(given, rank, "stat_length")
        return lambda x, axis, widths: with_statistic(x, axis, widths, mode, lengths[axis])
    if kind not in (None, "even", "odd"):
        text = f'expected a reflect_type of "even" or "odd", found {shown(kind)}'
        fail(ArgumentError, f"pad: {text}")

    def extend(x: Array, axis: int, widths: tuple[int, int]) -> Array:
        if kind == "odd" and x.shape[axis] > 1:
            return odd(x, axis, widths, mode)
        return _extended(x, axis, *widths, mode)

    return extend


def _pairs(given: Any, rank: int, what: str) -> list[tuple[Any, Any]]:
    """(low, high) for each axis, from one for all, a pair, or a row of one or two for each axis."""
    rows: list[Any] = [(given,)]
    if getattr(given, "ndim", 0):
        array = as_array("pad", given)
        given = [row if array.ndim == 1 else list(row) for row in array]
    if shapes.is_sequence(given):
        nested = any(shapes.is_sequence(row) for row in given)
        rows = [row if shapes.is_sequence(row) else (row,) for row in given] if nested else [given]
    if len(rows) not in (1, rank) or any(len(row) not in (1, 2) for row in rows):
        text = (
            f"expected one {what}, a pair, or a pair for each of {rank} axes, found {shown(given)}"
        )
        fail(ShapeError, f"pad: {text}")
    pairs = [(row[0], row[-1]) for row in rows]
    return pairs if len(pairs) == rank else pairs * rank


def _whole_pairs(given: Any, rank: int, what: str) -> list[tuple[int, int]]:
    """Pairs of integers of 0 or more."""
    given = given.tolist() if isinstance(given, np.ndarray) else given
    found = [shapes.shape_tuple("pad", pair) for pair in _pairs(given, rank, what)]
    return [(low, high) for low, high in found]


def _widths(rank: int, width: Any) -> list[tuple[int, int]]:
    """What is added before and after each axis."""
    if not isinstance(width, dict):
        return _whole_pairs(width, rank, "width")
    widths = [(0, 0)] * rank
    for axis, both in cast_type("dict[Any, Any]", width).items():
        widths[shapes.axis_index("pad", axis, rank)] = _whole_pairs(both, 1, "width")[0]
    return widths


def _values(array: Array, given: Any, what: str, wide: bool = False) -> list[tuple[Array, Array]]:
    """0-d arrays for each axis, of the dtype of `array`; with `wide` of the widest of its kind."""
    dtype = array.dtype
    if wide:
        dtype = dtypes.complex128 if dtype in dtypes.COMPLEX else dtypes.float64

    def filler(value: Any) -> Array:
        found = cast(as_array("pad", value, dtype), dtype)
        if found.ndim:
            fail(ShapeError, f"pad: expected a 0-d {what}, found shape {found.shape}")
        return found

    return [(filler(low), filler(high)) for low, high in _pairs(given, array.ndim, what)]


def _around(array: Array, widths: list[tuple[int, int]], value: Any) -> Array:
    """Constants around: at once where there is one, else axis after axis."""
    values = _values(array, value, "value")
    low, high = (tuple(pair[side] for pair in widths) for side in (0, 1))
    if not shapes.is_sequence(value) and not getattr(value, "ndim", 0):
        filler = values[0][0] if values else cast(as_array("pad", value, array.dtype), array.dtype)
        return bind("pad", array, filler, low=low, high=high)
    result, none = array, (0,) * array.ndim
    for axis, (before, after) in enumerate(values):
        for filler, side, edges in ((before, 0, low), (after, 1, high)):
            edge = (*none[:axis], edges[axis], *none[axis + 1 :])
            if edges[axis]:
                low_high = (edge, none) if side == 0 else (none, edge)
                result = bind("pad", result, filler, low=low_high[0], high=low_high[1])
    return duplicate(array) if result is array else result


def _check_extended(x: Array, axis: int, more: int, mode: str) -> None:
    """Raise `ShapeError` for an empty axis, and for a result that is too large."""
    size = x.shape[axis]
    if not size:
        fail(
            ShapeError,
            f"pad: expected a size of 1 or more on axis {axis} in mode {shown(mode)}, found 0",
        )
    shapes.check_size("pad", (*x.shape[:axis], size + more, *x.shape[axis + 1 :]))


def _extended(x: Array, axis: int, low: int, high: int, mode: str) -> Array:
    """x with elements of its own before and after one axis."""
    size = x.shape[axis]
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
