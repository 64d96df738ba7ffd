"""Contractions, as matrix products: BLAS in float32 and float64, wrapping loops for integers.

Half types are multiplied and added in float32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lamina.interpreters.dtypes import F32, HALVES, Array

Ints = tuple[int, ...]


def _matmul(a: Array, b: Array) -> Array:
    """BLAS has several orders of summation, by the strides of its operands; ours depends on their
    shapes only, so both are made row-major."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    if a.dtype in HALVES:
        return np.matmul(a.astype(F32), b.astype(F32)).astype(a.dtype)
    return np.matmul(a, b)


def dot_general(
    x: Array,
    y: Array,
    *,
    lhs_batch: Ints,
    rhs_batch: Ints,
    lhs_contract: Ints,
    rhs_contract: Ints,
) -> Array:
    """Result axes are batch, then the free axes of `x`, then those of `y`."""
    x_free = [axis for axis in range(x.ndim) if axis not in lhs_batch + lhs_contract]
    y_free = [axis for axis in range(y.ndim) if axis not in rhs_batch + rhs_contract]
    batch = [x.shape[axis] for axis in lhs_batch]
    rows, columns = [x.shape[axis] for axis in x_free], [y.shape[axis] for axis in y_free]
    k = prod(x.shape[axis] for axis in lhs_contract)
    a = x.transpose((*lhs_batch, *x_free, *lhs_contract)).reshape((*batch, prod(rows), k))
    b = y.transpose((*rhs_batch, *rhs_contract, *y_free)).reshape((*batch, k, prod(columns)))
    return _matmul(a, b).reshape((*batch, *rows, *columns))


def conv(
    x: Array,
    kernel: Array,
    *,
    strides: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> Array:
    """Convolution of `x` (N, C, *S) with `kernel` (O, C/groups, *K), as ONNX Conv.

    Each window is copied into a row (im2col) and multiplied with the kernel's rows, group by
    group.
    """
    rank = x.ndim - 2
    edges = [(0, 0), (0, 0), *zip(padding[::2], padding[1::2], strict=True)]
    x = np.pad(x, edges) if any(padding) else x
    n, channels, *sizes = x.shape
    outputs, group_channels, *window = kernel.shape
    out = [
        (size - dilation[i] * (window[i] - 1) - 1) // strides[i] + 1 for i, size in enumerate(sizes)
    ]
    steps = x.strides[2:]
    patches = np.lib.stride_tricks.as_strided(
        x,
        (n, groups, channels // groups, *window, *out),
        (
            x.strides[0],
            x.strides[1] * group_channels,
            x.strides[1],
            *(step * d for step, d in zip(steps, dilation, strict=True)),
            *(step * s for step, s in zip(steps, strides, strict=True)),
        ),
        writeable=False,
    )
    places, k = prod(out), group_channels * prod(window)
    columns = patches.reshape(n, groups, k, places)
    weights = kernel.reshape(groups, outputs // groups, k)
    assert len(out) == rank
    return _matmul(weights, columns).reshape(n, outputs, *out)


MEANING: dict[str, Callable[..., Any]] = {"dot_general": dot_general, "conv": conv}
