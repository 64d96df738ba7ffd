"""Loops and branches in drawn programs: `scf.for` and `scf.if` that carry and yield tensors.

Their bodies hold exact ops only, so that what they give has equal bits however often they run.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import redirect_stdout, suppress

from op_row import Shape
from op_table import ROWS
from program_checks import draw_check, draw_print
from program_ops import INDEX, Drawing, Index, Rejected, Value
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.errors import LaminaError
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import Array

BODY = tuple(
    row
    for row in ROWS.values()
    if row.error == "exact" and row.name not in ("dim", "constant", "iota", "from_index")
)
"""Ops of bodies: exact ones, whose values in a later iteration are the interpreter's."""


def draw_for(d: Drawing) -> None:
    """Append an `scf.for` with one or two carried tensors."""
    carried = [d.pick(_is_simple) for _ in range(int(d.rng.integers(1, 3)))]
    lower, step = d.index(int(d.rng.integers(0, 2))), d.index(int(d.rng.integers(1, 3)))
    upper = d.choose(d.indices) if d.indices and d.chance(0.3) else d.index(int(d.rng.integers(5)))
    if upper.number > 20:
        raise Rejected
    block = Block(arg_types=[INDEX, *(v.ssa.type for v in carried)])
    inner = _inside(d, block)
    inner.indices.append(Index(block.args[0], lower.number))
    for arg, start in zip(block.args[1:], carried, strict=True):
        inner.pool.append(Value(arg, start.array, start.dims))
    fill(inner)
    if d.chance(0.3):
        draw_if(inner)
    if d.chance(0.3):
        draw_check(inner)
    if d.chance(0.2):
        draw_print(inner)
    if d.chance(0.3):
        draw_update(inner, carried[0])
    yielded = [yield_for(inner, start) for start in carried]
    block.add_op(scf.YieldOp(*(v.ssa for v in yielded)))
    loop = scf.ForOp(lower.ssa, upper.ssa, step.ssa, [v.ssa for v in carried], block)
    finish(d, loop, carried)


def draw_if(d: Drawing) -> None:
    """Append an `scf.if` that yields one tensor, on two indices compared."""
    start = d.pick(_is_simple)
    if not d.indices:
        d.indices.append(d.index(int(d.rng.integers(0, 3))))
    limit = d.index(int(d.rng.integers(0, 3)))
    flag = arith.CmpiOp(d.choose(d.indices).ssa, limit.ssa, d.choose(["eq", "slt", "sge"]))
    d.add(flag)
    regions: list[Region] = []
    for _ in range(2):
        inner = _inside(d, Block())
        fill(inner)
        if d.chance(0.3):
            draw_check(inner)
        if d.chance(0.2):
            draw_print(inner)
        inner.block.add_op(scf.YieldOp(yield_for(inner, start).ssa))
        regions.append(Region(inner.block))
    finish(d, scf.IfOp(flag.result, [start.ssa.type], regions[0], regions[1]), [start])


def _is_simple(value: Value) -> bool:
    return value.bound is None and value.array.size <= 300 and "computed" not in value.dims


def _inside(d: Drawing, block: Block) -> Drawing:
    """A drawing of a region's block; exact values of around can be read."""
    pool = [v for v in d.pool if v.bound is None]
    outer = d if d.outer is None else d.outer
    return Drawing(d.rng, d.sizes, d.dynamic, block, pool, list(d.indices), outer=outer)


def fill(inner: Drawing) -> None:
    """A few exact ops."""
    wanted = int(inner.rng.integers(1, 4))
    for _ in range(30):
        if wanted == 0:
            return
        with suppress(Rejected):
            inner.draw(inner.choose(BODY))
            wanted -= 1


def draw_update(inner: Drawing, start: Value) -> None:
    """A window of a value of the type of `start` written at the loop's index."""
    if not start.array.ndim or any(start.declared):
        return
    like = [v for v in inner.pool if v.ssa.type == start.ssa.type][-1]
    sizes: Shape = start.array.shape
    shape = tuple(int(inner.rng.integers(1, n + 1)) if n else 0 for n in sizes)
    update = inner.find(start.dtype, shape, (None,) * len(shape), True)
    starts = [inner.indices[-1] for _ in shape]
    inner.emit(ROWS["dynamic_update_slice"], (like, update), {}, indices=starts)


def yield_for(inner: Drawing, start: Value) -> Value:
    """A value of the type of `start`: one that was computed here, if there is one."""
    here = [
        v
        for v in inner.pool
        if v.ssa.type == start.ssa.type and v.bound is None and v.dims == start.dims
    ]
    mine = [v for v in here if v.ssa.owner in (inner.block, *inner.block.ops)]
    return inner.choose(mine or here)


def finish(d: Drawing, op: Operation, like: Sequence[Value]) -> None:
    """Append the op, and give its results what the interpreter makes of it."""
    indices = {i.ssa: i.number for i in d.indices}
    try:
        with redirect_stdout(None):  # what it prints
            arrays = run(op, {v.ssa: v.array for v in all_values(d)}, indices)
    except LaminaError:  # a check that held for the drawn numbers fails in a later iteration
        raise Rejected from None
    d.add(op)
    for result, array, start in zip(op.results, arrays, like, strict=True):
        d.pool.append(Value(result, array, start.dims))


def all_values(d: Drawing) -> list[Value]:
    """The values that an op in `d` can see."""
    return d.pool


def run(op: Operation, tensors: dict[SSAValue, Array], indices: dict[SSAValue, int]) -> list[Array]:
    """The results of an op with regions: evaluated as a function of what it reads from around."""
    made = {r for inner in op.walk() for r in inner.results}
    made |= {a for inner in op.walk() for r in inner.regions for b in r.blocks for a in b.args}
    read = [v for inner in op.walk() for v in inner.operands if v not in made]
    free = list(dict.fromkeys(v for v in read if v in tensors))
    block = Block(arg_types=[v.type for v in free])
    mapped: dict[SSAValue, SSAValue] = dict(zip(free, block.args, strict=True))
    for value in dict.fromkeys(v for v in read if v not in tensors):
        mapped[value] = _again(value, indices, block)
    copy = op.clone(mapped)
    block.add_ops([copy, func.ReturnOp(*copy.results)])
    types: list[Attribute] = [r.type for r in copy.results]
    kind = FunctionType.from_lists([v.type for v in free], types)
    module = ModuleOp([func.FuncOp("main", kind, Region(block))])
    return evaluate(module, "main", [tensors[v] for v in free])


def _again(value: SSAValue, indices: dict[SSAValue, int], block: Block) -> SSAValue:
    """An index (or the flag of an `scf.if`) computed again in another block."""
    owner = value.owner
    if value in indices:
        constant = arith.ConstantOp(IntegerAttr(indices[value], INDEX))
    elif isinstance(owner, arith.ConstantOp):
        constant = owner.clone()
    elif isinstance(owner, arith.CmpiOp):
        mapped = {v: _again(v, indices, block) for v in owner.operands}
        constant = owner.clone(mapped)
    else:
        raise Rejected
    block.add_op(constant)
    return constant.results[0]
