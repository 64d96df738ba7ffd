"""What compiled code calls in Python: the function that prints and raises texts.

A call never lets an exception out: it keeps it, returns a status that ends `main`, and the caller
of `main` raises it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from threading import local
from typing import TYPE_CHECKING, Any

import numpy as np

from lamina import errors
from lamina.interpreters import text

if TYPE_CHECKING:
    from lamina.program import Port, Text

RAISED = 2
"""The status of a call that kept an exception."""

_KEPT = local()
_KIND: Any = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64))


def shower(texts: Mapping[int, Text]) -> Any:
    """A C function `i32 lamina_print(context, words)` that prints or raises one of `texts`.

    words: its number, then of each value the address and the sizes that its type leaves open. It
    takes the GIL.
    """

    def show(_: int | None, words: Any) -> int:
        try:
            perform(texts[words[0]], words)
        except BaseException as error:
            if isinstance(error, errors.LaminaError):
                error.place = error.place or texts[words[0]].place
            _KEPT.error = error
            return RAISED
        return 0

    return _KIND(show)


def perform(wanted: Text, words: Any) -> None:
    """Print or raise one text."""
    at = 1
    arrays: list[np.ndarray[Any, Any]] = []
    for port in wanted.values:
        unknown = port.shape.count(-1)
        arrays.append(_array(port, words[at], words[at + 1 : at + 1 + unknown]))
        at += 1 + unknown
    shown = text.filled(wanted.format, arrays)
    if wanted.error is not None:
        raise getattr(errors, wanted.error)(shown)
    text.write(shown)


def _array(port: Port, address: int, sizes: list[int]) -> np.ndarray[Any, Any]:
    """A copy of a value: what prints it may keep it."""
    rest = iter(sizes)
    shape = tuple(next(rest) if size == -1 else size for size in port.shape)
    array = np.empty(shape, port.dtype)
    ctypes.memmove(array.ctypes.data, address, array.nbytes)
    return array


def address(function: Any) -> int:
    """The address of a C function."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def raised() -> BaseException:
    """The exception that the last call of this thread kept."""
    error, _KEPT.error = _KEPT.error, None
    return error
