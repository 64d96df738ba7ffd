"""`nd-to-linalg`: what control flow reads of a tensor; the regions of `scf` ops are kept.

%f = tensor.extract %p[] : tensor<i1>
// bool is i8 in tensors
%b = tensor.extract %p[] : tensor<i8>
%f = arith.cmpi ne, %b, %c0 : i8
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue

from lamina.dialects.nd.gradients import OptimizationBarrierOp
from lamina.lowering.linalg_builder import LinalgBuilder, Rule, memory_element, to_register


def lower_extract(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """One element, as a scalar."""
    element = op.results[0].type
    found = b.value(tensor.ExtractOp, operands, memory_element(element))
    return found if memory_element(element) == element else to_register(b, found, element)


def lower_barrier(b: LinalgBuilder, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """The operand: nothing merges values from here on."""
    return operands[0]


RULES: dict[type[Operation], Rule] = {
    tensor.ExtractOp: lower_extract,
    OptimizationBarrierOp: lower_barrier,
}
