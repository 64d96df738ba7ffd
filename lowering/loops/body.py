"""The body of a generic at one place, or at several lanes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith, linalg, memref, scf, vector
from lamina.dialects.generics import body_of
from lamina.dialects.type_tests import is_memref, is_vector
from lamina.lowering.buffer_types import memref_type, strides_of
from lamina.lowering.builder import INDEX, Builder, vector_of
from lamina.lowering.loops.access import extract_lane, insert_lane
from lamina.lowering.loops.nest import LoopBuilder, Size


def reads_memory(op: Operation) -> bool:
    """Whether the body reads buffers at computed places."""
    return any(isinstance(inner, memref.LoadOp) for inner in op.walk())


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


def reads_neighbours(op: memref.LoadOp, lane_dim: int | None) -> bool:
    """Whether the last index of a load in a body is the lanes' dim, and the buffer is of unit
    stride there."""
    last = op.indices[-1].owner if op.indices else None
    return (
        isinstance(last, linalg.IndexOp)
        and index_of(last) == lane_dim
        and strides_of(memref_type(op.memref))[-1] == 1
    )


class BodyCloner:
    """Clones ops of a body; values become vectors of `lanes` (0: they stay scalars).

    dims: the place in the (original) space; `lane_dim` is the dim along which lanes lie.
    scalars: values of the body that do not change along the lanes and are there already.
    """

    def __init__(
        self, b: LoopBuilder, values: dict[SSAValue, SSAValue], lanes: int,
        dims: Mapping[int, Size], lane_dim: int | None,
        scalars: Mapping[SSAValue, SSAValue] | None = None,
    ) -> None:  # fmt: skip
        self.b = b
        self.values = values
        self.lanes = lanes
        self.dims = dims
        self.lane_dim = lane_dim
        self.scalars: Mapping[SSAValue, SSAValue] = {} if scalars is None else scalars

    def run(self, ops: Sequence[Operation]) -> None:
        """Clone `ops` in order; results are in `values`."""
        for op in ops:
            if not op.results or op.results[0] not in self.scalars:
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
        if isinstance(op, memref.LoadOp) and self.lanes:
            assert isinstance(b, LoopBuilder)
            return (self.load(b, op),)
        operands = [self.operand(b, operand) for operand in op.operands]
        if isinstance(op, scf.ForOp):
            bounds = [self.values.get(operand, operand) for operand in op.operands[:3]]
            return self.loop(b, op, [*bounds, *operands[3:]])
        types = [self.type(result.type) for result in op.results]
        return b.add(type(op), operands, types, op.properties).results

    def operand(self, b: Builder, operand: SSAValue) -> SSAValue:
        """A mapped operand; what does not change along the lanes is spread over them."""
        value = self.scalar(operand)
        if not self.lanes or is_vector(value.type) or is_memref(value.type):
            return value
        return b.value(vector.BroadcastOp, (value,), vector_of(value.type, self.lanes))

    def scalar(self, operand: SSAValue) -> SSAValue:
        """A mapped operand, as it is: a scalar if it does not change along the lanes."""
        value = self.values.get(operand)
        return self.scalars.get(operand, operand) if value is None else value

    def load(self, b: LoopBuilder, op: memref.LoadOp) -> SSAValue:
        """Elements at computed places: neighbours as a vector, others lane by lane."""
        buffer = self.scalar(op.memref)
        type = vector_of(op.res.type, self.lanes)
        places = [self.place(b, index) for index in op.indices[:-1]]
        if reads_neighbours(op, self.lane_dim) and not any(is_vector(p.type) for p in places):
            assert self.lane_dim is not None
            last = b.size(self.dims[self.lane_dim])
            return b.value(vector.LoadOp, (buffer, *places, last), type)
        places += [self.place(b, index) for index in op.indices[-1:]]
        result = b.number(0, type)
        for lane in range(self.lanes):
            at = [extract_lane(b, p, lane) if is_vector(p.type) else p for p in places]
            element = b.value(memref.LoadOp, (buffer, *at), op.res.type)
            result = insert_lane(b, element, result, lane)
        return result

    def place(self, b: LoopBuilder, index: SSAValue) -> SSAValue:
        """An index of a load: a scalar where it does not change along the lanes."""
        owner = index.owner
        if isinstance(owner, linalg.IndexOp) and index not in self.values:
            dim = index_of(owner)
            lanes = self.lanes if dim == self.lane_dim else 0
            return index_value(b, self.dims[dim], lanes, along=True)
        return self.scalar(index)

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
