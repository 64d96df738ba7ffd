"""Random bits: a stream of its own for each key."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.dialects.nd import NdOp
from lamina.transforms.batching.batcher import Batcher, Rule


def batch_random_bits(b: Batcher, op: NdOp) -> SSAValue:
    """Keys and counters of many streams."""
    return b.like(op, [b.full(operand) for operand in op.operands])


RULES: dict[str, Rule] = {"random_bits": batch_random_bits}
