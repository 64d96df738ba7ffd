"""Shape rules, with the errors that users see. Eager and traced arrays both ask here, so both
fail with the same class and text.

`name` is always the function that the user called; axes are plain ints, and so are sizes, except
where a trace has sizes that are expressions (`dims.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, SupportsIndex, TypeAlias, TypeGuard

from lamina.errors import ArgumentError, AxisError, ShapeError
from lamina.frontend.dims import is_size, same
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail, shown
from lamina.frontend.size_checks import equal, filled

Shape: TypeAlias = "tuple[int, ...]"
Axes: TypeAlias = "int | tuple[int, ...] | None"


MOST = 2**59
"""Elements of the largest array: 8 bytes each can still be counted."""


def broadcast_shapes(name: str, *shapes: Shape) -> Shape:
    """The shape that all `shapes` broadcast to: trailing sizes equal or 1."""
    first = shapes[0]
    alike = (
        operator.eq if CURRENT.get() is None else same
    )  # eager sizes are numbers, and it is quicker
    if all(alike(shape, first) for shape in shapes):
        return first
    rank = max(len(shape) for shape in shapes)
    result = [1] * rank
    for shape in shapes:
        for position, size in enumerate(shape, rank - len(shape)):
            found = _joined(name, result[position], size)
            if found is None:
                listed = " and ".join(str(shape) for shape in shapes)
                fail(ShapeError, f"{name}: expected shapes that broadcast, found {listed}")
            result[position] = found
    return tuple(result)


def _joined(name: str, a: int, b: int) -> int | None:
    """The size that two sizes broadcast to; None for sizes that do not."""
    if type(a) is int and type(b) is int:
        return a if b in (a, 1) else b if a == 1 else None
    if same(a, b) or same(b, 1):
        return a
    if same(a, 1):
        return b
    if equal(name, a, b):
        return b if is_size(a) else a
    return b if a == 1 else a if b == 1 else None


def equal_shapes(name: str, shape: Shape, other: Shape) -> bool:
    """Whether two shapes that must be equal are (`dims.equal`)."""
    return len(shape) == len(other) and all(
        equal(name, a, b) for a, b in zip(shape, other, strict=True)
    )


def stretched(name: str, size: int, wanted: int) -> bool:
    """Whether a size broadcasts to exactly `wanted`."""
    return same(size, 1) or equal(name, size, wanted) or (is_size(size) and size == 1)


def check_broadcast(name: str, shape: Shape, target: Shape) -> None:
    """Raise unless `shape` broadcasts to exactly `target`."""
    skipped = len(target) - len(shape)
    if skipped < 0 or any(
        not stretched(name, size, wanted)
        for size, wanted in zip(shape, target[skipped:], strict=True)
    ):
        fail(ShapeError, f"{name}: expected a shape that broadcasts to {target}, found {shape}")


def integer(name: str, value: SupportsIndex, what: str) -> int:
    """`value` as an int; raises `ArgumentError` for anything but an integer."""
    try:
        return operator.index(value)
    except TypeError as error:
        if isinstance(error, ArgumentError) or type(error) is not TypeError:
            raise
        fail(ArgumentError, f"{name}: expected an integer {what}, found {shown(value)}")


def size(name: str, value: Any, what: str = "size") -> int:
    """A size: an int, or one that is an expression."""
    return value if is_size(value) else integer(name, value, what)  # type: ignore[return-value]


def is_sequence(value: Any) -> TypeGuard[Sequence[Any]]:
    """Whether `value` is a tuple or a list."""
    return isinstance(value, (tuple, list))


def axis_index(name: str, axis: SupportsIndex, rank: int) -> int:
    """`axis` from 0 to `rank` - 1; negative ones count from the end."""
    found = integer(name, axis, "axis")
    if not -rank <= found < rank:
        expected = f"an axis from {-rank} to {rank - 1}" if rank else "no axis for a 0-d array"
        fail(AxisError, f"{name}: expected {expected}, found {found}")
    return found % rank


def axis_indices(name: str, axes: Any, rank: int) -> tuple[int, ...]:
    """`axes` (None for all, an int or a sequence), normalized and distinct."""
    if axes is None:
        return tuple(range(rank))
    listed: tuple[SupportsIndex, ...] = tuple(axes) if is_sequence(axes) else (axes,)
    found = tuple(axis_index(name, axis, rank) for axis in listed)
    if len(set(found)) != len(found):
        fail(AxisError, f"{name}: expected distinct axes, found {listed}")
    return found


def shape_tuple(name: str, shape: Any) -> Shape:
    """A user's shape (an int or a sequence of ints of 0 or more) as a tuple."""
    listed = tuple(shape) if is_sequence(shape) else (shape,)
    found = tuple(size(name, part) for part in listed)
    if any(part < 0 for part in found):
        fail(ShapeError, f"{name}: expected sizes of 0 or more, found {found}")
    check_size(name, found)
    return found


