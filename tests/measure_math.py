"""The largest error in ulp of every transcendental `nd` op, compiled and eager, f32 and f64.

    python tests/measure_math.py [--cpu x86-64-v2] [name ...]

f32 at 2^22 patterns at equal distances (of two operands: as many pairs) against NumPy in f64; f64
at a million points against NumPy in 80 bits, and mpmath for erf and erfc. Exits with 1 if an error
is above 2. Some minutes (`make ulp`); `exhaustive_math.py` takes every f32 pattern.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "unit"))

from math_native import FLOATS, Array, ulp_errors
from math_points import NUMPY, f64_points, pairs
from op_table import ROWS

import lamina as lm
from lamina.interpreters import call
from lamina.options import CompileOptions

mpmath: Any = importlib.import_module("mpmath")
LIMIT = 2.0
NAMES = [row.name for row in ROWS.values() if row.error == "ulp"]
TWO = ("atan2", "hypot", "pow")


def points(name: str, bits: int) -> tuple[Array, ...]:
    """The operands."""
    if name in TWO:
        return pairs(bits, (1 << 22 if bits == 32 else 1_000_000) // 5)
    if bits == 64:
        return (f64_points(9),)
    patterns = np.arange(0, 1 << 32, 1021, dtype=np.uint64)[: 1 << 22].astype(np.uint32)
    return (patterns.view(np.float32),)


def in_many_digits(name: str, x: Array) -> Array:
    """erf and erfc of f64, by mpmath, in 80 bits."""
    mpmath.mp.prec = 120
    function, result = getattr(mpmath, name), np.empty(x.shape, np.longdouble)
    for i, value in enumerate(np.clip(x, -40, 40).tolist()):
        y = function(mpmath.mpf(value))
        head = float(y)
        rest = 0.0 if np.isnan(head) else float(y - mpmath.mpf(head))
        result[i] = np.longdouble(head) + np.longdouble(rest)
    return np.where(x == 0, x if name == "erf" else 1, result)


def exactly(name: str, operands: tuple[Array, ...]) -> Array:
    """The function in a longer format."""
    if operands[0].dtype == np.float64 and name in ("erf", "erfc"):
        return in_many_digits(name, operands[0])
    longer = np.float64 if operands[0].dtype == np.float32 else np.longdouble
    with np.errstate(all="ignore"):
        return NUMPY["powf" if name == "pow" else name](*(x.astype(longer) for x in operands))


def engines(name: str, cpu: str) -> Iterator[tuple[str, Callable[..., Array]]]:
    """The ways to compute it."""
    compiled = lm.jit(getattr(lm, name), options=CompileOptions(cpu=cpu, cache=False))
    yield "compiled", lambda *x: np.asarray(compiled(*x))
    yield "eager", lambda *x: call(name, *x)


def main(words: list[str]) -> int:
    """Measure the ops named, or all; the exit status."""
    cpu = words[words.index("--cpu") + 1] if "--cpu" in words else "host"
    names = [word for word in words if word in NAMES] or NAMES
    failed = False
    for name in names:
        for bits in FLOATS:
            operands = points(name, bits)
            exact = exactly(name, operands)
            for engine, function in engines(name, cpu):
                errors = ulp_errors(function(*operands), exact)
                at = int(np.argmax(errors))
                place = ", ".join(repr(float(x[at])) for x in operands)
                print(f"{name} f{bits} {engine}: {errors[at]:.3f} ulp at {place}", flush=True)
                failed |= bool(errors[at] > LIMIT)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
