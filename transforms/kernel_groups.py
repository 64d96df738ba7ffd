"""Which ops of a block form one kernel: the predicates of `form-kernels`.

A group walks one outer space. Its ops are generics whose first dims are that space, parallel, and
a value that one makes and another reads has these dims first in both maps: so a place of the outer
space needs only what was made at the same place, and temporaries have inner extent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import linalg
from lamina.dialects.generics import (
    Size,
    captured,
    is_contraction,
    is_elementwise,
    is_identity,
    is_parallel,
    maps_of,
    parallel_prefix,
    prefix,
    space_of,
    static_elements,
)

LONG_ROW = 64
"""Elements of a row that is worth vectors of its own."""
SMALL = 1 << 16
"""Elements up to which ops with no common outer space still form one kernel, on one thread."""


@dataclass(eq=False)
class Group:
    """Ops that become one kernel. `outer` is the common outer space so far; what depends on the
    group has a higher level. `small`: all of its spaces are (see `is_small`)."""

    level: int
    outer: tuple[Size, ...]
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])
    contraction: linalg.GenericOp | None = None
    closed: bool = False
    small: bool = True
    merged_into: Group | None = None

    def root(self) -> Group:
        """The group that this one was merged into, or itself."""
        group = self
        while group.merged_into is not None:
            group = group.merged_into
        return group


def common(left: tuple[Size, ...], right: tuple[Size, ...]) -> tuple[Size, ...]:
    """The longest common start of two spaces."""
    count = 0
    while count < min(len(left), len(right)) and left[count] == right[count]:
        count += 1
    return left[:count]


def is_small(op: linalg.GenericOp) -> bool:
    """Whether a generic has few points, known to be few."""
    points = static_elements(space_of(op))
    return points is not None and points <= SMALL


def made_by(value: SSAValue, group: Group) -> bool:
    """Whether an op of `group` makes `value`."""
    return isinstance(value.owner, Operation) and value.owner in group.ops


def outer_with(op: linalg.GenericOp, group: Group) -> tuple[Size, ...]:
    """The outer space that `group` would have with `op` in it."""
    outer = common(group.outer, space_of(op)[: parallel_prefix(op)])
    inputs = len(op.inputs)
    for value, affine_map in zip(op.inputs, maps_of(op)[:inputs], strict=True):
        if made_by(value, group):
            outer = outer[: prefix(affine_map)]
    for affine_map in maps_of(op)[inputs:]:
        outer = outer[: prefix(affine_map)]
    if any(made_by(value, group) for value in captured(op)):
        return ()
    return outer


def why_apart(op: linalg.GenericOp, group: Group) -> str | None:
    """Why `op`, which reads a value of `group`, cannot be in the same kernel."""
    if group.closed:
        return "the kernel's contraction already has its epilogue"
    if is_contraction(op):
        return "a contraction starts a kernel"
    if group.contraction is not None:
        return why_no_epilogue(op, group)
    outer = outer_with(op, group)
    if outer:
        return None
    if group.small and is_small(op):
        return None
    return "there is no common outer space"


def why_no_epilogue(op: linalg.GenericOp, group: Group) -> str | None:
    """Why `op` cannot be computed while the tile of `group`'s contraction is in registers."""
    assert group.contraction is not None
    result = group.contraction.results[0]
    if not is_elementwise(op):
        return "the reader of a contraction is not elementwise"
    if any(use.operation is not op for use in result.uses):
        return "the contraction has other readers"
    for value, affine_map in zip(op.inputs, maps_of(op), strict=False):
        if value is result and not is_identity(affine_map):
            return "the contraction is read at another place"
    return None


def start_of(op: linalg.GenericOp) -> tuple[Size, ...]:
    """The outer space of a kernel of `op` alone: its leading parallel dims."""
    if not is_parallel(op):
        return space_of(op)[: parallel_prefix(op)]
    return space_of(op)


def destinations(op: Operation) -> list[Operation]:
    """The ops that make what `op` writes into: fills, new tensors, and a padded copy that a
    contraction reads. They belong to its kernel."""
    found: list[Operation] = []
    if not isinstance(op, linalg.GenericOp | linalg.FillOp):
        return found
    for out in op.outputs:
        if isinstance(out.owner, linalg.FillOp):
            found += [*destinations(out.owner), out.owner]
        elif isinstance(out.owner, tensor.EmptyOp):
            found.append(out.owner)
    return found


def padding_of(op: linalg.GenericOp) -> list[Operation]:
    """The ops that pad an input of a contraction or of an elementwise op, when nobody else reads
    the padded tensor: its kernel reads through the frame."""
    found: list[Operation] = []
    if is_contraction(op):
        return _frame(op, op.inputs[0]) if op.inputs[0].has_one_use() else []
    if is_elementwise(op):
        for value in dict.fromkeys(op.inputs):
            found += _frame(op, value) if _gains(op, value) else []
    return found


def _gains(op: linalg.GenericOp, value: SSAValue) -> bool:
    """Whether an elementwise op should read through the frame of `value`. Rows that are read at
    their own place are one long row once they are laid out: short ones are better so."""
    maps = [m for v, m in zip(op.inputs, maps_of(op), strict=False) if v is value]
    shape = cast("TensorType[Attribute]", value.type).get_shape()
    plain = all(m.is_projected_permutation() for m in maps)
    return not plain or bool(shape and shape[-1] >= LONG_ROW)


def _frame(op: linalg.GenericOp, value: SSAValue) -> list[Operation]:
    """The ops that put another tensor into a filled one, at a static place, for `op` alone."""
    source = value.owner
    if not isinstance(source, tensor.InsertSliceOp) or any(
        use.operation is not op for use in value.uses
    ):
        return []
    into = source.dest.owner
    if not isinstance(into, linalg.FillOp) or not into.results[0].has_one_use():
        return []
    strides = source.static_strides.get_values()
    if source.offsets or any(stride != 1 for stride in strides):
        return []
    return [*destinations(into), into, source]
