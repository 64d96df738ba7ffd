"""`x[key]` and `x[key] = value`.

Basic keys (ints, slices, None, ...) are views. A bool array of the shape of x may be assigned
through. Other array keys (as in NumPy, copies) work eagerly.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np

from lamina.errors import (
    ArgumentError,
    DTypeError,
    IndexRangeError,
    MutationError,
    ShapeError,
    TraceError,
)
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike, is_array, wrap, writable
from lamina.frontend.bind import as_array, bind, broadcast, store, values, view
from lamina.frontend.bind import cast as to_dtype
from lamina.frontend.dispatch import CURRENT, FUNCTIONS, public
from lamina.frontend.location import fail
from lamina.frontend.shapes import Shape
from lamina.frontend.traced import TracedArray, WeakScalar


@public
def get_item(x: Array, key: Any, /) -> Array:
    """`x[key]`."""
    keys = _listed(key)
    if _is_advanced(keys):
        return _gathered(x, keys)
    return _viewed(x, keys)


@public
def set_item(x: Array, key: Any, value: ArrayLike, /) -> None:
    """`x[key] = value`: the value is cast to the dtype of x and broadcast."""
    keys = _listed(key)
    if not _is_advanced(keys):
        _write("set_item", _viewed(x, keys), value)
    elif len(keys) == 1 and _is_mask(keys[0], x.shape) and _elements(value) == 1:
        mask = as_array("set_item", keys[0])
        filler = view("reshape", _converted(x, value), shape=())
        store("set_item", x, bind("select", mask, broadcast(filler, x.shape), x))
    else:
        _scattered(x, keys, value)


@public
def update_in_place(name: str, x: Array, other: ArrayLike) -> Array:
    """`x += other` and its like: the result must have the shape and dtype of x."""
    result: Array = FUNCTIONS[name](x, other)
    if isinstance(x, WeakScalar):
        return result
    if result.dtype != x.dtype:
        fail(
            DTypeError,
            f"{name}: expected a result of dtype {x.dtype} to write in place, found {result.dtype}",
        )
    if result.shape != x.shape:
        fail(
            ShapeError,
            f"{name}: expected a result of shape {x.shape} to write in place, found {result.shape}",
        )
    store(name, x, result)
    return x


def _listed(key: Any) -> tuple[Any, ...]:
    keys = cast(tuple[Any, ...], key) if isinstance(key, tuple) else (key,)
    return tuple(_as_key(k) for k in keys)


def _as_key(key: Any) -> Any:
    """A list is an array."""
    if type(key) is not list:
        return key
    try:
        return np.asarray(cast(Any, key))
    except ValueError:
        fail(ArgumentError, "index: expected a list of ints or bools, found a ragged one")


def _is_advanced(keys: tuple[Any, ...]) -> bool:
    return any(
        isinstance(k, (bool, np.bool_, np.ndarray))
        or (isinstance(k, Array) and not isinstance(k, WeakScalar))
        for k in keys
    )


def _is_mask(key: Any, shape: Shape) -> bool:
    return is_array(key) and key.dtype == dtypes.bool_ and key.shape == shape


def _elements(value: ArrayLike) -> int:
    return prod(getattr(value, "shape", ()))


def _converted(x: Array, value: ArrayLike) -> Array:
    return to_dtype(as_array("set_item", value, x.dtype), x.dtype)


def _write(name: str, target: Array, value: ArrayLike) -> None:
    update = _converted(target, value)
    extra = update.ndim - target.ndim
    if extra > 0 and update.shape[:extra] == (1,) * extra:  # as NumPy allows
        update = view("reshape", update, shape=update.shape[extra:])
    shapes.check_broadcast(name, update.shape, target.shape)
    store(name, target, broadcast(update, target.shape))


def _viewed(x: Array, keys: tuple[Any, ...]) -> Array:
    starts, limits, strides, reversed_axes, shape = basic_index(x.shape, keys)
    result = x
    if (starts, limits, strides) != ((0,) * x.ndim, x.shape, (1,) * x.ndim):
        result = view("slice", result, starts=starts, limits=limits, strides=strides)
    if reversed_axes:
        result = view("reverse", result, axes=reversed_axes)
    return (
        result
        if result.shape == shape and result is not x
        else view("reshape", result, shape=shape)
    )


def basic_index(shape: Shape, keys: tuple[Any, ...]) -> tuple[Shape, Shape, Shape, Shape, Shape]:
    """Starts, limits, strides, the axes to reverse after that, and the shape at last.

    Raises `IndexRangeError` for an int outside its axis or too many keys, `ArgumentError` for a
    key of another kind.
    """
    keys = _expanded(shape, keys)
    starts: list[int] = []
    limits: list[int] = []
    strides: list[int] = []
    backwards: list[int] = []
    final: list[int] = []
    for key in keys:
        if key is None:
            final.append(1)
            continue
        axis = len(starts)
        size = shape[axis]
        if isinstance(key, slice):
            start, count, step = _slice(cast(Any, key), size)
            final.append(count)
            if step < 0:
                start, step = start + (count - 1) * step, -step
                if count > 1:
                    backwards.append(axis)
            limit = start + (count - 1) * step + 1 if count else start
        else:
            start = index_in("index", key, size, axis)
            limit, step = start + 1, 1
        starts.append(start)
        limits.append(limit)
        strides.append(step)
    return tuple(starts), tuple(limits), tuple(strides), tuple(backwards), tuple(final)


def _slice(key: slice, size: int) -> tuple[int, int, int]:
    """Start, count and step of a slice of an axis."""
    bounds = [
        None if bound is None else shapes.integer("index", bound, "slice bound")
        for bound in (key.start, key.stop, key.step)
    ]
    if bounds[2] == 0:
        fail(ArgumentError, "index: expected a slice step other than 0, found 0")
    start, stop, step = slice(*bounds).indices(size)
    count = len(range(start, stop, step))
    return (start, count, step) if count else (0, 0, 1)


def index_in(name: str, key: Any, size: int, axis: int) -> int:
    """An int key from 0 to `size` - 1; negative ones count from the end."""
    found = shapes.integer(name, key, "key (or a slice, None, ... or an array)")
    if not -size <= found < size:
        expected = f"from {-size} to {size - 1}" if size else "none (the size is 0)"
        fail(IndexRangeError, f"{name}: expected an index {expected} on axis {axis}, found {found}")
    return found + size if found < 0 else found


def _expanded(shape: Shape, keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The keys with `...` written out, one for each axis and None."""
    used = sum(1 for key in keys if key is not None and key is not Ellipsis)
    if used > len(shape):
        fail(IndexRangeError, f"index: expected at most {len(shape)} keys, found {used}")
    places = [place for place, key in enumerate(keys) if key is Ellipsis]
    if len(places) > 1:
        fail(IndexRangeError, f"index: expected at most one ..., found {len(places)}")
    at = places[0] if places else len(keys)
    return (*keys[:at], *[slice(None)] * (len(shape) - used), *keys[at + 1 :])


