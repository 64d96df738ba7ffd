"""`affine.apply`, `affine.min` and `affine.max` to integer arithmetic.

Divisors are positive, as upstream has it: a quotient or remainder that was rounded towards zero is
corrected where the dividend is negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import AffineMapAttr, i64
from xdsl.ir import Operation
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from lamina.dialects import llvm
from lamina.lowering.to_llvm.builder import NO_FLAGS, NO_OVERFLOW, Builder
from lamina.lowering.to_llvm.state import FunctionLowering, Handler, Number


def _floor(b: Builder, x: Number, y: Number, *, remainder: bool) -> Number:
    """x floordiv y or x mod y, y > 0."""
    if isinstance(x, int) and isinstance(y, int):
        return x % y if remainder else x // y
    operands, zero = (b.value(x), b.value(y)), b.integer(0)
    rest = b.emit(llvm.SRemOp, operands, i64)
    negative = b.compare("slt", rest, zero)
    if remainder:
        result, step = rest, operands[1]
    else:
        result, step = b.emit(llvm.SDivOp, operands, i64), b.integer(-1)
    moved = b.emit(llvm.AddOp, (result, step), i64, NO_OVERFLOW)
    return b.emit(llvm.SelectOp, (negative, moved, result), i64, NO_FLAGS)


def evaluate(
    f: FunctionLowering, op: Operation, expr: AffineExpr, values: Sequence[Number], dims: int
) -> Number:
    """The value of an expression; `values` are those of the dimensions, then of the symbols."""
    match expr:
        case AffineConstantExpr():
            return expr.value
        case AffineDimExpr():
            return values[expr.position]
        case AffineSymExpr():
            return values[dims + expr.position]
        case _:
            assert isinstance(expr, AffineBinaryOpExpr)
            x, y = (evaluate(f, op, e, values, dims) for e in (expr.lhs, expr.rhs))
    b = f.b
    match expr.kind:
        case AffineBinaryOpKind.Add:
            return b.add(x, y)
        case AffineBinaryOpKind.Mul:
            return b.mul(x, y)
        case AffineBinaryOpKind.Mod:
            return _floor(b, x, y, remainder=True)
        case AffineBinaryOpKind.FloorDiv:
            return _floor(b, x, y, remainder=False)
        case AffineBinaryOpKind.CeilDiv:
            return b.mul(-1, _floor(b, b.mul(-1, x), y, remainder=False))


def lower_affine(f: FunctionLowering, op: Operation, *, combine: str | None) -> None:
    """One value of a map, or the smallest or largest of several."""
    attr = op.properties["map"]
    assert isinstance(attr, AffineMapAttr)
    values = [f.number(value) for value in op.operands]
    results = [evaluate(f, op, e, values, attr.data.num_dims) for e in attr.data.results]
    result, *others = results
    for other in others:
        if isinstance(result, int) and isinstance(other, int):
            result = min(result, other) if combine == "smin" else max(result, other)
        else:
            operands = (f.b.value(result), f.b.value(other))
            result = f.b.call_intrinsic(f"llvm.{combine}.i64", operands, i64)
    if isinstance(result, int):
        f.numbers[op.results[0]] = result
    else:
        f.values[op.results[0]] = result


HANDLERS: dict[str, Handler] = {
    "affine.apply": partial(lower_affine, combine=None),
    "affine.max": partial(lower_affine, combine="smax"),
    "affine.min": partial(lower_affine, combine="smin"),
}
