"""Every error message of the compiler is in a test (style.md rule 10), every op in a lit file.

A message is a string of a room's source that says `expected ...`. Its longest fixed piece must
stand in a test; `expected-error` comments and `pytest.raises` are then what makes it fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from xdsl.ir import Operation

from lamina import registry

ROOT = Path(__file__).parents[2]
ROOMS = ("dialects", "transforms", "lowering")
SHORTEST = 8
"""Shorter pieces ("expected ") say nothing; such a message counts as tested."""


@cache
def text_of_tests() -> str:
    """The text of all tests, white space as one blank."""
    files = [*(ROOT / "tests").rglob("*.mlir"), *(ROOT / "tests").rglob("*.py")]
    return " ".join(
        " ".join(file.read_text() for file in files if "Output" not in file.parts).split()
    )


def fixed_pieces(node: ast.Constant | ast.JoinedStr) -> list[str]:
    """The parts of a string or f-string that do not depend on values."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return [
        part.value
        for part in parts
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def messages(source: str) -> Iterator[tuple[int, str]]:
    """(line, longest fixed piece) of every message in `source`."""
    tree = ast.parse(source)
    inner = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inner:
            pieces = fixed_pieces(node)
            before, _, after = "\0".join(pieces).partition("expected ")
            if after or before.endswith("expected"):
                said = re.split(r"\0|\bfound\b|\bexpected\b", after)
                yield node.lineno, max((" ".join(p.split()).strip(" ,:;") for p in said), key=len)


@pytest.mark.parametrize("room", ROOMS)
def test_every_message_is_in_a_test(room: str) -> None:
    untested = [
        f"{file.relative_to(ROOT)}:{line}: {piece}"
        for file in sorted((ROOT / room).rglob("*.py"))
        for line, piece in messages(file.read_text())
        if len(piece) >= SHORTEST and piece not in text_of_tests()
    ]
    assert untested == []


def test_messages_are_found() -> None:
    source = '"""expected doc"""\nraise E(f"{op}: expected a ranked tensor, found {type}")\n'
    assert list(messages(source)) == [(2, "a ranked tensor")]


def nd_ops() -> list[type[Operation]]:
    return list(registry.dialect_factory("nd")().operations)


@pytest.mark.parametrize("name", [op.name for op in nd_ops()])
def test_nd_op_is_in_a_lit_file_of_the_dialect(name: str) -> None:
    files = (ROOT / "tests" / "lit" / "dialects").rglob("nd*.mlir")
    assert any(re.search(rf"\b{re.escape(name)}\b", file.read_text()) for file in files)


SHAPES = {
    "rank 0": r"(tensor|memref)<(?:[a-z]|!)",
    "size 0": r"(tensor|memref)<(?:[\d?]+x)*0x",
    "size 1": r"(tensor|memref)<(?:[\d?]+x)*1x",
    "?": r"(tensor|memref)<(?:[\d?]+x)*\?x",
}
SHAPELESS = {
    "convert-to-llvm": "sizes are 64-bit values by then",
    "expand-float-casts": "works on scalars and vectors",
    "expand-math": "works on scalars and vectors",
    "insert-polls": "looks at loops only",
    "outline-parallel": "captures values of any type as they are",
}
"""Passes for which a shape is nothing special, and why."""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", sorted(registry.PASSES.keys() - SHAPELESS.keys()))
def test_lit_file_of_a_pass_has_the_boundary_shapes(name: str, shape: str) -> None:
    room = registry.PASSES[name].split(":")[0].split(".")[1]
    text = (ROOT / "tests" / "lit" / room / f"{name.replace('-', '_')}.mlir").read_text()
    assert re.search(SHAPES[shape], text)
