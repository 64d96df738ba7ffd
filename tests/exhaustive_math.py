"""Every f32 pattern through every expanded function of one argument: `make exhaustive`.

    python tests/exhaustive_math.py [name ...]

Some minutes a function. Prints the largest error in ulp (against NumPy in f64; erf and erfc with
SciPy, else element by element, which takes an hour each) and exits with 1 if one is above 2. Also
without FMA: `--no-fma`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "unit"))

from math_native import Array, Function, ulp_errors
from math_points import NUMPY
from test_math_accuracy import LIMIT, UNARY

CHUNK = 1 << 22


def reference(name: str) -> Any:
    """The function on f64 arrays."""
    if name in ("erf", "erfc"):
        try:
            return getattr(importlib.import_module("scipy.special"), name)
        except ImportError:
            pass
    return NUMPY[name]


def keys(x: Array) -> Array:
    """f32 in order as integers: neighbours differ by one, -0.0 and 0.0 too."""
    bits = x.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(1 << 31) - bits - 1, bits)


def largest_error(name: str, fma: bool) -> tuple[float, float]:
    """(largest error in ulp, where) over all f32 patterns."""
    function, exactly = Function(name, 32, 8, fma=fma), reference(name)
    worst, place = 0.0, 0.0
    for start in range(0, 1 << 32, CHUNK):
        x = np.arange(start, start + CHUNK, dtype=np.uint64).astype(np.uint32).view(np.float32)
        found = function(x)
        with np.errstate(all="ignore"):
            exact = exactly(x.astype(np.float64))
            rounded = exact.astype(np.float32)
        # only what is not the nearest number can be more than half an ulp off
        suspects = (keys(found) != keys(rounded)) & ~(np.isnan(found) & np.isnan(rounded))
        if not suspects.any():
            continue
        errors = ulp_errors(found[suspects], exact[suspects])
        at = int(np.argmax(errors))
        if errors[at] > worst:
            worst, place = float(errors[at]), float(x[suspects][at])
    return worst, place


def main(words: list[str]) -> int:
    """Check the functions named, or all; the exit status."""
    fma = "--no-fma" not in words
    names = [word for word in words if word != "--no-fma"] or UNARY
    failed = False
    for name in names:
        worst, place = largest_error(name, fma)
        print(f"{name}: {worst:.3f} ulp at {place!r}", flush=True)
        failed |= worst > LIMIT
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
