"""The vector dialect: xDSL's operations, `step`, `gather`, `transpose`, `shape_cast`.

- `reduction`: xDSL's constructor gives the vector's type to the scalar result.
- `bitcast`, `create_mask`, `shuffle` are pure, and loads only read: xDSL says nothing, so that
  dead ones stay.

    %i = vector.step : vector<16xindex>
    %g = vector.gather %m[%c0] [%i32], %mask, %pass : memref<?xf32>, vector<16xi32>,
         vector<16xi1>, vector<16xf32> into vector<16xf32>
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.vector import BitcastOp as XdslBitcastOp
from xdsl.dialects.vector import (
    BroadcastOp,
    CombiningKindAttr,
    CombiningKindFlag,
    ExtractOp,
    FMAOp,
    InsertOp,
    MaskedStoreOp,
    StoreOp,
    TransferReadOp,
    TransferWriteOp,
)
from xdsl.dialects.vector import CreateMaskOp as XdslCreateMaskOp
from xdsl.dialects.vector import LoadOp as XdslLoadOp
from xdsl.dialects.vector import MaskedLoadOp as XdslMaskedLoadOp
from xdsl.dialects.vector import ReductionOp as XdslReductionOp
from xdsl.dialects.vector import ShuffleOp as XdslShuffleOp
from xdsl.dialects.vector import Vector as XdslVector
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyOf,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from lamina.dialects.builtin import corrected


class BitcastOp(XdslBitcastOp):
    """The same bits as elements of another type."""

    traits = traits_def(Pure())


class CreateMaskOp(XdslCreateMaskOp):
    """True in the first `n` places of each dimension."""

    traits = traits_def(Pure())
    # xDSL's parser looks for accessors in the class itself, not in its bases
    mask_vector = XdslCreateMaskOp.__dict__["mask_vector"]


class ShuffleOp(XdslShuffleOp):
    """Choose elements of two vectors by a constant list of positions."""

    traits = traits_def(Pure())
    v1, v2 = XdslShuffleOp.__dict__["v1"], XdslShuffleOp.__dict__["v2"]


class LoadOp(XdslLoadOp):
    """Consecutive elements from `indices` on, all in bounds."""

    traits = traits_def(MemoryReadEffect())


class MaskedLoadOp(XdslMaskedLoadOp):
    """Consecutive elements where the mask is set; elsewhere those of `pass_thru`, unread."""

    traits = traits_def(MemoryReadEffect())


class ReductionOp(XdslReductionOp):
    """Combine the elements of a vector, and `acc` if given, to a scalar."""

    traits = traits_def(Pure())

    def __init__(
        self,
        vector: SSAValue | Operation,
        kind: CombiningKindAttr | CombiningKindFlag,
        acc: SSAValue | Operation | None = None,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        type = SSAValue.get(vector).type
        if not isa(type, VectorType):
            raise VerifyException(f"{self.name}: expected a vector, found {type}")
        if isinstance(kind, CombiningKindFlag):
            kind = CombiningKindAttr(kind)
        IRDLOperation.__init__(
            self,
            operands=[vector, acc],
            result_types=[type.element_type],
            properties={"kind": kind, "fastmath": fastmath},
        )


@irdl_op_definition
class StepOp(IRDLOperation):
    """0, 1, 2, ... as indices."""

    name = "vector.step"

    result = result_def(VectorType.constr(IndexType()))

    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, result_type: VectorType) -> None:
        super().__init__(result_types=[result_type])


@irdl_op_definition
class GatherOp(IRDLOperation):
    """`base[indices + offsets[k]]` where the mask is set, else `pass_thru[k]`, unread.

    `offsets` count elements of the innermost dimension.
    """

    name = "vector.gather"

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    offsets = operand_def(VectorType.constr(AnyOf.get(IntegerType, IndexType)))
    mask = operand_def(VectorType.constr(i1))
    pass_thru = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$base `[` $indices `]` `[` $offsets `]` `,` $mask `,` $pass_thru attr-dict `:` "
        "type($base) `,` type($offsets) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        offsets: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation,
    ) -> None:
        super().__init__(
            operands=[base, indices, offsets, mask, pass_thru],
            result_types=[SSAValue.get(pass_thru).type],
        )

    def verify_(self) -> None:
        if self.pass_thru.type != self.result.type:
            raise VerifyException(
                f"{self.name}: expected pass_thru of type {self.result.type}, "
                f"found {self.pass_thru.type}"
            )


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """Dimension `k` of the result is dimension `permutation[k]` of the vector."""

    name = "vector.transpose"

    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(I64))
    result = result_def(VectorType)

    traits = traits_def(Pure())

    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    def __init__(self, vector: SSAValue | Operation, permutation: Sequence[int]) -> None:
        type = SSAValue.get(vector).type
        if not isa(type, VectorType):
            raise VerifyException(f"{self.name}: expected a vector, found {type}")
        shape = type.get_shape()
        super().__init__(
            operands=[vector],
            result_types=[VectorType(type.element_type, [shape[k] for k in permutation])],
            properties={"permutation": DenseArrayBase.from_list(i64, permutation)},
        )


@irdl_op_definition
class ShapeCastOp(IRDLOperation):
    """The same elements in row-major order, in another shape."""

    name = "vector.shape_cast"

    source = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue | Operation, result_type: VectorType) -> None:
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isa(source, VectorType) and isa(result, VectorType)
        if source.element_type != result.element_type or math.prod(source.get_shape()) != math.prod(
            result.get_shape()
        ):
            raise VerifyException(
                f"{self.name}: expected equal element types and counts, found {source} to {result}"
            )


Vector = corrected(
    XdslVector,
    [
        BitcastOp,
        CreateMaskOp,
        GatherOp,
        LoadOp,
        MaskedLoadOp,
        ReductionOp,
        ShapeCastOp,
        ShuffleOp,
        StepOp,
        TransposeOp,
    ],
)

__all__ = [
    "BitcastOp",
    "BroadcastOp",
    "CombiningKindAttr",
    "CombiningKindFlag",
    "CreateMaskOp",
    "ExtractOp",
    "FMAOp",
    "GatherOp",
    "InsertOp",
    "LoadOp",
    "MaskedLoadOp",
    "MaskedStoreOp",
    "ReductionOp",
    "ShapeCastOp",
    "ShuffleOp",
    "StepOp",
    "StoreOp",
    "TransferReadOp",
    "TransferWriteOp",
    "TransposeOp",
    "Vector",
]
