"""Transcendental `nd` ops and `nextafter` on one element; `expand-math` writes the functions out.

`hypot` has no `math` op: float32 is the root of the squares in float64, which holds them; float64
is scaled by a power of two where a square would leave the range.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, bf16, f16, f32, f64
from xdsl.ir import Attribute, SSAValue

from lamina.dialects import arith, math
from lamina.lowering.builder import FASTMATH, Builder
from lamina.lowering.scalar_ops import Rule, Scalars, bits_of, math_op

_INFINITY: dict[Attribute, int] = {
    f16: 0x7C00,
    bf16: 0x7F80,
    f32: 0x7F80_0000,
    f64: 0x7FF0_0000_0000_0000,
}
"""Float type -> the bit pattern of its infinity."""


def _absolute(b: Builder, x: SSAValue) -> SSAValue:
    return b.value(math.AbsFOp, (x,), x.type, FASTMATH)


def _root_of_squares(b: Builder, x: SSAValue, y: SSAValue) -> SSAValue:
    total = b.float_op("add", b.float_op("mul", x, x), b.float_op("mul", y, y))
    return b.value(math.SqrtOp, (total,), total.type, FASTMATH)


def _scaled_root(b: Builder, x: SSAValue, y: SSAValue) -> SSAValue:
    """sqrt(x^2 + y^2) in f64. What underflows in the smaller square is nothing to the larger."""
    largest = b.float_op("max", x, y)
    huge = b.cmpf("ogt", largest, b.number(2.0**511, f64))
    tiny = b.cmpf("olt", largest, b.number(2.0**-459, f64))

    def choose(if_huge: float, if_tiny: float) -> SSAValue:
        usual = b.select(tiny, b.number(if_tiny, f64), b.number(1.0, f64))
        return b.select(huge, b.number(if_huge, f64), usual)

    factor = choose(2.0**-700, 2.0**700)
    root = _root_of_squares(b, b.float_op("mul", x, factor), b.float_op("mul", y, factor))
    return b.float_op("mul", root, choose(2.0**700, 2.0**-700))


def _hypot(emit: Scalars, operands: Sequence[SSAValue]) -> SSAValue:
    b = emit.builder
    x, y = (_absolute(b, operand) for operand in operands)
    if emit.type == f32:
        wide = [b.cast(arith.ExtFOp, size, f64) for size in (x, y)]
        result = b.cast(arith.TruncFOp, _root_of_squares(b, *wide), f32)
    else:
        result = _scaled_root(b, x, y)
    infinity = emit.number(float("inf"))
    infinite = b.int_op("or", b.cmpf("oeq", x, infinity), b.cmpf("oeq", y, infinity))
    return b.select(infinite, infinity, result)


def next_after(b: Builder, x: SSAValue, y: SSAValue) -> SSAValue:
    """The neighbour of x towards y, of any float type, by the order of bit patterns.

    A pattern whose sign bit is set, its other bits inverted, is a negative integer: so keyed,
    neighbours differ by one, but for the two zeros, which are met first.
    """
    width = bits_of(x.type)
    integer = IntegerType(width)

    def number(value: int) -> SSAValue:
        return b.number(value, integer)

    mask, zero, one = number((1 << (width - 1)) - 1), number(0), number(1)

    def keyed(bits: SSAValue) -> SSAValue:  # its own inverse
        sign = b.int_op("shrs", bits, number(width - 1))
        return b.int_op("xor", bits, b.int_op("and", sign, mask))

    x_bits, y_bits = (b.cast(arith.BitcastOp, value, integer) for value in (x, y))
    key = keyed(x_bits)
    up = b.cmpi("slt", key, keyed(y_bits))
    step = b.select(up, one, number(-1))
    moved = keyed(b.int_op("add", key, step))
    sizes = [b.int_op("and", bits, mask) for bits in (x_bits, y_bits)]
    x_zero, y_zero = (b.cmpi("eq", size, zero) for size in sizes)
    smallest = b.int_op("or", b.int_op("and", y_bits, number(1 << (width - 1))), one)
    moved = b.select(x_zero, smallest, moved)
    zeros = b.int_op("and", x_zero, y_zero)
    same = b.int_op("or", b.cmpi("eq", x_bits, y_bits), zeros)
    result = b.select(same, y_bits, moved)
    nan = (b.cmpi("sgt", size, number(_INFINITY[x.type])) for size in sizes)
    result = b.select(b.int_op("or", *nan), mask, result)  # all ones but the sign: a NaN
    return b.cast(arith.BitcastOp, result, x.type)


MATH_OPS: dict[str, Rule] = {
    "nd.exp": math_op(math.ExpOp),
    "nd.exp2": math_op(math.Exp2Op),
    "nd.expm1": math_op(math.ExpM1Op),
    "nd.log": math_op(math.LogOp),
    "nd.log1p": math_op(math.Log1pOp),
    "nd.log2": math_op(math.Log2Op),
    "nd.log10": math_op(math.Log10Op),
    "nd.sin": math_op(math.SinOp),
    "nd.cos": math_op(math.CosOp),
    "nd.tan": math_op(math.TanOp),
    "nd.asin": math_op(math.AsinOp),
    "nd.acos": math_op(math.AcosOp),
    "nd.atan": math_op(math.AtanOp),
    "nd.sinh": math_op(math.SinhOp),
    "nd.cosh": math_op(math.CoshOp),
    "nd.tanh": math_op(math.TanhOp),
    "nd.asinh": math_op(math.AsinhOp),
    "nd.acosh": math_op(math.AcoshOp),
    "nd.atanh": math_op(math.AtanhOp),
    "nd.erf": math_op(math.ErfOp),
    "nd.erfc": math_op(math.ErfcOp),
    "nd.atan2": math_op(math.Atan2Op),
    "nd.hypot": _hypot,
}
"""`nd` op name -> its rule on one element, in f32 or f64."""
