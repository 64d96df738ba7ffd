"""Ops with an effect: only examples that reach them count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import SSAValue

from lamina.dialects.nd import NdOp
from lamina.dialects.nd.effects import CheckOp
from lamina.transforms.batching.batcher import Batcher
from lamina.transforms.batching.one_by_one import batch_one_by_one


def batch_check(b: Batcher, op: NdOp) -> Sequence[SSAValue]:
    """All examples are checked at once; the message shows the values of the first that fails."""
    if not b.size:
        return ()
    condition, *values = op.operands
    holds = b.full(condition)
    if b.mask is not None:
        holds = b.e.bind("bitwise_or", holds, b.e.bind("bitwise_invert", b.mask))
    shown = [b.get(value) for value in values]
    if any(map(b.has, values)):
        first = b.e.make("cast", (holds,), TensorType(i64, (b.size,)))
        first = b.e.make("argmin", (first,), TensorType(i64, ()), b.properties(axis=0))
        shown = [_of(b, b.full(value), first) for value in values]
    new = CheckOp.create(operands=[b.reduced("and", holds), *shown], properties=dict(op.properties))
    b.append(new)
    return ()


def _of(b: Batcher, values: SSAValue, number: SSAValue) -> SSAValue:
    """The value of one example."""
    where = b.properties(axes=(0,), dims=(), index_dims=())
    return b.e.make("gather", (values, number), TensorType(i64, ()), where)


EFFECTS: dict[str, Callable[[Batcher, NdOp], Sequence[SSAValue]]] = {
    "check": batch_check,
    "print": batch_one_by_one,
    "fail": batch_one_by_one,
    "custom_call": batch_one_by_one,
}
