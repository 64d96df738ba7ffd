"""What control flow functions say about what they cannot take, eager and traced."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.errors import LaminaError

X = np.linspace(-1.0, 2.0, 6)


def leak(x):
    kept: list[Any] = []
    lm.fori_loop(0, 2, lambda i, c: kept.append(c) or c + 1, x)
    return kept[0] + 1


def leak_from_branch(x):
    kept: list[Any] = []
    lm.cond(x[0] > 0, lambda: kept.append(x * 2), lambda: None)
    return kept[0]


def write_and_raise(x):
    y = lm.asarray(x * 1)

    def body(i, c):
        lm.cond(i > 0, lambda: y.__setitem__(0, 99), lambda: None)
        raise KeyError

    with suppress(KeyError):
        lm.fori_loop(0, 2, body, x)
    return y


def write_and_raise_deep(x):
    y = lm.asarray(x * 1)

    def branch():
        y[0] = 99
        raise KeyError

    def body(i, c):
        with suppress(KeyError):
            lm.cond(i > 0, branch, lambda: None)
        return c

    lm.fori_loop(0, 2, body, x)
    return y


def write_argument_and_raise(x):
    def branch():
        x[0] = 1
        raise KeyError

    with suppress(KeyError):
        lm.cond(x[0] > 0, branch, lambda: None)
    return 0


BAD: list[tuple[str, Callable[[Any], Any], type[LaminaError], str]] = [
    ("pred_shape", lambda x: lm.cond(x > 0, lambda: 1, lambda: 2), lm.ShapeError,
     "cond: expected a 0-d condition, found shape (6,); use lm.any or lm.all"),
    ("pred_dtype", lambda x: lm.cond(x[0], lambda: 1, lambda: 2), lm.DTypeError,
     "cond: expected a condition of bool, found float64; compare, as in x != 0"),
    ("pred_int", lambda x: lm.cond(1, lambda: 1, lambda: 2), lm.DTypeError, "found int64"),
    ("pred_text", lambda x: lm.cond("yes", lambda: 1, lambda: 2), lm.ArgumentError, "found str"),
    ("no_function", lambda x: lm.cond(True, 1, lambda: 2), lm.ArgumentError,
     "cond: expected a function as true_fn, found a int"),
    ("arity", lambda x: lm.cond(True, lambda: 1, lambda y: 2), lm.ArgumentError,
     "cond: expected false_fn to take 0 arguments"),
    ("branch_gives_text", lambda x: lm.cond(True, lambda: "a", lambda: 2), lm.ArgumentError,
     "cond: expected an array or a number, found str"),
    ("no_branches", lambda x: lm.switch(0, []), lm.ArgumentError, "found an empty list"),
    ("index_dtype", lambda x: lm.switch(x[0], [lambda: 1]), lm.DTypeError,
     "switch: expected an integer dtype for the index, found float64"),
    ("index_shape", lambda x: lm.switch(lm.astype(x, lm.int32), [lambda: 1]), lm.ShapeError,
     "switch: expected a 0-d index, found shape (6,)"),
    ("index_float", lambda x: lm.switch(1.5, [lambda: 1]), lm.ArgumentError, "found 1.5"),
    ("carry_shape", lambda x: lm.fori_loop(0, 2, lambda i, c: c[:3], x), lm.ShapeError,
     "fori_loop: expected a carry of float64 and shape (6,), found float64 and shape (3,); "
     "convert it in the body, or start with that type"),
    ("carry_dtype", lambda x: lm.while_loop(lambda c: lm.any(c["a"] > -9), lambda c: {
        "a": lm.astype(c["a"], lm.float32)}, {"a": x}), lm.DTypeError,
     "while_loop: expected a carry at a of float64 and shape (6,), found float32 and shape (6,)"),
    ("carry_tree", lambda x: lm.scan(lambda c, v: ((c, c), v), x, x), lm.ArgumentError,
     "scan: expected a carry of one structure, a leaf, found tuple(0: a leaf, 1: a leaf)"),
    ("number_grows", lambda x: lm.fori_loop(0, 2, lambda i, c: c + x, 0.0), lm.ShapeError,
     "fori_loop: expected a carry that began as a Python float of float64 and shape (), "
     "found float64 and shape (6,); start with an array of that type"),
    ("number_narrows", lambda x: lm.fori_loop(0, 2, lambda i, c: i, 0.5), lm.DTypeError,
     "fori_loop: expected a carry that began as a Python float of float64 and shape (), "
     "found int64"),
    ("number_too_large", lambda x: lm.fori_loop(0, 2, lambda i, c: lm.astype(x[0], lm.int8), 300),
     lm.DTypeError, "expected a Python int from -128 to 127 for int8, found 300"),
    ("carry_text", lambda x: lm.fori_loop(0, 2, lambda i, c: c, "a"), lm.ArgumentError,
     "fori_loop: expected an array or a number, found str"),
    ("bound_float", lambda x: lm.fori_loop(0, 2.5, lambda i, c: c, x), lm.ArgumentError,
     "fori_loop: expected an integer upper bound, found 2.5"),
    ("bound_array", lambda x: lm.fori_loop(x[0], 2, lambda i, c: c, x), lm.DTypeError,
     "fori_loop: expected int64 or narrower for the lower bound, found float64"),
    ("bound_huge", lambda x: lm.fori_loop(0, 2**63, lambda i, c: c, x), lm.ArgumentError,
     "fori_loop: expected a upper bound of int64"),
    ("test_dtype", lambda x: lm.while_loop(lambda c: c[0], lambda c: c, x), lm.DTypeError,
     "while_loop: expected a condition of bool, found float64"),
    ("xs_0d", lambda x: lm.scan(lambda c, v: (c, v), 0, x[0]), lm.ShapeError,
     "scan: expected xs of at least one axis, found a 0-d array"),
    ("no_xs", lambda x: lm.scan(lambda c, v: (c, v), 0), lm.ArgumentError,
     "scan: expected xs with arrays, or length="),
    ("lengths", lambda x: lm.scan(lambda c, v: (c, v), 0, (x, x[1:])), lm.ShapeError,
     "scan: expected one length of the first axes, found [6, 5]"),
    ("length", lambda x: lm.scan(lambda c, v: (c, v), 0, x, length=3), lm.ShapeError, "[3, 6]"),
    ("negative_length", lambda x: lm.scan(lambda c, v: (c, v), 0, length=-1), lm.ArgumentError,
     "scan: expected a length of 0 or more, found -1"),
    ("no_pair", lambda x: lm.scan(lambda c, v: c, x, x), lm.ArgumentError,
     "scan: expected f to give a pair (carry, y), found a "),
    ("map_text", lambda x: lm.map(lambda v: "a", x), lm.ArgumentError, "map: expected an array"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "kind", "text"), [row[1:] for row in BAD], ids=[row[0] for row in BAD]
)
def test_bad_input(function: Callable[..., Any], kind: type[LaminaError], text: str) -> None:
    found: list[LaminaError] = []
    for run in (lambda: function(lm.asarray(X)), lambda: lm.jit(function).lower(X)):
        with pytest.raises(LaminaError) as caught:
            run()
        found.append(caught.value)
    assert [type(error) for error in found] == [kind, kind]
    assert all(text in error.message for error in found)
    if "Array" not in found[0].message:
        assert str(found[0]) == str(found[1])
    assert __file__ in str(found[0])


JUNK: list[Any] = [
    X, lm.asarray(1.0), lm.asarray(True), "a", None, -1, [1, [2]], {}, np.asarray(["a"]), slice(1),
    lambda *args: args, lambda c=1: c,
]  # fmt: skip


@pytest.mark.parametrize("traced", [False, True])
def test_only_our_errors(traced: bool) -> None:
    calls = [(lm.map, pair) for pair in product(JUNK, repeat=2)]
    calls += [(lm.switch, (index, [function])) for index, function in product(JUNK, repeat=2)]
    calls += [(lm.fori_loop, (0, 2, body, init)) for body, init in product(JUNK, repeat=2)]
    calls += [(lm.fori_loop, (-1, high, max, X)) for high in JUNK]
    calls += [(f, triple) for f in (lm.cond, lm.scan) for triple in product(JUNK, repeat=3)]
    calls += [(lm.while_loop, (None, *pair)) for pair in product(JUNK, repeat=2)]
    for function, args in calls:
        with suppress(LaminaError):
            lm.jit(lambda f=function, a=args: f(*a)).lower() if traced else function(*args)


TRACED_ONLY: list[tuple[str, Callable[[Any], Any], type[LaminaError], str]] = [
    ("branch_shapes", lambda x: lm.cond(x[0] > 0, lambda: x, lambda: x[1:]), lm.ShapeError,
     "cond: expected results of the branches of float64 and shape (6,), found float64 and "
     "shape (5,); convert one of them"),
    ("branch_dtypes", lambda x: lm.switch(lm.argmax(x), [lambda: {"a": 1}, lambda: {"a": x[0]}]),
     lm.DTypeError, "switch: expected results of the branches at a of int64 and shape ()"),
    ("branch_trees", lambda x: lm.cond(x[0] > 0, lambda: x, lambda: [x]), lm.ArgumentError,
     "expected results of the branches of one structure, a leaf, found list(0: a leaf)"),
    ("bool", lambda x: x if x[0] > 0 else -x, lm.TraceError, "lm.cond"),
    ("bool_of_carry", lambda x: lm.fori_loop(0, 2, lambda i, c: c if c > 0 else -c, 1),
     lm.TraceError, "lm.cond"),
    ("leak", leak, lm.TraceError,
     "expected an array that exists here, found one that was made in a branch or a body of a loop"),
    ("leak_from_branch", leak_from_branch, lm.TraceError, "return it from there"),
    ("write_and_raise", write_and_raise, lm.TraceError, "was written there before an exception"),
    ("write_and_raise_deep", write_and_raise_deep, lm.TraceError,
     "was written there before an exception"),
    ("write_argument_and_raise", write_argument_and_raise, lm.TraceError,
     "was written there before an exception"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [row[1:] for row in TRACED_ONLY],
    ids=[row[0] for row in TRACED_ONLY],
)
def test_bad_input_traced(function: Callable[..., Any], kind: type[LaminaError], text: str) -> None:
    with pytest.raises(LaminaError) as caught:
        lm.jit(function).lower(X)
    assert type(caught.value) is kind
    assert text in caught.value.message and __file__ in str(caught.value)


def test_scan_results_change_type() -> None:
    kinds = iter((lm.float32, lm.float64))
    with pytest.raises(lm.DTypeError, match="expected results of float32 and shape"):
        lm.scan(lambda c, v: (c, lm.astype(v, next(kinds))), 0, lm.asarray(X))
