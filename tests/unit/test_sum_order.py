"""The bits of a sum do not depend on what is fused around it (semantics.md)."""

from __future__ import annotations

import re

import numpy as np
import pytest
from level_programs import NDArray, floats

import lamina as lm
from lamina.executable import execute_module
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.registry import make_context

PROGRAMS = {
    "iota_of_one_axis": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<f32> {
          %i = nd.iota axis 1 : tensor<40x50xf32>
          %p = nd.multiply %x, %i : tensor<40x50xf32>
          %r = nd.reduce "sum" %p axes [0, 1] : tensor<40x50xf32> -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """,
    "run_time_reverse": """
        func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
          %i = nd.reverse %x axes [0] : tensor<?xf32>
          %p = nd.multiply %i, %x : tensor<?xf32>
          %r = nd.reduce "sum" %p axes [0] : tensor<?xf32> -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """,
    "transposed": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<f32> {
          %t = nd.transpose %x permutation [1, 0] : tensor<40x50xf32> -> tensor<50x40xf32>
          %r = nd.reduce "sum" %t axes [0, 1] : tensor<50x40xf32> -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """,
    "reversed": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<f32> {
          %t = nd.reverse %x axes [1] : tensor<40x50xf32>
          %r = nd.reduce "sum" %t axes [0, 1] : tensor<40x50xf32> -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """,
    "broadcast": """
        func.func @main(%x: tensor<50xf32>) -> tensor<f32> {
          %t = nd.broadcast %x dims [1] : tensor<50xf32> -> tensor<40x50xf32>
          %r = nd.reduce "sum" %t axes [0, 1] : tensor<40x50xf32> -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """,
    "centred": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<f32> {
          %s = nd.reduce "max" %x axes [0] : tensor<40x50xf32> -> tensor<50xf32>
          %b = nd.broadcast %s dims [1] : tensor<50xf32> -> tensor<40x50xf32>
          %p = nd.subtract %x, %b : tensor<40x50xf32>
          %r = nd.reduce "sum" %p axes [0, 1] : tensor<40x50xf32> -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """,
    "gram": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<50x50xf32> {
          %t = nd.transpose %x permutation [1, 0] : tensor<40x50xf32> -> tensor<50x40xf32>
          %r = nd.dot_general %t, %x batch [] [] contract [1] [0]
            : tensor<50x40xf32>, tensor<40x50xf32> -> tensor<50x50xf32>
          func.return %r : tensor<50x50xf32>
        }
    """,
    "transposed_matrix_times_vector": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<50xf32> {
          %v = nd.reduce "max" %x axes [1] : tensor<40x50xf32> -> tensor<40xf32>
          %t = nd.transpose %x permutation [1, 0] : tensor<40x50xf32> -> tensor<50x40xf32>
          %r = nd.dot_general %t, %v batch [] [] contract [1] [0]
            : tensor<50x40xf32>, tensor<40xf32> -> tensor<50xf32>
          func.return %r : tensor<50xf32>
        }
    """,
    "slice": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<f32> {
          %s = nd.slice %x starts [0, 0] limits [40, 33] strides [1, 1]
            : tensor<40x50xf32> -> tensor<40x33xf32>
          %e = nd.multiply %s, %s : tensor<40x33xf32>
          %r = nd.reduce "sum" %e axes [0, 1] : tensor<40x33xf32> -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """,
    "strided_square": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<40xf32> {
          %s = nd.slice %x starts [0, 0] limits [40, 50] strides [1, 2]
            : tensor<40x50xf32> -> tensor<40x25xf32>
          %e = nd.multiply %s, %s : tensor<40x25xf32>
          %r = nd.reduce "sum" %e axes [1] : tensor<40x25xf32> -> tensor<40xf32>
          func.return %r : tensor<40xf32>
        }
    """,
    "strided_rows": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<40xf32> {
          %s = nd.slice %x starts [0, 0] limits [40, 50] strides [1, 2]
            : tensor<40x50xf32> -> tensor<40x25xf32>
          %e = nd.reduce "max" %s axes [0] : tensor<40x25xf32> -> tensor<25xf32>
          %r = nd.dot_general %s, %e batch [] [] contract [1] [0]
            : tensor<40x25xf32>, tensor<25xf32> -> tensor<40xf32>
          func.return %r : tensor<40xf32>
        }
    """,
    "reversed_rows": """
        func.func @main(%x: tensor<40x50xf32>) -> tensor<40xf32> {
          %s = nd.reverse %x axes [1] : tensor<40x50xf32>
          %e = nd.reduce "max" %x axes [0] : tensor<40x50xf32> -> tensor<50xf32>
          %r = nd.dot_general %s, %e batch [] [] contract [1] [0]
            : tensor<40x50xf32>, tensor<50xf32> -> tensor<40xf32>
          func.return %r : tensor<40xf32>
        }
    """,
}
"""Each with one argument; `?` is 999."""


def results(text: str, argument: NDArray) -> list[bytes]:
    """The bits for each choice of fusion."""
    return [
        execute_module(
            parse_module(make_context(), text), "main", [argument], CompileOptions(fusion=fusion)
        )[0].tobytes()
        for fusion in (0, 1, 2)
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_fusion_does_not_change_a_sum(name: str) -> None:
    text = PROGRAMS[name]
    shape = re.search(r"%x: tensor<([\d?x]+)xf32>", text)
    assert shape is not None
    argument = floats([999 if size == "?" else int(size) for size in shape[1].split("x")])
    without, *fused = results(text, argument)
    assert fused == [without, without]


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_transposed_weights(rows: int) -> None:
    """Few rows are summed along the depth in lanes: that of `w`, not of its transpose."""
    text = f"""
        func.func @main(%x: tensor<{rows}x50xf32>) -> tensor<{rows}x{rows}xf32> {{
          %t = nd.transpose %x permutation [1, 0] : tensor<{rows}x50xf32> -> tensor<50x{rows}xf32>
          %r = nd.dot_general %x, %t batch [] [] contract [1] [0]
            : tensor<{rows}x50xf32>, tensor<50x{rows}xf32> -> tensor<{rows}x{rows}xf32>
          func.return %r : tensor<{rows}x{rows}xf32>
        }}
    """
    argument = floats((rows, 50))
    without, *fused = results(text, argument)
    assert fused == [without, without]
    found = np.frombuffer(without, np.float32).reshape(rows, rows)
    exact = argument.astype(np.float64) @ argument.T.astype(np.float64)
    bound = 52 * 2.0**-24 * (np.abs(argument) @ np.abs(argument).T)
    assert (np.abs(found - exact) <= bound).all()


@pytest.mark.parametrize("length", (127, 128, 129, 144, 208, 1000))
def test_folds_side_by_side_miss_no_element(length: int) -> None:
    """Each element once is the largest, or NaN: whichever vector, chain or tail it falls into."""
    compiled = lm.jit(lambda x: (lm.max(x, axis=1), lm.min(-x, axis=1)))  # pyright: ignore
    x = np.zeros((2 * length, length), np.float32)
    places = np.arange(length)
    x[places, places] = 5
    x[length + places, places] = np.nan
    largest, least = (np.asarray(r) for r in compiled(x))
    np.testing.assert_array_equal(largest, [5] * length + [np.nan] * length)
    np.testing.assert_array_equal(least, [-5] * length + [np.nan] * length)
