"""Write out the casts of half types that are no machine instructions.

    %h = arith.truncf %x : f32 to bf16
becomes
    %b = arith.bitcast %x : f32 to i32
    ... round to nearest even: add 0x7FFF and the lowest kept bit, shift ...
    %h = arith.bitcast %r : i16 to bf16

Before: `arith` on scalars and vectors. After: no cast has a bf16 side; casts with an f16 side have
f32 on the other, and none is left when `f16c=false`. LLVM would call library functions that do not
exist in a JIT, or use instructions that flush denormals.

Rounding is to nearest even and happens once, also from f64 (by way of an f32 rounded to odd).
Denormals are kept; a NaN stays a NaN and becomes quiet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from lamina.dialects import arith, math
from lamina.dialects.arith import with_element_type

_HALVES = (BFloat16Type, Float16Type)


# predicates


def is_half(type: Attribute) -> bool:
    """Whether the elements are bf16 or f16."""
    return isinstance(get_element_type_or_self(type), _HALVES)


def must_expand(op: Operation, *, f16c: bool) -> bool:
    """Whether a cast has no machine instruction. f16c: f16 from and to f32 are instructions."""
    source = get_element_type_or_self(op.operands[0].type)
    target = get_element_type_or_self(op.results[0].type)
    if f16c and (source, target) in ((f16, f32), (f32, f16)):
        return False
    return is_half(source) or is_half(target)


# making code


class _Code:
    """Operations before `op`, on scalars or on vectors of the shape of its operand."""

    def __init__(self, op: Operation, *, f16c: bool) -> None:
        self.op = op
        self.f16c = f16c
        self.point = InsertPoint.before(op)

    def emit(self, op: Operation) -> SSAValue:
        """Insert an operation; its result."""
        op.location = self.op.location
        Rewriter.insert_op(op, self.point)
        return op.results[0]

    def like(self, element: Attribute) -> Attribute:
        """The type of the cast's shape with these elements."""
        return with_element_type(self.op.operands[0].type, element)

    def number(self, value: int, type: Attribute) -> SSAValue:
        """An integer constant of a scalar or vector type."""
        element = get_element_type_or_self(type)
        assert isa(element, IntegerType)
        attr: Attribute = IntegerAttr(value, element, truncate_bits=True)
        if isa(type, VectorType[IntegerType]):
            attr = DenseIntOrFPElementsAttr.from_list(type, [attr.value.data])
        return self.emit(arith.ConstantOp.create(result_types=(type,), properties={"value": attr}))

    def real(self, value: float, like: SSAValue) -> SSAValue:
        """An f32 constant of a scalar or vector type."""
        attr: Attribute = FloatAttr(value, f32)
        if isa(like.type, VectorType[Float32Type]):
            attr = DenseIntOrFPElementsAttr.from_list(like.type, [value])
        return self.emit(
            arith.ConstantOp.create(result_types=(like.type,), properties={"value": attr})
        )

    def binary(self, cls: type[Operation], a: SSAValue, b: SSAValue | int) -> SSAValue:
        """An operation on two values of one type; numbers are integers of the other's type."""
        other = self.number(b, a.type) if isinstance(b, int) else b
        return self.emit(cls.create(operands=(a, other), result_types=(a.type,)))

    def cast(self, cls: type[Operation], x: SSAValue, element: Attribute) -> SSAValue:
        """A cast to elements of another type."""
        return self.emit(cls.create(operands=(x,), result_types=(self.like(element),)))

    def bits(self, x: SSAValue, element: Attribute) -> SSAValue:
        """The same bits as another type."""
        return self.cast(arith.BitcastOp, x, element)

    def compare(self, a: SSAValue, b: SSAValue | int, predicate: str) -> SSAValue:
        """An integer comparison."""
        other = self.number(b, a.type) if isinstance(b, int) else b
        return self.emit(arith.CmpiOp(a, other, predicate))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """a where the condition holds, else b."""
        return self.emit(arith.SelectOp(condition, a, b))

    # float to float

    def narrow_to_f32(self, x: SSAValue) -> SSAValue:
        """f64 to f32, rounded to odd: the later rounding to a half type is then the only one.

        An inexact result with an even last bit moves to its odd neighbour on the other side of x.
        """
        rounded = self.cast(arith.TruncFOp, x, f32)
        back = self.cast(arith.ExtFOp, rounded, f64)
        bits = self.bits(rounded, i32)
        inexact = self.emit(arith.CmpfOp(back, x, "one"))
        even = self.compare(self.binary(arith.AndIOp, bits, 1), 0, "eq")
        magnitude, wanted = (self.emit(math.AbsFOp(value)) for value in (back, x))
        outside = self.emit(arith.CmpfOp(magnitude, wanted, "ogt"))
        down = self.binary(arith.SubiOp, bits, 1)
        up = self.binary(arith.AddiOp, bits, 1)
        moved = self.select(outside, down, up)
        wrong = self.binary(arith.AndIOp, inexact, even)
        return self.bits(self.select(wrong, moved, bits), f32)

    def to_bf16(self, x: SSAValue) -> SSAValue:
        """f32 to bf16: the upper half, rounded."""
        bits = self.bits(x, i32)
        high = self.binary(arith.ShRUIOp, bits, 16)
        odd = self.binary(arith.AndIOp, high, 1)
        bumped = self.binary(arith.AddiOp, self.binary(arith.AddiOp, bits, 0x7FFF), odd)
        rounded = self.binary(arith.ShRUIOp, bumped, 16)
        quiet = self.binary(arith.OrIOp, high, 0x40)
        is_nan = self.emit(arith.CmpfOp(x, x, "uno"))
        result = self.select(is_nan, quiet, rounded)
        return self.bits(self.cast(arith.TruncIOp, result, i16), bf16)

    def from_bf16(self, x: SSAValue) -> SSAValue:
        """bf16 to f32: exact."""
        wide = self.cast(arith.ExtUIOp, self.bits(x, i16), i32)
        return self.bits(self.binary(arith.ShLIOp, wide, 16), f32)

    def to_f16(self, x: SSAValue) -> SSAValue:
        """f32 to f16.

        Below 2^-14, adding 0.5 as floats puts the denormal's bits, rounded, at the end of the
        sum. In the normal range the exponent is rebiased and 13 bits are rounded away, which may
        carry up to infinity. From 2^16 on the result is infinity or NaN.
        """
        if self.f16c:
            return self.cast(arith.TruncFOp, x, f16)
        bits = self.bits(x, i32)
        magnitude = self.binary(arith.AndIOp, bits, 0x7FFFFFFF)
        positive = self.bits(magnitude, f32)
        small = self.binary(arith.AddfOp, positive, self.real(0.5, positive))
        denormal = self.binary(arith.SubiOp, self.bits(small, i32), 0x3F000000)
        odd = self.binary(arith.AndIOp, self.binary(arith.ShRUIOp, magnitude, 13), 1)
        rebiased = self.binary(arith.AddiOp, magnitude, 0xFFF - (112 << 23))
        normal = self.binary(arith.ShRUIOp, self.binary(arith.AddiOp, rebiased, odd), 13)
        payload = self.binary(arith.AndIOp, self.binary(arith.ShRUIOp, magnitude, 13), 0x3FF)
        nan = self.binary(arith.OrIOp, payload, 0x7E00)
        is_nan = self.compare(magnitude, 0x7F800000, "sgt")
        large = self.select(is_nan, nan, self.number(0x7C00, bits.type))
        finite = self.select(self.compare(magnitude, 113 << 23, "slt"), denormal, normal)
        unsigned = self.select(self.compare(magnitude, 143 << 23, "sge"), large, finite)
        sign = self.binary(arith.AndIOp, self.binary(arith.ShRUIOp, bits, 16), 0x8000)
        result = self.binary(arith.OrIOp, unsigned, sign)
        return self.bits(self.cast(arith.TruncIOp, result, i16), f16)

    def from_f16(self, x: SSAValue) -> SSAValue:
        """f16 to f32: exact. A denormal becomes 2^-14 + itself, from which 2^-14 is taken."""
        if self.f16c:
            return self.cast(arith.ExtFOp, x, f32)
        wide = self.cast(arith.ExtUIOp, self.bits(x, i16), i32)
        moved = self.binary(arith.ShLIOp, self.binary(arith.AndIOp, wide, 0x7FFF), 13)
        exponent = self.binary(arith.AndIOp, moved, 0x7C00 << 13)
        normal = self.binary(arith.AddiOp, moved, 112 << 23)
        special = self.binary(arith.AddiOp, normal, 112 << 23)
        lifted = self.bits(self.binary(arith.AddiOp, normal, 1 << 23), f32)
        small = self.bits(self.binary(arith.SubfOp, lifted, self.real(2.0**-14, lifted)), i32)
        is_special = self.compare(exponent, 0x7C00 << 13, "eq")
        finite = self.select(self.compare(exponent, 0, "eq"), small, normal)
        unsigned = self.select(is_special, special, finite)
        sign = self.binary(arith.ShLIOp, self.binary(arith.AndIOp, wide, 0x8000), 16)
        return self.bits(self.binary(arith.OrIOp, unsigned, sign), f32)

    # integer to float

    def to_f64(self, x: SSAValue) -> SSAValue:
        """An integer to f64, exact or as good for a later rounding to few bits.

        From 2^53 on, the 12 low bits of an i64 cannot reach the result but for not being 0.
        """
        element = get_element_type_or_self(x.type)
        assert isa(element, IntegerType)
        signed = isinstance(self.op, arith.SIToFPOp)
        if element.width.data > 53:
            low = self.binary(arith.AndIOp, x, 0xFFF)
            some = self.cast(arith.ExtUIOp, self.compare(low, 0, "ne"), element)
            sticky = self.binary(arith.ShLIOp, some, 11)
            squeezed = self.binary(arith.OrIOp, self.binary(arith.SubiOp, x, low), sticky)
            size = self.emit(math.AbsIOp(x)) if signed else x
            large = self.compare(size, 2**53, "uge")
            x = self.select(large, squeezed, x)
        return self.cast(arith.SIToFPOp if signed else arith.UIToFPOp, x, f64)

    # whole casts

    def widen(self, x: SSAValue) -> SSAValue:
        """A half type to f32."""
        element = get_element_type_or_self(x.type)
        return self.from_bf16(x) if isinstance(element, BFloat16Type) else self.from_f16(x)

    def narrow(self, x: SSAValue, element: Attribute) -> SSAValue:
        """f32 to a half type."""
        return self.to_bf16(x) if isinstance(element, BFloat16Type) else self.to_f16(x)


