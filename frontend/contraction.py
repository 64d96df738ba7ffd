"""Contractions: sums of products. float16 and bfloat16 accumulate in float32; integers wrap."""

from __future__ import annotations

from typing import Any

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import complexes, dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, broadcast, cast, check_dtype, result_dtype, view
from lamina.frontend.dispatch import public
from lamina.frontend.elementwise import conj, product
from lamina.frontend.location import fail, shown
from lamina.frontend.shapes import Shape
from lamina.frontend.size_checks import equal


def operands(name: str, x1: ArrayLike, x2: ArrayLike) -> tuple[Array, Array]:
    """Two numeric arrays of one dtype."""
    dtype = result_dtype(name, (x1, x2))
    check_dtype(name, dtype, dtypes.NUMERIC)
    return cast(as_array(name, x1, dtype), dtype), cast(as_array(name, x2, dtype), dtype)


def _dot(a: Array, b: Array, batch: tuple[Shape, Shape], contract: tuple[Shape, Shape]) -> Array:
    if complexes.is_complex(a):
        return complexes.contraction(a, b, batch, contract)
    return bind(
        "dot_general",
        a,
        b,
        lhs_batch=batch[0],
        rhs_batch=batch[1],
        lhs_contract=contract[0],
        rhs_contract=contract[1],
    )


