"""Every f32 pattern through every expanded function of one argument: `make exhaustive`.

    python tests/exhaustive_math.py [--no-fma] [--stride N] [name ...]

Some minutes a function. Prints the largest error in ulp (against NumPy in f64; erf and erfc with
SciPy, else element by element, which takes an hour each) and exits with 1 if one is above 2, or an
infinity, a NaN or the sign of a zero is wrong. `--stride 256` takes one pattern in 256, and always
zeros, infinities, NaN and the ends of the ranges.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "unit"))

from math_native import FLOATS, Array, Function, ulp_errors
from math_points import LIMIT, NUMPY, UNARY, edges

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


def patterns(stride: int) -> Iterator[Array]:
    """Every `stride`-th f32, some at a time, and the special ones."""
    for start in range(0, 1 << 32, CHUNK * stride):
        end = min(start + CHUNK * stride, 1 << 32)
        yield np.arange(start, end, stride, dtype=np.uint64).astype(np.uint32).view(np.float32)
    yield edges(FLOATS[32])


def largest_error(name: str, fma: bool, stride: int) -> tuple[float, float]:
    """(largest error in ulp, where)."""
    function, exactly = Function(name, 32, 8, fma=fma), reference(name)
    worst, place = 0.0, 0.0
    for x in patterns(stride):
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=UNARY)
    parser.add_argument("--no-fma", action="store_true")
    parser.add_argument("--stride", type=int, default=1)
    options = parser.parse_args(words)
    failed = False
    for name in options.names:
        worst, place = largest_error(name, not options.no_fma, options.stride)
        print(f"{name}: {worst:.3f} ulp at {place!r}", flush=True)
        failed |= worst > LIMIT
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
