"""`differentiate` against central differences of the interpreter, first and second order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from one_op import one_op_module
from op_row import Row, Shape
from op_rows_indexing import SCATTERS
from op_table import REDUCTIONS, ROWS, SHAPES, rng_for
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lamina.errors import LaminaError
from lamina.executable import compile_module
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import F32, F64, Array
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.transforms.derivatives import RULES
from lamina.transforms.differentiate import backward_of

WITHOUT = {
    "nextafter": "its derivative says nothing of its value",
}
"""Ops with float operands and results that are not differentiable, and why."""

ALL = {
    **ROWS,
    **{f"reduce {kind}": row for kind, row in REDUCTIONS.items() if kind != "sum"},
    "scatter_add": SCATTERS["scatter_add"],
}
NEAR = {"tan": (-1.0, 1.0), "atanh": (-0.8, 0.8), "asin": (-0.8, 0.8), "acos": (-0.8, 0.8),
        "acosh": (1.5, 9.0), "pow": (0.5, 4.0), "log1p": (-0.5, 4.0), "divide": (0.5, 4.0),
        "remainder": (1.0, 9.0), "exp": (-2.0, 2.0), "expm1": (-2.0, 2.0), "sinh": (-2.0, 2.0),
        "cosh": (-2.0, 2.0)}  # fmt: skip
"""Where an op is so smooth that differences are accurate."""


def is_differentiable(row: Row) -> bool:
    """Whether the op maps float64 to float64."""
    for shape in SHAPES:
        drawn = row.draw(rng_for(row.name), shape, F64) if F64 in row.dtypes else None
        if drawn is not None and any(isinstance(x, np.ndarray) for x in drawn[0]):
            module, inputs = one_op_module(row, *drawn)
            return evaluate(module, "main", inputs)[0].dtype == F64
    return False


CASES = [name for name, row in ALL.items() if row.name not in WITHOUT and is_differentiable(row)]


def backward(module: ModuleOp, name: str, wrt: Sequence[int]) -> str:
    """Add the backward function of `name`; its name."""
    source = next(f for f in module.ops if isinstance(f, func.FuncOp) and f.sym_name.data == name)
    new = backward_of(source, wrt)
    module.body.block.add_op(new)
    module.verify()
    return new.sym_name.data


def differences(
    module: ModuleOp, name: str, inputs: Sequence[Array], cotangents: Sequence[Array], place: int
) -> Array:
    """The cotangent of an input, by central differences."""
    found = np.zeros_like(inputs[place])
    for k in np.ndindex(found.shape):
        step = 1e-6 * max(1.0, abs(float(inputs[place][k])))
        total = 0.0
        for sign in (1, -1):
            moved = [np.array(x) for x in inputs]
            moved[place][k] += sign * step
            results = evaluate(module, name, moved)
            total += sign * sum(
                float(np.sum(g * r)) for g, r in zip(cotangents, results, strict=True)
            )
        found[k] = total / (2 * step)
    return found


def close(found: Array, expected: Array, tolerance: float) -> bool:
    finite = np.isfinite(expected)
    error = np.abs(found - expected)[finite] / (1 + np.abs(expected[finite]))
    return found.shape == expected.shape and bool(np.all(error <= tolerance))


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str) -> None:
    low, high = NEAR.get(ALL[name].name, (ALL[name].low, ALL[name].high))
    row = replace(ALL[name], low=low, high=high)
    shapes: tuple[Shape, ...] = (*SHAPES, (1, 4, 5), (2, 4, 5, 4))
    tried = 0
    for shape in shapes:
        rng = rng_for(name, shape)
        drawn = row.draw(rng, shape, F64)
        if drawn is None:
            continue
        module, inputs = one_op_module(row, *drawn)
        (result,) = evaluate(module, "main", inputs)
        if not inputs or result.dtype != F64:
            continue
        wrt = [i for i, x in enumerate(inputs) if x.dtype == F64]
        seed = rng.normal(size=result.shape)
        first = backward(module, "main", wrt)
        found = evaluate(module, first, [*inputs, seed])
        for place, got in zip(wrt, found, strict=True):
            assert close(got, differences(module, "main", inputs, [seed], place), 2e-7), shape
        tried += 1
        if result.size > 12 or max(x.size for x in inputs) > 24:
            continue
        seeds = [rng.normal(size=x.shape) for x in found]
        second = backward(module, first, wrt)
        again = evaluate(module, second, [*inputs, seed, *seeds])
        for place, got in zip(wrt, again, strict=True):
            expected = differences(module, first, [*inputs, seed], seeds, place)
            assert close(got, expected, 2e-6), ("second order", shape)
    assert tried >= 2


def test_every_op_has_a_rule_or_a_reason() -> None:
    named = {ALL[name].name for name in CASES}
    assert named <= set(RULES)
    missing = {r.name for r in ROWS.values() if is_differentiable(r)} - set(RULES)
    assert missing == set(WITHOUT)


def gradient(text: str, *inputs: Any, wrt: Sequence[int] = (0,)) -> list[list[float]]:
    """The cotangents for a cotangent of ones."""
    module = parse_module(make_context(), text)
    seed = np.ones_like(evaluate(module, "main", inputs)[0])
    found = evaluate(module, backward(module, "main", wrt), [*inputs, seed])
    return [x.tolist() for x in found]


def binary(op: str) -> str:
    return f"""func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {{
      %r = nd.{op} %x, %y : tensor<3xf32>
      return %r : tensor<3xf32>
    }}"""


def test_conventions_at_kinks() -> None:
    """semantics.md, section Gradients."""
    nan = np.nan
    x, y = np.array([1, nan, nan], F32), np.array([1, 2, nan], F32)
    assert gradient(binary("maximum"), x, y, wrt=(0, 1)) == [[0.5, 1, 0.5], [0.5, 0, 0.5]]
    top = """func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
      %r = nd.reduce "max" %x axes [0] : tensor<4xf32> -> tensor<f32>
      return %r : tensor<f32>
    }"""
    assert gradient(top, np.array([2, 2, 1, 2], F32)) == [
        [np.float32(1 / 3)] * 2 + [0, np.float32(1 / 3)]
    ]
    assert gradient(top, np.array([nan, 2, nan, 1], F32)) == [[0.5, 0, 0.5, 0]]
    unary = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %r = nd.OP %x : tensor<2xf32>
      return %r : tensor<2xf32>
    }"""
    assert gradient(unary.replace("OP", "abs"), np.array([0, -0.0], F32)) == [[0, 0]]
    assert gradient(unary.replace("OP", "sqrt"), np.array([0, 4], F32)) == [[np.inf, 0.25]]
    power = gradient(binary("pow"), np.array([0, 0, 2], F32), np.array([0, 1, 3], F32), wrt=(0, 1))
    assert power[0] == [0, 1, 12] and power[1][:2] == [0, 0]


