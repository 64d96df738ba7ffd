"""Sizes as expressions: the arithmetic is that of the numbers they stand for, equal expressions are
equal, and what bounds tell is true."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import operator
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina as lm
from lamina.frontend import dims
from lamina.frontend.dims import Symbol, evaluate, lower, of_symbol, provable, same, upper

N, M = lm.Dim("n"), lm.Dim("m", min=0, max=9)
SYMBOLS = [dims.symbols_of(dim)[0] for dim in (N, M)]

LEAVES = st.one_of(st.sampled_from(["n", "m"]), st.integers(-3, 5))
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul"]), inner, inner),
        st.tuples(st.sampled_from(["floordiv", "mod"]), inner, st.sampled_from([1, 2, 3, 4, -2])),
    ),
    max_leaves=6,
)


def computed(expression: Any, values: dict[str, Any]) -> Any:
    """An expression on numbers, or on sizes."""
    if type(expression) is tuple:
        name, x, y = cast("tuple[str, Any, Any]", expression)
        return getattr(operator, name)(computed(x, values), computed(y, values))
    return values.get(expression, expression)


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS, st.integers(1, 40), st.integers(0, 9))
def test_expressions_are_what_numbers_are(expression: Any, n: int, m: int) -> None:
    size = computed(expression, {"n": N, "m": M})
    expected = computed(expression, {"n": n, "m": m})
    assert evaluate(size, dict(zip(SYMBOLS, (n, m), strict=True))) == expected
    low, high = lower(size), upper(size)
    assert (low is None or low <= expected) and (high is None or expected <= high)


@settings(max_examples=100, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS)
def test_what_is_proved_holds(x: Any, y: Any) -> None:
    sizes = {"n": N, "m": M}
    difference = dims.minus(computed(x, sizes), computed(y, sizes))
    for kind, compare in dims.COMPARE.items():
        known = provable(kind, difference)
        if known is None:
            continue
        for n, m in ((1, 0), (1, 9), (2, 1), (7, 3), (40, 9)):
            values = dict(zip(SYMBOLS, (n, m), strict=True))
            assert compare(evaluate(difference, values), 0) is known


def test_equal_expressions_are_one() -> None:
    assert same(2 * N // 2, N) and same((N + 3) // 2, 1 + (N + 1) // 2)
    assert same(-(-N // 2), (N + 1) // 2) and same(-((1 - N) // 3), (N + 1) // 3)
    assert same(N * M // N, M) and same(N % 1, 0) and same(N - N, 0)
    assert not same(N, M) and not same(N, 3)
    assert hash(N + 1) == hash(1 + N) and {N + 1: 5}[1 + N] == 5
    assert lm.Dim("n") == N and lm.Dim("n", min=2) != N
    assert [repr(x) for x in (2 * N + 1, 3 - N, 4 * (N // 4), (N * M + 1) // 3)] == [
        "2*n + 1", "-n + 3", "4*(n//4)", "(n*m + 1)//3",
    ]  # fmt: skip


def test_bounds_of_loops() -> None:
    i = of_symbol(Symbol("i", 0, N - 1))
    j = of_symbol(Symbol("j", i + 1, N - 1))
    assert provable("lt", i - N) and provable("le", i + 1 - N) and provable("lt", i - j)
    assert provable("ge", N - j - 1) and provable("eq", i - N) is False
    assert provable("lt", j - 5) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("2n",), "Dim: expected a name, found '2n'"),
        ((3,), "Dim: expected a name, found 3"),
        (("n", -1), "Dim: expected min of 0 or more, found -1"),
        (("n", None), "Dim: expected min of 0 or more, found None"),
        (("n", 1, 2.5), "Dim: expected max of 0 or more, found 2.5"),
        (("n", 4, 3), "Dim: expected max of 4 or more, found 3"),
    ],
)
def test_bad_dims(arguments: tuple[Any, ...], message: str) -> None:
    options = dict(zip(("min", "max"), arguments[1:], strict=False))
    with pytest.raises(lm.ArgumentError) as caught:
        lm.Dim(arguments[0], **options)
    assert message in str(caught.value)
    assert __file__.rsplit("/", 1)[1] in str(caught.value)
