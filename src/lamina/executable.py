"""A lowered program, and a compiled one: what `jit` makes, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from lamina.backend import cache as store
from lamina.backend.host import runs_here, target_for
from lamina.call_sizes import fits, why_not
from lamina.dialects.locations import place_of
from lamina.errors import ArgumentError, CompileError
from lamina.frontend import tree
from lamina.ir_text import print_module
from lamina.options import CompileOptions
from lamina.pipeline import LEVELS
from lamina.program import Code, Interface, Linked, NDArray, call_linked, link
from lamina.version import Version

if TYPE_CHECKING:
    from lamina.compiler import Lowering
    from lamina.frontend.trace import Trace
    from lamina.target import Target


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
        self._kernels: list[Kernel] | None = None
        self._text: str | None = None
        self.stored = False  # whether the disk cache had the code

    def lowering(self, level: str) -> Lowering:
        """A fresh copy of the program on a level."""
        if level not in LEVELS:
            raise ArgumentError(
                f"ir: expected a level of {', '.join(LEVELS)}, llvm-ir or asm, found {level!r}"
            )
        from lamina.compiler import Lowering

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
        """The kernels in the order of their calls: symbol, ops, user's lines; what each reads and
        writes; and why it is not one with the kernels whose results it reads. Copies come last."""
        from lamina.graph import graph_of

        lines = [graph_of(self.lowering("nd"))]
        copies = (k for k in self.kernels() if k.symbol == "main")
        lines += [f"{k.name}: {' '.join(k.ops)}  [{', '.join(k.locations)}]" for k in copies]
        return "\n".join(line for line in lines if line)

    def timings(self) -> dict[str, float]:
        """Seconds spent so far, by pass."""
        return dict(self._timings)

    def kernels(self) -> list[Kernel]:
        """The kernels, in the order of their calls."""
        if self._kernels is None:
            self._kernels = kernels_of(self.lowering("buffer"))
        return list(self._kernels)

    def compile(self) -> Executable:
        """Native code, from the disk cache where it has it.

        Raises CompileError where the code would not run on this machine.
        """
        target = target_for(self.options.cpu)
        if (reason := runs_here(target)) is not None:
            raise CompileError(f'compile: cpu="{self.options.cpu}" does not run here: {reason}')
        disk = store.Cache(store.default_folder()) if self.options.cache else None
        key = self.key(target)
        stored = disk.get("program", key) if disk else None
        module = self.trace.module
        if stored is not None:
            code = Code.from_bytes(stored)
        else:
            from lamina.compiler import generate

            code = generate(self.lowering("llvm"))
            if _has_places(code):
                _number_places(code, _places(module))
            if disk:
                disk.put("program", key, code.to_bytes())
        if _has_places(code):
            _show_lines(code, _places(module))
        self.stored = stored is not None
        return Executable(self, code, link(code, resource_symbols(self.trace.resources)))

    def key(self, target: Target) -> str:
        """The program's name in the disk cache: what its code depends on, not its locations."""
        digests = [f"{name} {array.dtype}" for name, array in self.trace.resources.items()]
        if self._text is None:
            self._text = print_module(self.trace.module)
        return store.program_key(self._text, self.options, target, digests)


def _has_places(code: Code) -> bool:
    """Whether errors of the program have places."""
    return bool(code.checks or code.texts or code.functions)


def _places(module: ModuleOp) -> list[str]:
    """The places of a traced program: any op may have got a check."""
    return [place_of(op.location) or "" for op in module.walk()]


def _number_places(code: Code, places: Sequence[str]) -> None:
    """Name each place by its number in the traced program, where it is of it: the program in the
    cache may be that of other lines."""

    numbers = {place: str(number) for number, place in reversed(list(enumerate(places)))}

    def number(place: str | None) -> str | None:
        return place if place is None else numbers.get(place, place)

    _rename(code, number)


def _show_lines(code: Code, places: Sequence[str]) -> None:
    """The inverse; the places are `file:line`, as in the errors of eager code."""

    def line(place: str | None) -> str | None:
        if place is None or not place.isdigit():
            return place
        return places[int(place)].rpartition(":")[0]

    _rename(code, line)


def _rename(code: Code, name: Callable[[str | None], str | None]) -> None:
    """Give each place of a program's errors another name."""
    for number, check in code.checks.items():
        others = tuple(map(name, check.others))
        code.checks[number] = replace(check, place=name(check.place), others=others)
    for number, text in code.texts.items():
        code.texts[number] = replace(text, place=name(text.place))
    for symbol, place in code.functions.items():
        code.functions[symbol] = name(place)


