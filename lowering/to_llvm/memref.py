"""`memref` to llvm: address arithmetic on `Buffer`s.

A view is a pointer that has moved, with new sizes and strides; nothing of it exists at run time
until an element is read or written.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import llvm
from lamina.dialects.type_tests import is_memref
from lamina.lowering.to_llvm.state import (
    STATUS_NO_MEMORY,
    Buffer,
    FunctionLowering,
    Handler,
    Number,
    dynamic_strides,
    fail,
)
from lamina.lowering.to_llvm.types import I1, I8, PTR, byte_size, convert_type

PREFETCH_HINTS = "isWrite", "localityHint", "isDataCache"  # in the intrinsic's order
ALIGNMENT = 64  # of every buffer that we allocate, in bytes


def alignment_of(op: Operation, element: Attribute) -> int:
    """Bytes to which an access is aligned: the element's, or what the operation promises."""
    size = byte_size(element)
    promised = op.properties.get("alignment") or op.attributes.get("alignment")
    return max(size, promised.value.data) if isinstance(promised, IntegerAttr) else size


def element_address(f: FunctionLowering, buffer: Buffer, indices: Sequence[SSAValue]) -> SSAValue:
    """The address of the element at `indices`."""
    offset: Number = 0
    b = f.b
    for index, stride in zip(indices, buffer.strides, strict=True):
        offset = b.add(offset, b.mul(f.number(index), stride))
    return b.element(buffer.pointer, offset, buffer.element, inbounds=True)


def _memref_type(op: Operation, type: Attribute) -> MemRefType:
    if not is_memref(type):
        fail(op, f"expected a ranked memref, found {type}")
    return type


def _whole_bytes(op: Operation, element: Attribute) -> None:
    if element == I1:
        fail(op, "expected elements of whole bytes (bool is i8 in memory), found i1")


def _mixed(f: FunctionLowering, op: Operation, name: str, dynamic: list[SSAValue]) -> list[Number]:
    """The numbers of a list property in which a marker stands for the next of `dynamic`."""
    static = op.properties[name]
    assert isinstance(static, DenseArrayBase)
    return [
        f.number(dynamic.pop(0)) if number == DYNAMIC_INDEX else int(number)
        for number in static.get_values()
    ]


# access


def lower_load(f: FunctionLowering, op: Operation) -> None:
    """memref.load"""
    memref, *indices = op.operands
    buffer = f.buffers[memref]
    _whole_bytes(op, buffer.element)
    address = element_address(f, buffer, indices)
    alignment = alignment_of(op, buffer.element)
    f.values[op.results[0]] = f.b.load(address, buffer.element, alignment)


def lower_store(f: FunctionLowering, op: Operation) -> None:
    """memref.store"""
    value, memref, *indices = op.operands
    buffer = f.buffers[memref]
    _whole_bytes(op, buffer.element)
    address = element_address(f, buffer, indices)
    f.b.store(f.get(value), address, alignment_of(op, buffer.element))


def lower_prefetch(f: FunctionLowering, op: Operation) -> None:
    """memref.prefetch"""
    memref, *indices = op.operands
    address = element_address(f, f.buffers[memref], indices)
    hints = [
        f.b.integer(abs(attribute.value.data), i32)
        for attribute in (op.properties[name] for name in PREFETCH_HINTS)
        if isinstance(attribute, IntegerAttr)
    ]
    f.b.effect_intrinsic("llvm.prefetch.p0", (address, *hints))


# allocation


def lower_alloc(f: FunctionLowering, op: Operation) -> None:
    """memref.alloc: a place in scratch or arena, or the heap for sizes known at run time only."""
    type = _memref_type(op, op.results[0].type)
    if not isinstance(type.layout, NoneAttr):
        fail(op, f"expected the identity layout, found {type}")
    b, element = f.b, convert_type(type.element_type)
    _whole_bytes(op, element)
    operands = list(op.operands)
    sizes: list[Number] = [
        f.number(operands.pop(0)) if dim.data == DYNAMIC_INDEX else dim.data
        for dim in type.shape.data
    ]
    count = b.product(sizes)
    heap = None
    if op in f.offsets:
        pointer = b.element(f.memory(), f.offsets[op], I8)
    else:
        pointer = heap = _allocate(f, b.mul(count, byte_size(element)))
        f.live.append(heap)
    strides = f.row_major(sizes)
    f.buffers[op.results[0]] = Buffer(pointer, pointer, element, sizes, strides, heap, f.depth)


