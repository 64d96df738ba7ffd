"""`nd-to-linalg`: scans become loops over elements.

Along the last axis several rows run side by side, so that no addition waits for the one before it;
along another axis a row is added to the row before it, column by column, which LLVM makes vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects.nd import scan
from lamina.dialects.nd.base import element_of, is_integer, is_unsigned, shape_of
from lamina.lowering.builder import Builder
from lamina.lowering.element_loops import (
    call_loops,
    get,
    independent,
    long_for,
    product,
    put,
    split,
)
from lamina.lowering.linalg_builder import LinalgBuilder, Rule, memory_element
from lamina.lowering.linalg_reductions import accumulator, combine, rounded, widen
from lamina.lowering.loops.nest import LoopBuilder, Size

Values = Sequence[SSAValue]
Place = list[Size]

ROWS = 4
"""Rows side by side along the last axis."""
COLUMNS = 512
"""Columns of one task along another axis: some kilobytes of each row."""


def _static(size: Size) -> int:
    """A size to estimate work by."""
    return size if isinstance(size, int) else 64


@dataclass(frozen=True)
class _Scan:
    """What one function computes."""

    kind: str
    axis: int
    reverse: bool
    unsigned: bool

    def emit(self, b: LoopBuilder, inputs: Values, outs: Values) -> Values:
        """The loops over a whole tensor."""
        (x,), (out,) = inputs, outs
        sizes = [b.dim(x, axis) for axis in range(len(shape_of(x)))]
        last = self.axis == len(sizes) - 1
        return (self.along_rows if last else self.along_columns)(b, x, out, sizes)

    def step(self, b: Builder, total: SSAValue, value: SSAValue) -> SSAValue:
        """The running value with one more element."""
        return combine(b, self.kind, value, total, self.unsigned)

    def at(self, b: LoopBuilder, k: Size, size: Size) -> Size:
        """Where element k in the scan's order is along the axis."""
        return b.calc("sub", b.calc("sub", size, 1), k) if self.reverse else k

    # -- along the last axis ----------------------------------------------------------------------

    def together(self, element: Attribute) -> int:
        """Rows side by side: one where a step takes one cycle, as with integers."""
        return 1 if is_integer(element) and self.kind != "prod" else ROWS

    def along_rows(self, b: LoopBuilder, x: SSAValue, out: SSAValue, sizes: Place) -> Values:
        """Groups of rows, then the rows that are left."""
        outer, size = sizes[:-1], sizes[-1]
        rows, together = product(b, outer), self.together(element_of(x))
        groups = b.calc("divu", rows, together)

        def group(inner: LoopBuilder, number: SSAValue, carried: Values) -> Values:
            first = inner.calc("mul", number, together)
            places = [split(inner, inner.calc("add", first, r), outer) for r in range(together)]
            return self.rows(inner, x, carried[0], places, size)

        def row(inner: LoopBuilder, number: SSAValue, carried: Values) -> Values:
            return self.rows(inner, x, carried[0], [split(inner, number, outer)], size)

        done = independent(b, groups, 1, together * _static(size), (out,), group)
        return b.for_(b.calc("mul", groups, together), rows, 1, done, row)

    def rows(
        self, b: LoopBuilder, x: SSAValue, out: SSAValue, places: list[Place], size: Size
    ) -> Values:
        """Some rows side by side; the first element of each is its own running value."""

        def begin(inner: LoopBuilder, k: SSAValue, carried: Values) -> Values:
            target, totals = carried[0], list[SSAValue]()
            for place in places:
                at = (*place, self.at(inner, k, size))
                totals.append(get(inner, x, *at))
                target = put(inner, totals[-1], target, *at)
            return (target, *totals)

        def trip(inner: LoopBuilder, k: SSAValue, carried: Values) -> Values:
            target, totals = carried[0], list[SSAValue]()
            for place, total in zip(places, carried[1:], strict=True):
                at = (*place, self.at(inner, k, size))
                totals.append(self.step(inner, total, get(inner, x, *at)))
                target = put(inner, totals[-1], target, *at)
            return (target, *totals)

        zero = b.number(0, element_of(x))
        start = b.for_(0, b.calc("minu", size, 1), 1, (out, *[zero] * len(places)), begin)
        return long_for(b, 1, size, start, trip)[:1]

    # -- along another axis -----------------------------------------------------------------------

    def along_columns(self, b: LoopBuilder, x: SSAValue, out: SSAValue, sizes: Place) -> Values:
        """Tasks of some columns, each at one place of the dims between."""
        size, columns = sizes[self.axis], sizes[-1]
        others = [*sizes[: self.axis], *sizes[self.axis + 1 : -1]]
        blocks = b.calc("divu", b.calc("add", columns, COLUMNS - 1), COLUMNS)
        cost = _static(size) * min(_static(columns), COLUMNS) // 4

        def task(inner: LoopBuilder, number: SSAValue, carried: Values) -> Values:
            *place, block = split(inner, number, [*others, blocks])
            start = inner.calc("mul", block, COLUMNS)
            end = inner.calc("minu", inner.calc("add", start, COLUMNS), columns)
            return self.columns(inner, x, carried[0], place, size, (start, end))

        count = product(b, [*others, blocks])
        return independent(b, count, 1, cost, (out,), task)

    def columns(
        self,
        b: LoopBuilder,
        x: SSAValue,
        out: SSAValue,
        place: Place,
        size: Size,
        bounds: tuple[Size, Size],
    ) -> Values:
        """Some columns: the first row is copied, each other is added to the one before."""
        before, behind = place[: self.axis], place[self.axis :]

        def row(first: bool, inner: LoopBuilder, k: SSAValue, carried: Values) -> Values:
            at = self.at(inner, k, size)
            earlier = at if first else self.at(inner, inner.calc("sub", k, 1), size)

            def column(inmost: LoopBuilder, c: SSAValue, outs: Values) -> Values:
                value = get(inmost, x, *before, at, *behind, c)
                if not first:
                    total = get(inmost, outs[0], *before, earlier, *behind, c)
                    value = self.step(inmost, total, value)
                return (put(inmost, value, outs[0], *before, at, *behind, c),)

            return inner.for_(bounds[0], bounds[1], 1, carried, column)

        begun = b.for_(0, b.calc("minu", size, 1), 1, (out,), lambda i, k, c: row(True, i, k, c))
        return long_for(b, 1, size, begun, lambda i, k, c: row(False, i, k, c))


def lower_scan(b: LinalgBuilder, op: Operation, operands: Values) -> SSAValue:
    """Loops in the accumulator's type; half types are widened before and rounded after."""
    assert isinstance(op, scan.ScanOp)
    element, value = element_of(op.operand), operands[0]
    type, sizes = accumulator(element), b.sizes_of(operands[0])
    if type != memory_element(element):
        source = [(value, AffineMap.identity(len(sizes)))]
        value = b.map(source, sizes, type, lambda i, args: widen(i, args[0], type))
    reverse = op.direction.data == "reverse"
    plan = _Scan(op.kind.data, op.axis.value.data, reverse, is_unsigned(element))
    (result,) = call_loops(b, "scan", (plan,), [value], [b.empty(sizes, type)], plan.emit)
    return rounded(b, result, element)


RULES: dict[type[Operation], Rule] = {scan.ScanOp: lower_scan}
