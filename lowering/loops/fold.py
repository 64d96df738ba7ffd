"""What a reducing body does at each step: `acc = combine(acc, value)`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith, linalg
from lamina.dialects.generics import body_of
from lamina.dialects.nd.base import is_float
from lamina.dialects.sizes import byte_size
from lamina.dialects.type_tests import is_vector
from lamina.lowering.builder import FASTMATH, OVERFLOW, WITH_OVERFLOW
from lamina.lowering.loops.body import yielded
from lamina.lowering.loops.nest import LoopBuilder

COMBINERS = (
    arith.AddfOp, arith.AddiOp, arith.MulfOp, arith.MuliOp, arith.MaximumfOp, arith.MinimumfOp,
    arith.MaxSIOp, arith.MaxUIOp, arith.MinSIOp, arith.MinUIOp, arith.AndIOp, arith.OrIOp,
)  # fmt: skip


@dataclass(frozen=True)
class Fold:
    """`acc = combine(acc, value)`: the last op of a body, and what it adds."""

    combiner: Operation
    value: SSAValue
    identity: float

    @property
    def is_float_sum(self) -> bool:
        """Whether the order matters for the error."""
        return isinstance(self.combiner, arith.AddfOp)

    @property
    def is_exact(self) -> bool:
        """Whether every order gives the same bits."""
        return not isinstance(self.combiner, (arith.AddfOp, arith.MulfOp))

    def combine(self, b: LoopBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """One step."""
        kind = type(self.combiner)
        flags = FASTMATH if is_float(_scalar(lhs.type)) else {}
        if kind in WITH_OVERFLOW:
            flags = OVERFLOW
        return b.value(kind, (lhs, rhs), lhs.type, flags)


def _scalar(type: Attribute) -> Attribute:
    return type.element_type if is_vector(type) else type


def fold_of(op: linalg.GenericOp) -> Fold | None:
    """The fold of a body with one result, or None when it is of another form."""
    if len(op.outputs) != 1:
        return None
    acc, result = body_of(op).args[-1], yielded(op)[0]
    combiner = result.owner
    if not isinstance(combiner, COMBINERS) or not acc.has_one_use():
        return None
    lhs, rhs = combiner.operands
    if acc not in (lhs, rhs):
        return None
    return Fold(combiner, rhs if lhs is acc else lhs, _identity(combiner, acc.type))


def _identity(combiner: Operation, type: Attribute) -> float:
    width = 8 * byte_size(type)
    table: dict[type[Operation], float] = {
        arith.AddfOp: 0.0, arith.AddiOp: 0, arith.MulfOp: 1.0, arith.MuliOp: 1,
        arith.MaximumfOp: float("-inf"), arith.MinimumfOp: float("inf"),
        arith.MaxSIOp: -(1 << (width - 1)), arith.MinSIOp: (1 << (width - 1)) - 1,
        arith.MaxUIOp: 0, arith.MinUIOp: -1, arith.AndIOp: -1, arith.OrIOp: 0,
    }  # fmt: skip
    return table[combiner.__class__]
