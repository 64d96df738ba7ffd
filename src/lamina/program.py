"""A compiled program without IR: its interface, its objects, how it is linked, stored and called.

Nothing here imports xDSL: a program from the disk cache needs none of it.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

# registers bfloat16 by name
import ml_dtypes  # noqa: F401  # pyright: ignore[reportUnusedImport]
import numpy as np

from lamina import callbacks, errors
from lamina.backend.engine import Engine
from lamina.backend.entry_py import DIM_OPS, call_main
from lamina.backend.threads import pool
from lamina.errors import (
    ArgumentError,
    DomainError,
    LaminaError,
    LoweringError,
    ResourceError,
    filled,
)
from lamina.interpreters import forbid, foreign

NDArray = np.ndarray[Any, Any]
CHECK_FAILED = 1
OUT_OF_MEMORY = 12


@dataclass(frozen=True)
class Port:
    """An argument or result of `main`: its dtype and shape (-1 is a run-time size)."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]


SizeExpr: TypeAlias = "int | tuple[int, int] | tuple[str, SizeExpr, SizeExpr]"
"""A size: a number, that of an argument along an axis, or an operation on two sizes."""

SIZE_OPS = {name: DIM_OPS[name] for name in ("add", "sub", "mul", "floordiv", "mod", "max", "min")}
"""The operations, as the call entry names them. A divisor is a positive number."""


def evaluate_size(size: SizeExpr, arrays: Sequence[NDArray]) -> int:
    """The value of a size for these arguments, at least 0."""
    return max(0, _evaluate(size, arrays))


def _evaluate(size: SizeExpr, arrays: Sequence[NDArray]) -> int:
    match size:
        case int():
            return size
        case (name, left, right):
            return SIZE_OPS[name](_evaluate(left, arrays), _evaluate(right, arrays))
        case (argument, axis):
            return arrays[argument].shape[axis]


@dataclass(frozen=True)
class Interface:
    """What `main` takes and gives.

    sizes: for each -1 of the results, in order, its size. donors: result -> the argument in whose
    memory it is.
    """

    arguments: tuple[Port, ...]
    results: tuple[Port, ...]
    sizes: tuple[SizeExpr, ...] = ()
    donors: Mapping[int, int] = field(default_factory=dict[int, int])

    def result_shapes(self, arrays: list[NDArray]) -> list[tuple[int, ...]]:
        """The shapes of the results for these arguments."""
        left = iter(self.sizes)

        def size(given: int) -> int:
            if given != -1:
                return given
            return evaluate_size(next(left), arrays)

        return [tuple(size(s) for s in port.shape) for port in self.results]


@dataclass(frozen=True)
class Check:
    """What a run-time check says when it fails: the name of an error class, a message with a `{}`
    for each value, the place in the user's code, and places that the kernels behind it have too."""

    error: str
    message: str
    place: str | None
    others: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class Text:
    """What compiled code prints, or raises: a format, the values in it, the name of an error class
    (None: it is printed), and the place in the user's code."""

    format: str
    values: tuple[Port, ...]
    error: str | None
    place: str | None


@dataclass(frozen=True)
class Code:
    """The objects of a program, by symbol (kernels by a name after their content).

    memory: bytes of the arena with and without reuse. checks: by the number of the check. texts:
    by the number of the call. functions: the C functions that it calls, with a place of a call.
    """

    objects: dict[str, bytes]
    interface: Interface
    entry: str = "main"
    memory: dict[str, int] = field(default_factory=dict[str, int])
    checks: dict[int, Check] = field(default_factory=dict[int, Check])
    texts: dict[int, Text] = field(default_factory=dict[int, Text])
    functions: dict[str, str | None] = field(default_factory=dict[str, "str | None"])

    def to_bytes(self) -> bytes:
        """As the disk cache stores it: the length of a JSON header, the header, the objects."""
        header = json.dumps(
            {
                "entry": self.entry,
                "memory": self.memory,
                "arguments": [_port_out(port) for port in self.interface.arguments],
                "results": [_port_out(port) for port in self.interface.results],
                "sizes": self.interface.sizes,
                "donors": list(self.interface.donors.items()),
                "checks": [
                    (n, c.error, c.message, c.place, c.others) for n, c in self.checks.items()
                ],
                "texts": [
                    (n, t.format, [_port_out(port) for port in t.values], t.error, t.place)
                    for n, t in self.texts.items()
                ],
                "functions": self.functions,
                "objects": [(symbol, len(data)) for symbol, data in self.objects.items()],
            }
        ).encode()
        return b"".join([len(header).to_bytes(8, "little"), header, *self.objects.values()])

    @staticmethod
    def from_bytes(data: bytes) -> Code:
        """The inverse of `to_bytes` (the cache has checked that the bytes are whole)."""
        at = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:at])
        objects: dict[str, bytes] = {}
        for symbol, length in header["objects"]:
            objects[symbol] = data[at : at + length]
            at += length
        interface = Interface(
            tuple(map(_port_in, header["arguments"])),
            tuple(map(_port_in, header["results"])),
            tuple(map(_size_in, header["sizes"])),
            dict(header["donors"]),
        )
        checks = {
            number: Check(error, message, place, tuple(others))
            for number, error, message, place, others in header["checks"]
        }
        texts = {
            number: Text(format, tuple(map(_port_in, values)), *rest)
            for number, format, values, *rest in header["texts"]
        }
        return Code(
            objects,
            interface,
            header["entry"],
            header["memory"],
            checks,
            texts,
            header["functions"],
        )


