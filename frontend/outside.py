"""Functions of the extensions that NumPy computes, on eager arrays only: no `nd` op has their
meaning."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any
from typing import cast as typed

import numpy as np

from lamina.errors import DomainError, NanError, TraceError
from lamina.frontend import dtypes
from lamina.frontend.array import Array, ArrayLike, NDArray, wrap
from lamina.frontend.bind import as_array, cast, check_dtype, values
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail
from lamina.interpreters import nans


def operand(name: str, x: ArrayLike, family: frozenset[DType]) -> Array:
    """`x` as an array whose dtype is of `family`; half types as float32."""
    array = as_array(name, x)
    check_dtype(name, array.dtype, family)
    return cast(array, dtypes.wide(array.dtype))


def computed(
    name: str, what: str, function: Callable[..., Any], *operands: Array | None, **options: Any
) -> Any:
    """The array or arrays that a NumPy function gives.

    Raises `TraceError` in traced code, and `DomainError` where NumPy cannot compute them: `what`
    was expected.
    """
    if CURRENT.get() is not None:
        fail(TraceError, f"{name}: expected eager code, found a trace; call it outside lm.jit")
    if any(x is not None and x._tape is not None and x.requires_grad for x in operands):
        fail(TraceError, f"{name}: expected an array without a gradient; use x.detach()")
    given = [None if x is None else values(x) for x in operands]
    try:
        with np.errstate(all="ignore"):
            found = function(*given, **options)
    except np.linalg.LinAlgError as error:
        fail(DomainError, f"{name}: expected {what}, found other ones: {error}")
    try:
        nans.look(name, [x for x in given if x is not None], _parts(found))
    except NanError as error:
        fail(NanError, error.message)
    if isinstance(found, tuple):
        return tuple(_wrapped(part) for part in typed(tuple[Any, ...], found))
    return _wrapped(found)


def _parts(found: Any) -> list[NDArray]:
    parts = typed(tuple[Any, ...], found) if isinstance(found, tuple) else (found,)
    return [np.asarray(part) for part in parts]


def _wrapped(data: NDArray) -> Array:
    array = np.asarray(data)
    flags = array.flags
    return wrap(array if flags.c_contiguous and flags.writeable else array.copy())
