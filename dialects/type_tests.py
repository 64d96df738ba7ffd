"""Tests of types that tell the type checker what they found.

`isinstance` on a generic attribute leaves its parameters unknown, and xDSL's `isa` costs some 20
times as much as these.
"""

from __future__ import annotations

from typing_extensions import TypeIs
from xdsl.dialects.builtin import IntegerType, MemRefType, TensorType, VectorType
from xdsl.ir import Attribute


def is_vector(type: Attribute) -> TypeIs[VectorType[Attribute]]:
    """Whether this is a vector type."""
    return type.__class__ is VectorType


def is_memref(type: Attribute) -> TypeIs[MemRefType[Attribute]]:
    """Whether this is a ranked memref type."""
    return type.__class__ is MemRefType


def is_tensor(type: Attribute) -> TypeIs[TensorType[Attribute]]:
    """Whether this is a ranked tensor type."""
    return type.__class__ is TensorType


def is_integer(type: Attribute) -> TypeIs[IntegerType]:
    """Whether this is an integer type (not `index`), of any signedness and width."""
    return type.__class__ is IntegerType
