"""`Array`: what a user computes with. Eager arrays hold a NumPy array.

Operators and methods look their function up in `FUNCTIONS`, so that this module depends on none
of the function modules. `TracedArray` (in `traced.py`) is the subclass that a trace works with.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import isfinite
from types import ModuleType
from typing import Any, ClassVar, NoReturn, SupportsIndex, TypeAlias, TypeGuard, cast

import numpy as np

from lamina.errors import (
    ArgumentError,
    DomainError,
    DTypeError,
    ExchangeError,
    LaminaError,
    MutationError,
    ShapeError,
)
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.dtypes import DType, Scalar, bool_, complex128, float64, int64
from lamina.frontend.location import fail, shown
from lamina.frontend.memory import count_write
from lamina.frontend.shapes import Shape

NDArray: TypeAlias = "np.ndarray[Any, Any]"
ArrayLike: TypeAlias = "Array | NDArray | np.generic | Scalar"

SCALARS = (bool, int, float, complex)
OPERANDS = (*SCALARS, np.ndarray, np.generic)
"""What an operator takes beside arrays; anything else may define the reflected operator."""

_SHOWN_WITHOUT = (bool_, int64, float64, complex128)
NO_OPERANDS = (str, bytes, list, tuple, dict, set, type(None))
"""What no operator but == and != takes: an error of ours, not Python's."""


def _binary(name: str) -> Callable[[Array, Any], Array]:
    def method(self: Array, other: Any) -> Array:
        if isinstance(other, (Array, OPERANDS)):
            return FUNCTIONS[name](self, other)
        if isinstance(other, NO_OPERANDS) and name not in ("equal", "not_equal"):
            unsupported(name, cast(Any, other))
        return NotImplemented

    method.__name__ = name
    return method


def _reflected(name: str) -> Callable[[Array, Any], Array]:
    def method(self: Array, other: Any) -> Array:
        if isinstance(other, NO_OPERANDS):
            unsupported(name, cast(Any, other))
        return FUNCTIONS[name](other, self) if isinstance(other, OPERANDS) else NotImplemented

    method.__name__ = name
    return method


def _in_place(name: str) -> Callable[[Array, Any], Array]:
    def method(self: Array, other: Any) -> Array:
        if isinstance(other, (Array, OPERANDS)):
            return FUNCTIONS["update_in_place"](name, self, other)
        if isinstance(other, NO_OPERANDS):
            unsupported(name, cast(Any, other))
        return NotImplemented

    method.__name__ = name
    return method


def _unary(name: str) -> Callable[[Array], Array]:
    def method(self: Array) -> Array:
        return FUNCTIONS[name](self)

    method.__name__ = name
    return method


