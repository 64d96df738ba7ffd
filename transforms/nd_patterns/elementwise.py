"""Patterns of `canonicalize-nd` on elementwise ops.

Each holds for every element of every type that it is applied to: NaN, infinities, zeros of either
sign, denormals, and integers that wrap. (`x + 0.0`, `x * 0.0` and `x - x` on floats are no
identities; `x / c` is a product where 1 / c is exact.)
"""

from __future__ import annotations

from math import frexp, inf, isfinite
from typing import cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.nd import elementwise as nd
from lamina.dialects.nd import transcendental
from lamina.dialects.nd.base import (
    element_of,
    is_bool,
    is_float,
    is_integer,
    is_unsigned,
    tensor_type,
)
from lamina.dialects.nd.shape import BroadcastOp
from lamina.interpreters.types import dtype_of
from lamina.transforms.nd_patterns.matching import (
    NdRewriter,
    Pattern,
    is_splat,
    is_static,
    producer,
    splat_number,
)


def _sides(op: Operation) -> tuple[tuple[SSAValue, SSAValue], tuple[SSAValue, SSAValue]]:
    x, y = op.operands
    return (x, y), (y, x)


def _exact(value: SSAValue) -> bool:
    """Whether the elements are integers or bool: no NaN, one zero."""
    return not is_float(element_of(value))


def _bounds(element: Attribute) -> tuple[float, float]:
    """The smallest and the largest element."""
    if is_float(element):
        return -inf, inf
    width = cast(IntegerType, element).width.data
    if is_unsigned(element):
        return 0, (1 << width) - 1
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def _neutral(number: float, float_number: float | None = None) -> Pattern:
    """x op number -> x, on either side; on floats with `float_number`."""

    def pattern(op: Operation, _: NdRewriter) -> SSAValue | None:
        wanted = number if float_number is None or _exact(op.operands[0]) else float_number
        for x, y in _sides(op):
            if is_splat(y, wanted):
                return x
        return None

    return pattern


def _neutral_right(number: float) -> Pattern:
    """x op number -> x."""
    return lambda op, _: op.operands[0] if is_splat(op.operands[1], number) else None


def _on_integers(pattern: Pattern) -> Pattern:
    return lambda op, b: pattern(op, b) if _exact(op.operands[0]) else None


def _absorbing(number: float) -> Pattern:
    """x op number -> number."""

    def pattern(op: Operation, _: NdRewriter) -> SSAValue | None:
        return next((y for _, y in _sides(op) if is_splat(y, number)), None)

    return pattern


def _of_itself(number: float) -> Pattern:
    """x op x -> number."""

    def pattern(op: Operation, b: NdRewriter) -> SSAValue | None:
        x, y = op.operands
        if x is not y or not is_static(x):
            return None
        return b.splat(number, x, element_of(op.results[0]))

    return pattern


def same_operands(op: Operation, _: NdRewriter) -> SSAValue | None:
    """max(x, x), min(x, x), x & x, x | x -> x."""
    return op.operands[0] if op.operands[0] is op.operands[1] else None


def add_negative(op: nd.AddOp, b: NdRewriter) -> SSAValue | None:
    """x + (-y) -> x - y."""
    for x, y in _sides(op):
        if negative := producer(y, nd.NegativeOp):
            return b.make(nd.SubtractOp, (x, negative.operand), op.result.type, through=[negative])
    return None


def subtract_negative(op: nd.SubtractOp, b: NdRewriter) -> SSAValue | None:
    """x - (-y) -> x + y."""
    if negative := producer(op.rhs, nd.NegativeOp):
        return b.make(nd.AddOp, (op.lhs, negative.operand), op.result.type, through=[negative])
    return None


EXPONENTS = {"float16": (-24, 15), "bfloat16": (-133, 127), "float32": (-149, 127),
             "float64": (-1074, 1023)}  # fmt: skip
"""Of the smallest and the largest power of two of a type."""


def divide_by_power_of_two(op: nd.DivideOp, b: NdRewriter) -> SSAValue | None:
    """x / c -> x * (1 / c), where c is a power of two whose reciprocal the type holds."""
    number = splat_number(op.rhs)
    if number is None or not number or not isfinite(number) or not is_static(op.rhs):
        return None
    fraction, exponent = frexp(number)
    lowest, highest = EXPONENTS[dtype_of(element_of(op.rhs)).name]
    if abs(fraction) != 0.5 or not lowest <= 1 - exponent <= highest:
        return None
    factor = b.splat(1 / number, op.rhs)
    return b.make(nd.MultiplyOp, (op.lhs, factor), op.result.type)


