"""`nd-to-linalg` meets an op that it has no rule for: one that somebody else defined."""

from __future__ import annotations

from typing import ClassVar

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, TensorType, f32
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from lamina.dialects.nd import Nd
from lamina.dialects.nd.base import SAME, NdOp
from lamina.errors import LoweringError
from lamina.lowering.nd_to_linalg import RULES, NdToLinalgPass
from lamina.registry import make_context


@irdl_op_definition
class TwiceOp(NdOp):
    """An op of somebody else's."""

    name = "nd.twice"
    FAMILY: ClassVar[str] = "an nd"
    operand = operand_def(SAME)
    result = result_def(SAME)


def test_op_without_a_rule_is_refused_with_its_place() -> None:
    type = TensorType(f32, [4])
    function = func.FuncOp("main", ((type,), (type,)))
    twice = TwiceOp.create(operands=[function.args[0]], result_types=[type])
    twice.location = FileLineColLoc(StringAttr("mine.py"), IntAttr(3), IntAttr(5))
    function.body.block.add_ops([twice, func.ReturnOp(twice.result)])
    with pytest.raises(LoweringError, match=r"an op with a rule, found nd\.twice") as found:
        NdToLinalgPass().apply(make_context(), ModuleOp([function]))
    assert found.value.place == "mine.py:3:5"


def test_every_op_of_the_dialect_has_a_rule() -> None:
    """But for those that `split-complex` and `inline-custom-vjp` leave none of."""
    missing = [op.name for op in Nd.operations if op not in RULES]
    assert missing == ["nd.real", "nd.imag", "nd.complex", "nd.custom_vjp", "nd.yield"]
