"""Elementwise ops: the same op on more elements."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.dialects.nd import NdOp, complexes, elementwise, gradients, transcendental
from lamina.transforms.batching.batcher import Batcher, Rule


def batch_elementwise(b: Batcher, op: NdOp) -> SSAValue:
    """All operands get the batch, since there is no implicit broadcast."""
    return b.like(op, [b.full(operand) for operand in op.operands])


RULES: dict[str, Rule] = {
    op.name.removeprefix("nd."): batch_elementwise
    for op in (*elementwise.OPS, *transcendental.OPS, *complexes.OPS, *gradients.OPS)
}
