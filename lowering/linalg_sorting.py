"""`nd-to-linalg`: sorts and searches become loops over elements; rows are independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX, i64
from xdsl.ir import Operation, SSAValue

from lamina.dialects import arith
from lamina.dialects.nd import sorting
from lamina.dialects.nd.base import element_of, shape_of
from lamina.lowering.builder import INDEX
from lamina.lowering.element_loops import (
    call_loops,
    get,
    independent,
    product,
    put,
    split,
    while_,
)
from lamina.lowering.linalg_builder import LinalgBuilder, Rule, memory_element
from lamina.lowering.linalg_movement import permuted
from lamina.lowering.loops.nest import LoopBuilder
from lamina.lowering.sort_keys import Keys
from lamina.lowering.sort_network import Network
from lamina.lowering.sort_rows import RowSort

Values = Sequence[SSAValue]

ELEMENT_COST = 32
"""The work of sorting one element, in additions."""
SEARCHES = 64
"""Values that one task searches for."""


def last_axis(rank: int, axis: int) -> tuple[int, ...]:
    """The permutation that puts `axis` last."""
    return (*(a for a in range(rank) if a != axis), axis)


def lower_sort(b: LinalgBuilder, op: Operation, operands: Values) -> SSAValue:
    """Rows along the last axis; another axis is moved there and back."""
    assert isinstance(op, sorting.SortOp | sorting.ArgsortOp)
    indices = isinstance(op, sorting.ArgsortOp)
    element, axis = element_of(op.operand), op.axis.value.data
    value, rank = operands[0], len(shape_of(operands[0]))
    order = last_axis(rank, axis)
    if axis != rank - 1:
        value = permuted(b, value, order)
    size = shape_of(value)[-1]
    keys = Keys(element, op.order.data == "descending")
    plan = RowSort(keys, None if size == DYNAMIC_INDEX else size, indices)

    def emit(loops: LoopBuilder, inputs: Values, outs: Values) -> Values:
        *outer, n = (loops.dim(inputs[0], d) for d in range(rank))

        def row(inner: LoopBuilder, number: SSAValue, carried: Values) -> Values:
            return (plan.emit(inner, inputs[0], carried[0], split(inner, number, outer), n),)

        cost = ELEMENT_COST * (n if isinstance(n, int) else 64)
        count = product(loops, outer)
        if isinstance(n, int) and (network := Network(plan, n)).fits(count):

            def group(inner: LoopBuilder, number: SSAValue, carried: Values) -> Values:
                return (network.emit(inner, inputs[0], carried[0], number, count, outer),)

            lanes = network.lanes
            groups = loops.calc("divu", loops.calc("add", count, lanes - 1), lanes)
            return independent(loops, groups, 1, cost * lanes, outs, group)
        return independent(loops, product(loops, outer), 1, cost, outs, row)

    sizes = b.sizes_of(value)
    out = b.empty(sizes, i64 if indices else memory_element(element))
    label = "argsort" if indices else "sort"
    (result,) = call_loops(b, label, (plan,), [value], [out], emit)
    if axis == rank - 1:
        return result
    back = tuple(order.index(a) for a in range(rank))
    return permuted(b, result, back)


@dataclass(frozen=True)
class _Search:
    """A binary search. `right`: past equal elements."""

    keys: Keys
    right: bool

    def emit(self, b: LoopBuilder, inputs: Values, outs: Values) -> Values:
        """A search for each value."""
        found, values = inputs
        sizes = [b.dim(values, d) for d in range(len(shape_of(values)))]
        count = product(b, sizes)

        def task(outer: LoopBuilder, start: SSAValue, carried: Values) -> Values:
            def trip(inner: LoopBuilder, number: SSAValue, kept: Values) -> Values:
                place = split(inner, number, sizes)
                key = self.keys.of(inner, get(inner, values, *place))
                index = inner.cast(arith.IndexCastOp, self.search(inner, found, key), i64)
                return (put(inner, index, kept[0], *place),)

            end = outer.calc("minu", outer.calc("add", start, SEARCHES), count)
            return outer.for_(start, end, 1, carried, trip)

        return independent(b, count, SEARCHES, SEARCHES * ELEMENT_COST * 4, outs, task)

    def search(self, b: LoopBuilder, found: SSAValue, key: SSAValue) -> SSAValue:
        """The number of elements before the place of `key`: an index. Without branches on data."""
        n = b.size(b.dim(found, 0))

        def before(inner: LoopBuilder, at: SSAValue) -> SSAValue:
            other = self.keys.of(inner, get(inner, found, at))
            return inner.cmpi("ule" if self.right else "ult", other, key)

        def test(inner: LoopBuilder, state: Values) -> SSAValue:
            return inner.cmpi("ugt", state[1], inner.index(1))

        def step(inner: LoopBuilder, state: Values) -> Values:
            start, length = state
            half = inner.int_op("divu", length, inner.index(2))
            middle = inner.int_op("add", start, half)
            passed = before(inner, inner.int_op("sub", middle, inner.index(1)))
            return inner.select(passed, middle, start), inner.int_op("sub", length, half)

        def some(inner: LoopBuilder) -> Values:
            start, _ = while_(inner, (inner.index(0), n), test, step)
            behind = inner.int_op("add", start, inner.index(1))
            return (inner.select(before(inner, start), behind, start),)

        zero = b.index(0)
        return b.if_(b.cmpi("ugt", n, zero), [INDEX], some, lambda _: (zero,))[0]


def lower_searchsorted(b: LinalgBuilder, op: Operation, operands: Values) -> SSAValue:
    """A binary search for each value."""
    assert isinstance(op, sorting.SearchsortedOp)
    plan = _Search(Keys(element_of(op.sorted)), op.side.data == "right")
    out = b.empty(b.sizes_of(operands[1]), i64)
    return call_loops(b, "searchsorted", (plan,), operands, [out], plan.emit)[0]


RULES: dict[type[Operation], Rule] = {
    sorting.SortOp: lower_sort,
    sorting.ArgsortOp: lower_sort,
    sorting.SearchsortedOp: lower_searchsorted,
}
