"""Control flow functions, eager and compiled, against Python's own branches and loops in NumPy."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportArgumentType=false

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.bind import store

X = np.linspace(-1.0, 2.0, 6)
M = np.arange(12.0).reshape(3, 4)
T, F = np.array(True), np.array(False)


def n(value: int) -> np.ndarray[Any, Any]:
    return np.array(value, np.int64)


class Case(NamedTuple):
    """A function of lm, the same in NumPy, and arguments to call both with."""

    name: str
    function: Callable[..., Any]
    reference: Callable[..., Any]
    calls: list[tuple[Any, ...]]


def cond_in_scan(x):
    def step(c, v):
        c = lm.cond(v > c, lambda: c + v, lambda: c * 0.5)
        return c, lm.switch(lm.astype(v, lm.int64), [lambda: v, lambda: c, lambda: v * c])

    return lm.scan(step, 0.25, x)


def cond_in_scan_np(x):
    c, ys = 0.25, []
    for v in x:
        c = c + v if v > c else c * 0.5
        ys.append([v, c, v * c][min(max(int(v), 0), 2)])
    return np.array(c), np.array(ys)


def loops_in_cond(x, p):
    def summed(x):
        return lm.fori_loop(
            0,
            3,
            lambda i, c: lm.while_loop(lambda d: d[1] < i, lambda d: (d[0] * 2, d[1] + 1), (c, 0))[
                0
            ],
            x,
        )

    return lm.cond(
        p, summed, lambda x: lm.map(lambda v: lm.cond(v > 0, lambda: v, lambda: -v), x), x
    )


def loops_in_cond_np(x, p):
    return x * 8 if p else np.abs(x)


def trees(x, k):
    def body(i, c):
        return {"a": (c["a"][0] + x, c["a"][1]), "n": c["n"] + 1, "i": i}

    c = lm.fori_loop(0, k, body, {"a": (x * 0, None), "n": 0, "i": -1})
    return c["a"][0], c["n"], c["i"]


def trees_np(x, k):
    return x * float(max(k, 0)), n(max(k, 0)), n(k - 1 if k > 0 else -1)


def collatz(k):
    def step(c):
        k, steps = c
        return lm.cond(k % 2 == 0, lambda: k // 2, lambda: 3 * k + 1), steps + 1

    return lm.while_loop(lambda c: c[0] != 1, step, (k, 0))


def collatz_np(k):
    k, steps = int(k), 0
    while k != 1:
        k, steps = (k // 2 if k % 2 == 0 else 3 * k + 1), steps + 1
    return n(1), n(steps)


def bound(low, high):
    return lm.fori_loop(low, high, lambda i, c: c * 3 + i, 1)


def bound_np(low, high):
    c = 1
    for i in range(int(low), int(high)):
        c = c * 3 + i
    return n(c)


def rows(m, x):
    def step(c, row):
        a, b = row
        return c * 0.5 + a[::2], {"s": lm.sum(a) * b, "two": lm.stack([b, b])}

    c, ys = lm.scan(step, m[0, :2] * 0, (m, x[:3]), reverse=True)
    return c, ys["s"], ys["two"]


def rows_np(m, x):
    c, s = m[0, :2] * 0, np.zeros(3)
    for k in (2, 1, 0):
        c, s[k] = c * 0.5 + m[k, ::2], np.sum(m[k]) * x[k]
    return c, s, np.stack([x[:3], x[:3]], axis=1)


def views_in_branches(x, p):
    v = x[1:]
    a = lm.cond(p, lambda: v * 2, lambda: v * 3)
    b = lm.fori_loop(0, 2, lambda i, c: lm.cond(p, lambda: c * v, lambda: c + v), v)
    return a, b, v + 0


def steps(x):
    return lm.scan(lambda c, _: (lm.roll(c, 1), c[0]), x, length=4)


def steps_np(x):
    return np.roll(x, 4), np.array([np.roll(x, k)[0] for k in range(4)])


def in_place(x, k):
    def body(i, c):
        c[i] = c[i] * 2 + 1
        c[0] += 1
        return c

    return lm.fori_loop(0, k, body, x), x


def in_place_np(x, k):
    c = x.copy()
    for i in range(k):
        c[i] = c[i] * 2 + 1
        c[0] += 1
    return c, x


def swapped(x, k):
    return lm.fori_loop(0, k, lambda i, c: (c[1], c[0] + 1), (x, x))


def swapped_np(x, k):
    a, b = x, x
    for _ in range(k):
        a, b = b, a + 1
    return a, b


def narrow(x):
    small = lm.astype(x, lm.float32)
    a = lm.fori_loop(0, 3, lambda i, c: c + small[0], 1)
    b = lm.while_loop(lambda c: c < 5, lambda c: c * 1.5, 1)
    c = lm.scan(lambda c, v: (lm.astype(v, lm.uint8), 1), 7, x)
    d = lm.fori_loop(0, 0, lambda i, c: c + small[0], 1)
    return a, b, *c, d, lm.fori_loop(0, 2, lambda i, c: c | True, False)


def narrow_np(x):
    small = x.astype(np.float32)
    a = np.float32(1) + small[0] + small[0] + small[0]
    b = 1.5**4
    c = x.astype(np.uint8)[-1]
    return a, np.array(b), c, np.ones(6, np.int64), np.float32(1), np.array(True)


CASES = [
    Case("cond", lambda x, p: lm.cond(p, lambda x, y: x + y, lambda x, y: x, x, 2.0),
         lambda x, p: x + 2 if p else x, [(X, T), (X, F)]),
    Case("cond_closes_over", lambda x, p: lm.cond(p, lambda: (x[1:] * 2, 1), lambda: (x[:-1], 2)),
         lambda x, p: (x[1:] * 2, n(1)) if p else (x[:-1], n(2)), [(X, T), (X, F)]),
    Case("views_in_branches", views_in_branches,
         lambda x, p: (x[1:] * (2 if p else 3), x[1:] ** 3 if p else x[1:] * 3, x[1:]),
         [(X, T), (X, F)]),
    Case("cond_nested",
         lambda x, p, q: lm.cond(p, lambda: lm.cond(q, lambda: x, lambda: x + 1), lambda: x * 2),
         lambda x, p, q: (x if q else x + 1) if p else x * 2,
         [(X, T, T), (X, T, F), (X, F, T)]),
    Case("switch", lambda x, i: lm.switch(i,
                                          [lm.negative, lm.square, lm.abs, lambda x: x + 1], x),
         lambda x, i: [-x, x * x, abs(x), x + 1][min(max(int(i), 0), 3)],
         [(X, n(i)) for i in (-9, 0, 1, 2, 3, 4)] + [(X, np.uint64(2**64 - 1)), (X, np.int8(-3))]),
    Case("cond_in_scan", cond_in_scan, cond_in_scan_np, [(X,)]),
    Case("loops_in_cond", loops_in_cond, loops_in_cond_np, [(X, T), (X, F)]),
    Case("trees", trees, trees_np, [(X, 3), (X, 0), (X, -2)]),
    Case("collatz", collatz, collatz_np, [(n(1),), (n(27),)]),
    Case("bound", bound, bound_np, [(2, 7), (-3, 2), (4, 4), (5, 1), (np.int8(1), np.uint8(3))]),
    Case("rows", rows, rows_np, [(M, X)]),
    Case("steps", steps, steps_np, [(X,)]),
    Case("empty_scan", lambda x: lm.scan(lambda c, v: (c + v, v > 0), 0, x),
         lambda x: (np.zeros((), x.dtype), np.zeros(0, bool)), [(X[:0],), (X[:0].astype("f4"),)]),
    Case("map", lambda m: lm.map(lambda r: (lm.sum(r), r[::-1]), m),
         lambda m: (m.sum(1), m[:, ::-1]), [(M,), (M[:0],), (M[:1].astype(np.int32),)]),
    Case("map_of_numbers", lambda x: lm.map(lambda v: v * v, x), lambda x: x * x, [(X,)]),
    Case("in_place", in_place, in_place_np, [(X.copy(), 4), (X.copy(), 0)]),
    Case("swapped", swapped, swapped_np, [(X, 3), (X, 0)]),
    Case("narrow", narrow, narrow_np, [(X,)]),
    Case("complex", lambda z, k: lm.fori_loop(0, k, lambda i, c: c * z, 1j),
         lambda z, k: 1j * np.prod([z] * k, axis=0), [(np.array(2 + 1j), 3)]),
    Case("dict_order", lambda x, p: lm.fori_loop(0, 3, lambda i, c: lm.cond(
        p, lambda: {"b": [c["a"], 1], "a": c["b"][0]}, lambda: c), {"a": x, "b": [x * 2, 1]}),
         lambda x, p: {"a": x * 2, "b": [x, n(1)]} if p else {"a": x, "b": [x * 2, n(1)]},
         [(X, T), (X, F)]),
    Case("while_false", lambda x: lm.while_loop(lambda c: False, lambda c: c + 1, x),
         lambda x: x, [(X,)]),
]  # fmt: skip


def leaves(found: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(leaf) for leaf in lm.tree.flatten(found)[0]]


def agree(found: Any, expected: Any) -> None:
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_agrees_with_python(case: Case) -> None:
    compiled = lm.jit(case.function)
    for args in case.calls:
        expected = case.reference(*args)
        agree(
            case.function(*[lm.asarray(a) if isinstance(a, np.ndarray) else a for a in args]),
            expected,
        )
        agree(compiled(*args), expected)


# writes to arrays from outside


def write_in_loop(x, p):
    y = lm.asarray(x * 1)
    late, early = y[3:], y[1:]
    _ = early + 0

    def body(i, c):
        y[i] = c + y[i + 1]
        late[0] = early[0]
        x[0] += 1
        return c + late[0] + early[1]

    c = lm.fori_loop(0, 3, body, 1.0)
    return c, y, late, early


def write_in_branch(x, p):
    y = lm.asarray(x * 1)
    view = y[::2]

    def yes():
        y[1] = 7
        x[2] = y[1]
        return view[0]

    def no():
        view[1:] = 5
        return y[2]

    c = lm.cond(p, yes, no)
    lm.cond(p, lambda: None, lambda: y.__setitem__(0, 9))
    return c, y, view


def write_in_nest(x, p):
    y = lm.asarray(x * 0)

    def outer(i, c):
        def inner(c):
            lm.cond(c[0] > 2, lambda: y.__setitem__(c[0], 1.5), lambda: None)
            x[1] = x[1] + 1
            return c[0] + 1, c[1] + y[3]

        return lm.while_loop(lambda c: c[0] < 4 + i, inner, (0, c))[1]

    return lm.fori_loop(0, 2, outer, 0.0), y


def write_in_condition(x, p):
    y = lm.asarray(x * 1)

    def more(c):
        y[0] += 1
        c[1] += 10
        return y[0] < 3

    return lm.while_loop(more, lambda c: c + y[0], x), y


def write_in_scan(x, p):
    total = lm.zeros((), dtype=lm.float64)

    def step(c, v):
        total[...] = total + v * c
        v[...] = 0
        x[-1] = 8
        return c + 1, total

    return *lm.scan(step, 1, x), total


def two_names(x, p):
    y = lm.zeros(6)
    y[...] = x  # two arrays of one value: a write to one is none to the other
    z = lm.fori_loop(0, 2, lambda i, c: (y.__setitem__(0, 5), c + x[0])[1], 0.0)
    return y, z


def write_without_reading(x, p):
    y = lm.asarray(x * 1)

    def body(i, c):
        store("write", y, c)  # all of it, without a view
        return c + 1

    return lm.fori_loop(0, 3, body, x), y


def result_is_fresh(x, p):
    y = lm.cond(p, lambda: x, lambda: x)
    y[0] = 50
    z = lm.fori_loop(0, 1, lambda i, c: x, x * 2)
    z[1] = 60
    w = lm.cond(True, lambda: x, lambda: x)
    w[2] = 70
    return x * 1, y, z, w


@pytest.mark.parametrize("p", [T, F])
@pytest.mark.parametrize(
    "function",
    [write_in_loop, write_in_branch, write_in_nest, write_in_condition, write_in_scan, two_names,
     write_without_reading,
     result_is_fresh],
)  # fmt: skip
def test_writes_are_those_of_python(function: Callable[..., Any], p: Any) -> None:
    plain, given = lm.asarray(X.copy()), X.copy()
    expected = function(plain, p)
    found = lm.jit(function)(given, p)
    agree(found, expected)
    np.testing.assert_array_equal(given, np.asarray(plain))


def test_writes_in_a_loop_by_hand() -> None:
    c, y, late, _ = write_in_loop(lm.asarray(X.copy()), T)
    a, b, k = X.copy(), X.copy(), 1.0
    for i in range(3):
        a[i] = k + a[i + 1]
        a[3] = a[1]
        b[0] += 1
        k = k + a[3] + a[2]
    agree((c, y, late), (np.array(k), a, a[3:]))


# what is traced


def test_loops_stay_loops() -> None:
    def grown(x, count):
        def body(i, c):
            return lm.scan(lambda d, v: (d * 0.5 + v, None), c, x)[0]

        return lm.fori_loop(0, count, body, 0.0)

    texts = [lm.jit(grown, static_argnames="count").lower(X, k).ir("nd") for k in (10, 100_000)]
    assert texts[0].replace("constant 10 :", "constant 100000 :") == texts[1]
    texts = [lm.jit(grown).lower(X, k).ir("nd") for k in (10, 100_000)]
    assert texts[0] == texts[1]
    found = lm.jit(lambda x: lm.scan(lambda c, v: (c + v, c), 0, x))(np.arange(100_000))
    np.testing.assert_array_equal(found[1], np.cumsum(np.arange(100_000)) - np.arange(100_000))


@pytest.mark.filterwarnings("ignore::lamina.LaminaWarning")
def test_static_condition_keeps_one_branch() -> None:
    called: list[str] = []

    def function(x):
        def left(x):
            called.append("left")
            return x

        def right(x):
            called.append("right")
            return x + 1

        return lm.cond(True, left, right, x), lm.switch(7, [left, right], x)

    low = lm.jit(function).lower(X)
    assert called == ["left", "right"]
    assert "scf" not in low.ir("nd")


def test_python_bool_argument_is_traced() -> None:
    function = lm.jit(lambda x, p: lm.cond(p, lambda: x, lambda: -x))
    agree((function(X, True), function(X, False)), (X, -X))
    assert "version 2" not in function.explain()


def test_number_argument_is_not_specialised() -> None:
    function = lm.jit(
        lambda k: lm.while_loop(lambda c: c[0] > 1, lambda c: (c[0] // 2, c[1] + 1), (k, 0))[1]
    )
    assert [int(function(k)) for k in (1, 8, 1000)] == [0, 3, 9]
    assert "version 2" not in function.explain()


def test_closure_over_a_global_array_is_an_input() -> None:
    weights = lm.asarray([1.0, 2.0])
    function = lm.jit(lambda x: lm.fori_loop(0, 2, lambda i, c: c + weights, x))
    agree(function(np.zeros(2)), np.array([2.0, 4.0]))
    weights[0] = 5.0
    agree(function(np.zeros(2)), np.array([10.0, 4.0]))


def test_checks_in_bodies() -> None:
    function = lm.jit(lambda x, k: lm.fori_loop(0, k, lambda i, c: c + x[i], 0.0))
    agree(function(X, 6), np.array(X.sum()))
    with pytest.raises(lm.IndexRangeError, match="found 6"):
        function(X, 7)
    chosen = lm.jit(lambda x, i: lm.cond(i < 6, lambda: x[i], lambda: 0.0))
    agree((chosen(X, n(2)), chosen(X, n(9))), (np.array(X[2]), np.array(0.0)))


def test_endless_loop_is_interrupted() -> None:
    endless = lm.jit(lambda x: lm.while_loop(lambda c: lm.all(c < 9), lambda c: c * 0.5, x))

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    endless.lower(X).compile()
    before = signal.signal(signal.SIGALRM, interrupt)
    start = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            endless(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - start < 3


# gradients


def looped(x):
    c, ys = lm.scan(lambda c, v: (lm.cond(v > 0, lambda: c * v, lambda: c + v), c * c), 1.5, x)
    d = lm.fori_loop(0, 3, lambda i, d: lm.sin(d) * x, x)
    e = lm.while_loop(lambda e: lm.sum(e) < 5, lambda e: e * e + 1, x)
    return c + lm.sum(ys) + lm.sum(d) + lm.sum(e)


def unrolled(x):
    c, total, d, e = 1.5, 0.0, x, x
    for k in range(6):
        total = total + c * c
        c = c * x[k] if float(x[k].detach()) > 0 else c + x[k]
    for _ in range(3):
        d = lm.sin(d) * x
    while float(lm.sum(e)) < 5:
        e = e * e + 1
    return c + total + lm.sum(d) + lm.sum(e)


def test_eager_gradients_go_through() -> None:
    found, expected = lm.grad(looped)(lm.asarray(X)), lm.grad(unrolled)(lm.asarray(X))
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12)


def chosen_and_counted(x):
    c, ys = lm.scan(lambda c, v: (lm.cond(v > 0, lambda: c * v, lambda: c + v), c * c), 1.5, x)
    y = lm.asarray(x * 1)

    def body(i, d):
        y[0] = y[1] * d[2]
        return lm.sin(d) * x + y

    d = lm.fori_loop(0, 3, body, x)
    e = lm.switch(lm.asarray(1), [lambda: x, lambda: x * x * y])
    return c + lm.sum(ys) + lm.sum(d) + lm.sum(e)


def by_hand(x):
    c, total, y, d = 1.5, 0.0, x, x
    for k in range(6):
        total = total + c * c
        c = c * x[k] if X[k] > 0 else c + x[k]
    for _ in range(3):
        y = lm.concat([(y[1] * d[2])[None], y[1:]])
        d = lm.sin(d) * x + y
    return c + total + lm.sum(d) + lm.sum(x * x * y)


def test_traced_gradients_are_those_of_python() -> None:
    expected = np.asarray(lm.grad(by_hand)(lm.asarray(X)))
    found = lm.jit(lm.grad(chosen_and_counted))(X)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)
    x = lm.asarray(X, requires_grad=True)
    lm.jit(chosen_and_counted)(x).backward()
    np.testing.assert_allclose(np.asarray(x.grad), expected, rtol=1e-12)


def test_gradients_through_unknown_trips() -> None:
    """`scf.while` in a cond in a scan; bounds that are arguments; a loop's own result."""

    def function(x, n):
        def step(c, v):
            grown = lambda: lm.while_loop(lambda e: e < 3, lambda e: e * e + lm.exp(v), c)  # noqa: E731
            return lm.cond(v > 0, grown, lambda: c * v), lm.sin(c)

        c, ys = lm.scan(step, x[0], x)
        return lm.fori_loop(0, n, lambda i, d: d * x[1] + i * c, lm.sum(ys))

    gradient = lm.value_and_grad(function)
    compiled = lm.jit(gradient)
    for n in (0, 3):
        found, expected = compiled(X, lm.asarray(n)), gradient(lm.asarray(X), n)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)
    assert lm.gradcheck(lambda x: function(x, 3), [X])


