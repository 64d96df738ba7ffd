"""Programs that script mode refuses, each with the error, a part of its text, and its line."""

# pyright: basic, reportPossiblyUnboundVariable=false, reportUnboundVariable=false
# ruff: noqa: B007, F821, F841, PLW0603
from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from script_table import X

import lamina as lm

TABLE: list[tuple[Callable[..., Any], tuple[Any, ...], type[Exception], str, int]] = []
NUMBER = 3
GENERATOR = np.random.default_rng(0)


def refused(
    error: type[Exception], text: str, line: int, *arguments: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: list a program. line: of the error, from the `def`; arguments: X without any."""

    def listed(function: Callable[..., Any]) -> Callable[..., Any]:
        TABLE.append((function, arguments or (X,), error, text, line))
        return function

    return listed


# Python that is not supported


@refused(lm.TraceError, "found try; move it out", 1)
def try_statement(x: Any) -> Any:
    try:
        return x
    except ValueError:
        return x + 1


@refused(lm.TraceError, "found with; move it out", 2)
def with_statement(x: Any) -> Any:
    y = x + 1
    with nullcontext():
        return y


@refused(lm.TraceError, r"found yield \(a generator\)", -1)
def generator(x: Any) -> Any:
    yield x


@refused(lm.TraceError, r"found yield \(a generator\); collect the values", 2)
def nested_generator(x: Any) -> Any:
    def inner() -> Any:
        yield x

    return list(inner())


@refused(lm.TraceError, "found async def", 1)
def nested_coroutine(x: Any) -> Any:
    async def inner() -> None:
        pass

    return x


@refused(lm.TraceError, "found match; write if and elif", 1)
def match_statement(x: Any) -> Any:
    match len(x):
        case 5:
            return x
    return x + 1


@refused(lm.TraceError, "found class; define the class outside", 1)
def nested_class(x: Any) -> Any:
    class Inner:
        pass

    return x


@refused(lm.TraceError, "found := in a part that may not be evaluated; assign before it", 1)
def walrus_in_and(x: Any) -> Any:
    if len(x) > 3 and (y := x[0]) > 0:
        return y
    return x[1]


@refused(lm.TraceError, r"expected no locals\(\)", 1)
def sees_locals(x: Any) -> Any:
    return locals()["x"]


@refused(lm.TraceError, "found del of an attribute or a tuple", 2)
def deletes_tuple(x: Any) -> Any:
    a, b = x[0], x[1]
    del (a, b)
    return x


# branches


@refused(lm.ShapeError, r"if: expected 'y' of one type in both branches, found float64 of sh", 1)
def other_shapes(x: Any) -> Any:
    if x[0] > 0:
        y = x
    else:
        y = x[:2]
    return y


@refused(lm.DTypeError, "found float64 of shape .* and float32 of shape .*; convert one", 1)
def other_dtypes(x: Any) -> Any:
    if x[0] > 0:
        y = x
    else:
        y = x.astype(np.float32)
    return y


@refused(lm.DTypeError, "expected the result of one type in both branches", 1)
def other_results(x: Any) -> Any:
    if x[0] > 0:
        return 1.5
    return x.astype(np.int64)[0]


@refused(lm.ArgumentError, "expected the result of one structure .* and None; return", 1)
def no_result_on_one_way(x: Any) -> Any:
    if x[0] > 0:
        return x


@refused(lm.ArgumentError, "of one structure in both branches, found a tuple and a list", 1)
def other_structures(x: Any) -> Any:
    y = (x, x) if x[0] > 0 else [x, x]
    return y[0]


@refused(lm.ArgumentError, "equal in both branches, found a str and a str", 1)
def other_strings(x: Any) -> Any:
    if x[0] > 0:
        name = "a"
    else:
        name = "b"
    return {"a": x, "b": x + 1}[name]


@refused(lm.TraceError, "found 'y', which has a value on one way only of the if at .*; give it", 3)
def one_branch_only(x: Any) -> Any:
    if x[0] > 0:
        y = x
    return y + 1


@refused(UnboundLocalError, "cannot access local variable 'y'", 3)
def never_defined(x: Any) -> Any:
    if len(x) > 100:
        y = x
    return y + 1


@refused(UnboundLocalError, "cannot access local variable 'x'", 2)
def deleted(x: Any) -> Any:
    del x
    return x


@refused(lm.ShapeError, "bool: expected an array of one element, found shape", 1)
def truth_of_an_array(x: Any) -> Any:
    if x > 0:
        return x
    return x + 1


@refused(lm.TraceError, "raise: expected a branch that is chosen when the code is compiled", 2)
def raises_in_branch(x: Any) -> Any:
    if x[0] > 0:
        raise ValueError("too large")
    return x


@refused(lm.CheckError, "too small", 1, -X)
def assertion(x: Any) -> Any:
    assert x[0] > 1, "too small"
    return x


@refused(AssertionError, "static", 1)
def static_assertion(x: Any) -> Any:
    assert len(x) > 10, "static"
    return x


@refused(lm.TraceError, "expected no change of a list of outside .* found .append()", 3)
def appends_in_branch(x: Any) -> Any:
    found: list[Any] = []
    if x[0] > 0:
        found.append(x)
    return x


@refused(lm.TraceError, "expected no change of a dict of outside .* an assignment to an elem", 3)
def sets_in_branch(x: Any) -> Any:
    found: dict[str, Any] = {}
    if x[0] > 0:
        found["x"] = x
    return x


class Box:
    """An object with an attribute."""

    value = 1.0


BOX = Box()


@refused(lm.TraceError, "expected no change of a Box .* an assignment to the attribute value", 2)
def attribute_in_branch(x: Any) -> Any:
    if x[0] > 0:
        BOX.value = 2.0
    return x


@refused(lm.TraceError, "expected no write to a variable of outside .* found global NUMBER", 3)
def global_in_branch(x: Any) -> Any:
    global NUMBER
    if x[0] > 0:
        NUMBER = 4
    return x


@refused(lm.TraceError, "expected no write to a variable of outside .* found nonlocal n", 5)
def nonlocal_in_loop(x: Any) -> Any:
    n = 0

    def count() -> None:
        nonlocal n
        n = n + 1

    for i in range(100):
        count()
    return x + n


@refused(lm.TraceError, "bool: expected a value, found a traced array", 1)
def filter_of_comprehension(x: Any) -> Any:
    return [a for a in x if a > 0]


@refused(lm.TraceError, r"of outside in a branch or loop .* found next\(\)", 4, X, 100)
def takes_from_an_iterator(x: Any, n: Any) -> Any:
    weights = iter([1.0, 2.0])
    s = 0.0
    for i in range(n):
        s += x[0] * next(weights)
    return s


@refused(lm.TraceError, r"found .random\(\); use an array", 2, X, 100)
def draws_in_a_loop(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + GENERATOR.random()
    return x


def factorial(n: Any) -> Any:
    return 1 if n <= 1 else n * factorial(n - 1)


@refused(lm.TraceError, "expected recursion that static values end, .*; write it as a loop", -4)
def recursion_of_a_run(x: Any) -> Any:
    return factorial(int(x[3]))


@refused(lm.DomainError, "int: expected a finite number of int64", 1, X * 1e300)
def int_of_a_large_number(x: Any) -> Any:
    return int(x[0])


# loops


@refused(
    lm.ShapeError, r"for: expected 'x' of one type in each trip, found float64 of shape \(5", 1
)
def grows(x: Any) -> Any:
    for _ in range(10):
        x = np.concatenate([x, x])
    return x


@refused(lm.DTypeError, "for: expected 'y' of one type in each trip, found int64 .* and float64", 2)
def changes_dtype(x: Any) -> Any:
    y = np.zeros(5, np.int64)
    for i in range(10):
        y = y + x
    return y


@refused(lm.ShapeError, "for: expected 's' of one type in each trip, found a Python int", 2)
def number_becomes_array(x: Any) -> Any:
    s = 0
    for i in range(10):
        s = x * i
    return s


@refused(lm.ArgumentError, "while: expected 'state' of one structure in each trip", 2)
def changes_structure(x: Any) -> Any:
    state: Any = (x, x)
    while state[0][0] < 10:
        state = (state[0] + 1, x, x)
    return state[0]


@refused(lm.TraceError, "'t', which has a value only where the for makes a trip", 3, X, 3)
def only_in_loop(x: Any, n: Any) -> Any:
    for i in range(n):
        t = x[i]
    return t


@refused(lm.TraceError, "'t', which has no value in the first trip of the for", 4, X, 3)
def from_the_last_trip(x: Any, n: Any) -> Any:
    y = 0.0
    for i in range(n):
        if i > 0:
            y = y + t
        t = x[i]
    return y


@refused(lm.TraceError, "expected a Python int that is known when the code is compiled", 4)
def shape_of_a_run(x: Any) -> Any:
    n = 0
    while x[0] < 10:
        x, n = x + 1, n + 1
    return np.zeros(n)


@refused(lm.TraceError, "expected a Python int that is known", 2, X, 100)
def list_by_a_run(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + [1.0, 2.0, 3.0][i]
    return x


@refused(lm.TraceError, "iteration: expected a number of elements that is known", 1, X, np.int64(3))
def comprehension_of_a_run(x: Any, n: Any) -> Any:
    return [x[0] * i for i in range(n)]


@refused(lm.IndexRangeError, "expected an index from -5 to 4 on axis 0, found 5", 3, X, 6)
def index_in_loop(x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


@refused(lm.ArgumentError, "index: expected a 0-d integer array, found float64 of shape", 1)
def range_of_a_float(x: Any) -> Any:
    for i in range(x[0]):
        x = x + i
    return x


@refused(ValueError, "arg 3 must not be zero", 1, X, 3)
def step_of_zero(x: Any, n: Any) -> Any:
    for i in range(0, n, 0):
        x = x + i
    return x


@refused(ZeroDivisionError, "floor_divide: expected a divisor other than 0, found 0", 3, X, 20)
def divides_by_zero(x: Any, n: Any) -> Any:
    s = 0
    for i in range(n):
        s += 100 // (10 - i)
    return s


@refused(
    lm.MutationError,
    "expected an array of its own to be written, found one that is an arg",
    2,
    X.copy(),
)
def rebinds_what_it_writes(x: Any) -> Any:
    for i in range(12):
        x[0] += i
        x = x + 1
    return x


@refused(lm.MutationError, "expected an array that no other name writes, found one .* copy it", 6)
def writes_one_of_two(x: Any) -> Any:
    a, b = x * 1, x * 2
    y = a if x[0] > 0 else b
    if len(x) == 5:
        x = x + 1
    y[0] = 5
    return a + b + x


@refused(lm.TraceError, "while: expected at most 10000 trips of a condition", 2)
def never_ends(x: Any) -> Any:
    ones = [1]
    while ones:
        x = x + 1
    return x


@refused(lm.DTypeError, "expected a Python int from -128 to 127 for int8", 2, X, 200)
def too_large_for_int8(x: Any, n: Any) -> Any:
    for i in range(n):
        y = np.zeros(3, np.int8) + i
        x = x + y[0]
    return x
