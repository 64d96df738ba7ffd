"""`nd-to-linalg`: windows become elementwise generics that read their operand at several places.

    %r = nd.reduce_window "max" %x window [3] strides [2] ...
    // ->
    linalg.generic {maps = [(d0) -> (d0 * 2), (d0) -> (d0 * 2 + 1), (d0) -> (d0 * 2 + 2), ...]}
      ins(%x, %x, %x) { maximumf, maximumf }

With a stride of 1 the first place would be `d0` alone, which says that %x has the result's size:
there, the operand is put into a frame and places start from 1.

No dim is reduced, so that what follows is fused as after any elementwise op, and a frame of padding
is read through (`loops/padding.py`). The elements of a window are combined as a tree. Windows of
many elements go axis by axis, a long axis in blocks of at most 8: n additions a window become
about 8 log8 n, and the error of a sum stays small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd, prod

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from lamina.dialects.nd import window
from lamina.dialects.nd.base import element_of, ints, is_unsigned
from lamina.lowering.builder import Builder
from lamina.lowering.linalg_builder import LinalgBuilder, Rule, Size, memory_element
from lamina.lowering.linalg_movement import pad
from lamina.lowering.linalg_reductions import (
    accumulator,
    combine,
    identity_element,
    rounded,
    widen,
)

MOST = 16
"""Elements of a window that one generic reads."""
BLOCK = 8
"""Elements along one axis that are combined at once."""


@dataclass(frozen=True)
class _Along:
    """Windows along one axis: `count` of them, `stride` apart, of `size` elements that are
    `spread` apart. The first one starts at `first`."""

    axis: int
    size: int
    stride: int
    spread: int
    count: Size
    first: int = 0

    def places(self) -> list[int]:
        """Where the elements of window 0 are."""
        return [self.first + self.spread * i for i in range(self.size)]


class _Windows:
    """The rule for one op."""

    def __init__(self, b: LinalgBuilder, kind: str, element: Attribute) -> None:
        self.b, self.kind = b, kind
        self.type, self.unsigned = accumulator(element), is_unsigned(element)
        self.identity = identity_element(kind, element)

    def count(self, size: Size, window: int, stride: int, spread: int) -> Size:
        """How many windows there are along an axis; none where it is too short for one."""
        if window == stride == 1:
            return size
        reach = spread * (window - 1) + 1
        total = self.b.arith("add", size, stride)
        if isinstance(total, int):
            total = max(total, reach)
        else:
            total = self.b.int_op("maxs", total, self.b.index(reach))
        return self.b.arith("divu", self.b.arith("sub", total, reach), stride)

    def read(self, sizes: Sequence[Size], inputs: Sequence[tuple[SSAValue, AffineMap]]) -> SSAValue:
        """All inputs at a place combined, as a tree."""

        def body(inner: Builder, args: Sequence[SSAValue]) -> SSAValue:
            values = [widen(inner, arg, self.type) for arg in args]
            while len(values) > 1:
                pairs = zip(values[::2], values[1::2], strict=False)
                found = [combine(inner, self.kind, x, y, self.unsigned) for x, y in pairs]
                values = found + values[len(found) * 2 :]
            return values[0]

        return self.b.map(inputs, tuple(sizes), self.type, body)

    def framed(
        self, value: SSAValue, windows: Sequence[_Along], low: Sequence[int], high: Sequence[int]
    ) -> tuple[SSAValue, list[_Along]]:
        """`value` in a frame, wider where a window would start at the number of its dim."""
        starts = {w.axis: 1 for w in windows if w.stride == 1}
        wider = [size + starts.get(axis, 0) for axis, size in enumerate(low)]
        if any((*wider, *high)):
            number = self.b.number(self.identity, element_of(value))
            value = pad(self.b, value, number, wider, high)
        return value, [replace(w, first=starts.get(w.axis, 0)) for w in windows]

    def at_once(
        self, value: SSAValue, windows: Sequence[_Along], low: Sequence[int] = (),
        high: Sequence[int] = (),
    ) -> SSAValue:  # fmt: skip
        """Windows along several axes by one generic."""
        none = [0] * len(self.b.sizes_of(value))
        value, windows = self.framed(value, windows, low or none, high or none)
        sizes = list(self.b.sizes_of(value))
        for along in windows:
            sizes[along.axis] = along.count
        inputs = [
            (value, _shifted(len(sizes), zip(windows, places, strict=True)))
            for places in product(*(along.places() for along in windows))
        ]
        return self.read(sizes, inputs)

    def long(self, value: SSAValue, along: _Along) -> SSAValue:
        """Windows along one axis: blocks of elements first, then windows of blocks."""
        if along.size <= BLOCK:
            return self.at_once(value, [along])
        # windows start `step` apart, the blocks of one `block * spread`: a block is needed at
        # multiples of what divides both
        step = 0 if along.count == 1 else along.stride
        apart, block = max((gcd(step, n * along.spread), n) for n in range(2, BLOCK + 1))
        size = self.b.sizes_of(value)[along.axis]
        number = self.count(size, block, apart, along.spread)
        blocks = self.at_once(value, [replace(along, size=block, stride=apart, count=number)])
        whole = along.size // block
        stride, spread = max(step // apart, 1), block * along.spread // apart
        result = self.long(blocks, replace(along, size=whole, stride=stride, spread=spread))
        if along.size == whole * block:
            return result
        sizes = self.b.sizes_of(result)
        inputs = [(result, AffineMap.identity(len(sizes)))]
        for place in along.places()[whole * block :]:
            inputs.append((value, _shifted(len(sizes), [(along, place)])))
        return self.read(sizes, inputs)


def _shifted(
    rank: int, places: Sequence[tuple[_Along, int]] | zip[tuple[_Along, int]]
) -> AffineMap:
    """From a window's number to the place of one of its elements."""
    exprs: list[AffineExpr] = [AffineExpr.dimension(d) for d in range(rank)]
    for along, place in places:
        if along.stride != 1:
            exprs[along.axis] = exprs[along.axis] * along.stride
        if place:
            exprs[along.axis] = exprs[along.axis] + place
    return AffineMap(rank, 0, tuple(exprs))


def lower_reduce_window(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """Few elements at once, many axis by axis; the operand is put into a frame before."""
    assert isinstance(op, window.ReduceWindowOp)
    kind, element, value = op.kind.data, element_of(op.operand), operands[0]
    sizes, strides, spreads = ints(op.window), ints(op.strides), ints(op.dilation)
    low, high = ints(op.padding)[::2], ints(op.padding)[1::2]
    rule = _Windows(b, kind, element)
    known = [
        b.arith("add", size, before + after)
        for size, before, after in zip(b.sizes_of(value), low, high, strict=True)
    ]
    windows = [
        _Along(d, sizes[d], strides[d], spreads[d],
               rule.count(known[d], sizes[d], strides[d], spreads[d]))
        for d in range(len(sizes))
        if (sizes[d], strides[d]) != (1, 1)
    ]  # fmt: skip
    if prod(sizes) == 1:
        rule.type = memory_element(element)
    if windows and prod(sizes) <= MOST:
        return rounded(b, rule.at_once(value, windows, low, high), element)
    value, _ = rule.framed(value, (), low, high)
    for along in reversed(windows):
        value = rule.long(value, along)
    return rounded(b, value, element)


RULES: dict[type[Operation], Rule] = {window.ReduceWindowOp: lower_reduce_window}
