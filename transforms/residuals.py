"""What a way back keeps of the forward values, and what it computes again: the rule.

A forward value that the way back reads is computed again when it is a number, a constant or cheap:
made by elementwise ops, casts and moves, in at most `BOUND` additions an element, of values that
are there anyway. All others are stored. So results of sums, products of matrices, exponentials and
loops are stored, and masks, scalings and moves of them are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from lamina.dialects.nd import NdOp, elementwise
from lamina.transforms.fusion_cost import BOUND

MOVES = frozenset({"broadcast", "reshape", "transpose", "reverse", "slice", "cast"})
CHEAP = {
    **{op.name.removeprefix("nd."): 1 for op in elementwise.OPS},
    **dict.fromkeys(("divide", "floor_divide", "remainder", "sqrt"), 4),
    **dict.fromkeys(MOVES, 0),
}
"""The ops that may be computed again, and their work in additions an element. `pow` is none."""
del CHEAP["pow"]


def is_free(op: Operation) -> bool:
    """Whether an op gives a number or a constant."""
    if isinstance(op, NdOp):
        return op.name in ("nd.constant", "nd.iota", "nd.dim", "nd.to_index", "nd.from_index")
    return not op.regions and (isinstance(op, tensor.ExtractOp) or op.name.startswith("arith."))


def is_inside(value: SSAValue, block: Block) -> bool:
    """Whether a value is made in `block` or in a region in it."""
    owner = value.owner
    while owner is not None:
        if owner is block:
            return True
        owner = owner.parent if isinstance(owner, Operation) else owner.parent_op()
    return False


def read_by(block: Block) -> list[SSAValue]:
    """The values from outside that the ops of a block read, each once."""
    found: dict[SSAValue, None] = {}
    for op in block.walk():
        for value in op.operands:
            if not is_inside(value, block):
                found[value] = None
    return list(found)


class _Rule:
    """Which values are there: `kept`, those given and those that are stored."""

    def __init__(self, given: Iterable[SSAValue]) -> None:
        self.kept = dict.fromkeys(given)

    def cost(self, value: SSAValue, bound: int) -> int | None:
        """What it takes to compute a value of those that are kept; None if it is not cheap."""
        if value in self.kept:
            return 0
        op = value.owner
        if not isinstance(op, Operation) or bound < 0:
            return None
        work = 0 if is_free(op) else CHEAP.get(op.name.removeprefix("nd."))
        if work is None or op.regions:
            return None
        for operand in dict.fromkeys(op.operands):
            more = self.cost(operand, bound - work)
            if more is None:
                return None
            work += more
        return work if work <= bound else None


def keep(block: Block, given: Sequence[SSAValue], order: Sequence[Operation]) -> list[SSAValue]:
    """Let `block`, a way back, read few values from outside: copies of what is cheap are put at its
    beginning. The values that have to be stored, besides those that are `given`.

    order: the ops of the program, of which the values are made.
    """
    number = {op: k for k, op in enumerate(order)}
    rule = _Rule(given)
    outside = sorted(
        (value for value in read_by(block) if value not in rule.kept),
        key=lambda value: number.get(value.owner, -1) if isinstance(value.owner, Operation) else -1,
    )
    again: list[SSAValue] = []
    for value in outside:
        if rule.cost(value, BOUND) is None:
            _store(rule, value)
        else:
            again.append(value)
    _copy(block, again, rule.kept)
    return [value for value in rule.kept if value not in dict.fromkeys(given)]


def _store(rule: _Rule, value: SSAValue) -> None:
    """Keep a value; of a number what it is computed from."""
    owner = value.owner
    if isinstance(value.type, TensorType) or not isinstance(owner, Operation):
        rule.kept[value] = None
        return
    for operand in owner.operands:
        if rule.cost(operand, BOUND) is None:
            _store(rule, operand)


def _copy(block: Block, values: Sequence[SSAValue], kept: dict[SSAValue, None]) -> None:
    """Compute `values` again at the beginning of `block`."""
    mapping: dict[SSAValue, SSAValue] = {}
    made: list[Operation] = []

    def copied(value: SSAValue) -> SSAValue:
        if value in kept:
            return value
        if value not in mapping:
            op = value.owner
            assert isinstance(op, Operation)
            for operand in op.operands:
                copied(operand)
            made.append(op.clone({v: mapping.get(v, v) for v in op.operands}))
            mapping.update(zip(op.results, made[-1].results, strict=True))
        return mapping[value]

    first = block.first_op
    for value in values:
        new = copied(value)
        for use in list(value.uses):
            if is_within(use.operation, block):
                use.operation.operands[use.index] = new
    assert first is not None
    block.insert_ops_before(made, first)


def is_within(op: Operation, block: Block) -> bool:
    """Whether an op is in `block` or in a region in it."""
    inner: Operation | None = op
    while inner is not None:
        if inner.parent is block:
            return True
        inner = inner.parent_op()
    return False
