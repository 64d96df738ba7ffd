"""`bufferize`, the part for control flow: a carried tensor is one buffer that the body updates.

A loop's buffer is that of its start value when nobody reads it later, else a copy. What the body
yields is written into it: nothing to do when the body worked in place, one copy otherwise.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects import memref, scf
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import buffer_type, is_contiguous
from lamina.lowering.bufferize_kernel import alloc
from lamina.lowering.bufferize_main import MainBufferizer, Place, Rule
from lamina.lowering.builder import Builder
from lamina.lowering.size_origins import keeps_sizes


def is_tensor(value: SSAValue) -> bool:
    """Whether `value` needs a buffer."""
    return isinstance(value.type, TensorType)


def carried(main: MainBufferizer, op: Operation, value: SSAValue, b: Builder) -> SSAValue:
    """The buffer that a loop carries for the start value `value`."""
    place = main.places.get(value)
    buffer = main.lowered(value, b)
    if place is None:
        return buffer  # it was empty: made for the loop
    return buffer if main.may_overwrite(value, op) else main.copied(value, b)


def check_sizes(
    main: MainBufferizer, op: Operation, starts: Sequence[SSAValue], last: Operation | None
) -> None:
    """Refuse a carried tensor that may change its size: it stays in one buffer."""
    assert isinstance(last, scf.YieldOp)
    for start, yielded in zip(starts, last.operands, strict=True):
        if is_tensor(start) and not keeps_sizes(main.entry, start, yielded):
            raise LoweringError(
                f"bufferize: expected {op.name} to carry tensors of one size, known before it, "
                f"found a {start.type} of a size that may change",
                place=place_of(op.location),
            )


def enter(
    main: MainBufferizer, old: Block, buffers: Sequence[SSAValue], new: Block, scalars: int
) -> None:
    """Bind the arguments of a body: tensors to buffers, scalars to the new block's arguments
    after the first `scalars`."""
    left, numbers = iter(buffers), iter(new.args[scalars:])
    for arg in old.args[scalars:]:
        if is_tensor(arg):
            main.bind(arg, next(left), Place(old))
        else:
            main.values[arg] = next(numbers)
    for arg, number in zip(old.args[:scalars], new.args[:scalars], strict=True):
        main.values[arg] = number
        number.name_hint = arg.name_hint


def write_back(
    main: MainBufferizer,
    values: Sequence[SSAValue],
    buffers: Sequence[SSAValue],
    b: Builder,
) -> None:
    """Copy what a body yields into the buffers that are carried, as if all at once."""
    sources = [main.lowered(value, b) for value in values]
    for i, (value, source) in enumerate(zip(values, sources, strict=True)):
        if source is not buffers[i] and _in_one_of(main, value, buffers):
            sources[i] = main.copied(value, b)  # another copy would overwrite it first
    for source, buffer in zip(sources, buffers, strict=True):
        if source is not buffer:
            b.add(memref.CopyOp, (source, buffer))


def _in_one_of(main: MainBufferizer, value: SSAValue, buffers: Sequence[SSAValue]) -> bool:
    place = main.places[value]
    return any(main.values[member] in buffers for member in place.members)


def lower_for(main: MainBufferizer, op: Operation, b: Builder) -> None:
    """`scf.for`: carried tensors leave the loop's arguments."""
    assert isinstance(op, scf.ForOp)
    check_sizes(main, op, op.iter_args, op.body.block.last_op)
    buffers = [carried(main, op, v, b) for v in op.iter_args if is_tensor(v)]
    scalars = [main.values[v] for v in op.iter_args if not is_tensor(v)]
    bounds = [main.values[v] for v in (op.lb, op.ub, op.step)]
    old = op.body.block
    new = Block(arg_types=[old.args[0].type, *(s.type for s in scalars)])
    enter(main, old, buffers, new, 1)
    yielded = old.last_op
    assert isinstance(yielded, scf.YieldOp)
    body = b.nested()
    main.ops(old, body)
    body.location = yielded.location
    write_back(main, [v for v in yielded.operands if is_tensor(v)], buffers, body)
    body.add(scf.YieldOp, [main.values[v] for v in yielded.operands if not is_tensor(v)])
    new.add_ops(body.ops)
    b.location = op.location
    types = [s.type for s in scalars]
    loop = b.add(scf.ForOp, (*bounds, *scalars), types, regions=(Region(new),))
    finish(main, op, op.iter_args, buffers, loop)


def finish(
    main: MainBufferizer,
    op: Operation,
    starts: Sequence[SSAValue],
    buffers: Sequence[SSAValue],
    new: Operation,
) -> None:
    """Bind the results of a loop: tensors to the carried buffers, in the start value's place
    where the loop took it over."""
    left, numbers = iter(buffers), iter(new.results)
    for result, start in zip(op.results, starts, strict=True):
        if not is_tensor(result):
            main.values[result] = next(numbers)
            continue
        buffer = next(left)
        place = main.places.get(start)
        if place is None or main.values.get(start) is not buffer:
            place = Place(op.parent, alloc=buffer)
        main.bind(result, buffer, place)


def root(value: SSAValue, branch: Block) -> SSAValue | None:
    """The tensor from outside of a branch that `value` is made of by updates; None for others."""
    while True:
        op = value.owner
        if isinstance(op, Block):
            return None if op is branch else value
        if not _within(op, branch):
            return value
        number = op.results.index(value)
        match op:
            case tensor.InsertOp() | tensor.InsertSliceOp():
                value = op.dest
            case func.CallOp():
                value = op.operands[len(op.operands) - len(op.results) + number]
            case scf.ForOp():
                value = op.iter_args[number]
            case scf.IfOp():
                last = op.true_region.block.last_op
                assert last is not None
                value = last.operands[number]
            case _:
                return None


