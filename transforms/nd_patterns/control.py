"""Patterns of `canonicalize-nd` on control flow and checks whose way is known.

They give all results of the op, after its body was moved before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects import scf
from lamina.dialects.nd.effects import CheckOp
from lamina.dialects.nd.shape import ConstantOp
from lamina.transforms.nd_patterns.matching import NdRewriter, index_constant, producer


def _inline(region: Region, arguments: Sequence[SSAValue], b: NdRewriter) -> list[SSAValue]:
    """Move the ops of a one-block region before the anchor; what it yields."""
    inner, outer = region.blocks[0], b.anchor.parent
    assert isinstance(outer, Block)
    for argument, value in zip(inner.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    *ops, last = inner.ops
    yielded = list(last.operands)
    for op in ops:
        op.detach()
        outer.insert_ops_before([op], b.anchor)
        b.made.append(op)
    return yielded


def if_known(op: scf.IfOp, b: NdRewriter) -> list[SSAValue] | None:
    """The branch that is taken."""
    condition = index_constant(op.cond)
    if condition is None:
        return None
    region = op.true_region if condition else op.false_region
    return _inline(region, (), b) if region.blocks else []


def index_switch_known(op: Operation, b: NdRewriter) -> list[SSAValue] | None:
    """The case that is taken."""
    chosen = index_constant(op.operands[0])
    if chosen is None:
        return None
    cases: Any = op.properties["cases"]
    labels = list(cases.get_values())
    region = op.regions[labels.index(chosen) + 1 if chosen in labels else 0]
    return _inline(region, (), b)


def for_known(op: scf.ForOp, b: NdRewriter) -> list[SSAValue] | None:
    """A loop of no trip gives its start values, a loop of one trip is its body."""
    low, high, step = map(index_constant, (op.lb, op.ub, op.step))
    if low is None or high is None or step is None or step <= 0:
        return None
    if high <= low:
        return list(op.iter_args)
    return _inline(op.body, (op.lb, *op.iter_args), b) if high - low <= step else None


def check_known(op: CheckOp, b: NdRewriter) -> list[SSAValue] | None:
    """Nothing, where the condition is known to hold."""
    known = producer(op.condition, ConstantOp)
    literal = known.value if known is not None else None
    holds = isinstance(literal, DenseIntOrFPElementsAttr) and all(literal.get_values())
    return [] if holds else None


PATTERNS: dict[type[Operation], Callable[[Any, NdRewriter], list[SSAValue] | None]] = {
    scf.IfOp: if_known,
    scf.IndexSwitchOp: index_switch_known,
    scf.ForOp: for_known,
    CheckOp: check_known,
}
