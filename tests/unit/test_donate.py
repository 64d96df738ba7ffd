"""`jit(donate=...)`: results in the memory of arguments, and what is refused."""

# pyright: reportPrivateUsage=false
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina import api
from lamina.backend.entry_py import PyEntry
from lamina.errors import ArgumentError, LaminaError, MutationError, OptionError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(5, 7)).astype(np.float32)
G = RNG.normal(size=(5, 7)).astype(np.float32)
B = RNG.normal(size=7).astype(np.float32)


def address(x: Any) -> int:
    return np.asarray(x).ctypes.data


def fresh(*arrays: np.ndarray[Any, Any]) -> list[lm.Array]:
    return [lm.asarray(a) for a in arrays]


def adam(p: Any, m: Any, v: Any, g: Any) -> Any:
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - 0.1 * m / (lm.sqrt(v) + 1e-3), m, v


def in_place(x: Any, g: Any) -> Any:
    x -= 0.5 * g
    x[1] = 0
    return x


def looped(x: Any, g: Any) -> Any:
    return lm.fori_loop(0, 10, lambda i, c: c * 0.5 + g, x)


def window(x: Any, g: Any) -> Any:
    return lm.concat([x[1:], x[:1]]) + g


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...], bool]] = {
    "sgd": (lambda p, g: p - 0.1 * g, (X, G), (0,), True),
    "adam": (adam, (X, G, abs(G), G), (0, 1, 2), True),
    "value used later": (lambda p, g: (p - g, lm.sum(p)), (X, G), (0,), False),
    "old value too": (lambda p, g: (p - g, p * 2), (X, G), (0,), False),
    "old value itself": (lambda p, g: (p - g, p), (X, G), (0,), False),
    "itself": (lambda p: p, (X,), (0,), True),
    "swap": (lambda p, q: (q, p), (X, G), (0, 1), False),
    "rotation": (lambda p, q, r: (q, r, p), (X, G, X + G), (0, 1, 2), False),
    "reversed": (lambda p: p[::-1], (X,), (0,), False),
    "transposed": (lambda p: p.T @ p, (X[:, :5],), (0,), False),
    "product": (lambda p, g: p - g.T @ g, (X[:5, :5], G[:, :5]), (0,), False),
    "softmax": (lambda p: lm.softmax(p, axis=-1), (X,), (0,), False),
    "sorted": (lambda p: lm.sort(p, axis=0), (X,), (0,), False),
    "cumulated": (lambda p: lm.cumulative_sum(p, axis=0), (X,), (0,), False),
    "reshaped": (lambda p: lm.reshape(lm.reshape(p, (7, 5)) * 2, (5, 7)), (X,), (0,), False),
    "broadcast": (lambda p, g: p * 0 + g, (X, B), (0,), True),
    "not read": (lambda p, g: g * 2, (X, G), (0,), True),
    "in place": (in_place, (X, G), (0,), True),
    "loop": (looped, (X, G), (0,), False),
    "window": (window, (X, G), (0,), False),
    "column": (lambda p: p - p[:, :1], (X,), (0,), False),
    "0-d": (lambda p: p + 1, (np.float32(3) * np.ones((), np.float32),), (0,), True),
    "empty": (lambda p: p + 1, (np.zeros((0, 3)),), (0,), True),
    "ints": (lambda p: p // 3, (np.arange(9),), (0,), True),
    "bools": (lambda p: ~p, (X > 0,), (0,), True),
    "half": (lambda p: p * 3, (X.astype(np.float16),), (0,), True),
    "complex": (lambda p: p * p, ((X + 1j * G).astype(np.complex64),), (0,), False),
    "large": (lambda p, g: p - g, (np.ones((700, 700)), np.ones(700)), (0,), True),
}
"""The function, arguments, which are donated, and whether no copy is needed."""


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_without(name: str) -> None:
    f, args, donate, _ = CASES[name]
    expected = lm.tree.flatten(f(*fresh(*args)))[0]
    for fields in ({}, {"fusion": 0}, {"fusion": 1}, {"threads": 2}):
        step = lm.jit(f, donate=donate, **fields)
        for _ in range(2):  # the second call is the native entry's
            given = fresh(*args)
            before = {number: address(given[number]) for number in donate}
            found = lm.tree.flatten(step(*given))[0]
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
            assert set(before.values()) <= {address(x) for x in found}
            for number in donate:
                with pytest.raises(MutationError, match="was donated at .*test_donate.py"):
                    lm.negative(given[number])


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[3]])
def test_no_copy(name: str) -> None:
    f, args, donate, _ = CASES[name]
    low = lm.jit(f, donate=donate).lower(*fresh(*args))
    whole = [
        line for line in low.ir("buffer").split("\n") if "copy" in line and "strided" not in line
    ]
    assert not whole and not low.compile().memory().arena