def resource_symbols(resources: dict[str, NDArray]) -> dict[str, int]:
    """Where compiled code finds large constants."""
    return {name: array.ctypes.data for name, array in resources.items()}


def kernels_of(lowering: Lowering) -> list[Kernel]:
    """The kernels of a module of level buffer."""
    from xdsl.dialects import func

    from lamina.dialects import memref
    from lamina.dialects.checks import is_check
    from lamina.dialects.foreign import is_foreign, symbol_of
    from lamina.dialects.locations import places_of
    from lamina.graph import scalar_ops
    from lamina.interface import entry_of

    functions = {f.sym_name.data: f for f in lowering.module.ops if isinstance(f, func.FuncOp)}
    found: list[Kernel] = []
    for op in entry_of(lowering.module).walk():
        places = tuple(places_of(op.location))
        if isinstance(op, memref.CopyOp | memref.StoreOp):
            found.append(Kernel(op.name.split(".")[1], (op.name,), places, "main"))
        if not isinstance(op, func.CallOp) or is_check(op):
            continue
        symbol = op.callee.string_value()
        if is_foreign(op):
            if (name := symbol_of(op)) is not None:
                found.append(Kernel(name, ("nd.custom_call",), places, name))
            continue
        kernel = functions[symbol]
        ops = scalar_ops(kernel)
        found.append(Kernel(symbol.rstrip("0123456789").rstrip("_"), ops, places, symbol))
    return found


@dataclass(eq=False)
class Executable:
    """A compiled program. `exe(*args)` calls it as the function that was traced is called.

    Results are fresh arrays of the caller's. Several threads may call it at once.
    """

    lowered: Lowered
    code: Code
    linked: Linked

    @property
    def interface(self) -> Interface:
        """What `main` takes and gives."""
        return self.code.interface

    @property
    def trace(self) -> Trace:
        """What it was compiled from."""
        return self.lowered.trace

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on arguments of the traced types and shapes; others are an `ArgumentError`."""
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
            if array.dtype != port.dtype or not fits(array.shape, given.shape):
                raise ArgumentError(
                    f"run: expected {port.dtype} of shape {given.shape} for {given.name!r}, "
                    f"found {array.dtype} of shape {array.shape}"
                )
            arrays.append(array)
        if (reason := why_not(self.trace, arrays)) is not None:
            raise ArgumentError(f"run: expected sizes that it was compiled for, found {reason}")
        for number in self.interface.donors.values():  # what is fed stays the caller's
            arrays[number] = arrays[number].copy()
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
        """`main` on arrays of the right types and shapes, any strides; all its results, those with
        a donor in its memory."""
        return call_linked(self.linked, self.interface, arrays, self.lowered.options.threads)

    def memory(self) -> Memory:
        """Bytes of a call: arena (with and without reuse), scratch, outputs, constants."""
        outputs = sum(
            int(np.prod(port.shape)) * port.dtype.itemsize
            for number, port in enumerate(self.interface.results)
            if number not in self.interface.donors
        )
        return Memory(
            self.code.memory["arena"],
            self.code.memory["arena_without_reuse"],
            self.linked.scratch_bytes,
            max(0, outputs),
            sum(array.nbytes for array in self.trace.resources.values()),
        )

    def kernels(self) -> list[Kernel]:
        """Every native function that computes or fills a result, in the order of calls."""
        return self.lowered.kernels()


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
        given = list(arrays)
        for number in self.interface.donors.values():  # what is given stays the caller's
            given[number] = given[number].copy()
        return call_linked(self.linked, self.interface, given)


def compile_module(
    module: ModuleOp,
    entry: str,
    options: CompileOptions | None = None,
    resources: dict[str, NDArray] | None = None,
) -> Program:
    """Compile a function of a module of any level. The module is lowered in place.

    Raises IRError for a module that cannot be run, and what lowering raises.
    """
    from lamina.compiler import Lowering, generate, level_of
    from lamina.interface import check_resources, entry_of, interface_of, note_interface
    from lamina.verify import verify_module

    lowering = Lowering(module, level_of(module), options=options or CompileOptions())
    note_interface(entry_of(module, entry))
    interface_of(entry_of(module, entry))  # refuse what cannot be called before lowering it
    given = resources or {}
    check_resources(module, given)
    for level in LEVELS[LEVELS.index(lowering.level) + 1 :]:
        lowering.to(level)
        verify_module(module)  # text may hold what no pass of ours has made
    code = generate(lowering, entry)
    linked = link(code, resource_symbols(given))
    return Program(entry, code.interface, linked, given)


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
