"""`nd-to-linalg`: searches in a sorted vector, some side by side and without branches on data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects import arith
from lamina.dialects.nd import sorting
from lamina.dialects.nd.base import element_of, is_bool, is_float, is_unsigned, shape_of
from lamina.lowering.builder import INDEX, Builder
from lamina.lowering.element_loops import (
    call_loops,
    get,
    independent,
    product,
    put,
    scratch,
    split,
    while_,
)
from lamina.lowering.linalg_builder import (
    LinalgBuilder,
    Rule,
    compute_element,
    memory_element,
    to_register,
)
from lamina.lowering.loops.nest import LoopBuilder, Size

Values = Sequence[SSAValue]

SEARCHES = 64
"""Searches side by side: each step waits for memory once for all of them."""
COST = 128
"""The work of one search, in additions."""


@dataclass(frozen=True)
class _Search:
    """Binary searches among elements of an `nd` type. `right`: past equal elements."""

    element: Attribute
    right: bool

    def wide(self, b: Builder, value: SSAValue) -> SSAValue:
        """An element in memory as what is compared: half types in f32."""
        return to_register(b, value, self.element) if is_float(self.element) else value

    def before(self, b: Builder, other: SSAValue, value: SSAValue) -> SSAValue:
        """Whether `other` is before the place of `value`; NaN is behind all numbers."""
        relation = "le" if self.right else "lt"
        if not is_float(self.element):
            signed = not (is_bool(self.element) or is_unsigned(self.element))
            return b.cmpi(("s" if signed else "u") + relation, other, value)
        behind = b.cmpf("uno", value, value)
        if not self.right:
            behind = b.int_op("and", behind, b.cmpf("ord", other, other))
        return b.int_op("or", b.cmpf("o" + relation, other, value), behind)

    def emit(self, b: LoopBuilder, inputs: Values, outs: Values) -> Values:
        """A search for each value, by groups."""
        found, values = inputs
        sizes = [b.dim(values, d) for d in range(len(shape_of(values)))]
        count, size = product(b, sizes), b.size(b.dim(found, 0))

        def group(inner: LoopBuilder, first: SSAValue, carried: Values) -> Values:
            here = inner.calc("minu", inner.calc("sub", count, first), SEARCHES)

            def place(b: LoopBuilder, lane: SSAValue) -> list[Size]:
                return split(b, b.calc("add", first, lane), sizes)

            def begin(b: LoopBuilder, lane: SSAValue, state: Values) -> Values:
                value = self.wide(b, get(b, values, *place(b, lane)))
                return put(b, value, state[0], lane), put(b, b.number(0, i64), state[1], lane)

            element = self.element
            kind = compute_element(element) if is_float(element) else memory_element(element)
            memory = (scratch(inner, kind, SEARCHES), scratch(inner, i64, SEARCHES))
            wanted, starts = inner.for_(0, here, 1, memory, begin)
            starts = self.narrow(inner, found, size, here, wanted, starts)

            def end(b: LoopBuilder, lane: SSAValue, state: Values) -> Values:
                return (put(b, get(b, starts, lane), state[0], *place(b, lane)),)

            return inner.for_(0, here, 1, carried, end)

        return independent(b, count, SEARCHES, SEARCHES * COST, outs, group)

    def narrow(
        self,
        b: LoopBuilder,
        found: SSAValue,
        size: SSAValue,
        here: Size,
        wanted: SSAValue,
        starts: SSAValue,
    ) -> SSAValue:
        """The number of elements before each value. The place of a value is from its start on in as
        many elements as are left; half of them go in each step, and the last one after all."""

        def move(b: LoopBuilder, starts: SSAValue, look: SSAValue, by: SSAValue) -> SSAValue:
            """Each start `by` further where the element at start + `look` is before the value."""

            def lane(inner: LoopBuilder, lane: SSAValue, state: Values) -> Values:
                start = get(inner, state[0], lane)
                at = inner.cast(arith.IndexCastOp, inner.int_op("add", start, look), INDEX)
                other = self.wide(inner, get(inner, found, at))
                passed = self.before(inner, other, get(inner, wanted, lane))
                further = inner.select(passed, inner.int_op("add", start, by), start)
                return (put(inner, further, state[0], lane),)

            return b.for_(0, here, 1, (starts,), lane)[0]

        def test(inner: LoopBuilder, state: Values) -> SSAValue:
            return inner.cmpi("ugt", state[0], inner.index(1))

        def step(inner: LoopBuilder, state: Values) -> Values:
            left, starts = state
            half = inner.int_op("shru", left, inner.index(1))
            by = inner.cast(arith.IndexCastOp, half, i64)
            look = inner.int_op("sub", by, inner.number(1, i64))
            return inner.int_op("sub", left, half), move(inner, starts, look, by)

        def some(inner: LoopBuilder) -> Values:
            _, moved = while_(inner, (size, starts), test, step)
            return (move(inner, moved, inner.number(0, i64), inner.number(1, i64)),)

        return b.if_(b.cmpi("ugt", size, b.index(0)), [starts.type], some, lambda _: (starts,))[0]


def lower_searchsorted(b: LinalgBuilder, op: Operation, operands: Values) -> SSAValue:
    """A binary search for each value."""
    assert isinstance(op, sorting.SearchsortedOp)
    plan = _Search(element_of(op.sorted), op.side.data == "right")
    out = b.empty(b.sizes_of(operands[1]), i64)
    return call_loops(b, "searchsorted", (plan,), operands, [out], plan.emit)[0]


RULES: dict[type[Operation], Rule] = {sorting.SearchsortedOp: lower_searchsorted}