def _numpy_key(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(np.asarray(key) if isinstance(key, Array) else key for key in keys)


def _refuse_traced(x: Array, keys: tuple[Any, ...]) -> None:
    if CURRENT.get() is not None or isinstance(x, TracedArray):
        kinds = [np.asarray(k).dtype if not isinstance(k, Array) else k.dtype for k in keys]
        kind = "a bool array" if dtypes.bool_ in kinds else "an integer array"
        fail(TraceError, f"index: expected ints, slices, None or ... in traced code, found {kind}")


def _gathered(x: Array, keys: tuple[Any, ...]) -> Array:
    _refuse_traced(x, keys)
    if x._tape is not None and x.requires_grad:
        fail(TraceError, "index: expected ints, slices, None or ... on an array with a gradient")
    try:
        return wrap(np.ascontiguousarray(values(x)[_numpy_key(keys)]))
    except IndexError as error:
        fail(IndexRangeError, f"index: {error}")


def _scattered(x: Array, keys: tuple[Any, ...], value: ArrayLike) -> None:
    _refuse_traced(x, keys)
    update = _converted(x, value)
    if x._tape is not None or update._tape is not None:
        fail(
            MutationError,
            "set_item: expected an array without a gradient to write to by arrays of indices; "
            "use lm.where, or lm.jit, where such writes have gradients",
        )
    try:
        writable("set_item", x)[_numpy_key(keys)] = values(update)
    except IndexError as error:
        fail(IndexRangeError, f"index: {error}")
    except ValueError as error:
        fail(ShapeError, f"set_item: {error}")
