"""Contraction kernels: cache blocks, a packed panel of columns, a register tile, the epilogue.

    for each block of columns (parallel):
      for each block of depth:
        pack the columns: panels of NR columns, depth by depth
        for each panel, for each MR rows:
          accumulators in registers: acc[i][j] = fma(row i, columns j, acc[i][j]) over the depth
          last block: the epilogue on the accumulators, and the store

Where all rows are one tile, whole panels of columns that are neighbours in memory are not packed.
After Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (2008), and BLIS,
with rows read in place where their depth is contiguous. Every element sums its products in order
of the depth, block after block, so that bits depend on shapes and target only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from lamina.dialects import memref, vector
from lamina.lowering.builder import segments
from lamina.lowering.loops.contraction_operands import Operands, Place
from lamina.lowering.loops.contraction_packing import Packing
from lamina.lowering.loops.nest import LoopBuilder, Size


class Contraction(Operands):
    """Emits the loops of one contraction kernel."""

    def emit(self) -> None:
        """The whole kernel."""
        outer_sizes = [self.sizes[d] for d in self.plan.outer]
        work = 2
        for size in (*outer_sizes, self.row_count, self.column_count, self.depth_count):
            work *= size if isinstance(size, int) else 64
        step = self.tiling.columns
        if not self.may_be_parallel or work < (1 << 19):
            scope = self.b.nested()

            def serial(inner: LoopBuilder, outer: list[SSAValue]) -> None:
                def block(
                    deeper: LoopBuilder, start: SSAValue, _: Sequence[SSAValue]
                ) -> Sequence[SSAValue]:
                    self.block(scope, deeper, outer, start)
                    return ()

                inner.for_(0, self.column_count, step, (), block)

            scope.nest(outer_sizes, serial)
            self.b.ops += scope.ops
            return
        uppers = [*outer_sizes, self.column_count]
        steps = [*([1] * len(outer_sizes)), step]

        def task(b: LoopBuilder, at: Sequence[SSAValue]) -> None:
            scope = b.nested()
            self.block(scope, scope, at[:-1], at[-1])
            b.ops += scope.ops

        self.b.parallel(uppers, steps, task)

    def block(self, scope: LoopBuilder, b: LoopBuilder, outer: Place, start: SSAValue) -> None:
        """One block of columns: all rows, all of the depth."""
        t = self.tiling
        end = b.calc("minu", b.calc("add", start, t.columns), self.column_count)
        count = b.calc("sub", end, start)
        columns = Packing(self, scope, outer, start, count)
        blocks = b.calc("divu", b.calc("add", self.depth_count, t.depth - 1), t.depth)
        several = not (isinstance(blocks, int) and blocks <= 1)
        last_start: Size = 0
        if several:
            before = b.calc("sub", b.calc("maxs", blocks, 1), 1)
            last_start = b.calc("mul", before, t.depth)
        row_blocks = t.height

        def height(inner: LoopBuilder, top: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            bottom = inner.calc("minu", inner.calc("add", top, row_blocks), self.row_count)
            sums = self.scratch(scope, t.height * t.columns) if several else None
            tile = _Tile(self, scope, columns, top, bottom, sums)
            if several:
                tile.clear(inner)

                def depth(
                    deeper: LoopBuilder, first: SSAValue, _: Sequence[SSAValue]
                ) -> Sequence[SSAValue]:
                    columns.pack(deeper, first, t.depth)
                    tile.product(deeper, first, t.depth, last=False)
                    return ()

                inner.for_(0, last_start, t.depth, (), depth)
            rest = inner.calc("sub", self.depth_count, last_start)
            columns.pack(inner, last_start, rest)
            tile.product(inner, last_start, rest, last=True)
            return ()

        b.for_(0, self.row_count, t.height, (), height)


Source = Callable[[LoopBuilder, Size, Size, SSAValue, int], SSAValue]
"""(builder, panel, first depth, depth behind it, number) -> a vector of columns."""


class _Tile:
    """A block of rows and columns on its way through the depth."""

    def __init__(
        self, kernel: Contraction, scope: LoopBuilder, columns: Packing, top: SSAValue,
        bottom: Size, sums: SSAValue | None,
    ) -> None:  # fmt: skip
        self.k, self.outer, self.top, self.bottom = kernel, columns.outer, top, bottom
        self.columns = columns
        self.start, self.count, self.panels = columns.start, columns.count, columns.panels
        self.sums = sums
        self.t, self.lanes, self.width = kernel.tiling, kernel.lanes, kernel.width
        self.rows: SSAValue | None = None
        if kernel.left is None:
            self.rows = kernel.scratch(scope, self.t.rows * self.t.depth)
        type = MemRefType(kernel.type, [self.t.rows * self.width])
        self.edge = scope.value(memref.AllocaOp, (), type, {"operandSegmentSizes": segments(0, 0)})

    # -- product --------------------------------------------------------------------------------

    def clear(self, b: LoopBuilder) -> None:
        """Partial sums start from 0."""
        k, sums = self.k, self.sums
        assert sums is not None

        def step(inner: LoopBuilder, i: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            inner.add(vector.StoreOp, (inner.number(0, k.vector), sums, i))
            return ()

        b.for_(0, self.t.height * self.t.columns, self.lanes, (), step)

    def product(self, b: LoopBuilder, first: Size, depth: Size, *, last: bool) -> None:
        """All register tiles of the block, for one block of the depth."""

        def panel(
            inner: LoopBuilder, column: SSAValue, _: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            rows = inner.calc("sub", self.bottom, self.top)
            whole = inner.calc("mul", inner.calc("divu", rows, self.t.rows), self.t.rows)

            def tile(
                deeper: LoopBuilder, row: SSAValue, _: Sequence[SSAValue]
            ) -> Sequence[SSAValue]:
                self.tile(deeper, row, self.t.rows, column, first, depth, last=last)
                return ()

            inner.for_(0, whole, self.t.rows, (), tile)
            self.remainder(inner, whole, rows, column, first, depth, last=last)
            return ()

        b.for_(0, self.count, self.width, (), panel)

    def remainder(
        self, b: LoopBuilder, whole: Size, rows: Size, column: SSAValue, first: Size, depth: Size,
        *, last: bool,
    ) -> None:  # fmt: skip
        """The rows after the last whole tile: a smaller tile when their number is known, else
        one by one."""
        count = self.k.row_count
        if isinstance(count, int):
            left = count % self.t.rows
            if not left:
                return
            if count <= self.t.height:
                self.tile(b, b.size(whole), left, column, first, depth, last=last)
                return

        def single(inner: LoopBuilder, row: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.tile(inner, row, 1, column, first, depth, last=last)
            return ()

        b.for_(whole, rows, 1, (), single)

    def tile(
        self, b: LoopBuilder, row: SSAValue, rows: int, column: SSAValue, first: Size, depth: Size,
        *, last: bool,
    ) -> None:  # fmt: skip
        """One register tile: sum over the depth, then keep the sums or finish."""
        k = self.k
        absolute = [b.calc("add", b.calc("add", self.top, row), i) for i in range(rows)]
        self.pack_rows(b, absolute, first, depth)
        start = [
            b.number(0, k.vector) if self.sums is None else self.load_sum(b, row, i, column, v)
            for i in range(rows)
            for v in range(self.t.vectors)
        ]
        dims = [k.place(b, self.outer, row=r, depth=0) for r in absolute]

        def sum_with(source: Source) -> Callable[[LoopBuilder], Sequence[SSAValue]]:
            def step(
                inner: LoopBuilder, d: SSAValue, sums: Sequence[SSAValue]
            ) -> Sequence[SSAValue]:
                columns = [source(inner, column, first, d, v) for v in range(self.t.vectors)]
                result: list[SSAValue] = []
                for i in range(rows):
                    scalar = self.load_left(inner, dims[i], i, first, d)
                    spread = inner.value(vector.BroadcastOp, (scalar,), k.vector)
                    for v in range(self.t.vectors):
                        total = sums[i * self.t.vectors + v]
                        result.append(k.multiply_add(inner, spread, columns[v], total))
                return result

            return lambda inner: inner.for_(0, depth, 1, start, step)

        sums = self.panel_sums(b, column, len(start), sum_with)
        if last:
            self.finish(b, absolute, column, sums)
            return
        for i in range(rows):
            for v in range(self.t.vectors):
                self.store_sum(b, sums[i * self.t.vectors + v], row, i, column, v)

    def panel_sums(
        self, b: LoopBuilder, column: Size, count: int,
        sum_with: Callable[[Source], Callable[[LoopBuilder], Sequence[SSAValue]]],
    ) -> Sequence[SSAValue]:  # fmt: skip
        """The sums of a panel, which is packed or, where all of its columns are there, may be read
        in place."""
        if not self.columns.streams():
            return sum_with(self.packed)(b)
        left = b.calc("sub", self.count, column)
        if isinstance(self.count, int) and self.count % self.width == 0:
            return sum_with(self.in_place)(b)
        whole = b.cmpi("uge", b.size(left), b.index(self.width))
        types = [self.k.vector] * count
        return b.if_(whole, types, sum_with(self.in_place), sum_with(self.packed))

    def packed(self, b: LoopBuilder, column: Size, first: Size, d: SSAValue, v: int) -> SSAValue:
        """Vector `v` of the panel's columns at a depth."""
        at = self.columns.panel(b, column, d)
        place = b.size(b.calc("add", at, v * self.lanes))
        return b.value(vector.LoadOp, (self.panels, place), self.k.vector)

    def in_place(self, b: LoopBuilder, column: Size, first: Size, d: SSAValue, v: int) -> SSAValue:
        """As `packed`, from the operand itself."""
        return self.columns.load_columns(b, column, b.calc("add", first, d), v)

    def pack_rows(self, b: LoopBuilder, rows: Sequence[Size], first: Size, depth: Size) -> None:
        """Rows that cannot be read in place: copied depth by depth."""
        k, memory = self.k, self.rows
        if memory is None:
            return

        def step(inner: LoopBuilder, d: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            at = inner.calc("mul", d, self.t.rows)
            for i, row in enumerate(rows):
                dims = k.place(inner, self.outer, row=row, depth=inner.calc("add", first, d))
                value = k.load_row(inner, dims)
                place = inner.size(inner.calc("add", at, i))
                inner.add(memref.StoreOp, (value, memory, place))
            return ()

        b.for_(0, depth, 1, (), step)

    def load_left(
        self, b: LoopBuilder, dims: list[Size], number: int, first: Size, d: SSAValue
    ) -> SSAValue:
        """One element of a row of the tile."""
        k = self.k
        if self.rows is not None:
            place = b.calc("add", b.calc("mul", d, self.t.rows), number)
            return b.value(memref.LoadOp, (self.rows, b.size(place)), k.type)
        assert k.left is not None
        access, groups = k.left
        merged = [dims[group[0]] for group in groups]
        merged[-1] = b.calc("add", first, d)
        return access.load(b, merged)

    def sum_place(
        self, b: LoopBuilder, row: SSAValue, i: int, column: SSAValue, v: int
    ) -> SSAValue:
        """Where the partial sums of a row and a vector are."""
        line = b.calc("mul", b.calc("add", row, i), self.t.columns)
        return b.size(b.calc("add", b.calc("add", line, column), v * self.lanes))

    def load_sum(self, b: LoopBuilder, row: SSAValue, i: int, column: SSAValue, v: int) -> SSAValue:
        """Partial sums."""
        assert self.sums is not None
        place = self.sum_place(b, row, i, column, v)
        return b.value(vector.LoadOp, (self.sums, place), self.k.vector)

    def store_sum(
        self, b: LoopBuilder, value: SSAValue, row: SSAValue, i: int, column: SSAValue, v: int
    ) -> None:
        """Keep partial sums for the next block of the depth."""
        assert self.sums is not None
        b.add(vector.StoreOp, (value, self.sums, self.sum_place(b, row, i, column, v)))

    # -- results --------------------------------------------------------------------------------

    def finish(
        self, b: LoopBuilder, rows: Sequence[Size], column: SSAValue, sums: Sequence[SSAValue]
    ) -> None:
        """The epilogue and the store: in registers for whole tiles, by element at the edge."""
        k = self.k
        left = b.calc("sub", self.count, column)
        first = b.calc("add", self.start, column)

        def whole(inner: LoopBuilder) -> Sequence[SSAValue]:
            for i, row in enumerate(rows):
                for v in range(self.t.vectors):
                    place = k.out_place(self.outer, row, inner.calc("add", first, v * self.lanes))
                    k.store(inner, place, sums[i * self.t.vectors + v], self.lanes)
            return ()

        def edge(inner: LoopBuilder) -> Sequence[SSAValue]:
            self.store_edge(inner, rows, first, left, sums)
            return ()

        static = isinstance(k.column_count, int)
        exact = static and k.column_count % self.width == 0  # type: ignore[operator]
        if not k.vector_stores():
            edge(b)
        elif exact:
            whole(b)
        else:
            b.if_(b.cmpi("uge", b.size(left), b.index(self.width)), (), whole, edge)

    def store_edge(
        self, b: LoopBuilder, rows: Sequence[Size], first: Size, left: Size,
        sums: Sequence[SSAValue],
    ) -> None:  # fmt: skip
        """Element by element, for the columns that exist."""
        k = self.k
        for place, value in enumerate(sums):
            b.add(vector.StoreOp, (value, self.edge, b.index(place * self.lanes)))
        valid = b.calc("minu", left, self.width)
        for i, row in enumerate(rows):

            def single(
                inner: LoopBuilder, j: SSAValue, _: Sequence[SSAValue],
                i: int = i, row: Size = row,
            ) -> Sequence[SSAValue]:  # fmt: skip
                at = inner.size(inner.calc("add", j, i * self.width))
                value = inner.value(memref.LoadOp, (self.edge, at), k.type)
                place = k.out_place(self.outer, row, inner.calc("add", first, j))
                k.store(inner, place, value, 0)
                return ()

            b.for_(0, valid, 1, (), single)
