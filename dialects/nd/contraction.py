"""Contractions: sums of products.

op           meaning                       example
dot_general  batch and contracting dims    nd.dot_general %a, %b batch [] [] contract [1] [0] : ...
conv         convolution, N C spatial      nd.conv %x, %w strides [1, 1] padding [0, 0, 0, 0] ...
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from lamina.dialects.nd.base import (
    DYNAMIC_INDEX,
    TENSOR,
    NdOp,
    element_of,
    fits,
    ints,
    shape_of,
    shape_text,
    size_text,
)


@irdl_op_definition
class DotGeneralOp(NdOp):
    """StableHLO dot_general: result dims are batch, then the free dims of `lhs`, then of `rhs`.

    Half types accumulate in f32 and round once; integers wrap.
    """

    name = "nd.dot_general"
    FAMILY: ClassVar[str] = "a numeric"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    lhs_batch = prop_def(DenseArrayBase.constr(i64))
    rhs_batch = prop_def(DenseArrayBase.constr(i64))
    lhs_contract = prop_def(DenseArrayBase.constr(i64))
    rhs_contract = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$lhs `,` $rhs `batch` $lhs_batch $rhs_batch `contract` $lhs_contract $rhs_contract "
        "attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.lhs)
        self.check_element(self.rhs, element_of(self.lhs))
        self.check_element(self.result, element_of(self.lhs))
        lhs, rhs = shape_of(self.lhs), shape_of(self.rhs)
        left = (*ints(self.lhs_batch), *ints(self.lhs_contract))
        right = (*ints(self.rhs_batch), *ints(self.rhs_contract))
        self.check_axes(left, len(lhs), "lhs dims")
        self.check_axes(right, len(rhs), "rhs dims")
        if len(self.lhs_batch) != len(self.rhs_batch) or len(left) != len(right):
            counts = len(self.lhs_batch), len(self.rhs_batch)
            contracted = len(self.lhs_contract), len(self.rhs_contract)
            raise self.fail(
                f"expected as many lhs as rhs dims, found {counts[0]} and {counts[1]} batch dims, "
                f"{contracted[0]} and {contracted[1]} contracting dims"
            )
        for i, j in zip(left, right, strict=True):
            if not fits(lhs[i], rhs[j]):
                raise self.fail(
                    f"expected equal sizes of lhs dim {i} and rhs dim {j}, "
                    f"found {shape_text(lhs)} and {shape_text(rhs)}"
                )
        batch = [lhs[i] for i in ints(self.lhs_batch)]
        free = [size for i, size in enumerate(lhs) if i not in left]
        free += [size for j, size in enumerate(rhs) if j not in right]
        self.check_shape(self.result, (*batch, *free))


@irdl_op_definition
class ConvOp(NdOp):
    """Convolution of `input` (N, C, *S) with `kernel` (O, C/groups, *K), as ONNX Conv.

    `padding` holds (low, high) for each spatial axis; `strides` and `dilation` one each.
    """

    name = "nd.conv"
    FAMILY: ClassVar[str] = "a numeric"
    input = operand_def(TENSOR)
    kernel = operand_def(TENSOR)
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))
    groups = prop_def(IntegerAttr.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$input `,` $kernel `strides` $strides `padding` $padding `dilation` $dilation "
        "`groups` $groups attr-dict `:` type($input) `,` type($kernel) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.input)
        self.check_element(self.kernel, element_of(self.input))
        self.check_element(self.result, element_of(self.input))
        x, w, groups = shape_of(self.input), shape_of(self.kernel), self.groups.value.data
        rank = len(x) - 2
        if rank < 1 or len(w) != len(x):
            raise self.fail(f"expected equal ranks of 3 or more, found {len(x)} and {len(w)}")
        lengths = (len(self.strides), len(self.dilation), len(self.padding))
        if lengths != (rank, rank, 2 * rank):
            raise self.fail(
                f"expected {rank} strides, {rank} dilations, {2 * rank} paddings, "
                f"found {lengths[0]}, {lengths[1]}, {lengths[2]}"
            )
        if min(*ints(self.strides), *ints(self.dilation)) < 1 or min(ints(self.padding)) < 0:
            raise self.fail("expected strides and dilation of 1 or more, padding of 0 or more")
        if groups < 1 or not fits(w[0], w[0] // groups * groups):
            raise self.fail(
                f"expected output channels in {groups} groups of equal size, found {size_text(w[0])}"
            )
        if DYNAMIC_INDEX not in (x[1], w[1]) and x[1] != w[1] * groups:
            raise self.fail(f"expected {w[1]} x {groups} input channels, found {x[1]}")
        self.check_shape(self.result, self.expected_shape())

    def expected_shape(self) -> tuple[int, ...]:
        """The result shape that the operands and properties give."""
        x, w = shape_of(self.input), shape_of(self.kernel)
        strides, dilation, padding = ints(self.strides), ints(self.dilation), ints(self.padding)
        spatial: list[int] = []
        for i, (size, window) in enumerate(zip(x[2:], w[2:], strict=True)):
            if DYNAMIC_INDEX in (size, window):
                spatial.append(DYNAMIC_INDEX)
                continue
            reach = dilation[i] * (window - 1) + 1
            room = size + padding[2 * i] + padding[2 * i + 1] - reach
            if window < 1 or room < 0:
                raise self.fail(
                    f"expected a window from 1 to {room + reach} on spatial axis {i}, "
                    f"found {reach if window else 0}"
                )
            spatial.append(room // strides[i] + 1)
        return (x[0], w[0], *spatial)


OPS: tuple[type[NdOp], ...] = (DotGeneralOp, ConvOp)
