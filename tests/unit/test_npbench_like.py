"""Plain NumPy code in the manner of NPBench, unchanged under `lm.jit(mode="script")`.

There is one kernel for each way in which such code is written; values and what is written are
compared with NumPy's.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm

RNG = np.random.default_rng(11)


def heat_on_a_rod(steps: int, u: Any, v: Any) -> None:
    """A stencil from one array to the other and back."""
    for _ in range(steps):
        v[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[1:-1] = v[1:-1] + 0.25 * (v[2:] - 2.0 * v[1:-1] + v[:-2])


def smooth_in_place(sweeps: int, a: Any) -> None:
    """A stencil that reads what it has just written."""
    for _ in range(sweeps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4.0


def forward_substitution(low: Any, x: Any, b: Any) -> None:
    """A loop over rows whose length grows."""
    for i in range(x.shape[0]):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]


def tridiagonal(lower: Any, diagonal: Any, upper: Any, right: Any) -> Any:
    """Down and up again: a loop with a negative step."""
    n = right.shape[0]
    c, d, x = np.zeros_like(right), np.zeros_like(right), np.empty_like(right)
    c[0] = upper[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / m
        d[i] = (right[i] - lower[i] * d[i - 1]) / m
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def common_subsequence(first: Any, second: Any) -> Any:
    """A table of integers, filled by branches."""
    n, m = first.shape[0], second.shape[0]
    table = np.zeros((n + 1, m + 1), np.int32)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if first[i - 1] == second[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table


def deposit(cells: Any, weights: Any, grid: Any) -> Any:
    """A gather, and a scatter one element after the other."""
    for i in range(cells.shape[0]):
        grid[cells[i]] += weights[i]
    return grid[cells] * weights


def julia(n: int, limit: int, bound: float = 2.0) -> Any:
    """Complex numbers, iterated where a mask holds; sizes are Python ints."""
    x = np.linspace(-1.5, 1.5, n)
    z = x + 1j * x[:, None]
    count = np.zeros(z.shape, dtype=np.int64)
    for k in range(limit):
        inside = np.less(abs(z), bound)
        count[inside] = k
        z[inside] = z[inside] ** 2 + (-0.4 + 0.6j)
    return count, z


def clipped_roots(x: Any) -> Any:
    """Updates through masks, and statistics of a part."""
    x[x < 0.25] = 0.25
    y = x.copy()
    y[y > 1] = np.sqrt(y[y > 1])
    return y, x[x > 0.25].mean(), np.sum(x, where=x > 0.5)


def histograms(x: Any, w: Any, bins: int) -> Any:
    """Counts and weighted counts."""
    count = np.histogram(x, bins)[0]
    return np.histogram(x, bins, weights=w)[0] / count, count


def sparse_product(start: Any, column: Any, value: Any, x: Any) -> Any:
    """Rows whose lengths lie in an array."""
    y = np.zeros(start.shape[0] - 1, value.dtype)
    for i in range(start.shape[0] - 1):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total
    return y


def correlate(image: Any, weights: Any) -> Any:
    """Windows of an image, one after the other."""
    size = weights.shape[0]
    rows, columns = image.shape[0] - size + 1, image.shape[1] - size + 1
    out = np.empty((rows, columns, weights.shape[2]), dtype=np.float32)
    for i in range(rows):
        for j in range(columns):
            window = image[i : i + size, j : j + size, np.newaxis]
            out[i, j, :] = np.sum(window * weights, axis=(0, 1))
    return out


def largest_eigenvalue(a: Any, tolerance: float) -> Any:
    """A loop that stops when it has converged."""
    x = np.ones(a.shape[0])
    value, change, steps = 0.0, 1.0, 0
    while change > tolerance:
        y = a @ x
        found = np.sqrt(np.sum(y * y))
        change = abs(found - value)
        value = found
        x = y / found
        steps += 1
    return value, x, steps


def checksum(data: Any, modulus: int = 65521) -> Any:
    """Integer arithmetic and bits, one byte after the other."""
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % modulus
        b = (b + a) % modulus
        if (a ^ b) & 1:
            b = (b << 1) & 0xFFFF
    return (b << 16) | a


def shortest_paths(d: Any) -> None:
    """An array that is written as a whole from an outer operation on parts of it."""
    for k in range(d.shape[0]):
        d[:] = np.minimum(d[:], np.add.outer(d[:, k], d[k, :]))


def _force(x: Any, softening: float) -> Any:
    gap = x[:, None] - x[None, :]
    size = gap**2 + softening**2
    size[size > 0] = size[size > 0] ** (-1.5)
    return -(gap * size).sum(axis=1)


def springs(x: Any, v: Any, steps: int, dt: float, softening: float) -> Any:
    """Helper functions, and arrays updated in place by `+=`."""
    energy = np.ndarray(steps, dtype=np.float64)
    for i in range(steps):
        v += _force(x, softening) * dt
        x += v * dt
        energy[i] = 0.5 * np.sum(v**2)
    return energy


def systems(a: Any, shifts: Any, b: Any) -> Any:
    """Linear algebra in a loop over an array."""
    total = np.zeros(b.shape, dtype=np.complex128)
    for z in shifts:
        x = np.linalg.solve(a + z * np.eye(a.shape[0]), b)
        if abs(z) < 1.0:
            x = -x
        total += x
    return total


def regions(field: Any, out: Any) -> None:
    """`np.where` between differences, written into an argument."""
    flux = field[1:, :] - field[:-1, :]
    limited = np.where(flux * field[1:, :] > 0, 0, flux)
    out[:, :] = field[1:-1, :] - (limited[1:, :] - limited[:-1, :])


def positive_definite(n: int) -> Any:
    a = RNG.standard_normal((n, n))
    return a @ a.T + n * np.eye(n)


CASES: dict[Callable[..., Any], tuple[Any, ...]] = {
    heat_on_a_rod: (20, RNG.random(30), RNG.random(30)),
    smooth_in_place: (3, RNG.random((7, 9))),
    forward_substitution: (np.tril(positive_definite(12)), np.zeros(12), RNG.random(12)),
    tridiagonal: (RNG.random(11), 4 + RNG.random(11), RNG.random(11), RNG.random(11)),
    common_subsequence: (RNG.integers(0, 4, 12), RNG.integers(0, 4, 15)),
    deposit: (RNG.integers(0, 6, 25), RNG.random(25), np.zeros(6)),
    julia: (12, 15),
    clipped_roots: (RNG.random(20) * 3,),
    histograms: (RNG.random(100), RNG.random(100), 7),
    sparse_product: (np.asarray([0, 2, 2, 5]), RNG.integers(0, 5, 5), RNG.random(5), RNG.random(5)),
    correlate: (RNG.random((8, 9), np.float32), RNG.random((3, 3, 4), np.float32)),
    largest_eigenvalue: (positive_definite(6), 1e-10),
    checksum: (RNG.integers(0, 256, 40, np.uint8).astype(np.int64),),
    shortest_paths: (RNG.integers(1, 50, (9, 9)),),
    springs: (RNG.random(8), RNG.random(8), 12, 0.01, 0.5),
    systems: (positive_definite(6) + 0j, RNG.random(9) + 1j, RNG.random((6, 2)) + 0j),
    regions: (RNG.standard_normal((9, 5)), np.zeros((7, 5))),
}  # fmt: skip


@pytest.mark.parametrize("kernel", CASES, ids=lambda kernel: kernel.__name__)
def test_as_numpy(kernel: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_FORBID_INTERPRETER", "1")
    jitted = lm.jit(kernel, mode="script")
    for _ in range(2):  # the second call finds what the first one compiled
        theirs, ours = copy.deepcopy(CASES[kernel]), copy.deepcopy(CASES[kernel])
        expected, found = kernel(*theirs), jitted(*ours)
        for mine, other in zip(leaves((found, ours)), leaves((expected, theirs)), strict=True):
            a, b = np.asarray(mine), np.asarray(other)
            assert (a.shape, a.dtype.kind) == (b.shape, b.dtype.kind)
            tolerance = 1e-5 if b.dtype == np.float32 else 1e-9
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    assert jitted.explain().count(": compiled") == 1, jitted.explain()


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    return [] if value is None else [value]


def test_products_without_axes_of_size_1_and_of_a_vector_with_rows() -> None:
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((1, 3, 4), (4, 5)), ((2, 1, 3, 4), (4,)), ((1, 1, 4), (4, 5)), ((2, 3, 1, 4), (4, 5)),
        ((1, 0, 4), (4, 5)), ((4,), (4, 5)), ((300,), (300, 70)), ((4,), (4, 0)), ((0,), (0, 3)),
    ]  # fmt: skip
    for left, right in shapes:
        for dtype in (np.float64, np.float32, np.int32, np.float16):
            a = (RNG.random(left) * 4).astype(dtype)
            b = (RNG.random(right) * 4).astype(dtype)
            expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(dtype)
            tolerance = {"f": 1e-5, "e": 1e-2}.get(a.dtype.char, 1e-12)
            for found in (lm.asarray(a) @ lm.asarray(b), lm.jit(lambda a, b: a @ b)(a, b)):
                assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
                np.testing.assert_allclose(np.asarray(found), expected, rtol=tolerance)
