"""Pass `fuse-reductions`: a reduction computes its input instead of reading it.

    %p = linalg.generic ... ins(%x, %y) { mulf }
    %s = linalg.generic {... "reduction"} ins(%p) { addf }
    // ->
    %s = linalg.generic {... "reduction"} ins(%x, %y) { mulf addf }

The producer is cloned: where others read it too, it stays, and is computed twice only when that
is cheap. One of several results that only reductions read is made a generic of its own first.
Post-condition: `why_apart` gives a reason for every elementwise producer that is left; the order
of each sum is the one that it had before.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from lamina.dialects import linalg
from lamina.dialects.generics import (
    body_of,
    cost_of,
    folds_as_one,
    index_dims,
    is_elementwise,
    is_identity,
    is_reduction,
    maps_of,
    reduced_dims,
    sizes_are_known,
)
from lamina.dialects.locations import fuse_locations
from lamina.transforms.fusion_cost import BOUND, readers_of, why_stored
from lamina.transforms.generic_results import with_results

FULL = 16
"""Cost of a reduction's body beyond which it takes in no value that others read too: along a chain
of such values each reduction would else compute all of the chain."""


def why_apart(
    producer: Operation, reduction: linalg.GenericOp, affine_map: AffineMap
) -> str | None:
    """Why `reduction`, which reads `producer` by `affine_map`, cannot compute it itself."""
    if not is_elementwise(producer):
        return "the producer is not elementwise"
    assert isinstance(producer, linalg.GenericOp)
    if len(producer.results) != 1:
        return "the producer has several results"
    read = producer.results[0]
    if not is_identity(affine_map):
        return "the producer is read at another place"
    if (reason := why_stored(producer)) is not None:
        return reason
    if len(readers_of(producer)) > 1 and cost_of(reduction) > FULL:
        return "the producer has other readers, and the reduction computes much already"
    others = [
        m for v, m in zip(reduction.operands, maps_of(reduction), strict=True) if v is not read
    ]
    inner = maps_of(producer)[: len(producer.inputs)]
    if not sizes_are_known([*inner, *others]):
        return "the size of a dim would be known from nothing"
    if any(isinstance(o, tensor.ExtractOp) for o in body_of(producer).ops):
        return "the producer reads a computed place"
    reduced = reduced_dims(reduction)
    inputs = zip(producer.inputs, maps_of(producer), strict=False)
    if not all(folds_as_one(value, m, reduced) for value, m in inputs) or (
        len(reduced) > 1 and index_dims(producer) & set(reduced)
    ):
        return "the reduced axes would not be one flat axis"
    return None


def composed(inner: AffineMap, outer: AffineMap) -> AffineMap:
    """`inner` at the places that `outer` gives."""
    found = inner.compose(outer)
    simple = (expr.simplify(found.num_dims, 0) for expr in found.results)
    return AffineMap(found.num_dims, 0, tuple(simple))


def inline(producer: linalg.GenericOp, reduction: linalg.GenericOp, place: int) -> None:
    """Compute input `place` of `reduction` in its body, by a clone of the producer's."""
    read = maps_of(reduction)[place]
    body = body_of(reduction)
    inputs = len(producer.inputs)
    values: dict[SSAValue, SSAValue] = {}
    for i, arg in enumerate(body_of(producer).args[:inputs]):
        values[arg] = body.insert_arg(arg.type, place + 1 + i)
    first = body.first_op
    assert first is not None
    for op in body_of(producer).ops:
        if isinstance(op, linalg.YieldOp):
            body.args[place].replace_all_uses_with(values.get(op.operands[0], op.operands[0]))
            break
        clone = op.clone(values)
        body.insert_ops_before([clone], first)
    body.erase_arg(body.args[place])
    maps = maps_of(reduction)
    maps[place : place + 1] = [composed(m, read) for m in maps_of(producer)[:inputs]]
    operands = list(reduction.operands)
    operands[place : place + 1] = producer.inputs
    outputs = len(reduction.outputs)
    reduction.operands = operands
    reduction.properties["operandSegmentSizes"] = DenseArrayBase.from_list(
        i32, [len(operands) - outputs, outputs]
    )
    reduction.properties["indexing_maps"] = ArrayAttr([AffineMapAttr(m) for m in maps])
    reduction.location = fuse_locations([producer.location, reduction.location])


def fuse(reduction: linalg.GenericOp) -> None:
    """Inline every producer that can be."""
    place = 0
    while place < len(reduction.inputs):
        producer = reduction.inputs[place].owner
        apart = not isinstance(producer, linalg.GenericOp) or why_apart(
            producer, reduction, maps_of(reduction)[place]
        )
        if apart:
            place += 1
            continue
        assert isinstance(producer, linalg.GenericOp)
        inline(producer, reduction, place)
        if not producer.results[0].uses:
            producer.detach()
            producer.erase()


def split_results(producer: linalg.GenericOp) -> None:
    """Make a generic of its own of each result of `producer` that only reductions read, where
    that is cheap: they then compute it, and the others need not be stored beside it."""
    apart = [i for i, result in enumerate(producer.results) if is_folded_only(result)]
    block = producer.parent
    assert block is not None
    for i in apart:
        alone = with_results(producer, [i])
        if 2 * cost_of(alone) > BOUND or len(apart) == len(producer.results):
            alone.erase()
            continue
        block.insert_ops_after([alone], producer)
        producer.results[i].replace_all_uses_with(alone.results[0])
    kept = [i for i, result in enumerate(producer.results) if result.uses]
    if len(kept) == len(producer.results) or not kept:
        return
    rest = with_results(producer, kept)
    block.insert_ops_before([rest], producer)
    for i, result in zip(kept, rest.results, strict=True):
        producer.results[i].replace_all_uses_with(result)
    producer.detach()
    producer.erase()


def is_folded_only(value: SSAValue) -> bool:
    """Whether all readers of `value` are reductions that read it at their own place."""
    for use in value.uses:
        reader = use.operation
        if not is_reduction(reader) or not isinstance(reader, linalg.GenericOp):
            return False
        if not is_identity(maps_of(reader)[use.index]):
            return False
    return bool(value.uses)


class FuseReductionsPass(ModulePass):
    """Inline elementwise producers into reductions."""

    name = "fuse-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [inner for inner in op.walk() if is_elementwise(inner)]:
            if isinstance(inner, linalg.GenericOp) and len(inner.results) > 1:
                split_results(inner)
        for inner in [inner for inner in op.walk() if is_reduction(inner)]:
            assert isinstance(inner, linalg.GenericOp)
            fuse(inner)