def check_size(name: str, shape: Shape) -> None:
    """Raise `ShapeError` for more axes or elements than an array can have."""
    if len(shape) > 64 or prod(size or 1 for size in shape if not is_size(size)) > MOST:
        fail(ShapeError, f"{name}: expected at most 64 axes and {MOST} elements, found {shape}")


def check_filled(name: str, size: int, axis: int) -> None:
    """Raise `ShapeError`, now or at run time, for a size of 0 where one needs an element."""
    if not filled(name, size, axis):
        fail(ShapeError, f"{name}: expected a size of 1 or more on axis {axis}, found 0")


def flag(name: str, value: Any, what: str) -> bool:
    """A yes or no of the user's; raises `ArgumentError` for anything but a bool or an int."""
    if hasattr(value, "number"):  # a Python number that is traced: the code is made for its value
        value = value.number()
    if not isinstance(value, (bool, int)):
        fail(ArgumentError, f"{name}: expected {what} to be True or False, found {shown(value)}")
    return bool(value)


def reshaped(name: str, shape: Shape, target: Any) -> Shape:
    """`target` with its -1, if any, filled in; the number of elements must not change."""
    listed = tuple(target) if is_sequence(target) else (target,)
    wanted = tuple(size(name, part) for part in listed)
    rest = [part for part in wanted if not same(part, -1)]
    elements, known = prod(shape), prod(rest)
    if len(rest) < len(wanted) - 1 or any(part < 0 for part in rest):
        fail(ShapeError, f"{name}: expected sizes of 0 or more and at most one -1, found {wanted}")
    if len(rest) < len(wanted):
        if known == 0 or elements % known:
            fail(
                ShapeError,
                f"{name}: expected a size that makes {elements} elements, found {wanted}",
            )
        wanted = tuple(elements // known if same(part, -1) else part for part in wanted)
    elif not equal(name, known, elements):
        fail(
            ShapeError,
            f"{name}: expected {elements} elements as in shape {shape}, "
            f"found shape {wanted} with {known}",
        )
    return wanted


def concatenated(name: str, shapes: Sequence[Shape], axis: int) -> Shape:
    """The shape of arrays joined along `axis` (normalized)."""
    first = shapes[0]
    for shape in shapes[1:]:
        if len(shape) != len(first) or not all(
            equal(name, size, wanted)
            for position, (size, wanted) in enumerate(zip(shape, first, strict=True))
            if position != axis
        ):
            fail(
                ShapeError,
                f"{name}: expected equal shapes except on axis {axis}, found {first} and {shape}",
            )
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1 :])


