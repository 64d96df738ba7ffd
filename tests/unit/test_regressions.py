"""Bugs that users of other compilers met (numbers as in the project's list). Each runs eagerly and
compiled, and compares with what NumPy or the numeric contract says."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program_runs import same_bits

import lamina as lm

F32, F64 = np.float32, np.float64
Array = np.ndarray[Any, Any]
MODES: list[Any] = [lambda f: f, lm.jit]


def both(function: Callable[..., Any], *args: Any) -> list[Array]:
    """The result eager and compiled."""
    eager = function(*(lm.asarray(a) if isinstance(a, np.ndarray) else a for a in args))
    return [np.asarray(eager), np.asarray(lm.jit(function)(*args))]


def check(function: Callable[..., Any], *args: Any, expected: Any, dtype: Any = None) -> None:
    """Both modes give exactly `expected`."""
    for found in both(function, *args):
        np.testing.assert_array_equal(found, np.asarray(expected))
        if dtype is not None:
            assert found.dtype == dtype


def test_regression_R1() -> None:
    x = np.array([2147483647], np.int32)
    check(lambda x: lm.astype(x + x, lm.int64), x, expected=[-2], dtype=np.int64)


def test_regression_R3() -> None:
    x, y = np.array([200], np.uint8), np.array([100], np.uint8)
    check(lambda x, y: lm.astype(x + y, lm.int32), x, y, expected=[44])


def test_regression_R4() -> None:
    x = np.array([1 / 7], F32)
    check(
        lambda x: lm.astype(lm.astype(x, lm.float16), lm.float32),
        x,
        expected=x.astype(np.float16).astype(F32),
    )


def test_regression_R5() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((8, 8)).astype(lm.bfloat16) for _ in range(2))
    bias = rng.standard_normal(8).astype(F32)
    product = np.asarray(lm.jit(lambda a, b: a @ b)(a, b))
    apart = product.astype(F32) + bias
    fused = lm.jit(lambda a, b, c: lm.astype(a @ b, lm.float32) + c)(a, b, bias)
    np.testing.assert_array_equal(np.asarray(fused), apart)


def test_regression_R6() -> None:
    rng = np.random.default_rng(0)
    q, c, s = (rng.standard_normal((4, 8)).astype(lm.bfloat16) for _ in range(3))

    def rotary(q: Any, c: Any, s: Any) -> Any:
        return q * c + lm.concat([-q[:, 4:], q[:, :4]], axis=1) * s

    eager, compiled = both(rotary, q, c, s)
    np.testing.assert_array_equal(eager.view(np.uint16), compiled.view(np.uint16))


def test_regression_R8() -> None:
    x, y = np.array([np.nan, 1], F32), np.array([1, np.nan], F32)
    check(lm.maximum, x, y, expected=[np.nan, np.nan])
    check(lm.minimum, x, y, expected=[np.nan, np.nan])


def test_regression_R10() -> None:
    s, mask = np.array([0.7, 0.5], F32), np.ones(2, F32)

    def masked(s: Any, mask: Any) -> Any:
        t = s + -1 * 1e30 * (1 - mask)
        return t - lm.max(t)

    for found in both(masked, s, mask):
        np.testing.assert_allclose(found, [0, -0.2], rtol=1e-6)


def test_regression_R12() -> None:
    check(lambda x: lm.log(lm.exp(x)), np.array([89], F32), expected=[np.inf])
    check(lambda x: lm.sqrt(x * x), np.array([1e20], F32), expected=[np.inf])


def test_regression_R14() -> None:
    a, b = np.array([2396747], F32), np.array([7], F32)
    check(lambda a, b, c, d: a * b - c * d, a, b, a.copy(), b.copy(), expected=[0.0])


def test_regression_R16() -> None:
    x = np.array([2**64 - 1], np.uint64)
    check(lambda x: x + 1, x, expected=[0], dtype=np.uint64)


def test_regression_R18() -> None:
    x = np.array([-1, 4, -0.0], F32)
    for found in both(lm.sqrt, x):
        np.testing.assert_array_equal(np.isnan(found), [True, False, False])
        np.testing.assert_array_equal(found[1:], [2, 0])
    # the sign of a NaN is not looked at where results are compared
    either = np.copysign(np.float32(np.nan), np.array([1, -1], F32))
    assert same_bits(either, either[::-1])


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_regression_R19(dtype: Any, n: int) -> None:
    x, y = np.full(n, np.iinfo(dtype).min, dtype), np.full(n, -1, dtype)
    check(lambda x, y: x % y, x, y, expected=np.zeros(n, dtype))
    check(lambda x, y: x // y, x, y, expected=x)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_regression_R20_R21_R22(dtype: Any, n: int) -> None:
    x, y = np.arange(n).astype(dtype), np.zeros(n, dtype)
    check(lambda x, y: x // y, x, y, expected=y)
    check(lambda x, y: x % y, x, y, expected=y)


def test_regression_R27() -> None:
    x = np.array([1 - 2**63], np.int64)
    check(lambda x: x // -1, x, expected=[2**63 - 1])


def test_regression_R30() -> None:
    check(lm.argmax, np.array([np.nan, 4.6], F32), expected=0)


@pytest.mark.parametrize("n", [3, 8, 33, 1000])
def test_regression_R31(n: int) -> None:
    x = np.arange(n, dtype=F32)
    x[1] = np.nan
    check(lm.argmax, x, expected=1)
    check(lm.argmin, x, expected=1)
    check(lm.max, x, expected=np.nan)
    check(lm.min, x, expected=np.nan)


def test_regression_R33() -> None:
    x = np.zeros((2, 4, 0), F32)
    for function in (lm.argmax, lm.jit(lambda x, axis: lm.argmax(x, axis=axis))):
        with pytest.raises(lm.LaminaError, match="argmax"):
            function(lm.asarray(x), axis=2)


def test_regression_R34() -> None:
    check(lambda x: lm.argmax(x, axis=1), np.full((2, 40), -np.inf, F32), expected=[0, 0])


def test_regression_R35() -> None:
    x = np.zeros((3, 0, 4), F32)
    check(lambda x: lm.sum(x, axis=1), x, expected=np.zeros((3, 4)))
    check(lambda x: lm.prod(x, axis=1), x, expected=np.ones((3, 4)))
    check(lambda x: lm.mean(x, axis=1), x, expected=np.full((3, 4), np.nan))
    for mode in MODES:
        with pytest.raises(lm.LaminaError, match=r"axis|size|empty"):
            mode(lambda x: lm.max(x, axis=1))(lm.asarray(x))


def test_regression_R37() -> None:
    check(lm.prod, np.arange(50, dtype=F32), expected=0.0)


def test_regression_R38() -> None:
    check(lm.sum, np.ones(2**25, F32), expected=33554432.0)


def test_regression_R39() -> None:
    x = (1000 + 1e-2 * np.random.default_rng(0).standard_normal(2**22)).astype(F32)
    exact = np.var(x.astype(F64))
    for found in both(lm.var, x):
        assert abs(found - exact) <= 1e-4 * exact


def test_regression_R40() -> None:
    for mode in MODES:
        with pytest.raises(lm.AxisError):
            mode(lambda x: lm.mean(x, axis=0))(lm.asarray(F32(3)))


def test_regression_R42() -> None:
    x = np.zeros((0, 3), F32)
    for found in both(lambda x: lm.argmin(x, axis=1), x):
        assert found.shape == (0,)
    for found in both(lambda x: lm.reshape(lm.argmin(x, axis=1), (0, 3)), x):
        assert found.shape == (0, 3)


def test_regression_R44() -> None:
    x = np.zeros((3, 40), F32)
    x[1, 17] = np.nan
    check(lambda x: lm.max(x, axis=1), x, expected=[0, np.nan, 0])


def test_regression_R45() -> None:
    check(lambda a: a / a.max(), np.array([0, 1.5, 3], F32), expected=[0, 0.5, 1])


def test_regression_R47() -> None:
    def rows(b: Any) -> Any:
        b = lm.exp(b)
        x = b[:, None] * b
        total = lm.sum(x / (1 + x), axis=1)
        total -= b**2 / (1 + b**2)
        return total

    b = np.random.default_rng(0).standard_normal(1000).astype(F32)
    one, two = (np.asarray(lm.jit(rows, threads=n)(b)) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    e = np.exp(b.astype(F64))
    x = e[:, None] * e
    exact = (x / (1 + x)).sum(1) - e**2 / (1 + e**2)
    for found in (one, np.asarray(rows(lm.asarray(b)))):
        np.testing.assert_allclose(found, exact, rtol=1e-5)


@pytest.mark.parametrize("function", [lm.tan, lm.gelu, lambda x: lm.softmax(x, axis=-1)])
@pytest.mark.parametrize("dtype", [np.float16, F32])
def test_regression_R50(function: Any, dtype: Any) -> None:
    x = np.random.default_rng(0).standard_normal((6, 37)).astype(dtype)
    plain = np.asarray(lm.jit(function)(x))
    joined = lm.jit(lambda x: lm.split(lm.concat([function(x), function(x)], axis=0), 2)[0])
    barrier = lm.jit(lambda x: function(lm.split(lm.concat([x, x], axis=0), 2)[0]))
    np.testing.assert_array_equal(np.asarray(joined(x)), plain)
    np.testing.assert_array_equal(np.asarray(barrier(x)), plain)


def test_regression_R51() -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((20, 20)).astype(F32) for _ in range(2))
    alone = np.asarray(lm.jit(lambda x, w: lm.relu(x @ w))(x, w))
    more = lm.jit(lambda x, w: (lm.relu(x @ w), lm.relu(x @ w) * 2, x @ w))(x, w)
    np.testing.assert_array_equal(np.asarray(more[0]), alone)


def test_regression_R53() -> None:
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(F32)
    jitted = lm.jit(lambda x: lm.softmax(x @ x, axis=-1))
    first = np.asarray(jitted(x)).copy()
    np.testing.assert_array_equal(np.asarray(jitted(x)), first)
    fresh = lm.jit(lambda x: lm.softmax(x @ x, axis=-1), cache=False)
    np.testing.assert_array_equal(np.asarray(fresh(x)), first)


def test_regression_R55() -> None:
    def double(x: Any) -> Any:
        x[:6] = x[:6] * 2
        return x

    x = np.arange(8, dtype=F32)
    for found in (double(lm.asarray(x)), lm.jit(double)(x.copy())):
        np.testing.assert_array_equal(np.asarray(found), [0, 2, 4, 6, 8, 10, 6, 7])


@pytest.mark.parametrize("cpu", ["host", "x86-64-v2", "x86-64-v3"])
def test_regression_R57(cpu: str) -> None:
    x = np.arange(7 * 1000, dtype=np.int32).reshape(7, 1000)

    def moves(x: Any) -> Any:
        return x[:, ::-1], x[::2, ::3], lm.concat([x, x], axis=1), x.T

    for found, expected in zip(
        lm.jit(moves, cpu=cpu)(x),
        (x[:, ::-1], x[::2, ::3], np.concatenate([x, x], 1), x.T),
        strict=True,
    ):
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_regression_R58() -> None:
    jitted = lm.jit(lambda x: x + 1)
    first = jitted(F32(1.1))
    second = jitted(F32(1.2))
    assert float(first) != float(second)


def test_regression_R60() -> None:
    jitted = lm.jit(lambda xs: xs[0] + 1)
    assert [int(jitted([i])) for i in range(5)] == [1, 2, 3, 4, 5]


def test_regression_R61() -> None:
    def shift(t: Any) -> Any:
        t[1:] = t[:-1]
        return t

    t = np.array([3, 2, 1], F32)
    for found in (shift(lm.asarray(t)), lm.jit(shift)(t.copy())):
        np.testing.assert_array_equal(np.asarray(found), [3, 3, 2])


def test_regression_R63() -> None:
    def scale(x: Any, y: Any) -> Any:
        x *= 2
        return x + y

    base = np.ones(8, F32)
    np.testing.assert_array_equal(np.asarray(lm.jit(scale)(base[:4], base[2:6])), [4, 4, 3, 3])


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_regression_R65(step: int) -> None:
    def absolute(x: Any) -> Any:
        x[...] = lm.abs(x)
        return x

    values = (2 * np.arange(-3, 4)).astype(F32)
    windows = np.lib.stride_tricks.sliding_window_view(values, 4, writeable=True)[::step]
    expected = np.abs(windows)
    base = np.where(np.arange(7) < windows.shape[0] * step - step + 4, np.abs(values), values)
    np.testing.assert_array_equal(np.asarray(lm.jit(absolute)(windows)), expected)
    np.testing.assert_array_equal(values, base)


def test_regression_R70() -> None:
    img = np.random.default_rng(0).standard_normal((20, 30, 3)).astype(F32)
    jitted = lm.jit(lambda x: x - 0.25)
    for _ in range(20):
        found = np.asarray(jitted(img[::-1, :, 0]))
        np.testing.assert_array_equal(found, img[::-1, :, 0] - F32(0.25))


@pytest.mark.parametrize("index", [20, -21, (0, 3), (slice(None), -4)])
def test_regression_R73(index: Any) -> None:
    x = lm.asarray(np.zeros((20, 3), F32))
    said: list[str] = []
    for mode in MODES:
        with pytest.raises(lm.IndexRangeError) as caught:
            mode(lambda x: x[index])(x)
        said.append(caught.value.message)
    assert said[0] == said[1]


def test_regression_R78() -> None:
    check(
        lambda x, y: x @ y, np.zeros((16, 0), F32), np.zeros((0, 16), F32),
        expected=np.zeros((16, 16)),
    )  # fmt: skip


def test_regression_R80() -> None:
    x, w = np.full((3, 2), 255, np.uint8), np.full((2, 40), 127, np.int8)
    check(
        lambda x, w: lm.astype(x, lm.int32) @ lm.astype(w, lm.int32), x, w,
        expected=np.full((3, 40), 64770),
    )  # fmt: skip


@pytest.mark.parametrize("fusion", [0, 1, 2])
def test_regression_R96(fusion: int) -> None:
    """Integers are exact whatever the passes do: int64 beyond 2^53, and Threefry-2x32."""

    def integers(x: Any, y: Any) -> Any:
        return (x * y + 3) // 7, lm.sum(x ^ (y << 3), axis=0), x % y

    rng = np.random.default_rng(0)
    x, y = (rng.integers(1 << 60, 1 << 63, (5, 40)) for _ in range(2))
    expected = ((x * y + 3) // 7, (x ^ (y << 3)).sum(0), x % y)
    for found, want in zip(lm.jit(integers, fusion=fusion)(x, y), expected, strict=True):
        np.testing.assert_array_equal(np.asarray(found), want)

    def threefry(keys: list[Any], counts: list[Any]) -> Any:
        keys = [*keys, keys[0] ^ keys[1] ^ 0x1BD11BDA]
        a, b = (c + k for c, k in zip(counts, keys, strict=False))
        for group in range(5):
            for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
                a = a + b
                b = (b << turn | b >> (32 - turn)) ^ a
            a = a + keys[(group + 1) % 3]
            b = b + keys[(group + 2) % 3] + (group + 1)
        return a, b

    # known answers of Random123 for 20 rounds: zeros, ones, digits of pi
    keys = [[0, 0xFFFFFFFF, 0x13198A2E], [0, 0xFFFFFFFF, 0x03707344]]
    counts = [[0, 0xFFFFFFFF, 0x243F6A88], [0, 0xFFFFFFFF, 0x85A308D3]]
    words = [[np.array(w, np.uint32) for w in pair] for pair in (keys, counts)]
    a, b = lm.jit(threefry, fusion=fusion)(*words)
    np.testing.assert_array_equal(np.asarray(a), [0x6B200159, 0x1CB996FC, 0xC4923A9C])
    np.testing.assert_array_equal(np.asarray(b), [0x99BA4EFE, 0xBB002BE7, 0x483DF7A0])


def test_regression_RU9() -> None:
    jitted = lm.jit(lambda x: x * 3 - 1)
    jitted(np.ones(3, F32))
    jitted(np.ones(4, F32))
    assert "shape (4,)" in jitted.explain()


def test_regression_RU9_disk_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A miss of the versions in memory and a hit of the cache on disk: `explain` says both."""
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))
    notes: list[str] = []
    for _ in range(2):
        jitted = lm.jit(lambda x: x * 3 - 1)
        jitted(np.ones(3, F32))
        jitted(np.ones((3, 2), F32))
        notes.append(jitted.explain())
    hit = "; the disk cache had the code"
    assert hit not in notes[0] and notes[1].count(hit) == 2
    assert notes[1].count("since it was called with x: float32 of shape (3, 2)") == 1


