"""From a module of any level to native code: levels, named pipelines, objects, linking."""

from __future__ import annotations

import gc
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ComplexType,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import PassFailedException, VerifyException

from lamina import registry
from lamina.backend import cache as store
from lamina.backend.codegen import Job, compile_many
from lamina.backend.emit_llvm import emit_functions
from lamina.backend.host import target_for
from lamina.backend.threads import default_threads
from lamina.dialects.checks import NOTE, read_note
from lamina.dialects.foreign import CUSTOM_CALL, TEXT, read_text
from lamina.dialects.kernels import PARALLEL
from lamina.dialects.locations import place_of, places_of
from lamina.dialects.type_tests import is_tensor
from lamina.errors import IRError, LaminaError, LoweringError
from lamina.interface import entry_of, interface_of, port_of
from lamina.options import CompileOptions
from lamina.pipeline import LEVELS, STEPS, pipelines
from lamina.program import Check, Code, Text
from lamina.target import Target

NDArray = np.ndarray[Any, Any]


@contextmanager
def uncollected() -> Generator[None]:
    """Without the cycle collector: IR is millions of small objects that all stay alive, and
    going through them again and again takes a third of a large compilation."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@cache
def passes_of(name: str, options: CompileOptions, target: Target) -> tuple[ModulePass, ...]:
    """The passes of a named pipeline, for these options."""
    specs = [s for text in pipelines(options, target)[name] for s in parse_pipeline(text)]
    return tuple(registry.pass_factory(spec.name)().from_spec(spec) for spec in specs)


def level_of(module: ModuleOp) -> str:
    """The level of a module, from its ops and types.

    A module with nothing of a level is taken for the lowest one that it fits.
    """
    found = "loop"
    for op in module.walk():
        dialect = op.name.split(".")[0]
        if dialect == "nd":
            return "nd"
        if dialect == "llvm":
            return "llvm"
        if dialect == "tensor" or any(isinstance(r.type, TensorType) for r in op.results):
            found = "linalg"
        elif found == "loop" and (dialect == "linalg" or PARALLEL in op.attributes):
            found = "buffer"
    inputs = [
        t
        for f in module.ops
        if isinstance(f, func.FuncOp)
        for t in f.function_type.inputs
        if is_tensor(t)
    ]
    if any(isinstance(t.element_type, ComplexType) for t in inputs):
        return "nd"  # below, complex numbers are pairs of real ones
    return "linalg" if inputs and found == "loop" else found


@dataclass
class Lowering:
    """A module on its way down; it is changed in place.

    timings: seconds by pass name, summed over runs.
    """

    module: ModuleOp
    level: str
    context: Context = field(default_factory=registry.make_context)
    options: CompileOptions = field(default_factory=CompileOptions)
    timings: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def target(self) -> Target:
        """The machine that code is made for."""
        return target_for(self.options.cpu)

    def to(self, level: str) -> None:
        """Run the named pipelines down to `level`. Raises LaminaError with the op's place."""
        for step in LEVELS[LEVELS.index(self.level) + 1 : LEVELS.index(level) + 1]:
            with uncollected():
                for name in STEPS[step]:
                    for module_pass in self.passes(name):
                        self.run(module_pass)
            self.level = step
            if self.options.debug:
                self.module.verify()

    def to_kernels(self) -> None:
        """From `nd` to `linalg`, but for the last pass: ops have their kernels' numbers, and are
        not outlined."""
        steps = [p for name in STEPS["linalg"] for p in self.passes(name)]
        with uncollected():
            for module_pass in steps[:-1]:
                self.run(module_pass)

    def passes(self, name: str) -> tuple[ModulePass, ...]:
        """The passes of a named pipeline."""
        return passes_of(name, self.options, self.target)

    def run(self, module_pass: ModulePass) -> None:
        """Run one pass."""
        start = time.perf_counter()
        try:
            module_pass.apply(self.context, self.module)
        except LaminaError:
            raise
        except (PassFailedException, VerifyException) as error:
            raise LoweringError(
                f"{module_pass.name}: {error}", place=place_of(self.module.location)
            ) from error
        except RecursionError as error:
            raise LoweringError(
                f"{module_pass.name}: expected less nesting, found more than Python's stack holds",
                place=place_of(self.module.location),
            ) from error
        spent = time.perf_counter() - start
        self.timings[module_pass.name] = self.timings.get(module_pass.name, 0.0) + spent


