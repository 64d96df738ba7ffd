"""Optimizers as pure functions over trees of arrays; a step may be jitted.

    optimizer = lm.optim.adam(1e-3)
    state = optimizer.init(params)
    params, state = optimizer.update(params, gradients, state)

Parameters, gradients and results are trees of one structure (`lm.tree`). Updates are computed in
the dtype of each parameter.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lamina.errors import ArgumentError
from lamina.frontend import tree
from lamina.frontend.bind import as_array
from lamina.frontend.creation import asarray, zeros_like
from lamina.frontend.dtypes import float32
from lamina.frontend.location import fail
from lamina.frontend.manipulation import astype
from lamina.frontend.reductions import sum as reduced_sum
from lamina.frontend.searching import where
from lamina.frontend.transcendental import expm1, sqrt


@dataclass(frozen=True)
class Optimizer:
    """init(params) gives the state; update(params, gradients, state) the next params and state."""

    init: Callable[[Any], Any]
    update: Callable[[Any, Any, Any], tuple[Any, Any]]


def _positive(name: str, what: str, value: object, least: float = 0.0) -> None:
    if not (isinstance(value, (int, float)) and value >= least):
        fail(ArgumentError, f"{name}: expected {what} of {least} or more, found {value!r}")


def _zeros(params: Any) -> Any:
    return tree.map_leaves(zeros_like, params)


def sgd(learning_rate: float, *, momentum: float = 0.0, nesterov: bool = False) -> Optimizer:
    """v = momentum * v + g; p = p - learning_rate * v, or with nesterov
    p - learning_rate * (g + momentum * v) (Sutskever et al., 2013). Errors: `ArgumentError` for
    negative numbers.

    >>> optimizer = lm.optim.sgd(0.5)
    >>> optimizer.update({"w": lm.asarray([1.0])}, {"w": lm.asarray([4.0])}, {})[0]
    {'w': Array([-1.])}
    """
    _positive("sgd", "learning_rate", learning_rate)
    _positive("sgd", "momentum", momentum)

    def init(params: Any) -> Any:
        return {"velocity": _zeros(params)} if momentum else {}

    def update(params: Any, gradients: Any, state: Any) -> tuple[Any, Any]:
        def moved(p: Any, g: Any) -> Any:
            return p - learning_rate * g

        if not momentum:
            return tree.map_leaves(moved, params, gradients), state
        velocity = tree.map_leaves(lambda v, g: momentum * v + g, state["velocity"], gradients)
        step = velocity
        if nesterov:
            step = tree.map_leaves(lambda v, g: g + momentum * v, velocity, gradients)
        return tree.map_leaves(moved, params, step), {"velocity": velocity}

    return Optimizer(init, update)


def _log(b: float) -> float:
    return math.log(b) if b else -math.inf


def adam(
    learning_rate: float, *, b1: float = 0.9, b2: float = 0.999, epsilon: float = 1e-8
) -> Optimizer:
    """m = b1 * m + (1 - b1) * g; v = b2 * v + (1 - b2) * g * g; p = p - learning_rate *
    (m / (1 - b1**t)) / (sqrt(v / (1 - b2**t)) + epsilon) at step t = 1, 2, ... (Kingma and Ba,
    2015). Errors: `ArgumentError` for negative numbers.

    >>> optimizer = lm.optim.adam(0.1, epsilon=0.0)
    >>> params = lm.asarray([1.0, 1.0])
    >>> optimizer.update(params, lm.asarray([3.0, -5.0]), optimizer.init(params))[0]
    Array([0.9, 1.1])
    """
    return _adam("adam", learning_rate, b1, b2, epsilon, 0.0)


def adamw(
    learning_rate: float,
    *,
    b1: float = 0.9,
    b2: float = 0.999,
    epsilon: float = 1e-8,
    weight_decay: float = 0.01,
) -> Optimizer:
    """`adam`, and p also shrinks by learning_rate * weight_decay * p (Loshchilov and Hutter, 2019).
    Errors: `ArgumentError` for negative numbers.

    >>> optimizer = lm.optim.adamw(0.1, weight_decay=0.5)
    >>> optimizer.update(lm.asarray([2.0]), lm.asarray([0.0]), optimizer.init(lm.asarray([2.0])))[0]
    Array([1.9])
    """
    _positive("adamw", "weight_decay", weight_decay)
    return _adam("adamw", learning_rate, b1, b2, epsilon, weight_decay)


def _adam(
    name: str, learning_rate: float, b1: float, b2: float, epsilon: float, decay: float
) -> Optimizer:
    numbers = {"learning_rate": learning_rate, "b1": b1, "b2": b2, "epsilon": epsilon}
    for what, value in numbers.items():
        _positive(name, what, value)

    def init(params: Any) -> Any:
        return {"step": asarray(0, dtype=float32), "m": _zeros(params), "v": _zeros(params)}

    def update(params: Any, gradients: Any, state: Any) -> tuple[Any, Any]:
        step = state["step"] + 1
        m = tree.map_leaves(lambda m, g: b1 * m + (1 - b1) * g, state["m"], gradients)
        v = tree.map_leaves(lambda v, g: b2 * v + (1 - b2) * (g * g), state["v"], gradients)

        first, second = (-expm1(step * _log(b)) for b in (b1, b2))  # 1 - b**step, accurate

        def moved(p: Any, m: Any, v: Any) -> Any:
            mean = m / astype(first, m.dtype)
            scale = sqrt(v / astype(second, v.dtype)) + epsilon
            kept = p - (learning_rate * decay) * p if decay else p
            return kept - learning_rate * (mean / scale)

        return tree.map_leaves(moved, params, m, v), {"step": step, "m": m, "v": v}

    return Optimizer(init, update)


def global_norm(gradients: Any) -> Any:
    """The square root of the sum of the squares of all elements, 0-d; in float32 or wider.

    >>> lm.optim.global_norm({"a": lm.asarray([3.0]), "b": lm.asarray([4.0])})
    Array(5.)
    """
    leaves = [as_array("global_norm", leaf) for leaf in tree.flatten(gradients)[0]]
    if not leaves:
        fail(ArgumentError, "global_norm: expected a tree with an array, found none")
    wide = [astype(x, float32) if x.itemsize < 4 else x for x in leaves]
    total = reduced_sum(wide[0] * wide[0])
    for x in wide[1:]:
        total = total + reduced_sum(x * x)
    return sqrt(total)


def _scaled(g: Any, factor: Any) -> Any:
    return g * astype(factor, g.dtype)


def clip_by_global_norm(gradients: Any, max_norm: float) -> tuple[Any, Any]:
    """The tree times max_norm / norm where its norm is larger, and the norm (Pascanu et al., 2013);
    nothing leaves compiled code for it. Errors: `ArgumentError` for max_norm < 0.

    >>> lm.optim.clip_by_global_norm({"a": lm.asarray([3.0]), "b": lm.asarray([4.0])}, 1.0)
    ({'a': Array([0.6]), 'b': Array([0.8])}, Array(5.))
    """
    _positive("clip_by_global_norm", "max_norm", max_norm)
    norm = global_norm(gradients)
    factor = where(norm > max_norm, max_norm / norm, 1.0)
    return tree.map_leaves(lambda g: _scaled(g, factor), gradients), norm


__all__ = ["Optimizer", "adam", "adamw", "clip_by_global_norm", "global_norm", "sgd"]
