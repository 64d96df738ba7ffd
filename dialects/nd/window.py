"""Windows: elements that lie in a window that moves over the operand.

op             meaning                   example
reduce_window  sum, max, min of windows  nd.reduce_window "max" %x window [1, 2] strides [1, 2] ...
"""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from lamina.dialects.nd.base import (
    DYNAMIC_INDEX,
    TENSOR,
    NdOp,
    element_of,
    ints,
    is_numeric,
    shape_of,
)

KINDS = ("sum", "max", "min")


@irdl_op_definition
class ReduceWindowOp(NdOp):
    """StableHLO reduce_window: the elements of each window combined.

    `window`, `strides` and `dilation` have a number for each axis, `padding` a (low, high) pair;
    what pads changes no result (0, or the type's least or greatest value). Half types accumulate
    in f32 and round once; integers wrap.
    """

    name = "nd.reduce_window"
    operand = operand_def(TENSOR)
    kind = prop_def(StringAttr)
    window = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$kind $operand `window` $window `strides` $strides `padding` $padding "
        "`dilation` $dilation attr-dict `:` type($operand) `->` type($result)"
    )

    def verify_(self) -> None:
        kind, element, rank = self.kind.data, element_of(self.operand), len(shape_of(self.operand))
        if kind not in KINDS:
            raise self.fail(f"expected a kind of {', '.join(KINDS)}, found {kind}")
        if not is_numeric(element):
            raise self.fail(f"expected a numeric element type, found {element}")
        self.check_element(self.result, element)
        counts = [len(p) for p in (self.window, self.strides, self.dilation, self.padding)]
        if counts != [rank, rank, rank, 2 * rank]:
            raise self.fail(
                f"expected {rank} windows, strides and dilations and {2 * rank} paddings, "
                f"found {counts[0]}, {counts[1]}, {counts[2]} and {counts[3]}"
            )
        if min((1, *ints(self.window), *ints(self.strides), *ints(self.dilation))) < 1:
            raise self.fail("expected windows, strides and dilations of 1 or more")
        if min((0, *ints(self.padding))) < 0:
            raise self.fail("expected paddings of 0 or more")
        self.check_shape(self.result, self.expected_shape())

    def expected_shape(self) -> tuple[int, ...]:
        """The result shape that the operand and properties give."""
        window, strides, dilation = ints(self.window), ints(self.strides), ints(self.dilation)
        padding, sizes = ints(self.padding), list[int]()
        for axis, size in enumerate(shape_of(self.operand)):
            low, high = padding[2 * axis], padding[2 * axis + 1]
            if (low, high, window[axis], strides[axis]) == (0, 0, 1, 1) or size == DYNAMIC_INDEX:
                sizes.append(size)
                continue
            padded, reach = size + low + high, dilation[axis] * (window[axis] - 1) + 1
            if reach > max(padded, 1):
                raise self.fail(
                    f"expected a window from 1 to {padded} on axis {axis}, found {reach}"
                )
            sizes.append((padded - reach) // strides[axis] + 1)
        return tuple(sizes)


OPS: tuple[type[NdOp], ...] = (ReduceWindowOp,)
