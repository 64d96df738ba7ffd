"""Programs with loops, for script mode."""

# pyright: basic, reportOperatorIssue=false, reportPossiblyUnboundVariable=false, reportUnboundVariable=false
# ruff: noqa: B007, B905, PLW2901
from __future__ import annotations

import math
from typing import Any

import numpy as np
from script_table import LONG, F, M, X, program


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


@program((LONG, 3), (LONG, 12))
def augmented_arrays_stay_themselves(x: Any, n: Any) -> Any:
    v = x * 2
    w = v
    u = v[1:3]
    k = 0
    while k < n:
        v += x
        for _ in range(n):
            u *= 0.5
        if k > 1:
            v -= 1
        k += 1
    return v, w, u, k
