"""Small programs with control flow, each with arguments: plain Python that script mode captures."""

# ruff: noqa: B007, B905, C416, PLR0133, PLW2901
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

X = np.array([1.5, -2.0, 0.25, 4.0, -0.5])
F = np.array([1.5, -2.0, 0.25, 4.0, -0.5, 3.0, 7.0, -1.0, 2.0, 0.5], np.float32)
I = np.array([3, -1, 4, 1, -5, 9, 2, 6, 5, 3])
M = np.arange(12.0).reshape(3, 4) - 5
LONG = np.arange(20.0) - 7

PROGRAMS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = []


def program(*calls: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: list a program with the arguments of some calls."""

    def listed(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, list(calls)))
        return function

    return listed


# branches


@program((X,), (-X,))
def if_else(x: Any) -> Any:
    if x[0] > 0:
        y = x * 2
    else:
        y = x - 1
    return y


@program((X,), (-X,), (X * 0,))
def elif_chain(x: Any) -> Any:
    if x.sum() > 1:
        y = x + 1
    elif x.sum() < -1:
        y = x - 1
    else:
        y = x * 0
    return y


@program((X,), (-X,))
def early_return(x: Any) -> Any:
    if x[0] > 0:
        return x
    return x + 10


@program((X,), (-X,), (X * 3,))
def early_returns(x: Any) -> Any:
    if x[0] > 0:
        if x[1] < -5:
            return x * 3
        x = x + 1
    if x[2] > 0:
        return x * 5
    return x - 1


@program((X, 1), (X, 2), (X, 3))
def static_branch(x: Any, n: Any) -> Any:
    if n == 1:
        return x
    elif n == 2:
        return x.sum()
    return x[:n]


@program((X, X + 1), (X + 1, X))
def number_in_branch(x: Any, y: Any) -> Any:
    scale = 1
    if x[0] > y[0]:
        scale = 2.5
    return x * scale


@program((F,), (-F,))
def number_or_array(x: Any) -> Any:
    y = 0.0
    if x[0] > 0:
        y = x[1]
    return y + x


@program((X,), (-X,))
def write_in_branch(x: Any) -> Any:
    y = x * 1
    if x[0] > 0:
        y[1] = 100
        y[2:] += 1
    else:
        y[0] = -1
    return y


@program((X,), (-X,))
def defined_in_one_branch(x: Any) -> Any:
    if x[0] > 0:
        t = x * 2
        x = t + 1
    return x


@program((X,), (-X,))
def tuple_in_branch(x: Any) -> Any:
    if x[0] > 0:
        pair = (x, 1)
    else:
        pair = (x + 1, 2)
    a, b = pair
    return a * b


@program((X,), (-X,))
def dict_in_branch(x: Any) -> Any:
    if x[0] > 0:
        d = {"a": x, "b": x[0]}
    else:
        d = {"a": x * 2, "b": x[1]}
    return d["a"] * d["b"]


@program((X,), (-X,))
def conditional_expression(x: Any) -> Any:
    return x * 2 if x[0] > 0 else x / 2


@program((X,), (-X,), (X * 0,))
def nested_conditional_expression(x: Any) -> Any:
    return 1 if x[0] > 0 else (-1 if x[0] < 0 else 0)


@program((X,), (-X,))
def and_or_not(x: Any) -> Any:
    y = 0
    if x[0] > 0 and x[1] < 0:
        y += 1
    if x[0] > 0 or x[3] > 0:
        y += 10
    if not x[0] > 0:
        y += 100
    if not (x[0] > 0 and not x[1] > 5) or (x[2] > 0 and x[3] > 0):
        y += 1000
    return y


@program((X,), (-X,))
def short_circuit(x: Any) -> Any:
    n = 0
    while n < len(x) and x[n] < 3:
        n += 1
    return n


@program((X,), (X / 10,), (-X,))
def comparison_chain(x: Any) -> Any:
    return 1 if -1 < x[0] < 1 <= 2 else 2


@program((X,), (-X,))
def truth_of_a_number(x: Any) -> Any:
    y = 0
    if x[0]:
        y = 1
    if x[0] - x[0]:
        y = 2
    return y


@program((X,))
def value_of_or(x: Any) -> Any:
    return (x[0] * 0 or x[1]) + (x[2] and x[3])


@program((I[0],), (I[1],), (np.int64(7),))
def membership(x: Any) -> Any:
    if x in (1, 3, 5):
        return 1
    if x not in [-1, 2]:
        return 2
    return 3


# loops


@program((X, 0), (X, 3), (X, 5))
def for_range(x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


@program((LONG,))
def for_range_static(x: Any) -> Any:
    s = 0
    for i in range(20):
        s = s + x[i] * i
    return s


@program((LONG,))
def for_range_short(x: Any) -> Any:
    s = 0
    for i in range(5):
        s = s + x[i] * i
    return s


@program((LONG, 2), (LONG, 17), (LONG, 20))
def for_negative_step(x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n - 1, -1, -1):
        s = s * 0.5 + x[i]
    return s


@program((LONG, 3), (LONG, 1))
def for_run_time_step(x: Any, k: Any) -> Any:
    s = 0.0
    for i in range(1, 19, k):
        s = s * 0.5 + x[i]
    return s


@program((LONG,))
def for_negative_step_static(x: Any) -> Any:
    y = x * 0
    for i in range(18, 0, -2):
        y[i] = x[i - 1] + x[i + 1]
    return y


@program((X, np.int64(4)), (X, np.int64(0)))
def for_traced_bound(x: Any, n: Any) -> Any:
    for i in range(n):
        x = x + i
    return x


@program((M,), (LONG.reshape(10, 2),))
def for_rows(a: Any) -> Any:
    s = a[0] * 0
    for row in a:
        s = s * 2 + row
    return s


@program((LONG, LONG + 1))
def for_zip(x: Any, y: Any) -> Any:
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s


@program((LONG,), (X,))
def for_enumerate(x: Any) -> Any:
    s = 0.0
    for i, a in enumerate(x):
        s += a * i
    return s


@program((LONG,), (X,))
def for_enumerate_start(x: Any) -> Any:
    s = 0.0
    for i, a in enumerate(x, 3):
        if i == 5:
            s -= a
        s += a * i
    return s


@program((LONG,), (X,))
def for_reversed(x: Any) -> Any:
    s = 0.0
    for a in reversed(x):
        s = s * 0.5 + a
    for i in reversed(range(len(x))):
        s = s * 0.5 + i
    return s


@program((X,))
def for_list(x: Any) -> Any:
    for w in [1, 2.5, x]:
        x = x * w
    return x


@program((X,))
def for_dict(x: Any) -> Any:
    for key, value in {"a": 1.0, "b": x}.items():
        x = x + value if key == "a" else x * value
    return x


@program((LONG, 3.0), (LONG, 100.0), (X, 0.0))
def for_break(x: Any, limit: Any) -> Any:
    s = 0.0
    for a in x:
        if a > limit:
            break
        s += a
    return s


@program((LONG,), (X,))
def for_continue(x: Any) -> Any:
    s = 0.0
    for a in x:
        if a < 0:
            continue
        s += a
    return s


@program((LONG, 3.0), (LONG, 100.0))
def for_else(x: Any, limit: Any) -> Any:
    s = 0.0
    for a in x:
        if a > limit:
            break
        s += a
    else:
        s = -1.0
    return s


@program((LONG, 3.0), (LONG, 100.0), (X, 1.0))
def for_return(x: Any, limit: Any) -> Any:
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@program((LONG,), (X,))
def loop_variable_after(x: Any) -> Any:
    for i in range(len(x)):
        last = x[i] * i
    return last + i


@program((100.0,), (0.5,))
def while_number(x: Any) -> Any:
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return n


@program((np.float32(100),), (np.float32(0.5),))
def while_scalar(x: Any) -> Any:
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return n, x


@program((X, 0.0), (X, 50.0))
def while_array(x: Any, limit: Any) -> Any:
    while x.sum() < limit:
        x = x + 1
    return x


@program((X, 3), (X, 30))
def while_weak(x: Any, n: Any) -> Any:
    i = 0
    while i < n:
        x = x * 0.5 + i
        i += 1
    return x


@program((X,))
def while_static(x: Any) -> Any:
    i = 0
    while i < 3:
        x = x + i
        i += 1
    return x


@program((X,))
def while_static_long(x: Any) -> Any:
    i = 0
    while i < 30:
        x = x * 0.5 + i
        i += 1
    return x + i


@program((np.int64(27),), (np.int64(1),))
def while_true(n: Any) -> Any:
    steps = 0
    while True:
        if n == 1:
            break
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program((np.int64(27),), (np.int64(1),))
def while_true_return(n: Any) -> Any:
    steps = 0
    while True:
        if n <= 1:
            return steps
        n = n // 2
        steps += 1


@program((X, 4.0), (X, 40.0))
def while_else(x: Any, limit: Any) -> Any:
    n = 0
    while n < 10:
        if x[n % 5] * n > limit:
            break
        n += 1
    else:
        n = 100
    return n


@program((M,))
def nested_loops(a: Any) -> Any:
    out = a * 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = a[i, j] * i - j
    return out


@program((np.arange(144.0).reshape(12, 12) % 7,))
def nested_long_loops(a: Any) -> Any:
    n = a.shape[0]
    out = a * 1
    for k in range(n):
        for i in range(n):
            for j in range(n):
                out[i, j] = min(out[i, j], out[i, k] + out[k, j])
    return out


@program((np.arange(100.0).reshape(10, 10), 5))
def stencil(a: Any, steps: Any) -> Any:
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4
    return a


@program((np.arange(100.0).reshape(10, 10), 20))
def slices_in_loop(a: Any, steps: Any) -> Any:
    for _ in range(steps):
        a[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) * 0.25
    return a


@program((np.arange(100.0).reshape(10, 10),))
def row_slices(a: Any) -> Any:
    b = np.zeros_like(a)
    for i in range(1, 10):
        b[i, 1:-1] += a[i - 1, 2:] - a[i - 1, :-2]
        b[:, i] *= 0.5
    return b


@program((np.arange(100.0).reshape(10, 10),))
def row_views(a: Any) -> Any:
    b = a * 1
    for i in range(10):
        row = b[i]
        row += i
        row[0] = -1
    return b


@program((LONG,))
def written_rows(x: Any) -> Any:
    a = x.reshape(10, 2) * 1
    for row in a:
        row *= 2
    return a


@program((X, 12), (X, 0))
def break_inside_nested(x: Any, n: Any) -> Any:
    total = 0
    for i in range(n):
        for j in range(n):
            if i * j > 20:
                break
            if (i + j) % 2:
                continue
            total += i * j
        if total > 100:
            break
    return total + x


@program((LONG, 2.0), (LONG, 100.0))
def return_from_nested(x: Any, limit: Any) -> Any:
    for i in range(20):
        for j in range(i):
            if x[i] * x[j] > limit:
                return i * 100 + j
    return -1


@program((X, 12), (X, 1))
def fibonacci(x: Any, n: Any) -> Any:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a * x


@program((X, 12))
def swap_arrays(x: Any, n: Any) -> Any:
    y = x * 2
    for _ in range(n):
        x, y = y, x + 0.5 * y
    return x - y


@program((X, 15))
def tuple_carry(x: Any, n: Any) -> Any:
    state = (x, 0)
    for i in range(n):
        state = (state[0] * 0.5 + i, state[1] + 1)
    return state[0] + state[1]


@program((X, 15))
def list_carry(x: Any, n: Any) -> Any:
    state = [x, 0.0]
    for i in range(n):
        a, b = state
        state = [a * 0.5, b + a[0]]
    return state[0] + state[1]


@program((X, 15))
def dict_carry(x: Any, n: Any) -> Any:
    state = {"x": x, "n": 0}
    for i in range(n):
        state = {"x": state["x"] + i, "n": state["n"] + 2}
    return state["x"] * state["n"]


@program((F, 10), (F, 0))
def number_takes_type(x: Any, n: Any) -> Any:
    s = 0
    for i in range(n):
        s += x[i]
    return s * x


@program((F,))
def weak_loop_variable(x: Any) -> Any:
    y = x * 0
    for i in range(10):
        y = y + x * i
    return y


@program((10,), (3,), (0,))
def integer_arithmetic(n: Any) -> Any:
    s = 0
    for i in range(n):
        s += (i * 7 - 3) // 2 + (5 - i) % 3 + (i << 1) - (i & 3) + (i ^ 2) + i**2
    return s


@program((10,), (3,))
def float_arithmetic(n: Any) -> Any:
    s = 0.0
    for i in range(1, n + 1):
        s += 1 / i + i**0.5 - (7.5 // i) + (-2.25 % i) + math.sqrt(i) + abs(-i)
    return s


@program((X, 10))
def builtins_in_loop(x: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        s += max(i, 4) + min(x[i % 5], 1.0, i) + float(i) + int(x[i % 5] * 3) + round(i / 4)
        s += bool(i) + divmod(i, 3)[1] + isinstance(i, int)
    return s


@program((X,))
def builtin_reductions(x: Any) -> Any:
    big = any([x[0] > 10, x[1] > 10, x[3] > 3])
    small = all(a < 100 for a in x)
    return sum(x) + max(x) - min(x[0], x[1]) + (1 if big else 0) + (2 if small else 0)


# functions


def helper(x: Any, y: Any = 2.0) -> Any:
    if x > y:
        return x - y
    return y - x


def walk(x: Any, depth: Any) -> Any:
    if depth == 0:
        return x
    if x[0] > 1:
        x = x * 0.5
    else:
        x = x + 1
    return walk(x, depth - 1)


class Model:
    """A class with a method that branches."""

    def __init__(self, w: Any) -> None:
        self.w = w
        self.__limit = 2.0

    def step(self, x: Any) -> Any:
        if x[0] > self.__limit:
            return x * self.w
        return self.bias(x)

    def bias(self, x: Any) -> Any:
        return x + self.w if x[1] < 0 else x


MODEL = Model(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
TABLE = np.array([2.0, 3.0, 5.0, 7.0, 11.0])
LAYERS = [{"w": np.ones((5, 5)), "b": 0.5}, {"w": np.eye(5), "b": X}]


@program((X,), (-X,))
def calls_helper(x: Any) -> Any:
    return helper(x[0]) + helper(x[1], y=x[2])


@program((X,), (-X,))
def recursion(x: Any) -> Any:
    return walk(x, 4)


@program((X,), (-X,), (X * 3,))
def method(x: Any) -> Any:
    return MODEL.step(x)


@program((X,), (-X,))
def nested_function(x: Any) -> Any:
    k = 3

    def inner(a: Any) -> Any:
        if a > 0:
            return a * k
        return a - k

    return inner(x[0]) + inner(x[1])


@program((X,), (-X,))
def nested_lambda(x: Any) -> Any:
    pick = lambda a, b: a if a > b else b  # noqa: E731
    return pick(x[0], x[1]) + pick(x[2], x[3])


@program((X,))
def nonlocal_variable(x: Any) -> Any:
    total = 0.0

    def add(v: Any) -> None:
        nonlocal total
        total = total + v

    for i in range(5):
        add(x[i])
    return total


@program((X,))
def captured_array(x: Any) -> Any:
    s = 0.0
    for i in range(5):
        s += TABLE[i] * x[i]
    for i in range(TABLE.shape[0]):
        x = x + TABLE[i]
    return s * x


@program((X,))
def captured_layers(x: Any) -> Any:
    for layer in LAYERS:
        x = x @ layer["w"] + layer["b"]
        if x[0] > 100:
            x = x / 2
    return x


@program((X,))
def comprehensions(x: Any) -> Any:
    parts = [x[i] * i for i in range(5)]
    named = {i: a for i, a in enumerate(parts)}
    return sum([named[i] for i in range(5)]) + sum(a for a in parts)


@program((X,))
def list_built(x: Any) -> Any:
    parts = []
    for i in range(5):
        parts.append(x[i] + i)
    parts[0] = parts[0] * 2
    return np.stack(parts)


@program((X, 12))
def list_inside_loop(x: Any, n: Any) -> Any:
    for i in range(n):
        parts = []
        for k in range(5):
            parts.append(x[k] * 0.5 + i)
        parts[1] = parts[0]
        x = np.stack(parts)
    return x


@program((X, 4))
def creation(x: Any, n: Any) -> Any:
    z = np.zeros((n, 5))
    for i in range(n):
        z[i] = x + np.ones(5) * i + np.arange(5)
    return z + np.full((n, 5), 2.0) + np.zeros_like(z)


@program((X, 3), (X, 11))
def unpacking(x: Any, n: Any) -> Any:
    (a, b), *rest = (x[0], x[1]), x[2], x[3]
    y = x * 1
    others = [0, 0]
    for i in range(n):
        a, (b, y[i % 5]) = b, (a * 0.5, rest[0])
        [y[0], *others] = a, b, i
    return a + b + rest[1] + y + others[0] + others[1]


@program((X,))
def chained_assignment(x: Any) -> Any:
    a = b = x[0]
    y = x * 1
    y[0] = y[1] = c = b + 1
    a += 1
    return y + a + b + c


@program((X, 3))
def deleted(x: Any, n: Any) -> Any:
    t = x * 2
    u = t + n
    del t
    return u


@program((X,))
def assertion(x: Any) -> Any:
    assert x[0] > 1, "too small"
    assert len(x) == 5
    return x


@program((X,), (-X,))
def math_functions(x: Any) -> Any:
    s = 0.0
    if x[0] > 0:
        s = math.sin(float(x[1])) + math.floor(x[0]) + math.hypot(x[0], x[1])
    return s + math.pi


@program((X,))
def element_is_a_number(x: Any) -> Any:
    y = x * 1
    s = y[0]
    s += 10
    return y + s


@program((np.arange(6),), (np.arange(6)[::-1].copy(),))
def insertion_sort(a: Any) -> Any:
    a = a * 1
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@program((I,), (I[::-1].copy(),))
def insertion_sort_long(a: Any) -> Any:
    a = a * 1
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@program((0.5 + 0.25j,), (2 + 1j,))
def mandelbrot(c: Any) -> Any:
    z = np.zeros((), np.complex128)
    n = 0
    while n < 50 and abs(z) < 2:
        z = z * z + c
        n += 1
    return n


@program((np.array([3, 1, 2], np.int8),), (np.array([1, 1], np.int8),))
def narrow_integers(x: Any) -> Any:
    y = x * 1
    for i in range(12):
        y = y + i
    return y


@program((X, True), (X, False))
def bool_argument(x: Any, flag: Any) -> Any:
    if flag:
        x = x + 1
    return x


@program((X,), (-X,))
def flags(x: Any) -> Any:
    found = False
    for a in x:
        if a > 3:
            found = True
    return 1 if found else 0


@program((LONG,), (LONG - 100,))
def flags_long(x: Any) -> Any:
    found = False
    where = -1
    for i, a in enumerate(x):
        if not found and a > 3:
            found, where = True, i
    return where if found else -5
