"""Appends llvm operations to the block under construction, at the cost of one `.create` each.

Types and property dictionaries are made once and shared. Constants and stack slots are collected
apart and put at the head of the entry block, where they dominate every use.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects import llvm
from lamina.dialects.type_tests import is_integer, is_vector
from lamina.lowering.builder import segments
from lamina.lowering.to_llvm.types import I1, PTR, dense

NO_FASTMATH = llvm.FastMathAttr(None)
NO_OVERFLOW = {"overflowFlags": IntegerAttr(0, 32)}
NSW = {"overflowFlags": IntegerAttr(1, 32)}
NO_TRUNC_FLAGS: Mapping[str, Attribute] = {"overflowFlags": llvm.OverflowAttr("none")}
NO_FLAGS = {"fastmathFlags": NO_FASTMATH}
EMPTY: Mapping[str, Attribute] = {}
MAY_WRAP = IntegerAttr(0, 32)
INBOUNDS = IntegerAttr(3, 32)
GEP_DYNAMIC = -(2**31)  # the constant index that stands for "the next operand"

_NO_BUNDLES = DenseArrayBase.from_list(i32, ())
_CALL: Mapping[str, Attribute] = {
    "fastmathFlags": NO_FASTMATH,
    "CConv": llvm.CallingConventionAttr("ccc"),
    "TailCallKind": llvm.TailCallKindAttr(llvm.TailCallKind.NONE),
    "op_bundle_sizes": _NO_BUNDLES,
}
_INTRINSICS: dict[tuple[str, int, Attribute], Mapping[str, Attribute]] = {}
_ALIGNMENTS: dict[int, Mapping[str, Attribute]] = {}
_INTEGERS: dict[tuple[int, int], IntegerAttr[IntegerType]] = {}


def integer_attr(number: int, type: IntegerType) -> IntegerAttr[IntegerType]:
    """An integer attribute, made once."""
    key = (number, type.width.data)
    if (attr := _INTEGERS.get(key)) is None:
        attr = _INTEGERS[key] = IntegerAttr(number, type, truncate_bits=True)
    return attr


class Builder:
    """Where llvm operations go: `block`, with the location of the source operation in `loc`."""

    def __init__(self, entry: Block, loc: LocationAttr) -> None:
        self.entry = entry
        self.block = entry
        self.loc = loc
        self._head: list[Operation] = []
        self._ops: dict[Block, list[Operation]] = {entry: []}
        self._order: list[Block] = [entry]
        self._current = self._ops[entry]
        self._constants: dict[tuple[object, Attribute], SSAValue] = {}
        self._local: dict[tuple[object, ...], SSAValue] = {}

    def start(self, block: Block) -> None:
        """Append to `block` from now on; blocks are laid out in the order of their first start."""
        self.block = block
        self._local = {}
        if (ops := self._ops.get(block)) is None:
            ops = self._ops[block] = []
            self._order.append(block)
        self._current = ops

    def finish(self) -> list[Block]:
        """The blocks, filled, entry first."""
        self.entry.add_ops(self._head)
        for block in self._order:
            block.add_ops(self._ops[block])
        return self._order

    def new_block(self, *types: Attribute) -> Block:
        """A block that is not laid out before it is started."""
        block = Block(arg_types=types)
        for arg in block.args:
            arg.location = self.loc
        return block

    def emit(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute] = EMPTY,
    ) -> SSAValue:
        """Append an operation with one result."""
        op = cls.create(
            operands=operands, result_types=(type,), properties=properties, location=self.loc
        )
        self._current.append(op)
        return op.results[0]

    def effect(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        properties: Mapping[str, Attribute] = EMPTY,
        successors: Sequence[Block] = (),
        attributes: Mapping[str, Attribute] = EMPTY,
    ) -> None:
        """Append an operation without a result."""
        op = cls.create(
            operands=operands,
            properties=properties,
            attributes=attributes,
            successors=successors,
            location=self.loc,
        )
        self._current.append(op)

    # constants and stack slots

    @contextmanager
    def at_head(self) -> Generator[None]:
        """Append to the head of the entry block inside a `with`."""
        saved, local = self._current, self._local
        self._current, self._local = self._head, {}
        yield
        self._current, self._local = saved, local

    def _at_head(
        self,
        cls: type[Operation],
        operands: Sequence[SSAValue],
        type: Attribute,
        properties: Mapping[str, Attribute],
    ) -> SSAValue:
        op = cls.create(
            operands=operands, result_types=(type,), properties=properties, location=self.loc
        )
        self._head.append(op)
        return op.results[0]

    def constant(self, attr: Attribute, type: Attribute) -> SSAValue:
        """The constant `attr`, one a function."""
        if (value := self._constants.get((attr, type))) is None:
            value = self._at_head(llvm.ConstantOp, (), type, {"value": attr})
            self._constants[attr, type] = value
        return value

    def integer(self, number: int, type: Attribute = i64) -> SSAValue:
        """The integer constant `number`, or a splat of it when `type` is a vector."""
        if (value := self._constants.get((number, type))) is None:
            if is_vector(type):
                attr: Attribute = dense(type, [number])
            else:
                assert is_integer(type)
                attr = integer_attr(number, type)
            value = self._constants[number, type] = self.constant(attr, type)
        return value

    def float(self, number: float, type: Attribute) -> SSAValue:
        """The float constant `number` of a scalar type."""
        assert isinstance(type, Float16Type | BFloat16Type | Float32Type | Float64Type)
        return self.constant(FloatAttr(number, type), type)

    def undefined(self, type: Attribute) -> SSAValue:
        """A value that nothing reads."""
        if (value := self._constants.get((None, type))) is None:
            value = self._constants[None, type] = self._at_head(llvm.PoisonOp, (), type, EMPTY)
        return value

    def null(self) -> SSAValue:
        """The null pointer."""
        if (value := self._constants.get((None, PTR))) is None:
            value = self._constants[None, PTR] = self._at_head(llvm.ZeroOp, (), PTR, EMPTY)
        return value

    def stack_slot(self, type: Attribute, count: int = 1, alignment: int = 8) -> SSAValue:
        """`count` values of `type` on the stack, in the entry block whatever the current block."""
        properties = {"elem_type": type, "alignment": IntegerAttr(alignment, 64)}
        return self._at_head(llvm.AllocaOp, (self.integer(count),), PTR, properties)

    # integers, folded where the operands are Python numbers

    def value(self, number: int | SSAValue) -> SSAValue:
        """An i64 as a value."""
        return self.integer(number) if isinstance(number, int) else number

    def add(self, a: int | SSAValue, b: int | SSAValue) -> int | SSAValue:
        """a + b in i64."""
        if isinstance(a, int):
            if isinstance(b, int):
                return a + b
            a, b = b, a
        if b == 0:
            return a
        return self._arith(llvm.AddOp, a, b)

    def mul(self, a: int | SSAValue, b: int | SSAValue) -> int | SSAValue:
        """a * b in i64."""
        if isinstance(a, int):
            if isinstance(b, int):
                return a * b
            a, b = b, a
        if isinstance(b, int) and b in (0, 1):
            return a if b else 0
        return self._arith(llvm.MulOp, a, b)

    def _arith(self, cls: type[Operation], a: SSAValue, b: int | SSAValue) -> SSAValue:
        """Address arithmetic: the same operands in the same block give the same value."""
        key = (cls, a, b)
        if (value := self._local.get(key)) is None:
            value = self._local[key] = self.emit(cls, (a, self.value(b)), i64, NO_OVERFLOW)
        return value

    def product(self, factors: Sequence[int | SSAValue]) -> int | SSAValue:
        """The product of sizes in i64."""
        result: int | SSAValue = 1
        for factor in factors:
            result = self.mul(result, factor)
        return result

    # memory

    def element(
        self,
        pointer: SSAValue,
        index: int | SSAValue,
        type: Attribute,
        *,
        inbounds: bool = False,
    ) -> SSAValue:
        """The address of element `index` of an array of `type` that begins at `pointer`.

        inbounds: the element is about to be accessed.
        """
        if index == 0:
            return pointer
        key = ("element", pointer, index, type, inbounds)
        if (value := self._local.get(key)) is not None:
            return value
        if isinstance(index, int) and not -(2**31) < index < 2**31:
            index = self.integer(index)
        if isinstance(index, int):
            indices, operands = (index,), (pointer,)
        else:
            indices, operands = (GEP_DYNAMIC,), (pointer, index)
        properties = {
            "elem_type": type,
            "rawConstantIndices": segments(*indices),
            "noWrapFlags": INBOUNDS if inbounds else MAY_WRAP,
        }
        value = self._local[key] = self.emit(llvm.GEPOp, operands, PTR, properties)
        return value

    def field(self, pointer: SSAValue, index: int, struct: llvm.LLVMStructType) -> SSAValue:
        """The address of field `index` of the struct at `pointer`."""
        properties = {
            "elem_type": struct,
            "rawConstantIndices": segments(0, index),
            "noWrapFlags": IntegerAttr(3, 32),  # inbounds
        }
        return self.emit(llvm.GEPOp, (pointer,), PTR, properties)

    def load(self, pointer: SSAValue, type: Attribute, alignment: int) -> SSAValue:
        """A load of `type`; `alignment` in bytes."""
        return self.emit(llvm.LoadOp, (pointer,), type, _aligned(alignment))

    def store(
        self,
        value: SSAValue,
        pointer: SSAValue,
        alignment: int,
        attributes: Mapping[str, Attribute] = EMPTY,
        streams: bool = False,
    ) -> None:
        """A store; `alignment` in bytes. `streams`: past the caches."""
        operands, properties = (value, pointer), _aligned(alignment)
        if streams:
            properties = {**properties, "nontemporal": UnitAttr()}
        self.effect(llvm.StoreOp, operands, properties, attributes=attributes)

    def address_of(self, symbol: str) -> SSAValue:
        """The address of a global or function, one operation a function."""
        if (value := self._constants.get((symbol, PTR))) is None:
            properties: Mapping[str, Attribute] = {"global_name": SymbolRefAttr(symbol)}
            value = self._at_head(llvm.AddressOfOp, (), PTR, properties)
            self._constants[symbol, PTR] = value
        return value

    # control flow and calls

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """A comparison of integers or pointers, for example "slt"."""
        type = a.type
        result = VectorType(I1, type.shape) if is_vector(type) else I1
        return self.emit(llvm.ICmpOp, (a, b), result, _INTEGER_PREDICATES[predicate])

    def branch(self, target: Block, operands: Sequence[SSAValue] = ()) -> None:
        """End the block with a jump."""
        self.effect(llvm.BrOp, operands, EMPTY, (target,))

    def branch_if(
        self,
        condition: SSAValue,
        then: Block,
        then_operands: Sequence[SSAValue],
        other: Block,
        other_operands: Sequence[SSAValue],
    ) -> None:
        """End the block with a conditional jump."""
        properties: Mapping[str, Attribute] = {
            "operandSegmentSizes": segments(1, len(then_operands), len(other_operands))
        }
        operands = (condition, *then_operands, *other_operands)
        self.effect(llvm.CondBrOp, operands, properties, (then, other))

    @contextmanager
    def loop(self, count: int | SSAValue) -> Generator[SSAValue]:
        """Run the code made inside a `with` for every index below `count`."""
        zero, total = self.integer(0), self.value(count)
        body, following = self.new_block(i64), self.new_block()
        if isinstance(count, int) and count > 0:
            self.branch(body, (zero,))
        else:
            self.branch_if(self.compare("slt", zero, total), body, (zero,), following, ())
        self.start(body)
        index = body.args[0]
        yield index
        after = self.emit(llvm.AddOp, (index, self.integer(1)), i64, NSW)
        self.branch_if(self.compare("slt", after, total), body, (after,), following, ())
        self.start(following)

    def call(self, callee: str, operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
        """A direct call of a function with a result."""
        properties = _call_properties(len(operands), SymbolRefAttr(callee))
        return self.emit(llvm.CallOp, operands, type, properties)

    def call_void(self, callee: str, operands: Sequence[SSAValue]) -> None:
        """A direct call of a function without a result."""
        properties = _call_properties(len(operands), SymbolRefAttr(callee))
        self.effect(llvm.CallOp, operands, properties)

    def call_pointer(
        self, function: SSAValue, operands: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        """A call through a pointer."""
        properties = _call_properties(len(operands) + 1)
        return self.emit(llvm.CallOp, (function, *operands), type, properties)

    def call_intrinsic(
        self,
        name: str,
        operands: Sequence[SSAValue],
        type: Attribute,
        fastmath: Attribute = NO_FASTMATH,
    ) -> SSAValue:
        """A call of the intrinsic `name`, its overload suffix included."""
        properties = _intrinsic_properties(name, len(operands), fastmath)
        return self.emit(llvm.CallIntrinsicOp, operands, type, properties)

    def effect_intrinsic(self, name: str, operands: Sequence[SSAValue]) -> None:
        """A call of an intrinsic without a result."""
        properties = _intrinsic_properties(name, len(operands), NO_FASTMATH)
        self.effect(llvm.CallIntrinsicOp, operands, properties)


PREDICATES: Sequence[Mapping[str, Attribute]] = [
    {"predicate": IntegerAttr(number, i64)} for number in range(16)
]
"""The properties of a comparison by the number of its predicate."""

_INTEGER_PREDICATES = dict(zip(llvm.ICmpOp.PREDICATES, PREDICATES, strict=False))


def _aligned(alignment: int) -> Mapping[str, Attribute]:
    if (properties := _ALIGNMENTS.get(alignment)) is None:
        properties = _ALIGNMENTS[alignment] = {
            "alignment": IntegerAttr(alignment, i64),
            "ordering": IntegerAttr(0, i64),
        }
    return properties


def _call_properties(operands: int, callee: Attribute | None = None) -> Mapping[str, Attribute]:
    properties = {**_CALL, "operandSegmentSizes": segments(operands, 0)}
    if callee is not None:
        properties["callee"] = callee
    return properties


def _intrinsic_properties(name: str, operands: int, fastmath: Attribute) -> Mapping[str, Attribute]:
    key = (name, operands, fastmath)
    if (properties := _INTRINSICS.get(key)) is None:
        properties = _INTRINSICS[key] = {
            "intrin": StringAttr(name),
            "fastmathFlags": fastmath,
            "op_bundle_sizes": _NO_BUNDLES,
            "operandSegmentSizes": segments(operands, 0),
        }
    return properties