def test_a_donated_result_is_no_output() -> None:
    plain = lm.jit(adam).lower(X, G, G, G).compile().memory()
    donated = lm.jit(adam, donate=(0, 1, 2)).lower(*fresh(X, G, G, G)).compile().memory()
    assert plain.outputs == 3 * X.nbytes and donated.outputs == 0


def test_trees_by_path() -> None:
    """State that comes back in another order takes the memory of its namesake."""

    @lm.jit(donate=("params", "state"))
    def step(params: Any, state: Any, g: Any) -> Any:
        m = {k: state["m"][k] * 0.9 + g for k in params}
        return 0.0, {"m": m}, {k: params[k] - m[k] for k in params}

    params = dict(zip("ab", fresh(X, G), strict=True))
    state = {"m": dict(zip("ab", fresh(X, G), strict=True))}
    g = lm.asarray(G)
    for _ in range(4):
        places = [address(params[k]) for k in "ab"] + [address(state["m"][k]) for k in "ab"]
        _, state, params = step(params, state, g)
        now = [address(params[k]) for k in "ab"] + [address(state["m"][k]) for k in "ab"]
        assert places == now
    assert "memref.copy" not in step.lower(params, state, g).ir("buffer")


def test_the_fast_path_takes_it() -> None:
    step = lm.jit(lambda p: p + 1, donate=0)
    slow: list[int] = []
    original = type(step)._slow
    p = step(lm.asarray(X))
    type(step)._slow = lambda *args, **kwargs: (slow.append(1), original(*args, **kwargs))[1]
    for _ in range(5):
        p = step(p)
    np.testing.assert_allclose(p, X + 6, rtol=1e-6)
    assert not slow or isinstance(step._entry, PyEntry)


def test_the_entry_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "make_entry", lambda signatures, *rest: PyEntry(*rest))
    step = lm.jit(lambda p, g: p - g, donate="p")
    p, g = fresh(X, G)
    for _ in range(3):
        old, p = p, step(p, g)
        with pytest.raises(MutationError, match="test_donate.py"):
            lm.negative(old)
    assert isinstance(step._entry, PyEntry)
    np.testing.assert_allclose(p, X - 3 * G, rtol=1e-4, atol=1e-4)


def test_executables_donate_and_run_does_not() -> None:
    exe = lm.jit(lambda p: p + 1, donate="p").lower(lm.asarray(X)).compile()
    p = lm.asarray(X)
    place = address(p)
    q = exe(p)
    assert address(q) == place
    with pytest.raises(MutationError, match="donated"):
        exe(p)
    plain = X.copy()
    np.testing.assert_allclose(exe.run({"p": plain})[0], X + 1)
    np.testing.assert_array_equal(plain, X)


def test_what_shows_a_donated_array() -> None:
    p = lm.asarray(X)
    lm.jit(lambda p: p + 1, donate="p")(p)
    assert repr(p).startswith("Array(donated at") and "test_donate.py" in str(p)
    gc.collect()
    for use in (lambda: p[0], lambda: p.shape, lambda: np.asarray(p), lambda: lm.jit(lm.sum)(p),
                lambda: lm.grad(lm.sum)(p), lambda: p.detach(), lambda: lm.exp(p),
                lambda: p.__setitem__(0, 1.0)):  # fmt: skip
        with pytest.raises(MutationError, match="donated at"):
            use()


def test_a_call_that_fails_has_taken_it() -> None:
    def f(p: Any, n: Any) -> Any:
        return p * 2 + lm.take(p, n)

    step = lm.jit(f, donate="p")
    for _ in range(2):
        p = lm.asarray(B)
        with pytest.raises(lm.IndexRangeError):
            step(p, lm.asarray(100))
        with pytest.raises(MutationError, match="donated"):
            lm.negative(p)


def add(p: Any, q: Any) -> Any:
    return p + q


def with_view() -> Any:
    p = lm.asarray(X)
    view = p[1:]
    try:
        return lm.jit(add, donate=0)(p, G)
    finally:
        del view


def with_buffer() -> Any:
    p = lm.asarray(X)
    buffer = np.asarray(p)
    try:
        return lm.jit(add, donate=0)(p, G)
    finally:
        del buffer


def captured() -> Any:
    p = lm.asarray(X)
    return lm.jit(lambda q: q + p, donate="q")(p)


