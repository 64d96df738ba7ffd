"""What the batching of ops shares: which values have a batch, and making ops in front of which one
stands.

A value of the program for one example has a batch when it differs between examples. Its value in
the new program then has one more axis, in front. A number of type `index`, or a scalar, that
differs between examples becomes a tensor of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from xdsl.dialects import tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, UnitAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects import arith
from lamina.dialects.locations import place_of
from lamina.dialects.nd.base import (
    DYNAMIC_INDEX,
    NdOp,
    is_complex,
    part_type,
    shape_of,
    tensor_type,
)
from lamina.dialects.type_tests import is_tensor
from lamina.errors import LoweringError
from lamina.transforms.differentiate import STOP
from lamina.transforms.ir_emitter import IrEmitter, attribute_of

INDEX = IndexType()


def moved(numbers: Sequence[int]) -> tuple[int, ...]:
    """Numbers of axes, behind an axis that is put in front."""
    return tuple(number + 1 for number in numbers)


class Batcher:
    """Copies ops to the end of `block`, with a batch of `size` where they need one.

    known: value of an example -> its value in the new program; other values stand for themselves.
    batched: the values of an example that have a batch. mask: which examples are to be seen at
    all (tensor<size x i1>, None for all): only they may have an effect.
    """

    def __init__(
        self,
        block: Block,
        size: int,
        known: dict[SSAValue, SSAValue],
        batched: set[SSAValue],
        mask: SSAValue | None = None,
    ) -> None:
        self.block = block
        self.size = size
        self.known = known
        self.batched = batched
        self.mask = mask
        self.marks: Mapping[str, Attribute] = {}
        self.e = IrEmitter(self.insert, None)  # pyright: ignore[reportArgumentType]

    def inside(self, block: Block, mask: SSAValue | None = None) -> Batcher:
        """A batcher for a region of the op that is copied now."""
        inner = Batcher(block, self.size, self.known, self.batched, mask or self.mask)
        return inner.at(self.e.location, self.marks)

    def masked(self, mask: SSAValue) -> Batcher:
        """A batcher at the same place, for examples of which `mask` chooses."""
        both = mask if self.mask is None else self.e.bind("bitwise_and", mask, self.mask)
        return self.inside(self.block, both)

    def seeing(self, values: Sequence[SSAValue], flags: SSAValue) -> Batcher:
        """Itself, of what only examples with a flag compute: it sees floating-point `values` with a
        gradient for these examples only. What the others compute there has none, not even NaN."""
        self.known = dict(self.known)
        for value in values:
            found = self.get(value)
            if self.e.is_float(found):
                sizes = self.e.sizes(found)
                still = self.e.make("reshape", (found, *sizes), tensor_type(found))
                assert isinstance(still.owner, Operation)
                still.owner.attributes[STOP] = UnitAttr()
                self.known[value] = self.select(flags, found, still)
        return self

    def at(self, location: Any, marks: Mapping[str, Attribute]) -> Batcher:
        """Itself; ops that it makes get this location and these attributes."""
        self.e.location, self.marks = location, marks
        return self

    def insert(self, op: Operation) -> None:
        """Append an op that was made for the one that is copied."""
        op.attributes.update(self.marks)
        self.block.add_op(op)

    def append(self, op: Operation) -> None:
        """`insert`, at the place of the op that is copied."""
        op.location = self.e.location
        self.insert(op)

    def add(self, op: Operation) -> SSAValue:
        """`append`, and the first result."""
        self.append(op)
        return op.results[0]

    def has(self, value: SSAValue) -> bool:
        """Whether a value of an example has a batch."""
        return value in self.batched

    def get(self, value: SSAValue) -> SSAValue:
        """The value in the new program, with or without a batch."""
        return self.known.get(value, value)

    def full(self, value: SSAValue) -> SSAValue:
        """The value in the new program, with a batch in any case."""
        found = self.get(value)
        return found if self.has(value) else self.spread(found)

    def spread(self, value: SSAValue) -> SSAValue:
        """A value of the new program for every example."""
        if value.type == INDEX:
            value = self.e.make("from_index", (value,), TensorType(i64, ()))
        elif not isinstance(value.type, TensorType):
            kind = TensorType(value.type, ())
            value = self.add(tensor.FromElementsOp.create(operands=[value], result_types=[kind]))
        return self.stretched(value, range(1, 1 + len(shape_of(value))), (self.size,))

    def stretched(
        self, value: SSAValue, dims: Sequence[int], front: Sequence[int] = (), like: Any = None
    ) -> SSAValue:
        """A broadcast of `value`: to the shape of `like`, or to its own behind `front`."""
        type = tensor_type(value)
        source = value if like is None else like
        shape = (*front, *shape_of(value)) if like is None else shape_of(like)
        return self.e.make(
            "broadcast",
            (value, *self.e.sizes(source)),
            TensorType(type.element_type, shape),
            self.properties(dims=tuple(dims)),
        )

    def type(self, value: SSAValue) -> Attribute:
        """The type with a batch of a value of an example."""
        if isinstance(value.type, TensorType):
            return TensorType(tensor_type(value).element_type, (self.size, *shape_of(value)))
        return TensorType(i64 if value.type == INDEX else value.type, (self.size,))

    def like(self, op: NdOp, operands: Sequence[SSAValue], **changed: Any) -> SSAValue:
        """The op with a batch in its result: on other operands, with other properties."""
        properties = dict(op.properties) | self.properties(**changed)
        name = op.name.removeprefix("nd.")
        return self.e.make(name, operands, self.type(op.results[0]), properties)

    def properties(self, **values: Any) -> dict[str, Attribute]:
        """Properties of an op, from Python values."""
        return {name: attribute_of(value) for name, value in values.items()}

    def index(self, number: int) -> SSAValue:
        """A constant of type index."""
        return self.add(arith.ConstantOp(IntegerAttr(number, INDEX)))

    def zero(self, element: Attribute) -> SSAValue:
        """A 0-d zero; of complex numbers there are no literals."""
        part = self.e.constant(0, part_type(element))
        if not is_complex(element):
            return part
        return self.e.make("complex", (part, part), TensorType(element, ()))

    def zeros(self, type: Attribute) -> SSAValue:
        """Zeros, of a type of static shape."""
        assert is_tensor(type)
        return self.e.make(
            "broadcast", (self.zero(type.element_type),), type, self.properties(dims=())
        )

    def number(self, value: int, like: SSAValue) -> SSAValue:
        """A constant everywhere in the shape and type of `like`."""
        return self.e.full(value, like)

    def extent(self, value: SSAValue, axis: int, like: SSAValue) -> SSAValue:
        """The size of an axis, as a tensor of the type of `like`, i64."""
        size = shape_of(value)[axis]
        if size != DYNAMIC_INDEX:
            return self.number(size, like)
        dim = self.e.make("dim", (value,), INDEX, self.properties(axis=axis))
        found = self.e.make("from_index", (dim,), TensorType(i64, ()))
        return self.stretched(found, (), like=like)

    def select(self, flags: SSAValue, x: SSAValue, y: SSAValue) -> SSAValue:
        """x for the examples of which the flag is set, else y."""
        if x is y:
            return x
        if len(shape_of(x)) > 1:
            flags = self.stretched(flags, (0,), like=x)
        return self.e.bind("select", flags, x, y)

    def reduced(self, kind: str, flags: SSAValue) -> SSAValue:
        """One value of all examples'."""
        return self.e.bind("reduce", flags, kind=kind, axes=(0,))

    def element(self, value: SSAValue) -> SSAValue:
        """A 0-d tensor of i1 as a number."""
        return self.add(tensor.ExtractOp.create(operands=[value], result_types=[i1]))

    def fail(self, op: Operation, what: str) -> NoReturn:
        """Raise: `op` has no batched form."""
        raise LoweringError(f"batch: {what}, found {op.name}", place=place_of(op.location))


Rule: TypeAlias = Callable[[Batcher, NdOp], SSAValue]
"""The result, with a batch, of an op of which an operand has one."""
