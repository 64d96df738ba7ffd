"""Random bits, by a counter-based generator: a pure function of its operands.

op           meaning          example
random_bits  Philox4x32-10    nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<5x3xui32>
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness
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

    Keys of shape (*batch, 2) and counters of shape (*batch, 4) give as many streams: the result has
    the axes `batch` in front, and i is an element's number in its own stream.

    Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011.
    """

    name = "nd.random_bits"
    key = operand_def(TENSOR)
    counter = operand_def(TENSOR)
    result = result_def(TENSOR)
    assembly_format = (
        "$key `,` $counter attr-dict `:` type($key) `,` type($counter) `->` type($result)"
    )

    def verify_(self) -> None:
        for value in (self.key, self.counter):
            self.check_element(value, UI32)
        if (element := element_of(self.result)) not in (UI32, UI64):
            raise self.fail(f"expected element type ui32 or ui64, found {element}")
        if DYNAMIC_INDEX in (shape := shape_of(self.result)):
            raise self.fail(f"expected a static shape, found {shape_text(shape)}")
        batch = shape_of(self.key)[:-1]
        self.check_shape(self.key, (*batch, 2))
        self.check_shape(self.counter, (*batch, 4))
        self.check_shape(self.result, (*batch, *shape[len(batch) :]))


OPS: tuple[type[NdOp], ...] = (RandomBitsOp,)