class Array:
    """An n-dimensional array of one element type, mutable as NumPy's.

    Made by `lm.asarray` and the creation functions, never by calling the class. `np.asarray(x)`
    is a read-only view of an eager array's memory.
    """

    # the native call entry makes arrays by writing `_data` and None to the others
    __slots__ = ("_data", "_tape")
    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # == is elementwise

    _data: NDArray
    _tape: Any  # what autograd knows of this array; None without a gradient

    def __init__(self) -> None:
        fail(ArgumentError, "Array: expected lm.asarray(values) or a creation function")

    @property
    def shape(self) -> Shape:
        """The size of each axis."""
        return self._data.shape

    @property
    def dtype(self) -> DType:
        """The element type, a NumPy dtype."""
        return self._data.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        total = 1
        for size in self.shape:
            total *= size
        return total

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> str:
        """Always "cpu"."""
        return "cpu"

    def to_device(self, device: str, /, *, stream: None = None) -> Array:
        """The array itself; `device` must be "cpu", and there are no streams."""
        if device != "cpu":
            fail(ArgumentError, f'to_device: expected device "cpu", found {shown(device)}')
        if stream is not None:
            fail(ArgumentError, f"to_device: expected no stream, found {shown(stream)}")
        return self

    @property
    def T(self) -> Array:
        """The axes in reverse order: a view."""
        return FUNCTIONS["permute_dims"](self, tuple(range(self.ndim - 1, -1, -1)))

    @property
    def mT(self) -> Array:
        """The last two axes exchanged: a view. Raises `ShapeError` below two axes."""
        return FUNCTIONS["matrix_transpose"](self)

    @property
    def real(self) -> Array:
        """`lm.real`: a copy."""
        return FUNCTIONS["real"](self)

    @property
    def imag(self) -> Array:
        """`lm.imag`: a copy. `DTypeError` for real arrays."""
        return FUNCTIONS["imag"](self)

    # reading: values leave the array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        view = observe(self).view()
        view.flags.writeable = False
        if copy is False and dtype is not None and np.dtype(dtype) != view.dtype:
            text = f"expected dtype {view.dtype} with copy=False, found {dtype}"
            fail(DTypeError, f"__array__: {text}")
        return np.array(view, dtype=dtype, copy=copy)

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of the memory, or of a copy. From max_version (1, 0) on it is versioned,
        and may be read-only. Raises `ExchangeError` for a stream, for a device that is not the
        CPU, and for memory that cannot be shared: bfloat16, a read-only view."""
        export: Any = observe(self).__dlpack__
        try:
            return export(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            fail(ExchangeError, f"__dlpack__: {error}")

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._data.__dlpack_device__()

    def numpy(self) -> NDArray:
        """A read-only NumPy view of the memory, without a copy."""
        return np.asarray(self)

    def item(self) -> Any:
        """The one element as a Python scalar. Raises `ShapeError` for other sizes."""
        if self.size != 1:
            fail(ShapeError, f"item: expected one element, found shape {self.shape}")
        return observe(self).item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python scalars."""
        return observe(self).tolist()

    def __bool__(self) -> bool:
        return bool(self._scalar("bool"))

    def __int__(self) -> int:
        found = self._real("int")
        if isinstance(found, float) and not isfinite(found):
            fail(DomainError, f"int: expected a finite number, found {found}")
        return int(found)

    def __float__(self) -> float:
        return float(self._real("float"))

    def _real(self, kind: str) -> Any:
        if self.dtype.kind == "c":
            fail(DTypeError, f"{kind}: expected a real dtype, found {self.dtype}; use lm.real")
        return self._scalar(kind)

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            fail(
                ArgumentError,
                f"index: expected a 0-d integer array, found {self.dtype} of shape {self.shape}",
            )
        return int(observe(self))

    def _scalar(self, kind: str) -> Any:
        if self.size != 1:
            fail(
                ShapeError,
                f"{kind}: expected an array of one element, found shape {self.shape}; "
                "use lm.any or lm.all for a truth value",
            )
        return observe(self).item()

    def __len__(self) -> int:
        if not self.ndim:
            fail(ArgumentError, "len: expected at least one axis, found a 0-d array")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self.ndim:
            fail(ArgumentError, "iteration: expected at least one axis, found a 0-d array")
        return (self[index] for index in range(self.shape[0]))

    def __contains__(self, value: ArrayLike) -> bool:
        return bool(FUNCTIONS["any"](FUNCTIONS["equal"](self, value)))

    def __repr__(self) -> str:
        text = np.array2string(self._data, separator=", ", prefix="Array(")
        known = self.size and self.dtype in _SHOWN_WITHOUT  # as NumPy does
        return f"Array({text})" if known else f"Array({text}, dtype={self.dtype})"

    def __str__(self) -> str:
        return str(self._data)

    def __format__(self, spec: str) -> str:
        return format(self.item() if spec and not self.ndim else str(self), spec)

    # protocols

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            fail(
                ArgumentError,
                f"__array_namespace__: expected version 2024.12, found {shown(api_version)}",
            )
        return sys.modules["lamina"]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return FUNCTIONS["from_ufunc"](ufunc, method, inputs, options)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        return FUNCTIONS["from_numpy_function"](function, arguments, options)

    # indexing

    def __getitem__(self, key: Any) -> Array:
        return FUNCTIONS["get_item"](self, key)

    def __setitem__(self, key: Any, value: ArrayLike) -> None:
        FUNCTIONS["set_item"](self, key, value)

    # operators

    __add__ = _binary("add")
    __sub__ = _binary("subtract")
    __mul__ = _binary("multiply")
    __truediv__ = _binary("divide")
    __floordiv__ = _binary("floor_divide")
    __mod__ = _binary("remainder")
    __pow__ = _binary("pow")
    __matmul__ = _binary("matmul")
    __and__ = _binary("bitwise_and")
    __or__ = _binary("bitwise_or")
    __xor__ = _binary("bitwise_xor")
    __lshift__ = _binary("bitwise_left_shift")
    __rshift__ = _binary("bitwise_right_shift")

    __radd__ = _reflected("add")
    __rsub__ = _reflected("subtract")
    __rmul__ = _reflected("multiply")
    __rtruediv__ = _reflected("divide")
    __rfloordiv__ = _reflected("floor_divide")
    __rmod__ = _reflected("remainder")
    __rpow__ = _reflected("pow")
    __rmatmul__ = _reflected("matmul")
    __rand__ = _reflected("bitwise_and")
    __ror__ = _reflected("bitwise_or")
    __rxor__ = _reflected("bitwise_xor")
    __rlshift__ = _reflected("bitwise_left_shift")
    __rrshift__ = _reflected("bitwise_right_shift")

    __iadd__ = _in_place("add")
    __isub__ = _in_place("subtract")
    __imul__ = _in_place("multiply")
    __itruediv__ = _in_place("divide")
    __ifloordiv__ = _in_place("floor_divide")
    __imod__ = _in_place("remainder")
    __ipow__ = _in_place("pow")
    __imatmul__ = _in_place("matmul")
    __iand__ = _in_place("bitwise_and")
    __ior__ = _in_place("bitwise_or")
    __ixor__ = _in_place("bitwise_xor")
    __ilshift__ = _in_place("bitwise_left_shift")
    __irshift__ = _in_place("bitwise_right_shift")

    __eq__ = _binary("equal")  # type: ignore[assignment]
    __ne__ = _binary("not_equal")  # type: ignore[assignment]
    __lt__ = _binary("less")
    __le__ = _binary("less_equal")
    __gt__ = _binary("greater")
    __ge__ = _binary("greater_equal")

    __neg__ = _unary("negative")
    __pos__ = _unary("positive")
    __abs__ = _unary("abs")
    __invert__ = _unary("bitwise_invert")

    # methods, as NumPy's

    def astype(self, dtype: Any, *, copy: bool = True) -> Array:
        """`lm.astype`."""
        return FUNCTIONS["astype"](self, dtype, copy=copy)

    def copy(self) -> Array:
        """A new array with the same values."""
        return FUNCTIONS["copy"](self)

    def reshape(self, *shape: Any) -> Array:
        """`lm.reshape`; the shape is one tuple, or its sizes."""
        return FUNCTIONS["reshape"](self, shape[0] if len(shape) == 1 else shape)

    def flatten(self) -> Array:
        """A 1-d copy."""
        return FUNCTIONS["copy"](self.reshape(-1))

    def ravel(self) -> Array:
        """1-d: a view where the memory allows."""
        return self.reshape(-1)

    def transpose(self, *axes: Any) -> Array:
        """`lm.permute_dims`; without axes, `T`."""
        if not axes or axes == (None,):
            return self.T
        return FUNCTIONS["permute_dims"](self, axes[0] if isinstance(axes[0], tuple) else axes)

    def squeeze(self, axis: Any = None) -> Array:
        """`lm.squeeze`; without an axis, every axis of size 1."""
        if axis is None:
            axis = tuple(i for i, size in enumerate(self.shape) if size == 1)
        return FUNCTIONS["squeeze"](self, axis)

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """`lm.sum`."""
        return FUNCTIONS["sum"](self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """`lm.prod`."""
        return FUNCTIONS["prod"](self, axis=axis, dtype=dtype, keepdims=keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Array:
        """`lm.mean`."""
        return FUNCTIONS["mean"](self, axis=axis, keepdims=keepdims)

    def var(self, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
        """`lm.var`."""
        return FUNCTIONS["var"](self, axis=axis, correction=correction, keepdims=keepdims)

    def std(self, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Array:
        """`lm.std`."""
        return FUNCTIONS["std"](self, axis=axis, correction=correction, keepdims=keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Array:
        """`lm.max`."""
        return FUNCTIONS["max"](self, axis=axis, keepdims=keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Array:
        """`lm.min`."""
        return FUNCTIONS["min"](self, axis=axis, keepdims=keepdims)

    def any(self, axis: Any = None, keepdims: bool = False) -> Array:
        """`lm.any`."""
        return FUNCTIONS["any"](self, axis=axis, keepdims=keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Array:
        """`lm.all`."""
        return FUNCTIONS["all"](self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array:
        """`lm.argmax`."""
        return FUNCTIONS["argmax"](self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array:
        """`lm.argmin`."""
        return FUNCTIONS["argmin"](self, axis=axis, keepdims=keepdims)

    def argsort(self, axis: SupportsIndex = -1) -> Array:
        """`lm.argsort`."""
        return FUNCTIONS["argsort"](self, axis=axis)

    def sort(self, axis: SupportsIndex = -1) -> None:
        """Put the elements in order, in place."""
        self[...] = FUNCTIONS["sort"](self, axis=axis)

    def cumsum(self, axis: SupportsIndex | None = None, dtype: Any = None) -> Array:
        """`lm.cumsum`."""
        return FUNCTIONS["cumsum"](self, axis, dtype=dtype)

    def cumprod(self, axis: SupportsIndex | None = None, dtype: Any = None) -> Array:
        """`lm.cumprod`."""
        return FUNCTIONS["cumprod"](self, axis, dtype=dtype)

    def nonzero(self) -> tuple[Array, ...]:
        """`lm.nonzero`."""
        return FUNCTIONS["nonzero"](self)

    def dot(self, other: ArrayLike) -> Array:
        """`lm.matmul` for arrays of one or two axes; a product with a number."""
        return FUNCTIONS["numpy.dot"](self, other)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """`lm.linalg.diagonal` of two axes."""
        return FUNCTIONS["numpy.diagonal"](self, offset, axis1, axis2)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
        """`lm.linalg.trace` of two axes."""
        return FUNCTIONS["numpy.trace"](self, offset, axis1, axis2, dtype)

    def conj(self) -> Array:
        """`lm.conj`."""
        return FUNCTIONS["conj"](self)

    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
        """`lm.swapaxes`: a view."""
        return FUNCTIONS["swapaxes"](self, axis1, axis2)

    def repeat(self, repeats: Any, axis: SupportsIndex | None = None) -> Array:
        """`lm.repeat`."""
        return FUNCTIONS["repeat"](self, repeats, axis=axis)

    def take(self, indices: Any, axis: SupportsIndex | None = None) -> Array:
        """`lm.take`."""
        return FUNCTIONS["take"](self, indices, axis=axis)

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """`lm.clip`."""
        return FUNCTIONS["clip"](self, min, max)

    def round(self) -> Array:
        """`lm.round`."""
        return FUNCTIONS["round"](self)

    def fill(self, value: ArrayLike) -> None:
        """Write `value` to every element."""
        self[...] = value

    # autograd, which `lamina.autograd` installs

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this array are recorded for `backward`."""
        return self._tape is not None and AUTOGRAD["requires_grad"](self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        AUTOGRAD["set_requires_grad"](self, value)

    @property
    def grad(self) -> Array | None:
        """The gradient that `backward` left here, or None."""
        return None if self._tape is None else AUTOGRAD["grad"](self)

    @grad.setter
    def grad(self, value: Array | None) -> None:
        AUTOGRAD["set_grad"](self, value)

    @property
    def grad_fn(self) -> Any:
        """The recorded operation that made this array, or None."""
        return None if self._tape is None else AUTOGRAD["grad_fn"](self)

    def backward(self, grad: ArrayLike | None = None, **options: bool) -> None:
        """Add the gradient of this array to `grad` of every array that it depends on."""
        AUTOGRAD["backward"](self, grad, **options)

    def register_hook(self, hook: Callable[[Array], Array | None]) -> Callable[[], None]:
        """Call `hook` with each cotangent that reaches this array in `backward`; what it returns,
        if anything, goes on instead. The result removes the hook."""
        return AUTOGRAD["register_hook"](self, hook)

    def detach(self) -> Array:
        """The same memory without a gradient."""
        return wrap(observe(self))

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return wrap, (observe(self).copy(),)


AUTOGRAD: dict[str, Callable[..., Any]] = {}
"""Hooks of `lamina.autograd`: requires_grad, set_requires_grad, grad, set_grad, grad_fn,
backward, register_hook, detach (of traced arrays), enabled, before_write(target, value),
after_write(target, value, before), adopt and record(name, operands, result, params)."""

_new = Array.__new__


def wrap(data: NDArray) -> Array:
    """An eager array on the memory of `data`."""
    array = _new(Array)
    array._data = data
    array._tape = None
    return array


def observe(array: Array) -> NDArray:
    """The memory of an eager array whose values leave it; a trace that runs takes note."""
    recorder = CURRENT.get()
    if recorder is not None:
        recorder.observed(cast(Any, array))  # through the link pyright sees another class
    return array._data


def writable(name: str, array: Array) -> NDArray:
    """The memory of an eager array, to be written. Raises `MutationError` if read-only."""
    count_write(array._data)
    if not array._data.flags.writeable:
        fail(MutationError, f"{name}: expected a writable array, found a read-only view")
    return array._data


def is_ndarray(value: Any) -> TypeGuard[NDArray]:
    """Whether `value` is a NumPy array."""
    return isinstance(value, np.ndarray)


def is_numpy_scalar(value: Any) -> bool:
    """Whether `value` is an element of a NumPy array, such as np.float32(1)."""
    return isinstance(value, np.generic)


def is_array(value: Any) -> TypeGuard[Array | NDArray]:
    """Whether `value` is an array, ours or NumPy's."""
    return isinstance(value, (Array, np.ndarray))


def unsupported(name: str, value: object, error: type[LaminaError] = ArgumentError) -> NoReturn:
    """Raise: `value` is no array."""
    if hasattr(type(value), "refuse"):  # a `Selection`
        cast(Any, value).refuse(name)
    fail(error, f"{name}: expected an array or a number, found {type(value).__name__}")
