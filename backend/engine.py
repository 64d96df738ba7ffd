"""Object files to addresses: one living MCJIT engine per executable.

    engine = Engine([main_object, *kernel_objects], {"lamina_parallel": address})
    main = engine.address("main")

What an object refers to is looked up here, before LLVM links it: among the objects, the given
symbols, and the C and math libraries of this process. LLVM ends the process at an unresolved name;
we raise CompileError with all of them. Nothing of xDSL is imported.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import threading
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from lamina.backend.codegen import Machine, Text, library
from lamina.backend.host import target_for
from lamina.errors import CompileError
from lamina.target import Target

# One lock for all engines: LLVM's table of process symbols is global, and linking takes 0.05 ms.
_LOCK = threading.Lock()
_MACHINES = {"x86_64": 62, "aarch64": 183}  # ELF's numbers


class Symbols(NamedTuple):
    """The names that an object gives to others and the names that it wants."""

    defined: frozenset[str]
    undefined: frozenset[str]


def object_symbols(data: bytes) -> Symbols:
    """The symbol table of a 64-bit little-endian ELF object, made for this machine's processor.

    Raises CompileError for anything else: an object that LLVM cannot read ends the process.
    """
    try:
        return _read_symbols(data)
    except (struct.error, IndexError, ValueError) as error:
        raise CompileError(
            f"engine: expected an object file, found a damaged one: {error}"
        ) from None


def _read_symbols(data: bytes) -> Symbols:
    if data[:6] != b"\x7fELF\x02\x01":
        raise CompileError(f"engine: expected a 64-bit ELF object, found {data[:6]!r}")
    kind, machine = struct.unpack_from("<HH", data, 16)
    wanted = _MACHINES.get(target_for("host").triple.split("-")[0])
    if kind != 1 or machine != wanted:
        raise CompileError(
            f"engine: expected an object for this machine (ELF machine {wanted}), "
            f"found type {kind}, machine {machine}"
        )
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    defined: set[str] = set()
    undefined: set[str] = set()
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(count)]
    for _, type_, _, _, offset, length, link, _, _, entry in sections:
        if type_ != 2:  # SHT_SYMTAB
            continue
        names = sections[link][4]
        for at in range(offset + entry, offset + length, entry):
            name, info, _, section = struct.unpack_from("<IBBH", data, at)
            if info >> 4:  # not local
                end = data.index(b"\0", names + name)
                text = data[names + name : end].decode()
                (defined if section else undefined).add(text)
    return Symbols(frozenset(defined), frozenset(undefined - {"_GLOBAL_OFFSET_TABLE_", ""}))


@cache
def _system_libraries() -> tuple[ctypes.CDLL, ...]:
    """This process (which holds the C library) and the math library."""
    found = [ctypes.CDLL(None)]
    with suppress(OSError):  # a C library may have the math functions inside, such as musl
        found.append(ctypes.CDLL("libm.so.6"))
    return tuple(found)


@cache
def system_address(name: str) -> int:
    """The address of a function of the C or math library, 0 when there is none of that name."""
    for handle in _system_libraries():
        try:
            function: Any = handle[name]
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    return 0


class Engine:
    """The code of some objects in this process. Close it only when no code of it runs any more."""

    def __init__(self, objects: Sequence[bytes], symbols: Mapping[str, int] | None = None) -> None:
        """Link `objects`; `symbols` maps names that they may use to addresses.

        Raises CompileError for an object of another machine, for unresolved names, and for a name
        that two objects define.
        """
        self._pointer: int | None = None
        given = symbols or {}
        self._defined, wanted = _resolve(objects, given)
        with _LOCK:
            lib = library()
            for name in sorted(wanted):
                lib.AddSymbol(name.encode(), given.get(name) or system_address(name))
            self._context: int = lib.ContextCreate()
            self._pointer = _empty_engine(self._context)
            for data in objects:
                holder = lib.CreateObjectFile(data, len(data))
                if not holder:
                    self._dispose()
                    raise CompileError("engine: expected an object file, found a damaged one")
                lib.MCJITAddObjectFile(self._pointer, holder)
                lib.DisposeObjectFile(holder)  # the engine has taken what was in it
            lib.FinalizeObject(self._pointer)

    def address(self, symbol: str) -> int:
        """The address of a function or global of the objects. Raises CompileError if unknown."""
        if self._pointer is None:
            raise CompileError("engine: expected an open engine, found a closed one")
        if symbol not in self._defined:
            raise CompileError(f"engine: expected a symbol of the objects, found {symbol!r}")
        with _LOCK:
            address: int = library().GetGlobalValueAddress(self._pointer, symbol.encode())
        return address

    def close(self) -> None:
        """Free the code. Addresses from this engine are invalid from now on."""
        with _LOCK:
            self._dispose()

    def _dispose(self) -> None:
        if self._pointer is not None:
            library().DisposeExecutionEngine(self._pointer)
            library().ContextDispose(self._context)
            self._pointer = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        # at the interpreter's exit even `sys` may be gone
        if getattr(self, "_pointer", None) is not None and sys and not sys.is_finalizing():
            self.close()


def _resolve(objects: Sequence[bytes], given: Mapping[str, int]) -> tuple[set[str], set[str]]:
    """(names that the objects define, names that they want from outside, all with an address)."""
    defined: set[str] = set()
    wanted: set[str] = set()
    for data in objects:
        found = object_symbols(data)
        if twice := found.defined & defined:
            raise CompileError(f"engine: expected unique symbols, found {_list(twice)} twice")
        defined |= found.defined
        wanted |= found.undefined
    wanted -= defined
    missing = {name for name in wanted if not given.get(name) and not system_address(name)}
    if missing:
        raise CompileError(f"engine: expected an address for {_list(missing)}, found none")
    return defined, wanted


def _empty_engine(context: int) -> int:
    """An MCJIT engine over an empty module of `context`; it owns the module and its machine."""
    lib = library()
    error = Text()
    host = target_for("host")
    machine = Machine(Target(cpu="generic", triple=host.triple, features=()))
    module = lib.ParseAssembly(context, b"", error.ref())
    error.take()
    own_memory_manager = host.triple.startswith(
        "aarch64"
    )  # llvmlite's: near sections, as Arm needs
    pointer: int | None = lib.CreateMCJITCompiler(
        module, machine.release(), own_memory_manager, error.ref()
    )
    if not pointer:
        raise CompileError(f"engine: LLVM made no engine: {error.take()}")
    return pointer


def _list(names: AbstractSet[str]) -> str:
    return ", ".join(sorted(names))
