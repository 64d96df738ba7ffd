"""A small convolutional network on scikit-learn's digits: trained in NumPy, by hand.

conv 3x3 (8) - relu - conv 3x3 stride 2 (16) - relu - dense (10), softmax cross-entropy, stochastic
gradient descent with momentum. It is the demo's second model, and its NumPy reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

Array = np.ndarray[Any, np.dtype[np.float32]]
Params = dict[str, Array]


def windows(x: Array, stride: int) -> Array:
    """The 3x3 windows of images (N, C, H, W) padded by 1: (N, C, H', W', 3, 3)."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::stride, ::stride]


def conv(x: Array, w: Array, b: Array, stride: int) -> Array:
    """Convolution 3x3, padding 1: (N, C, H, W) with (O, C, 3, 3) gives (N, O, H', W')."""
    found = np.tensordot(windows(x, stride), w, axes=((1, 4, 5), (1, 2, 3)))
    return np.moveaxis(found, -1, 1) + b[:, None, None]


def forward(params: Params, images: Array) -> Array:
    """The logits of images (N, 1, 8, 8): (N, 10)."""
    h = np.maximum(conv(images, params["w1"], params["b1"], 1), 0)
    h = np.maximum(conv(h, params["w2"], params["b2"], 2), 0)
    return h.reshape(len(images), -1) @ params["w3"] + params["b3"]


def _initial(rng: np.random.Generator) -> Params:
    def weights(*shape: int, fan_in: int) -> Array:
        return (rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32)

    return {
        "w1": weights(8, 1, 3, 3, fan_in=9), "b1": np.zeros(8, np.float32),
        "w2": weights(16, 8, 3, 3, fan_in=72), "b2": np.zeros(16, np.float32),
        "w3": weights(256, 10, fan_in=256), "b3": np.zeros(10, np.float32),
    }  # fmt: skip


def _conv_gradients(dy: Array, x: Array, w: Array, stride: int) -> tuple[Array, Array, Array]:
    """Gradients of `conv` for its input, weights and bias."""
    dw = np.tensordot(dy, windows(x, stride), axes=((0, 2, 3), (0, 2, 3)))
    spread = np.zeros((*dy.shape[:2], *x.shape[2:]), np.float32)
    spread[:, :, ::stride, ::stride] = dy
    flipped = w[:, :, ::-1, ::-1].swapaxes(0, 1)
    dx = conv(spread, flipped, np.zeros(len(flipped), np.float32), 1)
    return dx, dw, dy.sum((0, 2, 3))


def gradients(params: Params, images: Array, labels: np.ndarray[Any, Any]) -> Params:
    """The gradients of the mean cross-entropy."""
    a1 = conv(images, params["w1"], params["b1"], 1)
    h1 = np.maximum(a1, 0)
    a2 = conv(h1, params["w2"], params["b2"], 2)
    h2 = np.maximum(a2, 0).reshape(len(images), -1)
    logits = h2 @ params["w3"] + params["b3"]
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    p[np.arange(len(labels)), labels] -= 1
    p /= len(labels)
    d2 = (p @ params["w3"].T).reshape(a2.shape) * (a2 > 0)
    dh1, dw2, db2 = _conv_gradients(d2, h1, params["w2"], 2)
    _, dw1, db1 = _conv_gradients(dh1 * (a1 > 0), images, params["w1"], 1)
    return {"w1": dw1, "b1": db1, "w2": dw2, "b2": db2, "w3": h2.T @ p, "b3": p.sum(0)}


def train(images: Array, labels: np.ndarray[Any, Any], epochs: int = 12, seed: int = 0) -> Params:
    """Train on images (N, 1, 8, 8) and labels (N,); the same parameters for the same seed."""
    rng = np.random.default_rng(seed)
    params = _initial(rng)
    speed = {name: np.zeros_like(value) for name, value in params.items()}
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(len(images)), len(images) // 64):
            for name, gradient in gradients(params, images[batch], labels[batch]).items():
                speed[name] = 0.9 * speed[name] - 0.05 * gradient.astype(np.float32)
                params[name] += speed[name]
    return params
