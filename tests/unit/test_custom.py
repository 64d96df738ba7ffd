"""`lm.custom_vjp` and `lm.checkpoint`: eager, traced and compiled, in loops, batches and orders."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

X = np.random.default_rng(0).normal(size=6)
W = np.random.default_rng(1).normal(size=(6, 6))


@lm.custom_vjp
def scaled(x: Any, y: Any) -> Any:
    """x * y, whose gradient for x is 10 times what it should be."""
    return x * y


scaled.defvjp(lambda x, y: (x * y, (x, y)), lambda r, g: (10 * r[1] * g, r[0] * g))


def through_calls(x: Any) -> Any:
    return lm.sum(scaled(lm.sin(x), x * x) ** 2)


def expected_through_calls(x: Any) -> Any:
    outer = 2 * np.sin(x) * x * x
    return 10 * outer * x * x * np.cos(x) + outer * np.sin(x) * 2 * x


MODES: list[tuple[str, Callable[[Any], Any]]] = [
    ("eager", lambda f: f),
    ("jit of grad", lm.jit),
]


@pytest.mark.parametrize(("name", "mode"), MODES, ids=[name for name, _ in MODES])
def test_a_pullback_of_its_own(name: str, mode: Any) -> None:
    gradient = mode(lm.grad(through_calls))
    np.testing.assert_allclose(np.asarray(gradient(X)), expected_through_calls(X), rtol=1e-13)
    second = mode(lm.grad(lambda x: lm.sum(lm.grad(through_calls)(x))))
    sin, cos = np.sin(X), np.cos(X)
    outer, slope = 2 * sin * X * X, 2 * (10 * X * X * cos + 2 * X * sin)  # of the value, by bwd
    expected = 10 * (slope * X * X * cos + outer * (2 * X * cos - X * X * sin))
    expected += slope * 2 * X * sin + outer * 2 * (sin + X * cos)
    np.testing.assert_allclose(np.asarray(second(X)), expected, rtol=1e-12)


def test_a_pullback_on_the_tape_and_under_jit() -> None:
    x = lm.asarray(X, requires_grad=True)
    y = through_calls(x)
    y.backward()
    np.testing.assert_allclose(x.grad, expected_through_calls(X), rtol=1e-13)
    x.grad = None
    lm.jit(through_calls)(x).backward()
    np.testing.assert_allclose(x.grad, expected_through_calls(X), rtol=1e-13)
    assert scaled(x, x).grad_fn.name == "custom_vjp:scaled"
    assert not scaled(lm.asarray(X), X).requires_grad


@pytest.mark.parametrize(("name", "mode"), MODES, ids=[name for name, _ in MODES])
def test_a_pullback_in_loops_branches_and_batches(name: str, mode: Any) -> None:
    def looped(x: Any) -> Any:
        y = lm.fori_loop(0, 3, lambda i, c: lm.cond(i > 0, lambda: scaled(c, x), lambda: c), x)
        return lm.sum(y)

    # y = x * x * x; every product passes 10 times the gradient of its first factor
    np.testing.assert_allclose(
        np.asarray(mode(lm.grad(looped))(X)), (100 + 10 + 1) * X * X, rtol=1e-12
    )
    rows = mode(lm.vmap(lm.grad(lambda x: lm.sum(scaled(x, x[::-1])))))(W)
    np.testing.assert_allclose(np.asarray(rows), 11 * W[:, ::-1], rtol=1e-12)
    shared = mode(lm.grad(lambda x: lm.sum(lm.vmap(scaled, in_axes=(None, 0))(x, W))))(X)
    np.testing.assert_allclose(np.asarray(shared), 10 * W.sum(0), rtol=1e-12)


def test_trees_integers_and_arguments_without_a_cotangent() -> None:
    def f(mode: str, p: Any, n: Any) -> Any:
        return {"y": p["a"] * p["b"][0], "n": n}

    g = lm.custom_vjp(f, nondiff_argnums=(0,))
    seen: list[Any] = []

    def bwd(mode: str, res: Any, ct: Any) -> Any:
        seen.append((mode, ct["n"].dtype, ct["n"].tolist()))
        return {"a": ct["y"] * 2, "b": [ct["y"] * 3]}, None

    g.defvjp(lambda mode, p, n: (f(mode, p, n), None), bwd)
    count = lm.asarray([1, 2, 3, 4, 5, 6])
    loss = lambda p: lm.sum(g("quick", p, n=count)["y"])  # noqa: E731
    found = lm.grad(loss)({"a": lm.asarray(X), "b": [lm.asarray(X)]})
    assert found["a"].tolist() == [2.0] * 6 and found["b"][0].tolist() == [3.0] * 6
    assert seen == [("quick", np.dtype("int64"), [0] * 6)]


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize(
    ("fwd", "bwd", "error", "text"),
    [
        (lambda x: x, lambda r, g: (g,), lm.ArgumentError, r"fwd of f to give \(result, res"),
        (lambda x: (x, 0), lambda r, g: g, lm.ArgumentError, "a tuple of 1 cotangents.*Array"),
        (lambda x: (x, 0), lambda r, g: (g, g), lm.ArgumentError, "found tuple of 2"),
        (lambda x: (x, 0), lambda r, g: ([g],), lm.ArgumentError, "cotangent 0 of the structure"),
        (lambda x: (x, 0), lambda r, g: (g[:2],), lm.ShapeError, r"shape \(6,\), found \(2,\)"),
        (
            lambda x: (x, 0),
            lambda r, g: (lm.astype(g, lm.float32),),
            lm.DTypeError,
            "dtype float64, found float32",
        ),
    ],
)
def test_refusals(fwd: Any, bwd: Any, error: Any, text: str, traced: bool) -> None:
    f = lm.custom_vjp(lambda x: x)
    f.name = "f"
    f.defvjp(fwd, bwd)
    gradient = lm.grad(lambda x: lm.sum(f(x)))
    with pytest.raises(error, match=text) as found:
        (lm.jit(gradient) if traced else gradient)(X)
    assert "test_custom.py" in str(found.value)


def test_refusals_of_definitions() -> None:
    for call, text in (
        (lambda: lm.custom_vjp(lambda x: x)(X), "defvjp"),
        (lambda: scaled.defvjp(1, 2), "expected fwd to be a function"),
        (lambda: lm.checkpoint(3), "expected a function, found int"),
    ):
        with pytest.raises(lm.ArgumentError, match=text):
            call()


# checkpoint


def mlp(depth: int, wrap: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    layer = wrap(lambda x, w: lm.tanh(x @ w))

    def loss(ws: Any, x: Any) -> Any:
        for k in range(0, depth, 3):

            def block(x: Any, ws: Any) -> Any:
                for w in ws:
                    x = layer(x, w)
                return x

            x = wrap(block)(x, ws[k : k + 3])
        return lm.sum(x * x)

    return loss


@pytest.mark.parametrize(("name", "mode"), MODES, ids=[name for name, _ in MODES])
def test_checkpoint_changes_no_gradient(name: str, mode: Any) -> None:
    ws = [W + k for k in range(3)]
    plain = mode(lm.grad(mlp(3, lambda f: f)))(ws, X)
    nested = mode(lm.grad(mlp(3, lm.checkpoint)))(ws, X)
    for a, b in zip(plain, nested, strict=True):
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-13)

    def looped(x: Any) -> Any:
        step = lm.checkpoint(lambda c: lm.while_loop(lambda d: lm.sum(d * d) < 9, inner, c))
        inner = lm.checkpoint(lambda d: d * 1.5 + lm.sin(x))
        return lm.sum(
            lm.scan(lambda c, v: (lm.cond(v > 0, step, lambda d: d * v, c), None), x, x)[0]
        )

    def plainly(x: Any) -> Any:
        c = x
        for k in range(6):
            v = x[k]
            if X[k] > 0:
                while float(lm.sum(c * c)) < 9:
                    c = c * 1.5 + lm.sin(x)
            else:
                c = c * v
        return lm.sum(c)

    expected = lm.grad(plainly)(X)
    np.testing.assert_allclose(np.asarray(mode(lm.grad(looped))(X)), expected, rtol=1e-12)
    second = lm.grad(lambda x: lm.sum(lm.grad(plainly)(x) * X))(X)
    found = mode(lm.grad(lambda x: lm.sum(lm.grad(looped)(x) * X)))(X)
    np.testing.assert_allclose(np.asarray(found), second, rtol=1e-11)


def test_checkpoint_of_12_layers_halves_the_arena() -> None:
    ws = [np.ones((64, 64), np.float32)] * 12
    x = np.ones((2048, 64), np.float32)
    arenas = [
        lm.jit(lm.grad(mlp(12, wrap))).lower(ws, x).compile().memory().arena
        for wrap in (lambda f: f, lm.checkpoint)
    ]
    assert arenas[1] <= 0.5 * arenas[0]


def test_eager_checkpoint_computes_again_and_keeps_nothing() -> None:
    calls: list[int] = []
    weight = lm.asarray(X, requires_grad=True)

    def f(x: Any) -> Any:
        calls.append(1)
        return lm.exp(x * weight), 3

    x = lm.asarray(X, requires_grad=True)
    y, three = lm.checkpoint(f)(x)
    assert y.grad_fn.name == "checkpoint:f" and three == 3
    assert {id(t) for t in y.grad_fn.next_functions} == {id(None)} and len(calls) == 1
    lm.sum(y * 2).backward()
    assert len(calls) == 2
    np.testing.assert_allclose(x.grad, 2 * X * np.exp(X * X), rtol=1e-13)
    np.testing.assert_allclose(weight.grad, 2 * X * np.exp(X * X), rtol=1e-13)
    assert not lm.checkpoint(lambda x: lm.exp(x))(X).requires_grad


def test_checkpoint_refuses_what_it_cannot_repeat() -> None:
    x = lm.asarray(X, requires_grad=True) * 1

    def writes(x: Any) -> Any:
        x += 1.0
        return x * x

    with pytest.raises(lm.MutationError, match="does not write to its arguments"):
        lm.checkpoint(writes)(x)
    z = lm.asarray(X, requires_grad=True) * 1
    y = lm.sum(lm.checkpoint(lambda z: z * z)(z))
    z += 1.0
    with pytest.raises(lm.MutationError, match="overwritten since"):
        y.backward()


@pytest.mark.parametrize("trips", [12, 10, 3, 0])
def test_loops_store_every_so_many_trips(trips: int) -> None:
    def counted(x: Any, n: Any) -> Any:
        return lm.sum(lm.fori_loop(0, n, lambda i, c: lm.sin(c) * x + i, x))

    def unknown(x: Any, n: Any) -> Any:
        return lm.sum(
            lm.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, lm.sin(c[1]) * x), (0, x))[1]
        )

    def scanned(x: Any, n: Any) -> Any:
        c, ys = lm.scan(lambda c, v: (c * lm.sin(v), c), x, lm.stack([x] * trips + [x]))
        return lm.sum(c) + lm.sum(ys)

    for f, n in ((counted, trips), (counted, lm.asarray(trips)), (unknown, trips), (scanned, 0)):
        parts = lm.checkpoint(f, every=4)
        expected = np.asarray(lm.grad(f)(X, n))
        np.testing.assert_allclose(np.asarray(lm.grad(parts)(X, n)), expected, rtol=1e-13)
        compiled = lm.jit(lm.grad(parts))
        np.testing.assert_allclose(np.asarray(compiled(X, n)), expected, rtol=1e-12, atol=1e-13)


def test_every_so_many_trips_saves_memory() -> None:
    def f(x: Any) -> Any:
        return lm.sum(lm.fori_loop(0, 900, lambda i, c: lm.sin(c) * x, x))

    x = np.ones(1000)
    plain, parts = (
        lm.jit(lm.grad(g)).lower(x).compile().memory().arena
        for g in (f, lm.checkpoint(f, every=30))
    )
    assert plain > 900 * 8000 and parts < plain / 8
    second = lm.jit(lm.grad(lambda x: lm.sum(lm.grad(lm.checkpoint(f, every=30))(x))))
    found = np.asarray(second(X)) - np.asarray(lm.grad(lambda x: lm.sum(lm.grad(f)(x)))(X))
    assert float(np.max(np.abs(found))) < 1e-9
    with pytest.raises(lm.ArgumentError, match="every to be an int of 1 or more, found 0"):
        lm.checkpoint(f, every=0)
