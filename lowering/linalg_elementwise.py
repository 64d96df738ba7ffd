"""`nd-to-linalg`: elementwise ops become one `linalg.generic` each, with identity maps.

%r = nd.add %x, %y : tensor<4xf16>
// x and y extended to f32, added, truncated: the half rule, one rounding an nd op
%r = linalg.generic ... ins(%x, %y) outs(%e) { extf extf addf truncf } -> tensor<4xf16>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects.nd import elementwise as nd
from lamina.dialects.nd import transcendental
from lamina.dialects.nd.base import element_of, is_integer, is_unsigned
from lamina.lowering.builder import Builder
from lamina.lowering.linalg_builder import (
    LinalgBuilder,
    Rule,
    compute_element,
    memory_element,
    to_memory,
    to_register,
)
from lamina.lowering.scalar_math import MATH_OPS, next_after
from lamina.lowering.scalar_ops import SCALAR_OPS, Scalars, cast_scalar

ELEMENT_RULES = {**SCALAR_OPS, **MATH_OPS}


def lower_elementwise(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """Any op of `ELEMENT_RULES`."""
    elements = [element_of(operand) for operand in op.operands]
    result = element_of(op.results[0])
    rule = ELEMENT_RULES[op.name]

    def body(inner: Builder, args: Sequence[SSAValue]) -> SSAValue:
        values = [to_register(inner, a, e) for a, e in zip(args, elements, strict=True)]
        emit = Scalars(inner, compute_element(elements[-1]), is_unsigned(elements[-1]))
        return to_memory(inner, rule(emit, values), result)

    sizes = b.sizes_of(operands[0])
    identity = AffineMap.identity(len(sizes))
    return b.map([(v, identity) for v in operands], sizes, memory_element(result), body)


def lower_cast(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """`nd.cast`."""
    source, target = element_of(op.operands[0]), element_of(op.results[0])
    if source == target or (
        is_integer(source) and is_integer(target) and _width(source) == _width(target)
    ):
        return operands[0]  # the same bits

    def body(inner: Builder, args: Sequence[SSAValue]) -> SSAValue:
        value = args[0] if source != i1 else to_register(inner, args[0], source)
        result = i1 if target == i1 else memory_element(target)
        value = cast_scalar(
            inner,
            value,
            result,
            from_unsigned=is_unsigned(source),
            to_unsigned=is_unsigned(target),
        )
        return to_memory(inner, value, target) if target == i1 else value

    sizes = b.sizes_of(operands[0])
    identity = AffineMap.identity(len(sizes))
    return b.map([(operands[0], identity)], sizes, memory_element(target), body)


def lower_nextafter(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """`nd.nextafter`: on the bits as they are in memory, half types too."""
    sizes = b.sizes_of(operands[0])
    identity = AffineMap.identity(len(sizes))
    inputs = [(v, identity) for v in operands]
    return b.map(inputs, sizes, element_of(op.results[0]), lambda inner, a: next_after(inner, *a))


def _width(element: Attribute) -> int:
    return cast(IntegerType, element).width.data


RULES: dict[type[Operation], Rule] = {
    **{
        kind: lower_elementwise
        for kind in (*nd.OPS, *transcendental.OPS)
        if kind.name in ELEMENT_RULES
    },
    nd.CastOp: lower_cast,
    nd.NextafterOp: lower_nextafter,
}