def _within(op: Operation, block: Block) -> bool:
    inner: Operation | None = op
    while inner is not None and inner.parent is not block:
        inner = inner.parent_op()
    return inner is not None


def home_of(
    main: MainBufferizer, op: scf.IfOp, number: int, taken: Sequence[Place]
) -> SSAValue | None:
    """A tensor that nobody reads behind `op`, and whose buffer can be that of a result: best one
    that the branches update."""
    for region in op.regions:
        last = region.block.last_op
        assert last is not None
        value = root(last.operands[number], region.block)
        place = main.places.get(value) if value is not None else None
        if value is None or place is None or place.block is not op.parent or place in taken:
            continue
        assert op.parent is not None
        now, around = main.order[op], not place.lent
        if (
            value.type == op.results[number].type
            and is_contiguous(main.values[value].type)
            and all(main.last_read(m, op.parent, around) <= now for m in place.members)
        ):
            return value
    return None


@contextmanager
def lent(places: Sequence[Place], block: Block) -> Generator[None]:
    """While a branch is rebuilt, it may write these places."""
    before = [(place.block, place.lent) for place in places]
    for place in places:
        place.block, place.lent = block, True
    yield
    for place, (around, was_lent) in zip(places, before, strict=True):
        place.block, place.lent = around, was_lent


def lower_if(main: MainBufferizer, op: Operation, b: Builder) -> None:
    """`scf.if`: both branches write the results' buffers: those of tensors that they update, or
    new ones."""
    assert isinstance(op, scf.IfOp)
    buffers: list[SSAValue] = []
    places: list[Place] = []
    for number, result in enumerate(op.results):
        if not is_tensor(result):
            continue
        home = home_of(main, op, number, places)
        if home is None:
            buffers.append(main.new(result, main.sizes_before(result, b), b))
        else:
            buffers.append(main.values[home])
            places.append(main.places[home])
            main.bind(result, main.values[home], main.places[home])
    regions: list[Region] = []
    for region in op.regions:
        if not region.blocks:
            regions.append(Region())
            continue
        block, inner = region.block, b.nested()
        with lent(places, block):
            main.ops(block, inner)
            yielded = block.last_op
            assert isinstance(yielded, scf.YieldOp)
            inner.location = yielded.location
            write_back(main, [v for v in yielded.operands if is_tensor(v)], buffers, inner)
        inner.add(scf.YieldOp, [main.values[v] for v in yielded.operands if not is_tensor(v)])
        new = Block()
        new.add_ops(inner.ops)
        regions.append(Region(new))
    b.location = op.location
    scalars = [result for result in op.results if not is_tensor(result)]
    made = b.add(scf.IfOp, (main.values[op.cond],), [s.type for s in scalars], regions=regions)
    main.values.update(zip(scalars, made.results, strict=True))


def lower_while(main: MainBufferizer, op: Operation, b: Builder) -> None:
    """`scf.while`: the first region reads the carried buffers; what it hands on is in buffers of
    its own, unless it is the carried value itself."""
    assert isinstance(op, scf.WhileOp)
    before, after = op.before_region.block, op.after_region.block
    starts = list(op.arguments)
    check_sizes(main, op, starts, after.last_op)
    buffers = [carried(main, op, v, b) for v in starts if is_tensor(v)]
    scalars = [main.values[v] for v in starts if not is_tensor(v)]
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    test = Block(arg_types=[s.type for s in scalars])
    enter(main, before, buffers, test, 0)
    first = b.nested()
    main.ops(before, first)
    handed = [v for v in condition.args if is_tensor(v)]
    targets = [_handed(main, value, buffers, b) for value in handed]
    first.location = condition.location
    write_back(main, handed, targets, first)
    numbers = [main.values[v] for v in condition.args if not is_tensor(v)]
    first.add(scf.ConditionOp, (main.values[condition.condition], *numbers))
    test.add_ops(first.ops)
    work = Block(arg_types=[n.type for n in numbers])
    enter(main, after, targets, work, 0)
    second = b.nested()
    main.ops(after, second)
    yielded = after.last_op
    assert isinstance(yielded, scf.YieldOp)
    second.location = yielded.location
    write_back(main, [v for v in yielded.operands if is_tensor(v)], buffers, second)
    second.add(scf.YieldOp, [main.values[v] for v in yielded.operands if not is_tensor(v)])
    work.add_ops(second.ops)
    b.location = op.location
    loop = b.add(
        scf.WhileOp, scalars, [n.type for n in numbers], regions=(Region(test), Region(work))
    )
    left, results = iter(targets), iter(loop.results)
    for result in op.results:
        if is_tensor(result):
            buffer = next(left)
            main.bind(result, buffer, Place(op.parent, alloc=buffer))
        else:
            main.values[result] = next(results)


def _handed(
    main: MainBufferizer, value: SSAValue, buffers: Sequence[SSAValue], b: Builder
) -> SSAValue:
    """The buffer in which a tensor reaches the second region: its own when it is carried as it
    is, else a new one made before the loop."""
    buffer = main.values.get(value)
    if buffer is not None and buffer in buffers:
        return buffer
    return alloc(b, buffer_type(value.type), main.sizes_before(value, b))


CONTROL: dict[type[Operation], Rule] = {
    scf.ForOp: lower_for,
    scf.IfOp: lower_if,
    scf.WhileOp: lower_while,
}
