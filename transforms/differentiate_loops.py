"""`differentiate`, the part for loops: `scf.for` backwards, and `scf.while` as a counted loop.

`scf.for`: of what the loop carries, what its way back reads is stored while it runs, an element a
trip; then a loop from the last trip to the first pulls one trip back at a time (Griewank and
Walther, Evaluating Derivatives, 2008, section 12.2). A carry that nothing reads on the way back is
not stored; what a trip computes from the carries is computed again.

`scf.while`: the loop counts its trips, and a `scf.for` of as many trips does its work again: that
one has a way back. Checks and other effects stay in the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue, SSAValues
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from lamina.dialects import arith, scf
from lamina.dialects.locations import place_of
from lamina.dialects.nd.base import DYNAMIC_INDEX, element_of, shape_of
from lamina.dialects.nd.shape import DimOp
from lamina.errors import LoweringError
from lamina.transforms.differentiate_control import (
    Parts,
    PullBack,
    captured_by,
    cloned,
    filled,
    yield_values,
)
from lamina.transforms.ir_emitter import IrEmitter

INDEX = IndexType()
EVERY = "lamina.checkpoint_every"
"""Attribute of a loop: of how many trips one stores what the loop carries."""


@dataclass
class Memo:
    """What walks back over the same ops leave in the program for each other.

    stacks: of a `scf.for`, the number of a carry -> all that it was before each trip. handed: of a
    `scf.while`, what the counted loop gives for its results.
    """

    stacks: dict[Operation, dict[int, SSAValue]] = field(
        default_factory=dict[Operation, "dict[int, SSAValue]"]
    )
    handed: dict[Operation, list[SSAValue]] = field(
        default_factory=dict[Operation, "list[SSAValue]"]
    )


def why_not_stored(type: Attribute) -> str | None:
    """Why carries of a type cannot be stored, or None."""
    if type == INDEX or (isinstance(type, TensorType) and DYNAMIC_INDEX not in type.get_shape()):
        return None
    return (
        "expected a loop that carries tensors of static shapes, on the way of a gradient, "
        f"found {type}"
    )


def known_index(value: SSAValue) -> int | None:
    """The number of a constant of type index."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