def _allocate(f: FunctionLowering, size: Number) -> SSAValue:
    """Aligned heap memory; the function returns STATUS_NO_MEMORY when there is none."""
    b = f.b
    f.needs.add("aligned_alloc")
    padded = b.value(b.add(size, 2 * ALIGNMENT - 1))  # never zero bytes
    rounded = b.emit(llvm.AndOp, (padded, b.integer(-ALIGNMENT)), i64)
    pointer = b.call("aligned_alloc", (b.integer(ALIGNMENT), rounded), PTR)
    failed = b.compare("eq", pointer, b.null())
    f.return_if(failed, b.integer(STATUS_NO_MEMORY, i32))
    return pointer


def lower_alloca(f: FunctionLowering, op: Operation) -> None:
    """memref.alloca of static size: one slot of the function's stack frame."""
    type = _memref_type(op, op.results[0].type)
    sizes = [dim.data for dim in type.shape.data]
    if DYNAMIC_INDEX in sizes or not isinstance(type.layout, NoneAttr):
        fail(op, f"expected static sizes and the identity layout, found {type}")
    element = convert_type(type.element_type)
    _whole_bytes(op, element)
    count = f.b.product(sizes)
    assert isinstance(count, int)
    pointer = f.b.stack_slot(element, max(count, 1), ALIGNMENT)
    f.buffers[op.results[0]] = Buffer(
        pointer, pointer, element, sizes, f.row_major(sizes), None, f.depth
    )


def lower_dealloc(f: FunctionLowering, op: Operation) -> None:
    """memref.dealloc frees at once in the region of the allocation; the region's end does else."""
    buffer = f.buffers[op.operands[0]]
    if buffer.heap is not None and buffer.heap in f.live and buffer.depth == f.depth:
        f.live.remove(buffer.heap)
        f.call_external("free", buffer.heap)


def lower_get_global(f: FunctionLowering, op: Operation) -> None:
    """memref.get_global"""
    type, symbol = _memref_type(op, op.results[0].type), op.properties["name"]
    assert isinstance(symbol, SymbolRefAttr)
    pointer = f.b.address_of(symbol.root_reference.data)
    sizes = [dim.data for dim in type.shape.data]
    f.buffers[op.results[0]] = Buffer(
        pointer, pointer, convert_type(type.element_type), sizes, f.row_major(sizes)
    )


# views


def _moved(f: FunctionLowering, buffer: Buffer, offset: Number) -> SSAValue:
    return f.b.element(buffer.pointer, offset, buffer.element)


def _view(
    buffer: Buffer, pointer: SSAValue, sizes: Sequence[Number], strides: Sequence[Number]
) -> Buffer:
    """A view of the same memory."""
    return Buffer(buffer.base, pointer, buffer.element, sizes, strides, buffer.heap, buffer.depth)


def lower_subview(f: FunctionLowering, op: Operation) -> None:
    """memref.subview, also one that drops unit dimensions."""
    source, *dynamic = op.operands
    buffer, type, b = f.buffers[source], _memref_type(op, op.results[0].type), f.b
    offsets = _mixed(f, op, "static_offsets", dynamic)
    sizes = _mixed(f, op, "static_sizes", dynamic)
    steps = _mixed(f, op, "static_strides", dynamic)
    offset: Number = 0
    for start, stride in zip(offsets, buffer.strides, strict=True):
        offset = b.add(offset, b.mul(start, stride))
    strides = [b.mul(a, c) for a, c in zip(buffer.strides, steps, strict=True)]
    static = op.properties["static_sizes"]
    assert isinstance(static, DenseArrayBase)
    shape = [dim.data for dim in type.shape.data]
    kept = kept_dimensions(shape, [int(size) for size in static.get_values()])
    if kept is None:
        fail(op, f"expected the result to keep or drop unit dimensions, found {type}")
    f.buffers[op.results[0]] = _view(
        buffer, _moved(f, buffer, offset), [sizes[k] for k in kept], [strides[k] for k in kept]
    )


