"""Bodies that read memory at computed places: what of them does not change along the lanes.

A gather of rows computes the row's index once, then copies the row in vectors. The rows of a large
buffer lie anywhere in it, so that no hardware foresees them: while one is copied, the one that is
`ahead_of` it is asked for (1.2 to 1.5 times faster where the buffer is larger than the L2 cache).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, BoolAttr, IntegerAttr, MemRefType, i32
from xdsl.ir import Attribute, SSAValue, Use

from lamina.dialects import arith, linalg, memref
from lamina.dialects.generics import body_of
from lamina.dialects.sizes import byte_size
from lamina.lowering.buffer_types import memref_type
from lamina.lowering.loops.body import (
    BodyCloner,
    index_of,
    plain_ops,
    reads_memory,
    reads_neighbours,
)
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.stage import Walk

LINE = 64
"""Bytes of a cache line."""
LARGE = 1 << 20
"""Bytes of a buffer whose rows are asked for ahead; a smaller one stays in the L2 cache."""
LONGEST_ROW, MOST_AHEAD = 1024, 16
"""Bytes of a row, and rows, that are asked for ahead; in longer rows hardware foresees the rest."""


PREFETCH: dict[str, Attribute] = {
    "isWrite": BoolAttr.from_bool(False),
    "localityHint": IntegerAttr(3, i32),
    "isDataCache": BoolAttr.from_bool(True),
}


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


def ahead_of(row_bytes: int) -> int:
    """How many rows lie between the one that is read and the one that is asked for: up to 4 KiB."""
    return min(MOST_AHEAD, 4 * LONGEST_ROW // row_bytes)


def row_bytes(walk: Walk, load: memref.LoadOp) -> int | None:
    """The bytes that a load reads along the last dim, where rows of that size are asked for."""
    lanes = walk.sizes[-1]
    size = lanes * byte_size(load.res.type) if isinstance(lanes, int) else 0
    return size if LINE <= size <= LONGEST_ROW else None


def is_large(type: MemRefType) -> bool:
    """Whether a buffer is large, or of a size that is not known."""
    shape = type.get_shape()
    return DYNAMIC_INDEX in shape or prod(shape) * byte_size(type.element_type) > LARGE


def reads_rows_anywhere(walk: Walk, known: AlongLanes, load: memref.LoadOp) -> bool:
    """Whether a load of a body reads whole rows of a large buffer at a computed place."""
    *places, last = load.indices
    return (
        last in known.starts
        and all(place in known.same for place in places)
        and not all(isinstance(place.owner, linalg.IndexOp) for place in places)
        and is_large(memref_type(load.memref))
    )


def prefetch_rows(b: LoopBuilder, walk: Walk, places: Sequence[Size], known: AlongLanes) -> bool:
    """Ask for the rows that will be read some trips later along the last dim but one; whether there
    are any."""
    found = False
    if not places or not known.starts:
        return found
    count = walk.sizes[len(places) - 1]
    for load in plain_ops(walk.stage.op):
        if not isinstance(load, memref.LoadOp) or not reads_rows_anywhere(walk, known, load):
            continue
        size = row_bytes(walk, load)
        if size is None or (isinstance(count, int) and count <= ahead_of(size)):
            continue
        later = b.calc("minu", b.calc("add", places[-1], ahead_of(size)), b.calc("sub", count, 1))
        scalars = row_scalars(b, walk, [*places[:-1], later], known.same)
        row = [scalars[index] for index in load.indices[:-1]]
        for start in range(0, size, LINE):
            at = b.index(start // byte_size(load.res.type))
            b.add(memref.PrefetchOp, (load.memref, *row, at), (), PREFETCH)
        found = True
    return found
