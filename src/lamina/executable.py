"""A lowered program, and a compiled one: what `jit` makes, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from lamina.backend.entry_py import call_main
from lamina.compiler import (
    Interface,
    Linked,
    Lowering,
    NDArray,
    entry_of,
    generate,
    interface_of,
    level_of,
    link,
    memory_note,
    note_interface,
)
from lamina.errors import ArgumentError, DomainError, LoweringError, ResourceError
from lamina.frontend import tree
from lamina.interpreters import forbid
from lamina.ir_text import print_module
from lamina.options import CompileOptions
from lamina.pipeline import LEVELS

if TYPE_CHECKING:
    from lamina.frontend.trace import Trace

OUT_OF_MEMORY = 12


@dataclass(frozen=True)
class Kernel:
    """A native function that computes or fills a result, at one place where `main` calls it.

    ops: the scalar operations of its body, by name. locations: the user's lines, `file:line`.
    symbol: its name; equal kernels have one symbol.
    """

    name: str
    ops: tuple[str, ...]
    locations: tuple[str, ...]
    symbol: str


@dataclass(frozen=True)
class Memory:
    """Bytes that a call uses. `scratch` is per thread."""

    arena: int
    arena_without_reuse: int
    scratch: int
    outputs: int
    constants: int


class Lowered:
    """A traced program: its text on every level, and the way to an executable."""

    def __init__(self, trace: Trace, options: CompileOptions) -> None:
        self.trace = trace
        self.options = options
        self._timings: dict[str, float] = {}

    def lowering(self, level: str) -> Lowering:
        """A fresh copy of the program on a level."""
        if level not in LEVELS:
            raise ArgumentError(
                f"ir: expected a level of {', '.join(LEVELS)}, llvm-ir or asm, found {level!r}"
            )
        lowering = Lowering(self.trace.module.clone(), "nd", options=self.options)
        lowering.timings = self._timings
        lowering.to(level)
        return lowering

    def ir(self, level: str, locations: bool = False) -> str:
        """The program as text.

        level: "nd", "linalg", "buffer", "loop", "llvm", or "llvm-ir" and "asm". Without locations
        it is what `lamina-opt` prints.
        """
        if level in ("llvm-ir", "asm"):
            from lamina.backend.codegen import to_assembly
            from lamina.backend.emit_llvm import emit_module

            lowering = self.lowering("llvm")
            text = emit_module(lowering.module)
            return text if level == "llvm-ir" else to_assembly(text, lowering.target)
        return print_module(self.lowering(level).module, locations=locations)

    def graph(self) -> str:
        """The kernels in the order of their calls, one a line: symbol, ops, user's lines."""
        return "\n".join(
            f"{k.symbol}: {' '.join(k.ops)}  [{', '.join(k.locations)}]" for k in self.kernels()
        )

    def timings(self) -> dict[str, float]:
        """Seconds spent so far, by pass."""
        return dict(self._timings)

    def kernels(self) -> list[Kernel]:
        """The kernels, in the order of their calls."""
        return kernels_of(self.lowering("buffer"))

    def compile(self) -> Executable:
        """Native code, from the disk cache where it has it."""
        lowering = self.lowering("buffer")
        memory = memory_note(lowering.module)
        lowering.to("llvm")
        linked = link(generate(lowering), resource_symbols(self.trace.resources))
        interface = interface_of(entry_of(lowering.module))
        return Executable(self, interface, linked, memory)


def resource_symbols(resources: dict[str, NDArray]) -> dict[str, int]:
    """Where compiled code finds large constants."""
    return {name: array.ctypes.data for name, array in resources.items()}


def kernels_of(lowering: Lowering) -> list[Kernel]:
    """The kernels of a module of level buffer."""
    from xdsl.dialects import func

    from lamina.dialects import memref
    from lamina.dialects.locations import places_of

    functions = {f.sym_name.data: f for f in lowering.module.ops if isinstance(f, func.FuncOp)}
    found: list[Kernel] = []
    for op in entry_of(lowering.module).walk():
        places = tuple(places_of(op.location))
        if isinstance(op, memref.CopyOp):
            found.append(Kernel("copy", ("memref.copy",), places, "main"))
        if not isinstance(op, func.CallOp):
            continue
        symbol = op.callee.string_value()
        kernel = functions[symbol]
        skipped = ("linalg.yield", "func.return", "arith.constant", "func.func")
        ops = tuple(o.name for o in kernel.walk() if o.name not in skipped)
        found.append(Kernel(symbol.rstrip("0123456789").rstrip("_"), ops, places, symbol))
    return found


