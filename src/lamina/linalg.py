"""Linear algebra: the extension `linalg` of the Array API."""

from lamina.frontend.contraction import matmul, outer, tensordot, vecdot
from lamina.frontend.decompositions import (
    cholesky,
    det,
    eigh,
    eigvalsh,
    inv,
    matrix_power,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from lamina.frontend.linalg import cross, diagonal, matrix_norm, trace, vector_norm
from lamina.frontend.manipulation import matrix_transpose

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
