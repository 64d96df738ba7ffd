"""`bufferize`, the part for loops over elements: every tensor is updated where it is.

    %n = tensor.insert %v into %o[%i] : tensor<8xf32>     ->     memref.store %v, %b[%i]

A value that is inserted into, carried by a loop, yielded or returned is used up; reading it
afterwards is an error, never a copy. So carried tensors leave the loops, and all that remains of
them is the buffer that they began in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import FunctionType, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from lamina.dialects import linalg, memref, scf
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError
from lamina.lowering.buffer_types import buffer_type
from lamina.lowering.bufferize_kernel import alloc
from lamina.lowering.builder import Builder


def is_element_loops(kernel: func.FuncOp) -> bool:
    """Whether a kernel is made of loops over elements, not of linalg ops."""
    linalg_ops = (linalg.GenericOp, linalg.FillOp)
    return not any(isinstance(op, linalg_ops) for op in kernel.body.block.ops)


def is_tensor(value: SSAValue) -> bool:
    """Whether `value` needs a buffer."""
    return isinstance(value.type, TensorType)


def bufferize_loops(kernel: func.FuncOp, types: Sequence[Attribute]) -> None:
    """Rewrite `kernel` in place; `types` are the argument types that its callers pass."""
    old = kernel.body.block
    new = Block(arg_types=types)
    loops = _Loops(dict(zip(old.args, new.args, strict=True)))
    b = Builder(kernel.location)
    loops.block(old, b)
    last = old.last_op
    assert isinstance(last, func.ReturnOp)
    targets = old.args[len(old.args) - len(last.arguments) :]
    loops.check_places(last, last.arguments, targets)
    b.location = last.location
    b.add(func.ReturnOp)
    new.add_ops(b.ops)
    kernel.properties["function_type"] = FunctionType.from_lists(list(types), [])
    kernel.detach_region(kernel.body)
    kernel.add_region(Region(new))


class _Loops:
    """Rebuilds the blocks of one function. `values` maps tensors to buffers, scalars to scalars;
    `used_up` are tensors whose buffer holds something else by now."""

    def __init__(self, values: dict[SSAValue, SSAValue]) -> None:
        self.values = values
        self.used_up: set[SSAValue] = set()
        self.loop: Operation | None = None

    # -- who may read and write -----------------------------------------------------------------

    def fail(self, op: Operation, expected: str) -> LoweringError:
        """An error at `op`; raise it."""
        return LoweringError(f"bufferize: {op.name}: {expected}", place=place_of(op.location))

    def read(self, op: Operation, value: SSAValue) -> SSAValue:
        """The buffer of a tensor that `op` reads, or a scalar."""
        if value in self.used_up:
            raise self.fail(op, "expected a tensor that no op before has written into, found one")
        return self.values[value]

    def take(self, op: Operation, value: SSAValue) -> SSAValue:
        """The buffer of a tensor that `op` uses up."""
        buffer = self.read(op, value)
        if loop_around(value) is not self.loop:
            raise self.fail(op, "expected to write a tensor that the loop carries, found another")
        self.used_up.add(value)
        return buffer

    def check_places(
        self, op: Operation, values: Sequence[SSAValue], homes: Sequence[SSAValue]
    ) -> None:
        """Refuse tensors among `values` that are not in the buffers of `homes`; use them up."""
        for value, home in zip(values, homes, strict=True):
            if is_tensor(value) and self.take(op, value) is not self.values[home]:
                raise self.fail(op, "expected each tensor in the place it began in, found another")

    # -- ops --------------------------------------------------------------------------------------

    def block(self, old: Block, b: Builder) -> None:
        """All ops but the terminator; buffers of dynamic size are given back at the end."""
        made: list[SSAValue] = []
        for op in old.ops:
            if op is old.last_op:
                break
            b.location = op.location
            handler = _HANDLERS.get(type(op))
            if handler is None:
                self.keep(op, b)
            else:
                handler(self, op, b)
            if isinstance(op, tensor.EmptyOp) and op.dynamic_sizes:
                made.append(self.values[op.tensor])
        for buffer in made:
            b.add(memref.DeallocOp, (buffer,))

    def keep(self, op: Operation, b: Builder) -> None:
        """An op on scalars."""
        if op.regions or any(map(is_tensor, (*op.operands, *op.results))):
            raise self.fail(op, "expected an op on elements or scalars")
        clone = op.clone(self.values)
        b.ops.append(clone)
        self.values.update(zip(op.results, clone.results, strict=True))

    def body(
        self, old: Block, homes: Sequence[SSAValue], b: Builder, skip: int = 0
    ) -> list[SSAValue]:
        """The ops of a loop's region; the scalars that its terminator passes on.

        homes: what the loop carries, as it begins. skip: leading operands of the terminator that
        are no carried values.
        """
        last = old.last_op
        assert last is not None
        self.block(old, b)
        passed = last.operands[skip:]
        self.check_places(last, passed, homes)
        b.location = last.location
        return [self.values[v] for v in passed if not is_tensor(v)]

    def enter(self, old: Block, new: Block, homes: Sequence[SSAValue], lead: int = 0) -> None:
        """Give the arguments of a region their buffers and scalars."""
        scalars = iter(new.args)
        for argument in old.args[:lead]:
            self.values[argument] = next(scalars)
        for argument, home in zip(old.args[lead:], homes, strict=True):
            self.values[argument] = self.values[home] if is_tensor(home) else next(scalars)

    def leave(self, op: Operation, new: Operation, homes: Sequence[SSAValue]) -> None:
        """Give the results of a loop their buffers and scalars."""
        scalars = iter(new.results)
        for result, home in zip(op.results, homes, strict=True):
            self.values[result] = self.values[home] if is_tensor(home) else next(scalars)


def loop_around(value: SSAValue) -> Operation | None:
    """The innermost loop in whose body `value` is made."""
    block = value.block if isinstance(value, BlockArgument) else None
    if isinstance(value, OpResult):
        block = value.op.parent
    op = block.parent_op() if block is not None else None
    while op is not None and not isinstance(op, scf.ForOp | scf.WhileOp):
        op = op.parent_op()
    return op


def _extract(loops: _Loops, op: Operation, b: Builder) -> None:
    source, *places = (loops.read(op, operand) for operand in op.operands)
    loops.values[op.results[0]] = b.value(memref.LoadOp, (source, *places), op.results[0].type)


def _insert(loops: _Loops, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.InsertOp)
    places = [loops.values[index] for index in op.indices]
    target = loops.take(op, op.dest)
    b.add(memref.StoreOp, (loops.values[op.scalar], target, *places))
    loops.values[op.result] = target


def _empty(loops: _Loops, op: Operation, b: Builder) -> None:
    assert isinstance(op, tensor.EmptyOp)
    sizes = [loops.values[size] for size in op.dynamic_sizes]
    loops.values[op.tensor] = alloc(b, buffer_type(op.tensor.type), sizes)


def _dim(loops: _Loops, op: Operation, b: Builder) -> None:
    operands = [loops.values[operand] for operand in op.operands]
    loops.values[op.results[0]] = b.value(memref.DimOp, operands, op.results[0].type)


def _scalars(loops: _Loops, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [loops.values[value] for value in values if not is_tensor(value)]


def _for(loops: _Loops, op: Operation, b: Builder) -> None:
    assert isinstance(op, scf.ForOp)
    starts = op.iter_args
    for value in starts:
        if is_tensor(value):
            loops.take(op, value)
    scalars = _scalars(loops, starts)
    old, around = op.body.block, loops.loop
    new = Block(arg_types=[old.args[0].type, *(s.type for s in scalars)])
    loops.enter(old, new, starts, lead=1)
    inner, loops.loop = b.nested(), op
    inner.add(scf.YieldOp, loops.body(old, starts, inner))
    loops.loop = around
    new.add_ops(inner.ops)
    bounds = [loops.values[v] for v in (op.lb, op.ub, op.step)]
    made = b.add(
        scf.ForOp,
        (*bounds, *scalars),
        [s.type for s in scalars],
        regions=(Region(new),),
        attributes=op.attributes,
    )
    loops.leave(op, made, starts)


def _while(loops: _Loops, op: Operation, b: Builder) -> None:
    assert isinstance(op, scf.WhileOp)
    starts = op.arguments
    if [v.type for v in starts] != [v.type for v in op.results]:
        raise loops.fail(op, "expected a loop that hands on what it carries, found other types")
    for value in starts:
        if is_tensor(value):
            loops.take(op, value)
    scalars, around = _scalars(loops, starts), loops.loop
    types = [s.type for s in scalars]
    before, after = op.before_region.block, op.after_region.block
    test, work = Block(arg_types=types), Block(arg_types=types)
    first, second = b.nested(), b.nested()
    loops.loop = op
    loops.enter(before, test, starts)
    passed = loops.body(before, starts, first, skip=1)
    assert before.last_op is not None
    first.add(scf.ConditionOp, (loops.values[before.last_op.operands[0]], *passed))
    test.add_ops(first.ops)
    loops.enter(after, work, starts)
    second.add(scf.YieldOp, loops.body(after, starts, second))
    work.add_ops(second.ops)
    loops.loop = around
    made = b.add(scf.WhileOp, scalars, types, regions=(Region(test), Region(work)))
    loops.leave(op, made, starts)


def _if(loops: _Loops, op: Operation, b: Builder) -> None:
    """Both branches pass on the same tensors, each in its place."""
    assert isinstance(op, scf.IfOp)
    before, used_up = set(loops.used_up), set(loops.used_up)
    regions: list[Region] = []
    places: list[list[SSAValue]] = []
    for region in op.regions:
        if not region.blocks:
            regions.append(Region())
            continue
        loops.used_up = set(before)
        old, new, inner = region.block, Block(), b.nested()
        loops.block(old, inner)
        last = old.last_op
        assert last is not None
        inner.location = last.location
        places.append([loops.take(last, v) for v in last.operands if is_tensor(v)])
        inner.add(scf.YieldOp, _scalars(loops, last.operands))
        new.add_ops(inner.ops)
        regions.append(Region(new))
        used_up |= loops.used_up
    loops.used_up = used_up
    if len(places) == 2 and any(x is not y for x, y in zip(*places, strict=True)):
        raise loops.fail(op, "expected both branches to yield each tensor in the same place")
    types = [r.type for r in op.results if not is_tensor(r)]
    made = b.add(scf.IfOp, (loops.values[op.cond],), types, regions=regions)
    scalars, buffers = iter(made.results), iter(places[0])
    for result in op.results:
        loops.values[result] = next(buffers) if is_tensor(result) else next(scalars)


_HANDLERS: dict[type[Operation], Callable[[_Loops, Operation, Builder], None]] = {
    tensor.ExtractOp: _extract,
    tensor.InsertOp: _insert,
    tensor.EmptyOp: _empty,
    tensor.DimOp: _dim,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _if,
}
