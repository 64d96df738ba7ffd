"""Lines of checks: the user's line of a check, then those of the kernels that computed its
condition, which the failing number may come from.

A check is of `main`, and its own line is exact. What it looks at is computed in kernels, in which
other lines are too; a kernel of 0-d values is looked through to the kernels that made them.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.checks import is_check
from lamina.dialects.locations import fuse_locations
from lamina.dialects.nd.base import shape_of


def kernels_behind(condition: SSAValue) -> list[func.CallOp]:
    """The calls that a scalar is computed from, through scalars and 0-d tensors only."""
    found: dict[func.CallOp, None] = {}
    waiting = [condition]
    seen: set[Operation] = set()
    while waiting:
        owner = waiting.pop().owner
        if not isinstance(owner, Operation) or owner in seen:
            continue
        seen.add(owner)
        if isinstance(owner, func.CallOp):
            found[owner] = None
        waiting += _scalars(owner)
    return list(found)


def _scalars(op: Operation) -> Iterator[SSAValue]:
    for operand in op.operands:
        if not isinstance(operand.type, TensorType) or not shape_of(operand):
            yield operand


def locate_checks(module: ModuleOp) -> None:
    """Add the lines of kernels to the location of each check."""
    for op in module.walk():
        if is_check(op):
            calls = kernels_behind(op.operands[0])
            locations = [op.location, *(call.location for call in calls)]
            op.location = fuse_locations(locations)  # pyright: ignore[reportAttributeAccessIssue]
