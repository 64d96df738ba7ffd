"""Rows that are gathered from a large buffer: asked for ahead, written out, stored past the caches.

    memref.prefetch %x[%later, %c0], read, locality<3>, data : memref<100000x64xf32>
    %v = vector.load %x[%i, %c0] : memref<100000x64xf32>, vector<16xf32>
    vector.store %v, %out[%k, %c0] {alignment = 16, nontemporal = true} : ..., vector<16xf32>

The rows lie anywhere in the buffer, so that no hardware foresees them: while one is copied, the one
that is `ahead_of` it is asked for (1.2 to 1.5 times faster where the buffer is larger than the L2
cache). The vectors of a short row are written out (1.1 times: without branches more rows are on
their way at once). A result that is larger than the caches is not put into them (1.2 times: its
lines need not be read before they are written).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, BoolAttr, IntegerAttr, MemRefType, i32
from xdsl.ir import Attribute, SSAValue

from lamina.dialects import arith, linalg, memref
from lamina.dialects.sizes import byte_size
from lamina.lowering.buffer_types import is_contiguous, memref_type
from lamina.lowering.builder import INDEX
from lamina.lowering.loops.access import STREAM_BYTES
from lamina.lowering.loops.body import plain_ops
from lamina.lowering.loops.computed import AlongLanes, row_scalars
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.stage import Walk

LINE = 64
"""Bytes of a cache line."""
LARGE = 1 << 20
"""Bytes of a buffer whose rows are asked for ahead; a smaller one stays in the L2 cache."""
LONGEST_ROW, MOST_AHEAD = 1024, 16
"""Bytes of a row, and rows, that are asked for ahead; in longer rows hardware foresees the rest."""


MOST_WRITTEN_OUT, MOST_COMPUTED = 8, 4
"""Vectors of a row, and operations on one, that are written out."""
CACHED = 1 << 26
"""Bytes of a result that a cache may hold."""
PREFETCH: dict[str, Attribute] = {
    "isWrite": BoolAttr.from_bool(False),
    "localityHint": IntegerAttr(3, i32),
    "isDataCache": BoolAttr.from_bool(True),
}


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


def short_row(walk: Walk, known: AlongLanes, start: Size, end: Size, lanes: int) -> range | None:
    """Where the vectors of a row begin that is so short and simple that they are written out."""
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    vectors = range(start, end, lanes)
    computed = [
        op
        for op in plain_ops(walk.stage.op)
        if not isinstance(op, arith.ConstantOp) and not known.never_vectors & {*op.results}
    ]
    short = len(vectors) <= MOST_WRITTEN_OUT and len(computed) <= MOST_COMPUTED
    return vectors if short else None


def is_streamed(walk: Walk, vectors: range) -> bool:
    """Whether the rows are all of one result, larger than the caches and read by no other stage,
    in vectors that can be stored past them."""
    if len(walk.outputs) != 1:
        return False
    (result,), (*_, buffer) = walk.outputs, walk.stage.operands
    type = memref_type(result.buffer)
    shape, size = type.get_shape(), byte_size(type.element_type)
    return (
        DYNAMIC_INDEX not in shape
        and prod(shape) * size > CACHED
        and is_contiguous(type)
        and len(list(buffer.uses)) == 1
        and (vectors.start, vectors.stop) == (0, walk.sizes[-1])
        and vectors.step * size % STREAM_BYTES == 0
    )


def write_out(
    b: LoopBuilder,
    walk: Walk,
    vectors: range,
    point: Callable[[LoopBuilder, SSAValue, bool], None],
) -> None:
    """The vectors of a row. point: emits one at a place; whether past the caches."""

    def row(inner: LoopBuilder, streams: bool) -> Sequence[SSAValue]:
        for place in vectors:
            point(inner, inner.index(place), streams)
        return ()

    if not is_streamed(walk, vectors):
        row(b, False)
        return
    address = b.value(memref.ExtractAlignedPointerAsIndexOp, (walk.outputs[0].buffer,), INDEX)
    rest = b.int_op("and", address, b.index(STREAM_BYTES - 1))
    aligned = b.cmpi("eq", rest, b.index(0))
    b.if_(aligned, (), lambda inner: row(inner, True), lambda inner: row(inner, False))
