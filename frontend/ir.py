"""From frontend values to xDSL attributes and types. The only frontend module, with `recorder`
and `trace`, that imports xDSL; eager code never loads it."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from lamina.dialects import nd
from lamina.dialects.nd.base import shape_of
from lamina.dialects.nd.effects import CustomCallOp
from lamina.dialects.type_tests import is_tensor
from lamina.frontend.dims import is_size, is_static
from lamina.frontend.dtypes import DType
from lamina.frontend.shapes import Shape
from lamina.interpreters.evaluate import apply
from lamina.interpreters.types import element_type_of, to_dense

INDEX = IndexType()

OPS = {op.name.removeprefix("nd."): op for op in nd.OPS}
"""Primitive name -> op class."""

LARGE = 1024
"""Constants of more bytes are resources."""


def tensor_type(shape: Shape, dtype: DType) -> TensorType[Attribute]:
    """`tensor<shape x dtype>`, with a `?` for each size that is an expression."""
    if not is_static(shape):
        shape = tuple(DYNAMIC_INDEX if is_size(size) else size for size in shape)
    return _tensor_type(shape, dtype)


@cache
def _tensor_type(shape: Shape, dtype: DType) -> TensorType[Attribute]:
    return TensorType(element_type_of(dtype), shape)


@cache
def _location(file: str, line: int, column: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))


def location_of(position: tuple[str, int, int]) -> FileLineColLoc:
    """A position of user code as a location."""
    return _location(*position)


@cache
def _property(value: Any) -> Attribute:
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    if isinstance(value, str):
        return StringAttr(value)
    return DenseArrayBase.from_list(i64, value)


def properties(name: str, params: dict[str, Any]) -> dict[str, Attribute]:
    """Those of `params` that the op holds; the others describe its result."""
    held = OPS[name].get_irdl_definition().properties
    return {key: _property(value) for key, value in params.items() if key in held}


def constant_value(
    data: np.ndarray[Any, Any], resources: dict[str, np.ndarray[Any, Any]]
) -> DenseIntOrFPElementsAttr | DenseResourceAttr:
    """A constant's attribute; a large one is put into `resources` and named by its content."""
    data = np.ascontiguousarray(data).reshape(data.shape)
    kind = tensor_type(data.shape, data.dtype)
    raw = data.tobytes()
    if len(raw) <= LARGE:
        return to_dense(data)
    digest = blake2b(raw, digest_size=8, person=str(data.dtype).encode()).hexdigest()
    name = f"constant_{digest}"
    resources[name] = data
    return DenseResourceAttr.from_params(name, kind)


KNOWN_OPS, KNOWN_ELEMENTS = 256, 1 << 16
"""Up to how much is computed while tracing."""


def known_value(
    value: SSAValue,
    resources: dict[str, np.ndarray[Any, Any]],
    seen: dict[SSAValue, Any],
) -> Any:
    """What a value is that depends on no argument: an array (an int for an index); None when it
    does, or when it is much to compute. `seen`: what is known already."""
    if value in seen:
        return seen[value]
    seen[value] = None
    op = value.owner
    if not isinstance(op, nd.NdOp) or isinstance(op, CustomCallOp) or len(seen) > KNOWN_OPS:
        return None
    shape = shape_of(value) if is_tensor(value.type) else ()
    if DYNAMIC_INDEX in shape or prod(shape) > KNOWN_ELEMENTS:
        return None
    operands: list[Any] = []
    for operand in op.operands:
        found = known_value(operand, resources, seen)
        if found is None:
            return None
        operands.append(found)
    with np.errstate(all="ignore"):
        seen[value] = apply(op, operands, resources)
    return seen[value]
