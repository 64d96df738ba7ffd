"""Functions on axes of run-time size: one compilation, and the bits of code made for the sizes."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_jit_shapes import bits, compiled

import lamina as lm

N, M = lm.Dim("n"), lm.Dim("m")
RNG = np.random.default_rng(0)
SHAPES = ((2, 7), (1, 1))

ELEMENTWISE: dict[str, Callable[..., Any]] = {
    name: getattr(lm, name)
    for name in (
        "exp", "tanh", "abs", "floor", "isnan", "gelu", "signbit",
    )
}  # fmt: skip

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    "add": lambda x: x + x[0] + x[:, :1],
    "compare": lambda x: lm.where(x > 0.5, x, -x),
    "astype": lambda x: lm.astype(x * 10, lm.int8),
    "int8 times size": lambda x: lm.astype(x, lm.int8) * 3 + lm.astype(x, lm.int32) * x.shape[0],
    "sum": lambda x: (lm.sum(x), lm.sum(x, axis=0), lm.sum(x, axis=1, keepdims=True)),
    "mean": lambda x: (lm.mean(x), lm.mean(x, axis=0), lm.mean(x, axis=-1)),
    "var": lambda x: (lm.var(x), lm.std(x, axis=0)),
    "max": lambda x: (lm.max(x), lm.min(x, axis=0), lm.max(x, axis=1)),
    "prod": lambda x: lm.prod(x, axis=1),
    "any": lambda x: (lm.any(x > 0.9), lm.all(x > 0.1, axis=0), lm.count_nonzero(x > 0.5)),
    "argmax": lambda x: (lm.argmax(x), lm.argmax(x, axis=0), lm.argmin(x, axis=1)),
    "softmax": lambda x: (lm.softmax(x), lm.log_softmax(x, axis=0)),
    "logsumexp": lambda x: lm.logsumexp(x, axis=1),
    "layer_norm": lambda x: (lm.layer_norm(x), lm.rms_norm(x)),
    "matmul": lambda x: (x @ x.T, x.T @ x, x @ x[0]),
    "dot": lambda x: (lm.vecdot(x, x), lm.tensordot(x, x, axes=2), lm.outer(x[0], x[:, 0])),
    "einsum": lambda x: lm.einsum("ij,kj->ik", x, x),
    "transpose": lambda x: (x.T, lm.permute_dims(x, (1, 0)) + 1, lm.swapaxes(x, 0, 1) * 2),
    "reshape": lambda x: (x.reshape(-1), x.reshape(x.shape[1], x.shape[0]), x[None], x[:, None]),
    "ravel": lambda x: (x.T.ravel(), lm.expand_dims(x, axis=1), lm.squeeze(x[:1], 0)),
    "flip": lambda x: (lm.flip(x), lm.flip(x, axis=1), x[::-1]),
    "concat": lambda x: (lm.concat([x, x]), lm.concat([x, x * 2], axis=1), lm.stack([x, x])),
    "split": lambda x: lm.split(lm.concat([x, x]), 2),
    "tile": lambda x: lm.tile(x, (2, 1)),
    "broadcast": lambda x: (lm.broadcast_to(x, (3, *x.shape)), lm.broadcast_arrays(x, x[0])),
    "zeros": lambda x: (lm.zeros(x.shape), lm.ones_like(x), lm.full(x.shape[0], 2)),
    "arange": lambda x: (lm.arange(x.shape[0]), lm.arange(1, x.shape[1] + 1), lm.arange(x.size)),
    "linspace": lambda x: lm.linspace(0.0, 1.0, x.shape[0]),
    "eye": lambda x: (lm.eye(x.shape[0]), lm.tril(x), lm.triu(x, k=1)),
    "slice": lambda x: (x[1:], x[:-1], x[:, 1:] - x[:, :-1], x[0], x[-1], x[:, -1]),
    "strided": lambda x: (x[::2], x[1::2], x[:, ::3]),
    "half": lambda x: (x[: x.shape[0] // 2], x[x.shape[0] // 2 :], x[x.shape[0] // 2]),
    "write": lambda x: write(lm.copy(x)),
    "index": lambda x: (x[lm.asarray([0, -1])], lm.take(x, lm.asarray([0]), axis=1)),
    "mask": lambda x: write_mask(lm.copy(x)),
    "sort": lambda x: (lm.sort(x), lm.argsort(x, axis=0)),
    "cumsum": lambda x: (lm.cumsum(x, axis=0), lm.cumulative_sum(x, axis=1)),
    "pad": lambda x: lm.pad(x, 1),
    "diff": lambda x: lm.diff(x, axis=1),
    "clip": lambda x: lm.clip(x, 0.2, 0.8),
    "repeat": lambda x: lm.repeat(x, 2, axis=0),
    "roll": lambda x: lm.roll(x, 1, axis=0),
    "meshgrid": lambda x: lm.meshgrid(x[0], x[:, 0]),
    "one_hot": lambda x: lm.one_hot(lm.argmax(x, axis=1), 3),
    "searchsorted": lambda x: lm.searchsorted(lm.sort(x[0]), x[:, 0]),
    "loop": lambda x: lm.fori_loop(0, x.shape[0], lambda i, c: c + x[i], x[0]),
    "scan": lambda x: lm.scan(lambda c, r: (c + r, c), lm.zeros(3), lm.ones((4, 3))),
    "cond": lambda x: lm.cond(x[0, 0] > 0.5, lambda x: x * 2, lambda x: x + 1, x),
    "size": lambda x: (x * x.size, x / x.shape[0], x.shape[1] - x, x.shape[0] ** 2 + x),
    "number": lambda x: (x / x.shape[0] ** 0.5, x * (x.shape[1] & 3), x + (x.shape[0] << 1)),
    "grad": lambda x: lm.grad(lambda y: lm.sum(lm.tanh(y @ y.T)))(x),
    "grad of moves": lambda x: lm.grad(
        lambda y: lm.sum(lm.concat([y, y * y, x])[1:] ** 2) + lm.sum(lm.pad(y, 1)[1] ** 3)
    )(x),
    "grad of sums": lambda x: lm.grad(
        lambda y: lm.sum(lm.max(y, axis=1) * lm.cumsum(y, axis=0)[-1, 0]) + lm.mean(y)
    )(x),
    "grad of slices": lambda x: lm.grad(lambda y: lm.sum(y[1:] * y[:-1]))(x),
    "int": lambda x: lm.astype(x * 9, lm.int64) // 2 + lm.sum(lm.astype(x, lm.int32)),
}


def write(y: Any) -> Any:
    y[0] = 1.0
    y[-1] += 2.0
    y[:, 0] = y[:, -1]
    y[1:] = y[:-1] * 2
    return y


def write_mask(y: Any) -> Any:
    y[y > 0.5] = 0.0
    return y


PRODUCTS = ("matmul", "dot", "einsum", "grad", "number")
"""Sums whose order is chosen by known sizes; powers that Python computes of them."""
CONDITIONS = {"linspace": 2, "roll": 2, "pad": 2}
"""Functions that do something else for a size of 1."""


def close(found: Any, expected: Any, error: float) -> None:
    for a, b in zip(*(lm.tree.flatten(r)[0] for r in (found, expected)), strict=True):
        assert type(a) is type(b)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=error, atol=error)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_compilation(name: str) -> None:
    f = FUNCTIONS[name]
    one = lm.jit(f, shapes=((N, M),))
    for shape in SHAPES:
        x = RNG.random(shape)
        found, expected = one(x), lm.jit(f)(x)
        if name in PRODUCTS:
            close(found, expected, 1e-14)
        else:
            assert bits(found) == bits(expected), shape
    x = RNG.random((65, 3))
    close(one(x), f(lm.asarray(x)), 1e-10)
    assert compiled(one) <= CONDITIONS.get(name, 1), one.explain()


def rows(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        if x[i, 0] > 0.5:
            total = total + x[i, 1]
    for row in x:
        total = total + row[0]
    return total


def made(x: Any) -> Any:
    n = x.shape[0]
    y = np.zeros((n, 3))
    for i in range(n):
        y[i] = x[i] * 2
    return y


def drawn(*shapes: Any) -> Callable[[int], list[Any]]:
    """Arrays of these shapes, of which None is a size."""
    return lambda n: [RNG.random(tuple(n if s is None else s for s in shape)) for shape in shapes]


ONE = drawn((None, 3))
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[int], list[Any]], dict[str, Any]]] = {
    "sizes as results": (lambda x: (x.shape[0], x.shape[0] * 2, x), ONE, {}),
    "scan": (lambda x: lm.scan(lambda c, r: (c + r, c * 2), lm.zeros(3), x), ONE, {}),
    "map": (lambda x: lm.map(lm.sum, x), ONE, {}),
    "a size carried": (lambda x: lm.fori_loop(0, 3, lambda i, c: c + 1, x.shape[0]), ONE, {}),
    "while": (
        lambda x: lm.while_loop(lambda c: lm.sum(c) < 100, lambda c: c * 2, x + 0.1), ONE, {},
    ),
    "script": (rows, ONE, {"mode": "script"}),
    "script, arrays of sizes": (made, ONE, {"mode": "script"}),
    "not contiguous": (lambda x: x + 1, lambda n: [RNG.random((n, 6))[:, ::2]], {}),
    "float16": (lambda x: x * x + lm.sum(x), lambda n: [RNG.random((n, 3)).astype("f2")], {}),
    "complex": (lambda x: (x * x, lm.sum(x)), lambda n: [RNG.random((n, 3)) + 1j], {}),
    "bool": (lambda x: lm.concat([x, ~x]), lambda n: [RNG.random((n, 3)) > 0.5], {}),
    "where": (lambda x: lm.where(lm.arange(x.shape[0])[:, None] > 1, x, 0.0), ONE, {}),
    "top_k": (lambda x: lm.top_k(x, 2), ONE, {}),
    "take_along_axis": (lambda x: lm.take_along_axis(x, lm.argsort(x), axis=1), ONE, {}),
    "loss": (
        lm.value_and_grad(lambda x, w: lm.mean(lm.relu(x @ w) ** 2), wrt=(0, 1)),
        drawn((None, 3), (3, 4)), {},
    ),
    "conv": (
        lambda x, w: lm.max_pool(lm.conv(x, w, padding=1), 2),
        drawn((None, 2, 6, 6), (3, 2, 3, 3)), {},
    ),
    "attention": (
        lambda q, k: lm.dot_product_attention(q, k, k), drawn((None, 5, 4), (None, 5, 4)), {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    f, draw, options = PROGRAMS[name]
    specs = [tuple(N if a != b else a for a, b in zip(x.shape, y.shape, strict=True))
             for x, y in zip(draw(98), draw(99), strict=True)]  # fmt: skip
    one = lm.jit(f, shapes=tuple(specs), **options)
    for size in (2, 5, 1):
        arguments = draw(size)
        error = 1e-2 if name == "float16" else 1e-12
        close(one(*arguments), lm.jit(f, **options)(*arguments), error)
    assert compiled(one) == 1, one.explain()


def test_refused() -> None:
    for f, text in (
        (lambda x: lm.vmap(lm.sum)(x), "vmap: expected sizes that are known"),
        (lambda x: lm.random.normal(lm.random.key(0), x.shape), "random_bits"),
        (lambda x: x[3:0:-1], "index: expected sizes that are known"),
    ):
        with pytest.raises(lm.TraceError, match=text) as caught:
            lm.jit(f, shapes=((N, M),))(np.ones((5, 3)))
        assert "test_size_functions.py" in str(caught.value)
