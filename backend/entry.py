"""The call entry of a jitted function: a builtin that finds the signature that fits, allocates
the results and runs `main`, in native code (or in Python, entry_py.py, where the layout of
objects is not the one we know)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any

from lamina.backend.entry_abi import layout_problem
from lamina.backend.entry_code import encode_table
from lamina.backend.entry_native import EntrySelf, native
from lamina.backend.entry_py import PyEntry
from lamina.backend.entry_spec import ArrayClass, Signature

ErrorHandler = Callable[[int, int, int, int, int], Any]


class Entry(EntrySelf):
    """Owner of one entry; `call` is the builtin. `replace` may be called at any time, also while
    calls run (they end with the signatures that they began with)."""

    __slots__ = ("__weakref__", "_array_class", "_on_error", "_slow_path", "call")

    def __init__(
        self, slow_path: Callable[..., Any], array_class: ArrayClass | None, on_error: ErrorHandler
    ) -> None:
        self._slow_path = slow_path
        self._array_class = array_class
        self._on_error = on_error
        self.replace(())
        self.call = _new_builtin(ctypes.byref(native().method), self, None)

    def replace(self, signatures: Iterable[Signature]) -> None:
        """Use these signatures, tried in order, from the next call on."""
        table, keep = encode_table(tuple(signatures), self._array_class, self._on_error)
        self._state = (table, self._slow_path, keep)


_new_builtin = ctypes.pythonapi.PyCFunction_NewEx
_new_builtin.restype = ctypes.py_object
_new_builtin.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]


def make_entry(
    signatures: Iterable[Signature],
    slow_path: Callable[..., Any],
    array_class: ArrayClass | None,
    on_error: ErrorHandler,
) -> Entry | PyEntry:
    """An entry whose `call` is the function that a user calls.

    slow_path: called with the same arguments when no signature fits, or with any keyword.
    array_class: how array objects are built; None: results are ndarrays.
    on_error: `on_error(signature index, status, error id, error index, error value bits)` must
    raise; it is called when `main` returns a status that is not 0.
    """
    kind = PyEntry if layout_problem() else Entry
    entry = kind(slow_path, array_class, on_error)
    entry.replace(signatures)
    return entry
