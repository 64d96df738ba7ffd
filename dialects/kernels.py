"""What a kernel is: a private function with a body, called by `main`."""

from __future__ import annotations

from typing_extensions import TypeIs
from xdsl.dialects import func
from xdsl.ir import Operation


def is_kernel(op: Operation | None) -> TypeIs[func.FuncOp]:
    """Whether `op` is a private function with a body."""
    if not isinstance(op, func.FuncOp) or op.is_declaration:
        return False
    return op.sym_visibility is not None and op.sym_visibility.data == "private"
