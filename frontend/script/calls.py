"""What a call in converted code calls: user functions converted, builtins and NumPy's by ours."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import builtins
import functools
import math
import types
from collections.abc import Callable
from typing import Any
from typing import cast as typed

import numpy as np

from lamina.errors import DomainError, TraceError
from lamina.frontend import dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import as_array, cast, is_weak, view
from lamina.frontend.checks import check
from lamina.frontend.dispatch import CURRENT, FUNCTIONS
from lamina.frontend.location import fail, is_user_code
from lamina.frontend.numpy_creation import replacement
from lamina.frontend.runtime_scalar import RuntimeScalar, plain, weak
from lamina.frontend.script.branches import choice, not_, or_
from lamina.frontend.script.changes import check_change, check_method, made
from lamina.frontend.script.iteration import enumerate_, range_, reversed_, steps_of, zip_
from lamina.frontend.script.loops import for_
from lamina.frontend.script.source import converted, is_convertible
from lamina.frontend.script.values import is_traced, load, truth
from lamina.frontend.traced import TracedArray, WeakScalar


def function(called: Any) -> Any:
    """What to call instead of `called`."""
    recorder = CURRENT.get()
    if recorder is None:
        return called
    called = replacement(called)
    kind = typed(Any, type(called))
    if kind is types.FunctionType:
        return _python_function(called)
    if kind is types.MethodType:
        return _method(called)
    if kind is functools.partial:
        inner = function(called.func)
        return functools.partial(inner, *called.args, **called.keywords)
    if kind is types.BuiltinMethodType:
        check_method(called.__self__, called.__name__)
    if kind is type and issubclass(called, np.generic):
        return functools.partial(_numpy_scalar, called)
    found = _REPLACED.get(id(called))
    return called if found is None else found[1]


def _python_function(called: types.FunctionType) -> Any:
    if is_convertible(called):
        return converted(called)
    if (called.__module__ or "").startswith("lamina."):
        return functools.partial(_with_functions, called)
    return called


def _method(called: types.MethodType) -> Any:
    inner = called.__func__
    replaced = function(inner) if isinstance(inner, types.FunctionType) else inner
    if replaced is not inner:
        return types.MethodType(replaced, called.__self__)
    if not isinstance(inner, types.FunctionType) or inner.__module__ == "random":
        check_method(called.__self__, called.__name__)
    return called


def _with_functions(called: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of ours that calls back: it gets converted functions."""
    return called(*map(_argument, args), **{key: _argument(x) for key, x in kwargs.items()})


def _argument(value: Any) -> Any:
    if isinstance(value, types.FunctionType):
        return _python_function(value) if is_user_code(value.__code__) else value
    kind = typed(Any, type(value))
    return typed(Any, kind(map(_argument, value)) if kind in (list, tuple) else value)


# builtins


def _real(what: str, value: Any) -> Array:
    """A traced array of one element as a 0-d one of a real dtype."""
    if is_weak(value):
        return plain(value)
    value._real(what) if value.size != 1 or value.dtype.kind == "c" else None
    return view("reshape", value, shape=()) if value.ndim else value


def int_(*args: Any, **options: Any) -> Any:
    """`int`."""
    value = args[0] if args else 0
    if isinstance(value, WeakScalar) and value.kind is int:
        return value
    if not is_traced(value) or len(args) > 1:
        return builtins.int(*args, **options)
    array = _real("int", value)
    if array.dtype in dtypes.FLOATS:
        message = "int: expected a finite number of int64"
        check(FUNCTIONS["less"](FUNCTIONS["abs"](array), 2.0**63), DomainError, message)
    return weak(cast(array, dtypes.int64))


def float_(*args: Any) -> Any:
    """`float`."""
    value = args[0] if args else 0.0
    if isinstance(value, WeakScalar) and not isinstance(value, RuntimeScalar):
        as_float: Any = value
        if value.kind is int:
            as_float = as_float * 1.0
        return as_float if value.kind is not bool else builtins.float(as_float)
    if not is_traced(value):
        return builtins.float(*args)
    return weak(cast(_real("float", value), dtypes.float64))


def bool_(*args: Any) -> Any:
    """`bool`."""
    if not args or not is_traced(args[0]):
        return builtins.bool(*args)
    flag = truth(args[0])
    return flag if isinstance(flag, bool) else weak(flag)


def round_(value: Any, digits: Any = None) -> Any:
    """`round`."""
    number: Any = value
    if isinstance(value, TracedArray) and not is_weak(value) and digits is None:
        return FUNCTIONS["round"](value)
    return builtins.round(number) if digits is None else builtins.round(number, digits)


def _extreme(name: str, larger: bool) -> Callable[..., Any]:
    plain_builtin: Callable[..., Any] = getattr(builtins, name)

    def extreme(*args: Any, **options: Any) -> Any:
        values = list(args[0]) if len(args) == 1 else list(args)
        if options or not values or not any(map(is_traced, values)):
            return plain_builtin(*args, **options)
        best = values[0]
        for value in values[1:]:
            best = _better(value, best, larger)
        return best

    return extreme


def _better(value: Any, best: Any, larger: bool) -> Any:
    """`value if value > best else best`."""
    test = value > best if larger else value < best
    flag = truth(test)
    if isinstance(flag, bool):
        return value if flag else best
    if is_weak(value) and is_weak(best):
        a, b = plain(value, number=True), plain(best, number=True)
        if a.dtype != b.dtype:
            a, b = cast(a, dtypes.float64), cast(b, dtypes.float64)
        return weak(FUNCTIONS["where"](flag, a, b))
    if all(is_weak(x) or x.ndim == 0 for x in (value, best)):
        return FUNCTIONS["where"](flag, value, best)
    return choice(flag, lambda: value, lambda: best)