def test_gradients_of_many_trips_keep_memory_and_time_linear() -> None:
    """While loops of 1e4 trips: first and second order, eager and compiled."""

    def function(x):
        def body(c):
            return c[0] + 1, lm.sin(c[1]) + 0.5 * x

        return lm.sum(lm.while_loop(lambda c: c[0] < 10_000, body, (0, x))[1] ** 2)

    x = X[:2]
    slope = lm.grad(function)
    compiled = lm.jit(slope)
    np.testing.assert_allclose(
        np.asarray(compiled(x)), np.asarray(slope(lm.asarray(x))), rtol=1e-10
    )
    assert compiled.lower(x).compile().memory().arena < 4096  # the stacks are as long as the loop
    curvature = lm.jit(lm.grad(lambda x: lm.sum(slope(x))))
    ends = [np.asarray(compiled(x + step)).sum() for step in ([1e-6, 0], [-1e-6, 0])]
    assert float(curvature(x)[0]) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_effects_of_a_loop_happen_once(traced: bool) -> None:
    """A check in a loop of unknown trips is the user's error, as without a gradient."""

    def function(x):
        def body(c):
            return c + lm.take(x, lm.astype(c, lm.int64))  # out of range in the end

        return lm.while_loop(lambda c: c < 100, body, x[0])

    gradient = lm.grad(function)
    with pytest.raises(lm.IndexRangeError):
        (lm.jit(gradient) if traced else gradient)(np.array([1.0, 2.0, 3.0]))


def test_gradients_inside_of_bodies() -> None:
    def descent(x):
        slope = lm.grad(lambda z: lm.sum((z - x[::-1]) ** 2))
        return lm.fori_loop(0, 50, lambda i, c: c - 0.25 * slope(c), x)

    agree(lm.jit(descent)(X), descent(lm.asarray(X)))
    np.testing.assert_allclose(np.asarray(descent(lm.asarray(X))), X[::-1], atol=1e-12)
