"""Gathers and scatters: a batch is a dim of their space."""

from __future__ import annotations

from xdsl.ir import SSAValue

from lamina.dialects.nd import NdOp
from lamina.transforms.batching.batcher import Batcher, Rule, moved


def batch_gather(b: Batcher, op: NdOp) -> SSAValue:
    """A batch of the operand is an axis that is walked, one of the indices an axis of theirs."""
    operand, *indices = op.operands
    p: dict[str, tuple[int, ...]] = op.params()
    many = any(map(b.has, indices))
    return b.like(
        op,
        [b.get(operand), *(b.full(x) if many else b.get(x) for x in indices)],
        axes=moved(p["axes"]) if b.has(operand) else p["axes"],
        dims=(0, *moved(p["dims"])) if b.has(operand) else moved(p["dims"]),
        index_dims=(0, *moved(p["index_dims"])) if many else moved(p["index_dims"]),
    )


def batch_scatter(b: Batcher, op: NdOp) -> SSAValue:
    """As a gather, where each example writes to a copy of its own."""
    operand, updates, *indices = op.operands
    p = op.params()
    many = any(map(b.has, indices))
    return b.like(
        op,
        [b.full(operand), b.full(updates), *(b.full(x) if many else b.get(x) for x in indices)],
        axes=moved(p["axes"]),
        dims=(0, *moved(p["dims"])),
        index_dims=(0, *moved(p["index_dims"])) if many else moved(p["index_dims"]),
    )


RULES: dict[str, Rule] = {"gather": batch_gather, "scatter": batch_scatter}
