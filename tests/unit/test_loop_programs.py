"""Drawn programs of loops over elements: reads and writes one by one, scalars that are carried,
branches, rows in between. Eager and compiled give equal bits, in every element type."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import pytest

import lamina as lm

ROWS, COLUMNS, DEPTH = 3, 5, 3
Env: TypeAlias = "dict[str, Any]"
"""Arrays `a` (ROWS, COLUMNS) and `v` (COLUMNS,); scalars `s`, `t`; loop counters `i0`, `i1`, ..."""
Statement: TypeAlias = "Callable[[Env], None]"
Value: TypeAlias = "Callable[[Env], Any]"

FLOATS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: lm.maximum(x, y),
    lambda x, y: lm.minimum(x, -y),
    lambda x, y: lm.where(x <= y, lm.sqrt(lm.abs(x)), lm.floor(y)),
]
INTEGERS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x * y - x,
    lambda x, y: x // y,
    lambda x, y: x % y,
    lambda x, y: x >> (y & 7),
    lambda x, y: (x << 3) ^ y,
    lambda x, y: lm.maximum(x, y),
    lambda x, y: lm.where(x > y, x, ~y),
]
DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int8", "uint8", "uint32")


class Draw:
    """One program. `counters`: those of the loops around."""

    def __init__(self, seed: int, dtype: str) -> None:
        self.rng = random.Random(seed)
        self.integer = "int" in dtype
        self.formulas = INTEGERS if self.integer else FLOATS

    def index(self, counters: list[str], size: int) -> Value:
        rng = self.rng
        shift, scale = rng.randrange(size), rng.randrange(1, 4)
        if not counters or rng.random() < 0.2:
            return lambda env: shift
        name = rng.choice(counters)
        if rng.random() < 0.3:
            return lambda env: -1 - env[name] % size
        return lambda env: (env[name] * scale + shift) % size

    def counted(self, counters: list[str], size: int) -> Value:
        """A bound of a slice: a loop's counter, or a number; both from 0 to less than `size`."""
        shift, name = self.rng.randrange(size), self.rng.choice([*counters, ""])
        return lambda env: env[name] % size if name else shift

    def value(self, counters: list[str]) -> Value:
        rng = self.rng
        i, j = self.index(counters, ROWS), self.index(counters, COLUMNS)
        kind = rng.randrange(4)
        if kind == 0:
            return lambda env: env["a"][i(env), j(env)]
        if kind == 1:
            return lambda env: env["v"][j(env)]
        name = rng.choice("st")
        return lambda env: env[name]

    def assignment(self, counters: list[str]) -> Statement:
        rng = self.rng
        x, y, formula = self.value(counters), self.value(counters), rng.choice(self.formulas)
        i, j = self.index(counters, ROWS), self.index(counters, COLUMNS)
        kind, name = rng.randrange(5), rng.choice("st")

        def statement(env: Env) -> None:
            if kind == 0:
                env["a"][i(env), j(env)] = formula(x(env), y(env))
            elif kind == 1:
                env["a"][i(env), j(env)] += x(env)
            elif kind == 2:
                env["v"][j(env)] = formula(x(env), y(env))
            else:
                env[name] = formula(x(env), y(env))

        return statement

    def row(self, counters: list[str]) -> Statement:
        """Statements on rows: windows of what the loop writes."""
        rng, formula, x = self.rng, self.rng.choice(self.formulas), self.value(counters)
        i, k, j = (self.index(counters, n) for n in (ROWS, ROWS, COLUMNS))
        kind, start = rng.randrange(9), self.counted(counters, COLUMNS)

        def statement(env: Env) -> None:
            a, v = env["a"], env["v"]
            if kind == 0:
                a[i(env)] = formula(a[k(env)], v)
            elif kind == 1:
                v[1:] += v[:-1]
            elif kind == 2:
                a[i(env), 1:-1] += a[k(env), :-2] + x(env)
            elif kind == 3:
                v[:ROWS] = formula(a[:, j(env)], v[-ROWS:])
            elif kind == 4:
                n = start(env)
                a[i(env), :n] = formula(a[k(env), :n], v[:n])
            elif kind == 5:
                v[start(env) :] += x(env)
            elif kind == 6:
                env["s"] = lm.max(v[: start(env) + 1] + a[k(env), 0])
            elif kind == 7:
                v[start(env) :] = a[i(env), start(env) :]
            else:
                a[i(env)], a[k(env)] = a[k(env)] + 0, a[i(env)] + 0

        return statement

    def region(self, counters: list[str], depth: int) -> Statement:
        rng, kind = self.rng, self.rng.randrange(4)
        counter, trips = f"i{depth}", rng.randrange(1, 5)
        inside = counters if kind == 0 else [*counters, counter]
        body, other = self.statements(inside, depth + 1), self.statements(inside, depth + 1)
        x, y, j = self.value(counters), self.value(counters), self.index(counters, COLUMNS)

        def step(env: Env, statements: list[Statement], carry: Env) -> Env:
            inner = env | carry
            for statement in statements:
                statement(inner)
            return {name: inner[name] for name in "st"}

        def statement(env: Env) -> None:
            carry = {name: env[name] for name in "st"}
            if kind == 0:
                found = lm.cond(
                    x(env) < y(env), lambda: step(env, body, {}), lambda: step(env, other, {})
                )
            elif kind == 1:
                found = lm.fori_loop(
                    0, trips, lambda i, c: step(env, body, c | {counter: i}), carry
                )
            elif kind == 2:
                start = lm.asarray(1) * j(env)
                found = lm.fori_loop(
                    start, start + trips, lambda i, c: step(env, body, c | {counter: i}), carry
                )
            else:
                found, _ = lm.while_loop(
                    lambda c: (c[1] < trips) & (c[0]["s"] <= c[0]["s"] + c[1]),
                    lambda c: (step(env, body, c[0] | {counter: c[1]}), c[1] + 1),
                    (carry, 0),
                )
            env.update(found)

        return statement

    def statements(self, counters: list[str], depth: int) -> list[Statement]:
        found: list[Statement] = []
        for _ in range(self.rng.randrange(1, 4)):
            draw = self.rng.random()
            if draw < 0.5 or depth == DEPTH:
                found.append(self.assignment(counters))
            elif draw < 0.65:
                found.append(self.row(counters))
            else:
                found.append(self.region(counters, depth))
        return found


