"""C functions of this process that programs call by name: their table, and calls on arrays.

    int32_t f(const T *x, ..., R *y, ..., const int64_t *sizes)

Compiled code never holds an address: it reads the function's cell, 8 bytes that live as long as
the process, at each call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from lamina.errors import ArgumentError, LaminaError
from lamina.interpreters.dtypes import Array, DType

Kind = tuple[tuple[int, ...], DType]
"""Shape and dtype of a result."""


@dataclass
class _Foreign:
    """A name's cell, and what keeps its function alive."""

    cell: ctypes.c_int64
    function: object


_TABLE: dict[str, _Foreign] = {}
_LOCK = Lock()


def register(name: str, address: int, function: object) -> None:
    """Let `name` stand for the function at `address`, also in code that is compiled already."""
    with _LOCK:
        known = _TABLE.get(name)
        if known is None:
            _TABLE[name] = _Foreign(ctypes.c_int64(address), function)
        else:
            known.cell.value, known.function = address, function


def why_not(name: str) -> str | None:
    """Why the function cannot be called, or None."""
    if name in _TABLE:
        return None
    return (
        f"custom_call: expected a registered function, found {name!r}; "
        f"call lm.register_custom_call({name!r}, function) first"
    )


def cell(name: str) -> int:
    """The address of the 8 bytes that hold the function's address. Raises ArgumentError."""
    if (why := why_not(name)) is not None:
        raise ArgumentError(why)
    return ctypes.addressof(_TABLE[name].cell)


def failed(name: str) -> str:
    """The message for a status other than 0, with a place for it."""
    return f"custom_call: {name}: expected status 0, found {{}}"


def call(name: str, operands: Sequence[Array], results: Sequence[Kind]) -> list[Array]:
    """New arrays that the function has filled. Raises ArgumentError where it is not registered,
    LaminaError for a status other than 0."""
    address = ctypes.c_int64.from_address(cell(name)).value
    inputs = [np.require(x, requirements=["C", "A"]) for x in operands]
    outs = [np.zeros(shape, dtype) for shape, dtype in results]
    sizes = [size for array in (*inputs, *outs) for size in array.shape]
    pointer = ctypes.c_void_p
    kind: Any = ctypes.CFUNCTYPE(ctypes.c_int32, *[pointer] * (len(inputs) + len(outs) + 1))
    pointers = [array.ctypes.data for array in (*inputs, *outs)]
    status: int = kind(address)(*pointers, (ctypes.c_int64 * len(sizes))(*sizes))
    if status:
        raise LaminaError(failed(name).format(status))
    return outs
