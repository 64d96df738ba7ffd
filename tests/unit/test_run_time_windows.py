"""Windows whose size a run decides: against NumPy's slices, interpreted and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lamina.errors import ShapeError
from lamina.executable import compile_module
from lamina.interpreters.evaluate import evaluate
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.registry import make_context

N = 7
ROW = f"tensor<{N}xf64>"
MATRIX = f"tensor<{N}x{N}xf64>"


def loop(body: str) -> str:
    """A function that carries a matrix `%m` and a row `%acc` over `%i` from 0 to N - 1."""
    return f"""func.func @main(%a: {MATRIX}, %b: {ROW}) -> ({MATRIX}, {ROW}) {{
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %n = arith.constant {N} : index
      %zero = nd.constant dense<0.0> : {ROW}
      %r:2 = scf.for %i = %0 to %n step %1 iter_args(%m = %a, %acc = %zero) -> ({MATRIX}, {ROW}) {{
        {body}
      }}
      func.return %r#0, %r#1 : {MATRIX}, {ROW}
    }}"""


LEFT = f"nd.dynamic_slice %m [%i, %0, %i] sizes [1, -1] : {MATRIX} -> tensor<1x?xf64>"
HEAD = f"nd.dynamic_slice %b [%0, %i] sizes [-1] : {ROW} -> tensor<?xf64>"
DOT = f"""
        %x = {LEFT}
        %v = nd.reshape %x [%i] : tensor<1x?xf64> -> tensor<?xf64>
        %w = {HEAD}
        %p = nd.multiply %v, %w : tensor<?xf64>
        %s = nd.reduce "sum" %p axes [0] : tensor<?xf64> -> tensor<f64>
        %d = nd.dot_general %v, %w batch [] [] contract [0] [0] : tensor<?xf64>, tensor<?xf64> -> tensor<f64>
        %t = nd.add %s, %d : tensor<f64>
        %u = nd.reshape %t : tensor<f64> -> tensor<1xf64>
        %l = nd.dynamic_update_slice %acc, %u [%i] : tensor<1xf64> -> {ROW}
        scf.yield %m, %l : {MATRIX}, {ROW}"""  # noqa: E501
UPDATE = f"""
        %x = {LEFT}
        %h = {HEAD}
        %y = nd.reshape %h [%i] : tensor<?xf64> -> tensor<1x?xf64>
        %z = nd.add %x, %y : tensor<1x?xf64>
        %l = nd.dynamic_update_slice %m, %z [%i, %0] : tensor<1x?xf64> -> {MATRIX}
        scf.yield %l, %acc : {MATRIX}, {ROW}"""


def dot(a: Any, b: Any) -> Any:
    return a, np.array([2 * (a[i, :i] * b[:i]).sum() for i in range(N)])


def update(a: Any, b: Any) -> Any:
    a = a.copy()
    for i in range(N):
        a[i, :i] += b[:i]
    return a, np.zeros(N)


@pytest.mark.parametrize("fusion", [0, 2])
@pytest.mark.parametrize(("body", "reference"), [(DOT, dot), (UPDATE, update)])
def test_windows_of_loops(body: str, reference: Any, fusion: int) -> None:
    module = parse_module(make_context(), loop(body))
    a, b = np.random.default_rng(0).random((N, N)), np.arange(float(N))
    compiled = compile_module(module.clone(), "main", CompileOptions(fusion=fusion))
    for found in (evaluate(module, "main", [a, b]), compiled([a, b])):
        for x, y in zip(found, reference(a, b), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-14)


@pytest.mark.parametrize("start", [-3, 0, 2, 9])
@pytest.mark.parametrize("size", [-2, 0, 3, 7, 12])
def test_bounds_are_clamped(start: int, size: int) -> None:
    text = f"""func.func @main(%x: {ROW}, %s: tensor<i64>, %n: tensor<i64>) -> tensor<f64> {{
      %i = nd.to_index %s : tensor<i64>
      %k = nd.to_index %n : tensor<i64>
      %w = nd.dynamic_slice %x [%i, %k] sizes [-1] : {ROW} -> tensor<?xf64>
      %r = nd.reduce "sum" %w axes [0] : tensor<?xf64> -> tensor<f64>
      func.return %r : tensor<f64>
    }}"""
    module = parse_module(make_context(), text)
    x = 2.0 ** np.arange(N)  # the sum tells which elements were read
    length = min(max(size, 0), N)
    first = min(max(start, 0), N - length)
    inputs = [x, np.array(start), np.array(size)]
    assert evaluate(module, "main", inputs)[0] == x[first : first + length].sum()
    assert compile_module(module, "main")(inputs)[0] == x[first : first + length].sum()


def test_windows_of_other_sizes_do_not_add() -> None:
    body = UPDATE.replace(f"{HEAD}", HEAD.replace("[%0, %i]", "[%0, %1]"))
    module = parse_module(make_context(), loop(body))
    inputs = [np.ones((N, N)), np.ones(N)]
    with pytest.raises(ShapeError):
        evaluate(module, "main", inputs)
    with pytest.raises(ShapeError, match="expected sizes that are equal"):
        compile_module(module, "main")(inputs)
