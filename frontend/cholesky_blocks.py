"""The Cholesky factorization in `nd` ops: one block of columns after the other.

What the columns before give is taken off by a product of matrices; the block on the diagonal is a
loop over its columns, which gives its factor and the inverse of that, so that what is below is a
product, too (left-looking, J. J. Dongarra et al., Solving linear systems on vector and shared
memory computers, 1991, section 5). Only the lower triangle is read. Stacks of matrices go through
together. In traced code only.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from lamina.errors import DomainError
from lamina.frontend import dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import as_array, bind, broadcast, constant, duplicate, full, store
from lamina.frontend.checks import check
from lamina.frontend.contraction import matmul
from lamina.frontend.control import fori_loop
from lamina.frontend.creation import eye
from lamina.frontend.elementwise import add, conj, divide, multiply, real, subtract
from lamina.frontend.index_arrays import dynamic_slice, dynamic_update_slice
from lamina.frontend.logic import greater, greater_equal, less_equal, logical_not
from lamina.frontend.manipulation import concat, matrix_transpose, reshape
from lamina.frontend.searching import where
from lamina.frontend.taking import take
from lamina.frontend.transcendental import sqrt

BLOCK = 64
"""Columns of a block."""
LOOPS = 2
"""Loops over the blocks: each spares products with zeros, of columns to come and rows done."""

INDEFINITE = (
    "expected positive definite matrices, found other ones: Matrix is not positive definite"
)


def factor(name: str, a: Array) -> Array:
    """The lower triangle L of each a = L L^H, (..., n, n). Raises `DomainError`, now or at run
    time, where a is not positive definite."""
    size, stack = a.shape[-1], a.shape[:-2]
    if not size:
        return duplicate(a)
    if size <= BLOCK:
        found, _, squares = _block(a)
        check(logical_not(less_equal(squares, 0)), DomainError, f"{name}: {INDEFINITE}")
        return found
    count = -(-size // BLOCK)
    whole = count * BLOCK
    if whole > size:  # ones on the rest of the diagonal
        padded = duplicate(broadcast(eye(whole, dtype=a.dtype), (*stack, whole, whole)))
        padded[..., :size, :size] = a
        a = padded
    result = full(0, a.shape, a.dtype)
    squares = full(0, (*stack, count, BLOCK), dtypes.PART_OF.get(a.dtype, a.dtype))
    edges = [count * part // LOOPS for part in range(LOOPS + 1)]
    for first, last in pairwise(edges):
        if first == last:
            continue
        fori_loop(first, last, partial(_step, a, result, squares, first * BLOCK, last * BLOCK), ())
    check(logical_not(less_equal(squares, 0)), DomainError, f"{name}: {INDEFINITE}")
    return result[..., :size, :size] if whole > size else result


def _step(a: Array, result: Array, squares: Array, start: int, stop: int, k: Any, none: Any) -> Any:
    """Block number k of columns: those before `stop` are written to `result` from row `start`."""
    size = a.shape[-1]
    at = multiply(k, BLOCK)
    before = _window(result, at, 0, (BLOCK, stop))
    panel = _window(a, start, at, (size - start, BLOCK))
    panel = subtract(panel, matmul(result[..., start:, :stop], _adjoint(before)))
    found, inverse, roots = _block(_window(panel, subtract(at, start), 0, (BLOCK, BLOCK)))
    rows = add(bind("iota", axis=0, shape=(size - start, 1), dtype=dtypes.int64), start)
    below = where(greater_equal(rows, add(at, BLOCK)), matmul(panel, _adjoint(inverse)), 0)
    _put(result, start, at, below)
    _put(result, at, at, found)
    squares[..., k, :] = roots
    return none


def _starts(x: Array, row: Any, column: Any) -> list[Array]:
    zero = constant(np.zeros((), np.int64))
    return [zero] * (x.ndim - 2) + [as_array("cholesky", part) for part in (row, column)]


def _window(x: Array, row: Any, column: Any, sizes: tuple[int, int]) -> Array:
    """The part of `sizes` that begins at a row and a column."""
    return dynamic_slice(x, _starts(x, row, column), (*x.shape[:-2], *sizes))


def _put(x: Array, row: Any, column: Any, part: Array) -> None:
    """Write a part, in place."""
    store("cholesky", x, dynamic_update_slice(x, part, _starts(x, row, column)))


def _adjoint(x: Array) -> Array:
    x = conj(x) if x.dtype in dtypes.COMPLEX else x
    return matrix_transpose(x)


def _block(a: Array) -> tuple[Array, Array, Array]:
    """The factor, its inverse, and what was under the roots.

    One column after the other: rows less multiples of the pivot's row, of [a, unit matrix]."""
    size, stack = a.shape[-1], a.shape[:-2]
    unit = broadcast(eye(size, dtype=a.dtype), a.shape)
    both = duplicate(concat([a, unit], axis=a.ndim - 1))
    columns = full(0, a.shape, a.dtype)
    squares = full(0, (*stack, size), dtypes.PART_OF.get(a.dtype, a.dtype))
    rows = bind("iota", axis=0, shape=(size,), dtype=dtypes.int64)

    def step(k: Any, none: Any) -> Any:
        # gathers, in memory of their own: views of what is written would have all of it copied
        here = reshape(k, 1)
        column = take(both, here, axis=-1, mode="clip")[..., 0]
        row = take(both, here, axis=-2, mode="clip")[..., 0, size:]
        square = real(take(column, here, axis=-1, mode="clip"))
        root = sqrt(square)
        column = where(greater_equal(rows, k), divide(column, root), 0)
        row = divide(row, root)
        squares[..., k] = square[..., 0]
        columns[..., k, :] = column
        pivot = concat([conj(column) if a.dtype in dtypes.COMPLEX else column, row], axis=-1)
        below = where(greater(rows, k), column, 0)
        both[...] = subtract(both, multiply(below[..., None], pivot[..., None, :]))
        both[..., k, size:] = row
        return none

    fori_loop(0, size, step, ())
    return matrix_transpose(columns), both[..., size:], squares
