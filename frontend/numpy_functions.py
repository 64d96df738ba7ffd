"""NumPy functions whose arguments are not those of a function of ours, by functions of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, cast
from lamina.frontend.contraction import matmul, vecdot
from lamina.frontend.dispatch import FUNCTIONS
from lamina.frontend.elementwise import multiply
from lamina.frontend.linalg import cross, diagonal, matrix_norm, trace, vector_norm
from lamina.frontend.location import fail, shown
from lamina.frontend.manipulation import concat, expand_dims, moveaxis, reshape
from lamina.frontend.padding import pad


def transpose(a: ArrayLike, axes: Any = None) -> Array:
    """`permute_dims`; axes in reverse order without `axes`."""
    return as_array("transpose", a).transpose(axes)


def ravel(a: ArrayLike) -> Array:
    """1-d: a view where the memory allows."""
    return reshape(a, -1)


def squeeze(a: ArrayLike, axis: Any = None) -> Array:
    """Without axes of size 1."""
    return as_array("squeeze", a).squeeze(axis)


def vstack(tup: Sequence[ArrayLike]) -> Array:
    """Rows below each other."""
    found = [as_array("vstack", x) for x in tup]
    return concat([x if x.ndim > 1 else reshape(x, (1, -1)) for x in found])


def hstack(tup: Sequence[ArrayLike]) -> Array:
    """Columns beside each other; vectors in a row."""
    found = [as_array("hstack", x) for x in tup]
    found = [x if x.ndim else reshape(x, (1,)) for x in found]
    return concat(found, axis=0 if found and found[0].ndim == 1 else 1)


def shape(a: Array) -> tuple[int, ...]:
    """`a.shape`."""
    return a.shape


def ndim(a: Array) -> int:
    """`a.ndim`."""
    return a.ndim


def size(a: Array) -> int:
    """`a.size`."""
    return a.size


def dot(a: ArrayLike, b: ArrayLike) -> Array:
    """A product with a number, or `matmul` of at most two axes on the right."""
    x, y = as_array("dot", a), as_array("dot", b)
    if not x.ndim or not y.ndim:
        return multiply(x, y)
    if y.ndim > 2:
        fail(ShapeError, f"dot: expected two axes at most on the right, found {y.shape}")
    return matmul(x, y)


def linalg_matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`matmul`."""
    return matmul(x1, x2)


def linalg_vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """`vecdot`."""
    return vecdot(x1, x2, axis=axis)


def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """A vector norm along one axis (or of all without `ord`), a matrix norm along two."""
    array = as_array("linalg.norm", x)
    if array.dtype in dtypes.BITS:
        array = cast(array, dtypes.float64)
    if axis is None and ord is None:
        return vector_norm(array, keepdims=keepdims)
    axes = shapes.axis_indices("linalg.norm", axis, array.ndim)
    if len(axes) == 1:
        return vector_norm(array, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        fail(ShapeError, f"linalg.norm: expected one or two axes, found {len(axes)}")
    result = matrix_norm(moveaxis(array, axes, (-2, -1)), ord="fro" if ord is None else ord)
    if not shapes.flag("linalg.norm", keepdims, "keepdims"):
        return result
    return expand_dims(result, axis=tuple(sorted(axes)))


def _diagonal_last(name: str, a: ArrayLike, axis1: int, axis2: int) -> Array:
    return moveaxis(as_array(name, a), (axis1, axis2), (-2, -1))


def numpy_diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """`linalg.diagonal` of two axes."""
    return diagonal(_diagonal_last("diagonal", a, axis1, axis2), offset=offset)


def numpy_trace(
    a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None
) -> Array:
    """`linalg.trace` of two axes."""
    return trace(_diagonal_last("trace", a, axis1, axis2), offset=offset, dtype=dtype)


def numpy_cross(a: ArrayLike, b: ArrayLike, *, axis: int = -1) -> Array:
    """`linalg.cross`."""
    return cross(a, b, axis=axis)


def numpy_pad(
    array: ArrayLike,
    pad_width: Any,
    mode: Any = "constant",
    *,
    constant_values: Any = None,
    stat_length: Any = None,
    end_values: Any = None,
    reflect_type: Any = None,
) -> Array:
    """`pad`, whose `value` NumPy calls `constant_values`."""
    return pad(
        array,
        pad_width,
        mode=mode,
        value=constant_values,
        stat_length=stat_length,
        end_values=end_values,
        reflect_type=reflect_type,
    )


def _sorted(name: str, x: ArrayLike, axis: Any, kind: Any, stable: Any) -> Array:
    """By any of NumPy's algorithms: the result of each is that of the stable one."""
    if kind not in (None, "quicksort", "heapsort", "mergesort", "stable"):
        fail(
            ArgumentError,
            f"np.{name}: expected the name of an algorithm as kind, found {shown(kind)}",
        )
    array = as_array(name, x)
    if axis is None:
        array, axis = reshape(array, -1), 0
    return FUNCTIONS[name](array, axis=axis, stable=True if stable is None else stable)


def sort(a: ArrayLike, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Array:
    """`sort`; without an axis, of the flattened array."""
    return _sorted("sort", a, axis, kind, stable)


def argsort(a: ArrayLike, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Array:
    """`argsort`; without an axis, of the flattened array."""
    return _sorted("argsort", a, axis, kind, stable)


NAMES = {
    "argsort": argsort,
    "cross": numpy_cross,
    "diagonal": numpy_diagonal,
    "dot": dot,
    "hstack": hstack,
    "linalg.matmul": linalg_matmul,
    "linalg.norm": norm,
    "linalg.vecdot": linalg_vecdot,
    "ndim": ndim,
    "pad": numpy_pad,
    "ravel": ravel,
    "shape": shape,
    "size": size,
    "sort": sort,
    "squeeze": squeeze,
    "trace": numpy_trace,
    "transpose": transpose,
    "vstack": vstack,
}
"""NumPy's name -> the function."""