def bounded(largest: bool) -> Pattern:
    """max(x, smallest) -> x, max(x, largest) -> largest (integers); min the other way."""

    def pattern(op: Operation, _: NdRewriter) -> SSAValue | None:
        low, high = _bounds(element_of(op.operands[0]))
        neutral, absorbing = (low, high) if largest else (high, low)
        for x, y in _sides(op):
            if is_splat(y, neutral):
                return x
            if _exact(x) and is_splat(y, absorbing):
                return y
        return None

    return pattern


def all_ones(op: Operation, _: NdRewriter) -> SSAValue | None:
    """x & ones -> x, x | ones -> ones."""
    element = element_of(op.operands[0])
    ones = 1 if is_bool(element) else _bounds(element)[1] if is_unsigned(element) else -1
    for x, y in _sides(op):
        if is_splat(y, ones):
            return x if isinstance(op, nd.BitwiseAndOp) else y
    return None


def _twice(kind: type[Operation]) -> Pattern:
    """f(f(x)) -> x."""

    def pattern(op: Operation, _: NdRewriter) -> SSAValue | None:
        inner = producer(op.operands[0], kind)
        return inner.operand if inner else None

    return pattern


def _done_by(*kinds: type[Operation]) -> Pattern:
    """f(g(x)) -> g(x)."""
    return lambda op, _: op.operands[0] if isinstance(op.operands[0].owner, kinds) else None


def abs_known(op: nd.AbsOp, b: NdRewriter) -> SSAValue | None:
    """abs(-x) -> abs(x), but on unsigned types abs(x) -> x."""
    if is_unsigned(element_of(op.operand)):
        return op.operand
    if negative := producer(op.operand, nd.NegativeOp):
        return b.make(nd.AbsOp, (negative.operand,), op.result.type, through=[negative])
    return None


OPPOSITE: dict[type[Operation], type[Operation]] = {
    nd.EqualOp: nd.NotEqualOp, nd.NotEqualOp: nd.EqualOp,
    nd.LessOp: nd.GreaterEqualOp, nd.GreaterEqualOp: nd.LessOp,
    nd.LessEqualOp: nd.GreaterOp, nd.GreaterOp: nd.LessEqualOp,
}  # fmt: skip


def invert_comparison(op: nd.BitwiseInvertOp, b: NdRewriter) -> SSAValue | None:
    """not (x < y) -> x >= y on integers; not (x == y) -> x != y on all types."""
    compare = op.operand.owner
    if not isinstance(compare, nd.CompareOp):
        return None
    if not _exact(compare.lhs) and not isinstance(compare, nd.EqualOp | nd.NotEqualOp):
        return None
    opposite = OPPOSITE[type(compare)]
    return b.make(opposite, (compare.lhs, compare.rhs), op.result.type, through=[compare])


def compare_bool(same: bool) -> Pattern:
    """p == true, p != false -> p."""

    def pattern(op: Operation, _: NdRewriter) -> SSAValue | None:
        for x, y in _sides(op):
            if is_bool(element_of(x)) and is_splat(y, same):
                return x
        return None

    return pattern


def select_known(op: nd.SelectOp, b: NdRewriter) -> SSAValue | None:
    """select(true, x, y) -> x; select(p, x, x) -> x; select(not p, x, y) -> select(p, y, x);
    select(p, true, false) -> p."""
    predicate, x, y = op.operands
    known = splat_number(predicate)
    if known is not None:
        return x if known else y
    if x is y:
        return x
    if invert := producer(predicate, nd.BitwiseInvertOp):
        return b.make(nd.SelectOp, (invert.operand, y, x), op.result.type, through=[invert])
    if is_bool(element_of(x)) and is_splat(x, True) and is_splat(y, False):
        return predicate
    return None


