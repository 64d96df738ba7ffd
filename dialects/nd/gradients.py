"""Ops that say how gradients are computed.

op                    meaning                            example
optimization_barrier  its operand, as a value of its own nd.optimization_barrier %x : tensor<4xf32>
custom_vjp            values with another derivative     nd.custom_vjp %y for %x backward { ... }
yield                 ends the way back of a custom_vjp
"""

from __future__ import annotations

from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.nd.base import TENSOR, NdOp
from lamina.dialects.nd.elementwise import UnaryOp


@irdl_op_definition
class OptimizationBarrierOp(UnaryOp):
    """The operand. What is computed from the result is not merged with what is computed from the
    operand (as StableHLO's op of that name): values that are computed again stay so."""

    name = "nd.optimization_barrier"


@irdl_op_definition
class CustomVjpOp(IRDLOperation):
    """`values`, whose gradient goes to `inputs`: `backward` takes a cotangent of each result, and
    yields one of each input. No gradient goes to `values`."""

    name = "nd.custom_vjp"
    values = var_operand_def(TENSOR)
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    backward = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "$values (`for` $inputs^)? attr-dict `:` type($values) `->` type($outputs) "
        "(`for` type($inputs)^)? `backward` $backward"
    )

    def verify_(self) -> None:
        block = self.backward.block
        end = block.last_op
        if not isinstance(end, YieldOp):
            raise VerifyException("nd.custom_vjp: expected a block that ends in nd.yield")
        types = [value.type for value in self.values]
        for what, found, expected in (
            ("results", self.outputs.types, types),
            ("block arguments", [arg.type for arg in block.args], types),
            ("cotangents", end.operand_types, [value.type for value in self.inputs]),
        ):
            if list(found) != list(expected):
                raise VerifyException(
                    f"nd.custom_vjp: expected {what} of types {_listed(expected)}, "
                    f"found {_listed(found)}"
                )


def _listed(types: object) -> str:
    assert isinstance(types, (list, tuple))
    return ", ".join(map(str, types)) or "none"  # pyright: ignore[reportUnknownArgumentType]


@irdl_op_definition
class YieldOp(AbstractYieldOperation[Attribute]):
    """The cotangents that a way back gives."""

    name = "nd.yield"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(CustomVjpOp), Pure()))


OPS: tuple[type[NdOp], ...] = (OptimizationBarrierOp,)
REGIONS = (CustomVjpOp, YieldOp)
