"""`roll` and `repeat`: elements moved round an axis, and elements several times."""

from __future__ import annotations

from typing import Any

import numpy as np

from lamina.errors import ShapeError, TraceError
from lamina.frontend import dtypes, shapes
from lamina.frontend.advanced import is_index_array, now
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    cast,
    check_dtype,
    constant,
    duplicate,
    view,
)
from lamina.frontend.dispatch import public
from lamina.frontend.index_arrays import known
from lamina.frontend.location import fail
from lamina.frontend.taking import along_axis


@public
def roll(x: ArrayLike, /, shift: Any, *, axis: Any = None) -> Array:
    """Elements moved by `shift` along `axis`, round the end; None rolls the flattened array.

    shift: an int or a 0-d integer array, or one for each axis of a tuple `axis`.

    >>> lm.roll(lm.asarray([1, 2, 3]), 1)
    Array([3, 1, 2])
    """
    array = as_array("roll", x)
    if axis is None:
        flat = view("reshape", array, shape=(array.size,))
        return view("reshape", roll(flat, shift, axis=0), shape=array.shape)
    listed = tuple(axis) if shapes.is_sequence(axis) else (axis,)
    shifts = _shifts(shift)
    if len(shifts) == 1:
        shifts *= len(listed)
    if len(shifts) != len(listed):
        fail(ShapeError, f"roll: expected {len(listed)} shifts, found {len(shifts)}")
    result = array
    for found, by in zip(listed, shifts, strict=True):
        result = _rolled(result, shapes.axis_index("roll", found, array.ndim), by)
    return duplicate(result) if result is array else result


def _shifts(shift: Any) -> list[Any]:
    """The shifts, ints or 0-d arrays, one by one."""
    if not is_index_array(shift):
        return list(shift) if shapes.is_sequence(shift) else [shift]
    array = as_array("roll", shift)
    check_dtype("roll", array.dtype, dtypes.INTEGERS)
    if array.ndim > 1:
        fail(ShapeError, f"roll: expected a shift for each axis, found shape {array.shape}")
    data = now(array)
    if data is not None:
        return [int(number) for number in np.ravel(data)]
    return [array[i] for i in range(array.size)] if array.ndim else [array]


def _rolled(x: Array, axis: int, by: Any) -> Array:
    size = x.shape[axis]
    if is_index_array(by):
        array = as_array("roll", by)
        check_dtype("roll", array.dtype, dtypes.INTEGERS)
        if array.ndim:
            fail(ShapeError, f"roll: expected 0-d shifts, found shape {array.shape}")
        data = now(array)
        if data is None:
            return _rolled_by_value(x, axis, array)
        by = int(data)
    cut = -shapes.integer("roll", by, "shift") % size if size else 0
    if not cut:
        return x
    before = (slice(None),) * axis
    return bind("concat", x[(*before, slice(cut, None))], x[(*before, slice(None, cut))], axis=axis)


def _rolled_by_value(x: Array, axis: int, by: Array) -> Array:
    """Element i is x[(i - by) mod n], where `by` is known at run time."""
    size = x.shape[axis]
    if not size:
        return x
    wide = dtypes.uint64 if by.dtype == dtypes.uint64 else dtypes.int64
    rest = bind("remainder", cast(by, wide), constant(np.array(size, wide)))
    rest = broadcast(cast(rest, dtypes.int64), (size,))
    places = bind("subtract", bind("iota", axis=0, shape=(size,), dtype=dtypes.int64), rest)
    return bind("gather", x, places, **along_axis(x.ndim, axis, 1).params())


@public
def repeat(x: ArrayLike, repeats: Any, /, *, axis: int | None = None) -> Array:
    """Each element `repeats` times along `axis`; None repeats the flattened array.

    repeats: an int, or one for each element, whose values must be known: the result's shape
    depends on them, so traced arrays are a `TraceError`.

    >>> lm.repeat(lm.asarray([1, 2]), 2)
    Array([1, 1, 2, 2])
    >>> lm.repeat(lm.asarray([1, 2]), [3, 1])
    Array([1, 1, 1, 2])
    """
    array = as_array("repeat", x)
    if axis is None:
        array, axis = view("reshape", array, shape=(array.size,)), 0
    along = shapes.axis_index("repeat", axis, array.ndim)
    if shapes.is_sequence(repeats):
        repeats = known("repeat", repeats)
    if is_index_array(repeats):
        return _repeated(array, as_array("repeat", repeats), along)
    count = shapes.integer("repeat", repeats, "number of repeats")
    if count < 0:
        fail(ShapeError, f"repeat: expected 0 repeats or more, found {count}")
    shape = array.shape
    wide = (*shape[: along + 1], count, *shape[along + 1 :])
    dims = tuple(i for i in range(array.ndim + 1) if i != along + 1)
    flat = (*shape[:along], shape[along] * count, *shape[along + 1 :])
    shapes.check_size("repeat", flat)
    return duplicate(view("reshape", view("broadcast", array, dims=dims, shape=wide), shape=flat))


def _repeated(array: Array, counts: Array, axis: int) -> Array:
    """The elements gathered, as often as `counts` says."""
    check_dtype("repeat", counts.dtype, dtypes.INTEGERS)
    size = array.shape[axis]
    if counts.shape not in ((), (1,), (size,)):
        fail(ShapeError, f"repeat: expected {size} numbers of repeats, found {counts.shape}")
    data = now(counts)
    if data is None:
        fail(
            TraceError,
            "repeat: expected numbers of repeats that are known (the result's shape depends on "
            "them), found a traced array; give an int or a list of ints",
        )
    if (data < 0).any():
        fail(ShapeError, f"repeat: expected 0 repeats or more, found {int(data.min())}")
    total = sum(int(n) for n in np.ravel(data)) * (1 if counts.shape == (size,) else size)
    shapes.check_size("repeat", (*array.shape[:axis], total, *array.shape[axis + 1 :]))
    places = np.repeat(np.arange(size), data.astype(np.int64))
    return bind("gather", array, constant(places), **along_axis(array.ndim, axis, 1).params())
