"""`split-complex`: the order of complex numbers, by stable sorts of their parts.

Numbers are ordered by their real and then by their imaginary parts; behind them come those with a
NaN in the imaginary part only, then those with a NaN in the real part (as NumPy has it). So: the
order of the imaginary parts, of the real parts in that order, and of "has a NaN" in that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Protocol

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IntegerAttr, StringAttr, i1, i64
from xdsl.dialects.builtin import TensorType as Tensor
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.locations import place_of
from lamina.dialects.nd.base import element_of, shape_of
from lamina.dialects.nd.elementwise import (
    BitwiseOrOp,
    CastOp,
    GreaterEqualOp,
    LessOp,
    NotEqualOp,
)
from lamina.dialects.nd.indexing import GatherOp
from lamina.dialects.nd.scan import ScanOp
from lamina.dialects.nd.shape import BroadcastOp, ConcatOp, ConstantOp, ReshapeOp, SliceOp
from lamina.dialects.nd.sorting import ArgsortOp, SearchsortedOp, SortOp
from lamina.errors import LoweringError
from lamina.interpreters.types import scalar_dense

Parts = tuple[SSAValue, SSAValue]


class Splitter(Protocol):
    """What the rules need of the pass: parts of complex values, and making ops."""

    parts: dict[SSAValue, Parts]

    def make(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: dict[str, Attribute] | None = None,
    ) -> SSAValue:
        """The result of a new op."""
        ...


def _ints(values: Mapping[str, Sequence[int]]) -> dict[str, Attribute]:
    return {name: DenseArrayBase.from_list(i64, list(v)) for name, v in values.items()}


def along(s: Splitter, x: SSAValue, indices: SSAValue, axis: int) -> SSAValue:
    """The elements of x at `indices` along `axis`, of one shape with x but there."""
    rank = len(shape_of(x))
    others = [a for a in range(rank) if a != axis]
    properties = _ints({"axes": [axis], "dims": others, "index_dims": range(rank)})
    type = Tensor(element_of(x), shape_of(indices))
    return s.make(GatherOp, [x, indices], type, properties)


def order_of(s: Splitter, x: SSAValue, axis: int, order: str = "ascending") -> SSAValue:
    """`nd.argsort` of a real tensor."""
    properties: dict[str, Attribute] = {
        "axis": IntegerAttr(axis, i64),
        "order": StringAttr(order),
    }
    return s.make(ArgsortOp, [x], Tensor(i64, shape_of(x)), properties)


def complex_order(s: Splitter, parts: Parts, axis: int, order: str) -> SSAValue:
    """The indices that put complex numbers in order."""
    re, im = parts
    flags = Tensor(i1, shape_of(re))
    nan = s.make(BitwiseOrOp, [s.make(NotEqualOp, [p, p], flags) for p in parts], flags)
    found = order_of(s, im, axis, order)
    found = along(s, found, order_of(s, along(s, re, found, axis), axis, order), axis)
    return along(s, found, order_of(s, along(s, nan, found, axis), axis), axis)


def _sort(s: Splitter, op: Operation) -> None:
    assert isinstance(op, SortOp)
    re, im = s.parts[op.operand]
    axis = op.axis.value.data
    found = complex_order(s, (re, im), axis, op.order.data)
    s.parts[op.result] = along(s, re, found, axis), along(s, im, found, axis)


def _argsort(s: Splitter, op: Operation) -> None:
    assert isinstance(op, ArgsortOp)
    found = complex_order(s, s.parts[op.operand], op.axis.value.data, op.order.data)
    op.result.replace_all_uses_with(found)


def _searchsorted(s: Splitter, op: Operation) -> None:
    """The values are sorted with the others, before equal ones ("left") or behind them: what is
    searched is the number of others up to there."""
    assert isinstance(op, SearchsortedOp)
    shape, (size,) = shape_of(op.values), shape_of(op.sorted)
    if DYNAMIC_INDEX in (*shape, size):
        raise LoweringError(
            f"split-complex: expected static sizes of the complex operands of {op.name}, found ?",
            place=place_of(op.location),
        )
    count, left = prod(shape), op.side.data == "left"

    def joined(number: int) -> SSAValue:
        line = s.parts[op.sorted][number]
        element = element_of(line)
        values = s.make(ReshapeOp, [s.parts[op.values][number]], Tensor(element, [count]))
        both = [values, line] if left else [line, values]
        axis: dict[str, Attribute] = {"axis": IntegerAttr(0, i64)}
        return s.make(ConcatOp, both, Tensor(element, [size + count]), axis)

    order = complex_order(s, (joined(0), joined(1)), 0, "ascending")
    bound = s.make(
        ConstantOp, [], Tensor(i64, []), {"value": scalar_dense(count if left else size, i64)}
    )
    every, flags = Tensor(i64, [size + count]), Tensor(i1, [size + count])
    bounds = s.make(BroadcastOp, [bound], every, _ints({"dims": []}))
    other = s.make(GreaterEqualOp if left else LessOp, [order, bounds], flags)
    running = s.make(
        ScanOp,
        [s.make(CastOp, [other], every)],
        every,
        {
            "kind": StringAttr("sum"),
            "axis": IntegerAttr(0, i64),
            "direction": StringAttr("forward"),
        },
    )
    start = 0 if left else size
    window = _ints({"starts": [start], "limits": [start + count], "strides": [1]})
    places = s.make(SliceOp, [order_of(s, order, 0)], Tensor(i64, [count]), window)
    found = s.make(ReshapeOp, [along(s, running, places, 0)], op.result.type)
    op.result.replace_all_uses_with(found)


RULES = {
    SortOp.name: _sort,
    ArgsortOp.name: _argsort,
    SearchsortedOp.name: _searchsorted,
}
"""Op name -> how it is written on parts."""
