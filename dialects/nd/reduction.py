"""Reductions: an axis or more is folded away.

op             meaning                              example
reduce         sum, prod, max, min, and, or         nd.reduce "sum" %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
argmax argmin  index of the first NaN or extreme    nd.argmax %x axis 1 : tensor<4x8xf32> -> tensor<4xi64>
"""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from lamina.dialects.nd.base import (
    FAMILIES,
    TENSOR,
    NdOp,
    element_of,
    ints,
    is_bool,
    is_numeric,
    shape_of,
)

KINDS = {"sum": FAMILIES["a numeric or complex"], "prod": is_numeric, "max": is_numeric, "min": is_numeric,
         "and": is_bool, "or": is_bool}  # fmt: skip
"""Kind of reduction -> the element types that it takes."""


@irdl_op_definition
class ReduceOp(NdOp):
    """The elements along `axes` combined. Half types accumulate in f32 and round once."""

    name = "nd.reduce"
    operand = operand_def(TENSOR)
    kind = prop_def(StringAttr)
    axes = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = "$kind $operand `axes` $axes attr-dict `:` type($operand) `->` type($result)"

    def verify_(self) -> None:
        kind, shape = self.kind.data, shape_of(self.operand)
        if kind not in KINDS:
            raise self.fail(f"expected a kind of {', '.join(KINDS)}, found {kind}")
        element = element_of(self.operand)
        if not KINDS[kind](element):
            raise self.fail(f"expected an element type that {kind} takes, found {element}")
        self.check_element(self.result, element)
        axes = ints(self.axes)
        self.check_axes(axes, len(shape))
        empty = [axis for axis in axes if shape[axis] == 0]
        if kind in ("max", "min") and empty:
            raise self.fail(
                f"expected a size of 1 or more on axis {empty[0]} to take the {kind} of, found 0"
            )
        self.check_shape(
            self.result, tuple(size for axis, size in enumerate(shape) if axis not in axes)
        )


class ArgOp(NdOp, abc.ABC):
    """The index along `axis`; the axis is removed."""

    FAMILY: ClassVar[str] = "a numeric"
    operand = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TENSOR)
    assembly_format = "$operand `axis` $axis attr-dict `:` type($operand) `->` type($result)"

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, i64)
        shape, axis = shape_of(self.operand), self.axis.value.data
        self.check_axis(axis, len(shape))
        if shape[axis] == 0:
            raise self.fail(f"expected a size of 1 or more on axis {axis} to search, found 0")
        self.check_shape(self.result, (*shape[:axis], *shape[axis + 1 :]))


@irdl_op_definition
class ArgmaxOp(ArgOp):
    """Index of the first NaN, else of the first largest."""

    name = "nd.argmax"


@irdl_op_definition
class ArgminOp(ArgOp):
    """Index of the first NaN, else of the first smallest."""

    name = "nd.argmin"


OPS: tuple[type[NdOp], ...] = (ReduceOp, ArgmaxOp, ArgminOp)