@public
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Matrix product over the last two axes; leading axes broadcast, vectors lose their axis.

    Numeric. `ShapeError` for 0-d operands or inner sizes that differ.

    >>> lm.matmul(lm.asarray([[1, 2], [3, 4]]), lm.asarray([1, 1]))
    Array([3, 7])
    """
    a, b = operands("matmul", x1, x2)
    if not a.ndim or not b.ndim:
        fail(ShapeError, f"matmul: expected one axis or more, found {a.shape} and {b.shape}")
    inner = a.shape[-1], b.shape[-2 if b.ndim > 1 else 0]
    if not equal("matmul", *inner):
        fail(
            ShapeError,
            f"matmul: expected equal inner sizes, found {inner[0]} and {inner[1]} "
            f"in {a.shape} and {b.shape}",
        )
    if b.ndim <= 2 and a.ndim > 2 and all(type(size) is int for size in a.shape):
        rows = tuple(size for size in a.shape[:-1] if size != 1)
        if len(rows) < a.ndim - 1:  # without axes of size 1, all rows are those of one matrix
            found = matmul(view("reshape", a, shape=(*rows, a.shape[-1])), b)
            return view("reshape", found, shape=(*a.shape[:-1], *b.shape[1:]))
    if b.ndim <= 2:  # no batch on the right: its free axis ends up last
        return _dot(a, b, ((), ()), ((a.ndim - 1,), (max(b.ndim - 2, 0),)))
    if a.ndim == 1:
        return matmul(view("reshape", a, shape=(1, *a.shape)), b)[..., 0, :]
    leading = shapes.broadcast_shapes("matmul", a.shape[:-2], b.shape[:-2])
    a, b = broadcast(a, (*leading, *a.shape[-2:])), broadcast(b, (*leading, *b.shape[-2:]))
    batch = tuple(range(len(leading)))
    return _dot(a, b, (batch, batch), ((len(leading) + 1,), (len(leading),)))


@public
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """Sum of conj(x1) * x2 along `axis`, which both have; the other axes broadcast. Numeric.

    >>> lm.vecdot(lm.asarray([1, 2]), lm.asarray([3, 4]))
    Array(11)
    """
    a, b = operands("vecdot", x1, x2)
    rank = min(a.ndim, b.ndim)
    along = shapes.axis_index("vecdot", axis, rank) - rank
    if not equal("vecdot", a.shape[along], b.shape[along]):
        fail(
            ShapeError,
            f"vecdot: expected equal sizes on axis {axis}, found {a.shape} and {b.shape}",
        )
    shape = shapes.broadcast_shapes("vecdot", a.shape, b.shape)
    a, b = broadcast(a, shape), broadcast(b, shape)
    batch = tuple(axis for axis in range(len(shape)) if axis != len(shape) + along)
    contract = (len(shape) + along,)
    a = conj(a) if a.dtype in dtypes.COMPLEX else a
    return _dot(a, b, (batch, batch), (contract, contract))


@public
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: Any = 2) -> Array:
    """Sum of products over the last `axes` of x1 and the first of x2, or over two lists of axes.

    >>> lm.tensordot(lm.asarray([1, 2]), lm.asarray([3, 4]), axes=1)
    Array(11)
    """
    a, b = operands("tensordot", x1, x2)
    if shapes.is_sequence(axes):
        if len(axes) != 2:
            fail(ArgumentError, f"tensordot: expected two lists of axes, found {shown(axes)}")
        left = shapes.axis_indices("tensordot", axes[0], a.ndim)
        right = shapes.axis_indices("tensordot", axes[1], b.ndim)
    else:
        count = shapes.integer("tensordot", axes, "number of axes")
        if not 0 <= count <= min(a.ndim, b.ndim):
            fail(ShapeError, f"tensordot: expected 0 to {min(a.ndim, b.ndim)} axes, found {count}")
        left, right = tuple(range(a.ndim - count, a.ndim)), tuple(range(count))
    if len(left) != len(right) or not all(
        equal("tensordot", a.shape[i], b.shape[j]) for i, j in zip(left, right, strict=True)
    ):
        fail(
            ShapeError,
            f"tensordot: expected equal sizes on axes {left} and {right}, "
            f"found {a.shape} and {b.shape}",
        )
    return _dot(a, b, ((), ()), (left, right))


@public
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """x1[i] * x2[j] of two vectors. Numeric.

    >>> lm.outer(lm.asarray([1, 2]), lm.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]])
    """
    a, b = operands("outer", x1, x2)
    if a.ndim != 1 or b.ndim != 1:
        fail(ShapeError, f"outer: expected two vectors, found {a.shape} and {b.shape}")
    return product(*(broadcast(x, (a.size, b.size)) for x in (a[:, None], b)))


@public
def conv(
    x: ArrayLike,
    w: ArrayLike,
    /,
    *,
    strides: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """Convolution (cross-correlation, as ONNX Conv) of x (N, C, *S) with w (O, C/groups, *K).

    strides, dilation: an int, or one for each spatial axis. padding: an int, "valid" (none),
    "same" (output size is the input's over the stride, rounded up; the odd one goes high), or a
    (low, high) pair for each spatial axis. Numeric. `ShapeError` where sizes do not fit.

    >>> lm.conv(lm.ones((1, 1, 4)), lm.ones((1, 1, 3)), padding="same")
    Array([[[2., 3., 3., 2.]]])
    """
    a, b = operands("conv", x, w)
    rank = a.ndim - 2
    if rank < 1 or b.ndim != a.ndim:
        fail(
            ShapeError,
            "conv: expected x (N, C, *S) and w (O, C/groups, *K) of equal rank, 3 or more, "
            f"found {a.shape} and {b.shape}",
        )
    steps = spatial("conv", "strides", strides, rank)
    spread = spatial("conv", "dilation", dilation, rank)
    parts = shapes.integer("conv", groups, "number of groups")
    if parts < 1 or b.shape[0] % parts or a.shape[1] != b.shape[1] * parts:
        fail(
            ShapeError,
            f"conv: expected {b.shape[1]} x {parts} groups input channels and output channels in "
            f"groups, found {a.shape[1]} and {b.shape[0]}",
        )
    edges = conv_padding("conv", padding, a.shape[2:], b.shape[2:], steps, spread)
    return convolved("conv", a, b, steps, edges, spread, parts)


def convolved(
    name: str, x: Array, w: Array, strides: Shape, padding: Shape, dilation: Shape, groups: int
) -> Array:
    """The convolution for the function `name`. `ShapeError` where a window does not fit."""
    for axis, (size, window) in enumerate(zip(x.shape[2:], w.shape[2:], strict=True)):
        edges = padding[2 * axis], padding[2 * axis + 1]
        shapes.conv_output(name, size, window, strides[axis], edges, dilation[axis])
    return bind("conv", x, w, strides=strides, padding=padding, dilation=dilation, groups=groups)


FARTHEST = 2**31 - 1
"""The largest step of a window: a place in memory that it reaches can be counted in 64 bits."""


def spatial(name: str, what: str, value: Any, rank: int, least: int = 1) -> Shape:
    """An int for each of `rank` spatial axes, from an int or a sequence."""
    listed = tuple(value) if shapes.is_sequence(value) else (value,) * rank
    found = tuple(shapes.integer(name, x, what) for x in listed)
    if len(found) != rank or min(found) < least or max(found) > FARTHEST:
        expected = f"{what} of {least} to {FARTHEST} for {rank} axes"
        fail(ShapeError, f"{name}: expected {expected}, found {shown(value)}")
    return found


def conv_padding(
    name: str, padding: Any, sizes: Shape, windows: Shape, strides: Shape, dilation: Shape
) -> tuple[int, ...]:
    """Padding as (low, high) of each spatial axis, flat."""
    rank = len(sizes)
    if isinstance(padding, str) and padding == "valid":
        return (0,) * (2 * rank)
    if isinstance(padding, str) and padding == "same":
        edges: list[int] = []
        for size, window, stride, spread in zip(sizes, windows, strides, dilation, strict=True):
            total = max(0, (-(-size // stride) - 1) * stride + spread * (window - 1) + 1 - size)
            edges += [total // 2, total - total // 2]
        return tuple(edges)
    if isinstance(padding, str):
        fail(ArgumentError, f'{name}: expected padding "same" or "valid", found {shown(padding)}')
    if not shapes.is_sequence(padding):
        pairs: list[Any] = [(padding, padding)] * rank
    else:
        pairs = [x if shapes.is_sequence(x) else (x, x) for x in padding]
    if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
        fail(ShapeError, f"{name}: expected padding for {rank} spatial axes, found {padding}")
    return tuple(edge for pair in pairs for edge in shapes.shape_tuple(name, tuple(pair)))
