"""How much memory a call takes: the peak of a fresh process grows by what `memory()` says.

    python tests/unit/test_memory.py mlp

runs one program and prints the growth of the peak and what it should be, as JSON. Linux keeps the
peak of the resident set (`VmHWM`) and sets it back when 5 is written to /proc/self/clear_refs.
"""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.executable import compile_module
from lamina.ir_text import parse_module
from lamina.registry import make_context

RESET = Path("/proc/self/clear_refs")
# every large block is mapped when it is asked for and given back when it is freed: no call is
# served from pages that compilation left behind
FRESH_PAGES = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "0"}
UPDATES = """
func.func @main(%x: tensor<1000000xf32>, %y: tensor<2xf32>) -> tensor<1000000xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %n = arith.constant 100000 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x) -> (tensor<1000000xf32>) {
    %at = arith.muli %i, %c10 : index
    %v = nd.dynamic_slice %c [%at] sizes [2] : tensor<1000000xf32> -> tensor<2xf32>
    %s = nd.add %v, %y : tensor<2xf32>
    %d = nd.dynamic_update_slice %c, %s [%at] : tensor<2xf32> -> tensor<1000000xf32>
    scf.yield %d : tensor<1000000xf32>
  }
  func.return %r : tensor<1000000xf32>
}
"""
Found = dict[str, float]


def array(*shape: int) -> np.ndarray[Any, Any]:
    """Random float32."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def mlp(weights: list[Any], x: Any) -> Any:
    """Layers without biases."""
    for w in weights:
        x = lm.relu(x @ w)
    return x


PROGRAMS: dict[str, Callable[[], tuple[Callable[..., Any], list[Any], int]]] = {
    "mlp": lambda: (mlp, [[array(1024, 1024) for _ in range(10)], array(64, 1024)], 1),
    "matmul": lambda: (lm.matmul, [array(1024, 1024), array(1024, 1024)], 1),
    "matmul, two threads": lambda: (lm.matmul, [array(1024, 1024), array(1024, 1024)], 2),
    "softmax": lambda: (lambda x: lm.softmax(x, axis=-1), [array(1024, 1024)], 1),
    "transposes": lambda: (lambda x: (lm.exp(x.T @ x), x.T), [array(1024, 512)], 1),
}


def status(name: str) -> int:
    """A number of /proc/self/status, in bytes."""
    words = Path("/proc/self/status").read_text().split()
    return int(words[words.index(name + ":") + 1]) * 1024


def growth(call: Callable[[], Any]) -> Found:
    """By how many bytes a call raises the peak above what is resident before it; its seconds."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    RESET.write_text("5")
    before = status("VmRSS")
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    after = status("VmHWM")
    del result
    return {"growth": after - before, "seconds": seconds}


def warm_up(threads: int) -> None:
    """What the first call of a process brings along: modules, the pool of threads, the entry."""
    x = array(64, 64)
    jitted = lm.jit(lambda x: x @ x, threads=threads)
    jitted(x)
    jitted.lower(x).compile()(x)


def measure(name: str) -> list[Found]:
    """The first call of a compiled executable, and a later one of the jitted function."""
    function, args, threads = PROGRAMS[name]()
    warm_up(threads)
    jitted = lm.jit(function, threads=threads)
    executable = jitted.lower(*args).compile()
    memory = executable.memory()
    own = memory.arena + threads * memory.scratch + memory.outputs
    first = growth(lambda: executable(*args))
    jitted(*args)
    return [first | {"own": own}, growth(lambda: jitted(*args)) | {"own": own}]


def measure_updates() -> list[Found]:
    """1e5 updates of two neighbours in an array of 1e6 that the loop carries."""
    program = compile_module(parse_module(make_context(), UPDATES), "main")
    assert program.linked.arena_bytes + program.linked.scratch_bytes <= 1024
    x, y, expected = array(1000000), np.array([1, 2], np.float32), array(1000000)
    expected[0::10] += y[0]
    expected[1::10] += y[1]
    np.testing.assert_array_equal(program([x, y])[0], expected)
    return [growth(lambda: program([x, y])) | {"own": x.nbytes}]


def in_fresh_process(name: str) -> list[Found]:
    """What this file prints for a program."""
    if not os.access(RESET, os.W_OK):
        pytest.skip("the peak of a process can be set back on Linux only")
    done = subprocess.run(
        [sys.executable, __file__, name], env={**os.environ, **FRESH_PAGES},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(found: Found) -> None:
    """The peak grew by what the program takes, and little more."""
    # the lower bound shows that the measure sees what a call takes
    assert 0.8 * found["own"] <= found["growth"] <= found["own"] + (1 << 20)


@pytest.mark.parametrize("name", PROGRAMS)
def test_peak_of_a_call(name: str) -> None:
    for found in in_fresh_process(name):
        check(found)


def test_updates_in_place() -> None:
    (found,) = in_fresh_process("updates")
    check(found)
    # 5 ms; a copy of the array for each of the updates would be a minute
    assert found["seconds"] < 2


if __name__ == "__main__":
    print(json.dumps(measure_updates() if sys.argv[1] == "updates" else measure(sys.argv[1])))
