"""Give long loops of `main` a chance to be interrupted.

    scf.while ... do { ... }    becomes    scf.while ... do {
                                             %w = arith.constant 1024 : i64
                                             func.call @lamina_poll(%w) : (i64) -> ()
                                             ...

Before: loop level. After: every `scf.while` of `main`, and every `scf.for` that runs for long,
begins an iteration with a call of `@lamina_poll`; so do the marked loops (`lamina.poll`) of other
functions, but not those that a parallel loop runs on several threads. `convert-to-llvm` makes of
it a call of the context's poll function every 10 ms or so; a status other than 0 ends `main`.

A `scf.for` may run for long when its trip count is unknown or over a million, or when its body
calls a kernel. The weight says how often to look at the clock: 1024 is every time, 1 after 1024
iterations; it is 1 for bodies without calls, copies and loops.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lamina.dialects.kernels import LONG

POLL = "lamina_poll"
MAIN = "main"
MANY_TRIPS = 1_000_000
HEAVY, LIGHT = 1024, 1


# predicates


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def is_poll(op: Operation) -> bool:
    """Whether this is the call that the pass inserts."""
    return isinstance(op, func.CallOp) and op.callee.root_reference.data == POLL


def is_heavy(loop: Operation) -> bool:
    """Whether one iteration may take long: it calls, copies or loops."""
    return any(
        isinstance(op, func.CallOp | scf.ForOp | scf.WhileOp | scf.ParallelOp)
        or op.name == "memref.copy"
        for op in loop.walk()
        if op is not loop and not is_poll(op)
    )


def take_marks(function: func.FuncOp) -> list[tuple[Operation, Block]]:
    """The marked loops of a function that one thread runs, with their blocks; no marks stay."""
    found: list[tuple[Operation, Block]] = []
    for op in function.walk():
        if isinstance(op, scf.ForOp) and op.attributes.pop(LONG, None) is not None:
            found.append((op, op.body.block))
    return [] if "parallel_body" in function.attributes else found


def needs_poll(op: Operation) -> Block | None:
    """The block at whose begin a poll belongs, if `op` is a loop that may run for long."""
    if isinstance(op, scf.WhileOp):
        block = op.after_region.block
    elif isinstance(op, scf.ForOp):
        block = op.body.block
        lower, upper, step = (_constant(value) for value in (op.lb, op.ub, op.step))
        if lower is not None and upper is not None and step is not None:
            few = (upper - lower) // step <= MANY_TRIPS
            if few and not is_heavy(op):
                return None
    else:
        return None
    return None if any(is_poll(inner) for inner in block.ops) else block


@dataclass(frozen=True)
class InsertPollsPass(ModulePass):
    """Give long loops of `main` a chance to be interrupted."""

    name = "insert-polls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.ops if isinstance(f, func.FuncOp)}
        if (main := functions.get(MAIN)) is None:
            return
        found = [pair for function in functions.values() for pair in take_marks(function)]
        found += [(loop, block) for loop in main.walk() if (block := needs_poll(loop)) is not None]
        for loop, block in found:
            weight = arith.ConstantOp(IntegerAttr(HEAVY if is_heavy(loop) else LIGHT, i64))
            call = func.CallOp(POLL, [weight.result], [])
            for new in (weight, call):
                new.location = loop.location
            first = block.first_op
            assert first is not None
            block.insert_ops_before([weight, call], first)
        if found and POLL not in functions:
            declaration = func.FuncOp.external(POLL, [i64], [])
            declaration.location = main.location
            op.body.block.insert_op_before(declaration, main)
