"""`RuntimeScalar`: a Python number whose value only a run has, such as a loop's variable.

It is weak, as the number would be: it takes the type of the arrays that it meets. With Python
numbers it computes as Python does, in int64 and float64.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, NoReturn

from lamina.errors import DivisionError, DTypeError, TraceError
from lamina.frontend import dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import as_array, bind, is_weak, weak_kind
from lamina.frontend.bind import cast as to_dtype
from lamina.frontend.checks import check
from lamina.frontend.dims import NUMBERS
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail
from lamina.frontend.traced import WeakScalar, _fill  # pyright: ignore

_KINDS: dict[str, type] = {"b": bool, "i": int, "f": float}
_LOGIC = ("bitwise_and", "bitwise_or", "bitwise_xor")
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


class NeedsValueError(TraceError):
    """Code needs the value of a number that only a run has."""


class RuntimeScalar(WeakScalar):
    """A bool, int or float that a run computes; its storage is i1, i64 or f64.

    `_low` and `_high` bound an int, where they are known.
    """

    __slots__ = ("_high", "_kind", "_low")

    _kind: type
    _low: int | None
    _high: int | None

    @property
    def kind(self) -> type:
        return self._kind

    def number(self) -> Any:
        """Raise: no value is known."""
        file, line, _ = self._position
        fail(
            NeedsValueError,
            f"expected a Python {self._kind.__name__} that is known when the code is compiled, "
            f"found one that a run computes (made at {file}:{line}); compute it from static "
            "values, or use lm functions on arrays",
        )

    @property
    def _number(self) -> NoReturn:  # type: ignore[override]
        self.number()
        raise AssertionError

    def fit(self, dtype: DType) -> None:
        """Check that the int is one of an integer `dtype`, now or at run time."""
        low, high = dtypes.RANGES[dtype]
        known = bounds_of(self)
        if known is not None and low <= known[0] and known[1] <= high:
            return
        wide = FUNCTIONS["logical_and"](
            bind("greater_equal", self, _int64(max(low, -(2**63)))),
            bind("less_equal", self, _int64(min(high, 2**63 - 1))),
        )
        message = f"expected a Python int from {low} to {high} for {dtype}, found {{}}"
        check(wide, DTypeError, message, self)

    def __abs__(self) -> Any:
        return weak(FUNCTIONS["abs"](plain(self)))

    def __neg__(self) -> Any:
        return weak(FUNCTIONS["negative"](plain(self, number=True)))

    def __invert__(self) -> Any:
        return weak(FUNCTIONS["bitwise_invert"](plain(self, number=True)))

    def __round__(self, digits: int | None = None) -> Any:
        if digits is not None:
            return self.number()
        return weak(to_dtype(FUNCTIONS["round"](plain(self)), dtypes.int64))


def _int64(value: int) -> Array:
    return as_array("int", value, dtypes.int64)


def plain(value: Any, *, number: bool = False) -> Array:
    """A Python number, or what stands for one, as an array of its default type. number: a bool
    as an int."""
    kind = weak_kind(value)
    dtype = dtypes.default_of(int if number and kind is bool else kind)
    return as_array("number", value, dtype)


def weak(array: Array, low: int | None = None, high: int | None = None) -> RuntimeScalar:
    """A 0-d array of bool, int64 or float64 as the Python number that it holds."""
    recorder = CURRENT.get()
    assert recorder is not None
    value = recorder.read(recorder.own(array))
    fresh = recorder.fresh(value, (), array.dtype, recorder._here()[0])
    made = object.__new__(RuntimeScalar)
    _fill(made, fresh._storage, (), (), (), fresh._position)
    made._writable = False
    made._sources = frozenset()
    made._kind = _KINDS[array.dtype.kind]
    made._low, made._high = low, high
    return made


def is_runtime(value: Any) -> bool:
    """Whether a value, or a part of it that Python would need, is known in a run only."""
    return isinstance(value, RuntimeScalar)


def _operate(name: str, x: Any, y: Any) -> Any:
    """A Python operator on numbers of which one is known in a run only."""
    both_bool = weak_kind(x) is bool and weak_kind(y) is bool
    numbers = not (both_bool and (name in _LOGIC or name in _COMPARISONS))
    a, b = plain(x, number=numbers), plain(y, number=numbers)
    if name == "divide" or (name not in _LOGIC and a.dtype != b.dtype):
        a, b = to_dtype(a, dtypes.float64), to_dtype(b, dtypes.float64)
    if name in ("divide", "floor_divide", "remainder"):
        _check_divisor(name, y, b)
    low, high = _bounds(name, x, y)
    return weak(FUNCTIONS[name](a, b), low, high)


def _check_divisor(name: str, given: Any, divisor: Array) -> None:
    if not isinstance(given, WeakScalar) and given != 0:
        return
    if isinstance(given, RuntimeScalar) and (given._low or 0) > 0:
        return
    zero = as_array(name, 0, divisor.dtype)
    message = f"{name}: expected a divisor other than 0, found 0"
    check(FUNCTIONS["not_equal"](divisor, zero), DivisionError, message)


def bounds_of(value: Any) -> tuple[int, int] | None:
    """The least and the largest that an int may be; None where nothing is known."""
    if type(value) in (bool, int):
        return int(value), int(value)
    if isinstance(value, RuntimeScalar) and value._low is not None and value._high is not None:
        return value._low, value._high
    return None


def _bounds(name: str, x: Any, y: Any) -> tuple[int | None, int | None]:
    first, second = bounds_of(x), bounds_of(y)
    if first is None or second is None or name not in ("add", "subtract", "multiply"):
        return None, None
    if name == "add":
        found = first[0] + second[0], first[1] + second[1]
    elif name == "subtract":
        found = first[0] - second[1], first[1] - second[0]
    else:
        products = [a * b for a in first for b in second]
        found = min(products), max(products)
    inside = found[0] >= -(2**63) and found[1] < 2**63
    return found if inside else (None, None)


def _method(operator: str, name: str, *, reflected: bool = False) -> Any:
    def method(self: RuntimeScalar, other: Any) -> Any:
        if not is_weak(other) or isinstance(other, complex):
            base: Any = getattr(Array, f"__{'r' if reflected else ''}{operator}__")
            return base(self, other)
        x, y = (other, self) if reflected else (self, other)
        return _operate(name, x, y)

    return method


_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
for _operator, _name in _OPERATORS.items():
    setattr(RuntimeScalar, f"__{_operator}__", _method(_operator, _name))
    setattr(RuntimeScalar, f"__r{_operator}__", _method(_operator, _name, reflected=True))
    setattr(RuntimeScalar, f"__i{_operator}__", _method(_operator, _name))
for _operator, _name in zip(("eq", "ne", "lt", "le", "gt", "ge"), _COMPARISONS, strict=True):
    setattr(RuntimeScalar, f"__{_operator}__", _method(_operator, _name))
setattr(RuntimeScalar, "__hash__", WeakScalar.__hash__)  # noqa: B010 (after __eq__)

NUMBERS["weak"] = weak
