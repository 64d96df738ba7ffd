"""`evaluate`: nd-level programs with control flow, against the same programs in Python."""

from __future__ import annotations

import numpy as np
import pytest
from one_op import one_op_module
from op_row import Row, special_values
from op_table import REDUCTIONS, ROWS, SHAPES, rng_for
from references import assert_same, elements
from xdsl.dialects.builtin import IndexType, ModuleOp, i1

from lamina.errors import (
    ArgumentError,
    DomainError,
    DTypeError,
    IRError,
    LaminaError,
    LoweringError,
    ShapeError,
)
from lamina.interpreters import call
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.scalar import wrapped
from lamina.interpreters.types import BF16, DTYPES, F32, INT64, Array, tensor_type_of, to_dense
from lamina.ir_text import parse_module
from lamina.registry import make_context


def module_of(body: str, arguments: str = "", results: str = "", other: str = "") -> ModuleOp:
    """A module whose @main has that body."""
    arrow = f" -> ({results})" if results else ""
    return parse_module(
        make_context(), f"{other}\nfunc.func @main({arguments}){arrow} {{\n{body}\n}}"
    )


def run(body: str, arguments: str, results: str, *inputs: Array, other: str = "") -> list[Array]:
    return evaluate(module_of(body, arguments, results, other), "main", inputs)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_constants_of_every_type_come_out_as_they_are_printed(dtype: np.dtype[np.generic]) -> None:
    x = special_values(dtype)
    type = tensor_type_of(x)
    text = f"%0 = nd.constant {to_dense(x)}\nreturn %0 : {type}"
    (found,) = run(text, "", str(type))
    assert_same(found, elements(x), dtype)


def test_a_resource_is_read_from_the_table_and_checked() -> None:
    weights = np.arange(3, dtype=F32)
    body = "%0 = nd.constant dense_resource<w> : tensor<3xf32>\nreturn %0 : tensor<3xf32>"
    module = module_of(body, "", "tensor<3xf32>")
    (found,) = evaluate(module, "main", [], {"w": weights})
    assert_same(found, [0.0, 1.0, 2.0], F32)
    found[0] = 9.0
    assert weights[0] == 0.0, "a result is the caller's, and never a constant's memory"
    with pytest.raises(IRError, match="expected the bytes of w, found no such resource"):
        evaluate(module, "main", [])
    with pytest.raises(IRError, match=r"dense_resource w: expected tensor<3xf32>, found float64"):
        evaluate(module, "main", [], {"w": weights.astype(np.float64)})


def test_run_time_sizes() -> None:
    """A ? takes its size from an operand: iota, broadcast, reshape, dim."""
    body = """
      %n = nd.dim %x axis 0 : tensor<?xf32>
      %i = nd.iota [%n] axis 1 : tensor<2x?xi64>
      %b = nd.broadcast %x [%n] dims [1] : tensor<?xf32> -> tensor<2x?xf32>
      %c2 = arith.constant 2 : index
      %m = arith.muli %n, %c2 : index
      %r = nd.reshape %b [%m] : tensor<2x?xf32> -> tensor<?xf32>
      return %i, %r : tensor<2x?xi64>, tensor<?xf32>
    """
    x = np.array([5, 6, 7], F32)
    indices, flat = run(body, "%x: tensor<?xf32>", "tensor<2x?xi64>, tensor<?xf32>", x)
    assert indices.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert flat.tolist() == [5, 6, 7, 5, 6, 7]


def test_a_loop_a_branch_and_a_call() -> None:
    """Collatz steps: a while loop with an if, and a function that calls itself through a loop."""
    other = """
    func.func private @step(%n: tensor<i64>) -> tensor<i64> {
      %i = nd.to_index %n : tensor<i64>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %rest = arith.remsi %i, %c2 : index
      %even = arith.cmpi eq, %rest, %c0 : index
      %next = scf.if %even -> (index) {
        %half = arith.divsi %i, %c2 : index
        scf.yield %half : index
      } else {
        %triple = arith.muli %i, %c3 : index
        %more = arith.addi %triple, %c1 : index
        scf.yield %more : index
      }
      %r = nd.from_index %next : tensor<i64>
      return %r : tensor<i64>
    }"""
    body = """
      %c1 = arith.constant 1 : index
      %zero = nd.constant dense<0> : tensor<i64>
      %one = nd.constant dense<1> : tensor<i64>
      %n, %steps = scf.while (%a = %x, %s = %zero)
          : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {
        %i = nd.to_index %a : tensor<i64>
        %go = arith.cmpi ugt, %i, %c1 : index
        scf.condition(%go) %a, %s : tensor<i64>, tensor<i64>
      } do {
      ^bb0(%a: tensor<i64>, %s: tensor<i64>):
        %b = func.call @step(%a) : (tensor<i64>) -> tensor<i64>
        %t = nd.add %s, %one : tensor<i64>
        scf.yield %b, %t : tensor<i64>, tensor<i64>
      }
      return %steps : tensor<i64>
    """
    (steps,) = run(body, "%x: tensor<i64>", "tensor<i64>", np.array(27), other=other)
    assert_same(steps, [111], INT64)


