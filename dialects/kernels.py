"""What a kernel is: a private function with a body, called by `main`; marks on loops in kernels."""

from __future__ import annotations

from typing_extensions import TypeIs
from xdsl.dialects import func
from xdsl.ir import Operation

PARALLEL = "lamina.parallel"
"""Attribute of a loop whose iterations are independent: the work of one, in additions."""
VECTOR = "lamina.vector"
"""Attribute of a loop over lanes: its iterations become one, on vectors."""
LONG = "lamina.poll"
"""Attribute of a loop that may run for long: it gives others a chance to interrupt it."""

CHUNK = "lamina.chunk"
"""Attribute of a loop that is a piece of the loop around it, between two of those chances."""


def is_kernel(op: Operation | None) -> TypeIs[func.FuncOp]:
    """Whether `op` is a private function with a body."""
    if not isinstance(op, func.FuncOp) or op.is_declaration:
        return False
    return op.sym_visibility is not None and op.sym_visibility.data == "private"
