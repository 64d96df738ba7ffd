"""Bodies that read memory at computed places: what of them does not change along the lanes.

A gather of rows computes the row's index once, then copies the row in vectors (rows.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue, Use

from lamina.dialects import arith, linalg, memref
from lamina.dialects.generics import body_of
from lamina.lowering.loops.body import (
    BodyCloner,
    index_of,
    plain_ops,
    reads_memory,
    reads_neighbours,
)
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.stage import Walk


@dataclass(frozen=True)
class AlongLanes:
    """Values of a body: those that are the same along the last dim, and indices of that dim that
    only say where a vector begins. Empty for a body that reads no computed place; constants are
    in neither: they are made where they are used."""

    same: tuple[SSAValue, ...] = ()
    starts: tuple[SSAValue, ...] = ()

    @property
    def never_vectors(self) -> set[SSAValue]:
        """Both."""
        return {*self.same, *self.starts}


def along_lanes(walk: Walk) -> AlongLanes:
    """What does not change along the last dim of a stage."""
    op = walk.stage.op
    if not isinstance(op, linalg.GenericOp) or not reads_memory(op) or not walk.groups:
        return AlongLanes()
    last, dim = len(walk.groups) - 1, walk.groups[-1][0]
    inputs = zip(body_of(op).args, walk.inputs, strict=False)
    same: list[SSAValue] = [arg for arg, access in inputs if not access.depends_on(last)]
    changed: set[SSAValue] = {arg for arg in body_of(op).args if arg not in same}
    for inner in plain_ops(op):
        if isinstance(inner, arith.ConstantOp):
            continue
        along = isinstance(inner, linalg.IndexOp) and index_of(inner) == dim
        if along or inner.regions or any(operand in changed for operand in inner.operands):
            changed.update(inner.results)
        else:
            same += inner.results
    starts = [
        inner.results[0]
        for inner in plain_ops(op)
        if isinstance(inner, linalg.IndexOp)
        and index_of(inner) == dim
        and all(_starts_vector(use, dim, changed) for use in inner.results[0].uses)
    ]
    return AlongLanes(tuple(same), tuple(starts))


def _starts_vector(use: Use, dim: int, changed: set[SSAValue]) -> bool:
    """Whether an index of the lanes' dim is the last index of a load whose others are the same
    for all lanes."""
    op = use.operation
    return (
        isinstance(op, memref.LoadOp)
        and use.index == len(op.operands) - 1
        and reads_neighbours(op, dim)
        and not any(index in changed for index in op.indices[:-1])
    )


def row_scalars(
    b: LoopBuilder, walk: Walk, places: Sequence[Size], values: Sequence[SSAValue]
) -> dict[SSAValue, SSAValue]:
    """The `same` values of a row at `places` (all dims but the last), computed once."""
    op = walk.stage.op
    if not values:
        return {}
    assert isinstance(op, linalg.GenericOp)
    dims = [*places, 0]
    wanted = set(values)
    known: dict[SSAValue, SSAValue] = {
        arg: access.load(b, dims)
        for arg, access in zip(body_of(op).args, walk.inputs, strict=False)
        if arg in wanted and arg.uses
    }
    cloner = BodyCloner(b, known, 0, walk.original_dims(dims), None)
    cloner.run(
        [o for o in plain_ops(op) if isinstance(o, arith.ConstantOp) or wanted & {*o.results}]
    )
    return {value: cloner.values[value] for value in values if value in cloner.values}
