"""Chunks of lit files as modules: what tests of predicates look at."""

from __future__ import annotations

from pathlib import Path

from lit_runs import LIT
from xdsl.dialects import func
from xdsl.ir import Operation

from lamina.dialects import linalg
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.tools.opt import split_chunks


def functions(file: Path) -> dict[str, func.FuncOp]:
    """The functions of a lit file, by name."""
    found: dict[str, func.FuncOp] = {}
    for chunk in split_chunks(file.read_text()):
        module = parse_module(make_context(), chunk.text, file.name)
        for op in list(module.ops):
            if isinstance(op, func.FuncOp):
                found[op.sym_name.data] = op
    return found


def lit_functions(name: str) -> dict[str, func.FuncOp]:
    """The functions of the lit file of a pass in `transforms`."""
    return functions(LIT / "transforms" / f"{name}.mlir")


def generics_of(function: Operation) -> list[linalg.GenericOp]:
    """The generics of a function, in order."""
    return [op for op in function.walk() if isinstance(op, linalg.GenericOp)]


def generics(text: str) -> list[linalg.GenericOp]:
    """The generics of a module's text, in order."""
    return generics_of(parse_module(make_context(), text, "<test>"))
