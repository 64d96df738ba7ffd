"""Patterns of `canonicalize-nd` on ops that rename places: chains of one op become one, and what
gives its operand back is gone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.nd import shape as nd
from lamina.dialects.nd.base import element_of, ints, is_float, shape_of
from lamina.dialects.nd.contraction import DotGeneralOp
from lamina.dialects.nd.reduction import ReduceOp
from lamina.interpreters.types import from_dense
from lamina.transforms.nd_patterns.matching import (
    NdRewriter,
    Pattern,
    axis_of,
    int_list,
    is_static,
    producer,
)

MAX_INPUTS = 64
"""A concat of concats is flattened up to this many inputs: a long chain would cost its square."""


def _same_type(op: Operation) -> SSAValue | None:
    """The operand, when it has the result's type."""
    return op.operands[0] if op.operands[0].type == op.results[0].type else None


def transpose_chain(op: nd.TransposeOp, b: NdRewriter) -> SSAValue | None:
    """A transpose that keeps all axes; a transpose of a transpose."""
    permutation = ints(op.permutation)
    if list(permutation) == sorted(permutation):
        return _same_type(op)
    inner = producer(op.operand, nd.TransposeOp)
    if not inner:
        return None
    first = ints(inner.permutation)
    both = [first[axis] for axis in permutation]
    if both == sorted(both) and inner.operand.type == op.result.type:
        return inner.operand
    properties = {"permutation": int_list(both)}
    return b.make(nd.TransposeOp, (inner.operand,), op.result.type, properties, [inner])


def transpose_of_broadcast(op: nd.TransposeOp, b: NdRewriter) -> SSAValue | None:
    """A broadcast names the axes of what was transposed."""
    inner = producer(op.operand, nd.BroadcastOp)
    if not inner:
        return None
    permutation = ints(op.permutation)
    dims = [permutation.index(dim) for dim in ints(inner.dims)]
    wide = shape_of(inner.result)
    sizes = iter(inner.sizes)
    known = {axis: next(sizes) for axis, size in enumerate(wide) if size == DYNAMIC_INDEX}
    shape = shape_of(op.result)
    if any((wide[axis] == DYNAMIC_INDEX) != (size == DYNAMIC_INDEX)
           for axis, size in zip(permutation, shape, strict=True)):  # fmt: skip
        return None
    operands = (inner.operand, *(known[axis] for axis in permutation if axis in known))
    properties = {"dims": int_list(dims)}
    return b.make(nd.BroadcastOp, operands, op.result.type, properties, [inner])


def reshape_chain(op: nd.ReshapeOp, b: NdRewriter) -> SSAValue | None:
    """A reshape to its own shape; a reshape of a reshape."""
    if is_static(op.result) and (same := _same_type(op)) is not None:
        return same
    inner = producer(op.operand, nd.ReshapeOp)
    if not inner:
        return None
    if is_static(op.result) and inner.operand.type == op.result.type:
        return inner.operand
    return b.make(nd.ReshapeOp, (inner.operand, *op.sizes), op.result.type, through=[inner])


def reshape_of_splat(op: nd.ReshapeOp, b: NdRewriter) -> SSAValue | None:
    """A reshape of the broadcast of one element is a broadcast of it."""
    inner = producer(op.operand, nd.BroadcastOp)
    if not inner or any(size != 1 for size in shape_of(inner.operand)):
        return None
    scalar = inner.operand
    if shape_of(scalar):
        kind = TensorType(element_of(scalar), ())
        scalar = b.make(nd.ReshapeOp, (scalar,), kind, through=[inner])
    operands = (scalar, *op.sizes)
    return b.make(nd.BroadcastOp, operands, op.result.type, {"dims": int_list(())}, [inner])


def broadcast_chain(op: nd.BroadcastOp, b: NdRewriter) -> SSAValue | None:
    """A broadcast that changes nothing; a broadcast of a broadcast."""
    dims = ints(op.dims)
    if list(dims) == list(range(len(dims))) and (same := _same_type(op)) is not None:
        return same
    inner = producer(op.operand, nd.BroadcastOp)
    if not inner:
        return None
    both = {"dims": int_list([dims[dim] for dim in ints(inner.dims)])}
    return b.make(nd.BroadcastOp, (inner.operand, *op.sizes), op.result.type, both, [inner])


def kept_axes(source: Sequence[int], target: Sequence[int]) -> list[int] | None:
    """Where each axis of `source` is in `target`, which has more axes of size 1; None if it has
    other axes too."""
    if list(source).count(DYNAMIC_INDEX) > 1:
        return None
    places: list[int] = []
    at = 0
    for size in source:
        while at < len(target) and target[at] != size and target[at] == 1:
            at += 1
        if at == len(target) or target[at] != size:
            return None
        places.append(at)
        at += 1
    return places if all(size == 1 for size in target[at:]) else None


def broadcast_of_units(op: nd.BroadcastOp, b: NdRewriter) -> SSAValue | None:
    """A broadcast of a reshape that only adds axes of size 1 (`x[:, None]`)."""
    inner = producer(op.operand, nd.ReshapeOp)
    if not inner:
        return None
    places = kept_axes(shape_of(inner.operand), shape_of(inner.result))
    if places is None:
        return None
    dims = ints(op.dims)
    properties = {"dims": int_list([dims[place] for place in places])}
    operands = (inner.operand, *op.sizes)
    return b.make(nd.BroadcastOp, operands, op.result.type, properties, [inner])