def test_for_with_carries_and_without_trips() -> None:
    body = """
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %n = nd.dim %x axis 0 : tensor<?xf32>
      %r = scf.for %i = %c0 to %n step %c3 iter_args(%acc = %s) -> (tensor<1xf32>) {
        %w = nd.dynamic_slice %x [%i] sizes [1] : tensor<?xf32> -> tensor<1xf32>
        %t = nd.add %acc, %w : tensor<1xf32>
        scf.yield %t : tensor<1xf32>
      }
      return %r : tensor<1xf32>
    """
    arguments = "%x: tensor<?xf32>, %s: tensor<1xf32>"
    for size in (0, 1, 3, 8):
        x, s = np.arange(1, size + 1, dtype=F32), np.array([0.5], F32)
        (found,) = run(body, arguments, "tensor<1xf32>", x, s)
        assert_same(found, [0.5 + float(sum(range(1, size + 1, 3)))], F32)


def test_switch_and_scalars_in_tensors() -> None:
    body = """
      %i = nd.to_index %x : tensor<i64>
      %r = scf.index_switch %i -> tensor<i64>
      case 3 {
        %a = nd.constant dense<30> : tensor<i64>
        scf.yield %a : tensor<i64>
      }
      case 5 {
        %p = tensor.extract %x[] : tensor<i64>
        %q = arith.addi %p, %p : i64
        %b = tensor.from_elements %q : tensor<i64>
        scf.yield %b : tensor<i64>
      }
      default {
        %c = nd.constant dense<-1> : tensor<i64>
        scf.yield %c : tensor<i64>
      }
      return %r : tensor<i64>
    """
    for value, expected in ((3, 30), (5, 10), (7, -1)):
        (found,) = run(body, "%x: tensor<i64>", "tensor<i64>", np.array(value))
        assert_same(found, [expected], INT64)


SCALARS = [
    ("arith.addi %a, %b : i8", 100, 100, -56),
    ("arith.subi %a, %b : i8", -100, 100, 56),
    ("arith.muli %a, %b : i8", 16, 16, 0),
    ("arith.divsi %a, %b : i8", -7, 2, -3),
    ("arith.remsi %a, %b : i8", -7, 2, -1),
    ("arith.floordivsi %a, %b : i8", -7, 2, -4),
    ("arith.ceildivsi %a, %b : i8", -7, 2, -3),
    ("arith.divui %a, %b : i8", -1, 2, 127),
    ("arith.remui %a, %b : i8", -1, 16, 15),
    ("arith.minsi %a, %b : i8", -1, 1, -1),
    ("arith.minui %a, %b : i8", -1, 1, 1),
    ("arith.maxsi %a, %b : i8", -1, 1, 1),
    ("arith.maxui %a, %b : i8", -1, 1, -1),
    ("arith.andi %a, %b : i8", -1, 6, 6),
    ("arith.ori %a, %b : i8", 5, 6, 7),
    ("arith.xori %a, %b : i8", -1, 6, -7),
]


@pytest.mark.parametrize(("op", "a", "b", "expected"), SCALARS)
def test_scalar_arithmetic(op: str, a: int, b: int, expected: int) -> None:
    body = f"""
      %a = arith.constant {a} : i8
      %b = arith.constant {b} : i8
      %c = {op}
      %i = arith.index_cast %c : i8 to index
      %r = nd.from_index %i : tensor<i64>
      return %r : tensor<i64>
    """
    assert_same(run(body, "", "tensor<i64>")[0], [expected], INT64)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [("eq", 0), ("ne", 1), ("slt", 1), ("sle", 1), ("sgt", 0), ("sge", 0), ("ult", 0),
     ("ule", 0), ("ugt", 1), ("uge", 1)],
)  # fmt: skip
def test_comparison_and_selection(predicate: str, expected: int) -> None:
    body = f"""
      %a = arith.constant -1 : i32
      %b = arith.constant 1 : i32
      %c = arith.cmpi {predicate}, %a, %b : i32
      %x = arith.extui %c : i1 to i32
      %s = arith.extsi %c : i1 to i32
      %t = arith.select %c, %x, %s : i32
      %i = arith.index_castui %t : i32 to index
      %r = nd.from_index %i : tensor<i64>
      return %r : tensor<i64>
    """
    assert_same(run(body, "", "tensor<i64>")[0], [expected], INT64)


