"""Random bits, by a counter-based generator: a pure function of its operands.

op           meaning          example
random_bits  Philox4x32-10    nd.random_bits %key, %counter : tensor<5x3xui32>
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness, TensorType
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from lamina.dialects.nd.base import (
    DYNAMIC_INDEX,
    TENSOR,
    NdOp,
    element_of,
    shape_of,
    shape_text,
)

UI32 = IntegerType(32, Signedness.UNSIGNED)
UI64 = IntegerType(64, Signedness.UNSIGNED)


@irdl_op_definition
class RandomBitsOp(NdOp):
    """Element i (row-major) of ui32 is word i % 4 of block i // 4, of ui64 words 2 (i % 2), the
    low one, and 2 (i % 2) + 1 of block i // 2. Block j is Philox4x32-10 of the key and of the
    counter plus j: words 0 and 1 of the counter are one number of 64 bits, which wraps.

    Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011.
    """

    name = "nd.random_bits"
    key = operand_def(TensorType(UI32, [2]))
    counter = operand_def(TensorType(UI32, [4]))
    result = result_def(TENSOR)
    assembly_format = "$key `,` $counter attr-dict `:` type($result)"

    def verify_(self) -> None:
        if (element := element_of(self.result)) not in (UI32, UI64):
            raise self.fail(f"expected element type ui32 or ui64, found {element}")
        if DYNAMIC_INDEX in (shape := shape_of(self.result)):
            raise self.fail(f"expected a static shape, found {shape_text(shape)}")


OPS: tuple[type[NdOp], ...] = (RandomBitsOp,)