class Numbers:
    """Arithmetic on index numbers, with an emitter."""

    def __init__(self, e: IrEmitter) -> None:
        self.e = e

    def insert(self, op: Operation) -> SSAValue:
        """The result of an op made here."""
        op.location = self.e.location
        self.e.insert(op)
        return op.results[0]

    def constant(self, number: int) -> SSAValue:
        """A constant."""
        return self.insert(arith.ConstantOp(IntegerAttr(number, INDEX)))

    def sub(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """x - y."""
        return x if known_index(y) == 0 else self.insert(arith.SubiOp(x, y))

    def add(self, x: SSAValue, y: SSAValue) -> SSAValue:
        """x + y."""
        return y if known_index(x) == 0 else self.insert(arith.AddiOp(x, y))

    def scaled(self, x: SSAValue, step: SSAValue) -> SSAValue:
        """x * step."""
        return x if known_index(step) == 1 else self.insert(arith.MuliOp(x, step))

    def steps(self, x: SSAValue, step: SSAValue) -> SSAValue:
        """x / step, rounded up; 0 for a negative x."""
        most = self.insert(arith.MaxSIOp(x, self.constant(0)))
        return most if known_index(step) == 1 else self.insert(arith.CeilDivSIOp(most, step))


def before(op: Operation) -> IrEmitter:
    """An emitter of ops right before `op`."""
    block = op.parent
    assert block is not None
    return IrEmitter(lambda new: block.insert_ops_before([new], op), op.location)


def after(op: Operation) -> IrEmitter:
    """An emitter of ops right after `op`, one behind the other."""
    last, block = [op], op.parent
    assert block is not None

    def insert(new: Operation) -> None:
        block.insert_ops_after([new], last[0])
        last[0] = new

    return IrEmitter(insert, op.location)


def erase_dead(ops: Sequence[Operation]) -> list[Operation]:
    """Erase the ops whose results nobody uses; the others."""
    kept: list[Operation] = []
    for op in reversed(ops):
        if is_trivially_dead(op):
            op.detach()
            op.erase()
        else:
            kept.append(op)
    return kept[::-1]


def add_result(op: Operation, type: Attribute) -> SSAValue:
    """A further result of an op whose operands and regions were made longer."""
    result = OpResult(type, op, len(op.results))
    op.results = SSAValues((*op.results, result))
    return result


class Loop:
    """One `scf.for` on its way back."""

    def __init__(self, op: scf.ForOp, e: IrEmitter, memo: Memo) -> None:
        self.op, self.e = op, e
        self.stacks = memo.stacks.setdefault(op, {})
        self.carried = list(op.body.block.args[1:])
        low, high, step = (known_index(value) for value in (op.lb, op.ub, op.step))
        self.trips: int | None = None
        if low is not None and high is not None and step is not None:
            self.trips = max(0, -(-(high - low) // step))

    def count(self, e: IrEmitter) -> SSAValue:
        """The number of trips."""
        numbers = Numbers(e)
        if self.trips is not None:
            return numbers.constant(self.trips)
        return numbers.steps(numbers.sub(self.op.ub, self.op.lb), self.op.step)

    def stack(self, number: int) -> SSAValue:
        """All that a carry was before each trip, (trips, *shape): stored by the loop itself."""
        if number not in self.stacks:
            self.stacks[number] = self._store(number)
        return self.stacks[number]

    def _store(self, number: int) -> SSAValue:
        op, block = self.op, self.op.body.block
        outside = before(op)
        start = op.iter_args[number]
        why = why_not_stored(start.type)
        if why is not None:
            raise LoweringError(f"differentiate: {why}", place=place_of(op.location))
        element = i64 if start.type == INDEX else element_of(start)
        shape = () if start.type == INDEX else shape_of(start)
        size = DYNAMIC_INDEX if self.trips is None else self.trips
        type = TensorType(element, (size, *shape))
        sizes = [self.count(outside)] if self.trips is None else []
        dims: dict[str, Attribute] = {"dims": DenseArrayBase.from_list(i64, list[int]())}
        zero = outside.constant(0, element)
        empty = outside.make("broadcast", (zero, *sizes), type, dims)
        stack = block.insert_arg(type, len(block.args))
        assert block.first_op is not None
        inside = before(block.first_op)
        inside.location = op.location
        numbers, value = Numbers(inside), self.carried[number]
        distance = numbers.sub(block.args[0], op.lb)
        if known_index(op.step) != 1:
            distance = numbers.insert(arith.DivSIOp(distance, op.step))
        if start.type == INDEX:
            value = inside.make("from_index", (value,), TensorType(i64, ()))
        row = inside.reshape(value, (1, *shape))
        starts = [distance, *(numbers.constant(0) for _ in shape)]
        stored = inside.dynamic_update_slice(stack, row, starts)
        end = block.last_op
        assert end is not None
        end.operands = [*end.operands, stored]
        op.operands = [*op.operands, empty]
        return add_result(op, type)

    def back(
        self, given: Sequence[SSAValue | None], active: set[SSAValue], pull: PullBack
    ) -> Parts:
        """The cotangents of what the loop starts from and of what it captures."""
        if self.trips == 0:
            starts = zip(self.op.iter_args, given, strict=True)
            return [(value, g) for value, g in starts if g is not None]
        captured = captured_by(self.op, active)
        numbered = self._with_cotangent(given)
        floats = [self.op.iter_args[k] for k in numbered]
        seeds = filled([given[k] for k in numbered], floats, self.e)
        sums = [self.e.full(0.0, value) for value in captured]
        block = Block(arg_types=[INDEX, *(value.type for value in (*seeds, *sums))])
        numbers = Numbers(self.e)
        low, high, step = numbers.constant(0), self.count(self.e), numbers.constant(1)
        self._trip_back(block, numbered, captured, high, pull)
        new = scf.ForOp(low, high, step, [*seeds, *sums], block)
        new.location = self.e.location
        self.e.insert(new)
        return list(zip([*floats, *captured], new.results, strict=True))

    def _with_cotangent(self, given: Sequence[SSAValue | None]) -> list[int]:
        """The carries that may have one: floats, but not a stack that nobody asks for."""
        stacks = set(self.stacks.values())
        return [
            k
            for k, (arg, result) in enumerate(zip(self.carried, self.op.results, strict=True))
            if self.e.is_float(arg) and (given[k] is not None or result not in stacks)
        ]

    def _trip_back(
        self, block: Block, numbered: Sequence[int], captured: Sequence[SSAValue], trips: SSAValue,
        pull: PullBack,
    ) -> None:  # fmt: skip
        """One trip of the way back, in `block`: its arguments are the trip's number from the last,
        cotangents of the carries `numbered`, and sums of the cotangents of what is captured."""
        count = len(numbered)
        e = IrEmitter(block.add_op, self.e.location)
        numbers = Numbers(e)
        number, gs, totals = block.args[0], block.args[1 : 1 + count], block.args[1 + count :]
        trip = numbers.insert(
            arith.SubiOp(numbers.insert(arith.SubiOp(trips, numbers.constant(1))), number)
        )
        place = numbers.add(self.op.lb, numbers.scaled(trip, self.op.step))
        first = list(block.ops)
        variables = Block(arg_types=[arg.type for arg in self.carried]).args
        mapping: dict[SSAValue, SSAValue] = {}
        mapping.update(zip(self.op.body.block.args, (place, *variables), strict=True))
        ops, yielded = cloned(self.op.body.block, mapping, block)
        known: dict[SSAValue, SSAValue] = dict(zip(captured, totals, strict=True))
        for k, g in zip(numbered, gs, strict=True):
            value = yielded[k]
            known[value] = e.add(known[value], g) if value in known else g
        found = pull(ops, known, [*(variables[k] for k in numbered), *captured], e)
        parts = filled(found[:count], gs, e)
        yield_values(block, [*parts, *filled(found[count:], captured, e)], e)
        erase_dead(list(block.ops)[len(first) : -1])
        self._read(variables, trip, after(first[-1]))
        erase_dead(first)

    def _read(self, variables: Sequence[SSAValue], trip: SSAValue, e: IrEmitter) -> None:
        """Give the variables of a trip what the loop carried then; their sizes are its own."""
        for k, variable in enumerate(variables):
            for use in list(variable.uses):
                if isinstance(use.operation, DimOp):
                    use.operation.operands[use.index] = self.op.iter_args[k]
            if variable.uses:
                stored = self._stored(self.stack(k), trip, variable.type, e)
                variable.replace_all_uses_with(stored)

    def _stored(self, stack: SSAValue, trip: SSAValue, type: Attribute, e: IrEmitter) -> SSAValue:
        """An element of a stack."""
        _, *shape = shape_of(stack)
        zeros = [Numbers(e).constant(0) for _ in shape]
        sizes: dict[str, Attribute] = {"sizes": DenseArrayBase.from_list(i64, [1, *shape])}
        row = TensorType(element_of(stack), (1, *shape))
        value = e.reshape(e.make("dynamic_slice", (stack, trip, *zeros), row, sizes), shape)
        return e.make("to_index", (value,), INDEX) if type == INDEX else value


def counted(op: scf.WhileOp) -> tuple[list[Operation], list[SSAValue]]:
    """A loop of as many trips as `op` has, right behind it, and what follows from its carries: the
    ops, and what they give for the results of `op`, which counts its trips."""
    first, second = op.before_region.block, op.after_region.block
    block = Block(arg_types=[INDEX, *(arg.type for arg in first.args)])
    mapping: dict[SSAValue, SSAValue] = {}
    mapping.update(zip(first.args, block.args[1:], strict=True))
    _, (_, *handed) = cloned(first, mapping, block)
    mapping.update(zip(second.args, handed, strict=True))
    _, yielded = cloned(second, mapping, block)
    starts = list(op.operands)
    e = after(op)
    yield_values(block, yielded, e)
    erase_dead(list(block.ops)[:-1])
    old = list(op.results)
    count, numbers = _count(op), Numbers(e)
    loop = scf.ForOp(numbers.constant(0), count, numbers.constant(1), starts, block)
    numbers.e.insert(loop)
    loop.location = op.location
    if EVERY in op.attributes:
        loop.attributes[EVERY] = op.attributes[EVERY]
        (whole,), _ = in_parts(loop)
        loop.detach()
        loop.erase()
        assert isinstance(whole, scf.ForOp)
        loop, e = whole, after(whole)
    mapping = {}
    mapping.update(zip(first.args, loop.results, strict=False))
    # What the test hands on is computed once more, from the last carries.
    last = Block()
    tail, (_, *found) = cloned(first, mapping, last)
    found = found[: len(old)]
    yield_values(last, found, e)
    tail = erase_dead(tail)
    for inner in tail:
        inner.detach()
        e.insert(inner)
    for result, value in zip(old, found, strict=True):
        result.replace_all_uses_with(value)
    return [loop, *tail], found


def _count(op: scf.WhileOp) -> SSAValue:
    """The number of trips of a loop, which counts them from now on."""
    first, second = op.before_region.block, op.after_region.block
    test, end = first.last_op, second.last_op
    assert test is not None and end is not None
    op.operands = [*op.operands, Numbers(before(op)).constant(0)]
    test.operands = [*test.operands, first.insert_arg(INDEX, len(first.args))]
    numbers = Numbers(before(end))
    counter = second.insert_arg(INDEX, len(second.args))
    end.operands = [*end.operands, numbers.add(counter, numbers.constant(1))]
    return add_result(op, INDEX)


def every_of(op: Operation) -> int | None:
    """Of how many trips one stores what a loop carries; None for each."""
    found = op.attributes.get(EVERY)
    return found.value.data if isinstance(found, IntegerAttr) else None


def in_parts(op: scf.ForOp) -> tuple[list[Operation], list[SSAValue]]:
    """A loop over parts of `every` trips, right behind `op`, and what it gives for the results of
    `op`: it stores what it carries at the beginning of a part, and a part does so on its way back.
    """
    e, every = after(op), every_of(op)
    assert every is not None
    numbers, location = Numbers(e), op.location
    loop = Loop(op, e, Memo())
    old, count, size = list(op.results), loop.count(e), numbers.constant(every)
    low, one = numbers.constant(0), numbers.constant(1)
    known = loop.trips
    parts = numbers.steps(count, size) if known is None else numbers.constant(-(-known // every))
    types = [arg.type for arg in loop.carried]
    outer, inner = (Block(arg_types=[INDEX, *types]) for _ in range(2))
    of_part = Numbers(IrEmitter(outer.add_op, location))
    first = of_part.scaled(outer.args[0], size)
    trips = size
    if known is None or known % every:
        trips = of_part.insert(arith.MinSIOp(size, of_part.sub(count, first)))
    of_trip = Numbers(IrEmitter(inner.add_op, location))
    trip = of_trip.insert(arith.AddiOp(first, inner.args[0]))
    place = of_trip.add(op.lb, of_trip.scaled(trip, op.step))
    mapping: dict[SSAValue, SSAValue] = {}
    mapping.update(zip(op.body.block.args, (place, *inner.args[1:]), strict=True))
    _, yielded = cloned(op.body.block, mapping, inner)
    yield_values(inner, yielded, of_trip.e)
    part = scf.ForOp(low, trips, one, list(outer.args[1:]), inner)
    part.location = location
    outer.add_op(part)
    yield_values(outer, part.results, of_part.e)
    whole = scf.ForOp(low, parts, one, list(op.iter_args), outer)
    whole.location = location
    e.insert(whole)
    found: list[SSAValue] = list(whole.results)
    for result, value in zip(old, found, strict=True):
        result.replace_all_uses_with(value)
    return [whole], found