def _port_out(port: Port) -> tuple[str, tuple[int, ...]]:
    return port.dtype.name, port.shape


def _size_in(stored: Any) -> SizeExpr:
    if isinstance(stored, int):
        return stored
    if len(stored) == 2:
        return int(stored[0]), int(stored[1])
    return str(stored[0]), _size_in(stored[1]), _size_in(stored[2])


def _port_in(stored: Sequence[Any]) -> Port:
    return Port(np.dtype(stored[0]), tuple(stored[1]))


@dataclass(frozen=True)
class Linked:
    """A program in this process. `main` is an address; bytes are per call and per thread; `kept`
    is what its code calls."""

    engine: Engine
    main: int
    arena_bytes: int
    scratch_bytes: int
    checks: Mapping[int, Check]
    kept: object = None


def link(code: Code, symbols: Mapping[str, int] | None = None) -> Linked:
    """Load the objects; `symbols`: addresses of what they refer to besides the run time."""
    given, kept = foreign_symbols(code)
    engine = Engine(list(code.objects.values()), {**pool().symbols(), **given, **(symbols or {})})

    def number(symbol: str) -> int:
        return ctypes.c_int64.from_address(engine.address(symbol)).value

    return Linked(
        engine,
        engine.address(code.entry),
        number("lamina_arena_bytes"),
        number("lamina_scratch_bytes"),
        code.checks,
        kept,
    )


def foreign_symbols(code: Code) -> tuple[dict[str, int], object]:
    """Addresses of what the code calls that is not ours; and what must live as long as it.

    Raises ArgumentError for a C function that is not registered.
    """
    given: dict[str, int] = {}
    for name, place in code.functions.items():
        try:
            given[f"lamina_custom_call_{name}"] = foreign.cell(name)
        except ArgumentError as error:
            error.place = place
            raise
    if not code.texts:
        return given, None
    shower = callbacks.shower(code.texts)
    return given | {"lamina_print": callbacks.address(shower)}, shower


def call_linked(
    linked: Linked,
    interface: Interface,
    arrays: Sequence[NDArray],
    threads: int | None = None,
) -> list[NDArray]:
    """Call linked code on arrays that fit its interface, any strides; fresh results, but those of
    donors, which are in the donor's memory, or in that of a copy where it had to be copied."""
    ready = [
        contiguous(array, port.dtype)
        for array, port in zip(arrays, interface.arguments, strict=True)
    ]
    shapes = interface.result_shapes(ready)
    outs = [
        np.empty(shape, port.dtype) for shape, port in zip(shapes, interface.results, strict=True)
    ]
    for result, argument in interface.donors.items():
        outs[result] = ready[argument]
    ports = (*interface.arguments, *interface.results)
    dims = [
        size
        for array, port in zip((*ready, *outs), ports, strict=True)
        for size, known in zip(array.shape, port.shape, strict=True)
        if known == -1
    ]
    with forbid():
        failure = call_main(
            linked.main, ready, outs, dims,
            arena_bytes=linked.arena_bytes, scratch_bytes=linked.scratch_bytes, threads=threads,
        )  # fmt: skip
    if failure is not None:
        raise_failure(linked.checks, *failure)
    return outs


def contiguous(array: NDArray, dtype: np.dtype[Any]) -> NDArray:
    """`array` in row-major order, aligned and native; itself when it is so already."""
    if array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative:
        return array
    return np.array(array, dtype, order="C", copy=True)


def raise_failure(
    checks: Mapping[int, Check], status: int, number: int, first: int, second: int
) -> NoReturn:
    """Raise the error of a status that `main` returned.

    number: of the check that failed; first, second: what its message shows.
    """
    if status == OUT_OF_MEMORY:
        raise ResourceError("call: expected memory for a temporary, found none left")
    if status == callbacks.RAISED:
        raise callbacks.raised()
    if status != CHECK_FAILED:
        raise LoweringError(f"call: expected status 0 from compiled code, found {status}")
    if (check := checks.get(number)) is None:
        raise DomainError(f"call: check {number} failed for the values {first} and {second}")
    kind: type[LaminaError] = getattr(errors, check.error)
    failure = kind(filled(check.message, (first, second)), place=check.place)
    if check.others:
        failure.name_lines(others for others in check.others if others is not None)
    raise failure
