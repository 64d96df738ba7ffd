"""Memref types of bufferized values: contiguous, or strided with an offset that is not counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, SSAValue

from lamina.dialects.type_tests import is_tensor

Strides = tuple[int, ...]


@lru_cache(maxsize=1024)
def buffer_type(type: Attribute) -> Attribute:
    """The contiguous memref type of a tensor type; other types stay."""
    if is_tensor(type):
        return MemRefType(type.element_type, type.get_shape())
    return type


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    """The type of `value`, known to be a memref."""
    return cast("MemRefType[Attribute]", value.type)


def is_contiguous(type: Attribute) -> bool:
    """Whether a memref type has the identity layout."""
    return isinstance(type, MemRefType) and isinstance(type.layout, NoneAttr)


def contiguous_strides(shape: Sequence[int]) -> Strides:
    """Row-major strides in elements; dynamic after a dynamic dim."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        known = DYNAMIC_INDEX not in (step, size)
        step = step * size if known else DYNAMIC_INDEX
    return tuple(reversed(strides))


def strides_of(type: MemRefType[Attribute]) -> Strides:
    """The strides of a memref in elements; -1 (dynamic) where unknown."""
    layout = type.layout
    if isinstance(layout, StridedLayoutAttr):
        return tuple(
            DYNAMIC_INDEX if isinstance(s, NoneAttr) else s.data for s in layout.strides.data
        )
    return contiguous_strides(type.get_shape())


def offset_of(type: MemRefType[Attribute]) -> int:
    """The offset of a memref in elements; dynamic where unknown."""
    layout = type.layout
    if not isinstance(layout, StridedLayoutAttr):
        return 0
    return DYNAMIC_INDEX if isinstance(layout.offset, NoneAttr) else layout.offset.data


def strided_type(
    element: Attribute, shape: Sequence[int], strides: Sequence[int], offset: int
) -> MemRefType[Attribute]:
    """A memref type with a strided layout; dynamic entries print as `?`."""
    layout = StridedLayoutAttr(
        [None if s == DYNAMIC_INDEX else s for s in strides],
        None if offset == DYNAMIC_INDEX else offset,
    )
    return MemRefType(element, shape, layout)


def subview_type(
    source: MemRefType[Attribute],
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
) -> MemRefType[Attribute]:
    """The type of a subview; -1 stands for what is known at run time only."""
    base = strides_of(source)
    offset = offset_of(source)
    for start, step in zip(offsets, base, strict=True):
        dynamic = DYNAMIC_INDEX in (offset, start, step)
        offset = DYNAMIC_INDEX if dynamic else offset + start * step
    steps = [
        DYNAMIC_INDEX if DYNAMIC_INDEX in (step, stride) else step * stride
        for step, stride in zip(base, strides, strict=True)
    ]
    return strided_type(source.element_type, sizes, steps, offset)


def argument_type(type: MemRefType[Attribute]) -> MemRefType[Attribute]:
    """The type as a kernel's argument: the offset is the caller's matter."""
    if is_contiguous(type):
        return type
    return strided_type(type.element_type, type.get_shape(), strides_of(type), DYNAMIC_INDEX)
