"""Writes to the places that arrays of integers hold."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any

from lamina.errors import DTypeError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, broadcast, cast, result_dtype, store, view
from lamina.frontend.dims import same
from lamina.frontend.dispatch import CURRENT, FUNCTIONS, public
from lamina.frontend.index_arrays import (
    Space,
    check_mode,
    check_range,
    clamped,
    index_array,
    scatter_to,
)
from lamina.frontend.location import fail
from lamina.frontend.shapes import Shape
from lamina.frontend.taking import along_axis, paired


@public
def put(
    x: Array,
    indices: ArrayLike,
    values: ArrayLike,
    /,
    *,
    axis: Any = None,
    mode: str = "raise",
) -> None:
    """Write `values` to the elements of x at `indices` along `axis`, in place.

    axis None, as NumPy's put: x counts as flattened, and values are repeated as often as needed.
    With an axis, x[..., indices, ...] = values: values broadcast to the shape that `take` gives.
    indices: any shape and integer dtype; values are cast to the dtype of x. Where indices are
    repeated, the last one stays. mode: an index out of range is "raise" an `IndexRangeError` (in
    compiled code at run time), "clip" that of the nearest element, "fill" left out.

    >>> x = lm.zeros(4)
    >>> lm.put(x, lm.asarray([1, -1]), lm.asarray([5.0, 6.0]))
    >>> x
    Array([0., 5., 0., 6.])
    """
    array, index = as_array("put", x), index_array("put", indices)
    check_mode("put", mode)
    update = _converted("put", array, values)
    if axis is not None:
        along = shapes.axis_index("put", axis, array.ndim)
        space = along_axis(array.ndim, along, index.ndim)
        _put("put", array, index, update, space, mode, along)
        return
    index = view("reshape", index, shape=(index.size,))
    update = _repeated(update, index.size)
    if CURRENT.get() is not None or array._data.flags.c_contiguous:
        flat = view("reshape", array, shape=(array.size,))
        if CURRENT.get() is None or _is_view(flat, array):
            _put("put", flat, index, update, along_axis(1, 0, 1), mode, 0)
            return
    flat = FUNCTIONS["copy"](view("reshape", array, shape=(array.size,)))
    _put("put", flat, index, update, along_axis(1, 0, 1), mode, 0)
    store("put", array, view("reshape", flat, shape=array.shape))


def _is_view(flat: Array, array: Array) -> bool:
    recorder = CURRENT.get()
    assert recorder is not None
    return recorder.own(flat)._storage is recorder.own(array)._storage


def _converted(name: str, x: Array, values: ArrayLike) -> Array:
    return cast(as_array(name, values, x.dtype), x.dtype)


def _repeated(update: Array, size: int) -> Array:
    """The elements of `update`, again and again up to `size`."""
    if update.size == 1:
        return broadcast(view("reshape", update, shape=()), (size,))
    if not update.size and size:
        fail(ShapeError, f"put: expected a value or more, found shape {update.shape}")
    flat = view("reshape", update, shape=(update.size,))
    if update.size < size:
        flat = FUNCTIONS["tile"](flat, (-(-size // update.size),))
    return flat[:size]


def _put(
    name: str, x: Array, index: Array, update: Array, space: Space, mode: str, called: int
) -> None:
    """`x` with `update` at `index` on one axis, in place. `called`: the axis in messages."""
    update = broadcast_to(name, update, space.shape(x.shape, index.shape))
    scatter_to(name, x, update, [_in_mode(name, x, index, space, mode, called)], space, "set")


def _in_mode(name: str, x: Array, index: Array, space: Space, mode: str, called: int) -> Array:
    """The index array of a scatter, which leaves out what is out of range."""
    size = x.shape[space.axes[0]]
    if mode == "raise" or (mode == "clip" and not size):
        check_range(name, index, size, called)
    return clamped(index, size) if mode == "clip" and size else index


def broadcast_to(name: str, update: Array, shape: Shape) -> Array:
    """`update` broadcast to `shape`. Raises `ShapeError` where it does not."""
    shapes.check_broadcast(name, update.shape, shape)
    return broadcast(update, shape)


@public
def put_along_axis(
    x: Array,
    indices: ArrayLike,
    values: ArrayLike,
    /,
    axis: Any = -1,
    *,
    mode: str = "raise",
) -> None:
    """x[..., indices[..., i, ...], ...] = values, in place: the writing `take_along_axis`.

    x: (..., n, ...), indices: (..., m, ...) of an integer dtype, whose axes but `axis` broadcast to
    those of x; values broadcast to the shape of indices then, and are cast to the dtype of x. Where
    indices are repeated, the last one stays. `axis` None: x counts as flattened. Modes as in `put`.

    >>> x = lm.asarray([[10, 30, 20], [60, 40, 50]])
    >>> lm.put_along_axis(x, lm.argmax(x, axis=1, keepdims=True), 99, axis=1)
    >>> x
    Array([[10, 99, 20],
           [99, 40, 50]])
    """
    name = "put_along_axis"
    array, index = as_array(name, x), index_array(name, indices)
    check_mode(name, mode)
    if axis is None:
        if index.ndim != 1:
            fail(ShapeError, f"{name}: expected indices of 1 axis, found shape {index.shape}")
        flat = broadcast_to(name, _converted(name, array, values), index.shape)
        put(array, index, flat, mode=mode)
        return
    along = shapes.axis_index(name, axis, array.ndim)
    target, index, space = paired(name, array, index, along)
    _put(name, target, index, _converted(name, array, values), space, mode, along)


@public
def scatter_add(
    x: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    /,
    *,
    axis: Any = 0,
    mode: str = "raise",
) -> Array:
    """A copy of x with `updates` added at `indices` along `axis`, in the order of the indices.

    indices of one axis choose whole slices, as JAX's x.at[indices].add(updates) and PyTorch's
    index_add: updates broadcast to the shape of take(x, indices, axis=axis). Indices of as many
    axes as x choose elements, as PyTorch's scatter_add and ONNX's ScatterElements: updates
    broadcast to the shape of take_along_axis(x, indices, axis). For a 1-d x both are the same.
    x: numeric; updates of its dtype, or of one that promotes to it. Repeated indices add up, one
    after the other (with a rounding each). mode: an index out of range is "raise" an
    `IndexRangeError` (in compiled code at run time), "clip" that of the nearest element, "fill"
    left out.

    >>> lm.scatter_add(lm.zeros(3), lm.asarray([0, 2, 0]), lm.asarray([1.0, 2.0, 3.0]))
    Array([4., 0., 2.])
    """
    name = "scatter_add"
    array, index = as_array(name, x), index_array(name, indices)
    check_mode(name, mode)
    if array.dtype not in dtypes.NUMERIC or result_dtype(name, (array, updates)) != array.dtype:
        found = getattr(updates, "dtype", type(updates).__name__)
        fail(
            DTypeError,
            f"{name}: expected updates that promote to a numeric dtype of x, found {array.dtype} "
            f"and {found}",
        )
    along = shapes.axis_index(name, axis, array.ndim)
    shape = array.shape
    if index.ndim == 1:
        space = along_axis(array.ndim, along, 1)
    else:
        array, index, space = paired(name, array, index, along)
    index = _in_mode(name, array, index, space, mode, along)
    update = _converted(name, array, updates)
    update = broadcast_to(name, update, space.shape(array.shape, index.shape))
    result = bind("scatter", array, update, index, kind="add", **space.params())
    return result if same(result.shape, shape) else view("reshape", result, shape=shape)
