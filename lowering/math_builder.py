"""A small builder of `arith` and `math` ops, shared by the expansions of math functions.

An `Emitter` has one float format (f32 or f64) and one lane count. The same calls give scalars
(`lanes=None`) and 1-d vectors (`lanes=16`), so a function written once serves both and gives equal
bits for both. Every op carries the location of the op that is being expanded.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    UnitAttr,
    VectorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation

from lamina.dialects import arith, math, scf, vector
from lamina.lowering.builder import (
    FASTMATH,
    NO_PROPERTIES,
    OVERFLOW,
    float_predicate,
    integer_predicate,
)

Constants: TypeAlias = dict[tuple[int, int | None, bytes | int], SSAValue]
"""Constants already made in a block: (bits, lanes, float pattern or integer) -> value."""

LIBM = "lamina.libm"
"""The attribute of a math op that stays: it becomes a call of libm per lane."""
_LIBM: Mapping[str, Attribute] = {LIBM: UnitAttr()}


@dataclass(frozen=True)
class Types:
    """The types of one format at one lane count."""

    real: Attribute
    integer: Attribute
    flag: Attribute


@cache
def _types(bits: int, lanes: int | None) -> Types:
    real, integer = (f32, i32) if bits == 32 else (f64, i64)
    if lanes is None:
        return Types(real, integer, i1)
    return Types(VectorType(real, [lanes]), VectorType(integer, [lanes]), VectorType(i1, [lanes]))


@lru_cache(maxsize=4096)
def _real_attr(bits: int, lanes: int | None, pattern: bytes) -> Attribute:
    """The attribute of a float constant; keyed by its bytes, since -0.0 == 0.0 and NaN != NaN."""
    (value,) = struct.unpack("<f" if bits == 32 else "<d", pattern)
    real = f32 if bits == 32 else f64
    if lanes is None:
        return FloatAttr(value, real)
    return DenseIntOrFPElementsAttr.from_list(VectorType(real, [lanes]), [value])


@lru_cache(maxsize=4096)
def _integer_attr(bits: int, lanes: int | None, value: int) -> Attribute:
    integer = i32 if bits == 32 else i64
    value = (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    if lanes is None:
        return IntegerAttr(value, integer)
    return DenseIntOrFPElementsAttr.from_list(VectorType(integer, [lanes]), [value])


class Emitter:
    """Appends ops to `ops`; each method returns the result of the op it makes.

    `bits` is 32 or 64, `lanes` None for scalars. With `fma=False` a fused multiply-add becomes a
    product and a sum with two roundings. `constants` holds what was already made in this block.
    """

    def __init__(
        self,
        location: LocationAttr,
        bits: int,
        lanes: int | None,
        *,
        fma: bool = True,
        constants: Constants | None = None,
    ) -> None:
        self.location = location
        self.bits = bits
        self.lanes = lanes
        self.has_fma = fma
        self.ops: list[Operation] = []
        self.constants: Constants = {} if constants is None else constants
        self.types = _types(bits, lanes)

    # -- creation -------------------------------------------------------------------------------

    def emit(
        self,
        kind: type[IRDLOperation],
        operands: tuple[SSAValue, ...],
        result: Attribute,
        properties: Mapping[str, Attribute] = NO_PROPERTIES,
    ) -> SSAValue:
        """Append a `kind` op with one result of type `result`."""
        op = kind.create(
            operands=operands,
            result_types=(result,),
            properties=properties,
            location=self.location,
        )
        self.ops.append(op)
        return op.results[0]

    def real(self, value: float) -> SSAValue:
        """A float constant, rounded to the format."""
        pattern = struct.pack("<f" if self.bits == 32 else "<d", value)
        key = (self.bits, self.lanes, pattern)
        known = self.constants.get(key)
        if known is None:
            properties = {"value": _real_attr(*key)}
            known = self.emit(arith.ConstantOp, (), self.types.real, properties)
            self.constants[key] = known
        return known

    def integer(self, value: int) -> SSAValue:
        """An integer constant of the format's width (wraps)."""
        key = (self.bits, self.lanes, value)
        known = self.constants.get(key)
        if known is None:
            properties = {"value": _integer_attr(*key)}
            known = self.emit(arith.ConstantOp, (), self.types.integer, properties)
            self.constants[key] = known
        return known

    def with_bits(self, bits: int) -> Emitter:
        """An emitter of the other width that appends to the same list."""
        other = Emitter(self.location, bits, self.lanes, fma=self.has_fma, constants=self.constants)
        other.ops = self.ops
        return other

    # -- float arithmetic -----------------------------------------------------------------------

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a + b"""
        return self.emit(arith.AddfOp, (a, b), self.types.real, FASTMATH)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a - b"""
        return self.emit(arith.SubfOp, (a, b), self.types.real, FASTMATH)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a * b"""
        return self.emit(arith.MulfOp, (a, b), self.types.real, FASTMATH)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a / b"""
        return self.emit(arith.DivfOp, (a, b), self.types.real, FASTMATH)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """a * b + c, rounded once where the target has FMA, twice elsewhere."""
        if not self.has_fma:
            return self.add(self.mul(a, b), c)
        return self.emit(math.FmaOp, (a, b, c), self.types.real, FASTMATH)

    def horner(self, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
        """The polynomial c[0] + c[1] x + c[2] x^2 + ..."""
        result = self.real(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = self.fma(result, x, self.real(coefficient))
        return result

    def neg(self, a: SSAValue) -> SSAValue:
        """-a"""
        return self.emit(arith.NegfOp, (a,), self.types.real, FASTMATH)

    def abs(self, a: SSAValue) -> SSAValue:
        """|a|"""
        return self.emit(math.AbsFOp, (a,), self.types.real, FASTMATH)

    def sqrt(self, a: SSAValue) -> SSAValue:
        """The square root, correctly rounded."""
        return self.emit(math.SqrtOp, (a,), self.types.real, FASTMATH)

    def floor(self, a: SSAValue) -> SSAValue:
        """The largest integer not above a."""
        return self.emit(math.FloorOp, (a,), self.types.real, FASTMATH)

    def copysign(self, magnitude: SSAValue, sign: SSAValue) -> SSAValue:
        """|magnitude| with the sign bit of `sign`."""
        return self.emit(math.CopySignOp, (magnitude, sign), self.types.real, FASTMATH)

    # -- choices --------------------------------------------------------------------------------

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """A float comparison: "olt", "ueq", ..."""
        return self.emit(arith.CmpfOp, (a, b), self.types.flag, float_predicate(predicate))

    def compare_integer(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """An integer comparison: "eq", "slt", "ult", ..."""
        return self.emit(arith.CmpiOp, (a, b), self.types.flag, integer_predicate(predicate))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` in the lanes where `condition` holds, `b` elsewhere."""
        return self.emit(arith.SelectOp, (condition, a, b), a.type)

    def at_least(self, x: SSAValue, bound: float) -> SSAValue:
        """max(x, bound); NaN stays NaN. One instruction on x86."""
        limit = self.real(bound)
        return self.select(self.compare("ult", limit, x), x, limit)

    def at_most(self, x: SSAValue, bound: float) -> SSAValue:
        """min(x, bound); NaN stays NaN. One instruction on x86."""
        limit = self.real(bound)
        return self.select(self.compare("ugt", limit, x), x, limit)

    def any(self, flag: SSAValue) -> SSAValue:
        """One i1: whether `flag` holds in some lane."""
        if self.lanes is None:
            return flag
        properties = {"kind": vector.CombiningKindAttr(vector.CombiningKindFlag.OR), **FASTMATH}
        return self.emit(vector.ReductionOp, (flag,), i1, properties)

    # -- bits and integers ----------------------------------------------------------------------

    def bits_of(self, a: SSAValue) -> SSAValue:
        """The bit pattern of a float."""
        return self.emit(arith.BitcastOp, (a,), self.types.integer)

    def from_bits(self, a: SSAValue) -> SSAValue:
        """The float with this bit pattern."""
        return self.emit(arith.BitcastOp, (a,), self.types.real)

    def iadd(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a + b, wraps"""
        return self.emit(arith.AddiOp, (a, b), self.types.integer, OVERFLOW)

    def isub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a - b, wraps"""
        return self.emit(arith.SubiOp, (a, b), self.types.integer, OVERFLOW)

    def imul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """a * b, wraps"""
        return self.emit(arith.MuliOp, (a, b), self.types.integer, OVERFLOW)

    def and_(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bitwise and, on integers or flags."""
        return self.emit(arith.AndIOp, (a, b), a.type)

    def or_(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bitwise or, on integers or flags."""
        return self.emit(arith.OrIOp, (a, b), a.type)

    def xor(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Bitwise exclusive or, on integers or flags."""
        return self.emit(arith.XOrIOp, (a, b), a.type)

    def shl(self, a: SSAValue, amount: int) -> SSAValue:
        """a << amount"""
        return self.shl_by(a, self.integer(amount))

    def shl_by(self, a: SSAValue, amount: SSAValue) -> SSAValue:
        """a << amount, an amount per lane, less than the width"""
        return self.emit(arith.ShLIOp, (a, amount), self.types.integer, OVERFLOW)

    def shr(self, a: SSAValue, amount: int) -> SSAValue:
        """Logical a >> amount"""
        return self.shr_by(a, self.integer(amount))

    def shr_by(self, a: SSAValue, amount: SSAValue) -> SSAValue:
        """Logical a >> amount, an amount per lane, less than the width"""
        return self.emit(arith.ShRUIOp, (a, amount), self.types.integer)

    def sar(self, a: SSAValue, amount: int) -> SSAValue:
        """Arithmetic a >> amount"""
        return self.emit(arith.ShRSIOp, (a, self.integer(amount)), self.types.integer)

    # -- conversions ----------------------------------------------------------------------------

    def to_real(self, a: SSAValue) -> SSAValue:
        """A signed integer of any width as a float."""
        return self.emit(arith.SIToFPOp, (a,), self.types.real)

    def extend(self, a: SSAValue) -> SSAValue:
        """f32 to f64; called on the f64 emitter."""
        return self.emit(arith.ExtFOp, (a,), self.types.real)

    def truncate(self, a: SSAValue) -> SSAValue:
        """f64 to f32; called on the f32 emitter."""
        return self.emit(arith.TruncFOp, (a,), self.types.real)

    def extend_unsigned(self, a: SSAValue) -> SSAValue:
        """i32 to i64 with zeros; called on the f64 emitter."""
        return self.emit(arith.ExtUIOp, (a,), self.types.integer)

    def truncate_integer(self, a: SSAValue) -> SSAValue:
        """i64 to i32; called on the f32 emitter."""
        return self.emit(arith.TruncIOp, (a,), self.types.integer, OVERFLOW)

    # -- control --------------------------------------------------------------------------------

    def nested(self) -> Emitter:
        """An emitter for the body of a region at this point: it sees the constants made so far."""
        return Emitter(
            self.location, self.bits, self.lanes, fma=self.has_fma, constants=dict(self.constants)
        )

    def if_else(
        self,
        condition: SSAValue,
        body: Emitter,
        values: Sequence[SSAValue],
        other: Sequence[SSAValue],
    ) -> tuple[SSAValue, ...]:
        """`scf.if`: `body`'s ops giving `values` where the scalar condition holds, else `other`."""
        regions: list[Region] = []
        for ops, yielded in ((body.ops, values), ([], other)):
            block = Block()
            block.add_ops(ops)
            block.add_op(scf.YieldOp.create(operands=yielded, location=self.location))
            regions.append(Region(block))
        op = scf.IfOp.create(
            operands=(condition,),
            result_types=[value.type for value in values],
            regions=regions,
            location=self.location,
        )
        self.ops.append(op)
        return tuple(op.results)

    def rarely(
        self, kind: type[IRDLOperation], x: SSAValue, flag: SSAValue, usual: SSAValue
    ) -> SSAValue:
        """`usual`, and libm's result of the math op `kind` on `x` where `flag` holds (rarely)."""
        body = self.nested()
        op = kind.create(
            operands=(x,),
            result_types=(x.type,),
            properties=FASTMATH,
            attributes=_LIBM,
            location=self.location,
        )
        body.ops.append(op)
        chosen = body.select(flag, op.results[0], usual)
        return self.if_else(self.any(flag), body, [chosen], [usual])[0]

    # -- two-term arithmetic --------------------------------------------------------------------

    def sum_exact(self, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
        """(high, low): a + b exactly (Knuth)."""
        high = self.add(a, b)
        b_part = self.sub(high, a)
        a_part = self.sub(high, b_part)
        return high, self.add(self.sub(a, a_part), self.sub(b, b_part))

    def sum_ordered(self, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
        """(high, low): a + b exactly, for |a| >= |b| or a = 0 (Dekker)."""
        high = self.add(a, b)
        return high, self.sub(b, self.sub(high, a))

    def product_exact(self, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
        """(high, low): a * b exactly (Dekker's splitting where there is no FMA)."""
        high = self.mul(a, b)
        if self.has_fma:
            return high, self.fma(a, b, self.neg(high))
        a_high, a_low = self._halves(a)
        b_high, b_low = self._halves(b)
        low = self.sub(self.mul(a_high, b_high), high)
        low = self.add(low, self.mul(a_high, b_low))
        low = self.add(low, self.mul(a_low, b_high))
        return high, self.add(low, self.mul(a_low, b_low))

    def _halves(self, a: SSAValue) -> tuple[SSAValue, SSAValue]:
        scaled = self.mul(a, self.real(2.0**12 + 1 if self.bits == 32 else 2.0**27 + 1))
        high = self.sub(scaled, self.sub(scaled, a))
        return high, self.sub(a, high)

    def fma_exact(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """a * b + c with the product exact on every target, rounded once or nearly so."""
        if self.has_fma:
            return self.fma(a, b, c)
        if self.bits == 32:
            wide = self.with_bits(64)
            product = wide.mul(wide.extend(a), wide.extend(b))
            return self.truncate(wide.add(product, wide.extend(c)))
        high, low = self.product_exact(a, b)
        total, rest = self.sum_exact(high, c)
        return self.add(total, self.add(rest, low))
