"""`TracedArray`: what user code holds while it is traced, and `WeakScalar` for Python numbers.

A traced array is a storage and a chain of view steps. A write makes a new value of the storage;
a read applies the steps to the newest one. The steps are `nd` primitives with their parameters.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from lamina.errors import TraceError
from lamina.frontend.array import AUTOGRAD, Array, NDArray
from lamina.frontend.dtypes import RANGES, DType, check_scalar, default_of
from lamina.frontend.location import fail
from lamina.frontend.shapes import Shape
from lamina.frontend.views import Step

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from lamina.frontend.recorder import Recorder

Position: TypeAlias = "tuple[str, int, int]"


class Storage:
    """Memory of the traced program: its newest value, and how many times it was written.

    `input` is the argument of the trace that it came from, or -1. `scope` is the innermost region
    that uses it now; the entry block for an argument. `linked` may be the same memory, and `stale`
    says that one of them was written; a function's result may be the memory `before` (all of
    `maybe_shared`).
    """

    __slots__ = (
        "before", "dtype", "input", "linked", "recorder", "scope", "shape", "stale", "value",
        "version",
    )  # fmt: skip

    def __init__(
        self, recorder: Recorder, value: SSAValue, shape: Shape, dtype: DType, source: int = -1
    ) -> None:
        self.recorder = recorder
        self.value = value
        self.shape = shape
        self.dtype = dtype
        self.version = 0
        self.input = source
        self.linked: tuple[Storage, ...] = ()
        self.before: tuple[Storage, ...] = ()
        self.stale = False
        self.scope: Any = recorder.scope if source < 0 else recorder.root


class TracedArray(Array):
    """An array whose values exist only when the compiled program runs."""

    __slots__ = ("_position", "_read", "_shape", "_steps", "_storage", "_strides", "_writable")

    _storage: Storage
    _steps: tuple[Step, ...]
    _shape: Shape
    _strides: Shape  # in elements of the row-major storage
    _writable: bool
    _read: tuple[SSAValue | None, SSAValue]  # value of the storage -> that of this view
    _position: Position  # where it was made

    @property
    def shape(self) -> Shape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._storage.dtype

    def _refuse(self, what: str, instead: str) -> NoReturn:
        file, line, _ = self._position
        fail(
            TraceError,
            f"{what}: expected a value, found a traced array (made at {file}:{line}), "
            f"which has none until the compiled program runs; {instead}",
        )

    def refuse_escape(self) -> NoReturn:
        """Raise: this array is used outside its trace."""
        file, line, _ = self._position
        fail(
            TraceError,
            "expected an array of a trace that runs, found one that outlived its trace (made at "
            f"{file}:{line}); return it from the traced function",
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        self._refuse("np.asarray", "use lm functions on it, or return it")

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        self._refuse("__dlpack__", "return it from the traced function")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    @property
    def requires_grad(self) -> bool:
        """A traced array has no tape."""
        return False

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if value:
            self._refuse("requires_grad", "differentiate the traced function")

    def item(self) -> Any:
        """Not while tracing: raises `TraceError`."""
        self._refuse("item", "use lm functions on it, or return it")

    def tolist(self) -> Any:
        """Not while tracing: raises `TraceError`."""
        self._refuse("tolist", "use lm functions on it, or return it")

    def detach(self) -> Array:
        """The same values, with a gradient of zero."""
        return AUTOGRAD["detach"](self)

    def _scalar(self, kind: str) -> Any:
        if kind == "bool":
            self._refuse(
                "bool",
                "use lm.where to choose values, lm.cond to choose what is computed, or "
                'jit(mode="script"), which captures Python\'s if and while',
            )
        self._refuse(kind, "use lm.astype to convert it, or mark the argument as static")

    def __index__(self) -> int:  # noqa: PLE0305 (it raises)
        self._refuse("index", "pass it as a Python int, or mark the argument as static")

    def __repr__(self) -> str:
        file, line, _ = self._position
        return f"TracedArray(shape={self.shape}, dtype={self.dtype}, made at {file}:{line})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        self._refuse("pickle", "return it from the traced function")


def _weak_binary(name: str, *, reflected: bool = False) -> Any:
    compute: Callable[[Any, Any], Any] = getattr(operator, f"__{name}__")

    def method(self: WeakScalar, other: Any) -> Any:
        if type(other) not in (bool, int, float, WeakScalar):
            plain: Any = getattr(Array, f"__{'r' if reflected else ''}{name}__")
            return plain(self, other)
        x, y = (other, self) if reflected else (self, other)
        return self._storage.recorder.weak_result(name, compute, x, y)

    return method


class WeakScalar(TracedArray):
    """A Python bool, int or float argument: a 0-d value that takes the type of what it meets.

    `_number` is its value in this trace and `_sources` are the inputs it came from. Code that
    needs the number (a shape, `range`, `if`) gets it, and the sources become guards.
    """

    __slots__ = ("_number", "_sources")

    _number: bool | int | float
    _sources: frozenset[int]

    @property
    def kind(self) -> type:
        """bool, int or float."""
        return type(self._number)

    def number(self) -> bool | int | float:
        """The value; from now on the compiled program is for this value only."""
        self._storage.recorder.pin(self._sources)
        return self._number

    def fit(self, dtype: DType) -> None:
        """Check that the int is one of an integer `dtype`; the trace holds while it is."""
        check_scalar(self._number, dtype)
        number: Any = self  # through the link pyright sees another class
        self._storage.recorder.keep_in_range(number, *RANGES[dtype])

    def _scalar(self, kind: str) -> Any:
        return self.number()

    def item(self) -> Any:
        return self.number()

    def tolist(self) -> Any:
        return self.number()

    def __index__(self) -> int:
        return operator.index(self.number())  # type: ignore[arg-type]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.number())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        import numpy as np

        return np.asarray(self.number(), dtype=dtype or default_of(self.kind))

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.number(), digits)

    def __format__(self, spec: str) -> str:
        return format(self.number(), spec)

    def __str__(self) -> str:
        return str(self.number())

    __add__ = _weak_binary("add")
    __sub__ = _weak_binary("sub")
    __mul__ = _weak_binary("mul")
    __truediv__ = _weak_binary("truediv")
    __floordiv__ = _weak_binary("floordiv")
    __mod__ = _weak_binary("mod")
    __pow__ = _weak_binary("pow")
    __and__ = _weak_binary("and")
    __or__ = _weak_binary("or")
    __xor__ = _weak_binary("xor")
    __lshift__ = _weak_binary("lshift")
    __rshift__ = _weak_binary("rshift")
    __radd__ = _weak_binary("add", reflected=True)
    __rsub__ = _weak_binary("sub", reflected=True)
    __rmul__ = _weak_binary("mul", reflected=True)
    __rtruediv__ = _weak_binary("truediv", reflected=True)
    __rfloordiv__ = _weak_binary("floordiv", reflected=True)
    __rmod__ = _weak_binary("mod", reflected=True)
    __rpow__ = _weak_binary("pow", reflected=True)
    __iadd__ = __add__
    __isub__ = __sub__
    __imul__ = __mul__
    __itruediv__ = __truediv__
    __ifloordiv__ = __floordiv__
    __imod__ = __mod__
    __ipow__ = __pow__
    __eq__ = _weak_binary("eq")  # type: ignore[assignment]
    __ne__ = _weak_binary("ne")  # type: ignore[assignment]
    __lt__ = _weak_binary("lt")
    __le__ = _weak_binary("le")
    __gt__ = _weak_binary("gt")
    __ge__ = _weak_binary("ge")

    def __neg__(self) -> Any:
        if self.kind is bool:
            return -int(self.number())
        return self.__mul__(-1 if self.kind is int else -1.0)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return abs(self.number())

    def __invert__(self) -> Any:
        return ~int(self.number())


def make(
    storage: Storage,
    shape: Shape,
    steps: tuple[Step, ...],
    strides: Shape,
    writable: bool,
    position: Position,
) -> TracedArray:
    """A view of `storage`."""
    array = object.__new__(TracedArray)
    _fill(array, storage, shape, steps, strides, position)
    array._writable = writable
    return array


def make_weak(
    storage: Storage, number: bool | int | float, sources: frozenset[int], position: Position
) -> WeakScalar:
    """A weak scalar: `storage` holds its 0-d value."""
    array = object.__new__(WeakScalar)
    _fill(array, storage, (), (), (), position)
    array._writable = False
    array._number = number
    array._sources = sources
    return array


def _fill(
    array: TracedArray,
    storage: Storage,
    shape: Shape,
    steps: tuple[Step, ...],
    strides: Shape,
    position: Position,
) -> None:
    array._data = None  # type: ignore[assignment]
    array._tape = None
    array._storage = storage
    array._steps = steps
    array._shape = shape
    array._strides = strides
    array._read = (None, storage.value)
    array._position = position
