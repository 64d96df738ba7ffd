"""The width's figures (issue 3, acceptance 5): ratios to NumPy's own way, in one process.

    env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE MALLOC_MMAP_THRESHOLD_=1073741824 \
        MALLOC_TRIM_THRESHOLD_=4294967296 python benchmarks/width.py [name ...]

Lamina and NumPy run in turn, A B A B, on one thread; printed are medians, the ratio of medians
(above 1: Lamina is faster), and the geometric mean of the ratios. Each result is compared once.
With names, only rows that hold one of them run. A function that Lamina does not have yet is named
and left out.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from spine import F32, array, medians
from threadpoolctl import threadpool_limits

import lamina as lm

EACH, MEAN = 1.0, 2.5
"""The ratio wanted of each row, and of all together."""


@dataclass(frozen=True)
class Case:
    """One row: the functions of `lm` that it needs, the arguments, and the two ways."""

    name: str
    needs: tuple[str, ...]
    args: tuple[Any, ...]
    numpy: Callable[..., Any]
    lamina: Callable[..., Any]
    tolerance: float = 0.0


def corners(x: Any) -> list[Any]:
    """The four elements of each window of 2 x 2, as strided views: NumPy's fastest way to pool."""
    return [x[..., i::2, j::2] for i in (0, 1) for j in (0, 1)]


def numpy_max_pool(x: Any) -> Any:
    """The largest of each window."""
    a, b, c, d = corners(x)
    return np.maximum(np.maximum(a, b), np.maximum(c, d))


def numpy_avg_pool(x: Any) -> Any:
    """The mean of each window."""
    a, b, c, d = corners(x)
    return (a + b + c + d) * F32(0.25)


def numpy_log_sum_exp(x: Any) -> Any:
    """log(sum(exp(x))) along the last axis, without overflow."""
    top = x.max(-1, keepdims=True)
    return np.log(np.exp(x - top).sum(-1)) + top[:, 0]


def cases() -> Iterator[Case]:
    """The list of the issue."""
    square, large = array(1024, 1024), array(2048, 2048)
    yield Case(
        "cumsum (1024, 1024)", ("cumulative_sum",), (square,),
        lambda x: np.cumsum(x, -1), lambda x: lm.cumulative_sum(x, axis=-1), 1e-3,
    )  # fmt: skip
    yield Case(
        "column sum (2048, 2048)", ("sum",), (large,),
        lambda x: x.sum(0), lambda x: lm.sum(x, axis=0), 1e-2,
    )  # fmt: skip
    yield Case(
        "transpose (2048, 2048)", ("permute_dims",), (large,),
        lambda x: np.ascontiguousarray(x.T), lambda x: lm.permute_dims(x, (1, 0)),
    )  # fmt: skip
    rows = np.random.default_rng(1).integers(0, 100_000, 1_000_000)
    yield Case(
        "gather of 1e6 rows of 64", ("take",), (array(100_000, 64), rows),
        lambda x, i: np.take(x, i, axis=0), lambda x, i: lm.take(x, i, axis=0),
    )  # fmt: skip
    yield Case("sort of 1e6", ("sort",), (array(1_000_000),), np.sort, lambda x: lm.sort(x))  # noqa: PLW0108
    image = array(1, 64, 112, 112)
    yield Case(
        "max_pool (1, 64, 112, 112)", ("max_pool",), (image,),
        numpy_max_pool, lambda x: lm.max_pool(x, 2, strides=2),
    )  # fmt: skip
    yield Case(
        "avg_pool (1, 64, 112, 112)", ("avg_pool",), (image,),
        numpy_avg_pool, lambda x: lm.avg_pool(x, 2, strides=2), 1e-5,
    )  # fmt: skip
    yield Case(
        "log-sum-exp (1024, 1024)", ("logsumexp",), (square,),
        numpy_log_sum_exp, lambda x: lm.logsumexp(x, axis=-1), 1e-5,
    )  # fmt: skip


def ratio(case: Case) -> float:
    """Print one row; how many times faster than NumPy."""
    jitted = lm.jit(case.lamina)
    theirs, ours = case.numpy(*case.args), np.asarray(jitted(*case.args))
    np.testing.assert_allclose(ours, theirs, rtol=case.tolerance, atol=case.tolerance)
    first, second = medians(lambda: case.numpy(*case.args), lambda: jitted(*case.args))
    print(
        f"{case.name:32s} numpy {first * 1e6:10.1f} us  lamina {second * 1e6:10.1f} us  "
        f"ratio {first / second:6.2f}  (wanted {EACH})"
    )
    return first / second


def main(names: list[str]) -> None:
    """Run the rows."""
    ratios: list[float] = []
    for case in cases():
        if names and not any(name in case.name for name in names):
            continue
        missing = [name for name in case.needs if not hasattr(lm, name)]
        if missing:
            print(f"{case.name:32s} left out: lm.{missing[0]} does not exist yet")
        else:
            ratios.append(ratio(case))
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(f"{'geometric mean':32s} {mean:.2f}  (wanted {MEAN})")


if __name__ == "__main__":
    lm.set_num_threads(1)
    with threadpool_limits(1):
        main(sys.argv[1:])
