"""Activations, composed of `nd` ops by the formula in each docstring.

Floating-point. float16 and bfloat16 are computed in float32 and rounded once, except in `relu`.
A NaN stays NaN.
"""

from __future__ import annotations

import math
from typing import Literal

from lamina.errors import ArgumentError
from lamina.frontend import dtypes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, cast, check_dtype, full
from lamina.frontend.dispatch import public
from lamina.frontend.dtypes import DType
from lamina.frontend.elementwise import (
    abs,
    add,
    clip,
    divide,
    maximum,
    multiply,
    negative,
    reciprocal,
)
from lamina.frontend.location import fail, shown
from lamina.frontend.logic import greater, less_equal
from lamina.frontend.searching import where
from lamina.frontend.transcendental import erf, exp, expm1, log1p, tanh


def wide(name: str, x: ArrayLike) -> tuple[Array, DType]:
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
    array, dtype = wide("sigmoid", x)
    return cast(_sigmoid(array), dtype)


def _sigmoid(array: Array) -> Array:
    return reciprocal(add(exp(negative(array)), 1))


@public
def silu(x: ArrayLike, /) -> Array:
    """x * sigmoid(x).

    >>> lm.silu(lm.asarray([0.0, 100.0]))
    Array([  0., 100.])
    """
    array, dtype = wide("silu", x)
    return cast(multiply(array, _sigmoid(array)), dtype)


@public
def gelu(x: ArrayLike, /, *, approximate: Literal["none", "tanh"] = "none") -> Array:
    """0.5 * x * (1 + erf(x / sqrt(2))); "tanh":
    0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))).

    >>> lm.gelu(lm.asarray([0.0, 100.0]))
    Array([  0., 100.])
    """
    array, dtype = wide("gelu", x)
    kind: object = approximate
    if type(kind) is str and kind == "none":
        inner = erf(multiply(array, math.sqrt(0.5)))
    elif type(kind) is str and kind == "tanh":
        cube = multiply(multiply(array, array), array)
        inner = add(array, multiply(cube, 0.044715))
        inner = tanh(multiply(inner, math.sqrt(2 / math.pi)))
    else:
        fail(
            ArgumentError,
            f'gelu: expected approximate "none" or "tanh", found {shown(approximate)}',
        )
    return cast(multiply(multiply(array, 0.5), add(inner, 1)), dtype)


@public
def elu(x: ArrayLike, /, *, alpha: float = 1.0) -> Array:
    """where(x > 0, x, alpha * expm1(x)) (Clevert et al., 2016).

    >>> lm.elu(lm.asarray([-1000.0, 2.0]), alpha=0.5)
    Array([-0.5,  2. ])
    """
    array, dtype = wide("elu", x)
    below = multiply(expm1(array), alpha)
    return cast(where(greater(array, 0), array, below), dtype)


@public
def leaky_relu(x: ArrayLike, /, *, negative_slope: float = 0.01) -> Array:
    """where(x > 0, x, negative_slope * x).

    >>> lm.leaky_relu(lm.asarray([-2.0, 2.0]), negative_slope=0.5)
    Array([-1.,  2.])
    """
    array, dtype = wide("leaky_relu", x)
    return cast(where(greater(array, 0), array, multiply(array, negative_slope)), dtype)


@public
def hardsigmoid(x: ArrayLike, /) -> Array:
    """clip((x + 3) / 6, 0, 1), as PyTorch has it.

    >>> lm.hardsigmoid(lm.asarray([-4.0, 0.0, 4.0]))
    Array([0. , 0.5, 1. ])
    """
    array, dtype = wide("hardsigmoid", x)
    return cast(_hardsigmoid(array), dtype)


def _hardsigmoid(array: Array) -> Array:
    return clip(divide(add(array, 3), 6), 0, 1)


@public
def hardswish(x: ArrayLike, /) -> Array:
    """x * hardsigmoid(x) (Howard et al., 2019).

    >>> lm.hardswish(lm.asarray([-4.0, 3.0]))
    Array([-0.,  3.])
    """
    array, dtype = wide("hardswish", x)
    return cast(multiply(array, _hardsigmoid(array)), dtype)


@public
def softplus(x: ArrayLike, /) -> Array:
    """log(1 + exp(x)), computed as max(x, 0) + log1p(exp(-abs(x))).

    >>> lm.softplus(lm.asarray([-1000.0, 1000.0]))
    Array([   0., 1000.])
    """
    array, dtype = wide("softplus", x)
    rest = log1p(exp(negative(abs(array))))
    return cast(add(maximum(array, 0), rest), dtype)
