"""The primitive layer: every function of the frontend ends in `bind` or `view`.

Eager operands are computed at once by `interpreters`; while a trace runs, the recorder of that
trace builds the `nd` op of the same name. Operands of a primitive already have equal types: the
function modules promote and broadcast through `unify`.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, DTypeError, LaminaError, ResourceError, ShapeError
from lamina.frontend import dtypes
from lamina.frontend.array import (
    AUTOGRAD,
    SCALARS,
    Array,
    ArrayLike,
    is_ndarray,
    is_numpy_scalar,
    unsupported,
    wrap,
    writable,
)
from lamina.frontend.dims import AnySize, is_size, is_static, same
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import DType, Scalar
from lamina.frontend.location import fail, shown, user_place
from lamina.frontend.shapes import Shape, broadcast_shapes
from lamina.frontend.size_checks import one_of_call
from lamina.frontend.traced import TracedArray, WeakScalar
from lamina.frontend.views import EAGER
from lamina.interpreters import nans
from lamina.interpreters.meaning import call


def bind(name: str, *operands: Array, **params: Any) -> Array:
    """The primitive `name` on arrays whose types fit; `params` as in `interpreters`."""
    recorder = CURRENT.get()
    if recorder is not None:
        return recorder.emit(name, operands, params)
    try:
        given = [values(operand) for operand in operands]
        data = call(name, *given, **params)
        if nans.OPEN and name in nans.MAKERS:
            nans.look(name, given, (data,))
    except LaminaError as error:
        error.place = error.place or user_place()
        raise
    except MemoryError as error:
        fail(ResourceError, f"{name}: {error}")
    flags = data.flags
    if not (flags.c_contiguous and flags.writeable):  # a storage is row-major and its owner's
        data = data.copy()
    return record(name, operands, wrap(data), params)


def view(name: str, operand: Array, **params: Any) -> Array:
    """The view primitive `name`: it shares memory with `operand`."""
    recorder = CURRENT.get()
    if recorder is not None:
        return recorder.view(name, operand, params)
    return record(name, (operand,), wrap(EAGER[name](values(operand), **params)), params)


def duplicate(array: Array) -> Array:
    """A copy, in memory of its own."""
    recorder = CURRENT.get()
    if recorder is not None:
        return recorder.emit("reshape", [array], {"shape": array.shape})
    result = wrap(values(array).copy())
    return record("reshape", (array,), result, {"shape": array.shape})


def record(name: str, operands: Sequence[Array], result: Array, params: dict[str, Any]) -> Array:
    """Put an eager operation on the tape if an operand has a gradient; the result."""
    if any(operand._tape is not None for operand in operands):
        AUTOGRAD["record"](name, operands, result, params)
    return result


def store(name: str, target: Array, value: Array) -> None:
    """Write `value`, of the target's shape and type, into the memory of `target`."""
    recorder = CURRENT.get()
    if recorder is not None:
        recorder.store(name, target, value)
        return
    update = values(value)
    if values(target).__array_interface__ == update.__array_interface__:
        return  # `x[key] += y` ends by writing the view x[key] to itself
    taped = target._tape is not None or value._tape is not None
    before = AUTOGRAD["before_write"](target, value) if taped else None
    np.copyto(writable(name, target), update)
    if taped:
        AUTOGRAD["after_write"](target, value, before)


def values(array: Array) -> np.ndarray[Any, Any]:
    """The memory of an eager array; a traced one here has outlived its trace."""
    if isinstance(array, TracedArray):
        array.refuse_escape()
    return array._data


def as_array(name: str, value: ArrayLike, dtype: DType | None = None) -> Array:
    """`value` as an array: NumPy arrays are shared, Python scalars get `dtype` or their default."""
    if isinstance(value, Array):
        if isinstance(value, WeakScalar) and (recorder := CURRENT.get()) is not None:
            return recorder.from_weak(value, dtype or dtypes.default_of(value.kind))
        return value
    recorder = CURRENT.get()
    if is_size(value):
        return as_array(name, value.scalar(), dtype)
    if isinstance(value, SCALARS) and not isinstance(value, np.generic):
        return constant(dtypes.scalar_array(value, dtype or dtypes.default_of(type(value))))
    if is_ndarray(value):
        found = dtypes.normalize(value.dtype)
        if recorder is not None:
            return recorder.lift(value)
        return wrap(value if value.dtype == found else value.astype(found))
    if isinstance(value, np.generic):
        if recorder is not None:  # perhaps an element of a captured array
            recorder.numpy_scalars = True
        return constant(np.asarray(value))
    unsupported(name, value)


def constant(data: np.ndarray[Any, Any]) -> Array:
    """An array of values that are known now, on the memory of `data`."""
    recorder = CURRENT.get()
    return wrap(data) if recorder is None else recorder.constant(data)


def size_array(size: AnySize, dtype: DType = dtypes.int64) -> Array:
    """A size, or an expression of sizes, as a 0-d array of integers."""
    if not is_size(size):
        return constant(np.array(size, dtype))
    recorder = CURRENT.get()
    assert recorder is not None
    return cast(recorder.sizes.array(size), dtype)


