"""`nd-to-linalg`: random bits are one generic that computes Philox4x32-10 of its index.

Every element computes its whole block and keeps its words of it: four times the arithmetic of a
loop over blocks, but it is elementwise, so it has vectors and fuses with what reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from lamina.dialects import arith, linalg
from lamina.dialects.nd.base import element_of, shape_of
from lamina.dialects.nd.random import UI64, RandomBitsOp
from lamina.dialects.philox import MULTIPLIERS, ROUNDS, WEYL
from lamina.lowering.builder import INDEX, Builder
from lamina.lowering.linalg_builder import (
    LinalgBuilder,
    Rule,
    affine_map,
    memory_element,
)

Words = tuple[SSAValue, SSAValue, SSAValue, SSAValue]


def flat_index(b: Builder, shape: Sequence[int], first: int) -> SSAValue:
    """The row-major number of an element along the axes from `first` on, i64."""
    total = b.number(0, i64)
    for axis, size in enumerate(shape):
        if axis < first or size == 1:
            continue
        index = b.value(linalg.IndexOp, (), INDEX, {"dim": IntegerAttr(axis, i64)})
        stride = b.number(prod(shape[axis + 1 :]), i64)
        step = b.int_op("mul", b.cast(arith.IndexCastOp, index, i64), stride)
        total = b.int_op("add", total, step)
    return total


def philox(b: Builder, words: Words, keys: tuple[SSAValue, SSAValue]) -> Words:
    """The block of a counter. A word is the low half of an i64; what is above it is no part."""
    one, two = keys
    for turn in range(ROUNDS):
        w, x, y, z = words
        p, q = product(b, w, MULTIPLIERS[0]), product(b, y, MULTIPLIERS[1])
        first = b.int_op("xor", b.int_op("xor", high(b, q), x), one)
        third = b.int_op("xor", b.int_op("xor", high(b, p), z), two)
        words = (first, q, third, p)
        if turn < ROUNDS - 1:
            one = b.int_op("add", one, b.number(WEYL[0], i64))
            two = b.int_op("add", two, b.number(WEYL[1], i64))
    return words


def product(b: Builder, word: SSAValue, multiplier: int) -> SSAValue:
    """All 64 bits of a word times a number: a multiplication of halves where the machine has it."""
    return b.int_op("mul", low(b, word), b.number(multiplier, i64))


def low(b: Builder, value: SSAValue) -> SSAValue:
    """The low half of an i64."""
    return b.int_op("and", value, b.number(0xFFFFFFFF, i64))


def high(b: Builder, value: SSAValue) -> SSAValue:
    """The high half of an i64."""
    return b.int_op("shru", value, b.number(32, i64))


def lower_random_bits(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """The words of an element's block that are its own."""
    shape = shape_of(op.results[0])
    wide = element_of(op.results[0]) == UI64
    rank = len(shape)
    key, counter = operands
    batch = len(shape_of(key)) - 1
    streams = [AffineExpr.dimension(axis) for axis in range(batch)]
    inputs = [(key, affine_map(rank, (*streams, place))) for place in range(2)]
    inputs += [(counter, affine_map(rank, (*streams, place))) for place in range(4)]

    def body(inner: Builder, args: Sequence[SSAValue]) -> SSAValue:
        one, two, *start = (inner.cast(arith.ExtUIOp, word, i64) for word in args)
        index = flat_index(inner, shape, batch)
        block = inner.int_op("shru", index, inner.number(1 if wide else 2, i64))
        number = inner.int_op("or", start[0], raised(inner, start[1]))
        number = inner.int_op("add", number, block)
        words = (number, high(inner, number), start[2], start[3])
        w, x, y, z = philox(inner, words, (one, two))
        odd = has_bit(inner, index, 0)
        if wide:
            first, second = inner.select(odd, y, w), inner.select(odd, z, x)
            return inner.int_op("or", low(inner, first), raised(inner, second))
        upper = has_bit(inner, index, 1)
        word = inner.select(upper, inner.select(odd, z, y), inner.select(odd, x, w))
        return inner.cast(arith.TruncIOp, word, i32)

    return b.map(inputs, shape, memory_element(element_of(op.results[0])), body)


def raised(b: Builder, value: SSAValue) -> SSAValue:
    """The low half of an i64 as the high half."""
    return b.int_op("shl", value, b.number(32, i64))


def has_bit(b: Builder, value: SSAValue, place: int) -> SSAValue:
    """Whether a bit is set."""
    bit = b.int_op("and", value, b.number(1 << place, i64))
    return b.cmpi("ne", bit, b.number(0, i64))


RULES: dict[type[Operation], Rule] = {RandomBitsOp: lower_random_bits}
