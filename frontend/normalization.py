"""Normalizations, composed of `nd` ops by the formula in each docstring.

Floating-point. float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

from lamina.errors import ShapeError
from lamina.frontend import shapes
from lamina.frontend.activations import wide
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, cast
from lamina.frontend.dispatch import public
from lamina.frontend.elementwise import add, divide, multiply, reciprocal, subtract
from lamina.frontend.location import fail
from lamina.frontend.manipulation import reshape
from lamina.frontend.reductions import centered, reduce, variance
from lamina.frontend.transcendental import sqrt


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
    array, dtype = wide("layer_norm", x)
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
    array, dtype = wide("rms_norm", x)
    axes = shapes.axis_indices("rms_norm", axis, array.ndim)
    count = math.prod(array.shape[along] for along in axes)
    if not count and array.size:
        fail(ShapeError, "rms_norm: expected a size of 1 or more, found 0")
    total = reduce("rms_norm", "sum", multiply(array, array), axes, True)
    scale = reciprocal(sqrt(add(divide(total, count * 1.0), epsilon)))
    result = multiply(array, scale)
    if weight is not None:
        factor = cast(as_array("rms_norm", weight, array.dtype), array.dtype)
        shapes.check_broadcast("rms_norm", factor.shape, array.shape)
        result = multiply(result, factor)
    return cast(result, dtype)


@public
def batch_norm(
    x: ArrayLike,
    mean: ArrayLike,
    var: ArrayLike,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    /,
    *,
    axis: SupportsIndex = 1,
    epsilon: float = 1e-5,
) -> Array:
    """(x - mean) * (1 / sqrt(var + epsilon)) * weight + bias, with one number for each place along
    `axis` (the channels): mean, var, weight and bias have shape (x.shape[axis],). Errors:
    `ShapeError` for other shapes. In training pass `lm.mean(x, axis=...)` and `lm.var(...)`.

    >>> lm.batch_norm(lm.asarray([[1.0, 3.0]]), lm.asarray([1.0, 1.0]), lm.asarray([1.0, 4.0]),
    ...               epsilon=0.0)
    Array([[0., 1.]])
    """
    array, dtype = wide("batch_norm", x)
    along = shapes.axis_index("batch_norm", axis, array.ndim)
    center, spread, factor, offset = (
        None if other is None else _channels("batch_norm", name, other, array, along)
        for name, other in (("mean", mean), ("var", var), ("weight", weight), ("bias", bias))
    )
    assert center is not None and spread is not None
    result = multiply(subtract(array, center), reciprocal(sqrt(add(spread, epsilon))))
    return cast(_affine(result, factor, offset), dtype)


def _channels(name: str, what: str, value: ArrayLike, x: Array, axis: int) -> Array:
    """`value`, one number for each place along `axis` of x, so shaped that it broadcasts to x."""
    array = cast(as_array(name, value, x.dtype), x.dtype)
    if array.shape != (x.shape[axis],):
        fail(
            ShapeError, f"{name}: expected {what} of shape {(x.shape[axis],)}, found {array.shape}"
        )
    return reshape(array, (-1 if x.shape[axis] else 0, *[1] * (x.ndim - 1 - axis)))


def _affine(x: Array, weight: Array | None, bias: Array | None) -> Array:
    """x * weight + bias, each if there."""
    if weight is not None:
        x = multiply(x, weight)
    return x if bias is None else add(x, bias)


@public
def group_norm(
    x: ArrayLike,
    num_groups: SupportsIndex,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    /,
    *,
    epsilon: float = 1e-5,
) -> Array:
    """(x - mean) * (1 / sqrt(var + epsilon)) * weight + bias for x (N, C, *S): mean and var are
    those of each of `num_groups` groups of neighbouring channels, weight and bias have shape (C,)
    (Wu and He, Group Normalization, 2018). Errors: `ShapeError` unless num_groups divides C.

    >>> lm.group_norm(lm.asarray([[1.0, 3.0, 5.0, 5.0]]), 2, epsilon=1e-20)
    Array([[-1.,  1.,  0.,  0.]])
    """
    array, dtype = wide("group_norm", x)
    groups = shapes.integer("group_norm", num_groups, "num_groups")
    if array.ndim < 2 or groups < 1 or array.shape[1] % groups:
        fail(
            ShapeError,
            f"group_norm: expected x of shape (N, C, ...), C a multiple of num_groups {groups}, "
            f"found {array.shape}",
        )
    n, channels, *space = array.shape
    split = reshape(array, (n, groups, channels // groups, *space))
    axes = tuple(range(2, split.ndim))
    deviation = centered(split, axes)
    scale = reciprocal(sqrt(add(variance(deviation, axes, 0.0, True), epsilon)))
    result = reshape(multiply(deviation, scale), array.shape)
    factor, offset = (
        None if other is None else _channels("group_norm", name, other, array, 1)
        for name, other in (("weight", weight), ("bias", bias))
    )
    return cast(_affine(result, factor, offset), dtype)
