"""Loops that sort several rows side by side: a network whose comparators are vectors over rows.

The network is Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm
M), for rows of any size n: about n (log2 n)^2 / 4 comparators, the same for all data. What is
sorted is a key, or a key and the index in its row, so that equal keys stay in order: one number,
the key above the index, where both fit into 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType, i1, i64
from xdsl.ir import SSAValue

from lamina.dialects import arith
from lamina.dialects.nd.base import element_of
from lamina.lowering.element_loops import get, lanes_for, put, scratch, split, while_
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.sort_keys import Keys
from lamina.lowering.sort_rows import RowSort

Values = Sequence[SSAValue]

LONGEST = 1 << 11
"""The longest rows for which a network is faster than digits."""
FEWEST = 4
"""Rows from which on it is worth to sort them side by side."""
INDEX_BITS = 32


@dataclass(frozen=True)
class Network:
    """Sorts rows of `size` elements, `lanes` at a time."""

    rows: RowSort
    size: int

    @property
    def keys(self) -> Keys:
        """The keys; without indices they must tell which zero they are."""
        return self.rows.sorted_keys

    @property
    def pairs(self) -> bool:
        """Whether a key and its index are two numbers."""
        return self.rows.indices and self.keys.width > 64 - INDEX_BITS

    @property
    def type(self) -> IntegerType:
        """What is compared."""
        return i64 if self.rows.indices else self.keys.type

    @property
    def lanes(self) -> int:
        """Rows side by side: two vectors of 64 bytes."""
        return 1024 // self.type.bitwidth

    def fits(self, count: Size) -> bool:
        """Whether `count` rows are sorted faster so than one by one."""
        few = isinstance(count, int) and count < FEWEST
        return 2 <= self.size <= LONGEST and not few

    def emit(
        self,
        b: LoopBuilder,
        x: SSAValue,
        out: SSAValue,
        group: SSAValue,
        count: Size,
        outer: Sequence[Size],
    ) -> SSAValue:
        """Sort group number `group` of `count` rows of `x` into `out`."""
        first = b.calc("mul", group, self.lanes)
        here = b.calc("minu", b.calc("sub", count, first), self.lanes)
        kinds = (self.type, i64) if self.pairs else (self.type,)
        memory = [scratch(b, kind, self.size, self.lanes) for kind in kinds]

        def row(inner: LoopBuilder, lane: SSAValue, carried: Values) -> Values:
            place = split(inner, inner.calc("add", first, lane), outer)
            return self.load(inner, x, place, lane, carried)

        negative, *memory = b.for_(0, here, 1, (b.number(0, i1), *memory), row)
        memory = self.sort(b, memory)

        def back(inner: LoopBuilder, lane: SSAValue, carried: Values) -> Values:
            place = split(inner, inner.calc("add", first, lane), outer)
            target = self.store(inner, carried[0], place, lane, memory[-1])
            return (self.rows.restore_zeros(inner, x, target, place, self.size, negative),)

        return b.for_(0, here, 1, (out,), back)[0]

    def load(
        self, b: LoopBuilder, x: SSAValue, place: Sequence[Size], lane: SSAValue, state: Values
    ) -> Values:
        """Whether there was a -0.0, and the keys of one row into its lane."""

        def trip(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            value = get(inner, x, *place, i)
            key = self.keys.of(inner, value)
            if self.pairs:
                index = inner.cast(arith.IndexCastOp, i, i64)
                return (
                    carried[0],
                    put(inner, key, carried[1], i, lane),
                    put(inner, index, carried[2], i, lane),
                )
            if self.rows.indices:
                wide = key if key.type == i64 else inner.cast(arith.ExtUIOp, key, i64)
                above = inner.int_op("shl", wide, inner.number(INDEX_BITS, i64))
                key = inner.int_op("or", above, inner.cast(arith.IndexCastOp, i, i64))
            negative = self.rows.or_negative_zero(inner, carried[0], value)
            return negative, put(inner, key, carried[1], i, lane)

        return b.for_(0, self.size, 1, state, trip)

    def store(
        self,
        b: LoopBuilder,
        out: SSAValue,
        place: Sequence[Size],
        lane: SSAValue,
        memory: SSAValue,
    ) -> SSAValue:
        """The elements, or indices, of one lane."""

        def trip(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            value = get(inner, memory, i, lane)
            if self.pairs:
                pass
            elif self.rows.indices:
                low = inner.number((1 << INDEX_BITS) - 1, i64)
                value = inner.int_op("and", value, low)
            else:
                value = self.keys.back(inner, value, element_of(out))
            return (put(inner, value, carried[0], *place, i),)

        return b.for_(0, self.size, 1, (out,), trip)[0]

    def sort(self, b: LoopBuilder, memory: Values) -> list[SSAValue]:
        """The steps of the network: p halves, and for each p d is p, then q - p for halves q."""
        top = 1 << ((self.size - 1).bit_length() - 1)
        zero, half = b.index(0), b.index(top)

        def not_done(inner: LoopBuilder, state: Values) -> SSAValue:
            return inner.cmpi("ne", state[0], inner.index(0))

        def step(inner: LoopBuilder, state: Values) -> Values:
            p, q, r, d, *memory = state
            memory = self.comparators(inner, p, r, d, memory)
            one, zero, half = inner.index(1), inner.index(0), inner.index(top)
            last = inner.cmpi("eq", q, p)
            smaller = inner.int_op("shru", p, one)
            return (
                inner.select(last, smaller, p),
                inner.select(last, half, inner.int_op("shru", q, one)),
                inner.select(last, zero, p),
                inner.select(last, smaller, inner.int_op("sub", q, p)),
                *memory,
            )

        return list(while_(b, (half, half, zero, half, *memory), not_done, step)[4:])

    def comparators(
        self, b: LoopBuilder, p: SSAValue, r: SSAValue, d: SSAValue, memory: Values
    ) -> Values:
        """Compare i and i + d for all i below n - d with `i & p == r`."""
        types = [value.type for value in memory]

        def trip(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            taken = inner.cmpi("eq", inner.int_op("and", i, p), r)
            return inner.if_(
                taken, types, lambda n: self.exchange(n, i, d, carried), lambda _: carried
            )

        return b.for_(0, b.calc("sub", self.size, d), 1, memory, trip)

    def exchange(self, b: LoopBuilder, i: SSAValue, d: SSAValue, memory: Values) -> Values:
        """The smaller of each lane to i, the larger to i + d."""
        other = b.int_op("add", i, d)

        def one(inner: LoopBuilder, lane: SSAValue, carried: Values) -> Values:
            (keys,) = carried
            low, high = get(inner, keys, i, lane), get(inner, keys, other, lane)
            keys = put(inner, inner.int_op("minu", low, high), keys, i, lane)
            return (put(inner, inner.int_op("maxu", low, high), keys, other, lane),)

        def two(inner: LoopBuilder, lane: SSAValue, carried: Values) -> Values:
            keys, indices = carried
            low, high = get(inner, keys, i, lane), get(inner, keys, other, lane)
            first, second = get(inner, indices, i, lane), get(inner, indices, other, lane)
            behind = inner.int_op(
                "and", inner.cmpi("eq", low, high), inner.cmpi("ugt", first, second)
            )
            swap = inner.int_op("or", behind, inner.cmpi("ugt", low, high))
            keys = put(inner, inner.select(swap, high, low), keys, i, lane)
            keys = put(inner, inner.select(swap, low, high), keys, other, lane)
            indices = put(inner, inner.select(swap, second, first), indices, i, lane)
            return keys, put(inner, inner.select(swap, first, second), indices, other, lane)

        return lanes_for(b, self.lanes, memory, two if self.pairs else one)