def generate(lowering: Lowering, entry: str = "main") -> Code:
    """The objects of a module of level llvm; kernels that the disk cache has are not compiled."""
    start = time.perf_counter()
    texts = emit_functions(lowering.module)
    lowering.timings["emit-llvm"] = time.perf_counter() - start
    start = time.perf_counter()
    target = lowering.target
    disk = store.Cache(store.default_folder()) if lowering.options.cache else None
    objects: dict[str, bytes] = {}
    missing: list[str] = []
    for symbol, text in texts.items():
        found = disk.get("kernel", store.kernel_key(text, target)) if disk else None
        if found is None:
            missing.append(symbol)
        else:
            objects[symbol] = found
    jobs = [Job(texts[symbol], target) for symbol in missing]
    for symbol, data in zip(missing, compile_many(jobs, default_threads()), strict=True):
        objects[symbol] = data
        if disk:
            disk.put("kernel", store.kernel_key(texts[symbol], target), data)
    lowering.timings["codegen"] = time.perf_counter() - start
    function = entry_of(lowering.module, entry)
    module = lowering.module
    notes = checks_of(module), texts_of(module), functions_of(module)
    return Code(objects, interface_of(function), entry, memory_note(function), *notes)


def checks_of(module: ModuleOp) -> dict[int, Check]:
    """The run-time checks of a module of level llvm, by number.

    Raises IRError for a note that does not fit, or two checks of one number.
    """
    found: dict[int, Check] = {}
    for op in module.walk():
        if NOTE not in op.attributes:
            continue
        place, note = place_of(op.location), read_note(op.attributes[NOTE])
        number = _number_of(op)
        if note is None or number is None:
            raise IRError(
                f"{NOTE}: expected the number of a check, and an error class and a message as "
                f'{{error = "DomainError", message = "found {{}}"}}, found {op.attributes[NOTE]}',
                place=place,
            )
        check = Check(*note, place, tuple(places_of(op.location, columns=True)[1:]))
        if found.setdefault(number, check) != check:
            raise IRError(
                f"{NOTE}: expected checks of different numbers, found {number} again",
                place=place,
            )
    return found


def _number_of(op: Operation) -> int | None:
    """The constant that is stored where a note stands."""
    owner = op.operands[0].owner if op.operands else None
    value = owner.properties.get("value") if isinstance(owner, Operation) else None
    return cast("IntegerAttr[Any]", value).value.data if isinstance(value, IntegerAttr) else None


def texts_of(module: ModuleOp) -> dict[int, Text]:
    """What a module of level llvm prints and raises, by number.

    Raises IRError for a note that does not fit, or two texts of one number.
    """
    found: dict[int, Text] = {}
    for op in module.walk():
        if TEXT not in op.attributes:
            continue
        place, note, number = place_of(op.location), read_text(op.attributes[TEXT]), _number_of(op)
        if note is None or number is None or number in found:
            raise IRError(
                f"{TEXT}: expected a number of its own, and a format with its types as "
                f'{{format = "found {{}}", types = [tensor<f32>]}}, found {op.attributes[TEXT]}',
                place=place,
            )
        found[number] = Text(note.format, tuple(map(port_of, note.types)), note.error, place)
    return found


def functions_of(module: ModuleOp) -> dict[str, str | None]:
    """The C functions that a module of level llvm calls, with the place of a call."""
    found: dict[str, str | None] = {}
    for op in module.ops:
        name = op.properties.get("sym_name")
        if op.name == "llvm.mlir.global" and isinstance(name, StringAttr):
            prefix, _, symbol = name.data.partition(f"{CUSTOM_CALL}_")
            if symbol and not prefix:
                found[symbol] = place_of(op.location)
    return found


def memory_note(function: Operation) -> dict[str, int]:
    """What `plan-memory` noted: bytes of the arena with and without reuse."""
    note = function.attributes.get("lamina.memory")
    if not isinstance(note, DictionaryAttr):
        return {"arena": 0, "arena_without_reuse": 0}
    return {k: cast("IntegerAttr[Any]", v).value.data for k, v in note.data.items()}
