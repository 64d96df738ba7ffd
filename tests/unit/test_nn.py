"""Activations, normalizations and attention against formulas in float64, eager and compiled."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.interpreters.types import BF16, F16, F32, F64

RNG = np.random.default_rng(0)
X = RNG.normal(scale=4, size=(3, 8, 5))
MEAN, VAR, W, B = RNG.normal(size=8), RNG.random(8) + 0.5, RNG.normal(size=8), RNG.normal(size=8)
Q, K, V = (RNG.normal(size=shape) for shape in ((2, 4, 7, 6), (2, 1, 5, 6), (2, 4, 5, 3)))
MASK = RNG.random((7, 5)) < 0.6
MASK[:, 0] = True
BIAS = RNG.normal(size=(4, 7, 5))
TALL = np.tril(np.ones((7, 5), bool))


def channels(x: Any) -> Any:
    return x[None, :, None]


def group_norm(x: Any) -> Any:
    g = x.reshape(3, 4, -1)
    g = (g - g.mean(-1, keepdims=True)) / np.sqrt(g.var(-1, keepdims=True) + 1e-5)
    return g.reshape(x.shape) * channels(W) + channels(B)


def attention(scores: Any, v: Any = V) -> Any:
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


SCORES = Q @ K.swapaxes(-1, -2) / np.sqrt(6)
CASES: list[tuple[str, Callable[..., Any], tuple[Any, ...], Any]] = [
    ("elu", lambda x: lm.elu(x, alpha=1.5), (X,), np.where(X > 0, X, 1.5 * np.expm1(X))),
    ("leaky_relu", lambda x: lm.leaky_relu(x, negative_slope=0.2), (X,), np.maximum(X, 0.2 * X)),
    ("hardsigmoid", lambda x: lm.hardsigmoid(x), (X,), np.clip(X / 6 + 0.5, 0, 1)),
    ("hardswish", lambda x: lm.hardswish(x), (X,), X * np.clip(X / 6 + 0.5, 0, 1)),
    ("softplus", lambda x: lm.softplus(x), (X,), np.logaddexp(X, 0)),
    ("batch_norm", lambda x, *p: lm.batch_norm(x, *p), (X, MEAN, VAR, W, B),
     (X - channels(MEAN)) / np.sqrt(channels(VAR) + 1e-5) * channels(W) + channels(B)),
    ("batch_norm, last axis", lambda x, *p: lm.batch_norm(x, *p, axis=-1), (X, MEAN[:5], VAR[:5]),
     (X - MEAN[:5]) / np.sqrt(VAR[:5] + 1e-5)),
    ("group_norm", lambda x, w, b: lm.group_norm(x, 4, w, b), (X, W, B), group_norm(X)),
    ("attention", lambda q, k, v: lm.dot_product_attention(q, k, v), (Q, K, V), attention(SCORES)),
    ("attention, scale", lambda q, k, v: lm.dot_product_attention(q, k, v, scale=2.0), (Q, K, V),
     attention(SCORES * 2 * np.sqrt(6))),
    ("attention, bias", lambda q, k, v, b: lm.dot_product_attention(q, k, v, bias=b),
     (Q, K, V, BIAS), attention(SCORES + BIAS)),
    ("attention, mask", lambda q, k, v: lm.dot_product_attention(q, k, v, mask=MASK), (Q, K, V),
     attention(np.where(MASK, SCORES, -np.inf))),
    ("attention, causal", lambda q, k, v: lm.dot_product_attention(q, k, v, is_causal=True),
     (Q, K, V), attention(np.where(TALL, SCORES, -np.inf))),
]  # fmt: skip
TOLERANCE = {F64: 1e-12, F32: 2e-5, F16: 0.02, BF16: 0.15}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_against_the_formula(case: Any, dtype: Any) -> None:
    _, function, args, expected = case
    rounded = [x.astype(dtype) for x in args]
    eager = np.asarray(function(*(lm.asarray(x) for x in rounded)))
    assert eager.dtype == dtype
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(eager.astype(F64), expected, rtol=tolerance, atol=tolerance)
    if dtype in (F32, BF16):
        compiled = np.asarray(lm.jit(function)(*rounded))
        assert compiled.dtype == dtype
        np.testing.assert_allclose(
            compiled.astype(F64), eager.astype(F64), rtol=tolerance, atol=tolerance
        )


def test_nan_and_infinities() -> None:
    x = lm.asarray([np.nan, np.inf, -np.inf])
    for function, ends in (
        (lm.elu, [np.inf, -1]), (lm.leaky_relu, [np.inf, -np.inf]), (lm.hardsigmoid, [1, 0]),
        (lm.softplus, [np.inf, 0]),
    ):  # fmt: skip
        assert np.asarray(function(x)).tolist()[1:] == ends
        assert np.isnan(np.asarray(function(x))[0])
    hidden = lm.dot_product_attention(
        lm.ones((1, 2)), lm.ones((3, 2)), lm.ones((3, 2)), mask=np.zeros((1, 3), bool)
    )
    assert np.isnan(np.asarray(hidden)).all()


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: lm.elu(lm.asarray([1])), lm.DTypeError, "elu: expected"),
        (lambda: lm.batch_norm(X, MEAN[:3], VAR), lm.ShapeError, r"mean of shape \(8,\)"),
        (lambda: lm.batch_norm(X, MEAN, VAR, axis=3), lm.AxisError, "batch_norm"),
        (lambda: lm.group_norm(X, 3), lm.ShapeError, "multiple of num_groups 3"),
        (lambda: lm.group_norm(X[0, 0], 1), lm.ShapeError, "group_norm: expected x of shape"),
        (lambda: lm.group_norm(X, 0), lm.ShapeError, "num_groups 0"),
        (lambda: lm.dot_product_attention(Q, K, V, mask=np.ones((7, 5))), lm.DTypeError, "bool"),
        (lambda: lm.dot_product_attention(Q, K, V, mask=np.ones((7, 4), bool)), lm.ShapeError,
         "dot_product_attention"),
        (lambda: lm.dot_product_attention(Q[0, 0, 0], K, V), lm.ShapeError, "2 axes or more"),
    ],
)  # fmt: skip
def test_refusals(call: Any, error: type[Exception], text: str, traced: bool) -> None:
    with pytest.raises(error, match=text) as found:
        lm.jit(call)() if traced else call()
    assert "test_nn.py" in str(found.value)
