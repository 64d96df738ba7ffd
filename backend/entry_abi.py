"""Where CPython and NumPy keep things: the table of functions for the native entry, offsets of
slots, and a self-test that reads known objects. When it fails, calls go through entry_py.py."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from functools import cache
from importlib import import_module
from types import CellType
from typing import Any

import numpy as np

from lamina.backend.entry_ir import API

# Slots of NumPy's C API table.
_ARRAY_TYPE, _ARRAY_NEW = 2, 93

C_CONTIGUOUS, OWNDATA, ALIGNED, WRITEABLE = 0x1, 0x4, 0x100, 0x400


def word(address: int) -> int:
    """The i64 at an address."""
    return ctypes.c_int64.from_address(address).value


def slot_offset(cls: type, name: str) -> int:
    """Byte offset of the slot `name` (of `__slots__`) in instances of `cls`.

    Read from the member descriptor: object header, class, name, qualified name, then a pointer to
    (name, type, offset).
    """
    member = cls.__dict__[name]
    return word(word(id(member) + 40) + 16)


@cache
def numpy_api() -> ctypes.Array[ctypes.c_void_p]:
    """NumPy's table of C functions."""
    umath: Any = import_module("numpy._core._multiarray_umath")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = pointer(umath._ARRAY_API, None)
    return (ctypes.c_void_p * (_ARRAY_NEW + 1)).from_address(table)


def api_table(state_offset: int, threads: int) -> list[int]:
    """Addresses in the order of `API`.

    state_offset: where an entry object keeps its state; threads: address of the thread limit.
    """
    own = {
        "state_offset": state_offset,
        "threads": threads,
        "PyArray_New": numpy_api()[_ARRAY_NEW] or 0,
        "PyArray_Type": id(np.ndarray),
        "PyLong_Type": id(int),
        "PyFloat_Type": id(float),
        "PyBool_Type": id(bool),
        "PyDict_Type": id(dict),
        "Py_True": id(True),
        "Py_None": id(None),
    }

    def address(name: str) -> int:
        function = getattr(ctypes.pythonapi, name)
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    return [own[name] if name in own else address(name) for name in API]


class _Probe:
    __slots__ = ("first", "second")


def _array_layout() -> bool:
    """ndarray: references, data, rank, dims, base, descr, flags; descr: byte order, type number."""
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    at = id(array)
    descr = word(at + 56)
    swapped = ">" if sys.byteorder == "little" else "<"
    other = np.zeros(1, np.dtype(np.int16).newbyteorder(swapped))
    number = ctypes.c_int32.from_address(descr + 28).value
    flags = ctypes.c_int32.from_address(at + 64).value
    view, probe = array[0], np.zeros(2)
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    return (
        word(at + 16) == array.ctypes.data
        and ctypes.c_int32.from_address(at + 24).value == 2
        and (word(word(at + 32)), word(word(at + 32) + 8)) == (2, 3)
        and descr == id(array.dtype)
        and number == array.dtype.num
        and flags & (C_CONTIGUOUS | ALIGNED | WRITEABLE) == C_CONTIGUOUS | ALIGNED | WRITEABLE
        and not ctypes.c_int32.from_address(id(frozen) + 64).value & WRITEABLE
        and (word(id(view) + 48), word(id(probe) + 48)) == (id(view.base), 0)
        and ctypes.c_int32.from_address(id(probe)).value == sys.getrefcount(probe) - 1
        and ctypes.c_int32.from_address(id(probe) + 64).value & OWNDATA == OWNDATA
        and not ctypes.c_int32.from_address(id(view) + 64).value & OWNDATA
        and ctypes.c_char.from_address(word(id(other) + 56) + 26).value == swapped.encode()
        and numpy_api()[_ARRAY_TYPE] == id(np.ndarray)
        and np.dtype(np.int64).itemsize == 8 == np.dtype(np.longlong).itemsize
        and (np.dtype("l").num, np.dtype("q").num) == (7, 9)
    )


def _object_layout() -> bool:
    """type, tuple, list, cell, bytes, float, complex, slots."""
    first, second = object(), object()
    probe = _Probe()
    probe.first, probe.second = first, second
    pair, items = (first, second), [first, second]
    text = b"0123456789abcdef"
    number, pairs, cell = 1.5, complex(1.5, -2.5), CellType(first)
    return (
        word(id(probe) + 8) == id(_Probe)
        and [word(id(pair) + 8 * k) for k in (2, 3, 4)] == [2, id(first), id(second)]
        and word(id(items) + 16) == 2
        and [word(word(id(items) + 24) + 8 * k) for k in (0, 1)] == [id(first), id(second)]
        and word(id(cell) + 16) == id(first)
        and ctypes.string_at(id(text) + 32, 16) == text
        and ctypes.c_double.from_address(id(number) + 16).value == number
        and ctypes.c_double.from_address(id(pairs) + 24).value == pairs.imag
        and word(id(probe) + slot_offset(_Probe, "first")) == id(first)
        and word(id(probe) + slot_offset(_Probe, "second")) == id(second)
    )


@cache
def dict_versions() -> bool:
    """Whether a dict keeps a version (at byte 24) that every change of it changes.

    From 3.13 on a store to an attribute may change an instance's dict and not its version.
    """
    if sys.version_info >= (3, 13):
        return False
    table: dict[str, object] = {"a": 1, "b": 2}
    seen = [word(id(table) + 24)]
    table["a"] = 3
    seen.append(word(id(table) + 24))
    del table["b"]
    seen.append(word(id(table) + 24))
    same = word(id(table) + 24) == seen[-1] and table["a"] == 3
    return same and len(set(seen)) == 3


@cache
def layout_problem() -> str | None:
    """None when the native entry may be used here, else the reason why not."""
    if sys.implementation.name != "cpython" or not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return f"expected CPython 3.11 to 3.13, found {sys.implementation.name} {sys.version}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "expected a build with a GIL, found a free-threaded one"
    if np.lib.NumpyVersion(np.__version__).major != 2 or ctypes.sizeof(ctypes.c_void_p) != 8:
        return f"expected NumPy 2 on a 64-bit machine, found NumPy {np.__version__}"
    if not _object_layout():
        return "expected the object layout of CPython 3.11 to 3.13, found another"
    if not _array_layout():
        return "expected the array layout of NumPy 2, found another"
    return None
