"""Elements at places that tensors of integers hold.

op       meaning                             example
gather   x[i, j, :], take, take_along_axis   nd.gather %x[%i] axes [0] dims [1] index_dims [0] : ...
scatter  x[i, j, :] = u, put, scatter_add    nd.scatter "add" %x, %u[%i] axes [0] dims [1] index_dims [0] : ...

An index op has a space: the result of a gather, the updates of a scatter. `axes` are the operand's axes that the index
tensors select, `dims` are the dims of the space that its other axes are, in order, and
`index_dims` the dims of the space that the axes of the index tensors are. A dim that is in both is
a batch dim. With `x` of shape (V, D) and `i` of shape (N, M):

    take(x, i, axis=0)        axes [0] dims [2] index_dims [0, 1]    r[n, m, d] = x[i[n, m], d]
    take_along_axis on 1      axes [1] dims [0] index_dims [0, 1]    r[v, m] = x[v, i[v, m]]
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)

from lamina.dialects.nd.base import (
    FAMILIES,
    TENSOR,
    NdOp,
    element_of,
    fits,
    ints,
    is_element,
    is_integer,
    is_numeric,
    shape_of,
    shape_text,
)


class IndexedOp(NdOp, abc.ABC):
    """Base of the ops with index tensors: which axis of what is which dim of the space."""

    axes = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))
    index_dims = prop_def(DenseArrayBase.constr(i64))

    def check_indices(self, operand: SSAValue, indices: Sequence[SSAValue]) -> None:
        """Raise unless there are index tensors of one shape, one for each of `axes`."""
        axes = ints(self.axes)
        if not indices or len(indices) != len(axes):
            raise self.fail(
                f"expected an index tensor for each of axes {list(axes)} and at least one, "
                f"found {len(indices)}"
            )
        self.check_axes(axes, len(shape_of(operand)))
        for index in indices:
            if not is_integer(element_of(index)):
                raise self.fail(f"expected indices of an integer type, found {element_of(index)}")
            self.check_shape(index, shape_of(indices[0]))

    def check_space(self, operand: SSAValue, index: SSAValue, space: SSAValue) -> None:
        """Raise unless `space` has the dims that the operand's and the indices' axes are."""
        axes, dims, index_dims = ints(self.axes), ints(self.dims), ints(self.index_dims)
        shape, indices, sizes = map(shape_of, (operand, index, space))
        walked = [size for axis, size in enumerate(shape) if axis not in axes]
        for what, found, count in (
            ("dims", dims, len(walked)),
            ("index dims", index_dims, len(indices)),
        ):
            if len(found) != count:
                raise self.fail(f"expected {count} {what}, found {list(found)}")
            self.check_axes(found, len(sizes), what)
        if {*dims, *index_dims} != set(range(len(sizes))):
            raise self.fail(
                f"expected dims and index dims to cover {shape_text(sizes)}, "
                f"found {list(dims)} and {list(index_dims)}"
            )
        pairs = [*zip(dims, walked, strict=True), *zip(index_dims, indices, strict=True)]
        for dim, size in pairs:
            if not fits(size, sizes[dim]):
                expected = tuple(size if d == dim else s for d, s in enumerate(sizes))
                raise self.fail(f"expected shape {shape_text(expected)}, found {shape_text(sizes)}")


@irdl_op_definition
class GatherOp(IndexedOp):
    """The elements of `operand` that `indices` select.

    Negative indices count from the end; then each is clamped to its axis. What an index out of
    range means is decided above (`frontend/indexing.py`).
    """

    name = "nd.gather"
    operand = operand_def(TENSOR)
    indices = var_operand_def(TENSOR)
    result = result_def(TENSOR)
    assembly_format = (
        "$operand `[` $indices `]` `axes` $axes `dims` $dims `index_dims` $index_dims attr-dict "
        "`:` type($operand) `,` type($indices) `->` type($result)"
    )

    def verify_(self) -> None:
        self.check_family(self.operand)
        self.check_element(self.result, element_of(self.operand))
        self.check_indices(self.operand, self.indices)
        self.check_space(self.operand, self.indices[0], self.result)
        shape = shape_of(self.operand)
        empty = [axis for axis in ints(self.axes) if shape[axis] == 0]
        if empty and 0 not in shape_of(self.result):
            raise self.fail(f"expected a size of 1 or more on axis {empty[0]}, found 0")


@irdl_op_definition
class ScatterOp(IndexedOp):
    """`operand` with `updates` written to, or combined with, the elements that `indices` select.

    The updates are taken in their row-major order: of several for one element the last one stays
    ("set"), or they are added one after the other ("add"), with a rounding each. Negative indices
    count from the end; updates whose index is out of range then are left out.
    """

    name = "nd.scatter"
    operand = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    indices = var_operand_def(TENSOR)
    kind = prop_def(StringAttr)
    result = result_def(TENSOR)
    assembly_format = (
        "$kind $operand `,` $updates `[` $indices `]` `axes` $axes `dims` $dims `index_dims` "
        "$index_dims attr-dict `:` type($operand) `,` type($updates) `,` type($indices) `->` "
        "type($result)"
    )

    def verify_(self) -> None:
        kind, element = self.kind.data, element_of(self.operand)
        self.check_family(self.operand)
        if kind not in KINDS:
            raise self.fail(f"expected a kind of {', '.join(KINDS)}, found {kind}")
        if not KINDS[kind](element):
            raise self.fail(f"expected an element type that {kind} takes, found {element}")
        self.check_element(self.updates, element)
        self.check_element(self.result, element)
        self.check_shape(self.result, shape_of(self.operand))
        self.check_indices(self.operand, self.indices)
        self.check_space(self.operand, self.indices[0], self.updates)


KINDS = {
    "set": is_element,
    "add": FAMILIES["a numeric or complex"],
    "mul": is_numeric,
    "max": is_numeric,
    "min": is_numeric,
}
"""Kind of scatter -> the element types that it takes."""

OPS: tuple[type[NdOp], ...] = (GatherOp, ScatterOp)
