"""Pooling: the largest or the mean element of windows that move over the spatial axes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lamina.errors import ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, broadcast, cast, check_dtype, constant, full
from lamina.frontend.contraction import conv_padding, spatial
from lamina.frontend.dispatch import public
from lamina.frontend.location import fail
from lamina.frontend.shapes import Shape


class _Pool:
    """The arguments of a pooling function, checked: windows of an array (N, C, *S)."""

    def __init__(
        self, name: str, array: Array, window: Any, strides: Any, padding: Any, dilation: Any,
        ceil_mode: Any,
    ) -> None:  # fmt: skip
        rank = array.ndim - 2
        if rank < 1:
            fail(
                ShapeError, f"{name}: expected x (N, C, *S) of rank 3 or more, found {array.shape}"
            )
        self.window = spatial(name, "window", window, rank)
        self.strides = self.window
        if strides is not None:
            self.strides = spatial(name, "strides", strides, rank)
        self.dilation = spatial(name, "dilation", dilation, rank)
        self.sizes = array.shape[2:]
        edges = conv_padding(name, padding, self.sizes, self.window, self.strides, self.dilation)
        self.low, self.high = list(edges[::2]), list(edges[1::2])
        self.whole = [
            shapes.conv_output(name, size, window, stride, (low, high), spread)
            for size, window, stride, low, high, spread in zip(
                self.sizes, self.window, self.strides, self.low, self.high, self.dilation,
                strict=True,
            )
        ]  # fmt: skip
        more = shapes.flag(name, ceil_mode, "ceil_mode")
        self.beyond = [self.overhang(axis) if more else 0 for axis in range(rank)]

    def overhang(self, axis: int) -> int:
        """How far one more window reaches beyond the padding: 0 when none is needed, or when it
        would start in the high padding."""
        low, size = self.low[axis], self.sizes[axis]
        start = self.whole[axis] * self.strides[axis]
        reach = self.dilation[axis] * (self.window[axis] - 1) + 1
        padded = low + size + self.high[axis]
        covered = start - self.strides[axis] + reach
        return start + reach - padded if covered < padded and start < low + size else 0

    def reduce(self, kind: str, array: Array) -> Array:
        """The windows of `array` combined."""
        edges: Shape = (0, 0, 0, 0)
        for low, high, beyond in zip(self.low, self.high, self.beyond, strict=True):
            edges += (low, high + beyond)
        return bind(
            "reduce_window",
            array,
            kind=kind,
            window=(1, 1, *self.window),
            strides=(1, 1, *self.strides),
            padding=edges,
            dilation=(1, 1, *self.dilation),
        )

    def counts(self, out: Shape, include_pad: bool) -> np.ndarray[Any, Any] | None:
        """The number of elements in each window of the spatial axes; None where it is the same."""
        total = np.ones((1,) * len(out), np.float64)
        for axis, places in enumerate(out):
            at = np.arange(places)[:, None] * self.strides[axis]
            at = at + np.arange(self.window[axis]) * self.dilation[axis] - self.low[axis]
            first = -self.low[axis] if include_pad else 0
            last = self.sizes[axis] + (self.high[axis] if include_pad else 0)
            found = np.sum((at >= first) & (at < last), axis=1)
            total = total * found.reshape([-1 if a == axis else 1 for a in range(len(out))])
        return None if (total == prod(self.window)).all() else total


@public
def max_pool(
    x: ArrayLike,
    window: Any,
    /,
    *,
    strides: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Array:
    """The largest element of each window of x (N, C, *S), as ONNX MaxPool; NaN wins. Real.

    window, strides (default: the window), dilation: an int, or one for each spatial axis. padding:
    an int, "valid", "same", or a (low, high) pair for each spatial axis, as in `conv`; what pads
    is never the largest (a window of nothing else gives the dtype's least value). ceil_mode: a last
    window that starts inside x or its low padding may reach beyond the high one. Output size along
    an axis: (size + low + high - dilation * (window - 1) - 1) // strides + 1, rounded up with
    ceil_mode. `ShapeError` where a window does not fit.

    >>> lm.max_pool(lm.asarray([[[1.0, 3.0, 2.0, 0.0]]]), 2)
    Array([[[3., 2.]]])
    """
    array = as_array("max_pool", x)
    check_dtype("max_pool", array.dtype, dtypes.REAL)
    pool = _Pool("max_pool", array, window, strides, padding, dilation, ceil_mode)
    return pool.reduce("max", array)


@public
def avg_pool(
    x: ArrayLike,
    window: Any,
    /,
    *,
    strides: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Array:
    """sum / count of each window of x (N, C, *S), as ONNX AveragePool. Floating-point; float16 and
    bfloat16 are computed in float32 and rounded once.

    count: the elements of the window that lie in x, with count_include_pad in x or its padding
    (never what `ceil_mode` adds). A window without any gives NaN. The other arguments are those of
    `max_pool`.

    >>> lm.avg_pool(lm.asarray([[[1.0, 3.0, 2.0]]]), 2, strides=1)
    Array([[[2. , 2.5]]])
    """
    array = as_array("avg_pool", x)
    check_dtype("avg_pool", array.dtype, dtypes.FLOATS)
    include = shapes.flag("avg_pool", count_include_pad, "count_include_pad")
    pool = _Pool("avg_pool", array, window, strides, padding, dilation, ceil_mode)
    wide = dtypes.wide(array.dtype)
    total = pool.reduce("sum", cast(array, wide))
    counts = pool.counts(total.shape[2:], include)
    if counts is None:
        divisor = full(float(prod(pool.window)), total.shape, wide)
    else:
        divisor = broadcast(constant(counts.astype(wide)), total.shape)
    return cast(bind("divide", total, divisor), array.dtype)
