"""The spine's figures: ratios to NumPy in one process, and start-up times in fresh ones.

    env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE MALLOC_MMAP_THRESHOLD_=1073741824 \
        MALLOC_TRIM_THRESHOLD_=4294967296 python benchmarks/spine.py

The two run in turn, A B A B, on one thread unless said otherwise; printed are medians and the
ratio of medians (above 1: Lamina is faster). NumPy's heap is kept warm by the two variables,
without which its large temporaries are mapped afresh at each call.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import erf
from threadpoolctl import threadpool_limits

import lamina as lm

F32 = np.float32
RNG = np.random.default_rng(0)
Call = Callable[[], Any]


def array(*shape: int) -> np.ndarray[Any, Any]:
    """Random float32."""
    return RNG.standard_normal(shape).astype(F32)


def medians(first: Call, second: Call, rounds: int = 15) -> tuple[float, float]:
    """Median seconds of both, run in turn after a warm-up; each sample is at least 2 ms."""
    times: list[list[float]] = [[], []]
    repeats: list[int] = []
    for call in (first, second):
        call()
        start = time.perf_counter()
        call()
        repeats.append(max(1, int(2e-3 / max(time.perf_counter() - start, 1e-9))))
    for _ in range(rounds):
        for place, call in enumerate((first, second)):
            start = time.perf_counter()
            for _ in range(repeats[place]):
                call()
            times[place].append((time.perf_counter() - start) / repeats[place])
    return statistics.median(times[0]), statistics.median(times[1])


def row(name: str, numpy: Call, lamina: Call, wanted: float) -> None:
    """One line: both medians, the ratio, and the ratio that is wanted."""
    theirs, ours = medians(numpy, lamina)
    print(
        f"{name:32s} numpy {theirs * 1e6:10.1f} us  lamina {ours * 1e6:10.1f} us  "
        f"ratio {theirs / ours:6.2f}  (wanted {wanted})"
    )


def numpy_chain(x: Any, a: Any, b: Any, c: Any) -> Any:
    """tanh(x*a+b) * sigmoid(c*x) + gelu(x)."""
    sigmoid = 1 / (1 + np.exp(-c * x))
    gelu = F32(0.5) * x * (1 + erf(x * F32(2**-0.5)))
    return np.tanh(x * a + b) * sigmoid + gelu


def numpy_softmax(x: Any) -> Any:
    """Softmax along the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def numpy_layer_norm(x: Any) -> Any:
    """Layer norm along the last axis."""
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + F32(1e-5))


def throughput() -> None:
    """Matrix products, and memory-bound kernels."""
    matmul = lm.jit(lambda x, y: x @ y)
    for n, wanted in ((256, 0.7), (512, 0.8), (1024, 0.8)):
        x, y = array(n, n), array(n, n)
        row(f"matmul {n}", lambda x=x, y=y: x @ y, lambda x=x, y=y: matmul(x, y), wanted)
    x, y = array(1024, 1024), array(1024, 1024)

    def on(threads: int) -> Any:
        lm.set_num_threads(threads)
        return matmul(x, y)

    one, two = medians(lambda: on(1), lambda: on(2))
    print(f"{'matmul 1024, two threads':32s} {one / two:.2f} x one  (wanted 1.6)")
    lm.set_num_threads(1)
    z, a, b, c = array(1_000_000), F32(1.5), F32(0.5), F32(2)
    chain = lm.jit(lambda x, a, b, c: lm.tanh(x * a + b) * lm.sigmoid(c * x) + lm.gelu(x))
    row("chain on 1e6", lambda: numpy_chain(z, a, b, c), lambda: chain(z, a, b, c), 1.6)
    s, softmax = array(1024, 1024), lm.jit(lambda x: lm.softmax(x, axis=-1))
    row("softmax (1024, 1024)", lambda: numpy_softmax(s), lambda: softmax(s), 2.5)
    t, layer_norm = array(1024, 768), lm.jit(lm.layer_norm)
    row("layer norm (1024, 768)", lambda: numpy_layer_norm(t), lambda: layer_norm(t), 3)


def small_calls() -> None:
    """Overhead of calls on 4 elements."""
    x, y = array(4), array(4)
    jitted = lm.jit(lambda x: x * 2 + 1)
    _, call = medians(lambda: x * 2 + 1, lambda: jitted(x))
    print(f"{'jitted call, 4 elements':32s} {call * 1e6:.2f} us  (wanted 1.0)")
    u, v = lm.asarray(x), lm.asarray(y)
    theirs, ours = medians(lambda: x + y, lambda: u + v)
    print(f"{'eager x + y, 4 elements':32s} NumPy + {(ours - theirs) * 1e6:.2f} us  (wanted 4)")


FIRST_CALL = """
import time; start = time.perf_counter()
import lamina as lm
imported = time.perf_counter() - start
import numpy as np
rng = np.random.default_rng(0)
sizes = (64, 64, 32, 10)
ws = [rng.standard_normal(s).astype(np.float32) for s in zip(sizes, sizes[1:])]
bs = [np.zeros(n, np.float32) for n in sizes[1:]]
x = rng.standard_normal((360, 64)).astype(np.float32)
def mlp(ws, bs, x):
    for w, b in zip(ws[:-1], bs[:-1]):
        x = lm.relu(x @ w + b)
    return x @ ws[-1] + bs[-1]
f = lm.jit(mlp)
before = time.perf_counter(); f(ws, bs, x)
print(imported, imported + time.perf_counter() - before)
"""


def start_up() -> None:
    """Import and first call in fresh processes, with an empty and a filled disk cache."""
    cold: list[float] = []
    warm: list[float] = []
    imports: list[float] = []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            for times in (cold, warm):
                done = subprocess.run(
                    [sys.executable, "-c", FIRST_CALL],
                    env={**os.environ, "LAMINA_CACHE_DIR": folder},
                    capture_output=True, text=True, check=True,
                )  # fmt: skip
                imported, total = map(float, done.stdout.split())
                imports.append(imported)
                times.append(total)
    print(f"{'import lamina':32s} {statistics.median(imports):.3f} s  (wanted 0.25)")
    print(f"{'import + first call, cold':32s} {statistics.median(cold):.3f} s  (wanted 1.0)")
    print(f"{'import + first call, cached':32s} {statistics.median(warm):.3f} s  (wanted 0.5)")


def chain_compilation() -> None:
    """Compile time against the length of a chain."""

    def seconds(n: int) -> float:
        def chain(x: Any, c: Any, d: Any) -> Any:
            for _ in range(n // 2):
                x = x * c + d
            return x

        x = array(64)
        start = time.perf_counter()
        lm.jit(chain, cache=False)(x, x, x)
        return time.perf_counter() - start

    seconds(10)
    short = statistics.median(seconds(300) for _ in range(3))
    long = statistics.median(seconds(3000) for _ in range(3))
    print(f"{'chain of 3000 ops':32s} {long:.2f} s (wanted 4)")
    print(f"{'3000 ops against 300':32s} {long / short:.1f} x  (wanted 12)")


if __name__ == "__main__":
    lm.set_num_threads(1)
    with threadpool_limits(1):
        throughput()
        small_calls()
    start_up()
    chain_compilation()
