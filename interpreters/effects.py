"""What the ops with effects do: raise, print, or call a function of the process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from lamina import errors
from lamina.dialects.nd.base import element_of, shape_of
from lamina.dialects.nd.effects import CheckOp, CustomCallOp, FailOp, ForeignOp, PrintOp
from lamina.errors import LaminaError
from lamina.interpreters import foreign, text
from lamina.interpreters.dtypes import Array
from lamina.interpreters.types import dtype_of

OPS = (CheckOp, PrintOp, FailOp, CustomCallOp)


def perform(op: Operation, operands: Sequence[Any]) -> Sequence[Array]:
    """Run an op of `OPS`; its results."""
    if isinstance(op, CheckOp):
        if not operands[0]:
            raise _class(op.error.data)(errors.filled(op.message.data, map(int, operands[1:])))
        return ()
    assert isinstance(op, ForeignOp)
    arrays = _whole(op, operands)
    if isinstance(op, PrintOp):
        text.write(text.filled(op.format.data, arrays))
        return ()
    if isinstance(op, FailOp):
        raise _class(op.error.data)(text.filled(op.format.data, arrays))
    assert isinstance(op, CustomCallOp)
    kinds = [(shape_of(result), dtype_of(element_of(result))) for result in op.results]
    joined = [
        _joined(*kind) if len(operands) + number in op.pairs() else kind
        for number, kind in enumerate(kinds)
    ]
    found = foreign.call(op.symbol.data, arrays, joined)
    return [_seen_as(out, *kind) for out, kind in zip(found, kinds, strict=True)]


def _class(name: str) -> type[LaminaError]:
    return getattr(errors, name)


def _joined(shape: tuple[int, ...], dtype: np.dtype[Any]) -> foreign.Kind:
    """The shape and dtype of complex numbers that are held as pairs."""
    return shape[:-1], np.dtype(f"c{2 * dtype.itemsize}")


def _seen_as(array: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """The same bytes as another array."""
    return np.ascontiguousarray(array).reshape(-1).view(dtype).reshape(shape)


def _whole(op: ForeignOp, operands: Sequence[Array]) -> list[Array]:
    """The operands, complex numbers as such."""
    return [
        _seen_as(array, *_joined(array.shape, array.dtype)) if number in op.pairs() else array
        for number, array in enumerate(operands)
    ]
