"""Each elementwise `nd` op on one element, as `arith` and `math` ops.

`SCALAR_OPS[op name](emit, operands)` appends to `emit.builder`. Elements are in register form:
i1 for bool, signless integers, f32 for half types (the caller extends before and truncates after:
the half rule). Signedness comes from `emit.unsigned`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, IntegerType, f32, i1
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith, math
from lamina.dialects.nd.base import is_float
from lamina.dialects.type_tests import is_integer
from lamina.lowering.builder import FASTMATH, INDEX, Builder, region


@dataclass
class Scalars:
    """What a scalar rule needs: where to append, and the operands' element type."""

    builder: Builder
    type: Attribute
    unsigned: bool

    @property
    def floating(self) -> bool:
        """Whether the elements are floats."""
        return is_float(self.type)

    @property
    def width(self) -> int:
        """Bits of an integer element."""
        return bits_of(self.type)

    def number(self, value: float) -> SSAValue:
        """A constant of the element type."""
        return self.builder.number(value, self.type)


Rule = Callable[[Scalars, Sequence[SSAValue]], SSAValue]


def _binary(integer: str | None, floating: str | None, unsigned: str | None = None) -> Rule:
    def rule(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
        lhs, rhs = operands
        if emit.floating:
            assert floating is not None
            return emit.builder.float_op(floating, lhs, rhs)
        name = unsigned if emit.unsigned and unsigned else integer
        assert name is not None
        return emit.builder.int_op(name, lhs, rhs)

    return rule


def _compare(floating: str, signed: str, unsigned: str) -> Rule:
    def rule(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
        lhs, rhs = operands
        if emit.floating:
            return emit.builder.cmpf(floating, lhs, rhs)
        return emit.builder.cmpi(unsigned if emit.unsigned else signed, lhs, rhs)

    return rule


def math_op(kind: type[Operation]) -> Rule:
    """The rule of an op that a `math` op is."""

    def rule(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
        return emit.builder.value(kind, tuple(operands), emit.type, FASTMATH)

    return rule


def _negative(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    if emit.floating:
        return emit.builder.value(arith.NegfOp, (operands[0],), emit.type, FASTMATH)
    return emit.builder.int_op("sub", emit.number(0), operands[0])


def _abs(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    (x,) = operands
    if emit.floating:
        return emit.builder.value(math.AbsFOp, (x,), emit.type, FASTMATH)
    if emit.unsigned:
        return x
    return emit.builder.int_op("maxs", x, emit.builder.int_op("sub", emit.number(0), x))


def _sign(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    (x,), b = operands, emit.builder
    zero, one = emit.number(0), emit.number(1)
    if emit.floating:  # NaN stays; adding 0 makes +0.0 of -0.0
        rest = b.float_op("add", x, zero)
        below = b.select(b.cmpf("olt", x, zero), emit.number(-1), rest)
        return b.select(b.cmpf("ogt", x, zero), one, below)
    if emit.unsigned:
        return b.int_op("minu", x, one)
    return b.int_op("mins", b.int_op("maxs", x, emit.number(-1)), one)


def _invert(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    return emit.builder.int_op("xor", operands[0], emit.number(-1))


def _safe_divisor(emit: Scalars, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
    """(whether rhs is 0, a divisor that never traps: 1 in place of 0, and of -1 under MIN)."""
    b = emit.builder
    zero = b.cmpi("eq", rhs, emit.number(0))
    bad = zero
    if not emit.unsigned:
        smallest = b.cmpi("eq", lhs, emit.number(-(1 << (emit.width - 1))))
        overflow = b.int_op("and", smallest, b.cmpi("eq", rhs, emit.number(-1)))
        bad = b.int_op("or", zero, overflow)
    return zero, b.select(bad, emit.number(1), rhs)


def _rest(
    emit: Scalars, lhs: SSAValue, divisor: SSAValue
) -> tuple[SSAValue, SSAValue, SSAValue | None]:
    """(truncated quotient, its rest, whether the floor is one less)."""
    b = emit.builder
    quotient = b.int_op("divu" if emit.unsigned else "divs", lhs, divisor)
    rest = b.int_op("sub", lhs, b.int_op("mul", quotient, divisor))
    if emit.unsigned:
        return quotient, rest, None
    nonzero = b.cmpi("ne", rest, emit.number(0))
    differ = b.cmpi("slt", b.int_op("xor", rest, divisor), emit.number(0))
    return quotient, rest, b.int_op("and", nonzero, differ)


def _floor_divide(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    lhs, rhs = operands
    b = emit.builder
    if emit.floating:
        return _float_floor_divide(emit, lhs, rhs)
    zero, divisor = _safe_divisor(emit, lhs, rhs)
    quotient, _, less = _rest(emit, lhs, divisor)
    if less is not None:
        quotient = b.select(less, b.int_op("sub", quotient, emit.number(1)), quotient)
    return b.select(zero, emit.number(0), quotient)


def _remainder(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    lhs, rhs = operands
    b = emit.builder
    if emit.floating:
        return _float_remainder(emit, lhs, rhs)
    zero, divisor = _safe_divisor(emit, lhs, rhs)
    _, rest, less = _rest(emit, lhs, divisor)
    if less is not None:
        rest = b.select(less, b.int_op("add", rest, divisor), rest)
    return b.select(zero, emit.number(0), rest)


def _adjusted_rest(
    emit: Scalars, lhs: SSAValue, rhs: SSAValue
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """(fmod, whether it is not 0, whether its sign differs from the divisor's)."""
    b, zero = emit.builder, emit.number(0)
    rest = b.float_op("rem", lhs, rhs)
    nonzero = b.cmpf("une", rest, zero)
    differ = b.int_op("xor", b.cmpf("olt", rest, zero), b.cmpf("olt", rhs, zero))
    return rest, nonzero, b.int_op("and", nonzero, differ)


def _float_remainder(emit: Scalars, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    b = emit.builder
    rest, nonzero, less = _adjusted_rest(emit, lhs, rhs)
    adjusted = b.select(less, b.float_op("add", rest, rhs), rest)
    signed_zero = b.value(math.CopySignOp, (emit.number(0), rhs), emit.type, FASTMATH)
    return b.select(nonzero, adjusted, signed_zero)


def _float_floor_divide(emit: Scalars, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """The floor through the exact rest, so that the quotient's rounding cannot move it."""
    b = emit.builder
    plain = b.float_op("div", lhs, rhs)
    rest, _, less = _adjusted_rest(emit, lhs, rhs)
    quotient = b.float_op("div", b.float_op("sub", lhs, rest), rhs)
    lower = b.float_op("sub", quotient, emit.number(1))
    quotient = b.select(less, lower, quotient)
    floor = b.value(math.FloorOp, (quotient,), emit.type, FASTMATH)
    off = b.cmpf("ogt", b.float_op("sub", quotient, floor), emit.number(0.5))
    rounded = b.select(off, b.float_op("add", floor, emit.number(1)), floor)
    signed_zero = b.value(math.CopySignOp, (emit.number(0), plain), emit.type, FASTMATH)
    result = b.select(b.cmpf("oeq", rounded, emit.number(0)), signed_zero, rounded)
    # without a rest (x / 0, inf / y, NaN), or with y infinite, the plain quotient is the answer
    size = b.value(math.AbsFOp, (rhs,), emit.type, FASTMATH)
    finite = b.cmpf("olt", size, emit.number(float("inf")))
    defined = b.int_op("and", b.cmpf("ord", rest, rest), finite)
    return b.select(defined, result, plain)


def _pow(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    base, exponent = operands
    b = emit.builder
    if emit.floating:
        return b.value(math.PowFOp, (base, exponent), emit.type, FASTMATH)
    one = emit.number(1)
    inner = b.nested()
    arguments = (INDEX, emit.type, emit.type, emit.type)
    body = region((), arguments)
    _, result, square, left = body.block.args
    odd = inner.cmpi("ne", inner.int_op("and", left, one), emit.number(0))
    product = inner.select(odd, inner.int_op("mul", result, square), result)
    following = (product, inner.int_op("mul", square, square), inner.int_op("shru", left, one))
    inner.add(scf.YieldOp, following)
    body.block.add_ops(inner.ops)
    bounds = (b.index(0), b.index(emit.width), b.index(1))
    loop = b.add(scf.ForOp, (*bounds, one, base, exponent), (emit.type,) * 3, regions=(body,))
    return loop.results[0]


def _shift(name: str) -> Rule:
    def rule(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
        lhs, amount = operands
        b, width = emit.builder, emit.width
        if name == "shr" and not emit.unsigned:
            return b.int_op("shrs", lhs, b.int_op("minu", amount, emit.number(width - 1)))
        inside = b.cmpi("ult", amount, emit.number(width))
        # a shift by the width or more is poison, even where it is not chosen
        safe = b.select(inside, amount, emit.number(0))
        shifted = b.int_op("shl" if name == "shl" else "shru", lhs, safe)
        return b.select(inside, shifted, emit.number(0))

    return rule


def _select(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    flag, lhs, rhs = operands
    return emit.builder.select(flag, lhs, rhs)


SCALAR_OPS: dict[str, Rule] = {
    "nd.add": _binary("add", "add"),
    "nd.subtract": _binary("sub", "sub"),
    "nd.multiply": _binary("mul", "mul"),
    "nd.divide": _binary(None, "div"),
    "nd.floor_divide": _floor_divide,
    "nd.remainder": _remainder,
    "nd.pow": _pow,
    "nd.copysign": math_op(math.CopySignOp),
    "nd.maximum": _binary("maxs", "max", "maxu"),
    "nd.minimum": _binary("mins", "min", "minu"),
    "nd.bitwise_and": _binary("and", None),
    "nd.bitwise_or": _binary("or", None),
    "nd.bitwise_xor": _binary("xor", None),
    "nd.left_shift": _shift("shl"),
    "nd.right_shift": _shift("shr"),
    "nd.equal": _compare("oeq", "eq", "eq"),
    "nd.not_equal": _compare("une", "ne", "ne"),
    "nd.less": _compare("olt", "slt", "ult"),
    "nd.less_equal": _compare("ole", "sle", "ule"),
    "nd.greater": _compare("ogt", "sgt", "ugt"),
    "nd.greater_equal": _compare("oge", "sge", "uge"),
    "nd.negative": _negative,
    "nd.abs": _abs,
    "nd.sign": _sign,
    "nd.bitwise_invert": _invert,
    "nd.sqrt": math_op(math.SqrtOp),
    "nd.floor": math_op(math.FloorOp),
    "nd.ceil": math_op(math.CeilOp),
    "nd.trunc": math_op(math.TruncOp),
    "nd.round": math_op(math.RoundEvenOp),
    "nd.select": _select,
}
"""`nd` op name -> its rule on one element."""


def cast_scalar(
    b: Builder, value: SSAValue, target: Attribute, *, from_unsigned: bool, to_unsigned: bool
) -> SSAValue:
    """`value` as `target` (register types), by the contract's rules for casts."""
    source = value.type
    if source == target:
        return value
    if is_float(source) and bits_of(source) < 32 and not is_float(target):
        value = b.cast(arith.ExtFOp, value, f32)
        source = f32
    if target == i1:
        zero = b.number(0, source)
        return b.cmpf("une", value, zero) if is_float(source) else b.cmpi("ne", value, zero)
    from_unsigned = from_unsigned or source == i1
    if is_integer(source) and is_integer(target):
        if source.width.data > target.width.data:
            return b.cast(arith.TruncIOp, value, target)
        if source.width.data == target.width.data:
            return value
        return b.cast(arith.ExtUIOp if from_unsigned else arith.ExtSIOp, value, target)
    if is_integer(source):
        through = target if bits_of(target) >= 32 else f32
        kind = arith.UIToFPOp if from_unsigned else arith.SIToFPOp
        return resize_float(b, b.cast(kind, value, through), target)
    if is_integer(target):
        return _float_to_integer(b, value, target, to_unsigned)
    return resize_float(b, value, target)


def bits_of(type: Attribute) -> int:
    """The bits of a float or integer type."""
    assert isinstance(type, AnyFloat | IntegerType)
    return type.bitwidth


def resize_float(b: Builder, value: SSAValue, target: Attribute) -> SSAValue:
    """A float as another float type, rounded once to nearest even."""
    if value.type == target:
        return value
    source_bits, bits = bits_of(value.type), bits_of(target)
    if source_bits == bits:  # f16 <-> bf16
        value, source_bits = b.cast(arith.ExtFOp, value, f32), 32
    return b.cast(arith.ExtFOp if source_bits < bits else arith.TruncFOp, value, target)


def _float_to_integer(b: Builder, value: SSAValue, target: IntegerType, unsigned: bool) -> SSAValue:
    """Truncated towards zero; out of range saturates, NaN gives 0."""
    type, width = value.type, target.width.data
    top = float(1 << width) if unsigned else float(1 << (width - 1))
    bottom = 0 if unsigned else -(1 << (width - 1))
    high = b.cmpf("oge", value, b.number(top, type))
    low = b.cmpf("ole", value, b.number(float(bottom), type))
    inside = b.int_op(
        "and",
        b.cmpf("olt", value, b.number(top, type)),
        b.cmpf("ogt", value, b.number(float(bottom), type)),
    )
    safe = b.select(inside, value, b.number(0.0, type))
    converted = b.cast(arith.FPToUIOp if unsigned else arith.FPToSIOp, safe, target)
    largest = (1 << width) - 1 if unsigned else (1 << (width - 1)) - 1
    result = b.select(high, b.number(largest, target), converted)
    return b.select(low, b.number(bottom, target), result)