BAD: list[tuple[str, type[LaminaError], str, Callable[[], Any]]] = [
    ("NumPy", ArgumentError, "argument p, found a NumPy", lambda: lm.jit(add, donate="p")(X, G)),
    ("twice", MutationError, "argument q.* argument p too",
     lambda: lm.jit(add, donate=(0, 1))(*[lm.asarray(X)] * 2)),
    ("beside", MutationError, "argument p.* argument q too",
     lambda: lm.jit(add, donate=0)(*[lm.asarray(X)] * 2)),
    ("view", MutationError, "memory of its own for the donated argument p", with_view),
    ("buffer", MutationError, "memory of its own for the donated argument p", with_buffer),
    ("shared", MutationError, "memory of its own",
     lambda: lm.jit(add, donate=0)(lm.asarray(X, copy=False), G)),
    ("captured", MutationError, "argument q, found the array", captured),
    ("no result", ArgumentError, "result of float32 and shape .5, 7. .*argument p",
     lambda: lm.jit(lambda p: lm.sum(p), donate=0)(lm.asarray(X))),
    ("one result for two", ArgumentError, "argument q",
     lambda: lm.jit(add, donate=("p", "q"))(*fresh(X, G))),
    ("gradient", ArgumentError, "argument p without a gradient",
     lambda: lm.jit(add, donate=0)(lm.asarray(X, requires_grad=True), G)),
    ("gradient beside", ArgumentError, "since p is donated",
     lambda: lm.jit(add, donate=0)(lm.asarray(X), lm.asarray(G, requires_grad=True))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "call"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_refused(error: type[LaminaError], message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert "test_donate.py" in str(caught.value)


@pytest.mark.parametrize("donate", ["r", 2, -1, True, 1.5, ("p", "r")])
def test_bad_names(donate: Any) -> None:
    with pytest.raises(OptionError, match="donate= to name or number parameters of p, q"):
        lm.jit(add, donate=donate)


def test_refused_after_compilation() -> None:
    """What the native entry does not take gets the same errors."""
    step = lm.jit(add, donate=0)
    step(*fresh(X, G))
    p = lm.asarray(X)
    view = p[1:]
    with pytest.raises(MutationError, match="memory of its own"):
        step(p, G)
    del view
    with pytest.raises(MutationError, match="argument q too"):
        step(p, p)
    with pytest.raises(ArgumentError, match="NumPy"):
        step(X, G)
    np.testing.assert_allclose(step(p, G), X + G)


def test_numbers_in_a_donated_tree_are_left() -> None:
    step = lm.jit(lambda s: {"x": s["x"] + s["n"], "n": s["n"] + 1}, donate="s")
    s = {"x": lm.asarray(X), "n": 1}
    for _ in range(3):
        s = step(s)
    np.testing.assert_allclose(s["x"], X + 1 + 2 + 3, rtol=1e-5)


def test_inside_a_trace_nothing_is_given() -> None:
    inner = lm.jit(add, donate=0)
    outer = lm.jit(lambda p, q: inner(p, q) + p)
    p = lm.asarray(X)
    np.testing.assert_allclose(outer(p, G), 2 * X + G, rtol=1e-6)
    np.testing.assert_array_equal(p, X)


def test_run_time_sizes() -> None:
    """A size that has had two values is a run-time one, equal in the donor and its result."""
    step = lm.jit(lambda p, g: (lm.concat([p, g]), p - g), donate="p")
    for size in (3, 5, 8, 13, 21):
        p, g = fresh(np.arange(size) * 1.0, np.ones(size))
        place = address(p)
        _, p = step(p, g)
        assert address(p) == place
        np.testing.assert_array_equal(p, np.arange(size) - 1.0)
    bad = lm.jit(lambda p, g: p * 2 if p.shape == g.shape else g, donate="p")
    bad(*fresh(np.ones(3), np.ones(3)))
    with pytest.raises(ArgumentError, match="argument p"):
        bad(*fresh(np.ones(4), np.ones(6)))


def test_threads_cannot_both_have_it() -> None:
    step = lm.jit(lambda p: p + 1, donate=0)
    step(lm.asarray(np.zeros(10)))
    for _ in range(50):
        p, outcomes = lm.asarray(np.zeros(10)), list[str]()

        def work(p: Any = p, outcomes: list[str] = outcomes) -> None:
            try:
                outcomes.append(str(float(step(p)[0])))
            except MutationError:
                outcomes.append("refused")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes.count("1.0") <= 1 and set(outcomes) <= {"1.0", "refused"}
