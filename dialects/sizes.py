"""Bytes of element types in memory."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import AnyFloat, ComplexType, IndexType, IntegerType
from xdsl.ir import Attribute


def byte_size(element: Attribute) -> int:
    """The bytes of one element: a whole number of bytes, 8 for index."""
    if isinstance(element, IndexType):
        return 8
    if isinstance(element, ComplexType):
        part: Attribute = cast("ComplexType[AnyFloat]", element).element_type
        return 2 * byte_size(part)
    assert isinstance(element, AnyFloat | IntegerType), element
    return max(1, -(-element.bitwidth // 8))