def sum_(iterable: Any, start: Any = 0) -> Any:
    """`sum`, in order."""
    state = [start]

    def add(item: Any) -> None:
        state[0] = state[0] + item

    def set(values: Any) -> None:
        state[0] = values[0]

    for_(iterable, None, False, add, lambda: (state[0],), set, ("sum",), 1)
    return state[0]


def any_(iterable: Any) -> Any:
    """`any`."""
    return or_(False, *[(lambda x=x: bool_(x)) for x in iterable])


def all_(iterable: Any) -> Any:
    """`all`."""
    return not_(any_([not_(x) for x in iterable]))


def isinstance_(value: Any, kinds: Any) -> bool:
    """`isinstance`: a number of a run is one of Python."""
    if isinstance(value, WeakScalar):
        return issubclass(value.kind, kinds)
    if isinstance(value, Array) and builtins.isinstance(np.empty(0), kinds):
        return True  # where NumPy's code expects an array
    return builtins.isinstance(value, kinds)


def type_(*args: Any) -> Any:
    """`type`."""
    if len(args) == 1 and isinstance(args[0], WeakScalar):
        return args[0].kind
    return builtins.type(*args)


def divmod_(x: Any, y: Any) -> Any:
    """`divmod`."""
    return (x // y, x % y) if is_traced(x) or is_traced(y) else builtins.divmod(x, y)


def map_(called: Any, *iterables: Any) -> Any:
    """`map`."""
    return builtins.map(function(called), *iterables)


def filter_(called: Any, iterable: Any) -> Any:
    """`filter`."""
    return builtins.filter(function(called), iterable)


def next_(iterator: Any, *default: Any) -> Any:
    """`next`."""
    check_change(iterator, "next()")
    return load(builtins.next(iterator, *default))


def setattr_(owner: Any, name: str, value: Any) -> None:
    """`setattr`."""
    check_change(owner, f"setattr of {name}")
    builtins.setattr(owner, name, value)


def _container(kind: Callable[..., Any]) -> Callable[..., Any]:
    def container(*args: Any, **options: Any) -> Any:
        given = [x if steps_of(x) is None else iter(x) for x in args]
        return made(kind(*given, **options))

    return container


def _refused(name: str) -> Callable[..., Any]:
    def refused(*args: Any, **options: Any) -> Any:
        fail(
            TraceError,
            f'jit(mode="script"): expected no {name}(), which sees variables that are not there; '
            "name them",
        )

    return refused


# NumPy's scalar types, and math


def _numpy_scalar(kind: Any, *args: Any) -> Any:
    """`np.float32(x)`: an array of that type for a traced x."""
    if len(args) != 1 or not (is_traced(args[0]) or isinstance(args[0], WeakScalar)):
        return kind(*args)
    dtype = dtypes.normalize(kind)
    return cast(as_array("astype", args[0]), dtype)


def _math(name: str, ours: str) -> Callable[..., Any]:
    plain_function: Callable[..., Any] = getattr(math, name)

    def computed(*args: Any) -> Any:
        if not any(map(is_traced, args)):
            return plain_function(*args)
        arrays = [cast(_real(name, x) if is_traced(x) else plain(x), dtypes.float64) for x in args]
        return weak(FUNCTIONS[ours](*arrays))

    return computed


def _math_int(name: str) -> Callable[..., Any]:
    plain_function: Callable[..., Any] = getattr(math, name)

    def computed(value: Any) -> Any:
        if not is_traced(value):
            return plain_function(value)
        return int_(FUNCTIONS[name](cast(_real(name, value), dtypes.float64)))

    return computed


_SAME_MATH = (
    "sqrt", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "sinh",
    "cosh", "tanh", "hypot", "copysign", "erf", "asin", "acos", "atan", "asinh", "acosh", "atanh",
    "atan2", "pow",
)  # fmt: skip
_MATH = {**{name: name for name in _SAME_MATH}, "fabs": "abs"}
"""Function of `math` -> ours."""

_PAIRS: list[tuple[Any, Any]] = [
    (builtins.range, range_),
    (builtins.zip, zip_),
    (builtins.enumerate, enumerate_),
    (builtins.reversed, reversed_),
    (builtins.int, int_),
    (builtins.float, float_),
    (builtins.bool, bool_),
    (builtins.round, round_),
    (builtins.max, _extreme("max", True)),
    (builtins.min, _extreme("min", False)),
    (builtins.sum, sum_),
    (builtins.any, any_),
    (builtins.all, all_),
    (builtins.isinstance, isinstance_),
    (builtins.type, type_),
    (builtins.divmod, divmod_),
    (builtins.map, map_),
    (builtins.filter, filter_),
    (builtins.next, next_),
    (builtins.setattr, setattr_),
    (builtins.list, _container(list)),
    (builtins.dict, _container(dict)),
    (builtins.set, _container(set)),
    (builtins.tuple, _container(tuple)),
    *((getattr(builtins, name), _refused(name)) for name in ("locals", "vars", "eval", "exec")),
    *((getattr(math, name), _math(name, ours)) for name, ours in _MATH.items()),
    *((getattr(math, name), _math_int(name)) for name in ("floor", "ceil", "trunc")),
]
_REPLACED = {id(old): (old, new) for old, new in _PAIRS}
