"""Softmax and what is made of it, composed of `nd` ops by the formula in each docstring.

Floating-point. float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math
from typing import Any

from lamina.errors import DTypeError, ShapeError
from lamina.frontend import dtypes, shapes
from lamina.frontend.activations import wide
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, cast, result_dtype
from lamina.frontend.contraction import matmul
from lamina.frontend.creation import arange
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import add, multiply, reciprocal, subtract
from lamina.frontend.location import fail
from lamina.frontend.logic import less_equal, logical_and
from lamina.frontend.manipulation import expand_dims, matrix_transpose
from lamina.frontend.reductions import reduce
from lamina.frontend.searching import where
from lamina.frontend.transcendental import exp, log


def _shifted(name: str, x: ArrayLike, axis: Any) -> tuple[Array, DType, tuple[int, ...]]:
    """x less its largest along `axis`, the dtype of x, and the axes."""
    array, dtype = wide(name, x)
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
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    /,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Array:
    """softmax(scale * query @ key.T + bias, where mask) @ value (Vaswani et al., 2017).

    query (..., L, E), key (..., S, E), value (..., S, V) give (..., L, V); the leading axes
    broadcast as in `matmul`. scale is 1 / sqrt(E) unless given. mask (bool) and bias broadcast to
    (..., L, S); where the mask is False a key has weight 0, and a row without any True is NaN.
    is_causal: row i reads keys 0 to i only. Half types are computed in float32. Errors:
    `DTypeError` for a mask that is not bool, `ShapeError` for shapes that do not fit.

    >>> x = lm.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> lm.dot_product_attention(x, x, x, is_causal=True)[0]
    Array([1., 2.])
    """
    name = "dot_product_attention"
    dtype = result_dtype(name, (query, key, value))
    q, k, v = (wide(name, cast(as_array(name, x, dtype), dtype))[0] for x in (query, key, value))
    if min(q.ndim, k.ndim, v.ndim) < 2:
        found = f"{q.shape}, {k.shape} and {v.shape}"
        fail(ShapeError, f"{name}: expected query, key and value of 2 axes or more, found {found}")
    factor = 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else scale
    scores = multiply(matmul(q, matrix_transpose(k)), factor)
    if bias is not None:
        scores = add(scores, cast(as_array(name, bias, scores.dtype), scores.dtype))
    visible = _visible(name, mask, is_causal, scores)
    if visible is not None:
        shapes.check_broadcast(name, visible.shape, scores.shape)
        scores = where(visible, scores, -math.inf)
    return cast(matmul(softmax(scores, axis=-1), v), dtype)


def _visible(name: str, mask: ArrayLike | None, is_causal: bool, scores: Array) -> Array | None:
    """Which keys each row reads: bool, None for all."""
    found = None if mask is None else as_array(name, mask)
    if found is not None and found.dtype != dtypes.bool_:
        fail(DTypeError, f"{name}: expected a mask of bool, found {found.dtype}")
    if not shapes.flag(name, is_causal, "is_causal"):
        return found
    rows, keys = (arange(size) for size in scores.shape[-2:])
    causal = less_equal(expand_dims(keys, axis=0), expand_dims(rows, axis=1))
    return causal if found is None else logical_and(found, causal)