@dataclass(eq=False)
class Executable:
    """A compiled program. `exe(*args)` calls it as the function that was traced is called.

    Results are fresh arrays of the caller's. Several threads may call it at once.
    """

    lowered: Lowered
    interface: Interface
    linked: Linked
    planned: dict[str, int]

    @property
    def trace(self) -> Trace:
        """What it was compiled from."""
        return self.lowered.trace

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on arguments of the traced types and shapes; others are an `ArgumentError`."""
        from lamina.api import Version

        names = [str(key) for key in self.trace.arguments.keys]
        leaves, structure = tree.flatten(dict(zip(names, args, strict=False)) | kwargs)
        version = Version(self, leaves)
        reason = version.why_not(leaves, structure)
        if reason is not None:
            raise ArgumentError(f"executable: expected what it was compiled for, found {reason}")
        return version.run(leaves)

    def run(self, feeds: dict[str, Any], outputs: Sequence[str] | None = None) -> list[NDArray]:
        """Run on arrays by input name ("x", "params/w1"); results by output name, as ndarrays.

        outputs: names of results, in the order wanted (default: all): dict keys, or "0", "1", ...
        """
        arrays: list[NDArray] = []
        for given, port in zip(self.trace.inputs, self.interface.arguments, strict=True):
            value = given.guard.read() if given.guard is not None else feeds.get(given.name)
            if value is None:
                raise ArgumentError(f"run: expected a feed named {given.name!r}, found none")
            array = np.asarray(value)
            if array.dtype != port.dtype or array.shape != given.shape:
                raise ArgumentError(
                    f"run: expected {port.dtype} of shape {given.shape} for {given.name!r}, "
                    f"found {array.dtype} of shape {array.shape}"
                )
            arrays.append(array)
        results = self.call(arrays)
        names = [path or "0" for path in tree.paths(self.trace.result_tree)]
        by_name: dict[str, NDArray] = {}
        for name, leaf in zip(names, self.trace.results, strict=True):
            by_name[name] = np.asarray(leaf.value) if leaf.index is None else results[leaf.index]
        for name in outputs or ():
            if name not in by_name:
                raise ArgumentError(
                    f"run: expected an output of {', '.join(by_name)}, found {name!r}"
                )
        return [by_name[name] for name in (outputs or by_name)]

    def call(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """`main` on arrays of the right types and shapes, any strides; all its results."""
        return call_linked(self.linked, self.interface, arrays, self.lowered.options.threads)

    def memory(self) -> Memory:
        """Bytes of a call: arena (with and without reuse), scratch, outputs, constants."""
        outputs = sum(
            int(np.prod(port.shape)) * port.dtype.itemsize for port in self.interface.results
        )
        return Memory(
            self.planned["arena"],
            self.planned["arena_without_reuse"],
            self.linked.scratch_bytes,
            max(0, outputs),
            sum(array.nbytes for array in self.trace.resources.values()),
        )

    def kernels(self) -> list[Kernel]:
        """Every native function that computes or fills a result, in the order of calls."""
        return self.lowered.kernels()


def call_linked(
    linked: Linked, interface: Interface, arrays: Sequence[NDArray], threads: int | None = None
) -> list[NDArray]:
    """Call linked code on arrays that fit its interface, any strides; fresh results."""
    ready = [
        contiguous(array, port.dtype)
        for array, port in zip(arrays, interface.arguments, strict=True)
    ]
    shapes = interface.result_shapes(ready)
    outs = [
        np.empty(shape, port.dtype) for shape, port in zip(shapes, interface.results, strict=True)
    ]
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
        raise_failure(*failure)
    return outs


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled function of a module. `resources` keeps alive what its code points to."""

    name: str
    interface: Interface
    linked: Linked
    resources: dict[str, NDArray]

    def __call__(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """The function's results. ArgumentError where the arrays do not fit."""
        ports = self.interface.arguments
        if len(arrays) != len(ports):
            raise ArgumentError(
                f"@{self.name}: expected {len(ports)} arguments, found {len(arrays)}"
            )
        for number, (array, port) in enumerate(zip(arrays, ports, strict=True)):
            fits = len(array.shape) == len(port.shape) and all(
                want in (-1, has) for want, has in zip(port.shape, array.shape, strict=True)
            )
            if array.dtype != port.dtype or not fits:
                raise ArgumentError(
                    f"@{self.name}: expected argument {number} of {port.dtype} and shape "
                    f"{port.shape}, found {array.dtype} of shape {array.shape}"
                )
        return call_linked(self.linked, self.interface, arrays)


def compile_module(
    module: ModuleOp,
    entry: str,
    options: CompileOptions | None = None,
    resources: dict[str, NDArray] | None = None,
) -> Program:
    """Compile a function of a module of any level. The module is lowered in place.

    Raises IRError for a module that cannot be run, and what lowering raises.
    """
    lowering = Lowering(module, level_of(module), options=options or CompileOptions())
    note_interface(entry_of(module, entry))
    interface_of(entry_of(module, entry))  # refuse what cannot be called before lowering it
    lowering.to("llvm")
    interface = interface_of(entry_of(module, entry))
    given = resources or {}
    linked = link(generate(lowering, entry), resource_symbols(given))
    return Program(entry, interface, linked, given)


def execute_module(
    module: ModuleOp,
    entry: str,
    arrays: Sequence[NDArray],
    options: CompileOptions | None = None,
    resources: dict[str, NDArray] | None = None,
) -> list[NDArray]:
    """Run a function of a module of any level natively. The module is lowered in place.

    Raises IRError or ArgumentError where the arrays do not fit, and what lowering raises.
    """
    return compile_module(module, entry, options, resources)(arrays)


def contiguous(array: NDArray, dtype: np.dtype[Any]) -> NDArray:
    """`array` in row-major order, aligned and native; itself when it is so already."""
    if array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative:
        return array
    return np.array(array, dtype, order="C", copy=True)


def raise_failure(status: int, error_id: int, index: int, bits: int) -> None:
    """Raise the error of a status that `main` returned."""
    if status == OUT_OF_MEMORY:
        raise ResourceError("call: expected memory for a temporary, found none left")
    if status == 1:
        raise DomainError(f"call: check {error_id} failed at index {index} (value bits {bits})")
    raise LoweringError(f"call: expected status 0 from compiled code, found {status}")
