"""`differentiate`, the part for control flow: branches and loops that know their trips.

`scf.if`: a second `scf.if` on the same condition, whose branches compute again what they need and
give the cotangents of what the branch reads from outside.

`scf.for`: the loop runs again and stores what it carries, an element a trip; then a loop from the
last trip to the first pulls one trip back at a time. Memory is that of the carries times the trips
(Griewank and Walther, Evaluating Derivatives, 2008, section 12.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith, scf
from lamina.dialects.nd.base import DYNAMIC_INDEX, element_of, shape_of
from lamina.transforms.ir_emitter import IrEmitter

PullBack: TypeAlias = Callable[
    [Sequence[Operation], dict[SSAValue, SSAValue], Sequence[SSAValue], IrEmitter],
    "list[SSAValue | None]",
]
Body: TypeAlias = Callable[[IrEmitter, SSAValue, "list[SSAValue]"], "list[SSAValue]"]
Parts: TypeAlias = "list[tuple[SSAValue, SSAValue]]"
"""Values from outside of an op's regions, and their cotangents."""


def why_not(op: Operation) -> str | None:
    """Why no gradient can go through an op with regions, or None."""
    if isinstance(op, scf.IfOp):
        return None
    if not isinstance(op, scf.ForOp):
        return "expected scf.if or scf.for on the way of a gradient"
    if any(_constant(value) is None for value in (op.lb, op.ub, op.step)):
        return "expected a loop whose number of trips is known, on the way of a gradient"
    if any(
        not isinstance(arg.type, TensorType) or DYNAMIC_INDEX in shape_of(arg)
        for arg in op.iter_args
    ):
        return "expected a loop that carries tensors of static shapes, on the way of a gradient"
    return None


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def pull_region(
    op: Operation, given: Sequence[SSAValue | None], active: set[SSAValue], e: IrEmitter,
    pull: PullBack,
) -> Parts:  # fmt: skip
    """The cotangents of what `op` reads, given those of its results."""
    if isinstance(op, scf.IfOp):
        return _pull_if(op, given, active, e, pull)
    assert isinstance(op, scf.ForOp)
    return _pull_for(op, given, active, e, pull)


def _captured(op: Operation, active: set[SSAValue]) -> list[SSAValue]:
    """The active values from outside that the regions of `op` read, in order."""
    found: dict[SSAValue, None] = {}
    for inner in op.walk():
        if inner is op:
            continue
        for value in inner.operands:
            if value in active and not _is_inside(value, op):
                found[value] = None
    return list(found)


def _is_inside(value: SSAValue, op: Operation) -> bool:
    owner = value.owner
    while owner is not None:
        if owner is op:
            return True
        owner = owner.parent if isinstance(owner, Operation) else owner.parent_op()
    return False


def _cloned(
    block: Block, mapping: dict[SSAValue, SSAValue], target: Block
) -> tuple[list[Operation], list[SSAValue]]:
    """The ops of `block` but its terminator in `target`, and what the terminator gives there."""
    ops: list[Operation] = []
    last = block.last_op
    assert last is not None
    for op in block.ops:
        if op is not last:
            ops.append(op.clone(mapping))
            target.add_op(ops[-1])
    return ops, [mapping.get(value, value) for value in last.operands]


def _filled(
    found: Iterable[SSAValue | None], like: Iterable[SSAValue], e: IrEmitter
) -> list[SSAValue]:
    return [e.full(0.0, value) if g is None else g for g, value in zip(found, like, strict=True)]


def _known(
    values: Sequence[SSAValue], given: Sequence[SSAValue | None], e: IrEmitter
) -> dict[SSAValue, SSAValue]:
    """The cotangents of values, summed where one stands twice."""
    known: dict[SSAValue, SSAValue] = {}
    for value, g in zip(values, given, strict=True):
        if g is not None:
            known[value] = e.add(known[value], g) if value in known else g
    return known


def _yield(block: Block, values: Sequence[SSAValue], e: IrEmitter) -> None:
    op = scf.YieldOp(*values)
    op.location = e.location
    block.add_op(op)


def _pull_if(
    op: scf.IfOp, given: Sequence[SSAValue | None], active: set[SSAValue], e: IrEmitter,
    pull: PullBack,
) -> Parts:  # fmt: skip
    captured = _captured(op, active)
    regions: list[Region] = []
    for region in (op.true_region, op.false_region):
        block = Block()
        inner = IrEmitter(block.add_op, e.location)
        ops, yielded = _cloned(region.block, {}, block)
        found = pull(ops, _known(yielded, given, inner), captured, inner)
        _yield(block, _filled(found, captured, inner), inner)
        regions.append(Region(block))
    new = scf.IfOp(op.cond, [value.type for value in captured], regions[0], regions[1])
    new.location = e.location
    e.insert(new)
    return list(zip(captured, new.results, strict=True))


