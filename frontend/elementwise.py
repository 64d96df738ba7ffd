"""Elementwise functions of the Array API. `**` in a signature: operands broadcast."""

from __future__ import annotations

from lamina.frontend import dtypes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import bind, check_dtype, unify
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import DType


def _binary(name: str, x1: ArrayLike, x2: ArrayLike, family: frozenset[DType]) -> Array:
    a, b = unify(name, (x1, x2))
    check_dtype(name, a.dtype, family)
    return bind(name, a, b)


@public
def add(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Sum."""
    return _binary("add", x1, x2, dtypes.NUMERIC)


@public
def subtract(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Difference."""
    return _binary("subtract", x1, x2, dtypes.NUMERIC)


@public
def multiply(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Product."""
    return _binary("multiply", x1, x2, dtypes.NUMERIC)
