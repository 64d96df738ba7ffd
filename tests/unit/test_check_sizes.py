"""Run-time sizes that do not fit are refused, eager and compiled: nothing reads beside a buffer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lamina.errors import ShapeError
from lamina.executable import compile_module
from lamina.interpreters.evaluate import evaluate
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.registry import make_context

V, TWO = "tensor<?xf64>", "%x: tensor<?xf64>, %y: tensor<?xf64>"
CASES: list[tuple[str, str, str, str, Sequence[int]]] = [
    ("add", TWO, f"nd.add %x, %y : {V}", V, (3, 5)),
    ("add, shorter", TWO, f"nd.add %x, %y : {V}", V, (5, 3)),
    ("dot", TWO, f"nd.dot_general %x, %y batch [] [] contract [0] [0] : {V}, {V} -> tensor<f64>",
     "tensor<f64>", (5, 3)),
    ("reshape", f"%x: {V}", f"nd.reshape %x : {V} -> tensor<4xf64>", "tensor<4xf64>", (3,)),
    ("slice", f"%x: {V}", f"nd.slice %x starts [0] limits [4] strides [1] : {V} -> tensor<4xf64>",
     "tensor<4xf64>", (3,)),
    ("dynamic_slice", f"%x: {V}", f"nd.dynamic_slice %x[%i] sizes [4] : {V} -> tensor<4xf64>",
     "tensor<4xf64>", (3,)),
    ("dynamic_update_slice", TWO, f"nd.dynamic_update_slice %x, %y [%i] : {V} -> {V}", V, (3, 5)),
    ("broadcast", f"%x: {V}", f"nd.broadcast %x dims [1] : {V} -> tensor<2x4xf64>",
     "tensor<2x4xf64>", (3,)),
    ("reduce", "%x: tensor<?x2xf64>",
     'nd.reduce "sum" %x axes [1] : tensor<?x2xf64> -> tensor<4xf64>', "tensor<4xf64>", (3,)),
    ("transpose", "%x: tensor<?x2xf64>",
     "nd.transpose %x permutation [1, 0] : tensor<?x2xf64> -> tensor<2x4xf64>",
     "tensor<2x4xf64>", (3,)),
]  # fmt: skip


def program(arguments: str, op: str, result: str) -> str:
    return f"""func.func @main({arguments}) -> {result} {{
      %i = arith.constant 1 : index
      %r = {op}
      func.return %r : {result}
    }}"""


def arrays(arguments: str, sizes: Sequence[int]) -> list[Any]:
    shape = (2,) if "?x2" in arguments else ()
    return [np.arange(float(n * 2 if shape else n)).reshape(n, *shape) for n in sizes]


@pytest.mark.parametrize("fusion", [0, 2])
@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_sizes_that_do_not_fit(case: Any, fusion: int) -> None:
    _, arguments, op, result, sizes = case
    module = parse_module(make_context(), program(arguments, op, result))
    inputs = arrays(arguments, sizes)
    compiled = compile_module(module.clone(), "main", CompileOptions(fusion=fusion))
    with pytest.raises(ShapeError):
        evaluate(module, "main", inputs)
    with pytest.raises(ShapeError, match=r"expected (sizes that are equal|a size of at least)"):
        compiled(inputs)
    good = arrays(arguments, [5, 5][: len(sizes)] if result == V else [4, 4][: len(sizes)])
    for a, b in zip(compiled(good), evaluate(module, "main", good), strict=True):
        np.testing.assert_array_equal(a, b)
