"""Gradients of functions: eager, traced and compiled are equal, and right."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportOptionalMemberAccess=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

RNG = np.random.default_rng(0)
X, W, B = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 5)), RNG.normal(size=5)
V = RNG.uniform(0.5, 1.5, size=6)
IMAGE, KERNEL = RNG.normal(size=(2, 4, 6, 5)), RNG.normal(size=(6, 2, 3, 2))


def branching(x: Any) -> Any:
    """Mutation and views: a copy is written in place."""
    y = lm.asarray(x * 1.0, copy=True)
    return lm.sum(y * y * x)


FUNCTIONS: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("affine", lambda x, w, b: lm.tanh(x @ w + b), (X, W, B)),
    ("softmax", lambda x: lm.softmax(x, axis=0), (X,)),
    ("log_softmax", lambda x: lm.log_softmax(x), (X,)),
    ("logsumexp", lambda x: lm.logsumexp(x, axis=1), (X,)),
    ("layer_norm", lambda x, w: lm.layer_norm(x, w), (X, X[0] + 2)),
    ("rms_norm", lambda x: lm.rms_norm(x), (X,)),
    ("group_norm", lambda x: lm.group_norm(x, 2), (X,)),
    ("batch_norm", lambda x, m, v: lm.batch_norm(x, m, v), (X, X[0], X[0] ** 2 + 1)),
    ("gelu", lambda x: lm.gelu(x), (X,)),
    ("gelu tanh", lambda x: lm.gelu(x, approximate="tanh"), (X,)),
    ("silu", lambda x: lm.silu(x), (X,)),
    ("elu", lambda x: lm.elu(x), (X,)),
    ("softplus", lambda x: lm.softplus(x), (X,)),
    ("hardswish", lambda x: lm.hardswish(x), (X,)),
    ("attention", lambda q: lm.dot_product_attention(q, q, q, is_causal=True), (X,)),
    ("conv", lambda x, k: lm.conv(x, k, strides=(2, 1), padding=1, groups=2), (IMAGE, KERNEL)),
    ("max_pool", lambda x: lm.max_pool(x, 2), (IMAGE,)),
    ("max_pool, overlapping", lambda x: lm.max_pool(x, 3, strides=2, padding=1), (IMAGE,)),
    ("avg_pool", lambda x: lm.avg_pool(x, (2, 3)), (IMAGE,)),
    ("avg_pool, overlapping", lambda x: lm.avg_pool(x, 3, strides=1, padding=1), (IMAGE,)),
    ("sort", lambda x: lm.sort(x, axis=0) * X, (X,)),
    ("cumulative", lambda x: lm.cumsum(x, axis=1) * lm.cumulative_prod(x, axis=1), (X,)),
    ("einsum", lambda x, w: lm.einsum("ij,jk->ki", x, w), (X, W)),
    ("var", lambda x: lm.var(x, axis=0), (X,)),
    ("std", lambda x: lm.std(x), (X,)),
    ("prod", lambda x: lm.prod(x, axis=1), (X,)),
    ("power", lambda x: x**2.5 + 2.0**x, (V,)),
    ("slices", lambda x: x[::2] * x[1::2] + x[-1] - x[::-2], (V,)),
    ("concat", lambda x: lm.concat([x, lm.flip(x) * 2]) * 3, (V,)),
    ("where", lambda x: lm.where(x > 1, x * x, lm.sin(x)), (V,)),
    ("clip", lambda x: lm.clip(x, 0.7, 1.2) * x, (V,)),
    ("pad roll tile", lambda x: lm.roll(lm.pad(x, ((1, 2),)), 2) * lm.tile(x, (9,))[:9], (V,)),
    ("trace of a product", lambda x: lm.sum(lm.linalg.trace(x @ x.T)), (X,)),
    ("copy written", branching, (V,)),
]
IDS = [name for name, _, _ in FUNCTIONS]
SLOW = {"conv", "attention", "affine", "max_pool", "max_pool, overlapping", "avg_pool",
        "avg_pool, overlapping"}  # fmt: skip


@pytest.mark.parametrize(("name", "f", "args"), FUNCTIONS, ids=IDS)
def test_first_and_second_order(name: str, f: Any, args: Any) -> None:
    assert lm.gradcheck(f, [lm.asarray(x) for x in args], order=1 if name in SLOW else 2)


@pytest.mark.parametrize(("name", "f", "args"), FUNCTIONS, ids=IDS)
def test_compiled_equals_eager(name: str, f: Any, args: Any) -> None:
    def loss(*xs: Any) -> Any:
        y = f(*xs)
        return lm.sum(y * y)

    wrt = tuple(range(len(args)))
    gradient = lm.value_and_grad(loss, wrt)
    eager = lm.tree.flatten(gradient(*args))[0]
    compiled = lm.tree.flatten(lm.jit(gradient)(*args))[0]
    tape = [lm.asarray(x, requires_grad=True) for x in args]
    value = loss(*tape)
    value.backward()
    for a, b, c in zip(eager, compiled, [value, *(x.grad for x in tape)], strict=True):
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(np.asarray(c.detach()), np.asarray(a))


def test_nested_gradients_of_all_kinds() -> None:
    def f(x: Any) -> Any:
        return lm.sum(lm.exp(lm.sin(x)) * x)

    slope = lm.grad(lambda x: lm.sum(lm.grad(f)(x) ** 2))
    third = lm.grad(lambda x: lm.sum(lm.grad(lambda y: lm.sum(lm.grad(f)(y)))(x)))
    direction = lm.asarray(V[::-1].copy())
    forward = lambda x: lm.jvp(lm.grad(f), [x], [direction])[1]  # noqa: E731
    backward = lambda x: lm.grad(lambda y: lm.sum(lm.grad(f)(y) * direction))(x)  # noqa: E731
    np.testing.assert_allclose(forward(V), backward(V), rtol=1e-12)
    np.testing.assert_allclose(lm.hessian(f)(V) @ direction, backward(V), rtol=1e-12)
    for g in (slope, third, forward, lm.hessian(f), lm.jit(lm.grad(lm.jit(f)))):
        np.testing.assert_allclose(lm.jit(g)(V), g(V), rtol=1e-11)


def test_perturbations_are_not_confused() -> None:
    """d/dx [x * d/dy (x + y)] at y = 1 is 1, not 2 (Siskind and Pearlmutter, 2005)."""
    f = lm.grad(lambda x: x * lm.grad(lambda y: x + y)(lm.asarray(1.0)))
    assert float(f(lm.asarray(1.0))) == 1.0
    assert float(lm.jit(f)(lm.asarray(1.0))) == 1.0


def test_trees_and_aux() -> None:
    params = {"w": W, "layers": [B, (X[0],)]}

    def loss(p: Any, x: Any) -> Any:
        y = x @ p["w"] + p["layers"][0]
        return lm.sum(y**2) + lm.sum(p["layers"][1][0]), {"y": y}

    (value, aux), gradient = lm.value_and_grad(loss, has_aux=True)(params, X)
    expected = X @ W + B
    np.testing.assert_allclose(gradient["w"], 2 * X.T @ expected)
    np.testing.assert_allclose(gradient["layers"][0], 2 * expected.sum(0))
    np.testing.assert_array_equal(gradient["layers"][1][0], np.ones(4))
    assert not value.requires_grad and not aux["y"].requires_grad
    again = lm.jit(lm.grad(loss, has_aux=True))(params, X)
    np.testing.assert_allclose(again[0]["w"], gradient["w"])


def test_no_gradient_is_zero() -> None:
    f = lambda x: lm.sum(lm.floor(x)) + 1.0  # noqa: E731
    for g in (lm.grad(f), lm.jit(lm.grad(f)), lm.grad(lambda x: lm.sum(lm.ones(3)))):
        assert np.asarray(g(V)).tolist() == [0.0] * 6


def test_stops() -> None:
    def f(x: Any) -> Any:
        with lm.no_grad():
            y = x * x
        return lm.sum(y * x + x.detach() * x + lm.stop_gradient({"x": x})["x"])

    for g in (lm.grad(f), lm.jit(lm.grad(f))):
        np.testing.assert_allclose(g(V), V * V + V, rtol=1e-14)


# The tape.


def leaf(x: Any) -> Any:
    return lm.asarray(x, requires_grad=True)


def test_backward_accumulates_and_names_its_nodes() -> None:
    x = leaf([1.0, 2.0])
    y = lm.sum(x * x)
    assert y.grad_fn.name == "reduce" and y.grad_fn.next_functions[0].name == "multiply"
    assert x.grad_fn is None and x.grad is None and x.requires_grad
    y.backward()
    assert x.grad.tolist() == [2, 4] and not x.grad.requires_grad
    lm.sum(3 * x).backward()
    assert x.grad.tolist() == [5, 7]
    x.grad = None
    (x * 2).backward(lm.asarray([1.0, 10.0]))
    assert x.grad.tolist() == [2, 20]


def test_higher_order_on_the_tape() -> None:
    x = leaf(2.0)
    (x**3).backward(create_graph=True)
    first = x.grad
    x.grad = None
    first.backward()
    assert float(first.detach()) == 12 and float(x.grad.detach()) == 12


def test_python_control_flow_and_recursion() -> None:
    def power(x: Any, n: int) -> Any:
        if n == 0:
            return lm.ones_like(x)
        half = power(x, n // 2)
        return half * half * x if n % 2 else half * half

    x = leaf(1.5)
    y = power(x, 13)
    while float(y.detach()) < 1e4:
        y = y * 2
    y.backward()
    scale = float(y.detach()) / 1.5**13
    assert float(x.grad) == pytest.approx(13 * 1.5**12 * scale)


def test_a_long_chain_does_not_recurse() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(5000):
        y = y + x
    y.backward()
    assert float(x.grad) == 5001


def test_hooks() -> None:
    x = leaf(3.0)
    y = x * 2
    seen: list[float] = []
    remove = y.register_hook(lambda g: seen.append(float(g)))
    x.register_hook(lambda g: g * 10)
    (y * 5).backward()
    assert seen == [5.0] and float(x.grad) == 100
    remove()
    (x * 1).backward()
    assert seen == [5.0]


def test_memory_is_freed_without_the_collector() -> None:
    x = leaf(np.ones(1000))
    gc.disable()
    try:
        y = lm.exp(x) * 2
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def refused(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text) as found:
        call()
    assert "test_autograd.py" in str(found.value)


def test_refusals_of_the_tape() -> None:
    x = leaf([1.0, 2.0])
    y = lm.sum(lm.exp(x))
    y.backward()
    refused(y.backward, lm.ArgumentError, "freed by an earlier backward; pass retain_graph=True")
    refused(lambda: (x * 2).backward(), lm.ShapeError, r"a gradient for an array of shape \(2,\)")
    refused(lambda: lm.asarray(1.0).backward(), lm.ArgumentError, "found one without")
    refused(lambda: lm.asarray([1], requires_grad=True), lm.DTypeError, "floating-point")
    pair = lm.asarray([1.0, 2.0])
    refused(lambda: (leaf(2.0) * 2).backward(pair), lm.ShapeError, r"expected a gradient of shape")
    refused(lambda: lm.nextafter(x, x), lm.DTypeError, "nextafter: expected an operation that has")

    def no_leaf() -> None:
        (x * 2).requires_grad = False

    refused(no_leaf, lm.ArgumentError, "expected a leaf, found a result; use detach")
    refused(
        lambda: lm.asarray(np.ones(2), copy=False, requires_grad=True), lm.ArgumentError, "copy"
    )


def test_overwritten_values_are_refused() -> None:
    x = leaf([1.0, 2.0])
    w = lm.asarray([3.0, 4.0])
    y = lm.sum(x * w)
    w[0] = 7.0
    refused(y.backward, lm.MutationError, "multiply used .* overwritten since; write to a copy")
    z = lm.exp(x)
    z += 1.0  # exp's derivative reads the values that were here
    refused(lambda: lm.sum(z).backward(), lm.MutationError, "exp used .* overwritten")


UNARY = (
    "exp", "exp2", "expm1", "log", "log1p", "log2", "sqrt", "sin", "cos", "tan", "tanh", "sinh",
    "cosh", "erf", "atan", "abs", "negative", "floor", "reciprocal", "square", "max", "prod",
    "sum", "flip", "cumulative_sum",
)  # fmt: skip
BINARY = ("add", "subtract", "multiply", "divide", "pow", "atan2", "hypot", "maximum", "minimum",
          "remainder", "copysign")  # fmt: skip


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_what_a_rule_reads_is_watched(name: str) -> None:
    """A result filled with NaN behind the tape: the gradient is as it was, or it is refused."""
    f = getattr(lm, name)
    args = (V, V[::-1].copy())[: 2 if name in BINARY else 1]

    def gradient(overwrite: bool) -> list[Any]:
        leaves = [leaf(x) for x in args]
        y = f(*leaves)
        total = lm.sum(y)
        if overwrite:
            with lm.no_grad():
                y[...] = np.nan
        total.backward()
        return [x.grad.tolist() for x in leaves]

    expected = gradient(False)
    try:
        assert gradient(True) == expected
    except lm.MutationError:
        assert name not in ("add", "sin", "multiply", "sum", "flip")


def copied(x: Any) -> Any:
    """What a derivative reads must not be written: in memory of its own."""
    return lm.asarray(x, copy=True)


def test_writes_to_whole_arrays() -> None:
    x = leaf([1.0, 2.0])

    def write_leaf() -> None:
        x[0] = 1.0

    refused(write_leaf, lm.MutationError, "found a view of one with requires_grad")

    def add_to_leaf() -> None:
        nonlocal x
        x += 1.0

    refused(add_to_leaf, lm.MutationError, "not a leaf of a gradient")
    assert x.tolist() == [1, 2]
    with lm.no_grad():
        x -= 0.5
    assert x.tolist() == [0.5, 1.5] and x.requires_grad
    y = x * 2
    y += 1.0
    lm.sum(y * 3).backward()
    assert x.grad.tolist() == [6, 6]


def test_writes_through_views() -> None:
    """Views see the write and its gradient, whoever wrote; order 2 goes through it."""

    def f(x: Any) -> Any:
        y = lm.reshape(x * 2, (2, 3))
        row, column = y[0], y.T[1]
        row[1:] = x[:2] * x[2:4]  # column[0] is another now
        column[...] = lm.exp(copied(column)) * x[0]
        y[1] += copied(column)[0] * copied(row)
        rest = lm.zeros((2, 2))
        rest[0, 1] = column[1]
        rest[1] = row[::2]
        return lm.sum(y * y) + lm.sum(lm.sin(rest) * row[1]), column

    loss = lambda x: f(x)[0]  # noqa: E731
    assert lm.gradcheck(loss, [V])
    np.testing.assert_allclose(lm.grad(loss)(V), lm.jit(lm.grad(loss))(V), rtol=1e-13)
    x = leaf(V)
    assert f(x)[1].grad_fn.name == "gather"


@pytest.mark.parametrize("seed", range(8))
def test_random_writes_are_those_of_the_trace(seed: int) -> None:
    """Views of views, written in any order: the gradient is that of the compiled function."""

    def f(x: Any) -> Any:
        rng = np.random.default_rng(seed)
        arrays = [lm.reshape(x * 1.5, (2, 3)), lm.reshape(x * x, (3, 2))]
        for _ in range(14):
            y = arrays[rng.integers(len(arrays))]
            match int(rng.integers(6)):
                case 0:
                    arrays.append(y.T)
                case 1:
                    arrays.append(y[:: int(rng.choice([1, -1]))])
                case 2:
                    arrays.append(y[:, 1:] if y.shape[1] > 1 else y)
                case 3:
                    other = arrays[rng.integers(len(arrays))]
                    y[0, 0] = lm.sin(other[-1, -1]) + x[1]
                case 4:
                    y[1:] = copied(y)[:-1] * x[2]
                case _:
                    y[...] = copied(y) * (0.5 + x[0])
        return sum((lm.sum(y * y) for y in arrays), lm.sum(x))

    found, expected = lm.value_and_grad(f)(lm.asarray(V)), lm.jit(lm.value_and_grad(f))(V)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)


def test_writes_that_no_gradient_follows_are_refused() -> None:
    x, s = leaf([1.0, 2.0]), leaf(3.0)
    y = x * 2
    v = y[:1]
    with lm.no_grad():
        y[0] = 5.0
    refused(lambda: v * 2, lm.MutationError, "in a way that no gradient follows")
    part = lm.zeros(4)[:2]

    def into_a_part() -> None:
        part[0] = s

    refused(into_a_part, lm.MutationError, "a view of an array without one")
    z = x * 2
    w = z[:1] * z[:1]
    z[0] = s
    refused(w.backward, lm.MutationError, "multiply used .* overwritten since")
    kept = lm.zeros(2)
    kept[0] = s * s
    kept[1] = kept[0] * s
    lm.sum(kept).backward()
    assert float(s.grad) == 2 * 3 + 3 * 9
    with lm.no_grad():
        kept[0] = s
    assert kept.tolist()[0] == 3


def test_memory_of_written_views_is_freed_without_the_collector() -> None:
    x = leaf(np.ones(1000))
    gc.disable()
    try:
        y = x * 2
        v = y[1:]
        v[...] = lm.exp(copied(y[:-1]))
        y[0] = v[0]
        node = weakref.ref(y.grad_fn)
        lm.sum(y).backward()
        del y, v
        assert node() is None
    finally:
        gc.enable()


# Compiled calls on the tape.


def test_a_jitted_call_is_one_node() -> None:
    @lm.jit
    def f(p: Any, x: Any, n: int = 2) -> Any:
        return lm.tanh(x @ p["w"]) * n, lm.sum(p["w"])

    w = leaf(W)
    for _ in range(3):
        w.grad = None
        y, s = f({"w": w}, X)
        assert y.grad_fn.name == "jit:f"
        (lm.sum(y) * s).backward()
    assert f.explain().count(": compiled") == 2  # forward and backward
    other = leaf(W)
    (lm.sum(lm.tanh(X @ other) * 2) * lm.sum(other)).backward()
    np.testing.assert_allclose(w.grad, other.grad, rtol=1e-12)


def test_a_jitted_call_keeps_what_its_way_back_reads_by_the_rule() -> None:
    """What is cheap is computed again, what is not is stored: `transforms/residuals.py`."""

    @lm.jit
    def f(x: Any, w: Any) -> Any:
        h = lm.exp(x @ w)  # stored, for the product; and as the derivative of exp
        return lm.maximum(h * 2 + 1, 5.0) * h

    def g(x: Any) -> Any:
        return lm.sum(lm.where(x > 0, x * 3, -x) ** 2)  # nothing is stored

    x, w = leaf(X), leaf(W)
    lm.sum(f(x, w)).backward()
    again = leaf(X), leaf(W)
    h = lm.exp(again[0] @ again[1])
    lm.sum(lm.maximum(h * 2 + 1, 5.0) * h).backward()
    np.testing.assert_allclose(x.grad, again[0].grad, rtol=1e-12)
    np.testing.assert_allclose(w.grad, again[1].grad, rtol=1e-12)
    assert stored(f) == [(3, 5)]
    jitted = lm.jit(g)
    jitted(x).backward()
    assert stored(jitted) == []


def stored(f: Any) -> list[Any]:
    """The shapes that the way back of a jitted function keeps, besides arguments."""
    ((_, ways),) = f.ways.values()
    ((way, _),) = ways.found
    types = [arg.type for arg in way.block.args]
    return [tuple(t.get_shape()) for t in types[way.seeds : len(types) - len(way.leaves)]]


def test_second_order_through_a_jitted_call() -> None:
    """What the forward call kept is a function of its arguments."""
    f = lm.jit(lambda x, w: lm.sum(lm.exp(x @ w) ** 2))
    x, w = leaf(X), leaf(W)
    f(x, w).backward(create_graph=True)
    first, x.grad, w.grad = x.grad, None, None
    lm.sum(first * X).backward()
    expected = lm.grad(lambda x, w: lm.sum(lm.grad(f)(x, w) * X), (0, 1))(X, W)
    np.testing.assert_allclose(x.grad, expected[0], rtol=1e-12)
    np.testing.assert_allclose(w.grad, expected[1], rtol=1e-12)
    slope = lm.grad(lambda x: lm.sum(lm.exp(x) * x))
    nested = lm.grad(lambda x: lm.sum(lm.grad(lm.jit(lambda x: lm.sum(lm.exp(x) * x)))(x)))
    np.testing.assert_allclose(nested(V), lm.grad(lambda x: lm.sum(slope(x)))(V), rtol=1e-12)


def test_what_a_way_back_reads_may_not_change_unseen() -> None:
    f = lm.jit(lambda x, y, z: lm.sum(x * y * z))
    x, y, z = leaf(V), np.array(V), lm.asarray(V)
    loss = f(x, y, z)
    y[:] = 0  # a copy is kept
    loss.backward()
    np.testing.assert_allclose(x.grad, V * V)
    loss = f(x, y, z)
    z += 1.0
    refused(loss.backward, lm.MutationError, "overwritten since")

    @lm.jit
    def counts(x: Any, n: Any) -> Any:
        n += 1.0
        return lm.sum(x * x * n)

    x, n = leaf(V), lm.asarray(1.0)
    loss = counts(x, n)  # of the n that the call began with
    loss.backward(retain_graph=True)
    np.testing.assert_allclose(x.grad, 2 * V * 2)
    second = lambda: loss.backward(create_graph=True)  # noqa: E731
    refused(second, lm.MutationError, "to leave its arguments as they are")


def test_captured_arrays_with_a_gradient_are_refused() -> None:
    w = leaf([1.0])
    f = lm.jit(lambda x: x * w)
    refused(lambda: f(np.ones(1)), lm.TraceError, "found one that the function captures")
    z = lm.asarray([1.0])
    g = lm.jit(lambda x: x * z)
    assert g(np.ones(1)).tolist() == [1]
    z.requires_grad = True
    refused(lambda: g(np.ones(1)), lm.TraceError, "the captured z; pass it")
    with lm.no_grad():
        assert g(np.ones(1)).tolist() == [1]


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: lm.grad(lambda x: x)(V), lm.ShapeError, r"0-d float array, found float64 of"),
        (lambda: lm.grad(lambda x: 3)(V), lm.ShapeError, "found int"),
        (lambda: lm.grad(lambda x: lm.sum(x))(np.arange(3)), lm.DTypeError, "found int64"),
        (lambda: lm.grad(lambda x: x, 2)(V), lm.ArgumentError, "found 2"),
        (lambda: lm.vjp(lambda x: x, V)[1](np.ones(3)), lm.ShapeError, r"shape \(6,\)"),
        (lambda: lm.vjp(lambda x: x, V)[1]([V, V]), lm.ArgumentError, "structure of the result"),
        (lambda: lm.jvp(lambda x: x, [V], [V, V]), lm.ArgumentError, "structure of the primals"),
        (lambda: lm.jacobian(lambda x: (x, x))(V), lm.ArgumentError, "to give an array"),
    ],
)  # fmt: skip
def test_refusals(call: Any, error: type[Exception], text: str, traced: bool) -> None:
    refused(lm.jit(call) if traced else call, error, text)


def test_gradcheck_finds_a_wrong_derivative() -> None:
    with pytest.raises(lm.GradientError, match=r"at element \(0,\) of argument 0 .first order"):
        lm.gradcheck(lambda x: x * lm.stop_gradient(x), [lm.asarray([2.0])])
    with pytest.raises(lm.DTypeError, match="float64"):
        lm.gradcheck(lambda x: x, [np.ones(1, np.float32)])
