"""Sorting, and searching in what is sorted: NaN last, -0.0 equal to +0.0, ties in their order.

Complex numbers are ordered by their real, then by their imaginary parts; those with a NaN are last,
first the ones with a real part that is a number.

op            meaning                                example
sort          the elements along an axis, in order   nd.sort %x axis 1 order "ascending" : tensor<4x8xf32>
argsort       their indices, in that order           nd.argsort %x axis 1 order "descending" : tensor<4x8xf32> -> tensor<4x8xi64>
searchsorted  where values would be put in           nd.searchsorted %sorted, %values side "left" : tensor<8xf32>, tensor<4xf32> -> tensor<4xi64>
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from lamina.dialects.nd.base import SAME, TENSOR, NdOp, element_of, shape_of, shape_text

ORDERS = ("ascending", "descending")
SIDES = ("left", "right")


def check_order(op: NdOp, operand: SSAValue, axis: IntegerAttr, order: StringAttr) -> None:
    """Raise unless `operand` can be sorted along `axis` in this order."""
    op.check_family(operand)
    op.check_axis(axis.value.data, len(shape_of(operand)))
    if order.data not in ORDERS:
        raise op.fail(f"expected an order of {', '.join(ORDERS)}, found {order.data}")


@irdl_op_definition
class SortOp(NdOp):
    """The elements along `axis` in order."""

    name = "nd.sort"
    operand = operand_def(SAME)
    axis = prop_def(IntegerAttr.constr(i64))
    order = prop_def(StringAttr)
    result = result_def(SAME)
    assembly_format = "$operand `axis` $axis `order` $order attr-dict `:` type($operand)"

    def verify_(self) -> None:
        check_order(self, self.operand, self.axis, self.order)


@irdl_op_definition
class ArgsortOp(NdOp):
    """The indices of the elements along `axis`, in the elements' order."""

    name = "nd.argsort"
    operand = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(i64))
    order = prop_def(StringAttr)
    result = result_def(TENSOR)
    assembly_format = (
        "$operand `axis` $axis `order` $order attr-dict `:` type($operand) `->` type($result)"
    )

    def verify_(self) -> None:
        check_order(self, self.operand, self.axis, self.order)
        self.check_element(self.result, i64)
        self.check_shape(self.result, shape_of(self.operand))


@irdl_op_definition
class SearchsortedOp(NdOp):
    """For each of `values` the number of elements of `sorted` that are less ("left"), or not
    greater ("right")."""

    name = "nd.searchsorted"
    sorted = operand_def(TENSOR)
    values = operand_def(TENSOR)
    side = prop_def(StringAttr)
    result = result_def(TENSOR)
    assembly_format = (
        "$sorted `,` $values `side` $side attr-dict "
        "`:` type($sorted) `,` type($values) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.sorted)
        self.check_element(self.values, element_of(self.sorted))
        if len(shape_of(self.sorted)) != 1:
            raise self.fail(
                f"expected a sorted tensor of rank 1, found {shape_text(shape_of(self.sorted))}"
            )
        if self.side.data not in SIDES:
            raise self.fail(f"expected a side of {', '.join(SIDES)}, found {self.side.data}")
        self.check_element(self.result, i64)
        self.check_shape(self.result, shape_of(self.values))


OPS: tuple[type[NdOp], ...] = (SortOp, ArgsortOp, SearchsortedOp)
