"""Rows of the table of ops: functions within 2 ulp of the exact value."""

from __future__ import annotations

from collections.abc import Iterator

from op_row import FLOATS, Row, one, two

RANGES: dict[tuple[str, ...], tuple[float, float]] = {
    ("exp", "exp2", "expm1", "sinh", "cosh", "tanh", "erf", "erfc"): (-8, 8),
    ("sin", "cos", "tan", "atan", "asinh"): (-50, 50),
    ("log", "log2", "log10"): (0, 100),
    ("log1p",): (-1, 4),
    ("asin", "acos", "atanh"): (-1, 1),
    ("acosh",): (1, 50),
}
"""Names of functions -> where ordinary operands are drawn."""


def rows() -> Iterator[Row]:
    """One row an op."""
    for names, (low, high) in RANGES.items():
        for name in names:
            yield Row(name, FLOATS, one, error="ulp", low=low, high=high)
    yield Row("atan2", FLOATS, two, error="ulp", discontinuous=True)
    yield Row("hypot", FLOATS, two, error="ulp")
