"""`lm.vmap`, eager and compiled, against a Python loop over the examples."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.errors import ArgumentError, AxisError, LaminaError, MutationError, ShapeError

RNG = np.random.default_rng(5)
X = RNG.normal(size=(4, 3))
Y = RNG.normal(size=(4, 3))
V = RNG.normal(size=3)
IMAGES = RNG.normal(size=(4, 2, 3, 8, 8)).astype(np.float32)
FILTERS = RNG.normal(size=(4, 6, 3, 3, 3)).astype(np.float32)
INTS = np.array([2, 0, 1, 2])


def loop(f: Callable[..., Any], *args: Any) -> Any:
    """f of each row of every argument, stacked; each leaf."""
    results = [
        lm.tree.flatten(f(*(lm.asarray(a[k]) for a in args)))[0] for k in range(len(args[0]))
    ]
    return [np.stack([np.asarray(x) for x in leaf]) for leaf in zip(*results, strict=True)]


def leaves(value: Any) -> list[Any]:
    return [np.asarray(x) for x in lm.tree.flatten(value)[0]]


def norm(x: Any) -> Any:
    return lm.sqrt(lm.sum(x * x))


def grown(x: Any) -> Any:
    """Doubled until it is large: a number of trips for each example."""
    return lm.while_loop(
        lambda c: lm.sum(lm.abs(c[0])) < 50, lambda c: (c[0] * 2, c[1] + 1), (x, 0)
    )


def some_trips(x: Any, n: Any) -> Any:
    return lm.fori_loop(0, n, lambda i, c: c * x + i, x)


def own_bounds(n: Any) -> Any:
    return lm.fori_loop(n - 3, 2 * n, lambda i, c: c + i * i, lm.asarray(0))


def signed(x: Any) -> Any:
    return lm.cond(x[0] > 0, lambda y: lm.exp(y), lambda y: -y, x)


def switched(x: Any, n: Any) -> Any:
    return lm.switch(n, [lambda y: y, lambda y: y * y, lambda y: lm.sin(y)], x)


def nested_control(x: Any, n: Any) -> Any:
    def body(i: Any, c: Any) -> Any:
        return lm.cond(c[0] > i, lambda a: grown(a)[0] / 7, lambda a: a + n, c)

    return lm.fori_loop(0, n + 1, body, x)


def running(x: Any) -> Any:
    return lm.scan(lambda c, t: (c * 0.5 + t, c - t), 0.0, x, reverse=True)


def in_place(x: Any) -> Any:
    y = lm.copy(x)
    y[1:] += x[0]
    y[0] = lm.max(y)
    return y


def row_written(x: Any, n: Any) -> Any:
    y = lm.zeros((3, 3))
    y[n] = x
    y[n, 1] += 10
    return y


def picked(x: Any, n: Any) -> Any:
    return x[n], lm.take(x, lm.stack([n, n]), axis=0)


def sorted_parts(x: Any) -> Any:
    return lm.sort(x), lm.argsort(x, descending=True), lm.top_k(x, 2)


def counted(x: Any, y: Any) -> Any:
    return lm.searchsorted(lm.sort(x), y)


def convolved(x: Any, w: Any) -> Any:
    return lm.conv(x, w, padding=1)


def pooled(x: Any) -> Any:
    return lm.max_pool(x, 2), lm.avg_pool(x, 2)


def mixed_products(x: Any) -> Any:
    return (
        V @ x,
        lm.outer(x, V),
        lm.matmul(lm.asarray(np.outer(V, V)), x),
        lm.einsum("i,j->ij", x, x),
    )


def noisy(x: Any, n: Any) -> Any:
    key = lm.random.split(lm.random.fold_in(lm.random.key(3), n), 2)[1]
    return lm.random.normal(key, (2, 3)) + x


def drawn(x: Any, n: Any) -> Any:
    key = lm.random.fold_in(lm.random.key(3), n)
    return lm.random.uniform(key, (2, 3)) + x, lm.random.permutation(key, 5)


SINGLE = {
    "norm": (norm, X), "vecdot": (lm.vecdot, X, Y), "softmax": (lm.softmax, X), "cond": (signed, X),
    "while": (grown, X), "trips": (some_trips, X, INTS), "bounds": (own_bounds, INTS),
    "switch": (switched, X, INTS), "nested": (nested_control, X, INTS), "scan": (running, X),
    "in place": (in_place, X), "row written": (row_written, X, INTS), "picked": (picked, X, INTS),
    "sorts": (sorted_parts, X), "searchsorted": (counted, X, Y),
    "conv": (convolved, IMAGES, FILTERS),
    "conv of images": (lambda x: convolved(x, FILTERS[0]), IMAGES),
    "conv of filters": (lambda w: convolved(IMAGES[0], w), FILTERS),
    "pools": (pooled, IMAGES), "products": (mixed_products, X), "random": (drawn, X, INTS),
    "noise": (noisy, X, INTS),
    "grad": (lm.grad(norm), X), "hessian": (lm.hessian(norm), X),
    "jacobian": (lm.jacobian(lambda x: running(x)[1]), X),
    "grad of cond": (lm.grad(lambda x: lm.sum(signed(x))), X),
    "grad of scan": (lm.grad(lambda x: running(x)[0]), X),
    "grad of a read": (lm.grad(lambda x, n: picked(x, n)[0] ** 2), X, INTS),
    "jvp": (lambda x, y: lm.jvp(norm, [x], [y]), X, Y),
    "vmap": (lambda x: lm.vmap(lambda a: a * V + x)(x), X),
    "vmap of axes": (lm.vmap(lambda a, b: a * b + V, in_axes=(None, 0), out_axes=1), X, Y),
    "constant": (lambda x: (1.5, lm.zeros(2)), X),
    "complex": (lambda x: lm.abs(lm.exp(x * 1j)), X),
    "jitted": (lm.jit(norm), X),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGLE)
def test_equals_a_loop(name: str) -> None:
    f, *args = SINGLE[name]
    expected = loop(f, *args)
    for way in (lm.vmap(f), lm.jit(lm.vmap(f)), lm.vmap(lm.jit(f))):
        found = leaves(way(*args))
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            tolerance = 1e-5 if a.dtype == np.float32 else 1e-12
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def test_axes() -> None:
    x = lm.asarray(RNG.normal(size=(2, 3, 4)))
    plain = np.asarray(x)
    for axis in range(-3, 3):
        moved = np.moveaxis(plain, axis, 0)
        for out in range(-3, 3):
            found = lm.vmap(lambda a: a * 2, in_axes=axis, out_axes=out)(x)
            np.testing.assert_array_equal(found, np.moveaxis(moved * 2, 0, out))
            compiled = lm.jit(lm.vmap(lambda a: a * 2, in_axes=axis, out_axes=out))
            np.testing.assert_array_equal(compiled(x), found)


def test_trees_of_axes() -> None:
    def f(params: Any, x: Any, *, shift: Any) -> Any:
        return {"y": params["w"] @ x + params["b"], "s": shift}

    params = {"w": RNG.normal(size=(2, 3)), "b": RNG.normal(size=(2, 5))}
    x, shift = RNG.normal(size=(5, 3)), np.arange(5.0)
    g = lm.vmap(f, in_axes=({"w": None, "b": 1}, 0), out_axes={"y": 1, "s": 0})
    for way in (g, lm.jit(g)):
        found = way(params, x, shift=shift)
        np.testing.assert_allclose(found["y"], params["w"] @ x.T + params["b"], rtol=1e-12)
        np.testing.assert_array_equal(found["s"], shift)


def test_a_result_that_is_equal_in_all_examples() -> None:
    x = lm.asarray(X)
    f = lm.vmap(lambda a, b: (a + b, b * 2), in_axes=(0, None), out_axes=(0, None))
    for way in (f, lm.jit(f)):
        both = way(x, lm.asarray(V))
        np.testing.assert_allclose(both[0], X + V)
        np.testing.assert_allclose(both[1], V * 2)


def test_no_examples() -> None:
    empty = np.zeros((0, 3))
    for f in (norm, signed, in_place, running, grown):
        for way in (lm.vmap(f), lm.jit(lm.vmap(f))):
            for found in leaves(way(empty)):
                assert found.shape[0] == 0
    found = lm.vmap(some_trips)(empty, np.zeros(0, np.int64))
    assert found.shape == (0, 3)


def test_grad_of_vmap() -> None:
    def loss(w: Any, x: Any) -> Any:
        return lm.sum(lm.vmap(lambda a: lm.tanh(lm.vecdot(a, w)) ** 2)(x))

    w, x = lm.asarray(V), lm.asarray(X)
    expected = sum(2 * np.tanh(a @ V) * (1 - np.tanh(a @ V) ** 2) * a for a in X)
    np.testing.assert_allclose(lm.grad(loss)(w, x), expected, rtol=1e-12)
    np.testing.assert_allclose(lm.jit(lm.grad(loss))(w, x), expected, rtol=1e-12)
    assert lm.gradcheck(lambda w: loss(w, x), [w])
    assert lm.gradcheck(lm.vmap(signed), [x + 0.1])
    assert lm.gradcheck(lm.vmap(lambda a: row_written(a, 1)), [x])


def test_branches_not_taken_have_no_gradient() -> None:
    """Not even NaN, where their derivative is infinite; nor do the trips of who is done."""

    def root(x: Any) -> Any:
        return lm.cond(x > 0, lm.sqrt, lambda y: y * 0, x)

    def trips(x: Any, n: Any) -> Any:
        return lm.fori_loop(0, n, lambda i, c: lm.sqrt(c), x)

    x, n = np.array([4.0, 0.0, 0.0, 16.0]), np.array([1, 0, 0, 2])
    for f, args, expected in (
        (root, (x,), [0.25, 0, 0, 0.125]),
        (trips, (x, n), [0.25, 1, 1, 1 / 32]),
    ):
        slope = lm.grad(lambda x, *rest, f=f: lm.sum(lm.vmap(f)(x, *rest)))
        for way in (slope, lm.jit(slope)):
            np.testing.assert_allclose(way(*map(lm.asarray, args)), expected)
    for way in (lm.vmap(lm.grad(root)), lm.jit(lm.vmap(lm.grad(root)))):
        np.testing.assert_allclose(way(x), [0.25, 0, 0, 0.125])
    with pytest.raises(lm.LaminaError, match="sizes that are equal in all examples"):
        lm.vmap(lm.grad(trips))(x, n)  # what a loop keeps for its way back differs in size


def test_backward_reaches_what_the_function_captures() -> None:
    t = lm.asarray(V, requires_grad=True)
    lm.sum(lm.vmap(lambda a: a * t)(lm.asarray(X))).backward()
    np.testing.assert_allclose(t.grad, X.sum(axis=0))
    t.grad = None
    lm.sum(lm.vmap(lambda a: a * lm.stop_gradient(t) + t)(lm.asarray(X))).backward()
    np.testing.assert_allclose(t.grad, np.full(3, 4.0))


def test_jacobian_by_vmap() -> None:
    def f(x: Any) -> Any:
        return lm.cumulative_sum(lm.sin(x))

    def jacobian(x: Any) -> Any:
        y, back = lm.vjp(f, x)
        return lm.vmap(lambda g: back(g)[0])(lm.eye(y.shape[0]))

    expected = lm.jacobian(f)(lm.asarray(V))
    np.testing.assert_allclose(jacobian(lm.asarray(V)), expected, rtol=1e-12)
    np.testing.assert_allclose(lm.jit(jacobian)(lm.asarray(V)), expected, rtol=1e-12)


def test_jacobians_do_not_grow() -> None:
    def f(x: Any) -> Any:
        return lm.tanh(lm.cumulative_sum(x)) * x

    lines = {
        len(lm.jit(lm.jacobian(f)).lower(np.ones(size)).ir("nd").splitlines()) for size in (3, 300)
    }
    assert len(lines) == 1
    plain = lm.jacobian(f)(lm.asarray(V))
    np.testing.assert_allclose(lm.jit(lm.jacobian(f))(V), plain, rtol=1e-12, atol=1e-12)


def test_a_run_time_number_of_examples_is_refused() -> None:
    """Declared it is an error; one that only varies is a number in the code again."""
    f = lm.vmap(lambda x: lm.sum(x * 2))
    with pytest.raises(lm.TraceError, match="vmap: expected sizes that are known while tracing"):
        lm.jit(f, shapes=((lm.Dim("n"), 3),))(X)
    varied = lm.jit(f)
    for size in (4, 3, 2):
        np.testing.assert_allclose(varied(X[:size]), 2 * X[:size].sum(axis=1))
    inner = lm.jit(lm.vmap(lambda x: lm.softmax(x) + 1), shapes=((4, lm.Dim("m")),))
    for size in (3, 2):
        np.testing.assert_allclose(inner(X[:, :size]), 1 + np.asarray(lm.softmax(X[:, :size])))


def test_writes_to_an_argument_reach_it() -> None:
    def f(row: Any) -> Any:
        row += 1
        return lm.sum(row)

    for way in (lm.vmap(f, in_axes=1), lm.jit(lm.vmap(f, in_axes=1))):
        x = X.copy()
        np.testing.assert_allclose(way(x), (X + 1).sum(axis=0))
        np.testing.assert_allclose(x, X + 1)


def test_writes_to_an_array_from_outside() -> None:
    total = lm.zeros(3)

    def same(row: Any) -> Any:
        total[...] = V
        return row

    def different(row: Any) -> Any:
        total[...] = row
        return row

    lm.vmap(same)(X)
    np.testing.assert_array_equal(total, V)
    for way in (lm.vmap(different), lm.jit(lm.vmap(different))):
        with pytest.raises(MutationError, match="equal in all examples") as caught:
            way(X)
        assert __file__ in str(caught.value)


def test_results_are_fresh() -> None:
    x = lm.asarray(X)
    y = lm.vmap(lambda a: a)(x)
    y[0, 0] = 100
    assert float(x[0, 0]) == X[0, 0]


@pytest.mark.parametrize(
    "name", ["norm", "cond", "while", "scan", "picked", "conv", "grad", "noise"]
)
def test_kernels_do_not_grow_with_the_batch(name: str) -> None:
    f, *args = SINGLE[name]
    found: list[list[tuple[str, ...]]] = []
    for size in (2, 1000):
        many = [np.concatenate([a] * 250)[:size] for a in args]
        exe = lm.jit(lm.vmap(f)).lower(*many).compile()
        found.append([tuple(kernel.ops) for kernel in exe.kernels()])
    assert found[0] == found[1]


def double(x: Any) -> Any:
    return x * 2


BAD: list[tuple[str, type[LaminaError], str, Callable[[], Any]]] = [
    ("sizes", ShapeError, "equal sizes.*4 of argument 0.*3 of argument 1",
     lambda: lm.vmap(lm.add)(X, V)),
    ("axis", AxisError, "argument 0: expected an axis from -2 to 1, found 2",
     lambda: lm.vmap(double, in_axes=2)(X)),
    ("0-d", AxisError, "expected no axis for a 0-d array",
     lambda: lm.vmap(double)(lm.asarray(1.0))),
    ("number", ArgumentError, "expected an array as argument 0.*found 3",
     lambda: lm.vmap(double)(3)),
    ("none cut", ArgumentError, "in_axes that cut an array",
     lambda: lm.vmap(double, in_axes=None)(X)),
    ("no arguments", ArgumentError, "in_axes that cut an array", lambda: lm.vmap(lambda: 1)()),
    ("count", ArgumentError, "in_axes for 1 positional arguments, found 2",
     lambda: lm.vmap(double, in_axes=(0, 0))(X)),
    ("axes of text", ArgumentError, "expected ints, None", lambda: lm.vmap(double, in_axes="0")(X)),
    ("axes of bool", ArgumentError, "expected ints, None",
     lambda: lm.vmap(double, in_axes=True)(X)),
    ("axes tree", ArgumentError, "in_axes of the structure",
     lambda: lm.vmap(lambda p: p["a"], in_axes=({"b": 0},))({"a": X})),
    ("out axis", AxisError, "result: expected an axis from -2 to 1, found 4",
     lambda: lm.vmap(double, out_axes=4)(X)),
    ("out axes tree", ArgumentError, "out_axes of the structure",
     lambda: lm.vmap(double, out_axes=(0, 0))(X)),
    ("out axes None", ArgumentError, "expected result 1 to be equal in all examples",
     lambda: lm.vmap(lambda x: (1, x), out_axes=None)(X)),
    ("text", ArgumentError, "results that are arrays, found 'no'",
     lambda: lm.vmap(lambda x: "no")(X)),
    ("not callable", ArgumentError, "expected a function, found 3",
     lambda: lm.vmap(3)),  # type: ignore[arg-type]
    ("branch", LaminaError, "lm.cond", lambda: lm.vmap(lambda x: x if x[0] > 0 else -x)(X)),
    ("size of an example", LaminaError, "traced",
     lambda: lm.vmap(lambda n: lm.zeros(int(n)))(INTS)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "call"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_bad_input(error: type[LaminaError], message: str, call: Callable[[], Any]) -> None:
    found: list[str] = []
    for way in (call, lm.jit(call)):
        with pytest.raises(error, match=message) as caught:
            way()
        assert __file__ in str(caught.value)
        found.append(str(caught.value))
    assert found[0] == found[1]


def test_checks_are_about_the_examples_that_reach_them() -> None:
    def f(x: Any, n: Any) -> Any:
        return lm.cond(n < 3, lambda: lm.take(x, n), lambda: x[0])

    n = np.array([0, 2, 7, 1])
    expected = [X[0, 0], X[1, 2], X[2, 0], X[3, 1]]
    for way in (lm.vmap(f), lm.jit(lm.vmap(f))):
        np.testing.assert_array_equal(way(X, n), expected)
    for way in (lm.vmap(lm.take), lm.jit(lm.vmap(lm.take))):
        with pytest.raises(lm.IndexRangeError, match="found 7"):
            way(X, n)


def test_a_loop_in_a_branch_that_no_example_takes_ends() -> None:
    """The loop's condition is equal in all examples, and holds for ever."""

    def forever() -> Any:
        return lm.while_loop(lambda c: c >= 0, lambda c: c * 0, lm.asarray(0.0))

    def f(x: Any) -> Any:
        return lm.cond(lm.sum(x) > 1e9, forever, lambda: lm.sum(x))

    for way in (lm.vmap(f), lm.jit(lm.vmap(f))):
        np.testing.assert_allclose(way(X), X.sum(axis=1))


def test_prints_are_one_for_each_example_that_reaches_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def f(x: Any) -> Any:
        lm.debug.print("once")
        lm.debug.print("{x}", x=x[0])
        return lm.cond(x[1] > 0, shown, lambda y: y, x)

    def shown(x: Any) -> Any:
        lm.debug.print("positive: {x}", x=x[1])
        return x * 2

    x = np.array([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])
    expected = "once\n1.0\n3.0\n5.0\npositive: 2.0\npositive: 6.0\n"
    for way in (lm.vmap(f), lm.jit(lm.vmap(f))):
        np.testing.assert_array_equal(way(x), x * [[2], [1], [2]])
        assert capsys.readouterr().out == expected


def test_debug_checks_name_the_first_example() -> None:
    def f(x: Any) -> Any:
        lm.debug.check(x > 0, "found {x}", x=x)
        return x

    for way in (lm.vmap(f), lm.jit(lm.vmap(f))):
        np.testing.assert_array_equal(way(np.arange(1.0, 4.0)), [1, 2, 3])
        with pytest.raises(lm.LaminaError, match="found -2.0"):
            way(np.array([1.0, -2.0, -3.0]))