def reduced(shape: Shape, axes: tuple[int, ...]) -> Shape:
    """`shape` without `axes`."""
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def kept(shape: Shape, axes: tuple[int, ...]) -> Shape:
    """`shape` with size 1 on `axes`."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape))


def conv_output(
    name: str, size: int, window: int, stride: int, padding: tuple[int, int], dilation: int
) -> int:
    """The size of a convolution's or pooling's output along one spatial axis."""
    if window < 1:
        fail(ShapeError, f"{name}: expected a window of 1 or more, found {window}")
    reach = dilation * (window - 1) + 1
    room = size + sum(padding) - reach
    if room < 0:
        fail(
            ShapeError,
            f"{name}: expected a window of at most {size + sum(padding)}, found {reach}",
        )
    return room // stride + 1


def _same(shapes: list[Shape], params: dict[str, Any]) -> Shape:
    return shapes[0]


def _dot(shapes: list[Shape], params: dict[str, Any]) -> Shape:
    lhs, rhs = shapes
    left = (*params["lhs_batch"], *params["lhs_contract"])
    right = (*params["rhs_batch"], *params["rhs_contract"])
    axes: Shape = params["lhs_batch"]
    batch = tuple(lhs[axis] for axis in axes)
    return (*batch, *reduced(lhs, left), *reduced(rhs, right))


def _conv(shapes: list[Shape], params: dict[str, Any]) -> Shape:
    x, w = shapes
    padding = params["padding"]
    spatial = (
        conv_output(
            "conv",
            x[axis + 2],
            w[axis + 2],
            params["strides"][axis],
            (padding[2 * axis], padding[2 * axis + 1]),
            params["dilation"][axis],
        )
        for axis in range(len(x) - 2)
    )
    return (x[0], w[0], *spatial)


def _reduce_window(shapes: list[Shape], params: dict[str, Any]) -> Shape:
    (x,), padding = shapes, params["padding"]
    numbers = zip(x, params["window"], params["strides"], params["dilation"], strict=True)
    return tuple(
        size
        if (window, stride) == (1, 1) and not any(padding[2 * axis : 2 * axis + 2])
        else conv_output(
            "reduce_window", size, window, stride, padding[2 * axis : 2 * axis + 2], dilation
        )
        for axis, (size, window, stride, dilation) in enumerate(numbers)
    )


def _pad(shapes: list[Shape], params: dict[str, Any]) -> Shape:
    edges = zip(params["low"], shapes[0], params["high"], strict=True)
    return tuple(low + size + high for low, size, high in edges)


def _slice(shapes: list[Shape], params: dict[str, Any]) -> Shape:
    bounds = zip(params["starts"], params["limits"], params["strides"], strict=True)
    return tuple(-(-(limit - start) // stride) for start, limit, stride in bounds)


def _transpose(shapes: list[Shape], params: dict[str, Any]) -> Shape:
    order: Shape = params["permutation"]
    return tuple(shapes[0][axis] for axis in order)


def space(x: Shape, index: Shape, axes: Shape, dims: Shape, index_dims: Shape) -> Shape:
    """The shape of the space of an op with index arrays."""
    sizes = dict(zip(dims, reduced(x, axes), strict=True))
    sizes.update(zip(index_dims, index, strict=True))
    return tuple(sizes[dim] for dim in range(len(sizes)))


RESULT: dict[str, Callable[[list[Shape], dict[str, Any]], Shape]] = {
    "argmax": lambda shapes, params: reduced(shapes[0], (params["axis"],)),
    "argmin": lambda shapes, params: reduced(shapes[0], (params["axis"],)),
    "broadcast": lambda shapes, params: params["shape"],
    "concat": lambda shapes, params: concatenated("concat", shapes, params["axis"]),
    "conv": _conv,
    "dot_general": _dot,
    "dynamic_slice": lambda shapes, params: params["sizes"],
    "gather": lambda shapes, params: space(shapes[0], shapes[1], **params),
    "iota": lambda shapes, params: params["shape"],
    "pad": _pad,
    "random_bits": lambda shapes, params: params["shape"],
    "reduce": lambda shapes, params: reduced(shapes[0], params["axes"]),
    "reduce_window": _reduce_window,
    "reshape": lambda shapes, params: params["shape"],
    "searchsorted": lambda shapes, params: shapes[1],
    "select": lambda shapes, params: shapes[1],
    "slice": _slice,
    "transpose": _transpose,
}
"""Primitive -> its result's shape; those not listed keep the shape of their first operand."""


def result_shape(name: str, shapes: list[Shape], params: dict[str, Any]) -> Shape:
    """The shape of the primitive `name` on operands of these shapes."""
    return RESULT.get(name, _same)(shapes, params)