class _Loop:
    """One loop on its way back."""

    def __init__(self, op: scf.ForOp, active: set[SSAValue], e: IrEmitter, pull: PullBack) -> None:
        self.op, self.e, self.pull = op, e, pull
        low, high, step = (_constant(value) for value in (op.lb, op.ub, op.step))
        assert low is not None and high is not None and step is not None
        self.trips = max(0, -(-(high - low) // step))
        self.carried = list(op.body.block.args[1:])
        self.floats = [k for k, arg in enumerate(self.carried) if e.is_float(arg)]
        self.captured = _captured(op, active)

    def index(self, number: int, e: IrEmitter) -> SSAValue:
        """A constant of type index."""
        op = arith.ConstantOp(IntegerAttr(number, IndexType()))
        op.location = e.location
        e.insert(op)
        return op.result

    def loop(
        self, starts: Sequence[SSAValue], body: Callable[..., list[SSAValue]]
    ) -> list[SSAValue]:
        """`body(emitter, trip, values)` once a trip, from 0; the last values."""
        low, high, step = (self.index(n, self.e) for n in (0, self.trips, 1))
        block = Block(arg_types=[IndexType(), *(value.type for value in starts)])
        inner = IrEmitter(block.add_op, self.e.location)
        trip, *values = block.args
        _yield(block, body(inner, trip, values), inner)
        new = scf.ForOp(low, high, step, list(starts), block)
        new.location = self.e.location
        self.e.insert(new)
        return list(new.results)

    def place(self, trip: SSAValue, e: IrEmitter) -> SSAValue:
        """The value that the loop's own index has on a trip."""
        scaled = arith.MuliOp(trip, self.op.step)
        moved = arith.AddiOp(self.op.lb, scaled.result)
        for op in (scaled, moved):
            op.location = e.location
            e.insert(op)
        return moved.result

    def trip(
        self, trip: SSAValue, carries: Sequence[SSAValue], inside: SSAValue, e: IrEmitter
    ) -> tuple[list[Operation], list[SSAValue]]:
        """The loop's body on a trip, in the block whose argument `inside` is: ops, and what they
        yield."""
        values = (self.place(trip, e), *carries)
        mapping: dict[SSAValue, SSAValue] = {}
        mapping.update(zip(self.op.body.block.args, values, strict=True))
        block = inside.owner
        assert isinstance(block, Block)
        return _cloned(self.op.body.block, mapping, block)

    def stacks(self) -> list[SSAValue]:
        """What the loop carries before each trip: (trips, *shape) for each carry."""
        inits = list(self.op.iter_args)
        empty = [
            self.e.splat(0, TensorType(element_of(x), (self.trips, *shape_of(x)))) for x in inits
        ]

        def body(e: IrEmitter, trip: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
            carries, stacks = values[: len(inits)], values[len(inits) :]
            stored: list[SSAValue] = []
            for value, stack in zip(carries, stacks, strict=True):
                row = e.reshape(value, (1, *shape_of(value)))
                zeros = [self.index(0, e) for _ in shape_of(value)]
                stored.append(e.dynamic_update_slice(stack, row, [trip, *zeros]))
            return [*self.trip(trip, carries, trip, e)[1], *stored]

        return self.loop([*inits, *empty], body)[len(inits) :]

    def back(self, given: Sequence[SSAValue | None]) -> Parts:
        """The cotangents of what the loop starts from and of what it captures."""
        if not self.trips:
            starts = zip(self.op.iter_args, given, strict=True)
            return [(value, g) for value, g in starts if g is not None]
        stacks = self.stacks()
        floats = [self.op.iter_args[k] for k in self.floats]
        seeds = _filled([given[k] for k in self.floats], floats, self.e)
        sums = [self.e.full(0.0, value) for value in self.captured]

        def body(e: IrEmitter, number: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
            last = arith.SubiOp(self.index(self.trips - 1, e), number)
            last.location = e.location
            e.insert(last)
            trip, gs, totals = last.result, values[: len(seeds)], values[len(seeds) :]
            carries = [self.stored(stack, trip, e) for stack in stacks]
            ops, yielded = self.trip(trip, carries, number, e)
            known = _known([yielded[k] for k in self.floats], gs, e)
            variables = [carries[k] for k in self.floats]
            found = self.pull(ops, known, [*variables, *self.captured], e)
            parts = _filled(found[: len(seeds)], variables, e)
            added = zip(totals, found[len(seeds) :], strict=True)
            return [*parts, *(t if g is None else e.add(t, g) for t, g in added)]

        results = self.loop([*seeds, *sums], body)
        return list(zip([*floats, *self.captured], results, strict=True))

    def stored(self, stack: SSAValue, trip: SSAValue, e: IrEmitter) -> SSAValue:
        """An element of a stack."""
        _, *shape = shape_of(stack)
        zeros = [self.index(0, e) for _ in shape]
        sizes: dict[str, Attribute] = {"sizes": DenseArrayBase.from_list(i64, [1, *shape])}
        type = TensorType(element_of(stack), (1, *shape))
        return e.reshape(e.make("dynamic_slice", (stack, trip, *zeros), type, sizes), shape)


def _pull_for(
    op: scf.ForOp, given: Sequence[SSAValue | None], active: set[SSAValue], e: IrEmitter,
    pull: PullBack,
) -> Parts:  # fmt: skip
    return _Loop(op, active, e, pull).back(given)
