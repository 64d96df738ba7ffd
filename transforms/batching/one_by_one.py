"""Ops without a form with a batch: a loop over the examples, whose code does not grow with it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Block, Region, SSAValue

from lamina.dialects import scf
from lamina.dialects.nd import NdOp
from lamina.dialects.nd.base import DYNAMIC_INDEX, shape_of, tensor_type
from lamina.transforms.batching.batcher import INDEX, Batcher


def batch_one_by_one(b: Batcher, op: NdOp) -> Sequence[SSAValue]:
    """The op on each example in turn, in order, its results written to rows. One with an effect is
    done for the examples that reach it."""
    if any(DYNAMIC_INDEX in shape_of(result) for result in op.results):
        b.fail(op, "expected results of static shapes, since there is no form with a batch")
    types = [b.type(result) if b.has(result) else result.type for result in op.results]
    starts = [b.zeros(type) for type in types]
    block = Block(arg_types=[INDEX, *types])
    inner = b.inside(block)
    number, *carried = block.args
    if b.mask is None:
        given = _done(inner, op, number, carried)
    else:
        flag = row(inner, b.mask, number)
        flag = inner.add(tensor.ExtractOp.create(operands=[flag], result_types=[i1]))
        done, left = Block(), Block()
        within = inner.inside(done)
        within.append(scf.YieldOp(*_done(within, op, number, carried)))
        inner.inside(left).append(scf.YieldOp(*carried))
        branch = scf.IfOp(flag, types, Region(done), Region(left))
        inner.append(branch)
        given = list(branch.results)
    inner.append(scf.YieldOp(*given))
    low, high, step = (b.index(bound) for bound in (0, b.size, 1))
    loop = scf.ForOp(low, high, step, starts, block)
    b.append(loop)
    return list(loop.results)


def _done(
    b: Batcher, op: NdOp, number: SSAValue, carried: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """The op on example `number`; what is carried after it."""
    operands = [row(b, b.get(x), number) if b.has(x) else b.get(x) for x in op.operands]
    new = type(op).create(
        operands=operands,
        result_types=[result.type for result in op.results],
        properties=dict(op.properties),
    )
    b.append(new)
    given: list[SSAValue] = []
    for result, found, old in zip(op.results, new.results, carried, strict=True):
        if b.has(result):
            shape = shape_of(found)
            starts = [number, *(b.index(0) for _ in shape)]
            given.append(b.e.dynamic_update_slice(old, b.e.reshape(found, (1, *shape)), starts))
        else:
            given.append(found)
    return given


def row(b: Batcher, value: SSAValue, number: SSAValue) -> SSAValue:
    """An example of a tensor with a batch."""
    _, *shape = shape_of(value)
    element = tensor_type(value).element_type
    starts = [number, *(b.index(0) for _ in shape)]
    extents = b.e.sizes(value)  # of the axes behind the batch
    sizes = (1, *(-1 if size == DYNAMIC_INDEX else size for size in shape))
    cut = b.properties(sizes=sizes)
    part = b.e.make(
        "dynamic_slice", (value, *starts, *extents), TensorType(element, (1, *shape)), cut
    )
    return b.e.make("reshape", (part, *extents), TensorType(element, shape))
