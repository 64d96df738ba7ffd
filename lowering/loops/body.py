"""The body of a generic at one place, or at several lanes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith, linalg, memref, scf, vector
from lamina.dialects.generics import body_of
from lamina.lowering.builder import INDEX, Builder, vector_of
from lamina.lowering.loops.nest import LoopBuilder, Size


def can_vectorize(op: Operation) -> bool:
    """Whether the body has no access to memory."""
    return not any(isinstance(inner, memref.LoadOp) for inner in op.walk())


def index_of(op: linalg.IndexOp) -> int:
    """The dim whose index the op gives."""
    return cast(IntegerAttr, op.properties["dim"]).value.data


def lane_numbers(lanes: int) -> Attribute:
    """`dense<[0, 1, ...]> : vector<lanes x index>`."""
    return DenseIntOrFPElementsAttr.from_list(VectorType(INDEX, [lanes]), list(range(lanes)))


def index_value(b: LoopBuilder, place: Size, lanes: int, along: bool) -> SSAValue:
    """The index of a dim: a scalar, or a vector that counts up when it is the lanes' dim."""
    scalar = b.size(place)
    if not lanes:
        return scalar
    type = vector_of(INDEX, lanes)
    splat = b.value(vector.BroadcastOp, (scalar,), type)
    if not along:
        return splat
    return b.int_op("add", splat, b.constant(lane_numbers(lanes), type))


class BodyCloner:
    """Clones ops of a body; values become vectors of `lanes` (0: they stay scalars).

    dims: the place in the (original) space; `lane_dim` is the dim along which lanes lie.
    """

    def __init__(
        self, b: LoopBuilder, values: dict[SSAValue, SSAValue], lanes: int,
        dims: Mapping[int, Size], lane_dim: int | None,
    ) -> None:  # fmt: skip
        self.b = b
        self.values = values
        self.lanes = lanes
        self.dims = dims
        self.lane_dim = lane_dim

    def run(self, ops: Sequence[Operation]) -> None:
        """Clone `ops` in order; results are in `values`."""
        for op in ops:
            self.values.update(zip(op.results, self.clone(self.b, op), strict=True))

    def type(self, type: Attribute) -> Attribute:
        """A result type with lanes."""
        return vector_of(type, self.lanes)

    def clone(self, b: LoopBuilder | Builder, op: Operation) -> Sequence[SSAValue]:
        """The results of one op, at its own place in the source."""
        around, b.location = b.location, op.location
        results = self.cloned(b, op)
        b.location = around
        return results

    def cloned(self, b: LoopBuilder | Builder, op: Operation) -> Sequence[SSAValue]:
        """The results of one op."""
        if isinstance(op, arith.ConstantOp):
            return (self.constant(b, op),)
        if isinstance(op, linalg.IndexOp):
            dim = index_of(op)
            assert isinstance(b, LoopBuilder)
            return (index_value(b, self.dims[dim], self.lanes, dim == self.lane_dim),)
        operands = [self.operand(b, operand) for operand in op.operands]
        if isinstance(op, scf.ForOp):
            return self.loop(b, op, operands)
        types = [self.type(result.type) for result in op.results]
        return b.add(type(op), operands, types, op.properties).results

    def operand(self, b: Builder, operand: SSAValue) -> SSAValue:
        """A mapped operand; a scalar from outside the body is spread over the lanes."""
        value = self.values.get(operand)
        if value is not None:
            return value
        if not self.lanes or isinstance(operand.type, type(INDEX)):
            return operand
        return b.value(vector.BroadcastOp, (operand,), vector_of(operand.type, self.lanes))

    def constant(self, b: Builder, op: arith.ConstantOp) -> SSAValue:
        """A scalar constant, spread over the lanes (loop bounds stay scalars)."""
        scalar = op.result.type
        if not self.lanes or scalar == INDEX:
            return b.constant(op.value, scalar)
        assert isinstance(op.value, FloatAttr | IntegerAttr)
        return b.number(op.value.value.data, vector_of(scalar, self.lanes))

    def loop(self, b: Builder, op: scf.ForOp, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """A loop inside a body (integer power): carried values have lanes."""
        old = op.body.block
        types = [value.type for value in operands[3:]]
        block = Block(arg_types=[INDEX, *types])
        self.values.update(zip(old.args, block.args, strict=True))
        inner = b.nested()
        for nested in old.ops:
            if isinstance(nested, scf.YieldOp):
                inner.add(scf.YieldOp, [self.operand(inner, v) for v in nested.operands])
                break
            self.values.update(zip(nested.results, self.clone(inner, nested), strict=True))
        block.add_ops(inner.ops)
        return b.add(scf.ForOp, operands, types, regions=(Region(block),)).results


def yielded(op: Operation) -> Sequence[SSAValue]:
    """What the body of a generic yields."""
    last = body_of(op).last_op
    assert isinstance(last, linalg.YieldOp)
    return last.operands


def plain_ops(op: Operation) -> list[Operation]:
    """The ops of the body but the yield."""
    return list(body_of(op).ops)[:-1]
