"""Functions that make arrays. dtype: None means float64, or what the values have."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import math
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, DTypeError, ExchangeError, LaminaError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import (
    SCALARS,
    Array,
    ArrayLike,
    is_array,
    is_ndarray,
    is_numpy_scalar,
    wrap,
)
from lamina.frontend.bind import (
    as_array,
    bind,
    broadcast,
    cast,
    check_dtype,
    duplicate,
    is_weak,
    view,
    weak_kind,
)
from lamina.frontend.bind import (
    constant as _constant,
)
from lamina.frontend.bind import (
    full as _full,
)
from lamina.frontend.dims import is_size, is_static
from lamina.frontend.dispatch import CURRENT, public
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import add, multiply
from lamina.frontend.location import fail, shown
from lamina.frontend.logic import equal, greater_equal, less_equal
from lamina.frontend.manipulation import reshape, stack
from lamina.frontend.size_checks import refuse
from lamina.frontend.traced import TracedArray, WeakScalar


def check_device(name: str, device: Any) -> None:
    """Raise `ArgumentError` unless `device` is None or "cpu"."""
    if device is not None and not (type(device) is str and device == "cpu"):
        fail(ArgumentError, f'{name}: expected device "cpu", found {shown(device)}')


@public
def asarray(
    values: Any,
    /,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Array:
    """An array of a number, nested sequences, a NumPy array or any object with `__dlpack__`.

    NumPy arrays are copied to row-major, unless copy=False: then the memory is shared.
    Arrays are given back as they are unless `dtype` differs or copy=True. With requires_grad the
    result is a new leaf, whose operations are recorded for `backward`.
    `DTypeError` for strings and objects, `ShapeError` for ragged sequences, `ArgumentError` for
    requires_grad with copy=False (writes through NumPy would pass unseen).

    >>> lm.asarray([[1, 2], [3, 4]], dtype=lm.float32)
    Array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    check_device("asarray", device)
    if shapes.flag("asarray", requires_grad, "requires_grad"):
        if copy is False:
            fail(ArgumentError, "asarray: expected copy to be None or True with requires_grad")
        leaf = asarray(values, dtype=dtype, copy=True).detach()
        leaf.requires_grad = True
        return leaf
    wanted = None if dtype is None else dtypes.normalize(dtype)
    if isinstance(values, Array):
        return _from_array(values, wanted, copy)
    if shapes.is_sequence(values):
        return _from_sequence(values, wanted)
    given = _known(values)
    if is_ndarray(given):
        return _from_numpy(given, wanted, copy)
    array = as_array("asarray", given, wanted)
    return array if wanted is None else cast(array, wanted)


def _from_array(array: Array, wanted: Any, copy: bool | None) -> Array:
    array = as_array("asarray", array, wanted)  # a weak scalar takes the dtype
    if wanted is None or array.dtype == wanted:
        return duplicate(array) if copy is True else array
    if copy is False:
        fail(
            ArgumentError, f"asarray: expected dtype {array.dtype} with copy=False, found {wanted}"
        )
    return cast(array, wanted)


def _from_numpy(values: np.ndarray[Any, Any], wanted: Any, copy: bool | None) -> Array:
    found = dtypes.normalize(values.dtype)
    recorder = CURRENT.get()
    if copy is False:
        if wanted not in (None, values.dtype) or found != values.dtype:
            fail(
                ArgumentError,
                f"asarray: expected dtype {values.dtype} with copy=False, found {wanted}",
            )
        return as_array("asarray", values)
    if recorder is not None:
        return cast(duplicate(recorder.lift(values)), wanted or found)
    array = wrap(np.array(values, dtype=found, order="C"))
    return array if wanted is None else cast(array, wanted)


def _known(values: Any) -> Any:
    """A number or NumPy array as it is; of other objects, the array that they give."""
    if type(values) in SCALARS or is_ndarray(values) or is_numpy_scalar(values):
        return values
    if hasattr(values, "__dlpack__"):
        return _imported("asarray", values)
    if hasattr(values, "__array__"):
        return np.asarray(values)
    fail(ArgumentError, f"asarray: expected numbers or an array, found {type(values).__name__}")


