"""Complex numbers: their parts, and putting them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import C64, C128, F64, Array


def complex_(re: Array, im: Array) -> Array:
    """re + im i, of two arrays of float32 or float64."""
    result = np.empty(np.broadcast_shapes(re.shape, im.shape), C128 if re.dtype == F64 else C64)
    result.real, result.imag = re, im
    return result


MEANING: dict[str, Callable[..., Any]] = {"real": np.real, "imag": np.imag, "complex": complex_}
