"""Every output of a pass's lit file below `nd` is accepted by upstream's `mlir-opt`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lit_runs import LIT, run_lines, run_opt
from upstream import MLIR_OPT, complaints

from lamina.tools.opt import split_chunks

ND_OP = re.compile(r"^\s*(?:%[^=]*= )?\"?nd\.", re.MULTILINE)
SEPARATOR = "// -----\n"

pytestmark = pytest.mark.skipif(MLIR_OPT is None, reason="upstream's tools are not installed")


def below_nd(file: Path) -> list[str]:
    """The modules that the RUN lines of `file` print, without those that still hold `nd` ops."""
    outputs: list[str] = []
    for commands in run_lines(file):
        tool, *words = commands[0].words
        if tool == "%opt" and not {"-t", "--list-passes"} & set(words):
            outputs += [chunk.text for chunk in split_chunks(run_opt(words).out)]
    return [text for text in outputs if text.strip() and not ND_OP.search(text)]


@pytest.mark.slow
@pytest.mark.parametrize("room", ["lowering", "transforms"])
def test_upstream_accepts_what_the_passes_print(room: str) -> None:
    modules = [
        f"// from {file.name}\n{text}"
        for file in sorted((LIT / room).glob("*.mlir"))
        for text in below_nd(file)
    ]
    if not complaints(SEPARATOR.join(modules)):
        return
    found = [f"{text}\n{said}" for text in modules if (said := complaints(text))]
    pytest.fail("\n\n".join(found[:5]) + f"\n{len(found)} of {len(modules)} modules are refused")


def test_upstream_refuses_a_wrong_module() -> None:
    wrong = "func.func @f(%x: i32) -> i64 {\n  func.return %x : i32\n}\n"
    assert "error" in complaints(f"func.func private @g()\n{SEPARATOR}{wrong}")