def _from_sequence(values: Any, wanted: Any) -> Array:
    if CURRENT.get() is not None and _holds_arrays(values):
        parts = [asarray(value, dtype=wanted) for value in values]
        return stack(parts)
    try:
        data = np.array(_plain(values))
    except ValueError:
        fail(ShapeError, "asarray: expected sequences of equal lengths, found a ragged one")
    except OverflowError as error:
        fail(DTypeError, f"asarray: {error}")
    if data.dtype == object or data.dtype.kind in "US":
        fail(DTypeError, f"asarray: expected numbers, found {data.dtype.kind}")
    if data.size == 0 and wanted is None:
        data = data.astype(np.float64)
    if wanted is not None and wanted in dtypes.INTEGERS and data.dtype.kind in "iu" and data.size:
        for value in (int(data.min()), int(data.max())):
            dtypes.check_scalar(value, wanted)
    array = _constant(np.ascontiguousarray(data))
    return array if wanted is None else cast(array, wanted)


def _holds_arrays(values: Any) -> bool:
    return any(
        _holds_arrays(value) if shapes.is_sequence(value) else isinstance(value, Array)
        for value in values
    )


def _plain(values: Any) -> Any:
    """Nested sequences with arrays as NumPy arrays."""
    if shapes.is_sequence(values):
        return [_plain(value) for value in values]
    return np.asarray(values) if isinstance(values, Array) else values


@public
def constant(values: Any, /) -> Array:
    """`values` as a part of the compiled program: a captured array would be read at every call.

    >>> lm.constant([1, 2])
    Array([1, 2])
    """
    recorder = CURRENT.get()
    if recorder is None or not is_array(values):
        return asarray(values)
    dtypes.normalize(values.dtype)  # strings and objects are refused
    return recorder.freeze(values)