def test_product_with_zeros() -> None:
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
      %r = nd.reduce "prod" %x axes [0] : tensor<3xf32> -> tensor<f32>
      return %r : tensor<f32>
    }"""
    assert gradient(text, np.array([0, 3, 5], F32)) == [[15, 0, 0]]
    assert gradient(text, np.array([0, 0, 5], F32)) == [[0, 0, 0]]


def test_a_choice_does_not_leak() -> None:
    """The branch not taken is infinite, its input was made safe: no NaN."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %z = nd.constant dense<0.0> : tensor<2xf32>
      %o = nd.constant dense<1.0> : tensor<2xf32>
      %p = nd.greater %x, %z : tensor<2xf32> -> tensor<2xi1>
      %s = nd.select %p, %x, %o : tensor<2xi1>, tensor<2xf32>
      %l = nd.log %s : tensor<2xf32>
      %r = nd.select %p, %l, %z : tensor<2xi1>, tensor<2xf32>
      return %r : tensor<2xf32>
    }"""
    assert gradient(text, np.array([0, 2], F32)) == [[0, 0.5]]


def test_run_time_sizes() -> None:
    text = """func.func @main(%x: tensor<?x3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
      %n = nd.dim %x axis 0 : tensor<?x3xf32>
      %b = nd.broadcast %y[%n] dims [1] : tensor<3xf32> -> tensor<?x3xf32>
      %p = nd.multiply %x, %b : tensor<?x3xf32>
      %m = nd.reduce "max" %p axes [1] : tensor<?x3xf32> -> tensor<?xf32>
      %r = nd.reduce "sum" %m axes [0] : tensor<?xf32> -> tensor<f32>
      return %r : tensor<f32>
    }"""
    x, y = np.array([[1, 2, 3], [3, 2, 1]], F32), np.array([1, 10, 100], F32)
    found = gradient(text, x, y, wrt=(0, 1))
    assert found == [[[0, 0, 100], [0, 0, 100]], [0, 0, 4]]


BRANCH = """
func.func @main(%p: tensor<i64>, %x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %i = nd.to_index %p : tensor<i64>
  %z = arith.constant 0 : index
  %c = arith.cmpi eq, %i, %z : index
  %r = scf.if %c -> (tensor<3xf64>) {
    %a = nd.multiply %x, %y : tensor<3xf64>
    scf.yield %a : tensor<3xf64>
  } else {
    %a = nd.sin %x : tensor<3xf64>
    scf.yield %a : tensor<3xf64>
  }
  %q = nd.multiply %r, %x : tensor<3xf64>
  func.return %q : tensor<3xf64>
}"""
LOOP = """func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<f64>) {
  %l = arith.constant 2 : index
  %u = arith.constant 9 : index
  %s = arith.constant 3 : index
  %k = nd.reduce "sum" %y axes [0] : tensor<3xf64> -> tensor<f64>
  %r, %q = scf.for %i = %l to %u step %s iter_args(%c = %x, %d = %k)
      -> (tensor<3xf64>, tensor<f64>) {
    %n = nd.from_index %i : tensor<i64>
    %f = nd.cast %n : tensor<i64> -> tensor<f64>
    %b = nd.broadcast %f dims [] : tensor<f64> -> tensor<3xf64>
    %a = nd.multiply %c, %y : tensor<3xf64>
    %t = nd.sin %a : tensor<3xf64>
    %w = nd.multiply %t, %b : tensor<3xf64>
    %v = nd.add %w, %c : tensor<3xf64>
    %m = nd.reduce "sum" %v axes [0] : tensor<3xf64> -> tensor<f64>
    %o = nd.multiply %m, %d : tensor<f64>
    scf.yield %v, %o : tensor<3xf64>, tensor<f64>
  }
  func.return %r, %q : tensor<3xf64>, tensor<f64>
}"""
NO_TRIP = LOOP.replace("%u = arith.constant 9", "%u = arith.constant 2")
WHILE = """
func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> (tensor<3xf64>, tensor<f64>) {
  %z = nd.constant dense<0> : tensor<i64>
  %e = nd.reduce "sum" %y axes [0] : tensor<3xf64> -> tensor<f64>
  %r, %n, %q = scf.while (%c = %x, %i = %z, %d = %e) : (tensor<3xf64>, tensor<i64>, tensor<f64>)
      -> (tensor<3xf64>, tensor<i64>, tensor<f64>) {
    %w = nd.multiply %c, %c : tensor<3xf64>
    %m = nd.reduce "sum" %w axes [0] : tensor<3xf64> -> tensor<f64>
    %h = nd.constant dense<BOUND> : tensor<f64>
    %p = nd.less %m, %h : tensor<f64> -> tensor<i1>
    %f = tensor.extract %p[] : tensor<i1>
    scf.condition(%f) %w, %i, %d : tensor<3xf64>, tensor<i64>, tensor<f64>
  } do {
  ^after(%a: tensor<3xf64>, %j: tensor<i64>, %k: tensor<f64>):
    %o = nd.constant dense<1> : tensor<i64>
    %s = nd.add %j, %o : tensor<i64>
    %t = nd.cast %s : tensor<i64> -> tensor<f64>
    %b = nd.broadcast %t dims [] : tensor<f64> -> tensor<3xf64>
    %u = nd.multiply %a, %b : tensor<3xf64>
    %v = nd.add %u, %y : tensor<3xf64>
    %g = nd.reduce "sum" %v axes [0] : tensor<3xf64> -> tensor<f64>
    %l = nd.multiply %g, %k : tensor<f64>
    scf.yield %v, %s, %l : tensor<3xf64>, tensor<i64>, tensor<f64>
  }
  func.return %r, %q : tensor<3xf64>, tensor<f64>
}"""
NESTED = """
func.func @main(%n: tensor<i64>, %x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> {
  %l = arith.constant 1 : index
  %two = arith.constant 2 : index
  %u = nd.to_index %n : tensor<i64>
  %h = nd.constant dense<4.0> : tensor<f64>
  %r = scf.for %i = %l to %u step %two iter_args(%c = %x) -> (tensor<2xf64>) {
    %a = nd.sin %c : tensor<2xf64>
    %q = scf.while (%d = %a) : (tensor<2xf64>) -> tensor<2xf64> {
      %w = nd.multiply %d, %d : tensor<2xf64>
      %m = nd.reduce "sum" %w axes [0] : tensor<2xf64> -> tensor<f64>
      %p = nd.less %m, %h : tensor<f64> -> tensor<i1>
      %f = tensor.extract %p[] : tensor<i1>
      scf.condition(%f) %d : tensor<2xf64>
    } do {
    ^after(%k: tensor<2xf64>):
      %g = scf.for %j = %l to %i step %l iter_args(%o = %k) -> (tensor<2xf64>) {
        %s = nd.multiply %o, %y : tensor<2xf64>
        scf.yield %s : tensor<2xf64>
      }
      %e = nd.add %g, %g : tensor<2xf64>
      %v = nd.add %e, %y : tensor<2xf64>
      scf.yield %v : tensor<2xf64>
    }
    scf.yield %q : tensor<2xf64>
  }
  func.return %r : tensor<2xf64>
}"""
X, Y = np.array([0.3, -0.5, 0.7]), np.array([0.9, 0.2, -0.4])


@pytest.mark.parametrize(
    ("text", "inputs", "wrt"),
    [
        (BRANCH, (np.array(0), X, Y), (1, 2)),
        (BRANCH, (np.array(1), X, Y), (1, 2)),
        (LOOP, (X, Y), (0, 1)),
        (NO_TRIP, (X, Y), (0, 1)),
        (WHILE.replace("BOUND", "9.0"), (X, Y), (0, 1)),
        (WHILE.replace("BOUND", "-1.0"), (X, Y), (0, 1)),
        (NESTED, (np.array(6), X[:2], Y[:2]), (1, 2)),
        (NESTED, (np.array(1), X[:2], Y[:2]), (1, 2)),
    ],
    ids=["then", "else", "loop", "no trip", "while", "while, no trip", "nested", "nested, no trip"],
)
def test_control_flow(
    text: str, inputs: tuple[Array, ...], wrt: tuple[int, ...], request: pytest.FixtureRequest
) -> None:
    module, rng = parse_module(make_context(), text), rng_for(text)
    seeds = [rng.normal(size=x.shape) for x in evaluate(module, "main", inputs)]
    first = backward(module, "main", wrt)
    found = evaluate(module, first, [*inputs, *seeds])
    for place, got in zip(wrt, found, strict=True):
        assert close(got, differences(module, "main", inputs, seeds, place), 2e-7)
    others = [rng.normal(size=x.shape) for x in found]
    second = backward(module, first, wrt)
    again = evaluate(module, second, [*inputs, *seeds, *others])
    if "no trip" not in request.node.name:
        compiled = compile_module(module.clone(), second)([*inputs, *seeds, *others])
        for a, b in zip(compiled, again, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
    for place, got in zip(wrt, again, strict=True):
        assert close(got, differences(module, first, [*inputs, *seeds], others, place), 2e-6)


SCATTER = """func.func @main(%x: tensor<5xf32>, %u: tensor<2xf32>, %i: tensor<2xi64>)
    -> tensor<5xf32> {
  %r = nd.scatter "max" %x, %u[%i] axes [0] dims [] index_dims [0]
      : tensor<5xf32>, tensor<2xf32>, tensor<2xi64> -> tensor<5xf32>
  func.return %r : tensor<5xf32>
}"""

RUN_TIME_SCATTER = SCATTER.replace("max", "set").replace("<5x", "<?x")


@pytest.mark.parametrize(
    ("text", "wrt", "message"),
    [
        (binary("nextafter"), (0,), "expected an op that has a derivative, found nd.nextafter"),
        (binary("add").replace("f32", "i32"), (0,), "argument 0 to be of floats, found one of"),
        (SCATTER, (0,), "expected kind set or add, which have a derivative, found max"),
        (RUN_TIME_SCATTER, (1,), "expected static shapes for its derivative, found a ?"),
    ],
)
def test_refusals(text: str, wrt: tuple[int, ...], message: str) -> None:
    with pytest.raises(LaminaError, match=message):
        backward(parse_module(make_context(), text), "main", wrt)
