"""NumPy's functions on our arrays: `np.exp(x)`, `np.sum(x, axis=0)`, `np.concatenate([x, y])`.

A name that stands in no table is an error that names it: nothing falls back to NumPy.
`numpy_functions` has the functions whose arguments are not those of one of ours.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from lamina.errors import ArgumentError
from lamina.frontend.dispatch import FUNCTIONS, public
from lamina.frontend.location import fail, shown
from lamina.frontend.numpy_names import KEYWORDS, NAMES
from lamina.frontend.numpy_ufuncs import NOT_GIVEN, unknown, written


@public
def from_numpy_function(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`Array.__array_function__`: our function of the NumPy function's name."""
    module = (getattr(function, "__module__", "") or "numpy").removeprefix("numpy").strip(".")
    path = f"{module}.{function.__name__}" if module else function.__name__
    name = NAMES.get(path, "")
    if name not in FUNCTIONS:
        unknown(f"np.{path}")
    out: Any = options.pop("out", None)
    ours, defaults = FUNCTIONS[name], _defaults(function)
    arguments, options = _arranged(ours, [*defaults], arguments, options)
    result = _applied(f"np.{path}", ours, arguments, options, defaults)
    return written(f"np.{path}", out, result)


def _arranged(
    ours: Callable[..., Any], names: list[str], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments by NumPy's parameter `names`, but for those that ours has no name for."""
    accepted = inspect.signature(ours).parameters.values()
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in accepted):
        return arguments, options
    places = sum(parameter.kind is parameter.POSITIONAL_ONLY for parameter in accepted)
    if not names:
        return arguments, options
    given = {**dict(zip(names, arguments, strict=False)), **options}
    first = tuple(given.pop(name) for name in names[:places] if name in given)
    return first, given


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a NumPy function, with their defaults."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # a C function without a signature
        return {}
    return {name: parameter.default for name, parameter in parameters.items()}


def _applied(
    called: str,
    ours: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    defaults: Mapping[str, Any],
) -> Any:
    """`ours` with NumPy's keywords. Those that we lack must have NumPy's default."""
    signature = inspect.signature(ours)
    names = signature.parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in names.values())
    known: dict[str, Any] = {}
    for key, value in options.items():
        name = key if key in names or takes_all else KEYWORDS.get(key, key)
        if value is NOT_GIVEN:
            continue
        if name in names or takes_all:
            known[name] = value
        elif value is not None and not _is_default(value, defaults.get(key)):
            fail(ArgumentError, f"{called}: expected no {key}, found {shown(value)}")
    try:
        signature.bind(*arguments, **known)
    except TypeError as error:
        fail(ArgumentError, f"{called}: {error}")
    return ours(*arguments, **known)


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))