@public
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array from any object with `__dlpack__`; memory is shared unless copy=True.

    copy=False: never a copy. `ArgumentError` for another device than "cpu", `ExchangeError` where
    the other library cannot share its memory (a GPU's, or of another dtype).

    >>> lm.from_dlpack(np.asarray([1, 2]))
    Array([1, 2])
    """
    check_device("from_dlpack", device)
    if isinstance(x, Array):
        return duplicate(x) if copy is True else x
    if not hasattr(x, "__dlpack__"):
        found = type(x).__name__
        fail(ArgumentError, f"from_dlpack: expected an object with __dlpack__, found {found}")
    flag = None if copy is None else shapes.flag("from_dlpack", copy, "copy")
    return as_array("from_dlpack", _imported("from_dlpack", x, flag))


def _imported(name: str, x: Any, copy: bool | None = None) -> np.ndarray[Any, Any]:
    """What another library's array gives through DLPack."""
    try:
        return np.from_dlpack(x, copy=copy)
    except LaminaError:
        raise
    except Exception as error:  # whatever the other library raises
        fail(ExchangeError, f"{name}: expected memory that can be shared, found none: {error}")


@public
def full(shape: Any, fill_value: ArrayLike, *, dtype: Any = None, device: Any = None) -> Array:
    """An array with `fill_value` everywhere, of its dtype unless `dtype` is given.

    >>> lm.full((2,), 7)
    Array([7, 7])
    """
    check_device("full", device)
    wanted = shapes.shape_tuple("full", shape)
    if dtype is not None:
        found = dtypes.normalize(dtype)
    elif is_weak(fill_value):
        found = dtypes.default_of(weak_kind(fill_value))  # type: ignore[arg-type]
    else:
        found = as_array("full", fill_value).dtype
    return _full(fill_value, wanted, found)


@public
def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of zeros.

    >>> lm.zeros(2)
    Array([0., 0.])
    """
    check_device("zeros", device)
    return _full(0, shapes.shape_tuple("zeros", shape), _float(dtype))


@public
def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array of ones.

    >>> lm.ones((1, 2), dtype=lm.int8)
    Array([[1, 1]], dtype=int8)
    """
    check_device("ones", device)
    return _full(1, shapes.shape_tuple("ones", shape), _float(dtype))


@public
def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    """An array to be filled; its values are zeros.

    >>> lm.empty((2, 0)).shape
    (2, 0)
    """
    return zeros(shape, dtype=dtype, device=device)


def _float(dtype: Any) -> DType:
    return dtypes.float64 if dtype is None else dtypes.normalize(dtype)


def _like(x: ArrayLike, dtype: Any) -> tuple[tuple[int, ...], Any]:
    array = as_array("like", x)
    return array.shape, array.dtype if dtype is None else dtype


@public
def full_like(
    x: ArrayLike, /, fill_value: ArrayLike, *, dtype: Any = None, device: Any = None
) -> Array:
    """`full` with the shape and dtype of x.

    >>> lm.full_like(lm.asarray([1, 2]), 5)
    Array([5, 5])
    """
    shape, wanted = _like(x, dtype)
    return full(shape, fill_value, dtype=wanted, device=device)


@public
def zeros_like(x: ArrayLike, /, *, dtype: Any = None, device: Any = None) -> Array:
    """`zeros` with the shape and dtype of x.

    >>> lm.zeros_like(lm.asarray([1, 2]))
    Array([0, 0])
    """
    return full_like(x, 0, dtype=dtype, device=device)


@public
def ones_like(x: ArrayLike, /, *, dtype: Any = None, device: Any = None) -> Array:
    """`ones` with the shape and dtype of x.

    >>> lm.ones_like(lm.asarray([3.0, 4.0]))
    Array([1., 1.])
    """
    return full_like(x, 1, dtype=dtype, device=device)


@public
def empty_like(x: ArrayLike, /, *, dtype: Any = None, device: Any = None) -> Array:
    """`empty` with the shape and dtype of x.

    >>> lm.empty_like(lm.asarray([3.0, 4.0])).shape
    (2,)
    """
    return zeros_like(x, dtype=dtype, device=device)


def _indices(shape: tuple[int, ...], axis: int) -> Array:
    """The index along `axis` at each place, int64."""
    return bind("iota", axis=axis, shape=shape, dtype=dtypes.int64)


@public
def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Array:
    """start + i * step for i from 0 while before `stop`. Ints give int64, else float64.

    >>> lm.arange(2, 8, 3)
    Array([2, 5])
    """
    check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    low, high, by = (_number("arange", x) for x in (start, stop, step))
    if by == 0:
        fail(ArgumentError, "arange: expected a step other than 0, found 0")
    count = _count(low, high, by)
    shapes.check_size("arange", (count,))
    wanted = dtypes.float64 if _is_float(low, high, by) else dtypes.int64
    wanted = wanted if dtype is None else dtypes.normalize(dtype)
    inner = wanted if wanted in dtypes.FLOATS else dtypes.int64
    if _is_float(low, high, by):
        inner = dtypes.float64
    values = cast(_indices((count,), 0), inner)
    if by != 1:
        values = multiply(values, by)
    if low != 0:
        values = add(values, low)
    return cast(values, wanted)


def _count(low: Any, high: Any, by: Any) -> int:
    """How many numbers an `arange` has."""
    exact = not _is_float(low, high, by)
    if exact:
        count = -((low - high) // by)
        return count if count > 0 else 0
    if not is_static((low, high, by)):
        refuse("arange", f"{low}, {high}, {by}")
    steps = (high - low) / by
    if not math.isfinite(steps):
        fail(ArgumentError, f"arange: expected finite numbers, found {low}, {high}, {by}")
    return max(0, math.ceil(steps))


def _is_float(*numbers: float) -> bool:
    return any(isinstance(x, float) for x in numbers)


def _number(name: str, value: Any) -> int | float:
    """A Python number; arrays of one element and weak scalars give their value."""
    if is_size(value):
        return value  # type: ignore[return-value]
    if isinstance(value, Array):
        return _number(name, value.item())
    number: Any = value.item() if is_numpy_scalar(value) else value
    if not isinstance(number, (int, float)):
        fail(ArgumentError, f"{name}: expected a number, found {type(number).__name__}")
    return number


def _end(value: Any) -> Any:
    """A float; a 0-d array of float64 where a trace has no value yet."""
    if not isinstance(value, TracedArray) or isinstance(value, WeakScalar):
        return float(_number("linspace", value))
    if value.size != 1:
        fail(ShapeError, f"item: expected one element, found shape {value.shape}")
    check_dtype("linspace", value.dtype, dtypes.REAL)
    return cast(reshape(value, ()), dtypes.float64)


@public
def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Array:
    """`num` numbers from start to stop, evenly spaced: start + i * step, the last exactly stop.
    Real or complex (then the result is complex); in traced code also real 0-d arrays.

    >>> lm.linspace(0, 1, 3)
    Array([0. , 0.5, 1. ])
    """
    check_device("linspace", device)
    if isinstance(start, complex) or isinstance(stop, complex):
        wanted = dtypes.complex128 if dtype is None else dtypes.normalize(dtype)
        check_dtype("linspace", wanted, dtypes.COMPLEX)
        a, b = (
            x if isinstance(x, complex) else complex(_number("linspace", x)) for x in (start, stop)
        )
        re, im = (
            linspace(low, high, num, endpoint=endpoint)
            for low, high in ((a.real, b.real), (a.imag, b.imag))
        )
        return cast(bind("complex", re, im), wanted)
    low, high = _end(start), _end(stop)
    count = shapes.size("linspace", num, "number of points")
    if count < 0:
        fail(ShapeError, f"linspace: expected 0 points or more, found {count}")
    shapes.check_size("linspace", (count,))
    wanted = _float(dtype)
    closed = shapes.flag("linspace", endpoint, "endpoint")
    parts = count - 1 if closed else count
    index = cast(_indices((count,), 0), dtypes.float64)
    values = add(multiply(index, (high - low) / parts if parts > 0 else 0.0), low)
    if closed and count > 1:
        last = _full(high, (count,), dtypes.float64)
        values = bind("select", equal(index, (count - 1) * 1.0), last, values)
    return cast(values, wanted)


@public
def eye(
    rows: int, columns: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Array:
    """Ones on the k-th diagonal, zeros elsewhere.

    >>> lm.eye(2)
    Array([[1., 0.],
           [0., 1.]])
    """
    check_device("eye", device)
    shape = shapes.shape_tuple("eye", (rows, rows if columns is None else columns))
    diagonal = equal(
        add(_indices(shape, 0), shapes.integer("eye", k, "diagonal")), _indices(shape, 1)
    )
    return cast(diagonal, _float(dtype))


def _triangle(name: str, x: ArrayLike, k: int, lower: bool) -> Array:
    array = as_array(name, x)
    if array.ndim < 2:
        fail(ShapeError, f"{name}: expected two axes or more, found {array.ndim}")
    shape = array.shape[-2:]
    rows = add(_indices(shape, 0), shapes.integer(name, k, "diagonal"))
    compare = less_equal if lower else greater_equal
    keep = broadcast(compare(_indices(shape, 1), rows), array.shape)
    return bind("select", keep, array, _full(0, array.shape, array.dtype))


@public
def tril(x: ArrayLike, /, *, k: int = 0) -> Array:
    """x on and below the k-th diagonal of its last two axes, zeros above.

    >>> lm.tril(lm.asarray([[1, 2], [3, 4]]))
    Array([[1, 0],
           [3, 4]])
    """
    return _triangle("tril", x, k, True)


@public
def triu(x: ArrayLike, /, *, k: int = 0) -> Array:
    """x on and above the k-th diagonal of its last two axes, zeros below.

    >>> lm.triu(lm.asarray([[1, 2], [3, 4]]))
    Array([[1, 2],
           [0, 4]])
    """
    return _triangle("triu", x, k, False)


@public
def meshgrid(*arrays: ArrayLike, indexing: str = "xy") -> list[Array]:
    """1-d coordinates stretched to a grid; "xy" exchanges the first two axes, "ij" does not.

    >>> lm.meshgrid(lm.asarray([1, 2]), lm.asarray([3]))
    [Array([[1, 2]]), Array([[3, 3]])]
    """
    if type(indexing) is not str or indexing not in ("xy", "ij"):
        fail(ArgumentError, f'meshgrid: expected indexing "xy" or "ij", found {shown(indexing)}')
    found = [reshape(as_array("meshgrid", x), -1) for x in arrays]
    axes = list(range(len(found)))
    if indexing == "xy" and len(axes) > 1:
        axes[0], axes[1] = 1, 0
    sizes = {axis: x.shape[0] for axis, x in zip(axes, found, strict=True)}
    shape = tuple(sizes[axis] for axis in range(len(found)))
    return [
        duplicate(view("broadcast", x, dims=(axis,), shape=shape))
        for axis, x in zip(axes, found, strict=True)
    ]
