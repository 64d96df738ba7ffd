"""`bufferize`, the part for kernels: destination style is rewritten one to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import FunctionType, MemRefType, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import linalg, memref
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import (
    buffer_type,
    memref_type,
    offset_of,
    strided_type,
    strides_of,
    subview_type,
)
from lamina.lowering.builder import NO_PROPERTIES, Builder, segments

Values = dict[SSAValue, SSAValue]


def bufferize_kernel(kernel: func.FuncOp, types: Sequence[Attribute]) -> None:
    """Rewrite `kernel` in place; `types` are the argument types that its callers pass."""
    old = kernel.body.block
    new = Block(arg_types=types)
    values: Values = dict(zip(old.args, new.args, strict=True))
    b = Builder(kernel.location)
    for op in old.ops:
        b.location = op.location
        _KERNEL_OPS.get(type(op), _keep)(op, b, values)
    new.add_ops(b.ops)
    kernel.properties["function_type"] = FunctionType.from_lists(list(types), [])
    kernel.detach_region(kernel.body)
    kernel.add_region(Region(new))


def _keep(op: Operation, b: Builder, values: Values) -> None:
    """An op on scalars."""
    if any(isinstance(result.type, MemRefType) for result in op.results) or op.regions:
        raise LoweringError(
            f"bufferize: expected an op of a kernel, found {op.name}", place=place_of(op.location)
        )
    clone = op.clone(values)
    b.ops.append(clone)
    values.update(zip(op.results, clone.results, strict=True))


def alloc(b: Builder, type: Attribute, sizes: Sequence[SSAValue]) -> SSAValue:
    """`memref.alloc`, aligned to a cache line."""
    op = memref.AllocOp.create(
        operands=tuple(sizes),
        result_types=(type,),
        properties={"operandSegmentSizes": segments(len(sizes), 0)},
        location=b.location,
    )
    b.ops.append(op)
    return op.memref


def _empty(op: Operation, b: Builder, values: Values) -> None:
    values[op.results[0]] = alloc(
        b, buffer_type(op.results[0].type), [values[size] for size in op.operands]
    )


def _dim(op: Operation, b: Builder, values: Values) -> None:
    values[op.results[0]] = b.value(
        memref.DimOp, [values[operand] for operand in op.operands], op.results[0].type
    )


def take_body(op: Operation, values: Values) -> Region:
    """The body of a generic, reading buffers: `tensor.extract` becomes `memref.load`."""
    region = op.detach_region(op.regions[0])
    for inner in list(region.walk()):
        for i, operand in enumerate(inner.operands):
            if operand in values:
                inner.operands[i] = values[operand]
        if isinstance(inner, tensor.ExtractOp):
            load = memref.LoadOp.create(
                operands=inner.operands,
                result_types=[inner.result.type],
                location=inner.location,
            )
            block = inner.parent
            assert block is not None
            block.insert_ops_before([load], inner)
            inner.result.replace_all_uses_with(load.results[0])
            inner.detach()
            inner.erase()
    return region


def _structured(op: Operation, b: Builder, values: Values) -> None:
    """A generic or fill: no results, its outputs are buffers."""
    assert isinstance(op, linalg.GenericOp | linalg.FillOp)
    for result, out in zip(op.results, op.outputs, strict=True):
        values[result] = values[out]
    b.add(
        type(op),
        [values[operand] for operand in op.operands],
        (),
        op.properties,
        (take_body(op, values),),
    )


def _insert_slice(op: Operation, b: Builder, values: Values) -> None:
    """The padded input of a contraction: a copy into the middle of a filled buffer."""
    assert isinstance(op, tensor.InsertSliceOp)
    into = values[op.dest]
    values[op.result] = into
    b.add(memref.CopyOp, (values[op.source], subview(op, into, b, values)))


def subview(
    op: tensor.InsertSliceOp | tensor.ExtractSliceOp, source: SSAValue, b: Builder, values: Values
) -> SSAValue:
    """The `memref.subview` of `source` at the place that `op` names, of the shape of its window:
    dims of size 1 may be missing."""
    dynamic = [values[v] for v in (*op.offsets, *op.sizes, *op.strides)]
    static = (op.static_offsets, op.static_sizes, op.static_strides)
    rank = len(memref_type(source).get_shape())
    if any(len(part) != rank for part in static):
        raise LoweringError(
            f"bufferize: expected {rank} offsets, sizes and strides, found "
            f"{', '.join(str(len(part)) for part in static)}",
            place=place_of(op.location),
        )
    type = subview_type(memref_type(source), *(s.get_values() for s in static))
    window = op.source if isinstance(op, tensor.InsertSliceOp) else op.result
    if len(shape := cast("TensorType[Attribute]", window.type).get_shape()) < rank:
        kept = [d for d, size in enumerate(type.get_shape()) if size != 1]
        assert len(kept) == len(shape)
        strides = [strides_of(type)[d] for d in kept]
        type = strided_type(type.element_type, shape, strides, offset_of(type))
    properties = {
        "static_offsets": static[0],
        "static_sizes": static[1],
        "static_strides": static[2],
        "operandSegmentSizes": segments(1, len(op.offsets), len(op.sizes), len(op.strides)),
    }
    return b.value(memref.SubviewOp, (source, *dynamic), type, properties)


def _return(op: Operation, b: Builder, values: Values) -> None:
    b.add(func.ReturnOp, (), (), NO_PROPERTIES)


_KERNEL_OPS: dict[type[Operation], Callable[[Operation, Builder, Values], None]] = {
    tensor.EmptyOp: _empty,
    tensor.DimOp: _dim,
    tensor.InsertSliceOp: _insert_slice,
    linalg.GenericOp: _structured,
    linalg.FillOp: _structured,
    func.ReturnOp: _return,
}
