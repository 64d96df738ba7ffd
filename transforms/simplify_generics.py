"""Pass `simplify-generics`: generics read through moves, and hold scalar constants in their body.

    %b = linalg.generic {(d0, d1) -> (d1), (d0, d1) -> (d0, d1)} ins(%x) { yield %x }  // broadcast
    %r = linalg.generic {(d0, d1) -> (d0, d1), ...} ins(%b, %one) { addf %b, %one }    // %one splat
    // ->
    %r = linalg.generic {(d0, d1) -> (d1), ...} ins(%x) { addf %x, 1.0 }

Post-condition: no input of a generic is a move (unless the composed maps could not tell the loop
sizes, or would change the order of a sum) or a splat constant; moves that nobody else reads are
gone.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects import arith, linalg
from lamina.dialects.generics import (
    body_of,
    ends_in,
    folds_as_one,
    is_contraction,
    is_movement,
    is_parallel,
    is_thin,
    maps_of,
    reduced_dims,
    scalar_constant,
    sizes_are_known,
)

Input = tuple[SSAValue, AffineMap]


def read_through(value: SSAValue, affine_map: AffineMap) -> Input:
    """Where the elements really come from: the sources of moves."""
    while isinstance(value.owner, linalg.GenericOp) and is_movement(value.owner):
        move = value.owner
        affine_map = maps_of(move)[0].compose(affine_map)
        affine_map = AffineMap(
            affine_map.num_dims,
            0,
            tuple(e.simplify(affine_map.num_dims, 0) for e in affine_map.results),
        )
        value = move.inputs[0]
    return value, affine_map


def keeps_order(
    op: linalg.GenericOp, source: SSAValue, affine_map: AffineMap, composed: AffineMap
) -> bool:
    """Whether `op` sums in the same order when it reads `source` by `composed` instead of its
    input by `affine_map`: the bits of a sum do not depend on what is fused."""
    if is_parallel(op):
        return True
    reduced = reduced_dims(op)
    if not is_contraction(op):
        return folds_as_one(source, composed, reduced)
    along = ends_in(affine_map, reduced[-1]) == ends_in(composed, reduced[-1])
    return along or len(reduced) > 1 or not is_thin(op)


def simplify(op: linalg.GenericOp) -> None:
    """Apply both rewrites to the inputs of `op`, in place."""
    maps, body = maps_of(op), body_of(op)
    outputs = list(op.outputs)
    kept: list[Input] = []
    for i, value in reversed(list(enumerate(op.inputs))):
        source, composed = read_through(value, maps[i])
        if source is not value and (
            not sizes_are_known([*maps[:i], composed, *maps[i + 1 :]])
            or not keeps_order(op, source, maps[i], composed)
        ):
            source, composed = value, maps[i]
        # a product with a constant stays a contraction: its rounding is a contraction's
        constant = None if is_contraction(op) else scalar_constant(source)
        if constant is None or not sizes_are_known([*maps[:i], *maps[i + 1 :]]):
            kept.append((source, composed))
            maps[i] = composed
            continue
        arg = body.args[i]
        if arg.uses:
            scalar = arith.ConstantOp(constant)  # type: ignore
            scalar.location = op.location
            Rewriter.insert_op(scalar, InsertPoint.at_start(body))
            arg.replace_all_uses_with(scalar.result)
        body.erase_arg(arg)
        del maps[i]
    kept.reverse()
    op.operands = [*(value for value, _ in kept), *outputs]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(kept), len(outputs)])
    op.properties["indexing_maps"] = ArrayAttr([AffineMapAttr(m) for m in maps])


def drop_unused(op: Operation) -> bool:
    """Whether `op` is a pure tensor op whose results nobody reads."""
    kinds = (linalg.GenericOp, linalg.FillOp, tensor.EmptyOp, arith.ConstantOp)
    return isinstance(op, kinds) and not any(result.uses for result in op.results)


class SimplifyGenericsPass(ModulePass):
    """Compose moves into the maps of their readers, and constants into bodies."""

    name = "simplify-generics"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ops = list(op.walk())
        generics = [inner for inner in ops if isinstance(inner, linalg.GenericOp)]
        # moves last: their readers look through them while they are still moves
        for inner in sorted(generics, key=is_movement):
            simplify(inner)
        for inner in reversed(ops):
            if inner.parent is not None and drop_unused(inner):
                inner.detach()
                inner.erase()
