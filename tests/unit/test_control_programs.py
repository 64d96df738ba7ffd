"""Drawn programs of nested branches, loops and writes: eager and compiled agree."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

import lamina as lm

Names: TypeAlias = "dict[str, Any]"
Statement: TypeAlias = "Callable[[Names], None]"

CARRIED = ("x", "y", "z")  # each of 4 elements
WRITTEN = ("w", "v")  # an argument that is written, and a view of it
DEPTH, SEEDS = 3, 12

FORMULAS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * 0.5 - b,
    lambda a, b: lm.maximum(a, b),
    lambda a, b: lm.roll(a, 1) + b[0],
    lambda a, b: lm.where(a > b, a, b * 0.3),
]


def run(body: list[Statement], names: Names, carry: Names) -> Names:
    """The carry after some statements, kept from growing."""
    inner = names | carry
    for statement in body:
        statement(inner)
    return {name: lm.clip(inner[name], -10, 10) for name in CARRIED}


def carry_of(names: Names) -> Names:
    return {name: names[name] for name in CARRIED}


def formula(rng: random.Random) -> Statement:
    target = rng.choice(CARRIED)
    a, b = rng.choice(CARRIED + WRITTEN), rng.choice(CARRIED + WRITTEN)
    compute = rng.choice(FORMULAS)

    def statement(names: Names) -> None:
        names[target] = compute(names[a], names[b])

    return statement


def write(rng: random.Random) -> Statement:
    kind, place, a = rng.randrange(3), rng.randrange(4), rng.choice(CARRIED)

    def statement(names: Names) -> None:
        if kind == 0:
            names["w"][place] = names[a][(place + 1) % 4]
        elif kind == 1:
            names["w"][1:] += 0.5 * names[a][:-1]
        else:
            names["v"][::2] = names[a][:1]

    return statement


def region(rng: random.Random, depth: int) -> Statement:
    kind, trips, backwards = rng.randrange(4), rng.randrange(4), rng.random() < 0.5
    a, b = rng.choice(CARRIED + WRITTEN), rng.choice(CARRIED)
    body, other = statements(rng, depth + 1), statements(rng, depth + 1)

    def step(names: Names, carry: Names, row: Any) -> tuple[Names, Any]:
        carry = run(body, names, carry | {"x": carry["x"] + row})
        return carry, carry["y"]

    def statement(names: Names) -> None:
        carry = carry_of(names)
        if kind == 0:
            pred = names[a][0] > names[b][1]
            found = lm.cond(pred, lambda: run(body, names, {}), lambda: run(other, names, {}))
        elif kind == 1:
            found = lm.fori_loop(0, trips, lambda i, c: run(body, names, c), carry)
        elif kind == 2:
            found, _ = lm.while_loop(
                lambda c: c[1] < trips, lambda c: (run(body, names, c[0]), c[1] + 1), (carry, 0)
            )
        else:
            found, ys = lm.scan(
                lambda c, row: step(names, c, row), carry, names[a], reverse=backwards
            )
            found["z"] = lm.clip(lm.sum(ys, axis=0), -10, 10)
        names.update(found)

    return statement


def statements(rng: random.Random, depth: int) -> list[Statement]:
    """Some statements; regions inside of them up to a depth."""
    found: list[Statement] = []
    for _ in range(rng.randrange(1, 4)):
        draw = rng.random()
        if draw < 0.3:
            found.append(formula(rng))
        elif draw < 0.5 or depth == DEPTH:
            found.append(write(rng))
        else:
            found.append(region(rng, depth))
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_eager_and_compiled_agree(seed: int) -> None:
    rng = random.Random(seed)
    body = [region(rng, 0), *statements(rng, 0)]  # at least one region

    def program(x: Any, y: Any, z: Any, w: Any) -> Any:
        names = {"x": x, "y": y, "z": z, "w": w, "v": w[::-1]}
        names |= run(body, names, {})
        return [names[name] + 0 for name in (*CARRIED, *WRITTEN)]

    numbers = np.random.default_rng(seed).standard_normal((3, 4))
    plain, given = lm.asarray(np.arange(4.0)), np.arange(4.0)
    x, y, z = (lm.asarray(row) for row in numbers)
    expected = program(x, y, z, plain)
    found = lm.jit(program)(*numbers, given)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(given, np.asarray(plain), rtol=1e-12, atol=1e-12)