def _expand_truncf(code: _Code, x: SSAValue, element: Attribute) -> SSAValue:
    if isinstance(get_element_type_or_self(x.type), Float64Type):
        x = code.narrow_to_f32(x)
    return code.narrow(x, element)


def _expand_extf(code: _Code, x: SSAValue, element: Attribute) -> SSAValue:
    wide = code.widen(x)
    return wide if element == f32 else code.cast(arith.ExtFOp, wide, element)


def _expand_to_float(code: _Code, x: SSAValue, element: Attribute) -> SSAValue:
    """By way of f32 where that is exact or, for f16, overflows to infinity anyway."""
    source = get_element_type_or_self(x.type)
    assert isa(source, IntegerType)
    if isinstance(element, Float16Type) or source.width.data <= 24:
        return code.narrow(code.cast(type(code.op), x, f32), element)
    return code.narrow(code.narrow_to_f32(code.to_f64(x)), element)


def _expand_to_integer(code: _Code, x: SSAValue, element: Attribute) -> SSAValue:
    return code.cast(type(code.op), code.widen(x), element)


EXPANSIONS: dict[str, Callable[[_Code, SSAValue, Attribute], SSAValue]] = {
    "arith.truncf": _expand_truncf,
    "arith.extf": _expand_extf,
    "arith.sitofp": _expand_to_float,
    "arith.uitofp": _expand_to_float,
    "arith.fptosi": _expand_to_integer,
    "arith.fptoui": _expand_to_integer,
}


@dataclass(frozen=True)
class ExpandFloatCastsPass(ModulePass):
    """Write out the casts of half types that are no machine instructions.

    f16c: whether casts between f16 and f32 are instructions of the target.
    """

    name = "expand-float-casts"

    f16c: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for cast in list(op.walk()):
            expand = EXPANSIONS.get(cast.name)
            if expand is None or not must_expand(cast, f16c=self.f16c):
                continue
            code = _Code(cast, f16c=self.f16c)
            element = get_element_type_or_self(cast.results[0].type)
            result = expand(code, cast.operands[0], element)
            cast.results[0].replace_all_uses_with(result)
            Rewriter.erase_op(cast)
