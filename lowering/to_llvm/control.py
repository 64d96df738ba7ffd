"""`scf` and calls to blocks, branches and calls.

Loops are rotated: the test stands at the end of the body, so that a loop needs no mid-end to be
good code; a guard precedes it unless the first iteration is certain.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.scf import ForOp, IfOp, IndexSwitchOp, ParallelOp, WhileOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects import checks, llvm
from lamina.dialects.foreign import is_foreign
from lamina.dialects.type_tests import is_vector
from lamina.lowering.to_llvm import poll
from lamina.lowering.to_llvm.abi import body_struct, check_results, is_c_function
from lamina.lowering.to_llvm.builder import EMPTY, NO_OVERFLOW, NSW
from lamina.lowering.to_llvm.foreign import lower_foreign
from lamina.lowering.to_llvm.state import (
    ERROR_ID,
    ERROR_INDEX,
    ERROR_VALUE,
    STATUS_CHECK,
    FunctionLowering,
    Handler,
    component_types,
    fail,
)
from lamina.lowering.to_llvm.types import convert_type

PARALLEL = "lamina_parallel"


def _types(values: Sequence[SSAValue]) -> list[Attribute]:
    return [part for value in values for part in component_types(value.type)]


def _finish_with(f: FunctionLowering, results: Sequence[SSAValue], block: Block) -> None:
    """Go on in `block`, whose arguments are the results."""
    f.b.start(block)
    f.bind(results, iter(block.args))


# loops


def lower_for(f: FunctionLowering, op: Operation) -> None:
    """scf.for. Loops of no or one iteration leave no loop behind."""
    assert isinstance(op, ForOp)
    lower, upper, step = (f.numbers.get(value) for value in op.operands[:3])
    body = op.body.block
    initial = f.components(op.operands[3:])
    if lower is not None and upper is not None:
        if lower >= upper:
            f.bind(op.results, iter(initial))
            return
        if step is not None and lower + step >= upper:
            f.numbers[body.args[0]] = lower
            f.bind(body.args[1:], iter(initial))
            f.bind(op.results, iter(f.lower_region(body)))
            return
    b = f.b
    types = _types(op.operands[3:])
    low, high, stride = (f.get(value) for value in op.operands[:3])
    inside, following = b.new_block(low.type, *types), b.new_block(*types)
    if lower is not None and upper is not None:
        b.branch(inside, (low, *initial))
    else:
        entered = b.compare("slt", low, high)
        b.branch_if(entered, inside, (low, *initial), following, initial)
    b.start(inside)
    f.values[body.args[0]] = inside.args[0]
    f.bind(body.args[1:], iter(inside.args[1:]))
    carried = f.lower_region(body)
    flags = NSW if step == 1 or upper is not None else NO_OVERFLOW
    after = b.emit(llvm.AddOp, (inside.args[0], stride), low.type, flags)
    b.branch_if(b.compare("slt", after, high), inside, (after, *carried), following, carried)
    _finish_with(f, op.results, following)


def lower_while(f: FunctionLowering, op: Operation) -> None:
    """scf.while"""
    assert isinstance(op, WhileOp)
    b = f.b
    before, after = op.before_region.block, op.after_region.block
    test = b.new_block(*_types(before.args))
    run, following = b.new_block(*_types(after.args)), b.new_block(*_types(op.results))
    b.branch(test, f.components(op.operands))
    _finish_with(f, before.args, test)
    passed = f.lower_region(before, slice(1, None))
    condition = before.last_op
    assert condition is not None
    b.branch_if(f.get(condition.operands[0]), run, passed, following, passed)
    _finish_with(f, after.args, run)
    b.branch(test, f.lower_region(after))
    _finish_with(f, op.results, following)


# branches


def lower_if(f: FunctionLowering, op: Operation) -> None:
    """scf.if"""
    assert isinstance(op, IfOp)
    b = f.b
    condition, following = f.get(op.operands[0]), b.new_block(*_types(op.results))
    regions = [region.block for region in op.regions if region.blocks]
    blocks = [b.new_block() for _ in regions]
    b.branch_if(condition, blocks[0], (), blocks[1] if len(blocks) == 2 else following, ())
    for block, source in zip(blocks, regions, strict=True):
        b.start(block)
        b.branch(following, f.lower_region(source))
    _finish_with(f, op.results, following)


def lower_index_switch(f: FunctionLowering, op: Operation) -> None:
    """scf.index_switch, as a chain of comparisons."""
    assert isinstance(op, IndexSwitchOp)
    b = f.b
    argument, following = f.get(op.operands[0]), b.new_block(*_types(op.results))
    assert isinstance(op.cases, DenseArrayBase)
    for case, region in zip(op.cases.get_values(), op.case_regions, strict=True):
        chosen, others = b.new_block(), b.new_block()
        b.branch_if(b.compare("eq", argument, b.integer(int(case))), chosen, (), others, ())
        b.start(chosen)
        b.branch(following, f.lower_region(region.block))
        b.start(others)
    b.branch(following, f.lower_region(op.default_region.block))
    _finish_with(f, op.results, following)


# calls


def lower_call(f: FunctionLowering, op: Operation) -> None:
    """func.call, by the convention of `abi`; a status other than 0 ends the caller."""
    symbol = op.properties["callee"]
    assert isinstance(symbol, SymbolRefAttr)
    name = symbol.root_reference.data
    if name == checks.FUNCTION:
        return lower_check(f, op)
    if name == poll.NAME:
        return lower_poll(f, op)
    if is_foreign(op):
        return lower_foreign(f, op)
    callee = f.signatures[name]  # the verifier of func.call knows that it is there
    if is_c_function(callee):
        return _lower_c_call(f, op, name)
    if "parallel_body" in callee.attributes:
        fail(op, f"expected @{name} to be called by scf.parallel only")
    check_results(callee)
    b = f.b
    parts = [f.components([value]) for value in op.operands]
    numbers = [number for part in parts for number in part[1:]]
    operands = [f.context, *(part[0] for part in parts), *numbers]
    types = [convert_type(result.type) for result in op.results]
    slots = [b.stack_slot(type, 1, 64 if is_vector(type) else 8) for type in types]
    f.return_unless_zero(b.call(name, (*operands, *slots), i32))
    for result, slot, type in zip(op.results, slots, types, strict=True):
        f.values[result] = b.load(slot, type, 8)


def _lower_c_call(f: FunctionLowering, op: Operation, name: str) -> None:
    """A call of a C function of scalars: no context, no status."""
    operands = [f.get(value) for value in op.operands]
    if not op.results:
        f.b.call_void(name, operands)
        return
    type = convert_type(op.results[0].type)
    f.values[op.results[0]] = f.b.call(name, operands, type)


def lower_check(f: FunctionLowering, op: Operation) -> None:
    """func.call @lamina_check(ok, id, a, b): when not ok, record the rest and return."""
    b = f.b
    ok, *record = op.operands
    failed, following = b.new_block(), b.new_block()
    b.branch_if(f.get(ok), following, (), failed, ())
    b.start(failed)
    note = op.attributes.get(checks.NOTE)
    noted = EMPTY if note is None else {checks.NOTE: note}  # goes to the store of the id
    for field, value in zip((ERROR_ID, ERROR_INDEX, ERROR_VALUE), record, strict=True):
        b.store(f.get(value), f.context_field(field), 8, noted)
        noted = EMPTY
    b.branch(f.exit_block(), (b.integer(STATUS_CHECK, i32),))
    b.start(following)


def lower_poll(f: FunctionLowering, op: Operation) -> None:
    """func.call @lamina_poll(weight): a chance to be interrupted, taken every 10 ms or so."""
    b = f.b
    if f.poll_state is None:
        f.poll_state = b.stack_slot(i64, poll.STATE_WORDS)
        with b.at_head():
            for index in range(2):
                b.store(b.integer(0), b.element(f.poll_state, index, i64), 8)
    f.needs.add(poll.NAME)
    operands = (f.context, f.poll_state, f.get(op.operands[0]))
    f.return_unless_zero(b.call(poll.NAME, operands, i32))


def lower_parallel(f: FunctionLowering, op: Operation) -> None:
    """scf.parallel over one call of an outlined body: a call of the thread pool.

    What the body reads travels in a struct on this function's stack.
    """
    assert isinstance(op, ParallelOp)
    call = op.body.block.first_op
    if not isinstance(call, CallOp) or len(op.lowerBound) != 1:
        fail(op, "expected outline-parallel to have run")
    name = call.callee.root_reference.data
    body = f.signatures.get(name)
    if not isinstance(body, FuncOp) or "parallel_body" not in body.attributes:
        fail(op, f"expected a call of an outlined body, found @{name}")
    if (f.number(op.lowerBound[0]), f.number(op.step[0])) != (0, 1):
        fail(op, "expected the range to begin at 0 with step 1")
    b = f.b
    struct = body_struct(body)
    data = b.stack_slot(struct, 1, 64)
    fields = [f.context, *f.components(call.operands[1:])]
    for index, value in enumerate(fields):
        b.store(value, b.field(data, index, struct), 8)
    f.needs.add(PARALLEL)
    tasks = f.get(op.upperBound[0])
    operands = (f.context, b.address_of(name), data, tasks)
    f.return_unless_zero(b.call(PARALLEL, operands, i32))


HANDLERS: dict[str, Handler] = {
    "func.call": lower_call,
    "scf.for": lower_for,
    "scf.if": lower_if,
    "scf.index_switch": lower_index_switch,
    "scf.parallel": lower_parallel,
    "scf.while": lower_while,
}
