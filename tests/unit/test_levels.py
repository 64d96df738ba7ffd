"""Every level is a whole program: its text goes on from there, and computes the same bits."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from level_programs import NAMES, NDArray, Program, program
from lit_runs import run_opt
from upstream import MLIR_OPT, complaints

from lamina.compiler import Lowering
from lamina.executable import execute_module
from lamina.ir_text import parse_module, print_module
from lamina.pipeline import LEVELS, STEPS
from lamina.registry import make_context


def texts(given: Program) -> dict[str, str]:
    """The text of each level."""
    if given.lowered is not None:
        return {level: given.lowered.ir(level) for level in LEVELS}
    lowering = Lowering(parse_module(make_context(), given.text, f"{given.name}.mlir"), "nd")
    found: dict[str, str] = {}
    for level in LEVELS:
        lowering.to(level)
        found[level] = print_module(lowering.module)
    return found


def bits(array: NDArray) -> tuple[str, tuple[int, ...], bytes]:
    """What two equal results have in common."""
    return (str(array.dtype), array.shape, np.ascontiguousarray(array).tobytes())


@pytest.mark.parametrize("name", NAMES)
def test_next_level_is_what_the_tool_makes_of_the_text(name: str, tmp_path: Path) -> None:
    found = texts(program(name))
    for level, following in pairwise(LEVELS):
        file = tmp_path / f"{name}_{level}.mlir"
        file.write_text(found[level])
        result = run_opt([str(file), "-p", ",".join(STEPS[following])])
        assert result.status == 0, result.err
        assert result.out == found[following], f"{level} -> {following}"


@pytest.mark.parametrize("name", NAMES)
def test_text_of_each_level_gives_the_bits_of_the_call(name: str) -> None:
    given = program(name)
    expected = [bits(array) for array in given.call()]
    for level, text in texts(given).items():
        module = parse_module(make_context(), text, f"{name}_{level}.mlir")
        results = execute_module(module, "main", given.arrays)
        assert [bits(array) for array in results] == expected, level


@pytest.mark.skipif(MLIR_OPT is None, reason="upstream's tools are not installed")
@pytest.mark.parametrize("name", NAMES)
def test_upstream_accepts_every_level_below_nd(name: str) -> None:
    found = texts(program(name))
    said = {level: complaints(text) for level, text in found.items() if level != "nd"}
    assert said == dict.fromkeys(LEVELS[1:], "")