def loses_nothing(source: Attribute, target: Attribute) -> bool:
    """Whether each element of type `source` is one of `target`, also after a cast back."""
    if source == target or is_bool(source):
        return True
    x, y = dtype_of(source), dtype_of(target)
    if is_float(source):
        wider = {("float16", "float32"), ("bfloat16", "float32"), ("float32", "float64")}
        halves = {("float16", "float64"), ("bfloat16", "float64")}
        return (x.name, y.name) in wider | halves
    bits = 8 * x.itemsize - (x.kind == "i")  # without the sign
    if is_float(target):
        return bits <= {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[y.name]
    room = 8 * y.itemsize - (y.kind == "i")
    return is_integer(target) and room >= bits and (y.kind == "i" or x.kind == "u")


def drops_out(source: Attribute, middle: Attribute, target: Attribute) -> bool:
    """Whether a cast through `middle` is the cast from `source` to `target`.

    An integer that goes through a float saturates in the end, directly it would wrap.
    """
    integers = [is_integer(t) for t in (source, middle, target)]
    if all(integers):
        wide_enough = dtype_of(target).itemsize <= dtype_of(middle).itemsize
        return wide_enough or loses_nothing(source, middle)
    if integers == [True, False, True] and not loses_nothing(source, target):
        return False
    return loses_nothing(source, middle)


def cast_chain(op: nd.CastOp, b: NdRewriter) -> SSAValue | None:
    """A cast to its own type; a cast of a cast that lost nothing, or whose cut bits the second
    cuts too. Never f32 -> f16 -> f32."""
    if op.operand.type == op.result.type:
        return op.operand
    first = producer(op.operand, nd.CastOp)
    if not first:
        return None
    source, middle, target = map(element_of, (first.operand, first.result, op.result))
    if not drops_out(source, middle, target):
        return None
    if first.operand.type == op.result.type:
        return first.operand
    return b.make(nd.CastOp, (first.operand,), op.result.type, through=[first])


def through_broadcast(op: Operation, b: NdRewriter) -> SSAValue | None:
    """f(broadcast x) -> broadcast f(x): fewer elements are computed."""
    wide = producer(op.operands[0], BroadcastOp)
    if not wide:
        return None
    narrow = tensor_type(wide.operand)
    element = element_of(op.results[0])
    kind = type(narrow)(element, narrow.shape)
    inner = b.make(type(op), (wide.operand,), kind, op.properties)
    operands = (inner, *wide.sizes)
    return b.make(BroadcastOp, operands, op.results[0].type, wide.properties, through=[wide])


UNARY: tuple[type[Operation], ...] = tuple(
    kind for kind in (*nd.OPS, *transcendental.OPS) if issubclass(kind, nd.UnaryOp)
)
ROUNDED = (nd.FloorOp, nd.CeilOp, nd.TruncOp, nd.RoundOp)

_OWN: dict[type[Operation], tuple[Pattern, ...]] = {
    nd.AddOp: (_neutral(0, -0.0), add_negative),
    nd.SubtractOp: (_neutral_right(0), _on_integers(_of_itself(0)), subtract_negative),
    nd.MultiplyOp: (_neutral(1), _on_integers(_absorbing(0))),
    nd.DivideOp: (_neutral_right(1), divide_by_power_of_two),
    nd.FloorDivideOp: (_on_integers(_neutral_right(1)),),
    nd.PowOp: (_on_integers(_neutral_right(1)),),
    nd.MaximumOp: (bounded(True), same_operands),
    nd.MinimumOp: (bounded(False), same_operands),
    nd.BitwiseAndOp: (_absorbing(0), all_ones, same_operands),
    nd.BitwiseOrOp: (_neutral(0), all_ones, same_operands),
    nd.BitwiseXorOp: (_neutral(0), _of_itself(0)),
    nd.LeftShiftOp: (_neutral_right(0),),
    nd.RightShiftOp: (_neutral_right(0),),
    nd.EqualOp: (compare_bool(True), _on_integers(_of_itself(True))),
    nd.NotEqualOp: (compare_bool(False), _on_integers(_of_itself(False))),
    nd.LessOp: (_of_itself(False),),
    nd.GreaterOp: (_of_itself(False),),
    nd.LessEqualOp: (_on_integers(_of_itself(True)),),
    nd.GreaterEqualOp: (_on_integers(_of_itself(True)),),
    nd.NegativeOp: (_twice(nd.NegativeOp),),
    nd.BitwiseInvertOp: (_twice(nd.BitwiseInvertOp), invert_comparison),
    nd.AbsOp: (_done_by(nd.AbsOp), abs_known),
    nd.SignOp: (_done_by(nd.SignOp),),
    **{kind: (_done_by(*ROUNDED),) for kind in ROUNDED},
    nd.SelectOp: (select_known,),
    nd.CastOp: (cast_chain,),
}

PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    **_OWN,
    **{kind: (*_OWN.get(kind, ()), through_broadcast) for kind in (*UNARY, nd.CastOp)},
}
