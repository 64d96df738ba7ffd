"""A generic with some of its results only: what else it computes is left out."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, i32

from lamina.dialects import linalg
from lamina.dialects.generics import body_of, maps_of, sizes_are_known


def with_results(op: linalg.GenericOp, kept: Sequence[int]) -> linalg.GenericOp:
    """A new generic, in no block, that gives the results `kept` of an elementwise `op`."""
    clone = op.clone()
    body, maps = body_of(clone), maps_of(clone)
    inputs = len(op.inputs)
    last = body.last_op
    assert last is not None
    last.operands = [last.operands[i] for i in kept]
    for inner in reversed(list(body.ops)):
        if inner is not last and not any(result.uses for result in inner.results):
            inner.detach()
            inner.erase()
    for i in reversed(range(len(op.outputs))):
        if i not in kept:
            body.erase_arg(body.args[inputs + i])
    outputs = [op.outputs[i] for i in kept]
    values, read = list(op.inputs), maps[:inputs]
    written = [maps[inputs + i] for i in kept]
    for i in reversed(range(inputs)):
        others = [*read[:i], *read[i + 1 :], *written]
        if not body.args[i].uses and sizes_are_known(others):
            body.erase_arg(body.args[i])
            del values[i], read[i]
    region = clone.regions[0]
    clone.detach_region(region)
    new = linalg.GenericOp.create(
        operands=[*values, *outputs],
        result_types=[op.results[i].type for i in kept],
        properties={
            "indexing_maps": ArrayAttr([AffineMapAttr(m) for m in (*read, *written)]),
            "iterator_types": op.properties["iterator_types"],
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(values), len(outputs)]),
        },
        regions=[region],
        location=op.location,
    )
    clone.erase()
    return new
