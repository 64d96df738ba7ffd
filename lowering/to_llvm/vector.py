"""`vector` to llvm: 1-d vectors of fixed width.

Loads and stores are aligned to the element, or to the operation's `alignment`; `index` is i64.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    VectorType,
    i16,
    i32,
    i64,
)
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import llvm
from lamina.dialects.type_tests import is_integer, is_vector
from lamina.lowering.to_llvm.arith import fast_math
from lamina.lowering.to_llvm.builder import NO_OVERFLOW, NO_TRUNC_FLAGS, Builder
from lamina.lowering.to_llvm.memref import alignment_of, element_address
from lamina.lowering.to_llvm.state import FunctionLowering, Handler, fail
from lamina.lowering.to_llvm.types import I1, convert_type, dense, mangle

DYNAMIC = -(2**63)  # a position that is an operand


def splat(b: Builder, value: SSAValue, type: VectorType) -> SSAValue:
    """A vector of equal elements; of a constant, a constant."""
    owner = value.owner
    if isinstance(owner, llvm.ConstantOp):
        attr = owner.properties["value"]
        assert isinstance(attr, IntegerAttr | FloatAttr)
        number = attr.value.data
        return b.constant(dense(type, [number]), type)
    nothing = b.undefined(type)
    first = b.emit(llvm.InsertElementOp, (nothing, value, b.integer(0)), type)
    mask = DenseArrayBase.from_list(i32, [0] * type.shape.data[0].data)
    return b.emit(llvm.ShuffleVectorOp, (first, nothing), type, {"mask": mask})


def vector_type(op: Operation, type: Attribute) -> VectorType:
    """The llvm type of a vector, which must have one dimension."""
    if not is_vector(type) or len(type.shape) != 1:
        fail(op, f"expected a 1-d vector, found {type}")
    converted = convert_type(type)
    assert is_vector(converted)
    return converted


def _memory_type(op: Operation, type: Attribute) -> VectorType:
    converted = vector_type(op, type)
    if converted.element_type == I1:
        fail(op, "expected elements of whole bytes (bool is i8 in memory), found i1")
    return converted


# memory


def _vector_address(f: FunctionLowering, op: Operation, first: int, count: int) -> SSAValue:
    """The address of the vector: operand `first` is the memref, `count` indices follow."""
    operands = op.operands
    buffer = f.buffers[operands[first]]
    if buffer.strides and buffer.strides[-1] != 1 and buffer.sizes[-1] != 1:
        fail(op, f"expected a memref with unit stride, found {operands[first].type}")
    return element_address(f, buffer, operands[first + 1 : first + 1 + count])


def lower_load(f: FunctionLowering, op: Operation) -> None:
    """vector.load"""
    type = _memory_type(op, op.results[0].type)
    address = _vector_address(f, op, 0, len(op.operands) - 1)
    f.values[op.results[0]] = f.b.load(address, type, alignment_of(op, type.element_type))


def lower_store(f: FunctionLowering, op: Operation) -> None:
    """vector.store, perhaps one that passes the caches by; then the function ends with a fence."""
    type = _memory_type(op, op.operands[0].type)
    address = _vector_address(f, op, 1, len(op.operands) - 2)
    hint = op.properties.get("nontemporal")
    streams = isinstance(hint, IntegerAttr) and bool(hint.value.data)
    f.streams |= streams
    alignment = alignment_of(op, type.element_type)
    f.b.store(f.get(op.operands[0]), address, alignment, streams=streams)


def lower_masked_load(f: FunctionLowering, op: Operation) -> None:
    """vector.maskedload: lanes that are off are not touched and take the pass-through value."""
    operands = op.operands
    type = _memory_type(op, op.results[0].type)
    address = _vector_address(f, op, 0, len(operands) - 3)
    mask, other = f.get(operands[-2]), f.get(operands[-1])
    bits = _as_integers(type)
    if bits != type:
        other = f.b.emit(llvm.BitcastOp, (other,), bits)
    name = f"llvm.masked.load.{mangle(bits)}.p0"
    value = f.b.call_intrinsic(name, (address, mask, other), bits)
    if bits != type:
        value = f.b.emit(llvm.BitcastOp, (value,), type)
    f.values[op.results[0]] = value


def lower_masked_store(f: FunctionLowering, op: Operation) -> None:
    """vector.maskedstore: lanes that are off are not touched."""
    operands = op.operands
    type = _memory_type(op, operands[-1].type)
    address = _vector_address(f, op, 0, len(operands) - 3)
    mask, value = f.get(operands[-2]), f.get(operands[-1])
    bits = _as_integers(type)
    if bits != type:
        value = f.b.emit(llvm.BitcastOp, (value,), bits)
    f.b.effect_intrinsic(f"llvm.masked.store.{mangle(bits)}.p0", (value, address, mask))


def _as_integers(type: VectorType) -> VectorType:
    """bf16 goes through memory as i16: not every target has masked moves of bf16."""
    if isinstance(type.element_type, BFloat16Type):
        return VectorType(i16, type.shape)
    return type


# making vectors


def lower_broadcast(f: FunctionLowering, op: Operation) -> None:
    """vector.broadcast of a scalar."""
    type = vector_type(op, op.results[0].type)
    x = f.get(op.operands[0])
    if is_vector(x.type):
        if x.type != type:
            fail(op, f"expected a scalar, found {x.type}")
        f.values[op.results[0]] = x
        return
    f.values[op.results[0]] = splat(f.b, x, type)


def lower_step(f: FunctionLowering, op: Operation) -> None:
    """vector.step: 0, 1, 2, ..."""
    type = vector_type(op, op.results[0].type)
    f.values[op.results[0]] = f.b.constant(dense(type, range(type.shape.data[0].data)), type)


def lower_create_mask(f: FunctionLowering, op: Operation) -> None:
    """vector.create_mask: the first n lanes on; n is clamped, so that 32 bits suffice."""
    type = vector_type(op, op.results[0].type)
    lanes, b = type.shape.data[0].data, f.b
    n = f.number(op.operands[0])
    if isinstance(n, int):
        f.values[op.results[0]] = b.constant(dense(type, [int(k < n) for k in range(lanes)]), type)
        return
    low = b.call_intrinsic("llvm.smax.i64", (n, b.integer(0)), i64)
    clamped = b.call_intrinsic("llvm.smin.i64", (low, b.integer(lanes)), i64)
    narrow = b.emit(llvm.TruncOp, (clamped,), i32, NO_TRUNC_FLAGS)
    numbers = VectorType(i32, type.shape)
    steps = b.constant(dense(numbers, range(lanes)), numbers)
    f.values[op.results[0]] = b.compare("slt", steps, splat(b, narrow, numbers))


# elements


def _position(f: FunctionLowering, op: Operation, dynamic: Sequence[SSAValue]) -> SSAValue:
    positions = op.properties["static_position"]
    assert isinstance(positions, DenseArrayBase)
    (position,) = positions.get_values()
    return f.get(dynamic[0]) if position == DYNAMIC else f.b.integer(int(position))


def lower_extract(f: FunctionLowering, op: Operation) -> None:
    """vector.extract of one element."""
    type = vector_type(op, op.operands[0].type)
    x, position = f.get(op.operands[0]), _position(f, op, op.operands[1:])
    f.values[op.results[0]] = f.b.emit(llvm.ExtractElementOp, (x, position), type.element_type)


def lower_insert(f: FunctionLowering, op: Operation) -> None:
    """vector.insert of one element."""
    type = vector_type(op, op.results[0].type)
    element, x = f.get(op.operands[0]), f.get(op.operands[1])
    position = _position(f, op, op.operands[2:])
    f.values[op.results[0]] = f.b.emit(llvm.InsertElementOp, (x, element, position), type)


def lower_shuffle(f: FunctionLowering, op: Operation) -> None:
    """vector.shuffle of two vectors of one length."""
    a, b = (f.get(operand) for operand in op.operands)
    type = vector_type(op, op.results[0].type)
    if a.type != b.type:
        fail(op, f"expected vectors of one length, found {a.type}, {b.type}")
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    lanes = DenseArrayBase.from_list(i32, [int(k) for k in mask.get_values()])
    f.values[op.results[0]] = f.b.emit(llvm.ShuffleVectorOp, (a, b), type, {"mask": lanes})


# reductions

_INTEGER_KINDS: dict[str, tuple[str, type[Operation] | None]] = {
    "add": ("add", llvm.AddOp),
    "mul": ("mul", llvm.MulOp),
    "and": ("and", llvm.AndOp),
    "or": ("or", llvm.OrOp),
    "xor": ("xor", llvm.XOrOp),
    "minsi": ("smin", None),
    "maxsi": ("smax", None),
    "minui": ("umin", None),
    "maxui": ("umax", None),
}
_FLOAT_KINDS = {
    "maximumf": ("fmaximum", "maximum"),
    "minimumf": ("fminimum", "minimum"),
    "maxnumf": ("fmax", "maxnum"),
    "minnumf": ("fmin", "minnum"),
}


def lower_reduction(f: FunctionLowering, op: Operation) -> None:
    """vector.reduction; a float sum or product without `reassoc` goes lane by lane, in order."""
    kind = op.properties["kind"]
    assert isinstance(kind, CombiningKindAttr)
    x, name = f.get(op.operands[0]), kind.data.value
    vector = vector_type(op, x.type)
    type, suffix, b = vector.element_type, mangle(vector), f.b
    accumulator = f.get(op.operands[1]) if len(op.operands) == 2 else None
    flags = fast_math(op)["fastmathFlags"]
    result = op.results[0]
    if not is_integer(type) and name in ("add", "mul"):
        if accumulator is None:
            accumulator = b.float(-0.0 if name == "add" else 1.0, type)
        operands = (accumulator, x)
        f.values[result] = b.call_intrinsic(
            f"llvm.vector.reduce.f{name}.{suffix}", operands, type, flags
        )
        return
    if name in _FLOAT_KINDS:
        reducer, scalar = _FLOAT_KINDS[name]
        value = b.call_intrinsic(f"llvm.vector.reduce.{reducer}.{suffix}", (x,), type, flags)
        if accumulator is not None:
            value = b.call_intrinsic(
                f"llvm.{scalar}.{mangle(type)}", (value, accumulator), type, flags
            )
        f.values[result] = value
        return
    reducer, cls = _INTEGER_KINDS[name]
    value = b.call_intrinsic(f"llvm.vector.reduce.{reducer}.{suffix}", (x,), type)
    if accumulator is not None:
        if cls is None:
            value = b.call_intrinsic(f"llvm.{reducer}.{mangle(type)}", (value, accumulator), type)
        else:
            flag = NO_OVERFLOW if cls in (llvm.AddOp, llvm.MulOp) else {}
            value = b.emit(cls, (value, accumulator), type, flag)
    f.values[result] = value


HANDLERS: dict[str, Handler] = {
    "vector.broadcast": lower_broadcast,
    "vector.create_mask": lower_create_mask,
    "vector.extract": lower_extract,
    "vector.insert": lower_insert,
    "vector.load": lower_load,
    "vector.maskedload": lower_masked_load,
    "vector.maskedstore": lower_masked_store,
    "vector.reduction": lower_reduction,
    "vector.shuffle": lower_shuffle,
    "vector.step": lower_step,
    "vector.store": lower_store,
}
