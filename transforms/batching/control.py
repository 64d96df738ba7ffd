"""Branches and loops.

Where all examples go the same way the op is kept, with a batch in what it carries. Where they do
not: of a branch both sides are computed and each example takes its own; a loop runs until the last
example is done, and what an example that is done carries is kept as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects import arith, scf
from lamina.dialects.nd import NdOp, effects
from lamina.dialects.nd.gradients import CustomVjpOp, YieldOp
from lamina.transforms.batching import EFFECTS, RULES
from lamina.transforms.batching.batcher import INDEX, Batcher
from lamina.transforms.batching.spread import terminator


def batch_if(b: Batcher, op: scf.IfOp) -> list[SSAValue]:
    regions = (op.true_region, op.false_region)
    if not b.has(op.cond):
        copied = [_copied(b, region, op.results) for region in regions]
        types = [_type(b, result) for result in op.results]
        new = scf.IfOp(b.get(op.cond), types, copied[0], copied[1])
        b.append(new)
        return list(new.results)
    flags = b.get(op.cond)
    found: list[list[SSAValue]] = []
    for region, chosen in zip(regions, (flags, b.e.bind("bitwise_invert", flags)), strict=True):
        found.append([])
        if region.blocks:
            inner = b.masked(chosen).seeing(_from_outside(b, region), chosen)
            copy_ops(inner, _inner_ops(region))
            found[-1] = [inner.full(value) for value in terminator(region).operands]
    return [b.select(flags, x, y) for x, y in zip(*found, strict=True)]


def _from_outside(b: Batcher, region: Region) -> list[SSAValue]:
    """The values with a batch that a region reads and does not make."""
    made: set[SSAValue] = set()
    read: dict[SSAValue, None] = {}
    for block in region.blocks:
        for op in block.walk():
            read.update(dict.fromkeys(op.operands))
            made.update(op.results)
            made.update(arg for inner in op.regions for old in inner.blocks for arg in old.args)
        made.update(block.args)
    return [value for value in read if value not in made and b.has(value)]


def _inner_ops(region: Region) -> list[Operation]:
    """The ops of a region but its terminator."""
    return list(region.block.ops)[:-1]


def _type(b: Batcher, value: SSAValue) -> Attribute:
    return b.type(value) if b.has(value) else value.type


def _given(b: Batcher, values: Sequence[SSAValue], like: Sequence[SSAValue]) -> list[SSAValue]:
    """Values in the new program, with a batch where that of `like` has one."""
    return [b.full(x) if b.has(y) else b.get(x) for x, y in zip(values, like, strict=True)]


def _copied(b: Batcher, region: Region, results: Sequence[SSAValue]) -> Region:
    """A branch that all examples take together."""
    if not region.blocks:
        return Region()
    block = Block()
    inner = b.inside(block)
    copy_ops(inner, _inner_ops(region))
    inner.append(scf.YieldOp(*_given(inner, terminator(region).operands, results)))
    return Region(block)


def batch_for(b: Batcher, op: scf.ForOp) -> list[SSAValue]:
    bounds = (op.lb, op.ub, op.step)
    number, *args = op.body.block.args
    if any(map(b.has, bounds)):
        return _for_each_its_trips(b, op)
    starts = _given(b, op.iter_args, args)
    block = Block(arg_types=[INDEX, *(start.type for start in starts)])
    inner = b.inside(block)
    b.known.update(zip((number, *args), block.args, strict=True))
    copy_ops(inner, _inner_ops(op.body))
    inner.append(scf.YieldOp(*_given(inner, terminator(op.body).operands, args)))
    low, high, step = map(b.get, bounds)
    new = scf.ForOp(low, high, step, starts, block)
    b.append(new)
    return list(new.results)


def _for_each_its_trips(b: Batcher, op: scf.ForOp) -> list[SSAValue]:
    """As many trips as the example with most of them makes; trip k is each example's own k."""
    low, high, step = map(b.full, (op.lb, op.ub, op.step))
    if not b.size:
        return [b.full(start) for start in op.iter_args]
    e = b.e
    span = e.bind("add", e.bind("subtract", high, low), step)
    span = e.bind("subtract", span, b.number(1, span))
    counts = e.bind("floor_divide", span, step)
    trips = e.make("to_index", (b.reduced("max", counts),), INDEX)
    number, *args = op.body.block.args
    starts = [b.full(start) for start in op.iter_args]
    block = Block(arg_types=[INDEX, *(start.type for start in starts)])
    trip, *carried = block.args
    inner = b.inside(block)
    k = inner.spread(trip)
    active = inner.e.bind("less", k, counts)
    place = inner.e.bind("add", low, inner.e.bind("multiply", k, step))
    b.known.update(zip((number, *args), (place, *carried), strict=True))
    given = _kept_unless(inner, active, op.body, carried)
    inner.append(scf.YieldOp(*given))
    new = scf.ForOp(b.index(0), trips, b.index(1), starts, block)
    b.append(new)
    return list(new.results)


def _kept_unless(
    b: Batcher, active: SSAValue, region: Region, carried: Sequence[SSAValue]
) -> list[SSAValue]:
    """What a body gives to the examples that are `active`; the others keep what they carry."""
    seen = [*region.block.args, *_from_outside(b, region)]
    inner = b.masked(active).seeing([value for value in seen if b.has(value)], active)
    copy_ops(inner, _inner_ops(region))
    given = [inner.full(value) for value in terminator(region).operands]
    return [b.select(active, new, old) for new, old in zip(given, carried, strict=True)]


