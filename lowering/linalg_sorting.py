"""`nd-to-linalg`: sorts become loops over elements; rows are independent."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, Float16Type, i16, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects import arith
from lamina.dialects.nd import sorting
from lamina.dialects.nd.base import element_of, shape_of
from lamina.lowering.element_loops import (
    call_loops,
    independent,
    product,
    split,
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


def last_axis(rank: int, axis: int) -> tuple[int, ...]:
    """The permutation that puts `axis` last."""
    return (*(a for a in range(rank) if a != axis), axis)


def as_bits(element: Attribute) -> Attribute:
    """The elements in memory that a sort works on. Those of f16 are its bits: LLVM would make
    tests of floats of tests of bits, and has no such tests in all machines."""
    return i16 if isinstance(element, Float16Type) else memory_element(element)


def reinterpreted(b: LinalgBuilder, value: SSAValue, type: Attribute) -> SSAValue:
    """The same bits as elements of another type."""
    if element_of(value) == type:
        return value
    sizes = b.sizes_of(value)
    source = [(value, AffineMap.identity(len(sizes)))]
    return b.map(source, sizes, type, lambda i, args: i.cast(arith.BitcastOp, args[0], type))


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

    value = reinterpreted(b, value, as_bits(element))
    sizes = b.sizes_of(value)
    out = b.empty(sizes, i64 if indices else as_bits(element))
    label = "argsort" if indices else "sort"
    (result,) = call_loops(b, label, (plan,), [value], [out], emit)
    result = reinterpreted(b, result, i64 if indices else memory_element(element))
    if axis == rank - 1:
        return result
    back = tuple(order.index(a) for a in range(rank))
    return permuted(b, result, back)


RULES: dict[type[Operation], Rule] = {
    sorting.SortOp: lower_sort,
    sorting.ArgsortOp: lower_sort,
}
