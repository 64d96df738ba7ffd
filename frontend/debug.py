"""Seeing into programs that run compiled: printing, and conditions that must hold."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from string import Formatter
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, CheckError, LaminaError
from lamina.formats import escaped
from lamina.frontend import dtypes, tree
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, cast, values
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import bool_
from lamina.frontend.location import fail, user_place
from lamina.frontend.traced import TracedArray
from lamina.interpreters import text

_FORMATTER = Formatter()


def print(format: str, /, *args: Any, **kwargs: Any) -> None:
    """Print a line whenever the program gets here, eager or compiled; in program order.

    format: text for `str.format`. A place `{x}` shows an array of any dtype as NumPy's `str`,
    `{x:.3f}` formats each of its elements. What is no array is put into the text at once: when
    tracing, for traced code. Nothing is computed twice for a gradient: `grad` and `vjp` print
    when the function itself is computed.
    The line goes to `sys.stdout`; what writing there raises ends the program.
    Raises ArgumentError for a format that does not fit the arguments.

    >>> import lamina as lm
    >>> @lm.jit
    ... def f(x):
    ...     y = x * 2
    ...     lm.debug.print("y = {y}, its sum {s:.2f}", y=y, s=lm.sum(y))
    ...     return y
    >>> _ = f(lm.asarray([1.0, 2.0]))
    y = [2. 4.], its sum 6.00
    """
    filled, arrays = split(format, args, kwargs, "debug.print")
    recorder = CURRENT.get()
    if recorder is None:
        text.write(_now(filled, arrays))
    else:
        recorder.effect("print", arrays, {"format": filled})


def check(condition: ArrayLike, message: str, /, *args: Any, **kwargs: Any) -> None:
    """Raise CheckError with the message unless every element of `condition` is true (not 0).

    In compiled code the program checks it when it gets here; of several checks that fail the first
    is the one that is raised, no result is given, and no argument is written.
    message: a format as of `debug.print`.
    Raises ArgumentError for a message that does not fit the arguments.

    >>> import lamina as lm
    >>> lm.debug.check(lm.asarray(1) < 2, "expected {n} < 2", n=1)
    """
    filled, arrays = split(message, args, kwargs, "debug.check")
    holds = bind_all(as_array("debug.check", condition))
    recorder = CURRENT.get()
    if recorder is None:
        if not values(holds).all():
            fail(CheckError, _now(filled, arrays))
        return
    failing = recorder.own(bind("bitwise_invert", holds))

    def stop() -> list[TracedArray]:
        recorder.effect("fail", arrays, {"error": CheckError.__name__, "format": filled})
        return []

    from lamina.frontend import regions  # eager code needs no xDSL

    regions.branches(recorder, failing, [stop, list])


def _now(filled: str, arrays: Sequence[Array]) -> str:
    """The text for eager arrays."""
    try:
        return text.filled(filled, map(values, arrays))
    except LaminaError as error:
        error.place = error.place or user_place()
        raise


def bind_all(condition: Array) -> Array:
    """Whether all elements are true, as a 0-d bool."""
    flags = cast(condition, bool_)
    if not flags.ndim:
        return flags
    return bind("reduce", flags, kind="and", axes=tuple(range(flags.ndim)))


def split(
    format: str, args: Sequence[Any], kwargs: Mapping[str, Any], name: str
) -> tuple[str, list[Array]]:
    """The format with a place left for each array, and the arrays in their order.

    Raises ArgumentError where the format does not fit the arguments.
    """
    if not isinstance(format, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        fail(ArgumentError, f"{name}: expected a format string, found {format!r}")
    parts: list[str] = []
    arrays: list[Array] = []
    numbers = count()
    try:
        for literal, field, spec, conversion in _FORMATTER.parse(format):
            parts.append(escaped(literal))
            if field is None:
                continue
            value = _value(field, args, kwargs, numbers)
            wanted = _FORMATTER.vformat(spec or "", args, kwargs)
            if is_shown_as_array(value):
                arrays.append(_array(value, wanted, conversion, name))
                parts.append(f"{{:{wanted}}}" if wanted else "{}")
            else:
                parts.append(escaped(_text(value, wanted, conversion)))
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        if isinstance(error, LaminaError):
            raise
        fail(
            ArgumentError,
            f"{name}: expected a format that fits the arguments, found {format!r}: {error}",
        )
    return "".join(parts), arrays


def is_shown_as_array(value: Any) -> bool:
    """Whether NumPy's `str` shows `value`: an array, or an element of one."""
    dtype: Any = getattr(value, "dtype", None)
    return isinstance(value, (Array, np.ndarray, np.generic)) and dtype in dtypes.ALL


def _value(
    field: str, args: Sequence[Any], kwargs: Mapping[str, Any], numbers: Iterator[int]
) -> Any:
    """What a place names: an argument, or what is reached from one (`{x.shape}`, `{x[0]}`)."""
    path = f"{next(numbers)}{field}" if not field or field[0] in ".[" else field
    try:
        return _FORMATTER.get_field(path, args, kwargs)[0]
    except (KeyError, IndexError) as error:
        if isinstance(error, LaminaError):
            raise
        raise ValueError(f"no argument for {{{path}}}") from None


def _array(value: Any, spec: str, conversion: str | None, name: str) -> Array:
    """An array that is shown. Raises ValueError for what its elements do not take."""
    if conversion:
        raise ValueError(f"no conversion !{conversion} of an array")
    if "{" in spec or "}" in spec:
        raise ValueError(f"no braces in {spec!r}")
    array = as_array(name, value)
    format(np.zeros((), array.dtype).item(), spec)
    return array


def _text(value: Any, spec: str, conversion: str | None) -> str:
    """A value that is no array, now."""
    if any(isinstance(leaf, TracedArray) for leaf in tree.flatten(value)[0]):
        raise ValueError("a traced array inside of another value; give it a place of its own")
    return format(_FORMATTER.convert_field(value, conversion), spec)
