"""Loops that sort one row: by ranks if it is short, else by the digits of keys, lowest first.

The radix sort counts the digits of all passes while it makes the keys; a pass in which all keys
have one digit is skipped. (Knuth, The Art of Computer Programming 3, 5.2.5; both are stable.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import IntegerType, i1, i32, i64
from xdsl.ir import SSAValue

from lamina.dialects import arith
from lamina.dialects.nd.base import element_of
from lamina.lowering.builder import INDEX
from lamina.lowering.element_loops import get, long_for, put, scratch
from lamina.lowering.loops.nest import LoopBuilder, Size
from lamina.lowering.sort_keys import Keys

Values = Sequence[SSAValue]

SHORT = {8: 64, 16: 128, 32: 96, 64: 96}
"""Bits of a key -> the longest row that is sorted by ranks (which are of the key's type)."""
LONG_ROW = 1 << 13
"""From this length on digits have 11 bits instead of 8: fewer passes, more buckets."""


@dataclass(frozen=True)
class RowSort:
    """How rows of some size are sorted. `indices`: the result is their order, in i64."""

    keys: Keys
    size: int | None
    indices: bool

    @property
    def number(self) -> IntegerType:
        """The type of counts and indices while sorting."""
        return i32 if self.size is not None and self.size < 1 << 31 else i64

    @property
    def digit(self) -> int:
        """Bits of a digit."""
        return 11 if self.size is not None and self.size >= LONG_ROW and self.keys.width > 16 else 8

    @property
    def passes(self) -> int:
        """The number of digits of a key."""
        return -(-self.keys.width // self.digit)

    def emit(
        self, b: LoopBuilder, x: SSAValue, out: SSAValue, place: Sequence[Size], n: Size
    ) -> SSAValue:
        """Sort the row of `x` at `place` into `out`."""
        if isinstance(n, int) and n <= SHORT[self.keys.width]:
            return self.by_ranks(b, x, out, place, n)
        return self.radix(b, x, out, place, n)

    # -- by ranks ---------------------------------------------------------------------------------

    def by_ranks(
        self, b: LoopBuilder, x: SSAValue, out: SSAValue, place: Sequence[Size], n: int
    ) -> SSAValue:
        """Each element goes where the number of those before it says; the counting is vectors."""
        type = self.keys.type
        keys, ranks = scratch(b, type, n), scratch(b, type, n)

        def begin(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            key = self.keys.of(inner, get(inner, x, *place, i))
            rank = put(inner, inner.number(0, type), carried[1], i)
            return put(inner, key, carried[0], i), rank

        keys, ranks = b.for_(0, n, 1, (keys, ranks), begin)

        def against(outer: LoopBuilder, j: SSAValue, carried: Values) -> Values:
            key, place = get(outer, keys, j), outer.cast(arith.IndexCastOp, j, type)

            def trip(inner: LoopBuilder, i: SSAValue, kept: Values) -> Values:
                other, at = get(inner, keys, i), inner.cast(arith.IndexCastOp, i, type)
                equal = inner.cmpi("eq", key, other)
                before = inner.int_op("and", equal, inner.cmpi("ult", place, at))
                before = inner.int_op("or", before, inner.cmpi("ult", key, other))
                one = inner.cast(arith.ExtUIOp, before, type)
                rank = inner.int_op("add", get(inner, kept[0], i), one)
                return (put(inner, rank, kept[0], i),)

            return outer.for_(0, n, 1, carried, trip)

        (ranks,) = b.for_(0, n, 1, (ranks,), against)

        def write(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            rank = inner.cast(arith.IndexCastUIOp, get(inner, ranks, i), INDEX)
            value = get(inner, x, *place, i)
            if self.indices:
                value = inner.cast(arith.IndexCastOp, i, i64)
            return (put(inner, value, carried[0], *place, rank),)

        return b.for_(0, n, 1, (out,), write)[0]

    # -- radix ------------------------------------------------------------------------------------

    @property
    def sorted_keys(self) -> Keys:
        """The keys that are moved: without indices they must tell which zero they are."""
        return replace(self.keys, merge_zeros=self.indices)

    def digit_of(self, b: LoopBuilder, key: SSAValue, which: SSAValue) -> SSAValue:
        """Digit number `which` (an index) of a key, as an index."""
        shift = b.int_op("mul", which, b.index(self.digit))
        moved = b.int_op("shru", key, b.cast(arith.IndexCastOp, shift, self.keys.type))
        return self.masked(b, moved)

    def masked(self, b: LoopBuilder, key: SSAValue) -> SSAValue:
        """The lowest digit of a key as an index."""
        if self.digit < self.keys.width:
            key = b.int_op("and", key, b.number((1 << self.digit) - 1, self.keys.type))
        return b.cast(arith.IndexCastUIOp, key, INDEX)

    def radix(
        self, b: LoopBuilder, x: SSAValue, out: SSAValue, place: Sequence[Size], n: Size
    ) -> SSAValue:
        """Count, distribute by each digit, and write what came out."""
        keys = scratch(b, self.keys.type, 2, n)
        counts = scratch(b, self.number, self.passes, 1 << self.digit)
        payload = [scratch(b, self.number, 2, n)] if self.indices else []
        negative, keys, counts, *payload = self.count(
            b, x, place, n, (b.number(0, i1), keys, self.cleared(b, counts), *payload)
        )

        def one_pass(inner: LoopBuilder, which: SSAValue, carried: Values) -> Values:
            return self.one_pass(inner, which, n, carried)

        state = (b.index(0), keys, counts, *payload)
        half, keys, _, *payload = b.for_(0, self.passes, 1, state, one_pass)
        if self.indices:
            return self.write_indices(b, out, place, n, (half, *payload))
        out = self.write_keys(b, out, place, n, (half, keys))
        return self.restore_zeros(b, x, out, place, n, negative)

    def cleared(self, b: LoopBuilder, counts: SSAValue) -> SSAValue:
        """Zeros everywhere."""
        zero = b.number(0, self.number)

        def row(outer: LoopBuilder, which: SSAValue, carried: Values) -> Values:
            def trip(inner: LoopBuilder, d: SSAValue, kept: Values) -> Values:
                return (put(inner, zero, kept[0], which, d),)

            return outer.for_(0, 1 << self.digit, 1, carried, trip)

        return b.for_(0, self.passes, 1, (counts,), row)[0]

    def count(
        self,
        b: LoopBuilder,
        x: SSAValue,
        place: Sequence[Size],
        n: Size,
        state: Values,
    ) -> Values:
        """Whether there is a -0.0; the keys of the row; how often each digit has each value; the
        indices as they are."""
        one = b.number(1, self.number)

        def trip(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            value = get(inner, x, *place, i)
            key = self.sorted_keys.of(inner, value)
            negative, keys, counts, *payload = carried
            negative = self.or_negative_zero(inner, negative, value)
            keys = put(inner, key, keys, 0, i)
            for which in range(self.passes):
                amount = inner.number(which * self.digit, self.keys.type)
                digit = self.masked(inner, inner.int_op("shru", key, amount))
                more = inner.int_op("add", get(inner, counts, which, digit), one)
                counts = put(inner, more, counts, which, digit)
            number = inner.cast(arith.IndexCastOp, i, self.number)
            payload = [put(inner, number, indices, 0, i) for indices in payload]
            return negative, keys, counts, *payload

        return long_for(b, 0, n, state, trip)

    def one_pass(self, b: LoopBuilder, which: SSAValue, n: Size, state: Values) -> Values:
        """Distribute by one digit into the other half, unless all keys agree in it."""
        half, keys, counts = state[:3]
        first = self.digit_of(b, get(b, keys, half, 0), which)
        total = b.cast(arith.IndexCastOp, b.size(n), self.number)
        differ = b.cmpi("ne", get(b, counts, which, first), total)

        def distribute(inner: LoopBuilder) -> Values:
            other = inner.size(inner.calc("sub", 1, half))
            starts = self.starts(inner, which, counts)
            return other, *self.distribute(inner, which, n, (half, other), starts, state)

        types = [value.type for value in state]
        return b.if_(differ, types, distribute, lambda _: state)

    def starts(self, b: LoopBuilder, which: SSAValue, counts: SSAValue) -> SSAValue:
        """Where the keys of each digit begin."""

        def trip(inner: LoopBuilder, d: SSAValue, carried: Values) -> Values:
            counts, total = carried
            count = get(inner, counts, which, d)
            counts = put(inner, total, counts, which, d)
            return counts, inner.int_op("add", total, count)

        zero = b.number(0, self.number)
        return b.for_(0, 1 << self.digit, 1, (counts, zero), trip)[0]

    def distribute(
        self,
        b: LoopBuilder,
        which: SSAValue,
        n: Size,
        halves: tuple[SSAValue, SSAValue],
        starts: SSAValue,
        state: Values,
    ) -> Values:
        """Move each key to the next free place of its digit; indices go along."""
        source, target = halves
        one = b.number(1, self.number)
        shift = b.int_op("mul", which, b.index(self.digit))
        amount = b.cast(arith.IndexCastOp, shift, self.keys.type)

        def trip(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            keys, counts, *payload = carried
            key = get(inner, keys, source, i)
            digit = self.masked(inner, inner.int_op("shru", key, amount))
            position = get(inner, counts, which, digit)
            counts = put(inner, inner.int_op("add", position, one), counts, which, digit)
            to = inner.cast(arith.IndexCastUIOp, position, INDEX)
            keys = put(inner, key, keys, target, to)
            for k, indices in enumerate(payload):
                payload[k] = put(inner, get(inner, indices, source, i), indices, target, to)
            return keys, counts, *payload

        return long_for(b, 0, n, (state[1], starts, *state[3:]), trip)

    # -- results ----------------------------------------------------------------------------------

    def write_indices(
        self, b: LoopBuilder, out: SSAValue, place: Sequence[Size], n: Size, state: Values
    ) -> SSAValue:
        """The indices, in i64."""
        half, indices = state

        def trip(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            index = get(inner, indices, half, i)
            if index.type != i64:
                index = inner.cast(arith.ExtUIOp, index, i64)
            return (put(inner, index, carried[0], *place, i),)

        return long_for(b, 0, n, (out,), trip)[0]

    def write_keys(
        self, b: LoopBuilder, out: SSAValue, place: Sequence[Size], n: Size, state: Values
    ) -> SSAValue:
        """The elements of the keys."""
        half, keys = state

        def trip(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            value = self.keys.back(inner, get(inner, keys, half, i), element_of(out))
            return (put(inner, value, carried[0], *place, i),)

        return long_for(b, 0, n, (out,), trip)[0]

    # -- zeros ------------------------------------------------------------------------------------

    def or_negative_zero(self, b: LoopBuilder, found: SSAValue, value: SSAValue) -> SSAValue:
        """`found`, or whether an element is -0.0 and its key has to tell."""
        if self.indices or not self.keys.is_float:
            return found
        sign = b.number(self.keys.sign, self.keys.type)
        return b.int_op("or", found, b.cmpi("eq", self.keys.bits(b, value), sign))

    def restore_zeros(
        self,
        b: LoopBuilder,
        x: SSAValue,
        out: SSAValue,
        place: Sequence[Size],
        n: Size,
        negative: SSAValue,
    ) -> SSAValue:
        """Where there is a -0.0 (`negative`), write the zeros of the row in their own order."""
        if self.indices or not self.keys.is_float:
            return out

        def is_zero(inner: LoopBuilder, value: SSAValue) -> SSAValue:
            size = self.keys.magnitude(inner, self.keys.bits(inner, value))
            return inner.cmpi("eq", size, inner.number(0, self.keys.type))

        def look(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            zero = is_zero(inner, get(inner, out, *place, i))
            here = inner.select(zero, i, inner.size(n))
            return (inner.int_op("minu", carried[0], here),)

        def write(inner: LoopBuilder, i: SSAValue, carried: Values) -> Values:
            value = get(inner, x, *place, i)

            def zero(b: LoopBuilder) -> Values:
                target = put(b, value, carried[0], *place, carried[1])
                return target, b.size(b.calc("add", carried[1], 1))

            types = [v.type for v in carried]
            return inner.if_(is_zero(inner, value), types, zero, lambda _: carried)

        def again(inner: LoopBuilder) -> Values:
            (first,) = long_for(inner, 0, n, (inner.size(n),), look)
            return long_for(inner, 0, n, (out, first), write)[:1]

        return b.if_(negative, [out.type], again, lambda _: (out,))[0]
