"""Facts about generics, where no pass shows them alone."""

from __future__ import annotations

import pytest
from linalg_text import generics, generics_of, lit_functions
from xdsl.ir.affine import AffineExpr, AffineMap

from lamina.dialects import linalg
from lamina.dialects.generics import (
    cost_of,
    ends_in,
    folds_as_one,
    index_dims,
    is_contraction,
    is_elementwise,
    is_identity,
    is_movement,
    is_thin,
    parallel_prefix,
    plain_dims,
    prefix,
    reads_constant_place,
    scalar_constant,
    sizes_are_known,
    space_of,
    static_elements,
)

D0, D1, D2 = (AffineExpr.dimension(d) for d in range(3))


def affine(dims: int, *results: AffineExpr) -> AffineMap:
    return AffineMap(dims, 0, results)


def product(rows: int, columns: int, transposed: bool = False) -> linalg.GenericOp:
    """x @ w, or x @ w.T."""
    second = "(d1, d2)" if transposed else "(d2, d1)"
    w = f"{columns}x9" if transposed else f"9x{columns}"
    maps = f"[affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> {second}>, "
    maps += "affine_map<(d0, d1, d2) -> (d0, d1)>]"
    x, y, out = f"tensor<{rows}x9xf32>", f"tensor<{w}xf32>", f"tensor<{rows}x{columns}xf32>"
    (op,) = generics(f"""
        func.func @f(%x: {x}, %w: {y}, %out: {out}) -> {out} {{
          %r = linalg.generic {{indexing_maps = {maps},
                iterator_types = ["parallel", "parallel", "reduction"]}}
              ins(%x, %w : {x}, {y}) outs(%out : {out}) {{
          ^bb0(%a: f32, %b: f32, %o: f32):
            %p = arith.mulf %a, %b : f32
            %s = arith.addf %o, %p : f32
            linalg.yield %s : f32
          }} -> {out}
          func.return %r : {out}
        }}
    """)
    return op


def test_maps() -> None:
    assert is_identity(affine(2, D0, D1))
    assert not is_identity(affine(2, D1, D0))
    assert not is_identity(affine(2, D0))
    assert prefix(affine(3, D0, D1, D1)) == 2
    assert prefix(affine(2, D1)) == 0
    assert plain_dims(affine(3, D0, D1 + D2)) == {0}
    assert reads_constant_place(affine(1, AffineExpr.constant(0)))
    assert ends_in(affine(2, D0, D1), 1)
    assert not ends_in(affine(2, D0, D1 * 2), 1)
    assert not ends_in(affine(0), 0)
    assert sizes_are_known([affine(2, D0), affine(2, D1)])
    assert not sizes_are_known([affine(2, D0, D0 + D1)])


def test_flat_axes() -> None:
    op = product(4, 4)
    value = op.inputs[0]
    assert folds_as_one(value, affine(3, D0, D1, D2), [1, 2])
    assert folds_as_one(value, affine(3, D0), [1, 2])
    assert folds_as_one(value, affine(3, D2, D1), [1])
    assert not folds_as_one(value, affine(3, D2, D1), [1, 2])
    assert not folds_as_one(value, affine(3, D1, D0, D2), [1, 2])
    assert not folds_as_one(value, affine(3, D2), [1, 2])
    assert not folds_as_one(value, affine(3, D1, D2 * 2), [1, 2])


@pytest.mark.parametrize(
    ("rows", "columns", "thin"), [(1, 8, True), (2, 8, True), (3, 8, False), (8, 1, False)]
)
def test_thin_products(rows: int, columns: int, thin: bool) -> None:
    assert is_thin(product(rows, columns)) == thin
    assert is_thin(product(rows, columns, transposed=True)) == thin


def test_contractions() -> None:
    op = product(4, 8)
    assert is_contraction(op)
    assert not is_elementwise(op)
    assert parallel_prefix(op) == 2
    assert space_of(op) == (4, 8, 9)
    assert static_elements(space_of(op)) == 288
    assert static_elements((4, op.inputs[0])) is None
    assert cost_of(op) == 2


def test_sum_of_a_product_is_no_contraction() -> None:
    """It rounds the product first; a contraction may not."""
    sums = generics_of(lit_functions("fuse_reductions")["keeps_the_order_of_parts"])[1]
    assert not is_contraction(sums)
    text = """
        func.func @f(%x: tensor<8xf32>, %o: tensor<f32>) -> tensor<f32> {
          %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
              ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<f32>) {
          ^bb0(%a: f32, %b: f32, %acc: f32):
            %p = arith.mulf %a, %b : f32
            %s = arith.addf %p, %acc : f32
            linalg.yield %s : f32
          } -> tensor<f32>
          func.return %r : tensor<f32>
        }
    """
    (op,) = generics(text)
    assert not is_contraction(op)


def test_moves_and_constants() -> None:
    functions = lit_functions("simplify_generics")
    moves = generics_of(functions["composes_moves"])
    assert [is_movement(op) for op in moves] == [True, True, False]
    (op,) = generics_of(functions["takes_scalar_constants"])
    found = [scalar_constant(value) is not None for value in op.inputs]
    assert found == [False, True, True, False]


def test_indices_that_are_read() -> None:
    first, *_ = generics_of(lit_functions("fuse_elementwise")["sizes_zero_and_one"])
    assert index_dims(first) == {1}
