"""Effects in drawn programs: `nd.check` of a fact that holds for the drawn numbers, `nd.print`."""

from __future__ import annotations

import numpy as np
from op_table import REDUCTIONS, ROWS
from program_ops import Drawing, Value
from xdsl.dialects import tensor
from xdsl.dialects.builtin import StringAttr, i1
from xdsl.ir import Operation, SSAValue

from lamina.dialects import scf
from lamina.dialects.nd.effects import CheckOp, FailOp, PrintOp
from lamina.dialects.nd.elementwise import BitwiseInvertOp
from lamina.interpreters.types import BOOL, COMPLEX, INT64

ERRORS = ("DomainError", "IndexRangeError", "ShapeError")


def fact(d: Drawing) -> tuple[Value, list[SSAValue]]:
    """A 0-d bool that is true: an exact value has its largest element, or an i1 holds; and what to
    show of it."""
    x = d.pick(lambda v: v.bound is None and bool(v.array.size) and v.dtype not in COMPLEX)
    axes = {"axes": tuple(range(x.array.ndim))}
    if x.dtype == BOOL:
        kind = "or" if x.array.any() else "and"
        flag = d.emit(REDUCTIONS[kind], (x,), {"kind": kind, **axes})
        shown: list[SSAValue] = []
        if kind == "and":
            flag = d.emit(ROWS["bitwise_invert"], (flag,), {})
    else:
        most = d.emit(REDUCTIONS["max"], (x,), {"kind": "max", **axes})
        same = bool((most.array == most.array).all())  # not for NaN
        limit = d.constant(most.array)
        flag = d.emit(ROWS["equal" if same else "not_equal"], (most, limit), {})
        shown = [most.ssa] if x.dtype == INT64 else []
    return flag, shown


def draw_check(d: Drawing) -> None:
    """Append a check that holds."""
    flag, shown = fact(d)
    number = sum(op.name == "nd.check" for op in d.block.ops)
    message = f"check {number} in {d.chance(0.5)}" + ": found {}" * len(shown)
    op = CheckOp.create(
        operands=[flag.ssa, *shown],
        properties={
            "error": StringAttr(ERRORS[int(d.rng.integers(len(ERRORS)))]),
            "message": StringAttr(message),
        },
    )
    d.add(op)


def draw_fail(d: Drawing) -> None:
    """Append a branch that is not taken, and would end the program."""
    flag, _ = fact(d)
    shown = d.pick(lambda v: v.bound is None)
    turned = d.emit(ROWS["bitwise_invert"], (flag,), {})
    taken = tensor.ExtractOp.create(operands=[turned.ssa], result_types=[i1])
    stop = FailOp.create(
        operands=[shown.ssa],
        properties={"error": StringAttr("CheckError"), "format": StringAttr("found {}")},
    )
    d.add(taken)
    d.add(scf.IfOp(taken.results[0], [], [stop, scf.YieldOp()], [scf.YieldOp()]))


def draw_print(d: Drawing) -> None:
    """Append a print of one to three exact values: their text is the same in every run."""
    shown = [d.pick(lambda v: v.bound is None) for _ in range(int(d.rng.integers(1, 4)))]
    number = sum(op.name == "nd.print" for op in d.block.ops)
    d.add(
        PrintOp.create(
            operands=[v.ssa for v in shown],
            properties={"format": StringAttr(f"{{{{{number}}}}}" + " {}" * len(shown))},
        )
    )


def has_effects(module: Operation) -> bool:
    """Whether there are checks or prints in an op."""
    return any(isinstance(op, CheckOp | FailOp | PrintOp) for op in module.walk())


def checks_of(module: Operation) -> list[CheckOp]:
    """The checks of a program, those of regions too."""
    return [op for op in module.walk() if isinstance(op, CheckOp)]


def turn(op: CheckOp) -> None:
    """Let a check ask for the opposite."""
    turned = BitwiseInvertOp.create(
        operands=[op.condition], result_types=[op.condition.type], location=op.location
    )
    block = op.parent
    assert block is not None
    block.insert_op_before(turned, op)
    op.operands = [turned.results[0], *op.values]


def turn_some(module: Operation, rng: np.random.Generator) -> None:
    """Turn one check of the program, or two."""
    found = checks_of(module)
    for place in rng.permutation(len(found))[: int(rng.integers(1, 3))]:
        turn(found[int(place)])
