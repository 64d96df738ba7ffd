"""Ops without a form with a batch: a loop over the examples, whose code does not grow with it."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from lamina.dialects import scf
from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import element_of, shape_of, tensor_type
from lamina.transforms.batching.batcher import INDEX, Batcher


def batch_one_by_one(b: Batcher, op: NdOp) -> SSAValue:
    """The op on each example in turn, its result written to a row."""
    result = op.results[0]
    shape = shape_of(result)
    start = b.e.splat(0, TensorType(element_of(result), (b.size, *shape)))
    block = Block(arg_types=[INDEX, start.type])
    inner = b.inside(block)
    number, carried = block.args
    operands = [row(inner, inner.get(x), number) if b.has(x) else inner.get(x) for x in op.operands]
    name = op.name.removeprefix("nd.")
    found = inner.e.make(name, operands, result.type, dict(op.properties))
    starts = [number, *(inner.index(0) for _ in shape)]
    update = inner.e.reshape(found, (1, *shape))
    inner.append(scf.YieldOp(inner.e.dynamic_update_slice(carried, update, starts)))
    low, high, step = (b.index(bound) for bound in (0, b.size, 1))
    return b.add(scf.ForOp(low, high, step, [start], block))


def row(b: Batcher, value: SSAValue, number: SSAValue) -> SSAValue:
    """An example of a tensor with a batch."""
    _, *shape = shape_of(value)
    starts = [number, *(b.index(0) for _ in shape)]
    type = TensorType(tensor_type(value).element_type, (1, *shape))
    part = b.e.make("dynamic_slice", (value, *starts), type, b.properties(sizes=(1, *shape)))
    return b.e.reshape(part, shape)
