"""Keys with arrays: which axes they index, and where their dims stand in the result (as NumPy)."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from lamina.errors import DTypeError, IndexRangeError, ShapeError, TraceError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, is_array
from lamina.frontend.bind import as_array, broadcast, constant, values
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.index_arrays import Space, known
from lamina.frontend.location import fail
from lamina.frontend.shapes import Shape
from lamina.frontend.traced import WeakScalar

Keys = tuple[Any, ...]


def is_mask(key: Any) -> bool:
    """Whether a key is a bool array or scalar."""
    return isinstance(key, (bool, np.bool_)) or (is_array(key) and key.dtype == dtypes.bool_)


def is_index_array(key: Any) -> bool:
    """Whether a key is an array (no weak scalar: those are ints)."""
    return is_array(key) and not isinstance(key, WeakScalar)


def is_advanced(keys: Keys) -> bool:
    """Whether the keys are not only ints, slices, None and ... ."""
    return any(is_index_array(key) or is_mask(key) or type(key) is list for key in keys)


@dataclass
class Plan:
    """What keys with arrays mean for an array.

    basic: the keys without the arrays, which stand as whole slices (or None, for a bool scalar).
    arrays: for each array, the axis that it indexes after `basic` is applied, the axis as
    messages call it, and the array. place: the dim of the result where the arrays' dims begin.
    masks: bool arrays that are not yet indices, with their first axis.
    """

    basic: list[Any] = field(default_factory=list[Any])
    arrays: list[tuple[int, int, Array]] = field(default_factory=list[tuple[int, int, Array]])
    masks: list[tuple[int, Array]] = field(default_factory=list[tuple[int, Array]])
    place: int = 0

    @property
    def axes(self) -> Shape:
        """The axes that the arrays index, as messages call them."""
        return tuple(called for _, called, _ in self.arrays)

    @property
    def is_single(self) -> bool:
        """Whether all arrays are 0-d: they say where one part is."""
        return all(not array.ndim for _, _, array in self.arrays)

    def spread(self) -> tuple[list[Array], Shape]:
        """The arrays, broadcast to their common shape."""
        arrays = [array for _, _, array in self.arrays]
        try:
            shape = shapes.broadcast_shapes("index", *(array.shape for array in arrays))
        except ShapeError:
            listed = " and ".join(str(array.shape) for array in arrays)
            fail(IndexRangeError, f"index: expected arrays that broadcast, found shapes {listed}")
        return [broadcast(array, shape) for array in arrays], shape

    def space(self, rank: int, index_rank: int) -> Space:
        """The space of the result, for an array of `rank` axes after the basic keys."""
        axes = tuple(axis for axis, _, _ in self.arrays)
        index_dims = tuple(range(self.place, self.place + index_rank))
        dims = [d for d in range(rank - len(axes) + index_rank) if d not in index_dims]
        return Space(axes, tuple(dims), index_dims)


class _Planner:
    """Reads keys from left to right. `axis` counts axes of the array, `view_axis` those that are
    there after the basic keys."""

    def __init__(self, shape: Shape, resolve: bool) -> None:
        self.shape = shape
        self.resolve = resolve
        self.plan = Plan()
        self.axis = self.view_axis = 0
        self.before: int | None = None  # dims of the result before the first array
        self.turns: list[int] = []

    def array(self, turn: int) -> None:
        """Note that key number `turn` counts as an array."""
        if self.before is None:
            self.before = self.view_axis
        self.turns.append(turn)

    def whole(self, count: int = 1) -> None:
        """Axes that stay as they are."""
        self.plan.basic += [slice(None)] * count
        self.axis += count
        self.view_axis += count

    def index(self, array: Array) -> None:
        """An array of integers for the next axis."""
        self.plan.arrays.append((self.view_axis, self.axis, array))
        self.whole()

    def flag(self, flag: bool) -> None:
        """A bool scalar: a new axis of size 1 or 0."""
        self.plan.basic.append(None)
        self.plan.arrays.append(
            (self.view_axis, self.axis, constant(np.zeros(int(flag), np.int64)))
        )
        self.view_axis += 1

    def mask(self, mask: Array) -> None:
        """A bool array: the indices of its True elements, or a mask while they are unknown."""
        count = mask.ndim
        expected = self.shape[self.axis : self.axis + count]
        if mask.shape != expected:
            fail(
                IndexRangeError,
                f"index: expected a bool array of shape {expected} on axis {self.axis}, "
                f"found shape {mask.shape}",
            )
        data = now(mask) if self.resolve else None
        if data is None:
            self.plan.masks.append((self.view_axis, mask))
            self.whole(count)
            return
        for place in np.nonzero(data):
            self.index(constant(place.astype(np.int64)))


def now(array: Array) -> np.ndarray[Any, Any] | None:
    """The values of an array, where they are known now."""
    recorder = CURRENT.get()
    if recorder is None:
        return values(array)
    found = recorder.known([array])
    return None if found is None else found[0]


def plan_of(shape: Shape, keys: Keys, resolve: bool = True) -> Plan:
    """The plan of keys, some of which are arrays. `resolve`: bool arrays whose values are known
    become indices.

    Raises `IndexRangeError` for too many keys or a mask of another shape, `DTypeError` for arrays
    of other dtypes.
    """
    keys = tuple(_as_array(key) for key in keys)
    used = sum(_axes_of(key) for key in keys)
    if used > len(shape):
        fail(IndexRangeError, f"index: expected at most {len(shape)} keys, found {used}")
    dots = sum(1 for key in keys if key is Ellipsis)
    if dots > 1:
        fail(IndexRangeError, f"index: expected at most one ..., found {dots}")
    planner = _Planner(shape, resolve)
    for turn, key in enumerate(keys):
        if key is Ellipsis:
            planner.whole(len(shape) - used)
        elif key is None:
            planner.plan.basic.append(None)
            planner.view_axis += 1
        elif isinstance(key, slice):
            planner.plan.basic.append(key)
            planner.axis += 1
            planner.view_axis += 1
        else:
            planner.array(turn)
            _advanced(planner, key)
    planner.plan.basic += [slice(None)] * (len(shape) - planner.axis)
    together = planner.turns == list(range(planner.turns[0], planner.turns[-1] + 1))
    planner.plan.place = cast(int, planner.before) if together else 0
    return planner.plan


def _advanced(planner: _Planner, key: Any) -> None:
    if not is_index_array(key):
        if isinstance(key, (bool, np.bool_)):
            planner.flag(bool(cast(Any, key)))
        else:  # an int
            planner.plan.basic.append(key)
            planner.axis += 1
    elif key.dtype == dtypes.bool_ and not key.ndim:
        data = now(key)
        if data is None:
            fail(TraceError, "index: expected a bool whose value is known, found a traced one")
        planner.flag(bool(data))
    elif key.dtype == dtypes.bool_:
        planner.mask(key)
    else:
        planner.index(key)


def _as_array(key: Any) -> Any:
    """Arrays and lists as arrays of ours. Raises `DTypeError` for dtypes that cannot index."""
    if type(key) is list:
        array = known("index", cast(Any, key))
    elif is_index_array(key):
        array = as_array("index", key)
    else:
        return key
    if array.dtype not in dtypes.BITS:
        fail(DTypeError, f"index: expected arrays of an integer dtype or bool, found {array.dtype}")
    return array


def _axes_of(key: Any) -> int:
    """How many axes a key takes."""
    if key is None or key is Ellipsis or isinstance(key, (bool, np.bool_)):
        return 0
    if is_index_array(key) and key.dtype == dtypes.bool_:
        return key.ndim
    return 1