def inputs(seed: int, dtype: Any) -> list[Any]:
    rng = np.random.default_rng(seed)
    shapes = ((ROWS, COLUMNS), (COLUMNS,), (), ())
    if dtype.kind in "iu":
        return [np.asarray(rng.integers(0, 100, shape)).astype(dtype) for shape in shapes]
    return [np.asarray(rng.uniform(-3, 3, shape)).astype(dtype) for shape in shapes]


def agree(seed: int, name: str, **options: Any) -> None:
    """Run one program in both ways."""
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    draw = Draw(seed, name)
    body = [draw.region([], 0), *draw.statements([], 0)]

    def program(a: Any, v: Any, s: Any, t: Any) -> Any:
        env = {"a": a, "v": v, "s": s, "t": t}
        for statement in body:
            statement(env)
        return env["s"] + 0, env["t"] + 0

    arrays = inputs(seed, dtype)
    plain = [lm.asarray(x) for x in arrays]
    expected = program(*plain)
    found = lm.jit(program, **options)(*arrays)
    compiled = [np.asarray(x) for x in (*found, *arrays[:2])]
    eager = [np.asarray(x) for x in (*expected, *plain[:2])]
    for x, y in zip(compiled, eager, strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)
        if dtype.kind not in "iu":
            number = ~np.isnan(x.astype(np.float64))
            np.testing.assert_array_equal(np.signbit(x)[number], np.signbit(y)[number])


@pytest.mark.parametrize("dtype", DTYPES)
def test_eager_and_compiled_agree(dtype: str) -> None:
    agree(DTYPES.index(dtype), dtype, fusion=2)
    agree(DTYPES.index(dtype) + 100, dtype, fusion=0)
