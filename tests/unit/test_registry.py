"""One pass, one file, one lit file, one name (style.md rule 1); nothing shadows xDSL's names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from xdsl.dialects import get_all_dialects
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes

from lamina import pipeline, registry
from lamina.registry import XDSL_PASSES
from lamina.tools.passes import parse_passes

ROOT = Path(__file__).parents[2]
LIT = ROOT / "tests" / "lit"
PASS_ROOMS = ("transforms", "lowering")


def lit_file(name: str) -> Path:
    """Where the lit file of pass `name` must be."""
    room = registry.PASSES[name].split(":")[0].split(".")[1]
    return LIT / room / f"{name.replace('-', '_')}.mlir"


def pass_classes() -> list[tuple[str, str]]:
    """(module, class) of every pass class in the rooms of passes, found in the source."""
    found: list[tuple[str, str]] = []
    for room in PASS_ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            module = ".".join(("lamina", *file.relative_to(ROOT).with_suffix("").parts))
            for node in ast.parse(file.read_text()).body:
                bases = node.bases if isinstance(node, ast.ClassDef) else []
                if isinstance(node, ast.ClassDef) and any(
                    isinstance(base, ast.Name) and base.id == "ModulePass" for base in bases
                ):
                    found.append((module, node.name))
    return found


@pytest.mark.parametrize("name", sorted(registry.PASSES))
def test_pass_has_one_name(name: str) -> None:
    module, _, class_name = registry.PASSES[name].partition(":")
    room, *_, file = module.split(".")[1:]
    assert room in PASS_ROOMS
    assert file == name.replace("-", "_")
    assert class_name.lower() == f"{name.replace('-', '')}pass"  # LLVM keeps its capitals
    loaded = registry.pass_factory(name)()
    assert issubclass(loaded, ModulePass)
    assert loaded.name == name
    assert loaded.__doc__


@pytest.mark.parametrize("name", sorted(registry.PASSES))
def test_pass_has_a_lit_file_that_runs_it(name: str) -> None:
    text = lit_file(name).read_text()
    runs = re.findall(r"(?m)^// RUN: (.*)$", text)
    assert any(re.search(rf"-p [\"']?{name}\b(?!-)", run) for run in runs), runs


def test_every_pass_class_is_registered() -> None:
    registered = {tuple(path.split(":")) for path in registry.PASSES.values()}
    assert [found for found in pass_classes() if found not in registered] == []


def test_every_lit_file_of_a_pass_room_belongs_to_a_pass() -> None:
    files = [file for room in PASS_ROOMS for file in (LIT / room).glob("*.mlir")]
    owners = {lit_file(name) for name in registry.PASSES}
    assert sorted(file.name for file in files if file not in owners) == []


def test_names_differ_from_those_of_xdsl() -> None:
    """An equal name would make plain `xdsl-opt` refuse to start once ours are published."""
    assert registry.PASSES.keys() & get_all_passes().keys() == set()
    ours = {
        name for name, path in registry.DIALECTS.items() if path.startswith("lamina.")
    } - CORRECTED
    assert ours & get_all_dialects().keys() == set()


CORRECTED = {"arith", "builtin", "linalg", "llvm", "math", "memref", "scf", "vector"}
"""Dialects of xDSL that we replace under the same name; they are never published as plug-ins."""


@pytest.mark.parametrize("name", sorted(registry.DIALECTS))
def test_dialect_loads_under_its_name(name: str) -> None:
    assert registry.dialect_factory(name)().name == name


def test_names_that_are_taken_from_xdsl_exist() -> None:
    assert XDSL_PASSES.keys() <= get_all_passes().keys()


@pytest.mark.parametrize("name", sorted(pipeline.PIPELINES))
def test_pipeline_is_made_of_known_passes(name: str) -> None:
    assert isinstance(parse_passes(name), list)
