"""Programs with branches, for script mode."""

# pyright: basic, reportPossiblyUnboundVariable=false, reportUnboundVariable=false
# ruff: noqa: PLR0133
from __future__ import annotations

from typing import Any

import numpy as np
from script_table import F, I, X, program


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