def kept_dimensions(shape: Sequence[int], sizes: Sequence[int]) -> list[int] | None:
    """Which dimensions of `sizes` make up `shape` when unit dimensions are dropped.

    Which of several unit dimensions goes does not matter: their strides are never used.
    """
    kept: list[int] = []
    for k, size in enumerate(sizes):
        if len(kept) < len(shape) and shape[len(kept)] == size:
            kept.append(k)
        elif size != 1:
            return None
    return kept if len(kept) == len(shape) else None


def lower_view(f: FunctionLowering, op: Operation) -> None:
    """memref.view: a typed piece of a buffer of bytes."""
    source, shift, *dynamic = op.operands
    buffer, type = f.buffers[source], _memref_type(op, op.results[0].type)
    sizes = [
        f.number(dynamic.pop(0)) if dim.data == DYNAMIC_INDEX else dim.data
        for dim in type.shape.data
    ]
    pointer = f.b.element(buffer.pointer, f.number(shift), I8)
    element = convert_type(type.element_type)
    f.buffers[op.results[0]] = Buffer(
        pointer, pointer, element, sizes, f.row_major(sizes), buffer.heap, buffer.depth
    )


def lower_reinterpret_cast(f: FunctionLowering, op: Operation) -> None:
    """memref.reinterpret_cast: the offset counts from the start of the allocation."""
    source, *dynamic = op.operands
    buffer = f.buffers[source]
    offsets = _mixed(f, op, "static_offsets", dynamic)
    sizes = _mixed(f, op, "static_sizes", dynamic)
    strides = _mixed(f, op, "static_strides", dynamic)
    if buffer.base is None:
        fail(op, "expected a source whose allocation is known, found a view from outside")
    pointer = f.b.element(buffer.base, offsets[0], buffer.element)
    f.buffers[op.results[0]] = _view(buffer, pointer, sizes, strides)


def _groups(op: Operation) -> list[list[int]]:
    reassociation = op.properties["reassociation"]
    assert isinstance(reassociation, ArrayAttr)
    return [[dim.value.data for dim in group] for group in reassociation.data]  # pyright: ignore


def lower_collapse_shape(f: FunctionLowering, op: Operation) -> None:
    """memref.collapse_shape: a group has the stride of its last dimension that is not 1."""
    buffer = f.buffers[op.operands[0]]
    sizes: list[Number] = []
    strides: list[Number] = []
    for group in _groups(op):
        sizes.append(f.b.product([buffer.sizes[dim] for dim in group]))
        wide = [dim for dim in group if buffer.sizes[dim] != 1] or group
        strides.append(buffer.strides[wide[-1]])
    f.buffers[op.results[0]] = _view(buffer, buffer.pointer, sizes, strides)


def lower_expand_shape(f: FunctionLowering, op: Operation) -> None:
    """memref.expand_shape: each group is row-major within its source dimension."""
    source, *dynamic = op.operands
    buffer = f.buffers[source]
    sizes = _mixed(f, op, "static_output_shape", dynamic)
    strides: list[Number] = [1] * len(sizes)
    for k, group in enumerate(_groups(op)):
        stride = buffer.strides[k]
        for dim in reversed(group):
            strides[dim] = stride
            stride = f.b.mul(stride, sizes[dim]) if dim != group[0] else stride
    f.buffers[op.results[0]] = _view(buffer, buffer.pointer, sizes, strides)


def lower_cast(f: FunctionLowering, op: Operation) -> None:
    """memref.cast: what either type knows is known from here on."""
    buffer, type = f.buffers[op.operands[0]], _memref_type(op, op.results[0].type)
    sizes = [
        size if dim.data == DYNAMIC_INDEX else dim.data
        for dim, size in zip(type.shape.data, buffer.sizes, strict=True)
    ]
    if isinstance(type.layout, NoneAttr):
        strides: Sequence[Number] = f.row_major(sizes)
    else:
        strides = [
            stride if known is None else known
            for known, stride in zip(dynamic_strides(type), buffer.strides, strict=True)
        ]
    f.buffers[op.results[0]] = _view(buffer, buffer.pointer, sizes, strides)


def lower_dim(f: FunctionLowering, op: Operation) -> None:
    """memref.dim with a known dimension."""
    buffer, dim = f.buffers[op.operands[0]], f.numbers.get(op.operands[1])
    if dim is None or not 0 <= dim < len(buffer.sizes):
        fail(op, f"expected a constant dimension below {len(buffer.sizes)}, found {dim}")
    size = buffer.sizes[dim]
    if isinstance(size, int):
        f.numbers[op.results[0]] = size
    else:
        f.values[op.results[0]] = size


