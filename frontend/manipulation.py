"""Functions that move elements. Those called views share memory with their operand."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from typing import cast as typed

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    cast,
    duplicate,
    is_weak,
    result_dtype,
    view,
)
from lamina.frontend.dispatch import CURRENT, public
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail, shown


@public
def astype(x: ArrayLike, dtype: Any, /, *, copy: bool = True, device: None = None) -> Array:
    """x with another element type; x itself if it has it and not `copy`.

    Floats to integers saturate (NaN gives 0), integers wrap, anything to bool is x != 0.

    >>> lm.astype(lm.asarray([1.7, -1.7]), lm.int32)
    Array([ 1, -1], dtype=int32)
    """
    array, wanted = as_array("astype", x), dtypes.normalize(dtype)
    if array.dtype == wanted:
        return duplicate(array) if shapes.flag("astype", copy, "copy") else array
    return cast(array, wanted)


@public
def copy(x: ArrayLike, /) -> Array:
    """A new array with the values of x.

    >>> lm.copy(lm.asarray([1]))
    Array([1])
    """
    return duplicate(as_array("copy", x))


@public
def reshape(x: ArrayLike, /, shape: Any, *, copy: bool | None = None) -> Array:
    """The same elements, in row-major order, in another shape; one size may be -1.

    A view where the memory allows, else a copy; copy=True always copies, copy=False raises
    `ShapeError` where a view cannot be.

    >>> lm.reshape(lm.asarray([1, 2, 3, 4]), (2, -1))
    Array([[1, 2],
           [3, 4]])
    """
    array = as_array("reshape", x)
    wanted = shapes.reshaped("reshape", array.shape, shape)
    if copy is not None and shapes.flag("reshape", copy, "copy"):
        return view("reshape", duplicate(array), shape=wanted)
    result = view("reshape", array, shape=wanted)
    if copy is not None and not _shares(result, array):
        fail(ShapeError, f"reshape: expected a shape that a view can have, found {wanted}")
    return result


def _shares(result: Array, array: Array) -> bool:
    recorder = CURRENT.get()
    if recorder is not None:
        return recorder.own(result)._storage is recorder.own(array)._storage
    return result._data.base is not None and (
        result._data.base is array._data.base or result._data.base is array._data
    )


@public
def permute_dims(x: ArrayLike, /, axes: Sequence[int]) -> Array:
    """Axis i of the result is axis axes[i] of x: a view.

    >>> lm.permute_dims(lm.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    array = as_array("permute_dims", x)
    if not shapes.is_sequence(axes):
        fail(ArgumentError, f"permute_dims: expected a tuple of axes, found {shown(axes)}")
    found = shapes.axis_indices("permute_dims", axes, array.ndim)
    if len(found) != array.ndim:
        fail(ShapeError, f"permute_dims: expected {array.ndim} axes, found {len(found)}")
    return view("transpose", array, permutation=found)


@public
def matrix_transpose(x: ArrayLike, /) -> Array:
    """The last two axes exchanged: a view. `ShapeError` below two axes.

    >>> lm.matrix_transpose(lm.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]])
    """
    array = as_array("matrix_transpose", x)
    if array.ndim < 2:
        fail(ShapeError, f"matrix_transpose: expected two axes or more, found {array.ndim}")
    return swapaxes(array, -1, -2)


@public
def swapaxes(x: ArrayLike, /, axis1: int, axis2: int) -> Array:
    """Two axes exchanged: a view.

    >>> lm.swapaxes(lm.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = as_array("swapaxes", x)
    a = shapes.axis_index("swapaxes", axis1, array.ndim)
    b = shapes.axis_index("swapaxes", axis2, array.ndim)
    order = list(range(array.ndim))
    order[a], order[b] = b, a
    return view("transpose", array, permutation=tuple(order))


@public
def moveaxis(x: ArrayLike, source: Any, destination: Any, /) -> Array:
    """Axes `source` moved to `destination`, the others in order: a view.

    >>> lm.moveaxis(lm.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = as_array("moveaxis", x)
    origin = shapes.axis_indices("moveaxis", source, array.ndim)
    target = shapes.axis_indices("moveaxis", destination, array.ndim)
    if len(origin) != len(target):
        fail(ShapeError, f"moveaxis: expected {len(origin)} destinations, found {len(target)}")
    order = [axis for axis in range(array.ndim) if axis not in origin]
    for place, axis in sorted(zip(target, origin, strict=True)):
        order.insert(place, axis)
    return view("transpose", array, permutation=tuple(order))


@public
def flip(x: ArrayLike, /, *, axis: Any = None) -> Array:
    """The order along `axis` (None: every axis) reversed: a view.

    >>> lm.flip(lm.asarray([1, 2, 3]))
    Array([3, 2, 1])
    """
    array = as_array("flip", x)
    return view("reverse", array, axes=shapes.axis_indices("flip", axis, array.ndim))


@public
def expand_dims(x: ArrayLike, /, axis: Any = 0) -> Array:
    """New axes of size 1, at `axis` of the result: a view.

    >>> lm.expand_dims(lm.asarray([1, 2]), axis=1).shape
    (2, 1)
    """
    array = as_array("expand_dims", x)
    if axis is None:
        fail(ArgumentError, "expand_dims: expected an axis, found None")
    count = len(axis) if shapes.is_sequence(axis) else 1
    axes = shapes.axis_indices("expand_dims", axis, array.ndim + count)
    sizes = iter(array.shape)
    shape = tuple(1 if i in axes else next(sizes) for i in range(array.ndim + count))
    return view("reshape", array, shape=shape)


@public
def squeeze(x: ArrayLike, /, axis: Any) -> Array:
    """Without the axes `axis`, which must have size 1: a view.

    >>> lm.squeeze(lm.zeros((1, 3)), 0).shape
    (3,)
    """
    array = as_array("squeeze", x)
    axes = shapes.axis_indices("squeeze", axis, array.ndim)
    for found in axes:
        if array.shape[found] != 1:
            size = array.shape[found]
            fail(ShapeError, f"squeeze: expected size 1 on axis {found}, found {size}")
    return view("reshape", array, shape=shapes.reduced(array.shape, axes))


@public
def broadcast_to(x: ArrayLike, /, shape: Any) -> Array:
    """x stretched to `shape`: a read-only view.

    >>> lm.broadcast_to(lm.asarray([1, 2]), (2, 2))
    Array([[1, 2],
           [1, 2]])
    """
    array, wanted = as_array("broadcast_to", x), shapes.shape_tuple("broadcast_to", shape)
    shapes.check_broadcast("broadcast_to", array.shape, wanted)
    skipped = len(wanted) - array.ndim
    return view("broadcast", array, dims=tuple(range(skipped, len(wanted))), shape=wanted)


@public
def broadcast_arrays(*arrays: ArrayLike) -> list[Array]:
    """The arrays stretched to their common shape: read-only views.

    >>> [x.shape for x in lm.broadcast_arrays(lm.zeros((2, 1)), lm.zeros(3))]
    [(2, 3), (2, 3)]
    """
    found = [as_array("broadcast_arrays", x) for x in arrays]
    if not found:
        return []
    shape = shapes.broadcast_shapes("broadcast_arrays", *(x.shape for x in found))
    return [broadcast(x, shape) for x in found]


def _sequence(name: str, arrays: Any) -> list[Array]:
    """A sequence of arrays, promoted to their common dtype."""
    if not isinstance(arrays, Iterable):
        found = type(arrays).__name__
        fail(ArgumentError, f"{name}: expected a sequence of arrays, found {found}")
    listed = list(typed(Iterable[Any], arrays))
    if not listed:
        fail(ArgumentError, f"{name}: expected at least one array, found none")
    dtype: DType = result_dtype(name, listed)
    return [cast(as_array(name, x, dtype if is_weak(x) else None), dtype) for x in listed]


@public
def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Array:
    """Arrays joined along `axis`; None joins them flattened.

    >>> lm.concat([lm.asarray([1]), lm.asarray([2, 3])])
    Array([1, 2, 3])
    """
    found = _sequence("concat", arrays)
    if axis is None:
        found = [reshape(x, -1) for x in found]
    along = shapes.axis_index("concat", 0 if axis is None else axis, found[0].ndim)
    shapes.concatenated("concat", [x.shape for x in found], along)
    return bind("concat", *found, axis=along)


@public
def stack(arrays: Sequence[ArrayLike], /, *, axis: int = 0) -> Array:
    """Arrays of one shape joined along a new axis.

    >>> lm.stack([lm.asarray([1, 2]), lm.asarray([3, 4])], axis=1)
    Array([[1, 3],
           [2, 4]])
    """
    found = _sequence("stack", arrays)
    for x in found[1:]:
        if not shapes.equal_shapes("stack", x.shape, found[0].shape):
            fail(
                ShapeError,
                f"stack: expected equal shapes, found {found[0].shape} and {x.shape}",
            )
    along = shapes.axis_index("stack", axis, found[0].ndim + 1)
    return bind("concat", *(expand_dims(x, axis=along) for x in found), axis=along)


@public
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The slices along `axis`, without that axis: views.

    >>> lm.unstack(lm.asarray([[1, 2], [3, 4]]))
    (Array([1, 2]), Array([3, 4]))
    """
    array = moveaxis(as_array("unstack", x), axis, 0)
    return tuple(array[i] for i in range(array.shape[0]))


@public
def split(x: ArrayLike, sections: Any, /, *, axis: int = 0) -> list[Array]:
    """x cut along `axis` into equal parts, or at the given indices: views.

    >>> lm.split(lm.asarray([1, 2, 3, 4]), 2)
    [Array([1, 2]), Array([3, 4])]
    """
    array = as_array("split", x)
    along = shapes.axis_index("split", axis, array.ndim)
    size = array.shape[along]
    if shapes.is_sequence(sections):
        cuts = [shapes.integer("split", cut, "index") for cut in sections]
    else:
        count = shapes.integer("split", sections, "number of parts")
        if count < 1 or size % count:
            fail(ShapeError, f"split: expected a divisor of {size}, found {count}")
        cuts = [size // count * i for i in range(1, count)]
    bounds = zip([0, *cuts], [*cuts, None], strict=True)
    before = (slice(None),) * along
    return [array[(*before, slice(low, high))] for low, high in bounds]


@public
def tile(x: ArrayLike, repetitions: Any, /) -> Array:
    """x repeated as a whole along each axis.

    >>> lm.tile(lm.asarray([1, 2]), (2,))
    Array([1, 2, 1, 2])
    """
    array = as_array("tile", x)
    counts = shapes.shape_tuple("tile", repetitions)
    rank = max(len(counts), array.ndim)
    counts = (1,) * (rank - len(counts)) + counts
    shape = (1,) * (rank - array.ndim) + array.shape
    wide = tuple(size for pair in zip(counts, shape, strict=True) for size in pair)
    dims = tuple(range(1 + 2 * (rank - array.ndim), 2 * rank, 2))
    flat = tuple(count * size for count, size in zip(counts, shape, strict=True))
    shapes.check_size("tile", flat)
    return duplicate(view("reshape", view("broadcast", array, dims=dims, shape=wide), shape=flat))
