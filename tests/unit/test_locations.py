"""No pass loses a source location: programs with places keep one on every op, on every level."""

from __future__ import annotations

from pathlib import Path

import pytest
from level_programs import NAMES, program
from lit_runs import LIT, run_lines
from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp
from xdsl.utils.exceptions import PassFailedException, VerifyException

from lamina.compiler import Lowering
from lamina.errors import LaminaError
from lamina.ir_text import parse_module
from lamina.pipeline import LEVELS, STEPS, pipelines
from lamina.registry import PASSES, make_context
from lamina.tools.opt import split_chunks
from lamina.tools.passes import parse_passes


def unknown(module: ModuleOp) -> list[str]:
    """The ops without a location."""
    return [op.name for op in module.walk() if op.location == UNKNOWN_LOC]


@pytest.mark.parametrize("name", NAMES)
def test_programs_keep_their_places(name: str) -> None:
    given = program(name)
    if given.lowered is not None:
        module = given.lowered.trace.module.clone()
    else:
        module = parse_module(make_context(), given.text, f"{name}.mlir")
    lowering = Lowering(module, "nd")
    assert unknown(lowering.module) == []
    for level in LEVELS[1:]:
        for pipeline in STEPS[level]:
            for text in pipelines(lowering.options, lowering.target)[pipeline]:
                for step in parse_passes(text):
                    lowering.run(step.module_pass)
                    assert unknown(lowering.module) == [], step.module_pass.name


def chunks() -> list[tuple[str, Path]]:
    """Every pass with its lit file."""
    found: list[tuple[str, Path]] = []
    for name, path in sorted(PASSES.items()):
        file = LIT / path.split(":")[0].split(".")[1] / f"{name.replace('-', '_')}.mlir"
        found.append((name, file))
    return found


@pytest.mark.parametrize(("name", "file"), chunks(), ids=[name for name, _ in chunks()])
def test_passes_give_every_op_a_place(name: str, file: Path) -> None:
    text = file.read_text()
    for commands in run_lines(file):
        words = commands[0].words
        specs = [words[i + 1] for i, word in enumerate(words) if word == "-p"]
        for chunk in split_chunks(text):
            module = parse_module(
                make_context(), chunk.text, file.name, first_line=chunk.first_line
            )
            try:
                for step in parse_passes(specs[0] if specs else ""):
                    step.module_pass.apply(make_context(), module)
            except (LaminaError, PassFailedException, VerifyException):
                continue  # a chunk that is refused
            assert unknown(module) == [], f"{name} on the chunk of line {chunk.first_line}"


def test_kernels_name_the_lines_of_their_ops() -> None:
    """A fused kernel has the places of all that it computes."""
    given = program("layer_norm")
    assert given.lowered is not None
    (kernel,) = given.lowered.kernels()
    lines = {place.rpartition("/")[2] for place in kernel.locations}
    assert any(line.startswith("level_programs.py:") for line in lines), lines


def test_unknown_places_are_found() -> None:
    module = parse_module(make_context(), "func.func private @f()\n", "f.mlir")
    assert unknown(module) == []
    next(iter(module.ops)).location = UNKNOWN_LOC
    assert unknown(module) == ["func.func"]
