"""Folds along an outer dim of many rows: a panel of columns at a time.

    for %c = 0 to columns step 2048:           // a panel: its accumulators stay in the caches
      for %block = 0 to rows / 8:
        for %v = 0 to 2048 step 64:            // 8 neighbouring rows are read side by side
          %sum = x[8 %block][%c + %v] + ... + x[8 %block + 7][%c + %v]

Each column is folded in the order of `Reducer.accumulate`: blocks of rows, whose sums go to a
binary counter (one for each column, level by level in memory). To walk one strip of columns through
all rows instead would read one cache line of each row, and rows that are a power of two apart share
a cache set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Region, SSAValue

from lamina.dialects import memref, scf, vector
from lamina.lowering.builder import INDEX, segments, vector_of
from lamina.lowering.loops.fold import Fold
from lamina.lowering.loops.nest import LoopBuilder, Size

BLOCK = 8
"""Rows that are added one after the other."""
LEVELS = 48
"""Levels of the counter when the number of blocks is not known: enough for 2^48."""
COLUMNS = 2048
"""Columns of a panel."""
FEW_COLUMNS = 128
"""Columns of a panel when the counter has `LEVELS` levels."""
SMALL_BODY = 8
"""Ops of a body up to which a block of rows is written out, for several vectors side by side."""
VECTORS = 4
"""How many: additions to one do not wait for those to another."""

RowLoad = Callable[[LoopBuilder, Size, Size], SSAValue]
"""(builder, row, column) -> what the fold adds there: a vector of columns."""


@dataclass(frozen=True)
class Panel:
    """The columns `start` to `start + width`; `memory` holds a level of the counter after the
    other, each of `columns` elements."""

    start: SSAValue
    width: Size
    memory: SSAValue
    columns: int


class PanelFold:
    """A fold of `rows` rows in panels; `load` gives the rows, `finish` stores a total."""

    def __init__(
        self,
        fold: Fold,
        rows: Size,
        element: Attribute,
        lanes: int,
        load: RowLoad,
        finish: Callable[[LoopBuilder, SSAValue, SSAValue], None],
    ) -> None:
        self.fold = fold
        self.rows = rows
        self.element = element
        self.lanes = lanes
        self.load = load
        self.finish = finish
        self.type = vector_of(element, lanes)
        body = fold.combiner.parent
        assert body is not None
        self.is_small = len(list(body.ops)) <= SMALL_BODY

    def emit(self, b: LoopBuilder, scope: LoopBuilder, lower: Size, upper: Size) -> None:
        """The panels of the columns from `lower` to `upper`, a whole number of vectors."""
        blocks = b.calc("divu", self.rows, BLOCK)
        levels = 1
        if self.fold.is_float_sum:
            levels = blocks.bit_length() if isinstance(blocks, int) else LEVELS
        columns = FEW_COLUMNS if levels == LEVELS else COLUMNS
        if isinstance(lower, int) and isinstance(upper, int):
            columns = min(columns, upper - lower)
        memory = scope.value(
            memref.AllocOp,
            (),
            MemRefType(self.element, [levels * columns]),
            {"operandSegmentSizes": segments(0, 0)},
        )

        def panel(inner: LoopBuilder, start: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            width = inner.calc("minu", inner.calc("sub", upper, start), columns)
            self.emit_panel(inner, Panel(start, width, memory, columns), blocks, levels)
            return ()

        b.for_(lower, upper, columns, (), panel)

    def emit_panel(self, b: LoopBuilder, panel: Panel, blocks: Size, levels: int) -> None:
        """All rows of a panel: whole blocks, the rows after them, and the total."""
        counts = self.fold.is_float_sum

        def start(inner: LoopBuilder, at: Sequence[SSAValue]) -> None:
            for place in at:
                self.put(inner, panel, 0, place, inner.number(self.fold.identity, self.type))

        def block(
            inner: LoopBuilder, number: SSAValue, _: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            (self.add_block if counts else self.fold_block)(inner, panel, number)
            return ()

        if not counts:
            self.columns(b, panel, start)
        b.for_(0, blocks, 1, (), block)
        done = b.calc("mul", blocks, BLOCK)

        def total(inner: LoopBuilder, at: Sequence[SSAValue]) -> None:
            if counts:
                values = [inner.number(self.fold.identity, self.type)] * len(at)
            else:
                values = [self.get(inner, panel, 0, place) for place in at]
            values = self.run(inner, done, self.rows, self.places(inner, panel, at), values)
            for place, rest in zip(at, values, strict=True):
                value = self.pop(inner, panel, blocks, levels, place, rest) if counts else rest
                self.finish(inner, value, self.places(inner, panel, [place])[0])

        self.columns(b, panel, total)

    # -- one block of rows ------------------------------------------------------------------------

    def add_block(self, b: LoopBuilder, panel: Panel, number: SSAValue) -> None:
        """Push the sums of a block: levels below the lowest empty one are added up."""
        empty = lowest_zero_bit(b, number)
        first = b.calc("mul", number, BLOCK)

        def column(inner: LoopBuilder, at: Sequence[SSAValue]) -> None:
            zeros = [inner.number(self.fold.identity, self.type)] * len(at)
            sums = self.rows_of_block(inner, first, self.places(inner, panel, at), zeros)

            def carry(
                deeper: LoopBuilder, level: SSAValue, state: Sequence[SSAValue]
            ) -> Sequence[SSAValue]:
                return [
                    self.fold.combine(deeper, self.get(deeper, panel, level, place), newer)
                    for place, newer in zip(at, state, strict=True)
                ]

            totals = inner.for_(0, empty, 1, sums, carry)
            for place, total in zip(at, totals, strict=True):
                self.put(inner, panel, empty, place, total)

        self.columns(b, panel, column)

    def fold_block(self, b: LoopBuilder, panel: Panel, number: SSAValue) -> None:
        """Fold a block into the accumulators."""
        first = b.calc("mul", number, BLOCK)

        def column(inner: LoopBuilder, at: Sequence[SSAValue]) -> None:
            totals: Sequence[SSAValue] = [self.get(inner, panel, 0, place) for place in at]
            totals = self.rows_of_block(inner, first, self.places(inner, panel, at), totals)
            for place, total in zip(at, totals, strict=True):
                self.put(inner, panel, 0, place, total)

        self.columns(b, panel, column)

    def rows_of_block(
        self,
        b: LoopBuilder,
        first: Size,
        columns: Sequence[SSAValue],
        totals: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """`BLOCK` rows from `first` on, one after the other."""
        if not self.is_small:
            return self.run(b, first, b.calc("add", first, BLOCK), columns, totals)
        for row in range(BLOCK):
            totals = self.row(b, b.size(b.calc("add", first, row)), columns, totals)
        return totals

    def row(
        self,
        b: LoopBuilder,
        row: SSAValue,
        columns: Sequence[SSAValue],
        totals: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """One row, for each vector of columns."""
        values = [self.load(b, row, column) for column in columns]
        pairs = zip(totals, values, strict=True)
        return [self.fold.combine(b, total, value) for total, value in pairs]

    def run(
        self,
        b: LoopBuilder,
        lower: Size,
        upper: Size,
        columns: Sequence[SSAValue],
        totals: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """The rows from `lower` to `upper`, one after the other."""
        return b.for_(
            lower, upper, 1, totals, lambda inner, row, state: self.row(inner, row, columns, state)
        )

    def pop(
        self, b: LoopBuilder, panel: Panel, blocks: Size, levels: int, at: SSAValue, total: SSAValue
    ) -> SSAValue:
        """The sum of all levels that hold something, the newest first."""
        if isinstance(blocks, int):
            for level in range(levels):
                if blocks >> level & 1:
                    older = self.get(b, panel, level, at)
                    total = self.fold.combine(b, older, total)
            return total

        def step(
            inner: LoopBuilder, level: SSAValue, state: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            return inner.if_(
                bit_is_set(inner, blocks, level),
                [total.type],
                lambda b: (self.fold.combine(b, self.get(b, panel, level, at), state[0]),),
                lambda _: state,
            )

        return b.for_(0, levels, 1, (total,), step)[0]

    # -- memory -----------------------------------------------------------------------------------

    def columns(
        self, b: LoopBuilder, panel: Panel, body: Callable[[LoopBuilder, list[SSAValue]], None]
    ) -> None:
        """Loops over the vectors of a panel; `body` takes the places in it of several vectors."""

        def loop(lower: Size, upper: Size, vectors: int) -> None:
            def trip(b: LoopBuilder, at: SSAValue, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
                body(b, [b.size(b.calc("add", at, self.lanes * i)) for i in range(vectors)])
                return ()

            b.for_(lower, upper, vectors * self.lanes, (), trip)

        split: Size = 0
        if self.is_small:
            split, vectors = b.whole_vectors(0, panel.width, VECTORS * self.lanes)
            if vectors:
                loop(0, split, VECTORS)
        loop(split, panel.width, 1)

    def places(self, b: LoopBuilder, panel: Panel, at: Sequence[SSAValue]) -> list[SSAValue]:
        """The columns that places of the panel stand for."""
        return [b.size(b.calc("add", panel.start, place)) for place in at]

    def place(self, b: LoopBuilder, panel: Panel, level: Size, at: SSAValue) -> SSAValue:
        """Where a level holds the column `at`."""
        return b.size(b.calc("add", b.calc("mul", level, panel.columns), at))

    def get(self, b: LoopBuilder, panel: Panel, level: Size, at: SSAValue) -> SSAValue:
        """What a level holds."""
        return b.value(vector.LoadOp, (panel.memory, self.place(b, panel, level, at)), self.type)

    def put(self, b: LoopBuilder, panel: Panel, level: Size, at: SSAValue, value: SSAValue) -> None:
        """Write a level."""
        b.add(vector.StoreOp, (value, panel.memory, self.place(b, panel, level, at)))


def bit_is_set(b: LoopBuilder, number: SSAValue, place: SSAValue) -> SSAValue:
    """Whether bit `place` of an index is 1."""
    bit = b.int_op("and", b.int_op("shru", number, place), b.index(1))
    return b.cmpi("ne", bit, b.index(0))


def lowest_zero_bit(b: LoopBuilder, number: SSAValue) -> SSAValue:
    """The place of the lowest 0 of an index in binary."""
    before, after = Block(arg_types=[INDEX]), Block(arg_types=[INDEX])
    test = b.nested()
    test.add(scf.ConditionOp, (bit_is_set(test, number, before.args[0]), before.args[0]))
    before.add_ops(test.ops)
    step = b.nested()
    step.add(scf.YieldOp, (step.int_op("add", after.args[0], step.index(1)),))
    after.add_ops(step.ops)
    regions = (Region(before), Region(after))
    return b.add(scf.WhileOp, (b.index(0),), [INDEX], regions=regions).results[0]
