"""Calls of code that is not ours: printed and raised texts, and C functions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects import checks, llvm
from lamina.dialects.foreign import CUSTOM_CALL, PRINT, TEXT, pairs_of, symbol_of
from lamina.dialects.type_tests import is_memref
from lamina.lowering.to_llvm.state import (
    ERROR_ID,
    ERROR_INDEX,
    ERROR_VALUE,
    STATUS_CHECK,
    FunctionLowering,
    Number,
    fail,
)
from lamina.lowering.to_llvm.types import PTR

TEXT_TYPE = llvm.LLVMFunctionType([PTR, PTR], i32)


def cell_of(symbol: str) -> str:
    """The global that holds the address of a C function: the loader has it."""
    return f"{CUSTOM_CALL}_{symbol}"


def lower_foreign(f: FunctionLowering, op: Operation) -> None:
    """func.call with the attribute `lamina.text` or `lamina.custom_call`."""
    number, *values = op.operands
    if not all(is_memref(value.type) for value in values) or number.type != i64:
        fail(op, "expected a number as i64, then buffers")
    if TEXT in op.attributes:
        lower_text(f, op, number, values)
    elif (symbol := symbol_of(op)) is not None:
        lower_custom_call(f, op, symbol, values)
    else:
        fail(op, 'expected lamina.custom_call = {symbol = "name"}')


def lower_text(
    f: FunctionLowering, op: Operation, number: SSAValue, values: Sequence[SSAValue]
) -> None:
    """i32 @lamina_print(context, words): the call's number, then what stands for each value."""
    b = f.b
    words = [f.get(number), *f.components(values)]
    slot = b.stack_slot(i64, len(words))
    noted = {TEXT: op.attributes[TEXT]}  # goes to the store of the number
    for index, word in enumerate(words):
        b.store(word, b.element(slot, index, i64), 8, {} if index else noted)
    f.needs.add(PRINT)
    f.return_unless_zero(b.call(PRINT, (f.context, slot), i32))


def lower_custom_call(
    f: FunctionLowering, op: Operation, symbol: str, values: Sequence[SSAValue]
) -> None:
    """i32 f(pointers, sizes), by the address in the function's cell; a status other than 0 is
    the failure of a check."""
    b = f.b
    pairs = pairs_of(op)
    sizes: list[Number] = []
    for number, value in enumerate(values):
        own = f.buffers[value].sizes
        sizes += own[:-1] if number in pairs else own
    slot = b.stack_slot(i64, max(1, len(sizes)))
    for index, size in enumerate(sizes):
        b.store(b.value(size), b.element(slot, index, i64), 8)
    f.cells[symbol] = op
    function = b.load(b.address_of(cell_of(symbol)), PTR, 8)
    pointers = [f.buffers[value].pointer for value in values]
    status = b.call_pointer(function, (*pointers, slot), i32)
    failed, following = b.new_block(), b.new_block()
    zero = b.integer(0, i32)
    b.branch_if(b.compare("ne", status, zero), failed, (), following, ())
    b.start(failed)
    found = b.emit(llvm.SExtOp, (status,), i64)
    noted = {k: v for k, v in op.attributes.items() if k == checks.NOTE}
    for field, value in (
        (ERROR_ID, f.get(op.operands[0])),
        (ERROR_INDEX, found),
        (ERROR_VALUE, b.integer(0)),
    ):
        b.store(value, f.context_field(field), 8, noted)
        noted = {}
    b.branch(f.exit_block(), (b.integer(STATUS_CHECK, i32),))
    b.start(following)
