"""Scans: each element combined with all before it along an axis.

op    meaning                            example
scan  running sum, prod, max or min      nd.scan "sum" %x axis 1 direction "forward" : tensor<4x8xf32>
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from lamina.dialects.nd.base import FAMILIES, SAME, NdOp, element_of, is_numeric, shape_of

KINDS = {"sum": FAMILIES["a numeric or complex"], "prod": is_numeric, "max": is_numeric,
         "min": is_numeric}  # fmt: skip
"""Kind of scan -> the element types that it takes."""
DIRECTIONS = ("forward", "reverse")


@irdl_op_definition
class ScanOp(NdOp):
    """Element k along `axis` is elements 0 to k combined, or k to the last ("reverse").

    Half types accumulate in f32 and round once.
    """

    name = "nd.scan"
    operand = operand_def(SAME)
    kind = prop_def(StringAttr)
    axis = prop_def(IntegerAttr.constr(i64))
    direction = prop_def(StringAttr)
    result = result_def(SAME)
    assembly_format = (
        "$kind $operand `axis` $axis `direction` $direction attr-dict `:` type($operand)"
    )

    def verify_(self) -> None:
        if self.kind.data not in KINDS:
            raise self.fail(f"expected a kind of {', '.join(KINDS)}, found {self.kind.data}")
        if self.direction.data not in DIRECTIONS:
            raise self.fail(
                f"expected a direction of {', '.join(DIRECTIONS)}, found {self.direction.data}"
            )
        element = element_of(self.operand)
        if not KINDS[self.kind.data](element):
            raise self.fail(
                f"expected an element type that {self.kind.data} takes, found {element}"
            )
        self.check_axis(self.axis.value.data, len(shape_of(self.operand)))


OPS: tuple[type[NdOp], ...] = (ScanOp,)
