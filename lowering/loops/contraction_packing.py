"""Packing the columns of a contraction: panels of NR columns, depth by depth.

Element (d, j) of panel p is at (p * depth + d) * width + j; what lies beyond the last column is
never used. Vectors go along what is contiguous in memory:

- the columns (`x @ w`): each depth's columns are loaded as they are stored;
- the depth (`x @ w.T`): square blocks are transposed in registers;
- the last of several column dims (a convolution): a line of columns is filled row by row, with the
  frame of a padding written around, and then cut into panels;
- nothing: column by column.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from lamina.dialects import arith, memref, vector
from lamina.dialects.type_tests import is_vector
from lamina.lowering.builder import vector_of
from lamina.lowering.loops.access import place_in, shuffle, strided_load
from lamina.lowering.loops.contraction_operands import Operands, Place
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.loops.padding import Framed


class Packing:
    """The packed columns `start` to `start + count`; `panels` is the memory for them."""

    def __init__(
        self, kernel: Operands, scope: LoopBuilder, outer: Place, start: SSAValue, count: Size,
    ) -> None:  # fmt: skip
        self.k, self.outer, self.start, self.count = kernel, outer, start, count
        self.t, self.lanes, self.width = kernel.tiling, kernel.lanes, kernel.width
        self.panels = kernel.scratch(scope, self.t.columns * self.t.depth)
        self.access = kernel.column_access()
        self.line: SSAValue | None = None
        if not kernel.unit_columns() and kernel.row_stride():
            self.line = kernel.scratch(scope, self.t.columns)

    def streams(self) -> bool:
        """Whether whole panels are read where they are: their columns are neighbours in memory, and
        all rows are one tile, so that each column is read once."""
        rows = self.k.row_count
        return isinstance(rows, int) and rows <= self.t.rows and self.k.unit_columns()

    def load_columns(self, b: LoopBuilder, column: Size, depth: Size, v: int) -> SSAValue:
        """Vector `v` of a panel, where it is."""
        k = self.k
        here = b.calc("add", b.calc("add", self.start, column), v * self.lanes)
        dims = k.place(b, self.outer, column=here, depth=depth)
        return self.widen(b, self.access.load_vector(b, dims, k.plan.columns[0], self.lanes))

    def pack(self, b: LoopBuilder, first: Size, depth: Size) -> None:
        """Some of the depth, from `first` on."""
        if self.streams():
            whole = b.calc("mul", b.calc("divu", self.count, self.width), self.width)
            self.pack_plain(b, first, depth, whole)
        elif self.line is not None:
            self.pack_lines(b, self.line, first, depth)
        elif self.k.right is not None and self.k.plan.columns and not self.k.unit_columns():
            self.pack_transposed(b, first, depth)
        else:
            self.pack_plain(b, first, depth)

    def panel(self, b: LoopBuilder, column: Size, d: Size) -> Size:
        """Where the columns of a depth start in the panel that starts with `column`."""
        base = b.calc("mul", column, self.t.depth)
        return b.calc("add", base, b.calc("mul", d, self.width))

    # -- whole vectors of columns, or one by one --------------------------------------------------

    def pack_plain(self, b: LoopBuilder, first: Size, depth: Size, start: Size = 0) -> None:
        """Depth by depth, the panels from column `start` on."""

        def panel(
            inner: LoopBuilder, column: SSAValue, _: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            def row(deeper: LoopBuilder, d: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                at = self.panel(deeper, column, d)
                self.pack_row(deeper, column, deeper.calc("add", first, d), at)
                return ()

            inner.for_(0, depth, 1, (), row)
            return ()

        b.for_(start, self.count, self.width, (), panel)

    def pack_row(self, b: LoopBuilder, column: Size, depth: Size, at: Size) -> None:
        """`width` columns of one depth."""
        left = b.calc("sub", self.count, column)
        vectors = self.k.unit_columns()
        if vectors and isinstance(left, SSAValue):
            whole = b.cmpi("uge", b.size(left), b.index(self.width))
            b.if_(
                whole, (),
                lambda then: self.pack_vectors(then, column, depth, at),
                lambda other: self.pack_scalars(other, column, depth, at),
            )  # fmt: skip
            return
        if vectors and isinstance(left, int) and left >= self.width:
            self.pack_vectors(b, column, depth, at)
            return
        self.pack_scalars(b, column, depth, at)

    def pack_vectors(
        self, b: LoopBuilder, column: Size, depth: Size, at: Size
    ) -> Sequence[SSAValue]:
        """Whole vectors, when neighbouring columns are neighbours in memory."""
        for v in range(self.t.vectors):
            value = self.load_columns(b, column, depth, v)
            self.store(b, value, self.panels, b.calc("add", at, v * self.lanes))
        return ()

    def pack_scalars(
        self, b: LoopBuilder, column: Size, depth: Size, at: Size
    ) -> Sequence[SSAValue]:
        """Column by column; zeros behind the last."""
        k = self.k
        valid = b.calc("minu", b.calc("sub", self.count, column), self.width)

        def copy(inner: LoopBuilder, j: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            here = inner.calc("add", inner.calc("add", self.start, column), j)
            place = k.place(inner, self.outer, column=here, depth=depth)
            value = k.widen(inner, self.access.load(inner, place))
            inner.add(memref.StoreOp, (value, self.panels, inner.size(inner.calc("add", at, j))))
            return ()

        b.for_(0, valid, 1, (), copy)
        self.fill(b, self.panels, at, valid, self.width, b.number(0, k.type))
        return ()

    # -- transposed -------------------------------------------------------------------------------

    def pack_transposed(self, b: LoopBuilder, first: Size, depth: Size) -> None:
        """Blocks of as many columns as depths. The last block of the depth overlaps the one before
        it; a depth that is too short for a block is packed column by column."""
        if isinstance(depth, int):
            if depth >= self.lanes:
                self.pack_blocks(b, first, depth)
            else:
                self.pack_plain(b, first, depth)
            return
        enough = b.cmpi("uge", b.size(depth), b.index(self.lanes))

        def blocks(then: LoopBuilder) -> Sequence[SSAValue]:
            self.pack_blocks(then, first, depth)
            return ()

        def plain(other: LoopBuilder) -> Sequence[SSAValue]:
            self.pack_plain(other, first, depth)
            return ()

        b.if_(enough, (), blocks, plain)

    def pack_blocks(self, b: LoopBuilder, first: Size, depth: Size) -> None:
        """All blocks of a depth of at least `lanes`."""
        last = b.calc("sub", depth, self.lanes)

        def panel(
            inner: LoopBuilder, column: SSAValue, _: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            def part(
                deeper: LoopBuilder, offset: SSAValue, _: Sequence[SSAValue]
            ) -> Sequence[SSAValue]:
                def block(
                    deepest: LoopBuilder, d: SSAValue, _: Sequence[SSAValue]
                ) -> Sequence[SSAValue]:
                    self.pack_block(deepest, first, deepest.calc("minu", d, last), column, offset)
                    return ()

                deeper.for_(0, depth, self.lanes, (), block)
                return ()

            inner.for_(0, self.width, self.lanes, (), part)
            return ()

        b.for_(0, self.count, self.width, (), panel)

    def pack_block(
        self, b: LoopBuilder, first: Size, d: Size, column: SSAValue, offset: Size
    ) -> None:
        """One block: its rows are columns, and lie along the depth in memory. Beyond the last
        column it stands once more."""
        k = self.k
        assert k.right is not None
        access, groups = k.right
        left = b.calc("add", b.calc("add", self.start, column), offset)
        end = b.calc("sub", k.column_count, 1)
        rows: list[SSAValue] = []
        for lane in range(self.lanes):
            here = b.calc("minu", b.calc("add", left, lane), end)
            dims = k.place(b, self.outer, column=here)
            merged = [dims[group[0]] for group in groups]
            merged[-1] = b.calc("add", first, d)
            loaded = access.load_vector(b, merged, len(groups) - 1, self.lanes)
            rows.append(self.widen(b, loaded))
        base = b.calc("add", self.panel(b, column, d), offset)
        for i, value in enumerate(transposed(b, rows)):
            self.store(b, value, self.panels, b.calc("add", base, i * self.width))

    # -- lines of rows ----------------------------------------------------------------------------

    def pack_lines(self, b: LoopBuilder, line: SSAValue, first: Size, depth: Size) -> None:
        """For each depth a line of all columns of the block, then its parts to their panels."""
        k = self.k
        rounded = b.calc("add", self.count, self.width - 1)
        rounded = b.calc("mul", b.calc("divu", rounded, self.width), self.width)
        self.fill(b, line, 0, self.count, rounded, b.number(0, k.type))

        def row(inner: LoopBuilder, d: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            dims = k.place(inner, self.outer, depth=inner.calc("add", first, d))
            self.fill_line(inner, line, dims)

            def panel(
                deeper: LoopBuilder, column: SSAValue, _: Sequence[SSAValue]
            ) -> Sequence[SSAValue]:
                at = self.panel(deeper, column, d)
                for v in range(0, self.width, self.lanes):
                    place = deeper.size(deeper.calc("add", column, v))
                    value = deeper.value(vector.LoadOp, (line, place), k.vector)
                    self.store(deeper, value, self.panels, deeper.calc("add", at, v))
                return ()

            inner.for_(0, self.count, self.width, (), panel)
            return ()

        b.for_(0, depth, 1, (), row)

    def fill_line(self, b: LoopBuilder, line: SSAValue, dims: list[Size]) -> None:
        """The columns of one depth, a row of the last column dim at a time."""
        columns = self.k.plan.columns
        size = self.k.sizes[columns[-1]]
        end = b.calc("add", self.start, self.count)
        first = b.calc("divu", self.start, size)
        stop = b.calc("divu", b.calc("add", end, b.calc("sub", size, 1)), size)

        def row(inner: LoopBuilder, number: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            here = [*dims]
            for d, place in self.k.split(inner, number, columns[:-1]).items():
                here[d] = place
            begin = inner.calc("mul", number, size)
            low = inner.calc("sub", inner.calc("maxs", self.start, begin), begin)
            high = inner.calc("minu", inner.calc("sub", end, begin), size)
            self.fill_row(inner, line, here, low, high, inner.calc("sub", begin, self.start))
            return ()

        b.for_(first, stop, 1, (), row)

    def fill_row(
        self, b: LoopBuilder, line: SSAValue, dims: list[Size], low: Size, high: Size, at: Size
    ) -> None:
        """Places `low` to `high` of one row, to `at + low` on: what is inside the source, and the
        frame on both sides."""
        dim, access = self.k.plan.columns[-1], self.access
        dims[dim] = 0
        begin, end = low, high
        if isinstance(access, Framed):
            begin, end = self.inside(b, access, dims, low, high)
        length = b.calc("sub", end, begin)
        lanes = self.k.row_lanes()

        def vectors(inner: LoopBuilder) -> Sequence[SSAValue]:
            last = inner.calc("sub", end, lanes)

            def step(deeper: LoopBuilder, v: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                place = deeper.calc("minu", v, last)  # the last one overlaps the one before it
                value = self.load_lanes(deeper, dims, place, lanes)
                self.store(deeper, value, line, deeper.calc("add", at, place))
                return ()

            inner.for_(begin, end, lanes, (), step)
            return ()

        def singles(inner: LoopBuilder) -> Sequence[SSAValue]:
            def step(deeper: LoopBuilder, v: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                places = self.places(deeper, dims, v)
                indices = [deeper.size(place) for place in places]
                value = deeper.value(memref.LoadOp, (access.buffer, *indices), access.element)
                place = deeper.size(deeper.calc("add", at, v))
                deeper.add(memref.StoreOp, (self.k.widen(deeper, value), line, place))
                return ()

            inner.for_(begin, end, 1, (), step)
            return ()

        b.if_(b.cmpi("uge", b.size(length), b.index(lanes)), (), vectors, singles)
        if isinstance(access, Framed):
            frame = self.k.widen(b, access.frame)
            self.fill(b, line, at, low, begin, frame)
            self.fill(b, line, at, end, high, frame)

    def inside(
        self, b: LoopBuilder, access: Framed, dims: list[Size], low: Size, high: Size
    ) -> tuple[Size, Size]:
        """The part of a row that is in the source; none of it where another axis is outside."""
        dim = self.k.plan.columns[-1]
        begin, end, last = low, high, len(access.exprs) - 1
        _, whole = access.inner_places(b, dims, dim)
        if access.checked[last]:
            stride = self.k.row_stride()
            offset, before = place_in(b, access.exprs[last], dims), access.low[last]
            size = b.calc("add", b.dim(access.buffer, last), before)

            def reached(place: Size) -> Size:
                far = b.calc("sub", b.calc("maxs", place, offset), offset)
                return b.calc("divu", b.calc("add", far, stride - 1), stride)

            begin = b.calc("minu", b.calc("maxs", reached(before), low), high)
            end = b.calc("maxs", b.calc("minu", reached(size), high), begin)
        if whole is not None:
            end = b.select(whole, b.size(end), b.size(begin))
        return begin, end

    def places(self, b: LoopBuilder, dims: Sequence[Size], place: Size) -> list[Size]:
        """Where the column `place` of a row is in memory; it is inside the source."""
        moved = [*dims]
        moved[self.k.plan.columns[-1]] = place
        if isinstance(self.access, Framed):
            low = self.access.low
            return [
                b.calc("sub", place_in(b, expr, moved), before)
                for expr, before in zip(self.access.exprs, low, strict=True)
            ]
        return [place_in(b, expr, moved) for expr in self.access.exprs]

    def load_lanes(self, b: LoopBuilder, dims: list[Size], place: Size, lanes: int) -> SSAValue:
        """Neighbouring columns of a row, widened."""
        places = self.places(b, dims, place)
        stride = self.k.row_stride()
        return self.widen(b, strided_load(b, self.access.buffer, places, stride, lanes))

    # -- small things -----------------------------------------------------------------------------

    def widen(self, b: LoopBuilder, value: SSAValue) -> SSAValue:
        """A vector in the accumulator's type."""
        if self.access.element == self.k.type:
            return value
        assert is_vector(value.type)
        return b.cast(arith.ExtFOp, value, vector_of(self.k.type, value.type.get_shape()[0]))

    def store(self, b: LoopBuilder, value: SSAValue, memory: SSAValue, at: Size) -> None:
        """A vector to flat memory."""
        b.add(vector.StoreOp, (value, memory, b.size(at)))

    def fill(
        self, b: LoopBuilder, memory: SSAValue, at: Size, low: Size, high: Size, value: SSAValue
    ) -> None:
        """`value` to places `at + low` to `at + high`."""

        def step(inner: LoopBuilder, j: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            inner.add(memref.StoreOp, (value, memory, inner.size(inner.calc("add", at, j))))
            return ()

        b.for_(low, high, 1, (), step)


def transposed(b: LoopBuilder, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """The columns of a square of vectors, by exchanging ever smaller blocks."""
    size, found = len(rows), list(rows)
    width = size // 2
    while width:
        low = [lane if not lane & width else size + lane - width for lane in range(size)]
        high = [lane + width if not lane & width else size + lane for lane in range(size)]
        for i in range(size):
            if not i & width:
                above, below = found[i], found[i | width]
                found[i] = shuffle(b, above, below, low)
                found[i | width] = shuffle(b, above, below, high)
        width //= 2
    return found
