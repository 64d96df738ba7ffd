"""Building ops for one block: what the rebuilding passes share.

Passes that go a level down rebuild (one function per op, `.create`, cached attributes); rewriting
in place costs five times as much per op.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith
from lamina.dialects.type_tests import is_integer, is_vector

INDEX = IndexType()
NO_PROPERTIES: dict[str, Attribute] = {}
FASTMATH: dict[str, Attribute] = {"fastmath": arith.NO_FASTMATH}
OVERFLOW: dict[str, Attribute] = {"overflowFlags": arith.NO_OVERFLOW}

INTEGER_OPS = {
    "add": arith.AddiOp, "sub": arith.SubiOp, "mul": arith.MuliOp, "shl": arith.ShLIOp,
    "and": arith.AndIOp, "or": arith.OrIOp, "xor": arith.XOrIOp,
    "shrs": arith.ShRSIOp, "shru": arith.ShRUIOp, "divs": arith.DivSIOp, "divu": arith.DivUIOp,
    "rems": arith.RemSIOp, "remu": arith.RemUIOp, "maxs": arith.MaxSIOp, "maxu": arith.MaxUIOp,
    "mins": arith.MinSIOp, "minu": arith.MinUIOp,
}  # fmt: skip
FLOAT_OPS = {
    "add": arith.AddfOp, "sub": arith.SubfOp, "mul": arith.MulfOp, "div": arith.DivfOp,
    "max": arith.MaximumfOp, "min": arith.MinimumfOp, "rem": arith.RemfOp,
}  # fmt: skip
WITH_OVERFLOW = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp, arith.TruncIOp)


@lru_cache(maxsize=4096)
def int_attr(value: int, type: IntegerType | IndexType) -> IntegerAttr[Any]:
    """`value` (wrapped to the type's width) as an attribute."""
    return IntegerAttr(value, type, truncate_bits=isinstance(type, IntegerType))


def number_attr(value: float, type: Attribute) -> Attribute:
    """`value` as an attribute of an integer, index, float or vector type (a splat)."""
    if is_vector(type):
        return DenseIntOrFPElementsAttr.from_list(cast("VectorType[AnyFloat]", type), [value])
    if is_integer(type) or isinstance(type, IndexType):
        return int_attr(int(value), type)
    return FloatAttr(value, cast(AnyFloat, type))


@lru_cache(maxsize=1024)
def vector_of(element: Attribute, lanes: int) -> Attribute:
    """`vector<lanes x element>`, or the element itself for 0 lanes."""
    return VectorType(element, [lanes]) if lanes else element


@lru_cache(maxsize=256)
def segments(*sizes: int) -> DenseArrayBase[IntegerType]:
    """An `array<i32: ...>`: sizes of groups of operands, constant indices."""
    return DenseArrayBase.from_list(i32, sizes)


@cache
def float_predicate(name: str) -> Mapping[str, Attribute]:
    """The properties of `arith.cmpf`: "olt", "une", ..."""
    return {"predicate": int_attr(arith.CMPF_COMPARISON_OPERATIONS.index(name), i64), **FASTMATH}


@cache
def integer_predicate(name: str) -> Mapping[str, Attribute]:
    """The properties of `arith.cmpi`: "eq", "slt", ..."""
    return {"predicate": int_attr(arith.CMPI_COMPARISON_OPERATIONS.index(name), i64)}


class Builder:
    """Collects the ops of one block; each op gets `location`.

    Constants are made once: a builder of a nested region (`nested()`) finds those that the
    builders around it made before.
    """

    __slots__ = ("_constants", "location", "ops", "parent")

    location: LocationAttr

    def __init__(self, location: LocationAttr = UNKNOWN_LOC, parent: Builder | None = None) -> None:
        self.location = location
        self.ops: list[Operation] = []
        self.parent = parent
        self._constants: dict[Attribute, SSAValue] = {}

    def nested(self) -> Builder:
        """A builder for a region inside this block."""
        return Builder(self.location, self)

    def add(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue] = (),
        types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] = NO_PROPERTIES,
        regions: Sequence[Region] = (),
        attributes: Mapping[str, Attribute] = NO_PROPERTIES,
    ) -> Operation:
        """Append a `kind` op."""
        op = kind.create(
            operands=operands,
            result_types=types,
            properties=properties,
            attributes=attributes,
            location=self.location,
            regions=regions,
        )
        self.ops.append(op)
        return op

    def value(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute] = NO_PROPERTIES,
    ) -> SSAValue:
        """Append a `kind` op with one result; its result."""
        op = kind.create(
            operands=operands,
            result_types=(type,),
            properties=properties,
            location=self.location,
        )
        self.ops.append(op)
        return op.results[0]

    def constant(self, attribute: Attribute, type: Attribute) -> SSAValue:
        """The value of `arith.constant attribute`, made once a block."""
        builder: Builder | None = self
        while builder is not None:
            found = builder._constants.get(attribute)
            if found is not None:
                return found
            builder = builder.parent
        result = self.value(arith.ConstantOp, (), type, {"value": attribute})
        self._constants[attribute] = result
        return result

    def index(self, value: int) -> SSAValue:
        """An index constant."""
        return self.constant(int_attr(value, INDEX), INDEX)

    def number(self, value: float, type: Attribute) -> SSAValue:
        """A constant of an integer, index, float or vector type (a splat)."""
        return self.constant(number_attr(value, type), type)

    def int_op(self, name: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """An integer op of `INTEGER_OPS`."""
        kind = INTEGER_OPS[name]
        flags = OVERFLOW if kind in WITH_OVERFLOW else NO_PROPERTIES
        return self.value(kind, (lhs, rhs), lhs.type, flags)

    def float_op(self, name: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A float op of `FLOAT_OPS`."""
        return self.value(FLOAT_OPS[name], (lhs, rhs), lhs.type, FASTMATH)

    def cmpi(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """`arith.cmpi`; the result has the operands' lanes."""
        flag = arith.with_element_type(lhs.type, i1)
        return self.value(arith.CmpiOp, (lhs, rhs), flag, integer_predicate(predicate))

    def cmpf(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """`arith.cmpf`; the result has the operands' lanes."""
        flag = arith.with_element_type(lhs.type, i1)
        return self.value(arith.CmpfOp, (lhs, rhs), flag, float_predicate(predicate))

    def select(self, flag: SSAValue, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """`arith.select`."""
        return self.value(arith.SelectOp, (flag, lhs, rhs), lhs.type)

    def cast(self, kind: type[Operation], value: SSAValue, type: Attribute) -> SSAValue:
        """A cast op of arith; flags are added where the op has them."""
        flags = OVERFLOW if kind in WITH_OVERFLOW else NO_PROPERTIES
        return self.value(kind, (value,), type, flags)


def region(ops: Sequence[Operation], arguments: Sequence[Attribute] = ()) -> Region:
    """A region of one block with `ops`."""
    block = Block(arg_types=arguments)
    block.add_ops(ops)
    return Region(block)
