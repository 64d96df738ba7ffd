"""Programs with functions, containers and assignments, for script mode."""

# pyright: basic, reportPossiblyUnboundVariable=false, reportUnboundVariable=false
# ruff: noqa: C416
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from script_table import LONG, I, X, program


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


@program((X,), (X[:3],))
def methods_of_ufuncs_in_a_loop(x: Any) -> Any:
    table = np.add.outer(x, x)
    for k in range(len(x) * 4):
        i = k % len(x)
        table[:] = np.minimum(table, np.add.outer(table[:, i], table[i, :]))
        x = x + np.maximum.reduce(x)
    return table, x


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


@program((np.arange(6),), (np.arange(6)[::-1].copy(),), (I,), (I[::-1].copy(),))
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


@program((X, 10), (X, 30))
def captured_array_written(x: Any, n: Any) -> Any:
    for i in range(n):
        WRITTEN[i % 3] += x[i % 5]
    return WRITTEN * 1


WRITTEN = np.zeros(3)


@program(({"w": X, "b": X * 2}, X))
def dict_of_arrays_written(p: Any, x: Any) -> Any:
    for _ in range(15):
        p["w"] -= 0.1 * p["w"] * x[0]
        p["b"][0] += 1
    return p["w"] + p["b"]


@dataclass
class Point:
    """A tree."""

    w: Any
    n: int = 0


@program((X,))
def dataclass_carry(x: Any) -> Any:
    p = Point(x)
    for i in range(12):
        p = Point(p.w * 0.5 + i, p.n + 1)
    return p.w + p.n


@program((X,), (X * 0.1,))
def function_that_writes_in_and(x: Any) -> Any:
    y = x * 1

    def changed(k: Any) -> Any:
        y[k] = 100
        return y[0] > 0

    if x[0] > 1 and changed(2):
        y[1] += 1
    return y


@program((np.eye(12) * 12 + np.arange(144.0).reshape(12, 12) % 5 / 10,))
def lu(a: Any) -> Any:
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


@program((50,), (3,))
def primes(n: Any) -> Any:
    count = 0
    for i in range(2, n):
        prime = True
        for j in range(2, i):
            if i % j == 0:
                prime = False
                break
        if prime:
            count += 1
    return count


@program((48, 36), (np.int64(48), np.int64(36)), (7, 0))
def greatest_common_divisor(a: Any, b: Any) -> Any:
    while b:
        a, b = b, a % b
    return a


@program((X, 1.0, np.float64(3.0), -2), (X,))
def variable_arguments(x: Any, *args: Any, scale: float = 2.0, **more: Any) -> Any:
    for a in args:
        if a > 0:
            x = x * a
    return x * scale + more.get("z", 0)


@program((np.arange(12.0).reshape(3, 4),))
def views_of_rows_and_columns(x: Any) -> Any:
    row, column = x[1], x[:, 2]
    for i in range(9):
        row[i % 4] += column[i % 3]
    return x, row * 1, column * 1


@program((np.array([2, 1, 0]), X))
def steps_of_a_run(a: Any, x: Any) -> Any:
    s = 0.0
    for i in range(a[0], 10, a[1] + 1):
        s += x[i % 5] * i
    for i in range(int(a[0]) + 10, int(a[2]), -3):
        s = s * 0.5 + i
    return s