def lower_strided_metadata(f: FunctionLowering, op: Operation) -> None:
    """memref.extract_strided_metadata; the offset is part of the base here."""
    buffer = f.buffers[op.operands[0]]
    base, *numbers = op.results
    f.buffers[base] = Buffer(buffer.pointer, buffer.pointer, buffer.element, (), ())
    for result, number in zip(numbers, (0, *buffer.sizes, *buffer.strides), strict=True):
        if isinstance(number, int):
            f.numbers[result] = number
        else:
            f.values[result] = number


def lower_aligned_pointer(f: FunctionLowering, op: Operation) -> None:
    """memref.extract_aligned_pointer_as_index: where the allocation begins."""
    buffer = f.buffers[op.operands[0]]
    if buffer.base is None:
        fail(op, "expected a source whose allocation is known, found a view from outside")
    f.values[op.results[0]] = f.b.emit(llvm.PtrToIntOp, (buffer.base,), i64)


def lower_same_buffer(f: FunctionLowering, op: Operation) -> None:
    """An operation that only says something about a buffer."""
    for result in op.results:
        f.buffers[result] = f.buffers[op.operands[0]]


# copies


def lower_copy(f: FunctionLowering, op: Operation) -> None:
    """memref.copy: memcpy of the longest contiguous run, in loops over the other dimensions."""
    first, second = op.operands
    source, target, b = f.buffers[first], f.buffers[second], f.b
    sizes = [
        a if isinstance(a, int) else c for a, c in zip(source.sizes, target.sizes, strict=True)
    ]
    if 0 in sizes:
        return
    outer = len(sizes)
    run: Number = 1
    contiguous = all(
        isinstance(_memref_type(op, memref.type).layout, NoneAttr) for memref in (first, second)
    )
    while outer and (
        contiguous
        or sizes[outer - 1] == 1
        or (source.strides[outer - 1] == run and target.strides[outer - 1] == run)
    ):
        outer -= 1
        run = b.mul(run, sizes[outer])
    _copy_runs(f, source, target, sizes[:outer], run)


def _copy_runs(
    f: FunctionLowering, source: Buffer, target: Buffer, outer: Sequence[Number], run: Number
) -> None:
    """Copy `run` elements for every index of the outer sizes."""
    b = f.b
    if outer:
        size, *rest = outer
        with b.loop(size) as index:
            _copy_runs(f, _row(f, source, index), _row(f, target, index), rest, run)
        return
    if run == 1:
        size = byte_size(source.element)
        bits = IntegerType(8 * size)  # LLVM rounds a half type where it joins it with a constant
        b.store(b.load(source.pointer, bits, size), target.pointer, size)
        return
    length = b.value(b.mul(run, byte_size(source.element)))
    operands = (target.pointer, source.pointer, length, b.integer(0, I1))
    b.effect_intrinsic("llvm.memcpy.p0.p0.i64", operands)


def _row(f: FunctionLowering, buffer: Buffer, index: SSAValue) -> Buffer:
    """The buffer without its first dimension, at `index` of it."""
    pointer = _moved(f, buffer, f.b.mul(index, buffer.strides[0]))
    return _view(buffer, pointer, buffer.sizes[1:], buffer.strides[1:])


HANDLERS: dict[str, Handler] = {
    "memref.alloc": lower_alloc,
    "memref.alloca": lower_alloca,
    "memref.assume_alignment": lower_same_buffer,
    "memref.cast": lower_cast,
    "memref.collapse_shape": lower_collapse_shape,
    "memref.copy": lower_copy,
    "memref.dealloc": lower_dealloc,
    "memref.dim": lower_dim,
    "memref.expand_shape": lower_expand_shape,
    "memref.extract_aligned_pointer_as_index": lower_aligned_pointer,
    "memref.extract_strided_metadata": lower_strided_metadata,
    "memref.get_global": lower_get_global,
    "memref.load": lower_load,
    "memref.memory_space_cast": lower_same_buffer,
    "memref.prefetch": lower_prefetch,
    "memref.reinterpret_cast": lower_reinterpret_cast,
    "memref.store": lower_store,
    "memref.subview": lower_subview,
    "memref.view": lower_view,
}
