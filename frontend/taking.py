"""Elements at the places that arrays of integers hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lamina.errors import ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, broadcast, cast, constant, view
from lamina.frontend.dispatch import public
from lamina.frontend.index_arrays import Space, check_mode, gather, index_array
from lamina.frontend.location import fail
from lamina.frontend.shapes import Shape


@public
def take(
    x: ArrayLike,
    indices: ArrayLike,
    /,
    *,
    axis: Any = None,
    mode: str = "raise",
    fill_value: ArrayLike = 0,
) -> Array:
    """The elements of x at `indices` along `axis`; None takes from the flattened array.

    x: (..., n, ...), indices: any shape and integer dtype; the result has the shape of indices in
    the place of n, and the dtype of x. Negative indices count from the end.
    mode: what an index below -n or from n up gives: "raise" `IndexRangeError` (in compiled code at
    run time), "clip" the nearest element, "fill" `fill_value`.

    >>> lm.take(lm.asarray([5, 6, 7]), lm.asarray([2, -3]))
    Array([7, 5])
    >>> lm.take(lm.asarray([5, 6, 7]), lm.asarray([3, 0]), mode="fill", fill_value=-1)
    Array([-1,  5])
    """
    array, index = as_array("take", x), index_array("take", indices)
    check_mode("take", mode)
    if axis is None:
        array, axis = view("reshape", array, shape=(array.size,)), 0
    along = shapes.axis_index("take", axis, array.ndim)
    return gather(
        "take", array, [index], along_axis(array.ndim, along, index.ndim), mode, fill_value
    )


def along_axis(rank: int, axis: int, index_rank: int) -> Space:
    """The space in which the dims of an index array stand in the place of one axis."""
    after = range(axis + index_rank, rank - 1 + index_rank)
    return Space((axis,), (*range(axis), *after), tuple(range(axis, axis + index_rank)))


@public
def take_along_axis(
    x: ArrayLike,
    indices: ArrayLike,
    /,
    axis: Any = -1,
    *,
    mode: str = "raise",
    fill_value: ArrayLike = 0,
) -> Array:
    """x[..., indices[..., i, ...], ...]: each index is one along `axis` at its own place.

    x: (..., n, ...), indices: (..., m, ...) of an integer dtype; the axes but `axis` broadcast.
    The result has size m on `axis` and the dtype of x. `axis` None flattens x. Modes as in `take`.

    >>> x = lm.asarray([[3, 1, 2], [4, 6, 5]])
    >>> lm.take_along_axis(x, lm.argmax(x, axis=1, keepdims=True), axis=1)
    Array([[3],
           [6]])
    """
    name = "take_along_axis"
    array, index = as_array(name, x), index_array(name, indices)
    check_mode(name, mode)
    if axis is None:
        array, axis = view("reshape", array, shape=(array.size,)), 0
    along = shapes.axis_index(name, axis, array.ndim)
    array, index, space = paired(name, array, index, along)
    return gather(name, array, [index], space, mode, fill_value, axes=(along,))


def paired(name: str, x: Array, index: Array, axis: int) -> tuple[Array, Array, Space]:
    """Arrays of one rank whose axes but `axis` broadcast, as operands of an index op: without the
    axes of size 1 that are stretched."""
    if index.ndim != x.ndim:
        fail(ShapeError, f"{name}: expected indices of {x.ndim} axes, found shape {index.shape}")
    others = shapes.broadcast_shapes(
        name, shapes.reduced(x.shape, (axis,)), shapes.reduced(index.shape, (axis,))
    )
    result = (*others[:axis], index.shape[axis], *others[axis:])
    kept = [d for d in range(x.ndim) if d == axis or x.shape[d] == result[d]]
    index_dims = tuple(d for d in range(x.ndim) if d == axis or index.shape[d] == result[d])
    space = Space((kept.index(axis),), tuple(d for d in kept if d != axis), index_dims)
    return _kept(x, kept), _kept(index, index_dims), space


def _kept(x: Array, axes: Sequence[int]) -> Array:
    shape: Shape = tuple(x.shape[axis] for axis in axes)
    return x if len(shape) == x.ndim else view("reshape", x, shape=shape)


@public
def one_hot(
    indices: ArrayLike, num_classes: Any, /, *, dtype: Any = dtypes.float32, axis: Any = -1
) -> Array:
    """1 at each index along a new axis of size `num_classes`, 0 elsewhere.

    indices: any shape and integer dtype. y[..., c] = 1 where c equals the index, else 0; negative
    indices count from the end, those out of range give 0 everywhere. The new axis is `axis` of the
    result. dtype: that of the result, float32 by default.

    >>> lm.one_hot(lm.asarray([0, 2]), 3)
    Array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    index = index_array("one_hot", indices)
    count = shapes.size("one_hot", num_classes, "number of classes")
    if count < 0:
        fail(ShapeError, f"one_hot: expected 0 classes or more, found {count}")
    along = shapes.axis_index("one_hot", axis, index.ndim + 1)
    wanted = dtypes.normalize(dtype)
    shape = (*index.shape[:along], count, *index.shape[along:])
    shapes.check_size("one_hot", shape)
    if index.dtype.kind == "u":
        index = bind(
            "minimum", cast(index, dtypes.uint64), _everywhere(count, index.shape, dtypes.uint64)
        )
    else:
        index = cast(index, dtypes.int64)
        low = bind("less", index, _everywhere(0, index.shape, dtypes.int64))
        from_end = bind("add", index, _everywhere(count, index.shape, dtypes.int64))
        # below -count: no class
        index = bind("select", low, from_end, index)
    index = cast(index, dtypes.int64)
    dims = tuple(d for d in range(len(shape)) if d != along)
    classes = bind("iota", axis=along, shape=shape, dtype=dtypes.int64)
    return cast(bind("equal", view("broadcast", index, dims=dims, shape=shape), classes), wanted)


def _everywhere(number: int, shape: Shape, dtype: dtypes.DType) -> Array:
    return broadcast(constant(np.array(number, dtype)), shape)
