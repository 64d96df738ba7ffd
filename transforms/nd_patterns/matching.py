"""What the patterns of `canonicalize-nd` share: constants they recognize, and making new ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FusedLoc,
    IndexType,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith
from lamina.dialects.locations import fuse_locations
from lamina.dialects.nd.base import element_of, is_float, shape_of
from lamina.dialects.nd.shape import BroadcastOp, ConstantOp
from lamina.interpreters.types import from_dense, scalar_dense

MAX_PLACES = 16
"""Lines that the location of a rewritten op names at most: a chain of a thousand ops that becomes
one op would else cost the square of its length."""


@dataclass
class NdRewriter:
    """Makes ops before `anchor`, the op that a pattern looks at; `made` collects them."""

    anchor: Operation
    made: list[Operation] = field(default_factory=list[Operation])

    def make(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: Mapping[str, Attribute] | None = None,
        through: Sequence[Operation] = (),
    ) -> SSAValue:
        """The result of a new op. `through`: ops that it stands for besides the anchor."""
        op = kind.create(
            operands=operands,
            result_types=[result],
            properties=properties or {},
            location=joined(self.anchor, *through),
        )
        block = self.anchor.parent
        assert block is not None
        block.insert_ops_before([op], self.anchor)
        self.made.append(op)
        return op.results[0]

    def splat(self, number: float, like: SSAValue, element: Attribute | None = None) -> SSAValue:
        """A static tensor of the shape of `like`, each element `number`."""
        element = element_of(like) if element is None else element
        value = scalar_dense(number, element)
        scalar = self.make(ConstantOp, (), TensorType(element, ()), {"value": value})
        if not shape_of(like):
            return scalar
        wide = TensorType(element, shape_of(like))
        return self.make(BroadcastOp, (scalar,), wide, {"dims": int_list(())})

    def index(self, number: int) -> SSAValue:
        """`arith.constant` of type index."""
        kind = IndexType()
        return self.make(arith.ConstantOp, (), kind, {"value": IntegerAttr(number, kind)})


Pattern = Callable[[Any, NdRewriter], SSAValue | None]
"""(op, rewriter) -> the value that stands for the op's result, or None."""


def joined(*ops: Operation) -> Any:
    """The location of an op that stands for `ops`."""
    if len(ops) == 1:
        return ops[0].location
    first = ops[0].location
    known = cast(Any, first.locations) if isinstance(first, FusedLoc) else ()
    if len(known) >= MAX_PLACES:
        return first
    return fuse_locations([op.location for op in ops])


def int_list(values: Sequence[int]) -> Attribute:
    """`array<i64: ...>`."""
    return DenseArrayBase.from_list(i64, values)


def producer(value: SSAValue, kind: type[Operation]) -> Any:
    """The op of class `kind` that makes `value`, or None."""
    return value.owner if isinstance(value.owner, kind) else None


def axis_of(op: Operation) -> int:
    """The property `axis`."""
    return cast("IntegerAttr[Any]", op.properties["axis"]).value.data


def is_static(value: SSAValue) -> bool:
    """Whether no dim of the tensor is `?`."""
    return DYNAMIC_INDEX not in shape_of(value)


def splat_number(value: SSAValue) -> Any:
    """The number that all elements of a constant (or of a broadcast of one) are, else None."""
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.operand
    if not isinstance(value.owner, ConstantOp):
        return None
    dense = value.owner.properties["value"]
    if not isinstance(dense, DenseIntOrFPElementsAttr) or not dense.is_splat():
        return None
    return from_dense(cast(Attribute, dense)).flat[0].item()


def is_splat(value: SSAValue, number: float) -> bool:
    """Whether all elements of `value` are known to be `number`; 0.0 and -0.0 are told apart."""
    found = splat_number(value)
    if found is None or found != number:
        return False
    return not is_float(element_of(value)) or copysign(1, found) == copysign(1, number)


def index_constant(value: SSAValue) -> int | None:
    """The number that an index or integer scalar is known to be."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    attribute = owner.properties["value"]
    if not isinstance(attribute, IntegerAttr):
        return None
    return cast("IntegerAttr[Any]", attribute).value.data
