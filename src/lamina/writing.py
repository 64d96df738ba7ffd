"""Arguments that a jitted function writes: their new values are computed in their own memory."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from lamina.dialects.donors import DONORS
from lamina.frontend.trace import Trace
from lamina.options import CompileOptions

FAILING = frozenset(("nd.check", "nd.fail", "nd.print", "nd.custom_call"))
"""Ops that may end a program."""


def note_written(trace: Trace, options: CompileOptions) -> Trace:
    """The program, its written arguments noted as donors of their new values.

    Where it may fail, or arguments share memory, nothing is noted: the caller writes them back, so
    that a call that raises leaves them as they were.
    """
    if not trace.written or trace.aliases or options.nans or may_fail(trace):
        return trace
    (main,) = (op for op in trace.module.ops if isinstance(op, FuncOp))
    count = len(main.function_type.outputs)
    written = zip(range(count - len(trace.written), count), trace.written, strict=True)
    donors = trace.donors | dict(written)
    noted = [donors.get(result, -1) for result in range(count)]
    main.attributes[DONORS] = DenseArrayBase.from_list(i64, noted)
    return trace


def may_fail(trace: Trace) -> bool:
    """Whether a run of the program may raise: it has a check, or sizes that a run compares."""
    return bool(trace.axes) or any(
        op.name in FAILING or any(has_dynamic_size(result.type) for result in op.results)
        for op in trace.module.walk()
    )


def has_dynamic_size(type: Attribute) -> bool:
    """Whether a tensor has a size that only a run knows."""
    return isinstance(type, TensorType) and DYNAMIC_INDEX in type.get_shape()