def is_weak(value: object) -> bool:
    """Whether `value` is a Python number, or stands for one."""
    return (
        isinstance(value, WeakScalar)
        or is_size(value)
        or (isinstance(value, SCALARS) and not isinstance(value, np.generic))
    )


def number(name: str, value: Any, what: str) -> int | float:
    """A real number that the code is made for. Raises `ArgumentError` for anything else."""
    found: Any = value.number() if isinstance(value, WeakScalar) else value
    if is_size(value):
        value.refuse(name)
    if is_numpy_scalar(value):
        found = value.item()
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        fail(ArgumentError, f"{name}: expected a number as {what}, found {shown(value)}")
    return found


def weak_kind(value: WeakScalar | Scalar) -> type:
    """bool, int, float or complex."""
    if isinstance(value, WeakScalar):
        return value.kind
    if is_size(value):
        return int
    found: Any = value
    return next(kind for kind in SCALARS if isinstance(found, kind))


def result_dtype(name: str, operands: Sequence[ArrayLike]) -> DType:
    """The common type of the operands; raises `ArgumentError` for one that is no array."""
    found: list[DType] = []
    weak: list[type] = []
    for operand in operands:
        if is_weak(operand):
            weak.append(weak_kind(operand))  # type: ignore[arg-type]
        elif isinstance(operand, Array):
            found.append(operand.dtype)
        elif isinstance(operand, (np.ndarray, np.generic)):
            found.append(dtypes.normalize(operand.dtype))
        else:
            unsupported(name, operand)
    return dtypes.common(found, weak)


def check_dtype(name: str, dtype: DType, family: frozenset[DType]) -> None:
    """Raise `DTypeError` unless `dtype` is of `family`."""
    if dtype not in family:
        fail(DTypeError, f"{name}: expected {dtypes.FAMILIES[family]} dtype, found {dtype}")


def cast(array: Array, dtype: DType) -> Array:
    """`array` with another element type; itself when it has that type.

    Raises `DTypeError` for complex numbers as real ones.
    """
    if array.dtype == dtype:
        return array
    if array.dtype in dtypes.COMPLEX and dtype not in dtypes.COMPLEX and dtype != dtypes.bool_:
        fail(
            DTypeError,
            f"expected a complex dtype or bool for {array.dtype}, found {dtype}: "
            "take the real part first",
        )
    return bind("cast", array, dtype=dtype)


def broadcast(array: Array, shape: Shape) -> Array:
    """`array` stretched to `shape`, which it fits."""
    if same(array.shape, shape):
        return array
    skipped = len(shape) - array.ndim
    if not is_static(array.shape):
        units = [
            one_of_call(size, wanted)
            for size, wanted in zip(array.shape, shape[skipped:], strict=True)
        ]
        if any(units):  # a size of 1 is stretched where it is known
            sizes = zip(units, array.shape, strict=True)
            array = view("reshape", array, shape=tuple(1 if u else size for u, size in sizes))
    return view("broadcast", array, dims=tuple(range(skipped, len(shape))), shape=shape)


def eager_pair(x1: ArrayLike, x2: ArrayLike, family: frozenset[DType]) -> list[Array] | None:
    """The operands when little is to be done to them: two eager arrays of one dtype of `family`
    and one shape, or one and a Python number. The fast way of binary operators."""
    if type(x1) is Array:
        if type(x2) is Array:
            a, b = x1._data, x2._data
            same = a.dtype is b.dtype and a.shape == b.shape and a.dtype in family
            return [x1, x2] if same else None
        scalar = _eager_scalar(x1, x2, family)
        return None if scalar is None else [x1, scalar]
    if type(x2) is Array:
        scalar = _eager_scalar(x2, x1, family)
        return None if scalar is None else [scalar, x2]
    return None


def _eager_scalar(array: Array, scalar: Any, family: frozenset[DType]) -> Array | None:
    """`scalar` as a 0-d array of the array's dtype; None unless that is its promotion."""
    dtype: DType = array._data.dtype
    if (
        type(scalar) not in (int, float)
        or dtype not in family
        or dtypes.promote_weak(dtype, float if type(scalar) is float else int) != dtype
        or array._tape is not None
        or CURRENT.get() is not None
    ):
        return None
    return wrap(dtypes.scalar_array(scalar, dtype))


def full(value: ArrayLike, shape: Shape, dtype: DType) -> Array:
    """A new array with the 0-d `value` everywhere."""
    array = cast(as_array("full", value, dtype), dtype)
    if array.ndim:
        fail(ShapeError, f"full: expected a 0-d value, found shape {array.shape}")
    return bind("broadcast", array, dims=(), shape=shape)


def unify(name: str, operands: Sequence[ArrayLike], dtype: DType | None = None) -> list[Array]:
    """The operands with one element type (`dtype` or their common type) and shapes that are
    equal, or that NumPy broadcasts where nothing is recorded."""
    if dtype is None:
        dtype = result_dtype(name, operands)
    arrays = [cast(as_array(name, operand, dtype), dtype) for operand in operands]
    shape = broadcast_shapes(name, *(array.shape for array in arrays))
    if CURRENT.get() is None and all(array._tape is None for array in arrays):
        return arrays  # NumPy broadcasts by itself
    return [broadcast(array, shape) for array in arrays]
