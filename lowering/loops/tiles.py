"""Elementwise stages that read and write along different dims: `out[i, j] = f(x[j, i])`.

    for %j = 0 to columns step 16:
      for %i = ...  step 16:
        16 vectors x[%j + k][%i ...] -> transposed in registers -> 16 vectors out[%i + r][%j ...]

Rows of a tile are read and written whole, so each cache line is touched once; blocks of 256 rows
keep the lines that are written in reach. What does not fill a tile is done one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, i64
from xdsl.ir import SSAValue

from lamina.dialects import linalg, memref, vector
from lamina.dialects.generics import body_of
from lamina.dialects.sizes import byte_size
from lamina.lowering.builder import segments, vector_of
from lamina.lowering.loops.access import Access
from lamina.lowering.loops.body import plain_ops, reads_memory
from lamina.lowering.loops.elementwise import emit_point
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.padding import Framed
from lamina.lowering.loops.stage import Walk, lanes_of

ROWS = 256
"""Rows of the result that are walked together."""
LANE_BYTES = 16
"""Instructions that mix two vectors do so within parts of this size, or move such parts."""
SMALL_BODY = 8
"""Ops of a body up to which it is written out for each row of a tile."""

Shuffle = tuple[int, int, tuple[int, ...]]
"""(register, register, lanes of the two that make a new register)."""


def strided_inputs(walk: Walk) -> dict[SSAValue, Access]:
    """The arguments of the body that are read along another dim than the last."""
    last = len(walk.sizes) - 1
    return {
        arg: access
        for arg, access in zip(body_of(walk.stage.op).args, walk.inputs, strict=False)
        if arg.uses and access.depends_on(last) and not access.unit_along(last)
    }


def tiled_dim(walk: Walk) -> int | None:
    """The dim along which inputs lie that do not lie along the last one; None where tiles do not
    help: no such input or several such dims, fewer places than a tile has, other memory read."""
    last = len(walk.sizes) - 1
    if last < 1 or walk.stage.is_reduction or not isinstance(walk.stage.op, linalg.GenericOp):
        return None
    if reads_memory(walk.stage.op) or not all(a.unit_along(last) for a in walk.outputs):
        return None
    if any(isinstance(access, Framed) for access in walk.inputs):
        return None
    strided = strided_inputs(walk).values()
    dims = {next((d for d in range(last) if a.unit_along(d)), -1) for a in strided}
    if len(dims) != 1 or -1 in dims:
        return None
    (dim,) = dims
    sizes = (walk.sizes[dim], walk.sizes[last])
    small = any(isinstance(size, int) and size < lanes_of(walk, ()) for size in sizes)
    return None if small else dim


@cache
def transpose_steps(lanes: int, per_part: int) -> tuple[tuple[Shuffle, ...], ...]:
    """Stages of shuffles after which register r holds lane r of each register, in order.

    First rows are interleaved within parts of `per_part` lanes, one element at a time, then two,
    ...; then whole parts are sorted into even and odd ones. `labels` follows what each register
    holds: (row, lane) pairs.
    """
    labels = [[(row, lane) for lane in range(lanes)] for row in range(lanes)]
    stages: list[tuple[Shuffle, ...]] = []
    size = 1
    while size < lanes:
        pairs: dict[frozenset[int], list[int]] = {}
        for register in sorted(range(lanes), key=lambda r: labels[r][0][0]):
            pairs.setdefault(frozenset(lane for _, lane in labels[register]), []).append(register)
        masks = interleave(lanes, per_part, size) if size < per_part else parts(lanes, per_part)
        stage = [
            (same[k], same[k + 1], mask)
            for same in pairs.values()
            for k in range(0, len(same), 2)
            for mask in masks
        ]
        labels = [[(labels[a] + labels[b])[place] for place in mask] for a, b, mask in stage]
        stages.append(tuple(stage))
        size *= 2
    order = sorted(range(lanes), key=lambda r: labels[r][0][1])
    stages[-1] = tuple(stages[-1][register] for register in order)
    return tuple(stages)


def interleave(lanes: int, per_part: int, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lower and the upper halves of each part of two registers, `size` elements in turn."""
    halves: list[tuple[int, ...]] = []
    for start in (0, per_part // 2):
        mask: list[int] = []
        for part in range(0, lanes, per_part):
            for chunk in range(start, start + per_part // 2, size):
                for register in (0, lanes):
                    mask += range(register + part + chunk, register + part + chunk + size)
        halves.append(tuple(mask))
    return halves[0], halves[1]


def parts(lanes: int, per_part: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The even parts of two registers, and the odd ones."""
    starts = [range(first, 2 * lanes, 2 * per_part) for first in (0, per_part)]
    even, odd = (tuple(s + i for s in found for i in range(per_part)) for found in starts)
    return even, odd


def transposed(b: LoopBuilder, rows: Sequence[SSAValue], lanes: int, bytes: int) -> list[SSAValue]:
    """The columns of a square of `lanes` vectors, whose elements have `bytes` bytes."""
    registers = list(rows)
    kind = registers[0].type
    for stage in transpose_steps(lanes, min(lanes, LANE_BYTES // bytes)):
        registers = [
            b.value(
                vector.ShuffleOp,
                (registers[first], registers[second]),
                kind,
                {"mask": DenseArrayBase.from_list(i64, mask)},
            )
            for first, second, mask in stage
        ]
    return registers


class Tiles:
    """Emits one stage whose inputs lie along `dim` or along the last dim."""

    def __init__(self, walk: Walk, dim: int) -> None:
        self.walk = walk
        self.dim = dim
        self.last = len(walk.sizes) - 1
        self.others = [d for d in range(self.last) if d != dim]
        self.lanes = lanes_of(walk, ())
        self.strided = strided_inputs(walk)

    def outer_sizes(self, b: LoopBuilder) -> list[Size]:
        """The space of the calls of `emit`: the other dims, and blocks of `ROWS` rows."""
        rows = self.walk.sizes[self.dim]
        blocks = b.calc("divu", b.calc("add", rows, ROWS - 1), ROWS)
        return [*(self.walk.sizes[d] for d in self.others), blocks]

    def emit(self, scope: LoopBuilder, b: LoopBuilder, places: Sequence[SSAValue]) -> None:
        """One block of rows at a place of the other dims."""
        rows, columns = self.walk.sizes[self.dim], self.walk.sizes[self.last]
        first = b.calc("mul", places[-1], ROWS)
        end = b.calc("minu", b.calc("add", first, ROWS), rows)
        split, lanes = b.whole_vectors(first, end, self.lanes)
        whole, _ = b.whole_vectors(0, columns, self.lanes)
        assert lanes

        def dims(row: Size, column: Size) -> list[Size]:
            found: dict[int, Size] = dict(zip(self.others, places, strict=False))
            found |= {self.dim: row, self.last: column}
            return [found[d] for d in range(self.last + 1)]

        memory = self.memory(scope)

        def tile(b: LoopBuilder, row: SSAValue, column: SSAValue) -> None:
            self.emit_tile(b, memory, dims, row, column)

        def point(b: LoopBuilder, row: SSAValue, column: SSAValue) -> None:
            emit_point(b, self.walk, dims(row, column), 0)

        _nest(b, (0, whole, lanes), (first, split, lanes), lambda b, j, i: tile(b, i, j))
        _nest(b, (whole, columns, 1), (first, split, 1), lambda b, j, i: point(b, i, j))
        _nest(b, (split, end, 1), (0, columns, 1), point)

    def memory(self, scope: LoopBuilder) -> list[SSAValue]:
        """Room for a tile of each strided input, where the body is not written out."""
        if len(plain_ops(self.walk.stage.op)) <= SMALL_BODY:
            return []
        properties = {"operandSegmentSizes": segments(0, 0)}
        return [
            scope.value(
                memref.AllocaOp, (), MemRefType(access.element, [self.lanes**2]), properties
            )
            for access in self.strided.values()
        ]

    def emit_tile(
        self,
        b: LoopBuilder,
        memory: Sequence[SSAValue],
        dims: Dims,
        row: SSAValue,
        column: SSAValue,
    ) -> None:
        """`lanes` rows of `lanes` columns."""
        lanes = self.lanes
        tiles: list[list[SSAValue]] = []
        for access in self.strided.values():
            read = [
                access.load_vector(b, dims(row, b.calc("add", column, k)), self.dim, lanes)
                for k in range(lanes)
            ]
            tiles.append(transposed(b, read, lanes, byte_size(access.element)))
        if not memory:
            for r in range(lanes):
                loaded = {arg: tile[r] for arg, tile in zip(self.strided, tiles, strict=True)}
                emit_point(b, self.walk, dims(b.calc("add", row, r), column), lanes, loaded=loaded)
            return
        for buffer, tile in zip(memory, tiles, strict=True):
            for r, value in enumerate(tile):
                b.add(vector.StoreOp, (value, buffer, b.index(r * lanes)))

        def one_row(b: LoopBuilder, r: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            offset = b.size(b.calc("mul", r, lanes))
            loaded = {
                arg: b.value(vector.LoadOp, (buffer, offset), vector_of(access.element, lanes))
                for buffer, (arg, access) in zip(memory, self.strided.items(), strict=True)
            }
            emit_point(b, self.walk, dims(b.calc("add", row, r), column), lanes, loaded=loaded)
            return ()

        b.for_(0, lanes, 1, (), one_row)


Dims = Callable[[Size, Size], list[Size]]
"""(row, column) -> the place in the space."""
Bounds = tuple[Size, Size, int]


def _nest(
    b: LoopBuilder,
    outer: Bounds,
    inner: Bounds,
    body: Callable[[LoopBuilder, SSAValue, SSAValue], None],
) -> None:
    """Two loops."""

    def outer_trip(b: LoopBuilder, x: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
        def inner_trip(b: LoopBuilder, y: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            body(b, x, y)
            return ()

        b.for_(*inner, (), inner_trip)
        return ()

    b.for_(*outer, (), outer_trip)
