"""Complex numbers: their parts, and putting them together.

    op       meaning             example
    real     the real part       nd.real %z : tensor<4xcomplex<f32>> -> tensor<4xf32>
    imag     the imaginary part  nd.imag %z : tensor<4xcomplex<f32>> -> tensor<4xf32>
    complex  lhs + rhs i         nd.complex %x, %y : tensor<4xf32> -> tensor<4xcomplex<f32>>

Of the other ops, those that move or choose elements take complex tensors, and `add`, `subtract`,
`negative`, `equal`, `not_equal`, `cast`, and `reduce "sum"`. Everything else is a formula on parts.
"""

from __future__ import annotations

import abc
from typing import ClassVar, cast

from xdsl.dialects.builtin import AnyFloat, ComplexType
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from lamina.dialects.nd.base import SAME, TENSOR, NdOp, element_of, part_type, shape_of


class PartOp(NdOp, abc.ABC):
    """One part of each element."""

    FAMILY: ClassVar[str] = "a complex"
    operand = operand_def(TENSOR)
    result = result_def(TENSOR)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, part_type(element_of(self.operand)))
        self.check_shape(self.result, shape_of(self.operand))


@irdl_op_definition
class RealOp(PartOp):
    """The real part."""

    name = "nd.real"


@irdl_op_definition
class ImagOp(PartOp):
    """The imaginary part."""

    name = "nd.imag"


@irdl_op_definition
class ComplexOp(NdOp):
    """lhs + rhs i."""

    name = "nd.complex"
    FAMILY: ClassVar[str] = "an f32 or f64"
    lhs = operand_def(SAME)
    rhs = operand_def(SAME)
    result = result_def(TENSOR)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def verify_(self) -> None:
        self.check_family(self.lhs)
        self.check_element(self.result, ComplexType(cast(AnyFloat, element_of(self.lhs))))
        self.check_shape(self.result, shape_of(self.lhs))


OPS: tuple[type[NdOp], ...] = (RealOp, ImagOp, ComplexOp)
