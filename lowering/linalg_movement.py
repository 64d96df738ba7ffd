"""`nd-to-linalg`: ops that make, move or choose elements.

Ops that only rename indices (broadcast, transpose, reverse, adding and dropping dims of size 1)
become generics that yield their input, so that fusion sees through them. Slices are views
(`tensor.extract_slice`), joins are writes into one new tensor (`tensor.insert_slice`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from lamina.dialects import arith, linalg
from lamina.dialects.generics import is_movement, maps_of, scalar_constant
from lamina.dialects.nd import shape as nd
from lamina.dialects.nd.base import element_of, ints, is_bool, is_float, shape_of
from lamina.lowering.builder import INDEX, Builder, segments
from lamina.lowering.linalg_builder import (
    LinalgBuilder,
    Rule,
    Size,
    Sizes,
    affine_map,
    compute_element,
    dense_i64,
    dims_map,
    lower_type,
    memory_element,
    to_memory,
)

Operands = Sequence[SSAValue]


def _axis(op: Operation) -> int:
    return cast(IntegerAttr[IntegerType], op.properties["axis"]).value.data


def _with_sizes(type: TensorType[Attribute], dynamic: Sequence[SSAValue]) -> Sizes:
    """The sizes of a result whose `?` are given by operands."""
    left = iter(dynamic)
    return tuple(next(left) if d == DYNAMIC_INDEX else d for d in type.get_shape())


def lower_constant(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """`arith.constant` with the element type of memory."""
    value, type = op.properties["value"], cast("TensorType[Attribute]", op.results[0].type)
    lowered = cast("TensorType[IntegerType]", lower_type(type))
    if isinstance(value, DenseResourceAttr):
        value = DenseResourceAttr(value.resource_handle, lowered)
    elif lowered != type:
        assert isinstance(value, DenseIntOrFPElementsAttr)
        data = [int(v) for v in cast("Sequence[int]", value.get_values())]
        data = (
            [int(v != 0) for v in data] if is_bool(type.element_type) else _wrapped(data, lowered)
        )
        value = DenseIntOrFPElementsAttr.from_list(lowered, data)
    result = b.value(arith.ConstantOp, (), lowered, {"value": value})
    return b.known(result, type.get_shape())


def _wrapped(data: Sequence[int], type: TensorType[IntegerType]) -> list[int]:
    width = type.element_type.width.data
    return [((v + (1 << (width - 1))) & ((1 << width) - 1)) - (1 << (width - 1)) for v in data]


def lower_iota(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic that yields `linalg.index`."""
    element = element_of(op.results[0])
    axis = _axis(op)

    def body(inner: Builder, args: Operands) -> SSAValue:
        index = inner.value(linalg.IndexOp, (), INDEX, {"dim": IntegerAttr(axis, i64)})
        number = inner.cast(arith.IndexCastOp, index, i64)
        if is_float(element):
            value = inner.cast(arith.SIToFPOp, number, compute_element(element))
            return to_memory(inner, value, element)
        target = memory_element(element)
        return number if target == i64 else inner.cast(arith.TruncIOp, number, target)

    sizes = _with_sizes(cast("TensorType[Attribute]", op.results[0].type), operands)
    return b.map([], sizes, memory_element(element), body)


