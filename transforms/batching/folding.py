"""Reductions, scans, windows and sorts: along axes that are one further back."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from lamina.dialects.nd import NdOp
from lamina.transforms.batching.batcher import Batcher, Rule, moved
from lamina.transforms.batching.one_by_one import batch_one_by_one


def batch_reduce(b: Batcher, op: NdOp) -> SSAValue:
    return b.like(op, [b.full(op.operands[0])], axes=moved(op.params()["axes"]))


def batch_along_axis(b: Batcher, op: NdOp) -> SSAValue:
    return b.like(op, [b.full(op.operands[0])], axis=op.params()["axis"] + 1)


def batch_reduce_window(b: Batcher, op: NdOp) -> SSAValue:
    """Windows of one example: 1 along the batch."""
    p = op.params()
    front: dict[str, Any] = {"window": (1,), "strides": (1,), "dilation": (1,), "padding": (0, 0)}
    changed = {key: (*first, *p[key]) for key, first in front.items()}
    return b.like(op, [b.full(op.operands[0])], **changed)


def batch_searchsorted(b: Batcher, op: NdOp) -> SSAValue:
    """One sorted vector serves all examples; for several there is no op."""
    vector, values = op.operands
    if b.has(vector):
        return batch_one_by_one(b, op)[0]
    return b.like(op, [b.get(vector), b.full(values)])


RULES: dict[str, Rule] = {
    "reduce": batch_reduce,
    "argmax": batch_along_axis,
    "argmin": batch_along_axis,
    "scan": batch_along_axis,
    "sort": batch_along_axis,
    "argsort": batch_along_axis,
    "reduce_window": batch_reduce_window,
    "searchsorted": batch_searchsorted,
}
