"""Ops that make, move or choose elements. A `?` of a result takes its size from an operand.

op                    meaning                                    example
constant              a literal                                  nd.constant dense<1.0> : tensor<2xf32>
iota                  indices along an axis                      nd.iota axis 0 : tensor<4xi64>
dim                   a size, as an index                        nd.dim %x axis 0 : tensor<?xf32>
from_index to_index   index <-> tensor<i64>                      nd.from_index %i : tensor<i64>
broadcast             StableHLO broadcast_in_dim                 nd.broadcast %x dims [1] : tensor<4xf32> -> tensor<2x4xf32>
reshape               same elements in row-major order           nd.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
transpose             axes permuted                              nd.transpose %x permutation [1, 0] : ...
reverse               order along axes reversed                  nd.reverse %x axes [0] : tensor<4xf32>
concat                joined along an axis                       nd.concat %x, %y axis 0 : ...
pad                   low and high edges filled with a value     nd.pad %x, %v low [1] high [0] : ...
slice                 static bounds and strides                  nd.slice %x starts [0] limits [4] strides [2] : ...
dynamic_slice         run-time starts (and sizes: -1), clamped   nd.dynamic_slice %x[%i, %n] sizes [-1] : ...
dynamic_update_slice  a copy with a window replaced              nd.dynamic_update_slice %x, %u[%i] : ...
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParamAttrConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)

from lamina.dialects.nd.base import (
    DYNAMIC_INDEX,
    SAME,
    TENSOR,
    NdOp,
    element_of,
    fits,
    ints,
    shape_of,
    shape_text,
    size_text,
)


@irdl_op_definition
class ConstantOp(NdOp):
    """A literal. Above 1 KiB the value is a `dense_resource` that travels beside the IR."""

    name = "nd.constant"
    value = prop_def(
        ParamAttrConstraint(DenseIntOrFPElementsAttr, (SAME, AnyAttr()))
        | ParamAttrConstraint(DenseResourceAttr, (AnyAttr(), SAME))
    )
    result = result_def(SAME)
    assembly_format = "attr-dict $value"

    def verify_(self) -> None:
        self.check_family(self.result)
        if DYNAMIC_INDEX in shape_of(self.result):
            raise self.fail(f"expected a static shape, found {shape_text(shape_of(self.result))}")


@irdl_op_definition
class IotaOp(NdOp):
    """The index along `axis` at each place."""

    name = "nd.iota"
    FAMILY: ClassVar[str] = "a numeric"
    sizes = var_operand_def(IndexType())
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TENSOR)
    assembly_format = "(`[` $sizes^ `]`)? `axis` $axis attr-dict `:` type($result)"

    def verify_(self) -> None:
        self.check_family(self.result)
        self.check_axis(self.axis.value.data, len(shape_of(self.result)))
        self.check_sizes(len(self.sizes), self.result)


@irdl_op_definition
class DimOp(NdOp):
    """The size of an axis."""

    name = "nd.dim"
    operand = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(IndexType())
    assembly_format = "$operand `axis` $axis attr-dict `:` type($operand)"

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_axis(self.axis.value.data, len(shape_of(self.operand)))


@irdl_op_definition
class FromIndexOp(NdOp):
    """An index as a 0-d tensor."""

    name = "nd.from_index"
    operand = operand_def(IndexType())
    result = result_def(TENSOR)
    assembly_format = "$operand attr-dict `:` type($result)"

    def verify_(self) -> None:
        self.check_element(self.result, i64)
        self.check_shape(self.result, ())


@irdl_op_definition
class ToIndexOp(NdOp):
    """A 0-d tensor as an index."""

    name = "nd.to_index"
    operand = operand_def(TENSOR)
    result = result_def(IndexType())
    assembly_format = "$operand attr-dict `:` type($operand)"

    def verify_(self) -> None:
        self.check_element(self.operand, i64)
        self.check_shape(self.operand, ())


@irdl_op_definition
class BroadcastOp(NdOp):
    """Operand dim `i` becomes result dim `dims[i]`; a size of 1 is stretched, others are kept."""

    name = "nd.broadcast"
    operand = operand_def(TENSOR)
    sizes = var_operand_def(IndexType())
    dims = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$operand (`[` $sizes^ `]`)? `dims` $dims attr-dict `:` type($operand) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, element_of(self.operand))
        dims, shape, result = ints(self.dims), shape_of(self.operand), shape_of(self.result)
        if len(dims) != len(shape):
            raise self.fail(f"expected {len(shape)} dims, one for each axis, found {len(dims)}")
        self.check_axes(dims, len(result), "dims")
        for size, dim in zip(shape, dims, strict=True):
            if size != 1 and not fits(size, result[dim]):
                raise self.fail(f"expected size 1 or {size_text(result[dim])}, found {size}")
        self.check_sizes(len(self.sizes), self.result)


@irdl_op_definition
class ReshapeOp(NdOp):
    """The same elements, in row-major order, in another shape."""

    name = "nd.reshape"
    operand = operand_def(TENSOR)
    sizes = var_operand_def(IndexType())
    result = result_def(TENSOR)
    assembly_format = "$operand (`[` $sizes^ `]`)? attr-dict `:` type($operand) `->` type($result)"

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, element_of(self.operand))
        shape, result = shape_of(self.operand), shape_of(self.result)
        if DYNAMIC_INDEX not in (*shape, *result) and prod(shape) != prod(result):
            raise self.fail(
                f"expected {prod(shape)} elements, found {shape_text(result)} with {prod(result)}"
            )
        self.check_sizes(len(self.sizes), self.result)


@irdl_op_definition
class TransposeOp(NdOp):
    """Result axis `i` is operand axis `permutation[i]`."""

    name = "nd.transpose"
    operand = operand_def(TENSOR)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$operand `permutation` $permutation attr-dict `:` type($operand) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, element_of(self.operand))
        permutation, shape = ints(self.permutation), shape_of(self.operand)
        if sorted(permutation) != list(range(len(shape))):
            raise self.fail(
                f"expected a permutation of {len(shape)} axes, found {list(permutation)}"
            )
        self.check_shape(self.result, tuple(shape[axis] for axis in permutation))


@irdl_op_definition
class ReverseOp(NdOp):
    """The order along `axes` reversed."""

    name = "nd.reverse"
    operand = operand_def(SAME)
    axes = prop_def(DenseArrayBase.constr(i64))
    result = result_def(SAME)
    assembly_format = "$operand `axes` $axes attr-dict `:` type($result)"

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_axes(ints(self.axes), len(shape_of(self.operand)))


@irdl_op_definition
class ConcatOp(NdOp):
    """Operands joined along `axis`."""

    name = "nd.concat"
    inputs = var_operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(TENSOR)
    assembly_format = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)"

    def verify_(self) -> None:
        if not self.inputs:
            raise self.fail("expected at least one operand, found none")
        self.check_family(self.result)
        result, axis = shape_of(self.result), self.axis.value.data
        self.check_axis(axis, len(result))
        for value in self.inputs:
            self.check_element(value, element_of(self.result))
            shape = shape_of(value)
            if len(shape) != len(result):
                raise self.fail(f"expected rank {len(result)}, found {shape_text(shape)}")
            self.check_shape(value, (*result[:axis], shape[axis], *result[axis + 1 :]))
        sizes = [shape_of(value)[axis] for value in self.inputs]
        if DYNAMIC_INDEX not in sizes and not fits(sum(sizes), result[axis]):
            raise self.fail(
                f"expected size {sum(sizes)} on axis {axis}, found {size_text(result[axis])}"
            )


@irdl_op_definition
class PadOp(NdOp):
    """`low[i]` and `high[i]` copies of the 0-d `value` before and after axis `i`."""

    name = "nd.pad"
    operand = operand_def(TENSOR)
    value = operand_def(TENSOR)
    low = prop_def(DenseArrayBase.constr(i64))
    high = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$operand `,` $value `low` $low `high` $high attr-dict "
        "`:` type($operand) `,` type($value) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, element_of(self.operand))
        self.check_element(self.value, element_of(self.operand))
        self.check_shape(self.value, ())
        shape, low, high = shape_of(self.operand), ints(self.low), ints(self.high)
        if not len(low) == len(high) == len(shape) or min((*low, *high), default=0) < 0:
            raise self.fail(
                f"expected {len(shape)} edges of 0 or more, found {list(low)} and {list(high)}"
            )
        self.check_shape(
            self.result,
            tuple(
                DYNAMIC_INDEX if size == DYNAMIC_INDEX else before + size + after
                for before, size, after in zip(low, shape, high, strict=True)
            ),
        )


@irdl_op_definition
class SliceOp(NdOp):
    """Elements `starts[i] : limits[i] : strides[i]` of each axis; a limit of -1 is the end."""

    name = "nd.slice"
    operand = operand_def(TENSOR)
    starts = prop_def(DenseArrayBase.constr(i64))
    limits = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$operand `starts` $starts `limits` $limits `strides` $strides attr-dict "
        "`:` type($operand) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, element_of(self.operand))
        shape, bounds = shape_of(self.operand), (self.starts, self.limits, self.strides)
        starts, limits, strides = map(ints, bounds)
        if not len(starts) == len(limits) == len(strides) == len(shape):
            lengths = ", ".join(str(len(bound)) for bound in bounds)
            raise self.fail(f"expected {len(shape)} starts, limits and strides, found {lengths}")
        sizes: list[int] = []
        for size, start, limit, stride in zip(shape, starts, limits, strides, strict=True):
            end = size if limit == -1 else limit
            inside = size == DYNAMIC_INDEX or end <= size
            if start < 0 or stride < 1 or not inside or (end != DYNAMIC_INDEX and start > end):
                raise self.fail(
                    f"expected 0 <= start <= limit <= {size_text(size)} and stride >= 1, "
                    f"found {start}:{limit}:{stride}"
                )
            dynamic = end == DYNAMIC_INDEX
            sizes.append(DYNAMIC_INDEX if dynamic else -(-(end - start) // stride))
        self.check_shape(self.result, tuple(sizes))


@irdl_op_definition
class DynamicSliceOp(NdOp):
    """A window of `sizes` at `starts`; each start is clamped so that the window is inside.

    A size of -1 is known at run time only: `indices` has its value behind the starts, and the
    result a `?`. A run-time size is clamped to what the operand has, from 0 on.
    """

    name = "nd.dynamic_slice"
    operand = operand_def(TENSOR)
    indices = var_operand_def(IndexType())
    sizes = prop_def(DenseArrayBase.constr(i64))
    result = result_def(TENSOR)
    assembly_format = (
        "$operand `[` $indices `]` `sizes` $sizes attr-dict `:` type($operand) `->` type($result)"
    )

    @property
    def starts(self) -> Sequence[SSAValue]:
        """The first place of the window, along each axis."""
        return self.indices[: len(shape_of(self.operand))]

    @property
    def extents(self) -> Sequence[SSAValue]:
        """The run-time sizes, one for each -1 of `sizes`."""
        return self.indices[len(shape_of(self.operand)) :]

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, element_of(self.operand))
        shape, sizes = shape_of(self.operand), ints(self.sizes)
        if not len(self.starts) == len(sizes) == len(shape):
            raise self.fail(
                f"expected {len(shape)} starts and sizes, found {len(self.starts)} and {len(sizes)}"
            )
        if len(self.extents) != sizes.count(-1):
            raise self.fail(
                f"expected {sizes.count(-1)} run-time sizes, one for each -1, "
                f"found {len(self.extents)}"
            )
        for size, dim in zip(sizes, shape, strict=True):
            if size < -1 or (dim != DYNAMIC_INDEX and size > dim):
                raise self.fail(
                    f"expected a size from 0 to {size_text(dim)}, or -1 for a run-time one, "
                    f"found {size}"
                )
        if tuple(size == DYNAMIC_INDEX for size in shape_of(self.result)) != tuple(
            size == -1 for size in sizes
        ):
            raise self.fail(
                f"expected a ? for each size of -1 in {list(sizes)}, "
                f"found {shape_text(shape_of(self.result))}"
            )
        self.check_shape(self.result, sizes)


@irdl_op_definition
class DynamicUpdateSliceOp(NdOp):
    """`operand` with the window at `starts` (clamped) replaced by `update`."""

    name = "nd.dynamic_update_slice"
    operand = operand_def(SAME)
    update = operand_def(TENSOR)
    starts = var_operand_def(IndexType())
    result = result_def(SAME)
    assembly_format = (
        "$operand `,` $update `[` $starts `]` attr-dict `:` type($update) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.update, element_of(self.operand))
        shape, update = shape_of(self.operand), shape_of(self.update)
        if not len(self.starts) == len(update) == len(shape):
            raise self.fail(
                f"expected {len(shape)} starts and an update of that rank, "
                f"found {len(self.starts)} and {shape_text(update)}"
            )
        for size, dim in zip(update, shape, strict=True):
            if DYNAMIC_INDEX not in (size, dim) and size > dim:
                raise self.fail(
                    f"expected an update inside {shape_text(shape)}, found {shape_text(update)}"
                )


OPS: tuple[type[NdOp], ...] = (
    ConstantOp, IotaOp, DimOp, FromIndexOp, ToIndexOp, BroadcastOp, ReshapeOp, TransposeOp,
    ReverseOp, ConcatOp, PadOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp,
)  # fmt: skip
