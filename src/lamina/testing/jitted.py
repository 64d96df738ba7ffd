"""The Array API namespace with each call of a function or an operator compiled by its own `jit`.

For suites that test a namespace. Its arrays are `Array`s whose operators are compiled too. What
brings values in (`asarray`, `from_dlpack`), tells facts about dtypes, or has a result whose shape
depends on values (`nonzero`, `unique_values`, `x[mask]`, ...) is the eager function, and so is
what has no `nd` form (decompositions, transforms).

>>> from lamina.testing import jitted as xp
>>> xp.sum(xp.asarray([1.0, 2.0]) * 3)
Array(9.)
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, cast

import lamina as lm
from lamina.frontend import dtypes
from lamina.frontend.array import is_array
from lamina.frontend.indexing import get_item

EAGER = frozenset({
    "__array_namespace_info__", "asarray", "broadcast_shapes", "can_cast", "constant", "finfo",
    "from_dlpack", "iinfo", "isdtype", "matrix_norm", "nonzero", "result_type", "unique_all",
    "unique_counts", "unique_inverse", "unique_values",
})  # fmt: skip
"""Functions that are not compiled, beside those of `OUTSIDE`."""

OUTSIDE = ("lamina.frontend.decompositions", "lamina.frontend.fft")
"""Modules of functions that are not compiled."""


def _ours(value: Any) -> Any:
    if not isinstance(value, lm.Array):
        return value
    array = object.__new__(Array)
    array._data, array._tape = value._data, None
    return array


def _theirs(value: Any) -> Any:
    if not isinstance(value, Array):
        return value
    array = object.__new__(lm.Array)
    array._data, array._tape = value._data, None
    return array


def _is_eager(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether a call cannot be compiled: the shape of its result depends on values."""
    if function.__name__ in EAGER or function.__module__ in OUTSIDE:
        return True
    if function is get_item:
        key: Any = args[1]
        return any(
            is_array(part) and part.dtype == dtypes.bool_
            for part in (cast(tuple[Any, ...], key) if isinstance(key, tuple) else (key,))
        )
    return function is lm.repeat and len(args) > 1 and is_array(args[1])


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function` of these arguments, compiled for this call."""
    args, kwargs = lm.tree.map_leaves(_theirs, (args, kwargs))
    if not _is_eager(function, args):
        function = lm.jit(function)
    return lm.tree.map_leaves(_ours, function(*args, **kwargs))


class Array(lm.Array):
    """An eager array whose operators are compiled."""

    __slots__ = ()

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        super().__array_namespace__(api_version=api_version)
        return sys.modules[__name__]

    def __getitem__(self, key: Any) -> Any:
        return call(get_item, self, key)

    @property
    def T(self) -> Any:
        return call(lm.Array.T.fget, self)  # type: ignore[attr-defined]

    @property
    def mT(self) -> Any:
        return call(lm.Array.mT.fget, self)  # type: ignore[attr-defined]


def _operator(name: str, *, reflected: bool = False) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")

    @functools.wraps(getattr(lm.Array, f"__{'r' if reflected else ''}{name}__"))
    def method(self: Array, *args: Any) -> Any:
        return call(function, *args, self) if reflected else call(function, self, *args)

    return method


def _in_place(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")

    @functools.wraps(getattr(lm.Array, f"__{name}__"))
    def method(self: Array, *args: Any) -> Any:
        call(function, self, *args)  # which writes to the memory of `self`
        return self

    return method


_BINARY = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
    "and", "or", "xor", "lshift", "rshift",
]  # fmt: skip
_OTHERS = ["eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert"]
for _name in [*_BINARY, *_OTHERS]:
    setattr(Array, f"__{_name}__", _operator(_name))
for _name in _BINARY:
    setattr(Array, f"__r{_name}__", _operator(_name, reflected=True))
for _name in ["setitem", *(f"i{name}" for name in _BINARY)]:
    setattr(Array, f"__{_name}__", _in_place(_name))


@functools.cache
def __getattr__(name: str) -> Any:
    return _member(getattr(lm, name))


def _member(found: Any) -> Any:
    """A function compiled, a namespace of such functions, or the thing itself."""
    if isinstance(found, FunctionType):
        return functools.wraps(found)(functools.partial(call, found))
    if isinstance(found, ModuleType):
        return SimpleNamespace(**{name: _member(getattr(found, name)) for name in found.__all__})
    return found
