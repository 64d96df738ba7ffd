"""NumPy dtypes that the meanings name. Apart from `types`, so that eager code needs no xDSL."""

from __future__ import annotations

from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
DType: TypeAlias = np.dtype[Any]

BOOL: DType = np.dtype(np.bool_)
INT64: DType = np.dtype(np.int64)
F16: DType = np.dtype(np.float16)
BF16: DType = np.dtype(ml_dtypes.bfloat16)
F32: DType = np.dtype(np.float32)
F64: DType = np.dtype(np.float64)
C64: DType = np.dtype(np.complex64)
C128: DType = np.dtype(np.complex128)
HALVES = (F16, BF16)


def is_float(dtype: DType) -> bool:
    """Whether `dtype` is float16, bfloat16, float32 or float64."""
    return dtype.kind == "f" or dtype == BF16
