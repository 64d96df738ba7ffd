"""A pass that does nothing turns its lit file red: no lit file is green whatever the pass does."""

from __future__ import annotations

from pathlib import Path

import pytest
from lit_runs import LIT, passes_lit
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lamina import registry


def do_nothing(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
    """Stands in for a pass's `apply`."""


def lit_file(name: str) -> Path:
    room = registry.PASSES[name].split(":")[0].split(".")[1]
    return LIT / room / f"{name.replace('-', '_')}.mlir"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(registry.PASSES))
def test_lit_file_goes_red_without_the_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert passes_lit(lit_file(name)), "red already with the pass"
    monkeypatch.setattr(registry.pass_factory(name)(), "apply", do_nothing)
    assert not passes_lit(lit_file(name))


EMPTY_CHECKS = """\
// RUN: %opt %s -p cse | %check
// CHECK: func.func @f
func.func @f() {
  func.return
}
"""
REAL_CHECKS = """\
// RUN: %opt %s -p cse | %check
// CHECK-COUNT-1: arith.addi
// CHECK-NOT: arith.addi
func.func @f(%x: i32) -> (i32, i32) {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  func.return %a, %b : i32, i32
}
"""


@pytest.mark.parametrize(("text", "is_red"), [(EMPTY_CHECKS, False), (REAL_CHECKS, True)])
def test_red_is_told_from_green(
    text: str, is_red: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

    file = tmp_path / "cse.mlir"
    file.write_text(text)
    assert passes_lit(file)
    monkeypatch.setattr(CommonSubexpressionElimination, "apply", do_nothing)
    assert passes_lit(file) != is_red
