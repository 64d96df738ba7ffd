"""Eight threads call the same compiled functions at once: no wrong number, no lost error.

`LAMINA_TEST_STRESS` is the number of seconds (60 for acceptance 6); 1 if it is not set.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

SECONDS = float(os.environ.get("LAMINA_TEST_STRESS", "1"))
THREADS = 8
SHAPES = [(1, 1), (7, 64), (33, 33), (250, 130)]
RNG = np.random.default_rng(7)

Work = Callable[[np.random.Generator], None]


def mixed(x: Any, w: Any) -> Any:
    """A product, a softmax, a sort, sums along both axes, a loop and a scan: one kernel of each
    kind, some of them parallel."""
    y = lm.softmax(x @ w, axis=-1)
    z = lm.fori_loop(0, 3, lambda i, c: c * 0.5 + lm.sin(x), x)
    return {"y": y, "rows": lm.sum(z, axis=1), "columns": lm.sum(z, axis=0),
            "sorted": lm.sort(x, axis=0), "running": lm.cumulative_sum(y, axis=1)}  # fmt: skip


def run_threads(work: Work) -> int:
    """Call `work` in every thread until the time is over; how often it ran."""
    failures: list[BaseException] = []
    counts = [0] * THREADS
    end = time.monotonic() + SECONDS
    ready = threading.Barrier(THREADS)

    def loop(number: int) -> None:
        rng = np.random.default_rng(number)
        ready.wait()
        try:
            while time.monotonic() < end and not failures:
                work(rng)
                counts[number] += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=loop, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    assert min(counts) > 0
    return sum(counts)


def case(shape: tuple[int, int]) -> tuple[Any, Any]:
    rows, depth = shape
    return RNG.normal(size=(rows, depth)), RNG.normal(size=(depth, rows % 50 + 1))


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_one_function_of_many_shapes(threads: int) -> None:
    """Results are NumPy's of a quiet process; shapes are new to all threads at once."""
    cases = [case(shape) for shape in SHAPES]
    expected = [{k: np.asarray(v) for k, v in mixed(*map(lm.asarray, c)).items()} for c in cases]
    busy = lm.jit(mixed, threads=threads)

    def work(rng: np.random.Generator) -> None:
        number = int(rng.integers(len(cases)))
        x, w = cases[number]
        given = lm.asarray(x) if rng.random() < 0.5 else x
        for name, found in busy(given, w).items():
            np.testing.assert_allclose(found, expected[number][name], 1e-11, 1e-11, err_msg=name)

    run_threads(work)


def test_threads_that_call_first_compile_once() -> None:
    f, ready = lm.jit(lambda x: lm.sin(x) + 1), threading.Barrier(THREADS)

    def first() -> None:
        ready.wait()
        f(np.ones(5))

    threads = [threading.Thread(target=first) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert f.explain() == "version 1: compiled at the first call"


def test_donation_and_errors_at_once() -> None:
    """Steps on each thread's own arrays, and calls that fail, which must not mix."""
    step = lm.jit(lambda p, g: p - 0.5 * g, donate="p")
    taken = lm.jit(lambda x, n: lm.take(x, n))
    g = RNG.normal(size=100)

    def work(rng: np.random.Generator) -> None:
        start = rng.normal(size=100)
        p = lm.asarray(start)
        for _ in range(4):
            p = step(p, g)
        np.testing.assert_array_equal(p, (((start - 0.5 * g) - 0.5 * g) - 0.5 * g) - 0.5 * g)
        place = int(rng.integers(100, 10_000))
        with pytest.raises(lm.IndexRangeError, match=f"found {place}"):
            taken(g, np.asarray(place))
        assert float(taken(g, np.asarray(7))) == g[7]

    run_threads(work)