def batch_while(b: Batcher, op: scf.WhileOp) -> list[SSAValue]:
    before, after = op.before_region.block, op.after_region.block
    flag, *handed = terminator(op.before_region).operands
    alone = b.has(flag)
    if alone and handed != list(before.args):
        b.fail(op, "expected a condition that changes nothing of what the loop carries")
    starts = _given(b, op.arguments, before.args)
    first = Block(arg_types=[start.type for start in starts])
    inner = b.inside(first)
    b.known.update(zip(before.args, first.args, strict=True))
    copy_ops(inner, _inner_ops(op.before_region))
    given = _given(inner, handed, after.args)
    go_on = inner.get(flag)
    if alone:
        flags = go_on if b.mask is None else inner.e.bind("bitwise_and", go_on, b.mask)
        go_on = inner.element(inner.reduced("or", flags))
        given.append(flags)
    elif b.mask is not None:  # no example may be there to end the loop
        go_on = inner.add(arith.AndIOp(go_on, inner.element(inner.reduced("or", b.mask))))
    inner.append(scf.ConditionOp(go_on, *given))
    second = Block(arg_types=[value.type for value in given])
    inner = b.inside(second)
    b.known.update(zip(after.args, second.args, strict=False))
    if alone:
        *carried, active = second.args
        yielded = _kept_unless(inner, active, op.after_region, carried)
    else:
        copy_ops(inner, _inner_ops(op.after_region))
        yielded = _given(inner, terminator(op.after_region).operands, before.args)
    inner.append(scf.YieldOp(*yielded))
    types = [value.type for value in given]
    new = scf.WhileOp(starts, types, Region(first), Region(second))
    b.append(new)
    results: list[SSAValue] = list(new.results)
    return results[: len(op.results)]


def batch_arith(name: str) -> Callable[[Batcher, Operation], list[SSAValue]]:
    """Arithmetic on numbers of type index that differ between examples."""

    def batch(b: Batcher, op: Operation) -> list[SSAValue]:
        return [b.e.bind(name, *map(b.full, op.operands))]

    return batch


PREDICATES = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
"""Signed comparisons, by the number of the predicate of `arith.cmpi`."""


def batch_compare(b: Batcher, op: Operation) -> list[SSAValue]:
    """A comparison of numbers that differ between examples."""
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    number = predicate.value.data
    if number >= len(PREDICATES):
        b.fail(op, "expected a signed comparison")
    return [b.e.bind(PREDICATES[number], *map(b.full, op.operands))]


def batch_extract(b: Batcher, op: Operation) -> list[SSAValue]:
    """The element of a 0-d tensor: all examples'."""
    value, *places = op.operands
    if places:
        b.fail(op, "expected the element of a 0-d tensor")
    return [b.get(value)]


def batch_custom_vjp(b: Batcher, op: CustomVjpOp) -> list[SSAValue]:
    """Examples have cotangents of their own; an input without a batch gets the sum."""
    different = any(map(b.has, op.outputs))
    values = [b.full(value) if different else b.get(value) for value in op.values]
    block = Block(arg_types=[value.type for value in values])
    inner = b.inside(block)
    b.known.update(zip(op.backward.block.args, block.args, strict=True))
    copy_ops(inner, _inner_ops(op.backward))
    yielded: list[SSAValue] = []
    for value, x in zip(terminator(op.backward).operands, op.inputs, strict=True):
        if not different or b.has(x):
            yielded.append(inner.full(value) if b.has(x) else inner.get(value))
        else:
            yielded.append(inner.e.bind("reduce", inner.full(value), kind="sum", axes=(0,)))
    inner.append(YieldOp(*yielded))
    inputs = [b.get(x) for x in op.inputs]
    new = CustomVjpOp.create(
        operands=[*values, *inputs],
        result_types=[value.type for value in values],
        properties=dict(op.properties),
        regions=[Region(block)],
    )
    b.append(new)
    return list(new.results)


REGIONS: dict[type[Operation], Callable[[Batcher, Any], list[SSAValue]]] = {
    scf.IfOp: batch_if,
    scf.ForOp: batch_for,
    scf.WhileOp: batch_while,
    CustomVjpOp: batch_custom_vjp,
}
"""Ops with regions -> their rules."""

SCALARS: dict[str, Callable[[Batcher, Operation], list[SSAValue]]] = {
    "arith.addi": batch_arith("add"),
    "arith.subi": batch_arith("subtract"),
    "arith.muli": batch_arith("multiply"),
    "arith.minsi": batch_arith("minimum"),
    "arith.maxsi": batch_arith("maximum"),
    "arith.andi": batch_arith("bitwise_and"),
    "arith.ori": batch_arith("bitwise_or"),
    "arith.cmpi": batch_compare,
    "tensor.extract": batch_extract,
}
"""Ops on numbers -> their rules."""


def copy_ops(b: Batcher, ops: Sequence[Operation]) -> None:
    """Copy `ops`, each with a batch if it needs one. Raises LoweringError, with its place, for one
    that has no batched form."""
    for op in ops:
        b.at(op.location, op.attributes)
        for result, value in zip(op.results, _copied_op(b, op), strict=True):
            b.known[result] = value
            if value.name_hint is None:
                value.name_hint = result.name_hint


def _copied_op(b: Batcher, op: Operation) -> Sequence[SSAValue]:
    rule = REGIONS.get(type(op))
    if rule is not None:
        return rule(b, op)
    if not any(map(b.has, op.operands)) and (b.mask is None or not isinstance(op, effects.OPS)):
        new = op.clone(b.known)
        b.block.add_op(new)
        return new.results
    if isinstance(op, NdOp):
        name = op.name.removeprefix("nd.")
        if name in EFFECTS:
            return EFFECTS[name](b, op)
        if name in RULES:
            return (RULES[name](b, op),)
    elif op.name in SCALARS:
        return SCALARS[op.name](b, op)
    b.fail(op, "expected an op that has a form with a batch")
