"""The extension `linalg`, what is composed of `nd` ops: products, norms, diagonals.

x has shape (..., M, N): a matrix in the last two axes, and a stack of them in the others.
`decompositions` has the functions that work on eager arrays only.
"""

from __future__ import annotations

import math
from typing import Any

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import decompositions, dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, cast, check_dtype, number, result_dtype
from lamina.frontend.dispatch import extension
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import abs, multiply, pow, subtract
from lamina.frontend.location import fail, shown
from lamina.frontend.logic import not_equal
from lamina.frontend.manipulation import broadcast_to, moveaxis, reshape, stack
from lamina.frontend.reductions import reduce, sum
from lamina.frontend.shapes import Shape
from lamina.frontend.transcendental import sqrt


def matrices(name: str, array: Array) -> Shape:
    """The last two sizes. Raises `ShapeError` below two axes."""
    if array.ndim < 2:
        fail(ShapeError, f"{name}: expected two axes or more, found shape {array.shape}")
    return array.shape[-2:]


@extension("linalg")
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """x[..., i, i + offset], along the last axis: a view where the memory allows.

    `ShapeError` below two axes.

    >>> lm.linalg.diagonal(lm.asarray([[1, 2], [3, 4]]))
    Array([1, 4])
    """
    array = as_array("linalg.diagonal", x)
    rows, columns = matrices("linalg.diagonal", array)
    by = shapes.integer("linalg.diagonal", offset, "offset")
    count = max(0, min(rows, columns - by) if by >= 0 else min(rows + by, columns))
    start = by if by >= 0 else -by * columns
    flat = reshape(array, (*array.shape[:-2], rows * columns))
    step = columns + 1
    return flat[..., start : start + (count - 1) * step + 1 : step] if count else flat[..., :0]


@extension("linalg")
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """sum(diagonal(x, offset)), with the dtype of `sum`. Numeric. `ShapeError` below two axes.

    >>> lm.linalg.trace(lm.asarray([[1, 2], [3, 4]]))
    Array(5)
    """
    array = as_array("linalg.trace", x)
    matrices("linalg.trace", array)
    check_dtype("linalg.trace", array.dtype, dtypes.NUMERIC)
    return sum(diagonal(array, offset=offset), axis=-1, dtype=dtype)


@extension("linalg")
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """(a1 b2 - a2 b1, a2 b0 - a0 b2, a0 b1 - a1 b0) along `axis`, of size 3 in both; the other
    axes broadcast. Numeric. `ShapeError` for another size.

    >>> lm.linalg.cross(lm.asarray([1, 0, 0]), lm.asarray([0, 1, 0]))
    Array([0, 0, 1])
    """
    dtype = result_dtype("linalg.cross", (x1, x2))
    check_dtype("linalg.cross", dtype, dtypes.NUMERIC)
    a, b = (cast(as_array("linalg.cross", x, dtype), dtype) for x in (x1, x2))
    rank = min(a.ndim, b.ndim)
    along = shapes.axis_index("linalg.cross", axis, rank) - rank
    if (a.shape[along], b.shape[along]) != (3, 3):
        fail(
            ShapeError,
            f"linalg.cross: expected a size of 3 on axis {axis}, found {a.shape} and {b.shape}",
        )
    shape = shapes.broadcast_shapes("linalg.cross", a.shape, b.shape)
    a, b = (moveaxis(broadcast_to(x, shape), along, -1) for x in (a, b))
    parts = [
        subtract(
            multiply(a[..., (i + 1) % 3], b[..., (i + 2) % 3]),
            multiply(a[..., (i + 2) % 3], b[..., (i + 1) % 3]),
        )
        for i in range(3)
    ]
    return stack(parts, axis=along)


def _floating(name: str, x: ArrayLike) -> tuple[Array, DType]:
    """abs(x) in the dtype that composites compute in, and the result's dtype."""
    array = as_array(name, x)
    check_dtype(name, array.dtype, dtypes.FLOATS_OR_COMPLEX)
    size = abs(cast(array, dtypes.wide(array.dtype)))
    return size, size.dtype if array.dtype in dtypes.COMPLEX else array.dtype


def _order(name: str, order: Any) -> float:
    found = float(number(name, order, "ord"))
    if math.isnan(found):
        fail(ArgumentError, f"{name}: expected an ord other than NaN")
    return found


@extension("linalg")
def vector_norm(
    x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Array:
    """sum(abs(x)**ord) ** (1 / ord) over `axis` (None: all).

    ord: a number; inf is max(abs(x)), -inf min(abs(x)), 0 the number of elements that are not 0.
    Floating-point or complex, with a real result; half types are computed in float32 and rounded
    once. `AxisError` for a wrong axis, `ShapeError` for an infinite ord of nothing.

    >>> lm.linalg.vector_norm(lm.asarray([3.0, 4.0]))
    Array(5.)
    """
    name = "linalg.vector_norm"
    size, dtype = _floating(name, x)
    axes = shapes.axis_indices(name, axis, size.ndim)
    order = _order(name, ord)
    if math.isinf(order):
        return cast(reduce(name, "max" if order > 0 else "min", size, axes, keepdims), dtype)
    if order == 0:
        counted = cast(not_equal(size, 0), size.dtype)
        return cast(reduce(name, "sum", counted, axes, keepdims), dtype)
    if order == 1:
        return cast(reduce(name, "sum", size, axes, keepdims), dtype)
    if order == 2:
        return cast(sqrt(reduce(name, "sum", multiply(size, size), axes, keepdims)), dtype)
    total = reduce(name, "sum", pow(size, order), axes, keepdims)
    return cast(pow(total, 1 / order), dtype)


@extension("linalg")
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norm of each matrix.

    ord: "fro" sqrt(sum(abs(x)**2)), 1 and inf the largest sum of a column's or row's magnitudes
    (-1 and -inf the smallest), 2 and -2 the largest and smallest singular value, "nuc" their sum
    (the last three on eager arrays only). Floating-point or complex, with a real result.
    `ShapeError` below two axes.

    >>> lm.linalg.matrix_norm(lm.asarray([[3.0, 0.0], [0.0, 4.0]]))
    Array(5.)
    """
    name, array = "linalg.matrix_norm", as_array("linalg.matrix_norm", x)
    matrices(name, array)
    axes = (array.ndim - 2, array.ndim - 1)
    if isinstance(ord, str) and ord == "fro":
        return vector_norm(array, axis=axes, keepdims=keepdims)
    known = '"fro", "nuc", 1, -1, 2, -2, inf or -inf'
    nuclear = isinstance(ord, str) and ord == "nuc"
    order = 0.0 if nuclear else _order(name, ord)
    if nuclear or math.fabs(order) == 2:
        found = decompositions.svdvals(array)
        kind = "sum" if nuclear else "max" if order > 0 else "min"
        result = reduce(name, kind, found, (array.ndim - 2,), False)
        return result[..., None, None] if shapes.flag(name, keepdims, "keepdims") else result
    if math.fabs(order) not in (1, math.inf):
        fail(ArgumentError, f"{name}: expected an ord of {known}, found {shown(ord)}")
    size, dtype = _floating(name, array)
    summed = axes[0] if math.fabs(order) == 1 else axes[1]
    total = reduce(name, "sum", size, (summed,), True)
    result = reduce(name, "max" if order > 0 else "min", total, axes, keepdims)
    return cast(result, dtype)
