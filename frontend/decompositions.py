"""The extension `linalg`, what NumPy's LAPACK computes: solving, inverses, decompositions.

x has shape (..., M, N), floating-point or complex; float16 and bfloat16 are computed in float32
and rounded once. In traced code `cholesky`, `det`, `inv`, `matrix_power`, `slogdet` and `solve` are
loops of `nd` ops, with gradients; the others work on eager arrays only (`TraceError`). Raises
`ShapeError` below two axes and, where it is said, for matrices that are not square, `DTypeError`
for other dtypes, `DomainError` where there is no result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import cholesky_blocks, dtypes, elimination, shapes
from lamina.frontend.array import Array, ArrayLike, NDArray
from lamina.frontend.bind import as_array, broadcast, cast, duplicate, result_dtype
from lamina.frontend.contraction import matmul
from lamina.frontend.creation import eye
from lamina.frontend.dispatch import CURRENT, FUNCTIONS, extension
from lamina.frontend.dtypes import DType
from lamina.frontend.location import fail, shown
from lamina.frontend.outside import computed, operand
from lamina.frontend.reductions import prod


class Eigh(NamedTuple):
    """Result of `eigh`: ascending eigenvalues (..., M), real, and eigenvectors (..., M, M)."""

    eigenvalues: Array
    eigenvectors: Array


class QR(NamedTuple):
    """Result of `qr`: orthonormal columns Q and the upper triangle R, x = Q R."""

    Q: Array
    R: Array


class Slogdet(NamedTuple):
    """Result of `slogdet`: det = sign * exp(logabsdet), each of shape (...)."""

    sign: Array
    logabsdet: Array


class SVD(NamedTuple):
    """Result of `svd`: x = U diag(S) Vh, with S descending."""

    U: Array
    S: Array
    Vh: Array


def _matrices(name: str, x: ArrayLike, *, square: bool = False) -> tuple[Array, DType]:
    """x to compute with, and the dtype to give back."""
    array = operand(name, x, dtypes.FLOATS_OR_COMPLEX)
    if array.ndim < 2:
        fail(ShapeError, f"{name}: expected two axes or more, found shape {array.shape}")
    if square and array.shape[-1] != array.shape[-2]:
        fail(ShapeError, f"{name}: expected square matrices, found shape {array.shape}")
    return array, as_array(name, x).dtype


def is_traced() -> bool:
    """Whether the program to come computes, where NumPy cannot."""
    return CURRENT.get() is not None


def _real(dtype: DType) -> DType:
    """The dtype of the parts of a complex one; a real one itself."""
    return {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}.get(dtype, dtype)


def _adjoint(x: Array) -> Array:
    return FUNCTIONS["conj"](FUNCTIONS["matrix_transpose"](x))


@extension("linalg")
def cholesky(x: ArrayLike, /, *, upper: bool = False) -> Array:
    """The triangle L of x = L L^H (upper: U of x = U^H U); x square, read in one triangle.

    `DomainError` where x is not positive definite.

    >>> lm.linalg.cholesky(lm.asarray([[4.0, 0.0], [0.0, 9.0]]))
    Array([[2., 0.],
           [0., 3.]])
    """
    array, dtype = _matrices("linalg.cholesky", x, square=True)
    flag = shapes.flag("linalg.cholesky", upper, "upper")
    if is_traced():
        found = cholesky_blocks.factor("linalg.cholesky", _adjoint(array) if flag else array)
        return cast(_adjoint(found) if flag else found, dtype)
    what = "positive definite matrices"
    return cast(computed("linalg.cholesky", what, np.linalg.cholesky, array, upper=flag), dtype)


@extension("linalg")
def det(x: ArrayLike, /) -> Array:
    """The determinant of each square matrix, of shape (...).

    >>> lm.linalg.det(lm.asarray([[2.0, 0.0], [0.0, 3.0]]))
    Array(6.)
    """
    array, dtype = _matrices("linalg.det", x, square=True)
    if is_traced():
        return cast(elimination.determinant(array), dtype)
    return cast(computed("linalg.det", "matrices", np.linalg.det, array), dtype)


@extension("linalg")
def slogdet(x: ArrayLike, /) -> Slogdet:
    """Sign (or unit complex number) and log(abs(det)); x square. Of a singular matrix 0, -inf.

    >>> lm.linalg.slogdet(lm.asarray([[-1.0]]))
    Slogdet(sign=Array(-1.), logabsdet=Array(0.))
    """
    array, dtype = _matrices("linalg.slogdet", x, square=True)
    if is_traced():
        pivots, sign = elimination.pivots_of(array)
        sign = prod(FUNCTIONS["sign"](pivots), axis=-1) * cast(sign, pivots.dtype)
        size = FUNCTIONS["sum"](FUNCTIONS["log"](FUNCTIONS["abs"](pivots)), axis=-1)
        return Slogdet(cast(sign, dtype), cast(size, _real(dtype)))
    sign, size = computed("linalg.slogdet", "matrices", np.linalg.slogdet, array)
    return Slogdet(cast(sign, dtype), cast(size, _real(dtype)))


@extension("linalg")
def inv(x: ArrayLike, /) -> Array:
    """The inverse of each square matrix. `DomainError` for a singular one.

    >>> lm.linalg.inv(lm.asarray([[2.0, 0.0], [0.0, 4.0]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    array, dtype = _matrices("linalg.inv", x, square=True)
    if is_traced():
        return cast(elimination.inverse("linalg.inv", array), dtype)
    return cast(computed("linalg.inv", "matrices with an inverse", np.linalg.inv, array), dtype)


@extension("linalg")
def matrix_power(x: ArrayLike, n: int, /) -> Array:
    """Each square matrix to the integer power n; a negative one of its inverse.

    `DomainError` for a negative power of a singular matrix.

    >>> lm.linalg.matrix_power(lm.asarray([[1.0, 1.0], [0.0, 1.0]]), 3)
    Array([[1., 3.],
           [0., 1.]])
    """
    array, dtype = _matrices("linalg.matrix_power", x, square=True)
    power = shapes.integer("linalg.matrix_power", n, "power")
    if is_traced():
        return cast(_power(array, power), dtype)
    what = "matrices with an inverse"
    return cast(
        computed("linalg.matrix_power", what, np.linalg.matrix_power, array, n=power), dtype
    )


def _power(x: Array, n: int) -> Array:
    """x to the power of n, by products of squares."""
    if n < 0:
        return _power(elimination.inverse("linalg.matrix_power", x), -n)
    if n == 0:
        return duplicate(broadcast(eye(x.shape[-1], dtype=x.dtype), x.shape))
    half = _power(x, n // 2)
    square = x if n == 1 else matmul(half, half)
    return matmul(square, x) if n % 2 and n > 1 else square


@extension("linalg")
def solve(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The X of x1 X = x2. x1 (..., M, M); x2 is one vector (M,) or matrices (..., M, K).

    Leading axes broadcast. `DomainError` for a singular matrix, `ShapeError` where M differs.

    >>> lm.linalg.solve(lm.asarray([[2.0, 0.0], [0.0, 4.0]]), lm.asarray([2.0, 2.0]))
    Array([1. , 0.5])
    """
    dtype = result_dtype("linalg.solve", (x1, x2))
    a, _ = _matrices("linalg.solve", x1, square=True)
    b = operand("linalg.solve", x2, dtypes.FLOATS_OR_COMPLEX)
    if not b.ndim or b.shape[-1 if b.ndim == 1 else -2] != a.shape[-1]:
        fail(
            ShapeError,
            f"linalg.solve: expected {a.shape[-1]} rows on the right, found shape {b.shape}",
        )
    if b.ndim > 1:
        shapes.broadcast_shapes("linalg.solve", a.shape[:-2], b.shape[:-2])
    a, b = (cast(x, dtypes.wide(dtype)) for x in (a, b))
    if is_traced():
        right = b[:, None] if b.ndim == 1 else b
        found = elimination.solved("linalg.solve", a, right)
        return cast(found[..., 0] if b.ndim == 1 else found, dtype)
    return cast(computed("linalg.solve", "matrices with an inverse", np.linalg.solve, a, b), dtype)


@extension("linalg")
def eigh(x: ArrayLike, /) -> Eigh:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which the lower triangle
    is read.

    >>> lm.linalg.eigh(lm.asarray([[3.0, 0.0], [0.0, 2.0]])).eigenvalues
    Array([2., 3.])
    """
    array, dtype = _matrices("linalg.eigh", x, square=True)
    low, vectors = computed("linalg.eigh", "finite matrices", np.linalg.eigh, array)
    return Eigh(cast(low, _real(dtype)), cast(vectors, dtype))


@extension("linalg")
def eigvalsh(x: ArrayLike, /) -> Array:
    """The eigenvalues of `eigh`.

    >>> lm.linalg.eigvalsh(lm.asarray([[3.0, 0.0], [0.0, 2.0]]))
    Array([2., 3.])
    """
    array, dtype = _matrices("linalg.eigvalsh", x, square=True)
    found = computed("linalg.eigvalsh", "finite matrices", np.linalg.eigvalsh, array)
    return cast(found, _real(dtype))


@extension("linalg")
def qr(x: ArrayLike, /, *, mode: Any = "reduced") -> QR:
    """x = Q R. mode: "reduced" gives Q (..., M, K) and R (..., K, N) with K = min(M, N),
    "complete" Q (..., M, M) and R (..., M, N).

    >>> [part.shape for part in lm.linalg.qr(lm.ones((3, 2)))]
    [(3, 2), (2, 2)]
    """
    array, dtype = _matrices("linalg.qr", x)
    if not isinstance(mode, str) or mode not in ("reduced", "complete"):
        fail(
            ArgumentError, f'linalg.qr: expected mode "reduced" or "complete", found {shown(mode)}'
        )
    q, r = computed("linalg.qr", "matrices", np.linalg.qr, array, mode=mode)
    return QR(cast(q, dtype), cast(r, dtype))


@extension("linalg")
def svd(x: ArrayLike, /, *, full_matrices: bool = True) -> SVD:
    """x = U diag(S) Vh, K = min(M, N) singular values. full_matrices: U (..., M, M) and
    Vh (..., N, N), else (..., M, K) and (..., K, N). `DomainError` for matrices with NaN.

    >>> lm.linalg.svd(lm.asarray([[3.0, 0.0], [0.0, 2.0]])).S
    Array([3., 2.])
    """
    array, dtype = _matrices("linalg.svd", x)
    full = shapes.flag("linalg.svd", full_matrices, "full_matrices")
    what = "finite matrices"
    u, s, vh = computed("linalg.svd", what, np.linalg.svd, array, full_matrices=full)
    return SVD(cast(u, dtype), cast(s, _real(dtype)), cast(vh, dtype))


@extension("linalg")
def svdvals(x: ArrayLike, /) -> Array:
    """The singular values of `svd`, descending.

    >>> lm.linalg.svdvals(lm.asarray([[3.0, 0.0], [0.0, 2.0]]))
    Array([3., 2.])
    """
    array, dtype = _matrices("linalg.svdvals", x)
    found = computed("linalg.svdvals", "finite matrices", np.linalg.svdvals, array)
    return cast(found, _real(dtype))


def _tolerance(name: str, rtol: ArrayLike | None, shape: shapes.Shape) -> Array | None:
    """`rtol` as an array that broadcasts to `shape`, the stack."""
    if rtol is None:
        return None
    found = operand(name, rtol, dtypes.FLOATS)
    shapes.check_broadcast(name, found.shape, shape)
    return found


def _pinv(x: NDArray, rtol: NDArray | None) -> Any:
    given: Any = rtol  # None, too
    return np.linalg.pinv(x, rtol=given)


def _rank(x: NDArray, rtol: NDArray | None) -> Any:
    return np.linalg.matrix_rank(x, rtol=rtol)


@extension("linalg")
def pinv(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """The Moore-Penrose inverse (..., N, M): singular values up to rtol * max(S) count as 0.

    rtol: numbers for the stack (None: max(M, N) * eps).

    >>> lm.linalg.pinv(lm.asarray([[2.0], [0.0]]))
    Array([[0.5, 0. ]])
    """
    array, dtype = _matrices("linalg.pinv", x)
    cut = _tolerance("linalg.pinv", rtol, array.shape[:-2])
    what = "finite matrices"
    return cast(computed("linalg.pinv", what, _pinv, array, cut), dtype)


@extension("linalg")
def matrix_rank(x: ArrayLike, /, *, rtol: ArrayLike | None = None) -> Array:
    """The number of singular values above rtol * max(S), int64, of shape (...).

    rtol: numbers for the stack (None: max(M, N) * eps).

    >>> lm.linalg.matrix_rank(lm.asarray([[1.0, 1.0], [1.0, 1.0]]))
    Array(1)
    """
    array, _ = _matrices("linalg.matrix_rank", x)
    cut = _tolerance("linalg.matrix_rank", rtol, array.shape[:-2])
    what = "finite matrices"
    found = computed("linalg.matrix_rank", what, _rank, array, cut)
    return cast(found, dtypes.int64)
