"""Stages whose dims are all parallel: vectors along the last dim, then a scalar tail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from lamina.dialects import linalg, vector
from lamina.dialects.generics import body_of
from lamina.lowering.builder import vector_of
from lamina.lowering.loops.body import BodyCloner, plain_ops, yielded
from lamina.lowering.loops.computed import along_lanes, row_scalars
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.padding import Framed
from lamina.lowering.loops.rows import prefetch_rows, short_row, write_out
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
    known = along_lanes(walk)
    lanes = lanes_of(walk, known.never_vectors) if vectorizable(walk, dim) else 0
    start, end = interior(b, walk, bounds) if lanes else bounds
    lanes = lanes_for(walk, start, end, lanes)
    split, lanes = b.whole_vectors(start, end, lanes)
    ahead = prefetch_rows(b, walk, places, known)
    scalars = row_scalars(b, walk, places, known.same)
    if lanes:

        def vectors(
            inner: LoopBuilder, place: SSAValue, _: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            emit_point(inner, walk, [*places, place], lanes, scalars)
            return ()

        def streamed(inner: LoopBuilder, place: SSAValue, streams: bool) -> None:
            emit_point(inner, walk, [*places, place], lanes, scalars, streams=streams)

        short = short_row(walk, known, start, split, lanes) if ahead else None
        if short is None:
            b.for_(start, split, lanes, (), vectors)
        else:
            write_out(b, walk, short, streamed)
        if reads_windows(walk) and isinstance(end, int) and isinstance(split, int) and split < end:
            vectors(b, b.index(end - lanes), ())
            split = end

    def single(inner: LoopBuilder, place: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        emit_point(inner, walk, [*places, place], 0, scalars)
        return ()

    if start is not lower and lanes:
        b.for_(lower, start, 1, (), single)
    b.for_(split if lanes else lower, upper, 1, (), single)


def interior(b: LoopBuilder, walk: Walk, bounds: Range) -> Range:
    """The part of the last dim in which no access leaves its source along it."""
    (lower, upper), dim = bounds, len(walk.sizes) - 1
    start, end = lower, upper
    for access in walk.inputs:
        inside = access.interior(b, dim) if isinstance(access, Framed) else None
        if inside is not None:
            start = b.calc("maxs", start, inside[0])
            end = b.calc("minu", end, inside[1])
    if (start, end) == (lower, upper):
        return bounds
    start = b.calc("minu", start, upper)
    return start, b.calc("maxs", start, end)


def reads_windows(walk: Walk) -> bool:
    """Whether some input is read elsewhere than the result is written. A result is then no input's
    memory, and may be written twice: the last vector of a row may overlap the one before."""
    return any(
        not isinstance(expr, AffineDimExpr | AffineConstantExpr)
        for access in walk.inputs
        for expr in access.exprs
    ) and not any(arg.uses for arg in body_of(walk.stage.op).args[len(walk.inputs) :])


def lanes_for(walk: Walk, start: Size, end: Size, lanes: int) -> int:
    """Fewer lanes where a short row of windows would fill no vector."""
    if isinstance(start, int) and isinstance(end, int) and lanes and reads_windows(walk):
        while lanes > max(4, end - start):
            lanes //= 2
    return lanes


def emit_point(
    b: LoopBuilder,
    walk: Walk,
    dims: Sequence[Size],
    lanes: int,
    scalars: Mapping[SSAValue, SSAValue] | None = None,
    loaded: Mapping[SSAValue, SSAValue] | None = None,
    streams: bool = False,
) -> None:
    """The body at one place (`lanes` 0), or at `lanes` places along the last dim.

    scalars: values of the body that are known for the row. loaded: inputs that are read already.
    streams: store past the caches.
    """
    op, last = walk.stage.op, len(walk.sizes) - 1
    if isinstance(op, linalg.FillOp):
        value = op.inputs[0]
        if lanes:
            value = b.value(vector.BroadcastOp, (value,), vector_of(value.type, lanes))
        store(b, walk, [value], dims, lanes)
        return
    known: Mapping[SSAValue, SSAValue] = {} if scalars is None else scalars
    values: dict[SSAValue, SSAValue] = {} if loaded is None else dict(loaded)
    for arg, access in zip(body_of(op).args, walk.accesses, strict=True):
        if arg.uses and arg not in known and arg not in values:
            values[arg] = (
                access.load_vector(b, dims, last, lanes) if lanes else access.load(b, dims)
            )
    lane_dim = walk.groups[-1][0] if walk.groups else None
    cloner = BodyCloner(b, values, lanes, walk.original_dims(dims), lane_dim, known)
    starts = along_lanes(walk).starts if lanes else ()
    cloner.run([o for o in plain_ops(op) if not o.results or o.results[0] not in starts])
    store(b, walk, [cloner.operand(b, v) for v in yielded(op)], dims, lanes, streams)


def store(
    b: LoopBuilder,
    walk: Walk,
    values: Sequence[SSAValue],
    dims: Sequence[Size],
    lanes: int,
    streams: bool = False,
) -> None:
    """Write the results of a point."""
    for access, value in zip(walk.outputs, values, strict=True):
        if lanes:
            access.store_vector(b, value, dims, streams)
        else:
            access.store(b, value, dims)
