"""Arguments that a jitted function writes: in place, natively, only if nothing fails."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lamina as lm

LAYOUTS: dict[str, Any] = {
    "contiguous": lambda x: x.copy(),
    "strided": lambda x: np.repeat(x, 2)[::2],
    "reversed": lambda x: x[::-1].copy()[::-1],
    "ours": lambda x: lm.asarray(x.copy()),
}


def update(a: Any, b: Any) -> Any:
    a[1:] += b[:-1]
    a[0] = a[1] * 2
    return a[2:] + b[2:]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_new_values_are_in_the_argument(layout: str) -> None:
    f = lm.jit(update)
    for seed in range(3):
        b = np.random.default_rng(seed).standard_normal(9)
        expected, given = np.arange(9.0), LAYOUTS[layout](np.arange(9.0))
        result = update(expected, b)
        np.testing.assert_array_equal(np.asarray(f(given, b)), result)
        np.testing.assert_array_equal(np.asarray(given), expected)


@pytest.mark.parametrize("dtype", ["float16", "bool", "complex64", "uint64"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 5)])
def test_types_and_sizes(dtype: str, shape: tuple[int, ...]) -> None:
    def f(a: Any, b: Any) -> Any:
        a[...] = b
        a[...] = lm.where(a == b, lm.astype(a, a.dtype), b)
        return b

    a, b = np.zeros(shape, dtype), np.ones(shape, dtype)
    np.testing.assert_array_equal(np.asarray(lm.jit(f)(a, b)), b)
    np.testing.assert_array_equal(a, b)


def test_the_native_entry_takes_them() -> None:
    f = lm.jit(update)
    f(np.arange(4.0), np.ones(4))
    (version,) = f._versions
    assert version.signature is not None and "Python" not in f.explain()
    assert version.exe.memory().outputs == 2 * 8  # the argument's own memory is no output


def test_two_results_in_swapped_arguments() -> None:
    def swap(a: Any, b: Any) -> None:
        kept = lm.copy(lm.asarray(a))
        a[...] = b
        b[...] = kept

    a, b = np.arange(5.0), np.arange(5.0) * 10
    lm.jit(swap)(a, b)
    assert a.tolist() == [0, 10, 20, 30, 40] and b.tolist() == [0, 1, 2, 3, 4]


def test_a_call_that_fails_leaves_them_as_they_were() -> None:
    def f(a: Any, i: Any) -> Any:
        a += 1
        value = a[i]
        a *= 2
        return value

    compiled, a = lm.jit(f), np.arange(4.0)
    assert float(compiled(a, lm.asarray(1))) == 2 and a.tolist() == [2, 4, 6, 8]
    assert compiled._versions[0].signature is not None
    for _ in range(2):
        with pytest.raises(lm.IndexRangeError):
            compiled(a, lm.asarray(9))
        assert a.tolist() == [2, 4, 6, 8]


@pytest.mark.parametrize("strided", [False, True])
def test_a_tape_sees_the_write(strided: bool) -> None:
    f = lm.jit(update)
    x, b = lm.asarray(np.ones(6), requires_grad=True), np.ones(6)
    for _ in range(2):  # compiled, then by the entry
        w = lm.asarray(np.arange(12.0))[::2] if strided else lm.asarray(np.arange(6.0))
        y = lm.sum(x * w)
        f(w, b)
        with pytest.raises(lm.MutationError, match="overwritten since"):
            y.backward()


def test_written_globals_are_written_in_place() -> None:
    state = lm.zeros(3)

    def f(x: Any) -> None:
        state[...] += x

    g = lm.jit(f)
    for number in range(1, 4):
        g(np.full(3, float(number)))
        assert state.tolist() == [number * (number + 1) / 2] * 3


def test_text_of_any_level_gives_the_new_values(tmp_path: Path) -> None:
    """A donor's memory is the result: whoever runs the text must look there."""
    a, b = np.arange(4.0), np.ones(4)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    donated = lm.jit(lambda a, b: a - b, donate="a").lower(lm.asarray(a), b)
    written = lm.jit(lambda a, b: update(a, b)).lower(a.copy(), b)
    for lowered, expected in ((donated, a - b), (written, np.asarray([4.0, 2.0, 3.0, 4.0]))):
        for level in ("nd", "buffer", "llvm"):
            (tmp_path / "program.mlir").write_text(lowered.ir(level))
            command = [sys.executable, "-m", "lamina.tools.run", "program.mlir"]
            command += [
                "--args",
                "a.npy",
                "b.npy",
                "--out",
                *(["r.npy"] * results_of(lowered)),
            ]
            subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
            np.testing.assert_array_equal(np.load(tmp_path / "r.npy"), expected)


def results_of(lowered: Any) -> int:
    return len(lowered.trace.results) + len(lowered.trace.written)
