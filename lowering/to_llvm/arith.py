"""`arith` and `math` to llvm, on scalars and 1-d vectors.

Float arithmetic is f32 or f64 here: half types are widened far above, and their casts that are no
machine instructions are expanded by `expand-float-casts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import llvm
from lamina.dialects.type_tests import is_integer, is_vector
from lamina.lowering.to_llvm.builder import (
    EMPTY,
    NO_FASTMATH,
    NO_FLAGS,
    NO_OVERFLOW,
    NO_TRUNC_FLAGS,
    PREDICATES,
)
from lamina.lowering.to_llvm.state import FunctionLowering, Handler, fail
from lamina.lowering.to_llvm.types import (
    I1,
    bfloat_bits,
    bit_width,
    convert_type,
    dense,
    element_of,
    mangle,
)

_FLAGS: dict[object, Mapping[str, Attribute]] = {}
_FULL_PRECISION = (Float32Type, Float64Type)


def fast_math(op: Operation) -> Mapping[str, Attribute]:
    """The fast-math flags of an operation as llvm properties."""
    attr = op.properties.get("fastmath")
    if not isinstance(attr, FastMathFlagsAttr) or not attr.data:
        return NO_FLAGS
    key = frozenset(attr.data)
    if (properties := _FLAGS.get(key)) is None:
        properties = _FLAGS[key] = {"fastmathFlags": llvm.FastMathAttr(attr.data)}
    return properties


def overflow(op: Operation) -> Mapping[str, Attribute]:
    """The overflow flags of an operation as llvm properties."""
    attr = op.properties.get("overflowFlags")
    if not isinstance(attr, IntegerOverflowAttr) or not attr.data:
        return NO_OVERFLOW
    number = (IntegerOverflowFlag.NSW in attr.data) + 2 * (IntegerOverflowFlag.NUW in attr.data)
    return {"overflowFlags": IntegerAttr(number, 32)}


def _check_precision(op: Operation, type: Attribute) -> None:
    if not isinstance(element_of(type), _FULL_PRECISION):
        fail(op, f"expected f32 or f64 arithmetic, found {type}")


# constants


def lower_constant(f: FunctionLowering, op: Operation) -> None:
    """Scalar integers stay Python numbers; the rest is a constant of the entry block."""
    value, result = op.properties["value"], op.results[0]
    if isinstance(value, IntegerAttr):
        f.numbers[result] = value.value.data
        return
    type = convert_type(result.type)
    if isinstance(value, FloatAttr) and type != result.type:
        f.values[result] = f.b.integer(bfloat_bits(value.value.data), type)
        return
    if type != result.type:
        value = as_integers(cast("DenseIntOrFPElementsAttr[Any]", value), type)
    f.values[result] = f.b.constant(cast(Attribute, value), type)


def as_integers(value: DenseIntOrFPElementsAttr[Any], type: Attribute) -> Attribute:
    """A dense constant of index or bf16 elements as one of integers, `type`."""
    if isinstance(value.get_element_type(), BFloat16Type):
        return DenseIntOrFPElementsAttr(cast("VectorType[IntegerType]", type), value.data)
    return dense(type, value.get_values())


def lower_poison(f: FunctionLowering, op: Operation) -> None:
    """ub.poison: any value."""
    f.values[op.results[0]] = f.b.undefined(convert_type(op.results[0].type))


# one llvm operation each


def _integer_binary(
    f: FunctionLowering, op: Operation, cls: type[Operation], properties: Mapping[str, Attribute]
) -> None:
    a, b = op.operands
    x, result = f.get(a), op.results[0]
    f.values[result] = f.b.emit(cls, (x, f.get(b)), x.type, properties)


def _wrapping_binary(f: FunctionLowering, op: Operation, cls: type[Operation]) -> None:
    a, b = op.operands
    x = f.get(a)
    f.values[op.results[0]] = f.b.emit(cls, (x, f.get(b)), x.type, overflow(op))


def _index_arith(f: FunctionLowering, op: Operation, cls: type[Operation]) -> None:
    """addi, subi, muli: on known indices done here and now."""
    a, b = op.operands
    result = op.results[0]
    if isinstance(result.type, IndexType):
        x, y = f.numbers.get(a), f.numbers.get(b)
        if x is not None and y is not None:
            known = x + y if cls is llvm.AddOp else x * y if cls is llvm.MulOp else x - y
            if abs(known) < 2**63:
                f.numbers[result] = known
                return
    _wrapping_binary(f, op, cls)


def _float_binary(f: FunctionLowering, op: Operation, cls: type[Operation]) -> None:
    a, b = op.operands
    x = f.get(a)
    _check_precision(op, op.operands[0].type)
    f.values[op.results[0]] = f.b.emit(cls, (x, f.get(b)), x.type, fast_math(op))


def lower_negf(f: FunctionLowering, op: Operation) -> None:
    """A flip of the sign bit, so any float type will do."""
    x = f.get(op.operands[0])
    if is_integer(element_of(x.type)):  # bf16
        sign = f.b.integer(-(1 << 15), x.type)
        f.values[op.results[0]] = f.b.emit(llvm.XOrOp, (x, sign), x.type)
        return
    f.values[op.results[0]] = f.b.emit(llvm.FNegOp, (x,), x.type, fast_math(op))


def lower_compare(f: FunctionLowering, op: Operation, *, floats: bool) -> None:
    """cmpi and cmpf number their predicates as llvm does."""
    a, b = op.operands
    x, number = f.get(a), op.properties["predicate"]
    assert isinstance(number, IntegerAttr)
    properties = PREDICATES[number.value.data]
    if floats:
        _check_precision(op, op.operands[0].type)
        properties = {**properties, **fast_math(op)}
    type = VectorType(I1, x.type.shape) if is_vector(x.type) else I1
    cls = llvm.FCmpOp if floats else llvm.ICmpOp
    f.values[op.results[0]] = f.b.emit(cls, (x, f.get(b)), type, properties)


def lower_select(f: FunctionLowering, op: Operation) -> None:
    """arith.select on scalars and vectors."""
    cond, a, b = op.operands
    if a in f.buffers:
        fail(op, "expected scalars or vectors, found memrefs")
    x = f.get(a)
    f.values[op.results[0]] = f.b.emit(llvm.SelectOp, (f.get(cond), x, f.get(b)), x.type, NO_FLAGS)


def _integer_cast(
    f: FunctionLowering, op: Operation, cls: type[Operation], properties: Mapping[str, Attribute]
) -> None:
    x = f.get(op.operands[0])
    f.values[op.results[0]] = f.b.emit(cls, (x,), convert_type(op.results[0].type), properties)


def _float_cast(f: FunctionLowering, op: Operation, cls: type[Operation]) -> None:
    """Casts with a float side. bf16 never, and f16 only beside f32, is a machine instruction."""
    source, target = element_of(op.operands[0].type), element_of(op.results[0].type)
    pair = {source.__class__, target.__class__}
    if BFloat16Type in pair or (Float16Type in pair and Float32Type not in pair):
        fail(op, f"expected expand-float-casts to have run, found {source} to {target}")
    x = f.get(op.operands[0])
    f.values[op.results[0]] = f.b.emit(cls, (x,), convert_type(op.results[0].type))


def lower_index_cast(f: FunctionLowering, op: Operation, *, signed: bool) -> None:
    """index is i64: nothing, a truncation or an extension."""
    source, result = op.operands[0], op.results[0]
    if (known := f.numbers.get(source)) is not None and isinstance(result.type, IndexType):
        assert is_integer(source.type)
        f.numbers[result] = known if signed else known % (1 << source.type.width.data)
        return
    x, type = f.get(source), convert_type(result.type)
    width, target = bit_width(element_of(x.type)), bit_width(element_of(type))
    if width == target:
        f.values[result] = x
    elif width > target:
        f.values[result] = f.b.emit(llvm.TruncOp, (x,), type, NO_TRUNC_FLAGS)
    else:
        cls = llvm.SExtOp if signed else llvm.ZExtOp
        f.values[result] = f.b.emit(cls, (x,), type)


def lower_bitcast(f: FunctionLowering, op: Operation) -> None:
    """arith.bitcast and vector.bitcast."""
    x, type = f.get(op.operands[0]), convert_type(op.results[0].type)
    f.values[op.results[0]] = x if x.type == type else f.b.emit(llvm.BitcastOp, (x,), type)


# intrinsics


def _intrinsic(f: FunctionLowering, op: Operation, name: str, *, floats: bool) -> None:
    """An intrinsic of one type, on all operands and the result."""
    operands = [f.get(operand) for operand in op.operands]
    type = operands[0].type
    if floats:
        _check_precision(op, op.operands[0].type)
    flags = fast_math(op)["fastmathFlags"] if floats else NO_FASTMATH
    f.values[op.results[0]] = f.b.call_intrinsic(f"{name}.{mangle(type)}", operands, type, flags)


def lower_copysign(f: FunctionLowering, op: Operation) -> None:
    """The magnitude times 1.0 or -1.0. LLVM's own intrinsic, and bit masks that it takes for it,
    become a call of `__truncdfhf2` that nobody has when a half type is rounded to behind it."""
    magnitude, sign = (f.get(operand) for operand in op.operands)
    type = magnitude.type
    _check_precision(op, type)
    width = bit_width(element_of(type))
    bits = IntegerType(width)
    kind = VectorType(bits, type.shape) if is_vector(type) else bits
    one = {32: 0x3F800000, 64: 0x3FF0000000000000}[width]
    masked = f.b.emit(llvm.BitcastOp, (sign,), kind)
    masked = f.b.emit(llvm.AndOp, (masked, f.b.integer(-(1 << (width - 1)), kind)), kind)
    masked = f.b.emit(llvm.OrOp, (masked, f.b.integer(one, kind)), kind)
    factor = f.b.emit(llvm.BitcastOp, (masked,), type)
    flags = fast_math(op)
    value = f.b.call_intrinsic(
        f"llvm.fabs.{mangle(type)}", (magnitude,), type, flags["fastmathFlags"]
    )
    f.values[op.results[0]] = f.b.emit(llvm.FMulOp, (value, factor), type, flags)


def _counting(f: FunctionLowering, op: Operation, name: str) -> None:
    """abs, ctlz, cttz: the extra operand says that no input is undefined."""
    x = f.get(op.operands[0])
    operands = (x, f.b.integer(0, I1))
    f.values[op.results[0]] = f.b.call_intrinsic(f"{name}.{mangle(x.type)}", operands, x.type)


def lower_class_test(f: FunctionLowering, op: Operation, kind: str) -> None:
    """isnan, isinf, isfinite: comparisons of the value or its magnitude."""
    x = f.get(op.operands[0])
    _check_precision(op, op.operands[0].type)
    type = convert_type(op.results[0].type)
    if kind == "isnan":
        operands, predicate = (x, x), "uno"
    else:
        infinity = _splat_float(f, float("inf"), x.type)
        magnitude = f.b.call_intrinsic(f"llvm.fabs.{mangle(x.type)}", (x,), x.type)
        operands, predicate = (magnitude, infinity), "oeq" if kind == "isinf" else "olt"
    properties = {**PREDICATES[llvm.FCmpOp.PREDICATES.index(predicate)], **NO_FLAGS}
    f.values[op.results[0]] = f.b.emit(llvm.FCmpOp, operands, type, properties)


def _splat_float(f: FunctionLowering, number: float, type: Attribute) -> SSAValue:
    if is_vector(type):
        return f.b.constant(dense(type, [number]), type)
    return f.b.float(number, type)


# several llvm operations each


def lower_rounded_division(f: FunctionLowering, op: Operation, *, kind: str) -> None:
    """floordivsi, ceildivsi, ceildivui: the truncated quotient, corrected by the remainder.

    The quotient moves by one when the division is not exact and the true quotient lies on the
    other side: for floor when the signs differ, for ceil when they agree.
    """
    a, b = (f.get(operand) for operand in op.operands)
    type, builder = a.type, f.b
    signed = kind != "ceilui"
    divide, remainder = (llvm.SDivOp, llvm.SRemOp) if signed else (llvm.UDivOp, llvm.URemOp)
    quotient = builder.emit(divide, (a, b), type)
    zero, one = builder.integer(0, type), builder.integer(1, type)
    rest = builder.emit(remainder, (a, b), type)
    move = builder.compare("ne", rest, zero)
    if signed:
        signs = builder.emit(llvm.XOrOp, (a, b), type)
        side = builder.compare("slt" if kind == "floor" else "sge", signs, zero)
        move = builder.emit(llvm.AndOp, (move, side), move.type)
    cls = llvm.SubOp if kind == "floor" else llvm.AddOp
    moved = builder.emit(cls, (quotient, one), type, NO_OVERFLOW)
    f.values[op.results[0]] = builder.emit(llvm.SelectOp, (move, moved, quotient), type, NO_FLAGS)


def lower_extended(f: FunctionLowering, op: Operation, *, kind: str) -> None:
    """addui_extended (sum, carry), muls/ului_extended (low, high half): in twice the width."""
    a, b = (f.get(operand) for operand in op.operands)
    type, builder = a.type, f.b
    if kind == "add":
        total = builder.emit(llvm.AddOp, (a, b), type, NO_OVERFLOW)
        f.values[op.results[0]] = total
        f.values[op.results[1]] = builder.compare("ult", total, a)
        return
    width = bit_width(element_of(type))
    double = IntegerType(2 * width)
    wide = VectorType(double, type.shape) if is_vector(type) else double
    extend = llvm.SExtOp if kind == "signed" else llvm.ZExtOp
    operands = (builder.emit(extend, (a,), wide), builder.emit(extend, (b,), wide))
    product = builder.emit(llvm.MulOp, operands, wide, NO_OVERFLOW)
    high = builder.emit(llvm.LShrOp, (product, builder.integer(width, wide)), wide)
    f.values[op.results[0]] = builder.emit(llvm.TruncOp, (product,), type, NO_TRUNC_FLAGS)
    f.values[op.results[1]] = builder.emit(llvm.TruncOp, (high,), type, NO_TRUNC_FLAGS)


_INTEGER_BINARY: Mapping[str, type[Operation]] = {
    "arith.andi": llvm.AndOp,
    "arith.ori": llvm.OrOp,
    "arith.xori": llvm.XOrOp,
    "arith.divsi": llvm.SDivOp,
    "arith.divui": llvm.UDivOp,
    "arith.remsi": llvm.SRemOp,
    "arith.remui": llvm.URemOp,
    "arith.shrsi": llvm.AShrOp,
    "arith.shrui": llvm.LShrOp,
}
_FLOAT_BINARY: Mapping[str, type[Operation]] = {
    "arith.addf": llvm.FAddOp,
    "arith.subf": llvm.FSubOp,
    "arith.mulf": llvm.FMulOp,
    "arith.divf": llvm.FDivOp,
    "arith.remf": llvm.FRemOp,
}
_INTEGER_INTRINSICS = {
    "arith.maxsi": "smax",
    "arith.minsi": "smin",
    "arith.maxui": "umax",
    "arith.minui": "umin",
    "math.ctpop": "ctpop",
}
_FLOAT_INTRINSICS = {
    "arith.maximumf": "maximum",
    "arith.minimumf": "minimum",
    "arith.maxnumf": "maxnum",
    "arith.minnumf": "minnum",
    "math.absf": "fabs",
    "math.ceil": "ceil",
    "math.cos": "cos",
    "math.floor": "floor",
    "math.fma": "fma",
    "math.round": "round",
    "math.roundeven": "roundeven",
    "math.sin": "sin",
    "math.sqrt": "sqrt",
    "math.tan": "tan",
    "math.trunc": "trunc",
    "vector.fma": "fma",
}

HANDLERS: dict[str, Handler] = {
    "arith.constant": lower_constant,
    "ub.poison": lower_poison,
    "arith.addi": partial(_index_arith, cls=llvm.AddOp),
    "arith.subi": partial(_index_arith, cls=llvm.SubOp),
    "arith.muli": partial(_index_arith, cls=llvm.MulOp),
    "arith.shli": partial(_wrapping_binary, cls=llvm.ShlOp),
    "arith.negf": lower_negf,
    "arith.cmpi": partial(lower_compare, floats=False),
    "arith.cmpf": partial(lower_compare, floats=True),
    "arith.select": lower_select,
    "arith.extsi": partial(_integer_cast, cls=llvm.SExtOp, properties=EMPTY),
    "arith.extui": partial(_integer_cast, cls=llvm.ZExtOp, properties=EMPTY),
    "arith.trunci": partial(_integer_cast, cls=llvm.TruncOp, properties=NO_TRUNC_FLAGS),
    "arith.extf": partial(_float_cast, cls=llvm.FPExtOp),
    "arith.truncf": partial(_float_cast, cls=llvm.FPTruncOp),
    "arith.sitofp": partial(_float_cast, cls=llvm.SIToFPOp),
    "arith.uitofp": partial(_float_cast, cls=llvm.UIToFPOp),
    "arith.fptosi": partial(_float_cast, cls=llvm.FPToSIOp),
    "arith.fptoui": partial(_float_cast, cls=llvm.FPToUIOp),
    "arith.index_cast": partial(lower_index_cast, signed=True),
    "arith.index_castui": partial(lower_index_cast, signed=False),
    "arith.bitcast": lower_bitcast,
    "vector.bitcast": lower_bitcast,
    "arith.floordivsi": partial(lower_rounded_division, kind="floor"),
    "arith.ceildivsi": partial(lower_rounded_division, kind="ceil"),
    "arith.ceildivui": partial(lower_rounded_division, kind="ceilui"),
    "arith.addui_extended": partial(lower_extended, kind="add"),
    "arith.mulsi_extended": partial(lower_extended, kind="signed"),
    "arith.mului_extended": partial(lower_extended, kind="unsigned"),
    "math.copysign": lower_copysign,
    "math.absi": partial(_counting, name="llvm.abs"),
    "math.ctlz": partial(_counting, name="llvm.ctlz"),
    "math.cttz": partial(_counting, name="llvm.cttz"),
    "math.isnan": partial(lower_class_test, kind="isnan"),
    "math.isinf": partial(lower_class_test, kind="isinf"),
    "math.isfinite": partial(lower_class_test, kind="isfinite"),
}
for _name, _cls in _INTEGER_BINARY.items():
    HANDLERS[_name] = partial(_integer_binary, cls=_cls, properties=EMPTY)
for _name, _cls in _FLOAT_BINARY.items():
    HANDLERS[_name] = partial(_float_binary, cls=_cls)
for _name, _short in _INTEGER_INTRINSICS.items():
    HANDLERS[_name] = partial(_intrinsic, name=f"llvm.{_short}", floats=False)
for _name, _short in _FLOAT_INTRINSICS.items():
    HANDLERS[_name] = partial(_intrinsic, name=f"llvm.{_short}", floats=True)
