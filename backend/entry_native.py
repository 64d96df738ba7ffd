"""The native code of the call entry in this process, and calls of a compiled `main` by address."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from lamina.backend.entry_abi import api_table, slot_offset
from lamina.backend.entry_ir import INVOKE_SIZES, RAISED, entry_text, invoke_text, op_names
from lamina.backend.entry_jit import load_runtime
from lamina.backend.entry_spec import Signature
from lamina.backend.host import target_for
from lamina.backend.threads import pool


class EntrySelf:
    """What the native entry gets as `self`: it reads `_state`, a tuple of (table, slow path,
    objects kept alive)."""

    __slots__ = ("_state",)

    _state: tuple[object, ...]


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_FASTCALL_KEYWORDS = 0x80 | 0x2


@dataclass(frozen=True)
class Native:
    """Addresses and functions of the entry's code.

    ops: the operations of guard programs, by name.
    perform: `perform(block, words, error)`: run `main`; 0, a failing status, or RAISED (raised).
    release: free the memory that a block keeps.
    method: the one PyMethodDef of all entries; it must never be freed.
    """

    ops: dict[str, int]
    perform: Any
    release: Any
    poll: int
    method: _Method
    invokes: dict[int, int]


def native() -> Native:
    """Compile (or load from the disk cache) and link the entry's code, once a process."""
    with _LOCK:  # two threads may ask first: one makes it
        return _make_native()


_LOCK = threading.Lock()


@cache
def _make_native() -> Native:
    invokes = tuple(f"invoke_{size}" for size in INVOKE_SIZES)
    functions = ("lamina_entry", "lamina_perform", "lamina_release", "lamina_poll")
    symbols = (*functions, "lamina_api", "lamina_ops", *invokes)
    found = load_runtime("entry", lambda: entry_text(_triple()), symbols)
    table = api_table(slot_offset(EntrySelf, "_state"), pool().limit)
    (ctypes.c_int64 * len(table)).from_address(found["lamina_api"])[:] = table
    names = op_names()
    ops = (ctypes.c_int64 * len(names)).from_address(found["lamina_ops"])
    pointer = ctypes.c_void_p
    return Native(
        ops=dict(zip(names, ops, strict=True)),
        perform=ctypes.PYFUNCTYPE(ctypes.c_int64, *[pointer] * 3)(found["lamina_perform"]),
        release=ctypes.PYFUNCTYPE(None, pointer)(found["lamina_release"]),
        poll=found["lamina_poll"],
        method=_Method(
            b"__call__", found["lamina_entry"], _FASTCALL_KEYWORDS, b"Run the compiled program."
        ),
        invokes={size: found[f"invoke_{size}"] for size in INVOKE_SIZES},
    )


def _triple() -> str:
    return target_for("host").triple


def _invoke(words: int) -> tuple[int, int]:
    """(size, address) of an invoke function for at least so many words."""
    size = INVOKE_SIZES[0]
    while size < words:
        size *= 2
    table = native().invokes
    if size not in table:
        name = f"invoke_{size}"
        table[size] = load_runtime(name, lambda: invoke_text(size, _triple()), (name,))[name]
    return size, table[size]


class Block:
    """How to run one `main`, and the arenas that it keeps for its next calls.

    words: how many words its calls must provide.
    """

    def __init__(self, signature: Signature, used: int, index: int = 0) -> None:
        self._release = native().release
        self._data = (ctypes.c_int64 * 8)()
        self.address = ctypes.addressof(self._data)
        self.words, invoke = _invoke(used)
        self._owner = signature.owner
        arena, scratch = (
            -(-size // 64) * 64 for size in (signature.arena_bytes, signature.scratch_bytes)
        )
        self._data[:] = (
            *(signature.main, invoke, arena, scratch, 0),
            *(int(signature.release_gil), index, signature.threads or 0),
        )

    def __del__(self) -> None:
        if hasattr(self, "address"):  # the entry's code itself could be had
            self._release(self.address)

    def run(self, arguments: Sequence[int]) -> tuple[int, int, int, int] | None:
        """Call `main` with these pointers and dims (after the context).

        Returns None, or (status, error id, error index, error value bits) of a failure. Raises
        what a signal handler raised (KeyboardInterrupt) and MemoryError.
        """
        words = (ctypes.c_int64 * self.words)(0, *arguments)
        error = (ctypes.c_int64 * 3)()
        status = native().perform(self.address, words, error)
        assert status != RAISED
        return (status, *error) if status else None
