"""The function behind `func.call @lamina_poll(weight)`: a rare look at the outside world."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr, i32, i64
from xdsl.ir import Block, Region, SSAValue

from lamina.dialects import llvm
from lamina.lowering.to_llvm.builder import NO_OVERFLOW, Builder
from lamina.lowering.to_llvm.state import CONTEXT, POLL
from lamina.lowering.to_llvm.types import PTR

NAME = "lamina_poll"
WORK = 1024  # units of weight between two looks at the clock
NANOSECONDS = 10_000_000  # between two polls
CLOCK = "clock_gettime"
CLOCK_TYPE = llvm.LLVMFunctionType([i32, PTR], i32)
MONOTONIC = 1  # Linux's number of the clock that nobody sets
STATE_WORDS = 4


def poll_function(location: LocationAttr) -> llvm.FuncOp:
    """`i32 @lamina_poll(ptr context, ptr state, i64 weight)`.

    state: {work since the clock was last read, the time of the last poll or 0, seconds and
    nanoseconds of the clock}. Calls the poll function of the context, when there is one, and
    returns its status; else returns 0.
    """
    type = llvm.LLVMFunctionType([PTR, PTR, i64], i32)
    entry = Block(arg_types=type.inputs.data)
    for arg in entry.args:
        arg.location = location
    b = Builder(entry, location)
    context, state, weight = entry.args
    done = b.new_block(i32)
    zero, success = b.integer(0), b.integer(0, i32)

    def go_on_if(predicate: str, left: SSAValue, right: SSAValue) -> None:
        following = b.new_block()
        condition = b.compare(predicate, left, right)
        b.branch_if(condition, following, (), done, (success,))
        b.start(following)

    work = b.emit(llvm.AddOp, (b.load(state, i64, 8), weight), i64, NO_OVERFLOW)
    b.store(work, state, 8)
    go_on_if("sge", work, b.integer(WORK))
    b.store(zero, state, 8)
    function = b.load(b.field(context, POLL, CONTEXT), PTR, 8)
    go_on_if("ne", function, b.null())
    last = b.element(state, 1, i64)
    seconds, nanoseconds = b.element(state, 2, i64), b.element(state, 3, i64)
    b.call(CLOCK, (b.integer(MONOTONIC, i32), seconds), i32)
    whole = b.value(b.mul(b.load(seconds, i64, 8), 1_000_000_000))
    now = b.emit(llvm.AddOp, (whole, b.load(nanoseconds, i64, 8)), i64, NO_OVERFLOW)
    previous = b.load(last, i64, 8)
    passed = b.emit(llvm.SubOp, (now, previous), i64, NO_OVERFLOW)
    go_on_if("ugt", passed, b.integer(NANOSECONDS))
    b.store(now, last, 8)
    go_on_if("ne", previous, zero)  # the first look only starts the clock
    b.branch(done, (b.call_pointer(function, (context,), i32),))
    b.start(done)
    b.effect(llvm.ReturnOp, done.args)
    func = llvm.FuncOp(NAME, type, llvm.LinkageAttr("internal"), body=Region(b.finish()))
    func.location = location
    return func
