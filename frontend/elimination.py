"""Linear systems as loops of `nd` ops: what traced code uses in the place of LAPACK.

Gauss-Jordan elimination with partial pivoting: its forward error is that of Gaussian elimination
(G. Peters and J. H. Wilkinson, On the stability of Gauss-Jordan elimination with pivoting, 1975),
and each step is one pass over the whole matrix. Stacks of matrices go through together.
"""

from __future__ import annotations

from typing import Any

from lamina.errors import DomainError
from lamina.frontend import dtypes
from lamina.frontend.array import Array
from lamina.frontend.bind import bind, broadcast, cast, duplicate, full
from lamina.frontend.checks import check
from lamina.frontend.control import fori_loop
from lamina.frontend.creation import eye
from lamina.frontend.elementwise import abs as magnitude
from lamina.frontend.elementwise import add, divide, imag, multiply, negative, real, subtract
from lamina.frontend.logic import equal, greater_equal, not_equal
from lamina.frontend.manipulation import concat, reshape
from lamina.frontend.putting import put_along_axis
from lamina.frontend.reductions import prod
from lamina.frontend.searching import argmax, where
from lamina.frontend.shapes import broadcast_shapes
from lamina.frontend.taking import take, take_along_axis

SINGULAR = "expected matrices with an inverse, found other ones: Singular matrix"


def solved(name: str, a: Array, b: Array) -> Array:
    """The x of a x = b: a (..., n, n), b (..., n, m), of one dtype. Raises `DomainError`, now or
    at run time, where a pivot is zero."""
    stack = broadcast_shapes(name, a.shape[:-2], b.shape[:-2])
    n, m = b.shape[-2:]
    both = concat([broadcast(a, (*stack, n, n)), broadcast(b, (*stack, n, m))], axis=len(stack) + 1)
    both, pivots, _ = _reduced(both, n)
    check(not_equal(pivots, 0), DomainError, f"{name}: {SINGULAR}")
    return divide(both[..., n:], pivots[..., None])


def inverse(name: str, a: Array) -> Array:
    """The inverse of each (..., n, n). Raises `DomainError` where a pivot is zero."""
    return solved(name, a, eye(a.shape[-1], dtype=a.dtype))


def determinant(a: Array) -> Array:
    """The product of the pivots, with the sign of the exchanges."""
    _, pivots, sign = _reduced(a, a.shape[-1])
    return multiply(prod(pivots, axis=-1), cast(sign, a.dtype))


def pivots_of(a: Array) -> tuple[Array, Array]:
    """The pivots (..., n), and the sign of the exchanges (...), of a real dtype."""
    _, pivots, sign = _reduced(a, a.shape[-1])
    return pivots, sign


def _reduced(both: Array, n: int) -> tuple[Array, Array, Array]:
    """Rows such that the first n columns would be a diagonal matrix, that of the pivots, and the
    sign of the exchanges. These columns themselves are left as they are when they are done.

    Rows are not divided by a pivot of zero.
    """
    stack, dtype = both.shape[:-2], both.dtype
    both = duplicate(both)
    pivots = full(0, (*stack, n), dtype)
    sign = full(1, stack, dtypes.PART_OF.get(dtype, dtype))
    if not n:
        return both, pivots, sign
    rows = bind("iota", axis=0, shape=(n,), dtype=dtypes.int64)

    def step(k: Any, sign: Any) -> Any:
        # gathers, in memory of their own: views of what is written would have all of it copied
        here = reshape(k, 1)
        column = take(both, here, axis=-1, mode="clip")[..., 0]
        size = where(greater_equal(rows, k), _size(column), -1)
        place = argmax(size, axis=-1, keepdims=True)
        row = take(both, here, axis=-2, mode="clip")
        chosen = take_along_axis(both, place[..., None], axis=-2, mode="clip")
        pivot = take_along_axis(column, place, axis=-1, mode="clip")
        put_along_axis(both, place[..., None], row, axis=-2, mode="clip")
        both[..., k, :] = chosen[..., 0, :]
        pivots[..., k] = pivot[..., 0]
        column = where(equal(rows, place), row[..., 0, :][..., k][..., None], column)
        factors = divide(column, where(equal(pivot, 0), 1, pivot))
        factors = where(equal(rows, k), 0, factors)
        both[...] = subtract(both, multiply(factors[..., None], chosen))
        return where(equal(place[..., 0], k), sign, negative(sign))

    return both, pivots, fori_loop(0, n, step, sign)


def _size(x: Array) -> Array:
    """abs(x), or of complex numbers abs(re) + abs(im): what pivots are compared by."""
    if x.dtype not in dtypes.COMPLEX:
        return magnitude(x)
    return add(magnitude(real(x)), magnitude(imag(x)))