def lower_dim(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """The size, which is known."""
    return b.size_value(b.sizes_of(operands[0])[_axis(op)])


def lower_from_index(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """`tensor.from_elements`."""
    number = b.cast(arith.IndexCastOp, operands[0], i64)
    type = lower_type(op.results[0].type)
    return b.known(b.value(tensor.FromElementsOp, (number,), type), ())


def lower_to_index(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """`tensor.extract`."""
    number = b.value(tensor.ExtractOp, (operands[0],), i64)
    return b.cast(arith.IndexCastOp, number, INDEX)


def _yield_input(_: Builder, args: Operands) -> SSAValue:
    return args[0]


def _move(b: LinalgBuilder, value: SSAValue, sizes: Sizes, source: AffineMap) -> SSAValue:
    """A generic that reads element `source(d)` at each place `d`."""
    return b.map([(value, source)], sizes, element_of(value), _yield_input)


def lower_broadcast(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic whose input map leaves out the stretched dims."""
    value, dims = operands[0], ints(op.properties["dims"])
    result = shape_of(op.results[0])
    sources: list[AffineExpr | int] = []
    for size, dim in zip(shape_of(value), dims, strict=True):
        stretched = size == 1 and result[dim] != 1
        sources.append(0 if stretched else AffineExpr.dimension(dim))
    sizes = _with_sizes(cast("TensorType[Attribute]", op.results[0].type), operands[1:])
    return _move(b, value, sizes, affine_map(len(result), sources))


def lower_transpose(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic with a permuted input map."""
    return permuted(b, operands[0], ints(op.properties["permutation"]))


def permuted(b: LinalgBuilder, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    """`value` with axis `permutation[d]` at place d."""
    sizes = b.sizes_of(value)
    inverse = [permutation.index(axis) for axis in range(len(permutation))]
    source = dims_map(len(permutation), inverse)
    return _move(b, value, tuple(sizes[axis] for axis in permutation), source)


def lower_reverse(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A generic that reads from the end; the index is computed where the size is dynamic."""
    axes, sizes = ints(op.properties["axes"]), b.sizes_of(operands[0])
    rank = len(sizes)
    if all(isinstance(sizes[axis], int) for axis in axes):
        sources = [
            AffineExpr.constant(cast(int, size) - 1) - AffineExpr.dimension(d)
            if d in axes
            else AffineExpr.dimension(d)
            for d, size in enumerate(sizes)
        ]
        return _move(b, operands[0], sizes, AffineMap(rank, 0, tuple(sources)))
    values = {axis: b.size_value(sizes[axis]) for axis in axes}

    def body(inner: Builder, args: Operands) -> SSAValue:
        indices: list[SSAValue] = []
        for d in range(rank):
            index = inner.value(linalg.IndexOp, (), INDEX, {"dim": IntegerAttr(d, i64)})
            if d in axes:
                last = inner.int_op("sub", values[d], inner.index(1))
                index = inner.int_op("sub", last, index)
            indices.append(index)
        return inner.value(tensor.ExtractOp, (operands[0], *indices), element_of(operands[0]))

    return b.map([], sizes, element_of(operands[0]), body)


def same_but_units(source: Sequence[int], target: Sequence[int]) -> bool:
    """Whether two shapes differ by dims of size 1 only."""
    return [d for d in source if d != 1] == [d for d in target if d != 1]


def lower_reshape(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A window at a run-time place without its dims of size 1 is a window; else a generic when only
    such dims come or go, else collapse to one dim and expand."""
    value, target = operands[0], cast("TensorType[Attribute]", op.results[0].type)
    source, shape = shape_of(value), target.get_shape()
    sizes = _with_sizes(target, operands[1:])
    # of several `?` only equal sizes tell that each stays where it is
    known = [size for size in b.sizes_of(value) if size != 1]
    kept_sizes = source.count(DYNAMIC_INDEX) < 2 or known == [size for size in sizes if size != 1]
    if source == shape and kept_sizes:
        return value
    if (window := without_units(b, value, shape)) is not None:
        return window
    if same_but_units(source, shape) and kept_sizes:
        kept = iter([d for d, size in enumerate(shape) if size != 1])
        exprs: list[AffineExpr | int] = [
            0 if size == 1 else AffineExpr.dimension(next(kept)) for size in source
        ]
        return _move(b, value, sizes, affine_map(len(shape), exprs))
    flat, total = collapse_all(b, value), prod(shape)
    if DYNAMIC_INDEX not in shape and shape_of(flat) == (DYNAMIC_INDEX,):
        flat = extract_slice(b, flat, (0,), (total,), (1,))  # its size, which a check has compared
    return expand_shape(b, flat, sizes)


def without_units(b: LinalgBuilder, value: SSAValue, shape: Sequence[int]) -> SSAValue | None:
    """The `tensor.extract_slice` behind `value` again, with all its dims of size 1 dropped; None
    where `shape` is not that, or where no offset is a run-time one (a read through a map is as
    good, and fuses)."""
    owner = value.owner
    if not isinstance(owner, tensor.ExtractSliceOp) or not owner.offsets:
        return None
    sizes = tuple(size for size in b.sizes_of(value) if size != 1)
    if len(owner.static_sizes) != len(shape_of(value)) or 1 in shape:
        return None
    if [s for s in shape_of(value) if s != 1] != list(shape):
        return None
    type = b.typed(sizes, element_of(value))
    return b.known(b.value(tensor.ExtractSliceOp, owner.operands, type, owner.properties), sizes)


def with_units(b: LinalgBuilder, value: SSAValue) -> SSAValue:
    """What a generic of `lower_reshape` gives dims of size 1; else `value` itself."""
    owner = value.owner
    if not isinstance(owner, linalg.GenericOp) or not is_movement(owner):
        return value
    source = owner.inputs[0]
    if 1 in shape_of(source) or len(shape_of(source)) == len(shape_of(value)):
        return value
    kept = [d for d, size in enumerate(b.sizes_of(value)) if size != 1]
    moved = maps_of(owner)[0] == dims_map(len(shape_of(value)), kept)
    return source if moved and len(kept) == len(shape_of(source)) else value


def _reassociation(groups: Sequence[Sequence[int]]) -> ArrayAttr[Attribute]:
    return ArrayAttr([ArrayAttr([IntegerAttr(d, i64) for d in group]) for group in groups])


def collapse_all(b: LinalgBuilder, value: SSAValue) -> SSAValue:
    """`value` with one dim."""
    sizes, element = b.sizes_of(value), element_of(value)
    if len(sizes) == 1:
        return value
    total: Size = 1
    for size in sizes:
        total = b.arith("mul", total, size)
    if not sizes:
        return expand_shape(b, value, (1,))
    groups = _reassociation([range(len(sizes))])
    flat = b.value(
        tensor.CollapseShapeOp, (value,), b.typed((total,), element), {"reassociation": groups}
    )
    return b.known(flat, (total,))


def expand_shape(b: LinalgBuilder, value: SSAValue, sizes: Sizes) -> SSAValue:
    """A value of one dim (or none) with the dims `sizes`."""
    rank, element = len(b.sizes_of(value)), element_of(value)
    if not sizes:
        groups = _reassociation([])
        result = b.value(
            tensor.CollapseShapeOp, (value,), b.typed((), element), {"reassociation": groups}
        )
        return b.known(result, ())
    if rank == len(sizes) == 1:
        return value
    groups = _reassociation([range(len(sizes))] if rank else [])
    dynamic = tuple(s for s in sizes if not isinstance(s, int))
    static = [s if isinstance(s, int) else DYNAMIC_INDEX for s in sizes]
    result = b.value(
        tensor.ExpandShapeOp,
        (value, *dynamic),
        b.typed(sizes, element),
        {"reassociation": groups, "static_output_shape": dense_i64(static)},
    )
    return b.known(result, sizes)


def expand_dims(b: LinalgBuilder, value: SSAValue, axis: int, outer: int) -> SSAValue:
    """Axis `axis` split in two, of sizes `outer` and the rest."""
    sizes = b.sizes_of(value)
    size = sizes[axis]
    inner = b.arith("divu", size, outer)
    split = (*sizes[:axis], outer, inner, *sizes[axis + 1 :])
    groups = [[d] for d in range(axis)] + [[axis, axis + 1]]
    groups += [[d + 1] for d in range(axis + 1, len(sizes))]
    dynamic = tuple(s for s in split if not isinstance(s, int))
    static = [s if isinstance(s, int) else DYNAMIC_INDEX for s in split]
    result = b.value(
        tensor.ExpandShapeOp,
        (value, *dynamic),
        b.typed(split, element_of(value)),
        {"reassociation": _reassociation(groups), "static_output_shape": dense_i64(static)},
    )
    return b.known(result, split)


def merge_dims(b: LinalgBuilder, value: SSAValue, axis: int) -> SSAValue:
    """Axes `axis` and `axis + 1` as one."""
    sizes = b.sizes_of(value)
    merged = (*sizes[:axis], b.arith("mul", sizes[axis], sizes[axis + 1]), *sizes[axis + 2 :])
    groups = [[d] for d in range(axis)] + [[axis, axis + 1]]
    groups += [[d] for d in range(axis + 2, len(sizes))]
    result = b.value(
        tensor.CollapseShapeOp,
        (value,),
        b.typed(merged, element_of(value)),
        {"reassociation": _reassociation(groups)},
    )
    return b.known(result, merged)


def extract_slice(
    b: LinalgBuilder,
    value: SSAValue,
    offsets: Sizes,
    sizes: Sizes,
    strides: Sequence[int],
) -> SSAValue:
    """`tensor.extract_slice`."""
    dynamic, static = _split(offsets, sizes)
    result = b.value(
        tensor.ExtractSliceOp,
        (value, *dynamic[0], *dynamic[1]),
        b.typed(sizes, element_of(value)),
        {
            "static_offsets": dense_i64(static[0]),
            "static_sizes": dense_i64(static[1]),
            "static_strides": dense_i64(strides),
            "operandSegmentSizes": segments(1, len(dynamic[0]), len(dynamic[1]), 0),
        },
    )
    return b.known(result, sizes)


def insert_slice(
    b: LinalgBuilder, value: SSAValue, into: SSAValue, offsets: Sizes, sizes: Sizes | None = None
) -> SSAValue:
    """`tensor.insert_slice` of the whole of `value` at `offsets`.

    sizes: those of the window, where `value` has not its dims of size 1.
    """
    sizes = b.sizes_of(value) if sizes is None else sizes
    dynamic, static = _split(offsets, sizes)
    result = b.value(
        tensor.InsertSliceOp,
        (value, into, *dynamic[0], *dynamic[1]),
        into.type,
        {
            "static_offsets": dense_i64(static[0]),
            "static_sizes": dense_i64(static[1]),
            "static_strides": dense_i64([1] * len(sizes)),
            "operandSegmentSizes": segments(1, 1, len(dynamic[0]), len(dynamic[1]), 0),
        },
    )
    return b.known(result, b.sizes_of(into))


def _split(*groups: Sizes) -> tuple[list[list[SSAValue]], list[list[int]]]:
    """(the dynamic values, the static ints with a mark for dynamic) of each group."""
    dynamic = [[s for s in group if not isinstance(s, int)] for group in groups]
    static = [[s if isinstance(s, int) else DYNAMIC_INDEX for s in group] for group in groups]
    return dynamic, static


def lower_slice(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """`tensor.extract_slice` with static offsets and strides."""
    starts, limits, strides = (
        ints(op.properties[name]) for name in ("starts", "limits", "strides")
    )
    sizes: list[Size] = []
    known = b.sizes_of(operands[0])
    for size, start, limit, stride in zip(known, starts, limits, strides, strict=True):
        span = b.arith("sub", size if limit == -1 else limit, start)
        sizes.append(b.arith("divu", b.arith("add", span, stride - 1), stride))
    return extract_slice(b, operands[0], starts, tuple(sizes), strides)


MOST_COLUMNS = 4
"""Operands of size 1 along the last axis up to which a concatenation is a choice by that axis."""


def _columns(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A concatenation of columns: one generic that fuses with what makes them. Slices of one
    element a row would be a pass over memory each."""
    sizes, element = b.sizes_of(operands[0]), element_of(operands[0])
    last, count = len(sizes) - 1, len(operands)

    def body(inner: Builder, args: Operands) -> SSAValue:
        index = inner.value(linalg.IndexOp, (), INDEX, {"dim": IntegerAttr(last, i64)})
        number = inner.cast(arith.IndexCastOp, index, i64)
        result = args[-1]
        for column in reversed(range(count - 1)):
            chosen = inner.cmpi("eq", number, inner.number(column, i64))
            result = inner.select(chosen, args[column], result)
        return result

    dims = [AffineExpr.dimension(d) for d in range(last)]
    column = affine_map(len(sizes), (*dims, 0))
    inputs = [(value, column) for value in operands]
    return b.map(inputs, (*sizes[:-1], count), element, body)


def lower_concat(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """`tensor.insert_slice` of each operand into a new tensor."""
    axis = _axis(op)
    columns = 2 <= len(operands) <= MOST_COLUMNS and all(
        len(sizes) == axis + 1 and sizes[-1] == 1 for sizes in map(b.sizes_of, operands)
    )
    if columns:
        return _columns(b, op, operands)
    total: Size = 0
    for value in operands:
        total = b.arith("add", total, b.sizes_of(value)[axis])
    sizes = b.sizes_of(operands[0])
    result = b.empty((*sizes[:axis], total, *sizes[axis + 1 :]), element_of(operands[0]))
    offset: Size = 0
    for value in operands:
        offsets = tuple(offset if d == axis else 0 for d in range(len(sizes)))
        result = insert_slice(b, value, result, offsets)
        offset = b.arith("add", offset, b.sizes_of(value)[axis])
    return result


def pad(
    b: LinalgBuilder, value: SSAValue, number: SSAValue, low: Sequence[int], high: Sequence[int]
) -> SSAValue:
    """`value` inside a tensor filled with `number`."""
    sizes = tuple(
        b.arith("add", size, before + after)
        for size, before, after in zip(b.sizes_of(value), low, high, strict=True)
    )
    return insert_slice(b, value, b.fill(sizes, number), tuple(low))


def lower_pad(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """A tensor of the value, and the operand inside it: a fill where the value is known, which
    readers look through."""
    low, high = ints(op.properties["low"]), ints(op.properties["high"])
    number = scalar_constant(operands[1])
    if number is not None:
        return pad(b, operands[0], b.constant(number, element_of(operands[1])), low, high)
    sizes = tuple(
        b.arith("add", size, before + after)
        for size, before, after in zip(b.sizes_of(operands[0]), low, high, strict=True)
    )
    frame = _move(b, operands[1], sizes, affine_map(len(sizes), ()))
    return insert_slice(b, operands[0], frame, low)


def _clamped(b: LinalgBuilder, start: SSAValue, size: Size, window: Size) -> SSAValue:
    room = b.size_value(b.arith("sub", size, window))
    return b.int_op("maxs", b.int_op("mins", start, room), b.index(0))


def lower_dynamic_slice(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """`tensor.extract_slice` at clamped offsets."""
    value, known = operands[0], b.sizes_of(operands[0])
    starts, extents = operands[1 : 1 + len(known)], iter(operands[1 + len(known) :])
    sizes: Sizes = tuple(
        _clamped(b, next(extents), size, 0) if window == -1 else window
        for window, size in zip(ints(op.properties["sizes"]), known, strict=True)
    )
    offsets = tuple(
        _clamped(b, start, size, window)
        for start, size, window in zip(starts, known, sizes, strict=True)
    )
    return extract_slice(b, value, offsets, sizes, [1] * len(sizes))


def lower_dynamic_update_slice(b: LinalgBuilder, op: Operation, operands: Operands) -> SSAValue:
    """`tensor.insert_slice` at clamped offsets."""
    value, update, starts = operands[0], operands[1], operands[2:]
    sizes = b.sizes_of(update)
    offsets = tuple(
        _clamped(b, start, size, window)
        for start, size, window in zip(starts, b.sizes_of(value), sizes, strict=True)
    )
    return insert_slice(b, with_units(b, update), value, offsets, sizes)


RULES: dict[type[Operation], Rule] = {
    nd.ConstantOp: lower_constant,
    nd.IotaOp: lower_iota,
    nd.DimOp: lower_dim,
    nd.FromIndexOp: lower_from_index,
    nd.ToIndexOp: lower_to_index,
    nd.BroadcastOp: lower_broadcast,
    nd.ReshapeOp: lower_reshape,
    nd.TransposeOp: lower_transpose,
    nd.ReverseOp: lower_reverse,
    nd.ConcatOp: lower_concat,
    nd.PadOp: lower_pad,
    nd.SliceOp: lower_slice,
    nd.DynamicSliceOp: lower_dynamic_slice,
    nd.DynamicUpdateSliceOp: lower_dynamic_update_slice,
}
