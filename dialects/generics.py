"""What a `linalg.generic` is to fusion: predicates and small facts, no rewriting."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from lamina.dialects import arith, linalg, math, memref

Size = int | SSAValue

COSTS: dict[type[Operation], int] = {
    arith.DivfOp: 4, arith.DivSIOp: 8, arith.DivUIOp: 8, arith.RemSIOp: 8, arith.RemUIOp: 8,
    arith.RemfOp: 20, math.SqrtOp: 4, math.PowFOp: 20, math.ExpOp: 10, math.TanhOp: 10,
    math.LogOp: 10, math.ErfOp: 10, math.SinOp: 10, math.CosOp: 10, math.TanOp: 20,
    math.Exp2Op: 10, math.ExpM1Op: 10, math.Log1pOp: 10, math.Log2Op: 10, math.Log10Op: 10,
    math.Atan2Op: 20, math.AsinOp: 20, math.AcosOp: 20, math.AtanOp: 20, math.SinhOp: 10,
    math.CoshOp: 10, math.AsinhOp: 20, math.AcoshOp: 20, math.AtanhOp: 20, math.ErfcOp: 20,
}  # fmt: skip
"""Cost of one scalar op in additions; ops not listed cost 1."""

FREE = (arith.ConstantOp, linalg.YieldOp, linalg.IndexOp, arith.ExtFOp, arith.ExtUIOp)


def maps_of(op: linalg.GenericOp) -> list[AffineMap]:
    """The indexing maps, inputs first."""
    attribute = cast("ArrayAttr[AffineMapAttr]", op.properties["indexing_maps"])
    return [m.data for m in attribute.data]


def iterators_of(op: linalg.GenericOp) -> str:
    """A letter a dim: p(arallel) or r(eduction)."""
    attribute = cast("ArrayAttr[linalg.IteratorTypeAttr]", op.properties["iterator_types"])
    return "".join(str(iterator.data)[0] for iterator in attribute.data)


def body_of(op: Operation) -> Block:
    """The body block of a generic."""
    return op.regions[0].blocks[0]


def is_parallel(op: linalg.GenericOp) -> bool:
    """Whether all dims are parallel."""
    return "r" not in iterators_of(op)


def parallel_prefix(op: linalg.GenericOp) -> int:
    """How many leading dims of the space are parallel."""
    return leading_parallel(iterators_of(op))


def leading_parallel(iterators: str) -> int:
    """How many leading dims are parallel."""
    return len(iterators) - len(iterators.lstrip("p"))


def prefix(affine_map: AffineMap) -> int:
    """How many leading results of the map are d0, d1, ..."""
    count = 0
    for place, expr in enumerate(affine_map.results):
        if not isinstance(expr, AffineDimExpr) or expr.position != place:
            break
        count += 1
    return count


def captured(op: Operation) -> list[SSAValue]:
    """The tensors (or buffers) that the body of a generic reads at computed places: all of them
    must be there before the generic runs."""
    kinds = (tensor.ExtractOp, memref.LoadOp)
    return [inner.operands[0] for inner in op.walk() if isinstance(inner, kinds)]


def is_identity(affine_map: AffineMap) -> bool:
    """Whether the map is (d0, d1, ...) -> (d0, d1, ...)."""
    return len(affine_map.results) == affine_map.num_dims and all(
        isinstance(e, AffineDimExpr) and e.position == i for i, e in enumerate(affine_map.results)
    )


def is_elementwise(op: Operation) -> bool:
    """Whether `op` computes each element of new tensors from elements at one place.

    All dims parallel, every result written by the identity map into a `tensor.empty` whose
    elements are not read.
    """
    if not isinstance(op, linalg.GenericOp) or not is_parallel(op) or not op.results:
        return False
    outputs = len(op.outputs)
    if not all(is_identity(m) for m in maps_of(op)[-outputs:]):
        return False
    if any(not isinstance(out.owner, tensor.EmptyOp) for out in op.outputs):
        return False
    return not any(arg.uses for arg in body_of(op).args[-outputs:])


def is_movement(op: Operation) -> bool:
    """Whether `op` is elementwise and yields its only input unchanged."""
    if not is_elementwise(op):
        return False
    assert isinstance(op, linalg.GenericOp)
    body = body_of(op)
    last = body.last_op
    return (
        len(op.inputs) == 1
        and len(op.results) == 1
        and last is body.first_op
        and last is not None
        and last.operands[0] is body.args[0]
    )


def is_reduction(op: Operation) -> bool:
    """Whether `op` is a generic that folds dims of one input (not a sum of products)."""
    return isinstance(op, linalg.GenericOp) and not is_parallel(op) and not is_contraction(op)


def is_contraction(op: Operation) -> bool:
    """Whether `op` is `out += a * b` over reduction dims, `a` and `b` its two inputs."""
    if not isinstance(op, linalg.GenericOp) or is_parallel(op):
        return False
    if len(op.inputs) != 2 or len(op.outputs) != 1:
        return False
    body = body_of(op)
    total = _defining(cast(Operation, body.last_op).operands[0])
    if not isinstance(total, arith.AddfOp | arith.AddiOp) or total.operands[0] != body.args[2]:
        return False
    product = _defining(total.operands[1])
    if not isinstance(product, arith.MulfOp | arith.MuliOp):
        return False
    return [_source(v) for v in product.operands] == list(body.args[:2])


def _defining(value: SSAValue) -> Operation | None:
    return value.owner if isinstance(value.owner, Operation) else None


def _source(value: SSAValue) -> SSAValue:
    """`value` without a widening."""
    owner = _defining(value)
    return owner.operands[0] if isinstance(owner, arith.ExtFOp) else value


def reduced_dims(op: linalg.GenericOp) -> list[int]:
    """The dims that are folded."""
    return [d for d, c in enumerate(iterators_of(op)) if c == "r"]


def index_dims(op: linalg.GenericOp) -> set[int]:
    """The dims whose index the body reads."""
    return {
        cast("IntegerAttr[IntegerType]", inner.properties["dim"]).value.data
        for inner in body_of(op).walk()
        if isinstance(inner, linalg.IndexOp)
    }


def folds_as_one(value: SSAValue, affine_map: AffineMap, reduced: Sequence[int]) -> bool:
    """Whether the reduced dims can be walked as one in the operand `value`.

    They must all be missing or stand side by side in order, and not in a view: the order of a sum
    over several axes is that of one flat axis.
    """
    used = set(reduced)
    places = [i for i, e in enumerate(affine_map.results) if e.used_dims() & used]
    if len(reduced) < 2 or not places:
        return True
    found = [affine_map.results[i] for i in places]
    in_order = [e.position if isinstance(e, AffineDimExpr) else -1 for e in found] == [*reduced]
    side_by_side = places == list(range(places[0], places[0] + len(places)))
    return in_order and side_by_side and not isinstance(value.owner, tensor.ExtractSliceOp)


def owner_of(op: linalg.GenericOp, dim: int) -> int | None:
    """The only input of a contraction that changes with `dim`; None when both do."""
    first, second = (any(dim in e.used_dims() for e in m.results) for m in maps_of(op)[:2])
    return None if first == second else (0 if first else 1)


def is_thin(op: linalg.GenericOp) -> bool:
    """Whether a contraction has at most two rows, or no columns.

    It is then summed in lanes along the depth, where that is the last axis of both operands.
    """
    out = [cast(AffineDimExpr, e).position for e in maps_of(op)[2].results]
    columns = owner_of(op, out[-1]) if out else None
    if columns is None:
        return True
    shape = cast("TensorType[Attribute]", op.outputs[0].type).get_shape()
    rows = [size for d, size in zip(out, shape, strict=True) if owner_of(op, d) == 1 - columns]
    return DYNAMIC_INDEX not in rows and prod(rows) <= 2


def ends_in(affine_map: AffineMap, dim: int) -> bool:
    """Whether the last result of the map is `dim` alone."""
    last = affine_map.results[-1] if affine_map.results else None
    return isinstance(last, AffineDimExpr) and last.position == dim


def cost_of(op: linalg.GenericOp) -> int:
    """The cost of one element, in additions."""
    return sum(0 if isinstance(o, FREE) else COSTS.get(type(o), 1) for o in body_of(op).ops)


def space_of(op: linalg.GenericOp) -> tuple[Size, ...]:
    """The sizes of the iteration space: ints, or the index values that give them."""
    sizes: dict[int, Size] = {}
    # outputs first: their dynamic sizes are known values
    pairs = list(zip(op.operands, maps_of(op), strict=True))
    for value, affine_map in reversed(pairs):
        for axis, expr in enumerate(affine_map.results):
            if isinstance(expr, AffineDimExpr) and expr.position not in sizes:
                sizes[expr.position] = size_of(value, axis)
    return tuple(sizes[d] for d in range(maps_of(op)[0].num_dims if op.operands else 0))


def size_of(value: SSAValue, axis: int) -> Size:
    """The size of an axis: an int, the operand that gives it, or the tensor itself for a dynamic
    dim of unknown origin (equal only to itself)."""
    shape = cast("TensorType[Attribute]", value.type).get_shape()
    if shape[axis] != DYNAMIC_INDEX:
        return shape[axis]
    owner = value.owner
    if isinstance(owner, tensor.EmptyOp):
        return owner.dynamic_sizes[shape[:axis].count(DYNAMIC_INDEX)]
    if isinstance(owner, linalg.GenericOp | linalg.FillOp):
        assert isinstance(value.owner, Operation)
        return size_of(owner.outputs[owner.results.index(value)], axis)  # type: ignore
    for use in value.uses:
        if isinstance(use.operation, tensor.DimOp) and _constant(use.operation.index) == axis:
            return use.operation.result
    return value


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return int(owner.value.value.data)  # type: ignore
    return None


def scalar_constant(value: SSAValue) -> Attribute | None:
    """The element of a splat constant tensor, or of a tensor filled with a constant."""
    owner = value.owner
    if isinstance(owner, linalg.FillOp):
        source = owner.inputs[0].owner
        return source.value if isinstance(source, arith.ConstantOp) else None
    if not isinstance(owner, arith.ConstantOp):
        return None
    dense = owner.value
    if not isinstance(dense, DenseIntOrFPElementsAttr) or not dense.is_splat():
        return None
    return next(iter(dense.iter_attrs()))


def static_elements(sizes: Sequence[Size]) -> int | None:
    """The number of points of a space, or None when a size is dynamic."""
    total = 1
    for size in sizes:
        if not isinstance(size, int):
            return None
        total *= size
    return total


def plain_dims(affine_map: AffineMap) -> set[int]:
    """The dims that stand alone as a result of the map."""
    return {e.position for e in affine_map.results if isinstance(e, AffineDimExpr)}


def sizes_are_known(maps: Sequence[AffineMap]) -> bool:
    """Whether each dim of the space stands alone in a map: else an operand must tell its size."""
    found: set[int] = set()
    for affine_map in maps:
        found |= plain_dims(affine_map)
    return len(found) == maps[0].num_dims


def reads_constant_place(affine_map: AffineMap) -> bool:
    """Whether each result of the map is a constant."""
    return all(isinstance(e, AffineConstantExpr) for e in affine_map.results)