def reverse_chain(op: nd.ReverseOp, b: NdRewriter) -> SSAValue | None:
    """A reverse of axes of size 1 only; a reverse of a reverse."""
    shape = shape_of(op.operand)
    axes = [axis for axis in ints(op.axes) if shape[axis] not in (0, 1)]
    if not axes:
        return op.operand
    inner = producer(op.operand, nd.ReverseOp)
    if not inner:
        return None
    both = sorted({*axes} ^ {*ints(inner.axes)})
    if not both:
        return inner.operand
    properties = {"axes": int_list(both)}
    return b.make(nd.ReverseOp, (inner.operand,), op.result.type, properties, [inner])


def concat_inputs(op: nd.ConcatOp, b: NdRewriter) -> SSAValue | None:
    """Inputs of size 0 are dropped, inputs that are joins along the same axis are flattened; a
    join of one input is it."""
    axis = axis_of(op)
    inputs: list[SSAValue] = []
    through: list[Operation] = []
    for value in op.inputs:
        inner = producer(value, nd.ConcatOp)
        nested = inner and axis_of(inner) == axis and value.has_one_use()
        if inner and nested and len(op.inputs) + len(inner.inputs) <= MAX_INPUTS:
            inputs += inner.inputs
            through.append(inner)
        else:
            inputs.append(value)
    kept = [v for v in inputs if shape_of(v)[axis] != 0 or v.type == op.result.type]
    if len(kept) == 1:
        return kept[0] if kept[0].type == op.result.type else None
    if not kept or (not through and len(kept) == len(inputs)):
        return None
    return b.make(nd.ConcatOp, kept, op.result.type, op.properties, through)


def pad_chain(op: nd.PadOp, b: NdRewriter) -> SSAValue | None:
    """A pad by nothing; a pad of a pad with the same value."""
    low, high = ints(op.low), ints(op.high)
    if not any((*low, *high)):
        return _same_type(op)
    inner = producer(op.operand, nd.PadOp)
    if not inner or inner.value is not op.value:
        return None
    properties = {
        "low": int_list([x + y for x, y in zip(low, ints(inner.low), strict=True)]),
        "high": int_list([x + y for x, y in zip(high, ints(inner.high), strict=True)]),
    }
    operands = (inner.operand, op.value)
    return b.make(nd.PadOp, operands, op.result.type, properties, [inner])


def _is_float(value: SSAValue) -> bool:
    return is_float(element_of(value))


def reduce_nothing(op: ReduceOp, b: NdRewriter) -> SSAValue | None:
    """A reduction over no axes, or over axes of size 1 (a float sum makes 0.0 of -0.0)."""
    shape = shape_of(op.operand)
    kind = cast(StringAttr, op.properties["kind"]).data
    if any(shape[axis] != 1 for axis in ints(op.axes)) or not is_static(op.operand):
        return None
    if kind == "sum" and _is_float(op.operand):
        return None
    if op.operand.type == op.result.type:
        return op.operand
    return b.make(nd.ReshapeOp, (op.operand,), op.result.type)


def is_identity_matrix(value: SSAValue) -> bool:
    """Whether `value` is a constant square matrix with ones on its diagonal, else zeros."""
    constant = producer(value, nd.ConstantOp)
    shape = shape_of(value)
    if constant is None or len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        return False
    dense = constant.properties["value"]
    if not isinstance(dense, DenseIntOrFPElementsAttr):
        return False
    elements = cast("list[list[int]]", from_dense(cast(Attribute, dense)).tolist())
    return all(
        element == (i == j) for i, row in enumerate(elements) for j, element in enumerate(row)
    )


def product_with_identity(op: DotGeneralOp, _: NdRewriter) -> SSAValue | None:
    """x @ eye -> x on integers (floats: inf * 0 is NaN)."""
    if _is_float(op.result) or ints(op.lhs_batch):
        return None
    sides = ((op.lhs, op.lhs_contract, op.rhs, True), (op.rhs, op.rhs_contract, op.lhs, False))
    for x, contract, eye, last in sides:
        axes = ints(contract)
        end = len(shape_of(x)) - 1 if last else 0
        if axes == (end,) and x.type == op.result.type and is_identity_matrix(eye):
            return x
    return None


def dim_known(op: nd.DimOp, b: NdRewriter) -> SSAValue | None:
    """The size of an axis that is not `?`."""
    from_type = shape_of(op.operand)[axis_of(op)]
    return None if from_type == DYNAMIC_INDEX else b.index(from_type)


def _inverse(kind: type[Operation]) -> Pattern:
    """to_index(from_index x), from_index(to_index x) -> x."""

    def pattern(op: Operation, _: NdRewriter) -> SSAValue | None:
        inner = producer(op.operands[0], kind)
        return inner.operand if inner else None

    return pattern


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    nd.TransposeOp: (transpose_chain, transpose_of_broadcast),
    nd.ReshapeOp: (reshape_chain, reshape_of_splat),
    nd.BroadcastOp: (broadcast_chain, broadcast_of_units),
    nd.ReverseOp: (reverse_chain,),
    nd.ConcatOp: (concat_inputs,),
    nd.PadOp: (pad_chain,),
    nd.DimOp: (dim_known,),
    nd.ToIndexOp: (_inverse(nd.FromIndexOp),),
    nd.FromIndexOp: (_inverse(nd.ToIndexOp),),
    ReduceOp: (reduce_nothing,),
    DotGeneralOp: (product_with_identity,),
}
