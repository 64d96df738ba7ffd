"""Points at which math functions are measured, and what they are compared with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from math_native import BINARY, FLOATS, Array

from lamina.lowering.expand_math import EXPANSIONS

INF, NAN = math.inf, math.nan
LIMIT = 2.0
"""Ulps between a result and the exact value."""
UNARY = [n for name in EXPANSIONS if (n := name.removeprefix("math.")) not in BINARY]


def inverse_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


NUMPY: dict[str, Callable[..., Any]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "erfc": np.vectorize(math.erfc, otypes=[float]),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "hypot": np.hypot,
    "powf": np.power,
    "rsqrt": inverse_root,
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
}
"""Name of a `math` op -> NumPy's function, for longer formats than the one that is measured."""


def edges(dtype: np.dtype[Any]) -> Array:
    """Zeros, infinities, NaN, and the neighbours of the numbers where a formula changes."""
    info = np.finfo(dtype)
    points = [0, 1, 2, 3, 0.25, 0.5, 0.5625, 0.75, 0.83, 0.995, 4, 6, 9.1, 10.05, 19.1, 27.2]
    points += [2 / 3, 4 / 3, 2.5, 2**0.5, 0.5**0.5, math.pi, math.pi / 2, math.pi / 4]
    points += [87.3, 88.7, 89.4, 103.9, 104, 127, 128, 149, 150, 131072, 2.0**28, 2.0**30, 2.0**53]
    points += [708.3, 709.78, 710.4, 745.1, 746, 1022, 1024, 1074, 1075, 2.0**-25, 2.0**-54, 1e-20]
    points += [float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    x = np.array(points).astype(dtype)
    with np.errstate(over="ignore"):
        x = np.concatenate([x, np.nextafter(x, dtype.type(0)), np.nextafter(x, dtype.type(INF))])
    return np.concatenate([x, -x, np.array([INF, -INF, NAN], dtype)])


def f64_points(scale: int = 1) -> Array:
    """120,000 * scale points: all patterns, ranges where functions change, multiples of pi / 2."""
    rng = np.random.default_rng(1)
    parts: list[Array] = [rng.integers(0, 2**64, 30000 * scale, dtype=np.uint64).view(np.float64)]
    for low, high in ((-1, 1), (-8, 8), (-40, 40), (-760, 760), (0.6, 1.5), (-(2.0**31), 2.0**31)):
        parts.append(rng.uniform(low, high, 12000 * scale))
    parts.append(np.ldexp(rng.uniform(0.5, 1, 8000 * scale), rng.integers(-60, 4, 8000 * scale)))
    parts.append(np.arange(1, 8000 * scale) * (np.pi / 2))
    return np.concatenate([*parts, edges(FLOATS[64])])


def pairs(bits: int, n: int = 30000) -> tuple[Array, Array]:
    """Pairs of edges, and 5 n: random patterns, powers (one kind near 1), ratios near 1."""
    dtype, rng = FLOATS[bits], np.random.default_rng(3)
    few = edges(dtype)[::3]
    few = np.concatenate([few, np.array([0.0, -0.0, 1, -1, 3, -3, 4, 0.5, INF, -INF, NAN], dtype)])
    xs, ys = [np.repeat(few, few.size)], [np.tile(few, few.size)]
    unsigned = np.uint32 if bits == 32 else np.uint64
    xs.append(rng.integers(0, 2**bits, n, dtype=unsigned).view(dtype))
    ys.append(rng.integers(0, 2**bits, n, dtype=unsigned).view(dtype))
    scale = 1 if bits == 32 else 8
    for base in (np.exp(rng.uniform(-80, 80, n)) ** scale, 1 + rng.normal(0, 1e-4, n)):
        xs.append(base.astype(dtype))
        ys.append((scale * rng.uniform(-150, 128, n) / np.log2(base)).astype(dtype))
    xs.append(rng.normal(0, 10, n).astype(dtype))
    ys.append(rng.integers(-20, 20, n).astype(dtype))
    size = np.exp(rng.uniform(-80, 80, n))
    xs.append((size * rng.uniform(0.3, 3, n)).astype(dtype))
    ys.append(size.astype(dtype))
    return np.concatenate(xs), np.concatenate(ys)
