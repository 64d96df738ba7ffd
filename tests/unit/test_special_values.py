"""Special values as C99 Annex F and the Array API standard have them, eager and compiled."""

from __future__ import annotations

from math import inf, nan, pi

import numpy as np
import pytest
from op_row import FLOATS
from references import assert_same, elements

import lamina as lm
from lamina.interpreters import call
from lamina.interpreters.types import F64, Array, DType
from lamina.options import CompileOptions

C99: dict[str, list[tuple[float, ...]]] = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (-inf, 0.0), (inf, inf), (nan, nan)],
    "exp2": [(0.0, 1.0), (-0.0, 1.0), (-inf, 0.0), (inf, inf), (nan, nan), (10.0, 1024.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (-inf, -1.0), (inf, inf), (nan, nan)],
    "log": [
        (0.0, -inf),
        (-0.0, -inf),
        (1.0, 0.0),
        (-1.0, nan),
        (inf, inf),
        (-inf, nan),
        (nan, nan),
    ],
    "log2": [(0.0, -inf), (-0.0, -inf), (1.0, 0.0), (-1.0, nan), (inf, inf), (8.0, 3.0)],
    "log10": [(0.0, -inf), (-0.0, -inf), (1.0, 0.0), (-1.0, nan), (inf, inf), (1000.0, 3.0)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -inf), (-2.0, nan), (inf, inf), (nan, nan)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan), (nan, nan)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (nan, nan)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (nan, nan)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, nan), (-inf, nan), (nan, nan)],
    "acos": [(1.0, 0.0), (1.5, nan), (-inf, nan), (inf, nan), (nan, nan)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2), (nan, nan)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf), (nan, nan)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan)],
    "acosh": [(1.0, 0.0), (0.5, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, inf), (-1.0, -inf), (1.5, nan), (inf, nan)],
    "erfc": [(0.0, 1.0), (-0.0, 1.0), (inf, 0.0), (-inf, 2.0), (nan, nan)],
    "sqrt": [(0.0, 0.0), (-0.0, -0.0), (-1.0, nan), (inf, inf), (-inf, nan), (nan, nan)],
}
C99_POW = [
    (0.0, -3.0, inf), (-0.0, -3.0, -inf), (0.0, -2.5, inf), (-0.0, -2.0, inf), (0.0, -inf, inf),
    (-0.0, -inf, inf), (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (0.0, 2.5, 0.0), (-0.0, 2.0, 0.0),
    (-1.0, inf, 1.0), (-1.0, -inf, 1.0), (1.0, nan, 1.0), (1.0, inf, 1.0), (nan, 0.0, 1.0),
    (inf, -0.0, 1.0), (-2.0, 0.5, nan), (0.5, -inf, inf), (-0.5, -inf, inf), (2.0, -inf, 0.0),
    (0.5, inf, 0.0), (2.0, inf, inf), (-2.0, inf, inf), (-inf, -3.0, -0.0), (-inf, -2.0, 0.0),
    (-inf, 3.0, -inf), (-inf, 2.0, inf), (inf, -1.0, 0.0), (inf, 1.0, inf), (-inf, 0.5, inf),
    (-0.0, 0.5, 0.0), (-8.0, 3.0, -512.0), (nan, 1.0, nan), (2.0, nan, nan),
]  # fmt: skip
C99_ATAN2 = [
    (0.0, -0.0, pi), (-0.0, -0.0, -pi), (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -1.0, pi),
    (-0.0, -1.0, -pi), (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (-1.0, 0.0, -pi / 2),
    (1.0, -0.0, pi / 2), (1.0, -inf, pi), (-1.0, -inf, -pi), (1.0, inf, 0.0), (-1.0, inf, -0.0),
    (inf, 1.0, pi / 2), (-inf, 1.0, -pi / 2), (inf, -inf, 3 * pi / 4), (-inf, -inf, -3 * pi / 4),
    (inf, inf, pi / 4), (-inf, inf, -pi / 4), (nan, 1.0, nan), (1.0, nan, nan),
]  # fmt: skip
C99_HYPOT = [
    (0.0, -0.0, 0.0), (-0.0, -3.0, 3.0), (3.0, -4.0, 5.0), (-inf, nan, inf), (nan, inf, inf),
    (inf, 1.0, inf), (-inf, -inf, inf), (nan, 0.0, nan), (1.0, nan, nan),
]  # fmt: skip

# finite numbers, zeros and infinities of both signs
ARRAY_API_DIVIDE = [
    (inf, inf, nan), (-inf, inf, nan), (0.0, -0.0, nan), (0.0, 2.0, 0.0), (-0.0, 2.0, -0.0),
    (0.0, -2.0, -0.0), (-0.0, -2.0, 0.0), (2.0, 0.0, inf), (2.0, -0.0, -inf), (-2.0, 0.0, -inf),
    (-2.0, -0.0, inf), (inf, 2.0, inf), (inf, -2.0, -inf), (-inf, 2.0, -inf), (-inf, -2.0, inf),
    (inf, 0.0, inf), (-inf, 0.0, -inf), (2.0, inf, 0.0), (2.0, -inf, -0.0), (-2.0, inf, -0.0),
    (-2.0, -inf, 0.0), (0.0, -inf, -0.0), (nan, 2.0, nan), (2.0, nan, nan),
]  # fmt: skip
ARRAY_API_REMAINDER = [
    (inf, 2.0, nan), (-inf, inf, nan), (0.0, 0.0, nan), (2.0, -0.0, nan), (0.0, 2.0, 0.0),
    (-0.0, 2.0, 0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, -0.0), (2.0, inf, 2.0), (2.0, -inf, -inf),
    (-2.0, inf, inf), (-2.0, -inf, -2.0), (7.0, 2.0, 1.0), (-7.0, 2.0, 1.0), (7.0, -2.0, -1.0),
    (-6.0, 2.0, 0.0), (6.0, -2.0, -0.0), (nan, 2.0, nan), (2.0, nan, nan),
]  # fmt: skip
BINARY = {
    "pow": C99_POW,
    "atan2": C99_ATAN2,
    "hypot": C99_HYPOT,
    "divide": ARRAY_API_DIVIDE,
    "floor_divide": [
        *ARRAY_API_DIVIDE,
        (7.0, 2.0, 3.0),
        (-7.0, 2.0, -4.0),
        (7.0, -2.0, -4.0),
        (1.0, -3.0, -1.0),
    ],
    "remainder": ARRAY_API_REMAINDER,
}
TABLES: dict[str, list[tuple[float, ...]]] = {**C99, **BINARY}
"""Op name -> operands and result."""


def columns(name: str, dtype: DType) -> list[Array]:
    """Operands and results of a table."""
    return [np.array(c, F64).astype(dtype) for c in zip(*TABLES[name], strict=True)]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_eager(dtype: DType) -> None:
    for name in TABLES:
        *operands, expected = columns(name, dtype)
        assert_same(call(name, *operands), elements(expected), dtype, name)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_compiled(dtype: DType) -> None:
    """Each table several times over: in whole vectors, and in the loop's tail."""

    def every(inputs: dict[str, list[lm.Array]]) -> dict[str, lm.Array]:
        return {name: getattr(lm, name)(*operands) for name, operands in inputs.items()}

    repeated = {name: [np.resize(c, 61) for c in columns(name, dtype)] for name in TABLES}
    results = lm.jit(every, options=CompileOptions(cache=False))(
        {name: operands for name, (*operands, _) in repeated.items()}
    )
    for name, (*_, expected) in repeated.items():
        assert_same(np.asarray(results[name]), elements(expected), dtype, name)
