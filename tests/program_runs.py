"""Drawn programs compiled in every way, and compared with the interpreter.

failures = check(draw(7))          messages, empty when all agree
print(report(program, failures))   the text, and the commands that show it
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
from program_bounds import Bound
from programs import Program
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from lamina.compiler import Lowering
from lamina.errors import LaminaError
from lamina.executable import Program as Compiled
from lamina.executable import compile_module
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import Array, is_float
from lamina.ir_text import parse_module, print_module
from lamina.options import CompileOptions
from lamina.pipeline import LEVELS
from lamina.program import call_linked
from lamina.registry import make_context
from lamina.verify import verify_module

CPUS = ("x86-64-v3", "x86-64-v2")
"""Targets besides the host: with FMA and 256-bit vectors, and with neither."""


@cache
def context() -> Context:
    """One context for all texts."""
    return make_context()


@dataclass
class Runs:
    """What the variants of a program gave and printed; `failures`: what went wrong, in words."""

    results: dict[str, list[Array]] = field(default_factory=dict[str, "list[Array]"])
    printed: dict[str, str] = field(default_factory=dict[str, str])
    failures: list[str] = field(default_factory=list[str])


def compiled(
    module: ModuleOp,
    options: CompileOptions,
    texts: dict[str, str] | None = None,
    levels: Sequence[str] = LEVELS,
) -> Compiled:
    """A module of level nd compiled; its text on `levels` is kept in `texts`."""
    lowering = Lowering(module, "nd", options=options)
    for level in LEVELS:
        lowering.to(level)
        if texts is not None and level in levels:
            texts[level] = print_module(lowering.module)
    return compile_module(lowering.module, "main", options)


def from_text(text: str) -> Compiled:
    """A program compiled from its text on some level."""
    module = parse_module(context(), text)
    verify_module(module)
    return compile_module(module, "main")


def run(
    program: Program,
    levels: Sequence[str] = LEVELS,
    fusions: Sequence[int] = (2, 0),
    cpus: Sequence[str] = CPUS,
) -> Runs:
    """All variants: fusion levels, threads 1 and 2, the text of `levels` and other targets (of
    fusion 2)."""
    runs, texts = Runs(), dict[str, str]()
    before = [x.tobytes() for x in program.inputs]

    def attempt(name: str, make: Callable[[], Compiled], threads: Sequence[int]) -> None:
        try:
            done = make()
            for count in threads:
                variant = f"{name}, threads {count}"
                with redirect_stdout(StringIO()) as printed:
                    runs.results[variant] = call_linked(
                        done.linked, done.interface, program.inputs, count
                    )
                runs.printed[variant] = printed.getvalue()
        except LaminaError as error:
            runs.failures.append(f"{name}: {type(error).__name__}: {error}")
        except Exception as error:
            runs.failures.append(f"{name}: crashed: {type(error).__name__}: {error}")

    for fusion in fusions:
        keep = texts if fusion == 2 else None
        attempt(
            f"fusion {fusion}",
            lambda fusion=fusion, keep=keep: compiled(
                program.module.clone(), CompileOptions(fusion=fusion), keep, levels
            ),
            (1, 2),
        )
    for cpu in cpus:
        attempt(
            f"cpu {cpu}",
            lambda cpu=cpu: compiled(program.module.clone(), CompileOptions(cpu=cpu)),
            (1, 2),
        )
    for level in levels:
        if level in texts:
            attempt(f"text of {level}", lambda level=level: from_text(texts[level]), (2,))
    if [x.tobytes() for x in program.inputs] != before:
        runs.failures.append("an input was written")
    return runs


def check(
    program: Program,
    levels: Sequence[str] = LEVELS,
    fusions: Sequence[int] = (2, 0),
    cpus: Sequence[str] = CPUS,
) -> list[str]:
    """What is wrong: variants that fail, differ from the interpreter, or from another variant for
    the same target (sums of products depend on that)."""
    with redirect_stdout(StringIO()) as printed:
        oracle = evaluate(program.module, "main", program.inputs)
    runs = run(program, levels, fusions, cpus)
    failures = list(runs.failures)
    for name, text in runs.printed.items():
        if unsigned(text) != unsigned(printed.getvalue()):
            failures.append(f"{name}: expected to print\n{printed.getvalue()}found\n{text}")
    for number, (want, (drawn, bound)) in enumerate(zip(oracle, program.outputs, strict=True)):
        if difference(want, drawn, None):
            failures.append(f"result {number}: the interpreter disagrees with the drawing")
        first: dict[str, tuple[str, Array]] = {}
        for name, results in runs.results.items():
            got = results[number]
            wrong = difference(want, got, bound)
            if wrong:
                failures.append(f"result {number}, {name}: {wrong}")
            target = name.split(",")[0] if name.startswith("cpu") else "host"
            other, expected = first.setdefault(target, (name, got))
            if not same_bits(expected, got):
                what = difference(expected, got, None)
                failures.append(f"result {number}: {name} differs from {other}: {what}")
    return failures


def unsigned(text: str) -> str:
    """A text without the signs of NaN, which nothing specifies."""
    return re.sub(r" *[-+ ]nan", " nan", text)


def same_bits(a: Array, b: Array) -> bool:
    """Whether two arrays have equal bits, NaN being equal to NaN."""
    return a.dtype == b.dtype and a.shape == b.shape and not difference(a, b, None)


def difference(want: Array, got: Array, bound: Bound | None) -> str:
    """Where `got` is not `want`, in words; empty when it is (within the bound)."""
    if want.dtype != got.dtype or want.shape != got.shape:
        return f"expected {want.dtype} {want.shape}, found {got.dtype} {got.shape}"
    if not want.size:
        return ""
    if want.dtype.kind == "c":
        part = f"f{want.dtype.itemsize // 2}"
        want, got = (np.array(x, order="C").reshape(-1).view(part) for x in (want, got))
    view = f"u{want.dtype.itemsize}"
    wrong = np.array(want).view(view) != np.array(got).view(view)
    if is_float(want.dtype):
        with np.errstate(all="ignore"):
            x, y = want.astype(np.float64), got.astype(np.float64)
            wrong &= ~(np.isnan(x) & np.isnan(y))
            if bound is not None:
                wrong &= ~((np.abs(x - y) <= bound) | (x == y) | np.isposinf(bound))
    if not wrong.any():
        return ""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    limit = "" if bound is None else f" (bound {bound[place]:.3g})"
    return (
        f"{int(wrong.sum())} of {want.size} elements, first at {list(place)}: "
        f"expected {want[place]!r}, found {got[place]!r}{limit}"
    )


def report(program: Program, failures: Sequence[str]) -> str:
    """What failed, the program, and how to see it again (files are written to a new folder)."""
    folder = Path(tempfile.mkdtemp(prefix=f"lamina-program-{program.seed}-"))
    text = print_module(program.module)
    (folder / "program.mlir").write_text(text)
    names: list[str] = []
    for number, array in enumerate(program.inputs):
        names.append(f"{folder}/{number}.npy")
        np.save(names[-1], np.array(array, order="C"))
    command = f"lamina-run {folder}/program.mlir --args {' '.join(names)}"
    return "\n".join(
        [
            f"program {program.seed} (inputs: {', '.join(program.layouts) or 'none'})",
            *failures[:12],
            text,
            f"compiled:    {command}",
            f"interpreted: {command} --interpret",
            f"lowered:     lamina-opt -p nd-to-linalg,fuse-kernels {folder}/program.mlir",
        ]
    )
