"""Stages whose dims are all parallel: vectors along the last dim, then a scalar tail."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from lamina.dialects import linalg, vector
from lamina.dialects.generics import body_of
from lamina.lowering.builder import vector_of
from lamina.lowering.loops.body import BodyCloner, plain_ops, yielded
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.stage import Walk, lanes_of, vectorizable

Range = tuple[Size, Size]


def emit_elementwise(
    b: LoopBuilder, walk: Walk, outer: Sequence[SSAValue], last: Range | None = None
) -> None:
    """The loops over the dims after `outer`; `last` bounds the last dim (default: all of it)."""
    rank = len(walk.sizes)
    if len(outer) == rank:
        emit_point(b, walk, list(outer), 0)
        return
    middle = walk.sizes[len(outer) : rank - 1]
    bounds = last or (0, walk.sizes[-1])

    def row(inner: LoopBuilder, places: list[SSAValue]) -> None:
        emit_row(inner, walk, [*outer, *places], bounds)

    b.nest(middle, row)


def emit_row(b: LoopBuilder, walk: Walk, places: Sequence[Size], bounds: Range) -> None:
    """The last dim: whole vectors, then single elements."""
    lower, upper = bounds
    dim = len(walk.sizes) - 1
    split, lanes = b.whole_vectors(lower, upper, lanes_of(walk) if vectorizable(walk, dim) else 0)
    if lanes:

        def vectors(
            inner: LoopBuilder, place: SSAValue, _: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            emit_point(inner, walk, [*places, place], lanes)
            return ()

        b.for_(lower, split, lanes, (), vectors)

    def single(inner: LoopBuilder, place: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        emit_point(inner, walk, [*places, place], 0)
        return ()

    b.for_(split, upper, 1, (), single)


def emit_point(b: LoopBuilder, walk: Walk, dims: Sequence[Size], lanes: int) -> None:
    """The body at one place (`lanes` 0), or at `lanes` places along the last dim."""
    op, last = walk.stage.op, len(walk.sizes) - 1
    if isinstance(op, linalg.FillOp):
        value = op.inputs[0]
        if lanes:
            value = b.value(vector.BroadcastOp, (value,), vector_of(value.type, lanes))
        store(b, walk, [value], dims, lanes)
        return
    args = body_of(op).args
    values: dict[SSAValue, SSAValue] = {}
    for arg, access in zip(args, walk.accesses, strict=True):
        if arg.uses:
            values[arg] = (
                access.load_vector(b, dims, last, lanes) if lanes else access.load(b, dims)
            )
    lane_dim = walk.groups[-1][0] if walk.groups else None
    cloner = BodyCloner(b, values, lanes, walk.original_dims(dims), lane_dim)
    cloner.run(plain_ops(op))
    store(b, walk, [cloner.operand(b, v) for v in yielded(op)], dims, lanes)


def store(
    b: LoopBuilder, walk: Walk, values: Sequence[SSAValue], dims: Sequence[Size], lanes: int
) -> None:
    """Write the results of a point."""
    for access, value in zip(walk.outputs, values, strict=True):
        if lanes:
            access.store_vector(b, value, dims)
        else:
            access.store(b, value, dims)
