"""Every differentiable op in every way there is: eager, compiled, and as `jit(grad(f))`.

The rules against differences: `test_derivatives.py`. Here the tape and the IR have to agree to
1e-12 at first and second order, and eager functions with differences of themselves. CI takes one
draw an op and compares compiled code for a part of the ops; LAMINA_TEST_GRADCHECK=all takes all.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from op_row import Shape
from op_table import SHAPES, rng_for
from test_derivatives import ALL, CASES, NEAR, WITHOUT

import lamina as lm
from lamina.frontend import bind as primitives
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.index_arrays import dynamic_slice, dynamic_update_slice
from lamina.frontend.views import EAGER
from lamina.interpreters.types import F64
from lamina.transforms.derivatives import RULES

WHOLE = os.environ.get("LAMINA_TEST_GRADCHECK") == "all"
COMPILED_IN_CI = 12
"""Ops in one of so many parts are compiled in CI; the others are the same rules on the same ops."""


def drawn(name: str) -> list[tuple[Callable[..., Any], list[Any]]]:
    """Draws of an op: the op as a function of its float operands, and these."""
    low, high = NEAR.get(ALL[name].name, (ALL[name].low, ALL[name].high))
    row = replace(ALL[name], low=low, high=high)
    found: list[tuple[Callable[..., Any], list[Any]]] = []
    shapes: tuple[Shape, ...] = (*SHAPES, (1, 4, 5), (2, 4, 5, 4))
    for shape in shapes:
        drawing = row.draw(rng_for(name, shape), shape, F64)
        if drawing is None:
            continue
        operands, params = drawing
        if row.name == "slice" and min(params["limits"], default=0) < 0:
            continue  # bounds that are known at run time only: `test_derivatives.py` has them
        wrt = [k for k, x in enumerate(operands) if getattr(x, "dtype", None) == F64]
        arrays = [operands[k] for k in wrt]
        if wrt and 0 < max(x.size for x in arrays) <= 160:
            found.append((function_of(row.name, operands, params, wrt), arrays))
    return sorted(found, key=lambda draw: -min(24, sum(x.size for x in draw[1])))


def function_of(name: str, operands: Any, params: Any, wrt: list[int]) -> Callable[..., Any]:
    def f(*xs: Any) -> Any:
        given = [primitives.as_array(name, x) if isinstance(x, np.ndarray) else x for x in operands]
        for k, x in zip(wrt, xs, strict=True):
            given[k] = x
        if name.startswith("dynamic_") and CURRENT.get() is not None:
            starts = [primitives.as_array(name, int(start)) for start in params["starts"]]
            if name == "dynamic_slice":
                return dynamic_slice(given[0], starts, params["sizes"])
            return dynamic_update_slice(given[0], given[1], starts)
        return (primitives.view if name in EAGER else primitives.bind)(name, *given, **params)

    return f


def losses(f: Callable[..., Any], args: list[Any], name: str) -> Callable[..., Any]:
    """(first derivatives, second derivatives along a direction)."""
    rng = rng_for(name)
    out = np.asarray(f(*map(lm.asarray, args)))
    seed, others = rng.normal(size=out.shape), [rng.normal(size=x.shape) for x in args]
    wrt = tuple(range(len(args)))

    def first(*xs: Any) -> Any:
        return lm.sum(f(*xs) * seed)

    def along(*xs: Any) -> Any:
        slopes = lm.grad(first, wrt)(*xs)
        return sum((lm.sum(g * o) for g, o in zip(slopes, others, strict=True)), lm.asarray(0.0))

    return lambda *xs: (lm.grad(first, wrt)(*xs), lm.grad(along, wrt)(*xs))


def close(found: Any, expected: Any, tolerance: float) -> None:
    for a, b in zip(lm.tree.flatten(found)[0], lm.tree.flatten(expected)[0], strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


def test_the_list_of_ops() -> None:
    """Every op of the table whose operand and result are float64 is differentiable, but for the
    named ones; what else has a rule moves or makes values (`broadcast` of a constant and so on)."""
    assert WITHOUT.keys() == {"nextafter"}
    assert {ALL[name].name for name in CASES} <= set(RULES)
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_the_tape_agrees_with_differences_of_itself(name: str) -> None:
    draws = drawn(name)
    assert draws
    f, args = draws[0]
    exact = ALL[name].discontinuous
    assert exact or lm.gradcheck(
        f, [x.copy() for x in args], order=2 if WHOLE else 1, tolerance=2e-5
    )


CHOSEN = [
    name
    for k, name in enumerate(CASES)
    if WHOLE or k % COMPILED_IN_CI == len(CASES) % COMPILED_IN_CI
]


@pytest.mark.parametrize("name", CHOSEN)
def test_tape_and_ir_agree(name: str) -> None:
    for f, args in drawn(name)[: None if WHOLE else 1]:
        both = losses(f, args, name)
        expected = both(*map(lm.asarray, args))
        close(lm.jit(both)(*args), expected, 1e-12)