def test_widths() -> None:
    assert [wrapped(value, i1) for value in (-1, 0, 1, 2)] == [1, 0, 1, 0]
    assert wrapped(2**63, IndexType()) == -(2**63)


LOCATED = 'loc("user.py":7:3)'


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("%n = nd.constant dense<7> : tensor<i64>\n%f = nd.constant dense<false> : tensor<i1>\n"
         'nd.check %f, "DomainError", "no {} }{" [%n] LOC', DomainError, "no 7 }{"),
        ("%0 = nd.add %x, %y : tensor<?xf32> LOC", ShapeError, "operands of one shape, found 2, 3"),
        ('%0 = nd.reduce "max" %e axes [0] : tensor<?xf32> -> tensor<f32> LOC', ShapeError,
         "max: expected a size of 1 or more on axis 0, found 0"),
        ("%0 = nd.concat %x, %y axis 0 : tensor<?xf32>, tensor<?xf32> -> tensor<4xf32> LOC",
         ShapeError, "nd.concat: expected shape 4, found 5"),
        ("%0 = nd.broadcast %x dims [0] : tensor<?xf32> -> tensor<3xf32> LOC", ShapeError,
         "nd.broadcast: expected sizes that fit"),
        ("%0 = math.exp %z : f32 LOC", LoweringError, "math.exp: expected an op of the nd level"),
        ("%c = arith.constant 0 : index\n%0 = arith.divsi %c, %c : index LOC", DomainError,
         "arith.divsi: expected a divisor other than 0"),
        ("func.call @main(%x, %y, %e, %i) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, "
         "tensor<2xi64>) -> () LOC", IRError, "at most 100 nested calls, found recursion"),
    ],
)  # fmt: skip
def test_errors_have_their_place(body: str, error: type[LaminaError], message: str) -> None:
    arguments = "%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?xf32>, %i: tensor<2xi64>"
    text = "%z = arith.constant 1.0 : f32\n" + body.replace("LOC", LOCATED) + "\nreturn"
    x, y, e, i = np.ones(2, F32), np.ones(3, F32), np.ones(0, F32), np.array([1, -2])
    with pytest.raises(error, match=message) as caught:
        run(text, arguments, "", x, y, e, i)
    assert "user.py:7:3" in str(caught.value)


def test_inputs_are_checked() -> None:
    module = module_of("return", "%x: tensor<2x?xf32>")
    evaluate(module, "main", [np.zeros((2, 5), F32)])
    with pytest.raises(ArgumentError, match="main: expected 1 inputs, found 0"):
        evaluate(module, "main", [])
    with pytest.raises(DTypeError, match="expected float32 for input 0, found float64"):
        evaluate(module, "main", [np.zeros((2, 5))])
    with pytest.raises(ShapeError, match=r"expected shape 2x\? for input 0, found 3x5"):
        evaluate(module, "main", [np.zeros((3, 5), F32)])
    with pytest.raises(IRError, match="expected a function with a body among main, found f"):
        evaluate(module, "f", [])


def test_results_are_new_arrays() -> None:
    x = np.ones((2, 3), BF16)
    type = "tensor<2x3xbf16>"
    first, second = run(f"return %x, %x : {type}, {type}", f"%x: {type}", f"{type}, {type}", x)
    assert not np.shares_memory(first, x)
    assert not np.shares_memory(first, second)
    assert first.flags.writeable


@pytest.mark.parametrize("row", [*ROWS.values(), *REDUCTIONS.values()], ids=lambda row: row.name)
def test_each_op_of_the_table_as_a_program(row: Row) -> None:
    """The verifier takes what the table draws, and `evaluate` gives what `call` gives."""
    drew = 0
    for dtype in row.dtypes:
        for shape in SHAPES:
            drawn = row.draw(rng_for(row.name, dtype, shape), shape, dtype, special=0.1)
            if drawn is None:
                continue
            drew += 1
            module, inputs = one_op_module(row, *drawn)
            (found,) = evaluate(module, "main", inputs)
            operands, params = drawn
            expected = call(row.name, *operands, **params)
            assert found.shape == expected.shape
            assert_same(found, elements(expected), expected.dtype, row.name)
    assert drew
