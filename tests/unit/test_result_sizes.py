"""Results with sizes computed from those of arguments: the caller knows them before the call."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.executable import compile_module
from lamina.interpreters.evaluate import evaluate
from lamina.ir_text import parse_module
from lamina.program import SizeExpr, evaluate_size
from lamina.registry import make_context

TEXT = """func.func @main(%x: tensor<?xf64>, %y: tensor<?x3xf64>) -> (RESULTS) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %n = nd.dim %x axis 0 : tensor<?xf64>
  %m = nd.dim %y axis 0 : tensor<?x3xf64>
  %c = nd.concat %x, %x axis 0 : tensor<?xf64>, tensor<?xf64> -> tensor<?xf64>
  %h = arith.divui %n, %2 : index
  %w = nd.dynamic_slice %x [%0, %h] sizes [-1] : tensor<?xf64> -> tensor<?xf64>
  %e = nd.negative %w : tensor<?xf64>
  %v = nd.constant dense<1.0> : tensor<f64>
  %p = nd.pad %e, %v low [1] high [2] : tensor<?xf64>, tensor<f64> -> tensor<?xf64>
  %k = arith.muli %m, %3 : index
  %f = nd.reshape %y [%k] : tensor<?x3xf64> -> tensor<?xf64>
  %s = nd.slice %c starts [0] limits [-1] strides [3] : tensor<?xf64> -> tensor<?xf64>
  func.return %c, %e, %p, %f, %s : RESULTS
}""".replace("RESULTS", ", ".join(["tensor<?xf64>"] * 5))


def test_sizes_of_a_program() -> None:
    module = parse_module(make_context(), TEXT)
    compiled = compile_module(module.clone(), "main")
    for n in (0, 1, 2, 5, 8):
        arrays = [np.arange(float(n)), np.arange(3.0 * n + 3).reshape(n + 1, 3)]
        expected = evaluate(module, "main", arrays)
        for x, y in zip(compiled(arrays), expected, strict=True):
            assert x.shape == y.shape
            np.testing.assert_array_equal(x, y)


def test_jitted_calls() -> None:
    n = lm.Dim("n", min=1, max=4096)
    doubled = lm.jit(lambda x: (lm.concat([x, x]), x[: x.shape[0] // 2] * 2), shapes=((n,),))
    for size in (4, 7, 1, 100, 4):
        x: Any = np.arange(float(size))
        twice, half = doubled(x)
        np.testing.assert_array_equal(np.asarray(twice), np.concatenate([x, x]))
        np.testing.assert_array_equal(np.asarray(half), 2 * x[: size // 2])
    assert doubled.explain().count("compiled at") == 1


@pytest.mark.parametrize(
    ("size", "value"),
    [
        (7, 7),
        ((0, 1), 5),
        (("add", (0, 0), ("mul", (0, 1), 2)), 14),
        (("sub", (0, 0), 9), 0),
        (("floordiv", ("sub", (0, 1), 1), 3), 1),
        (("mod", (0, 1), 3), 2),
        (("max", (0, 0), ("min", (0, 1), 3)), 4),
    ],
)
def test_a_size(size: SizeExpr, value: int) -> None:
    assert evaluate_size(size, [np.zeros((4, 5))]) == value