def test_regression_R94() -> None:
    """Sizes 4 and 8 viewed as (-1, 4) and multiplied, then another size: it works or it fails."""

    def f(x: Any, y: Any) -> Any:
        return lm.reshape(x, (-1, 4)) * lm.reshape(y, (-1, 4))

    n = lm.Dim("n", max=64)
    for jitted in (lm.jit(f), lm.jit(f, shapes=((n,), (2 * n,)))):
        found = jitted(np.arange(4.0), np.arange(8.0))  # one row broadcasts over two
        np.testing.assert_array_equal(
            np.asarray(found), np.arange(4.0) * np.arange(8.0).reshape(2, 4)
        )
        with pytest.raises(lm.ShapeError, match="expected shapes that broadcast"):
            jitted(np.arange(8.0), np.arange(16.0))
        with pytest.raises(lm.ShapeError, match="reshape: expected a size that makes"):
            jitted(np.arange(6.0), np.arange(12.0))
        assert jitted(np.arange(4.0), np.arange(8.0)).shape == (2, 4)


HELPER = """
import sys, numpy as np
sys.path.insert(0, {folder!r})
import lamina as lm, helper
print(float(lm.jit(lambda x: helper.scale(x))(np.float32(2))))
"""


def test_regression_RU10(tmp_path: Any) -> None:
    script, outputs = HELPER.format(folder=str(tmp_path)), list[str]()
    for factor in (3, 5):
        (tmp_path / "helper.py").write_text(f"def scale(x):\n    return x * {factor}\n")
        run = subprocess.run(
            [sys.executable, "-B", "-c", script], capture_output=True, text=True, check=True
        )
        outputs.append(run.stdout.strip())
    assert outputs == ["6.0", "10.0"]


def test_regression_RU13(monkeypatch: pytest.MonkeyPatch) -> None:
    from lamina.backend.threads import default_threads

    monkeypatch.setenv("LAMINA_NUM_THREADS", "1")
    assert default_threads() == 1
