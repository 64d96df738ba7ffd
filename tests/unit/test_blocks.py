"""Sorting a block: definitions first, checks in their order, and no end of it for a cycle."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from lamina.errors import LoweringError
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.transforms.blocks import sort_block

TEXT = """
func.func private @lamina_check(i1, i64, i64, i64)
func.func @main(%a: i1, %n: index, %z: i64) {
  %one = arith.constant 1 : index
  %x = arith.addi %z, %z : i64
  %p = arith.cmpi eq, %x, %z : i64
  func.call @lamina_check(%p, %z, %z, %z) : (i1, i64, i64, i64) -> ()
  %s = scf.for %i = %one to %n step %one iter_args(%c = %z) -> (i64) {
    func.call @lamina_check(%a, %z, %z, %z) : (i1, i64, i64, i64) -> ()
    scf.yield %c : i64
  }
  %y = arith.addi %s, %s : i64
  func.return
}
"""


def ops_of(text: str) -> list[Operation]:
    """The ops of @main."""
    main = next(f for f in parse_module(make_context(), text, "f.mlir").ops if f.regions[0].blocks)
    assert isinstance(main, FuncOp)
    return list(main.body.block.ops)


def test_a_reader_pulls_what_it_needs_and_the_checks_before_that() -> None:
    one, x, p, check, loop, y, last = ops_of(TEXT)
    block = one.parent
    assert block is not None
    sort_block(block, [y, one, x, p, check, loop, last])
    order = list(block.ops)
    assert order[-2:] == [y, last] and set(order) == {one, x, p, check, loop, y, last}
    assert order.index(p) < order.index(check) < order.index(loop)


def test_a_cycle_is_refused() -> None:
    """The first check reads what comes after the loop, and the loop has the second check."""
    ops = ops_of(TEXT)
    _, x, _, check, _, y, _ = ops
    x.operands = [y.results[0], y.results[0]]
    block = check.parent
    assert block is not None
    with pytest.raises(
        LoweringError, match="expected ops that can be put in order, found a cycle"
    ) as caught:
        sort_block(block, ops)
    assert caught.value.place is not None and caught.value.place.startswith("f.mlir:")
