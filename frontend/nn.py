"""Functions of neural networks, composed of `nd` ops by the formula in each docstring.

Floating-point. float16 and bfloat16 are computed in float32 and rounded once, except in `relu`.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, cast, check_dtype, full
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import (
    add,
    divide,
    erf,
    exp,
    log,
    multiply,
    negative,
    reciprocal,
    sqrt,
    subtract,
    tanh,
)
from lamina.frontend.location import fail
from lamina.frontend.logic import less_equal
from lamina.frontend.reductions import centered, reduce, variance


def _wide(name: str, x: ArrayLike) -> tuple[Array, DType]:
    """x in the dtype that composites compute in, and its own."""
    array = as_array(name, x)
    check_dtype(name, array.dtype, dtypes.FLOATS)
    return cast(array, dtypes.wide(array.dtype)), array.dtype


@public
def relu(x: ArrayLike, /) -> Array:
    """where(x <= 0, 0, x). Real; NaN stays NaN.

    >>> lm.relu(lm.asarray([-1.0, 2.0]))
    Array([0., 2.])
    """
    array = as_array("relu", x)
    check_dtype("relu", array.dtype, dtypes.REAL)
    zero = full(0, array.shape, array.dtype)
    return bind("select", less_equal(array, zero), zero, array)


@public
def sigmoid(x: ArrayLike, /) -> Array:
    """1 / (1 + exp(-x)).

    >>> lm.sigmoid(lm.asarray([0.0]))
    Array([0.5])
    """
    array, dtype = _wide("sigmoid", x)
    return cast(_sigmoid(array), dtype)


def _sigmoid(array: Array) -> Array:
    return reciprocal(add(exp(negative(array)), 1))


@public
def silu(x: ArrayLike, /) -> Array:
    """x * sigmoid(x).

    >>> lm.silu(lm.asarray([0.0, 100.0]))
    Array([  0., 100.])
    """
    array, dtype = _wide("silu", x)
    return cast(multiply(array, _sigmoid(array)), dtype)


@public
def gelu(x: ArrayLike, /, *, approximate: Literal["none", "tanh"] = "none") -> Array:
    """0.5 * x * (1 + erf(x / sqrt(2))); "tanh":
    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))).

    >>> lm.gelu(lm.asarray([0.0, 100.0]))
    Array([  0., 100.])
    """
    array, dtype = _wide("gelu", x)
    kind: object = approximate
    if type(kind) is str and kind == "none":
        inner = erf(multiply(array, math.sqrt(0.5)))
    elif type(kind) is str and kind == "tanh":
        cube = multiply(multiply(array, array), array)
        inner = add(array, multiply(cube, 0.044715))
        inner = tanh(multiply(inner, math.sqrt(2 / math.pi)))
    else:
        fail(ArgumentError, f'gelu: expected approximate "none" or "tanh", found {approximate!r}')
    return cast(multiply(multiply(array, 0.5), add(inner, 1)), dtype)


def _shifted(name: str, x: ArrayLike, axis: Any) -> tuple[Array, DType, tuple[int, ...]]:
    """x less its largest along `axis`, the dtype of x, and the axes."""
    array, dtype = _wide(name, x)
    axes = shapes.axis_indices(name, axis, array.ndim)
    if 0 in array.shape:
        return array, dtype, axes
    return subtract(array, reduce(name, "max", array, axes, True)), dtype, axes


@public
def softmax(x: ArrayLike, /, *, axis: Any = -1) -> Array:
    """e * (1 / sum(e)), e = exp(x - max(x)), along `axis`.

    >>> lm.softmax(lm.asarray([0.0, 0.0]))
    Array([0.5, 0.5])
    """
    shifted, dtype, axes = _shifted("softmax", x, axis)
    powers = exp(shifted)
    total = reduce("softmax", "sum", powers, axes, True)
    return cast(multiply(powers, reciprocal(total)), dtype)


@public
def log_softmax(x: ArrayLike, /, *, axis: Any = -1) -> Array:
    """s - log(sum(exp(s))), s = x - max(x), along `axis`.

    >>> lm.log_softmax(lm.asarray([3.0]))
    Array([0.])
    """
    shifted, dtype, axes = _shifted("log_softmax", x, axis)
    total = reduce("log_softmax", "sum", exp(shifted), axes, True)
    return cast(subtract(shifted, log(total)), dtype)


@public
def layer_norm(
    x: ArrayLike,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    /,
    *,
    axis: Any = -1,
    epsilon: float = 1e-5,
) -> Array:
    """(x - mean) * (1 / sqrt(var + epsilon)) * weight + bias, along `axis`; weight and bias
    broadcast to x.

    >>> lm.layer_norm(lm.asarray([1.0, 3.0]), epsilon=0.0)
    Array([-1.,  1.])
    """
    array, dtype = _wide("layer_norm", x)
    axes = shapes.axis_indices("layer_norm", axis, array.ndim)
    deviation = centered(array, axes)
    scale = reciprocal(sqrt(add(variance(deviation, axes, 0.0, True), epsilon)))
    result = multiply(deviation, scale)
    for other, combine in ((weight, multiply), (bias, add)):
        if other is not None:
            factor = cast(as_array("layer_norm", other, array.dtype), array.dtype)
            shapes.check_broadcast("layer_norm", factor.shape, array.shape)
            result = combine(result, factor)
    return cast(result, dtype)


@public
def rms_norm(
    x: ArrayLike, weight: ArrayLike | None = None, /, *, axis: Any = -1, epsilon: float = 1e-5
) -> Array:
    """x * (1 / sqrt(mean(x * x) + epsilon)) * weight, along `axis`; weight broadcasts to x.

    >>> lm.rms_norm(lm.asarray([3.0, 3.0]), epsilon=0.0)
    Array([1., 1.])
    """
    array, dtype = _wide("rms_norm", x)
    axes = shapes.axis_indices("rms_norm", axis, array.ndim)
    count = math.prod(array.shape[along] for along in axes)
    if not count and array.size:
        fail(ShapeError, "rms_norm: expected a size of 1 or more, found 0")
    total = reduce("rms_norm", "sum", multiply(array, array), axes, True)
    scale = reciprocal(sqrt(add(divide(total, float(count)), epsilon)))
    result = multiply(array, scale)
    if weight is not None:
        factor = cast(as_array("rms_norm", weight, array.dtype), array.dtype)
        shapes.check_broadcast("rms_norm", factor.shape, array.shape)
        result = multiply(result, factor)
    return cast(result, dtype)
