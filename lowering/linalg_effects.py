"""`nd-to-linalg`: ops with effects become calls, which `convert-to-llvm` expands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import SymbolRefAttr, TensorType, UnitAttr, i1, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import checks, foreign
from lamina.dialects.kernels import is_kernel
from lamina.dialects.locations import place_of
from lamina.dialects.nd.base import element_of, shape_of
from lamina.dialects.nd.effects import CheckOp, CustomCallOp, FailOp, ForeignOp, PrintOp
from lamina.errors import LoweringError
from lamina.lowering.linalg_builder import Functions, LinalgBuilder, Rule, memory_element


def refuse_kernels(op: Operation) -> None:
    """Raise for an effect in a private function: no `main` could tell which of its calls failed."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        parent = parent.parent_op()
    if is_kernel(parent):
        raise LoweringError(
            f"nd-to-linalg: expected {op.name} in a public function, found a private one",
            place=place_of(op.location),
        )


def lower_check(
    b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """The call of a check."""
    assert isinstance(op, CheckOp)
    refuse_kernels(op)
    condition, *values = operands
    flag = b.value(tensor.ExtractOp, (condition,), i8)
    holds = b.cmpi("ne", flag, b.number(0, i8))
    shown = [b.value(tensor.ExtractOp, (value,), i64) for value in values]
    shown += [b.number(0, i64)] * (checks.MOST_VALUES - len(shown))
    if checks.FUNCTION not in b.functions.taken:
        b.functions.taken.add(checks.FUNCTION)
        declared = func.FuncOp.external(checks.FUNCTION, [i1, i64, i64, i64], [])
        declared.location = op.location
        b.functions.made[(checks.FUNCTION,)] = declared
    b.add(
        func.CallOp,
        (holds, b.number(_next_number(b.functions), i64), *shown),
        properties={"callee": SymbolRefAttr(checks.FUNCTION)},
        attributes={checks.NOTE: checks.note(op.error.data, op.message.data)},
    )
    return ()


def _next_number(functions: Functions) -> int:
    """A number that no other check or foreign call of the module has."""
    functions.checks += 1
    return functions.checks - 1


def lower_text(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """The call that prints or raises."""
    assert isinstance(op, PrintOp | FailOp)
    error = op.error.data if isinstance(op, FailOp) else None
    note = foreign.text_note(foreign.Text(op.format.data, _shown_types(op), error))
    return _call(b, op, foreign.PRINT, operands, (), {foreign.TEXT: note})


def _shown_types(op: ForeignOp) -> list[Attribute]:
    """The operands' types, of complex numbers where they are held as pairs."""
    pairs = op.pairs()
    return [
        TensorType(foreign.complex_of(element_of(value)), shape_of(value)[:-1])
        if number in pairs
        else value.type
        for number, value in enumerate(op.operands)
    ]


def lower_custom_call(
    b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """The call of a C function, in destination style."""
    assert isinstance(op, CustomCallOp)
    symbol = op.symbol.data
    message = f"custom_call: {symbol}: expected status 0, found {{}}"
    notes = {
        checks.NOTE: checks.note("LaminaError", message),
        foreign.CUSTOM: foreign.custom_note(symbol, op.interleaved, op.pure is not None),
    }
    outs = [b.empty(shape_of(result), memory_element(element_of(result))) for result in op.results]
    return _call(b, op, foreign.CUSTOM_CALL, operands, outs, notes)


def _call(
    b: LinalgBuilder,
    op: Operation,
    label: str,
    inputs: Sequence[SSAValue],
    outs: Sequence[SSAValue],
    notes: Mapping[str, Attribute],
) -> Sequence[SSAValue]:
    """A call with a number of its own, of a declared function of these types."""
    refuse_kernels(op)
    operands = (b.number(_next_number(b.functions), i64), *inputs, *outs)
    types, results = tuple(v.type for v in operands), tuple(v.type for v in outs)
    key = (label, types, results)
    function = b.functions.made.get(key)
    if function is None:
        function = func.FuncOp.external(b.functions.name(label), types, results)
        function.location = op.location
        function.attributes[_declares(label)] = UnitAttr()
        b.functions.made[key] = function
    call = b.add(
        func.CallOp, operands, results, {"callee": SymbolRefAttr(function.sym_name)}, (), notes
    )
    for result, out in zip(call.results, outs, strict=True):
        b.known(result, b.sizes_of(out))
    return call.results


def _declares(label: str) -> str:
    return foreign.TEXT if label == foreign.PRINT else foreign.CUSTOM


RULES: dict[type[Operation], Rule] = {
    CheckOp: lower_check,
    PrintOp: lower_text,
    FailOp: lower_text,
    CustomCallOp: lower_custom_call,
}
