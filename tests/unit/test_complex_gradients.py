"""Gradients of real functions that go through complex numbers: against differences, first and
second order, tape against IR; what has none says so."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lamina as lm

RE, IM = np.array([3.0, 1.0, 2.0]), np.array([1.0, -2.0, -1.0])
K = lm.arange(1.0, 4.0)


def seen(z: Any) -> Any:
    """A real number that depends on both parts of each element."""
    z = lm.reshape(z, (-1,))
    weights = lm.arange(1.0, 1.0 + z.size)
    return lm.sum(lm.real(z) * weights + lm.imag(z) ** 2 / weights)


def written(z: Any) -> Any:
    """One place is written twice."""
    w = z * 1
    w[lm.asarray([1, 1])] = z[1:] * z[0]
    return w * z


FUNCTIONS: dict[str, Any] = {
    "product": lambda z: z * z * (2 - 1j),
    "quotient": lambda z: (1 + 2j) / z,
    "exp": lambda z: lm.exp(z * 0.3),
    "sqrt and log": lambda z: lm.sqrt(z) * lm.log(z),
    "conj": lambda z: lm.conj(z) * z[::-1],
    "abs": lambda z: lm.abs(z) * z,
    "matmul": lambda z: z[:, None] @ (z * 1j)[None, :],
    "sums": lambda z: lm.cumulative_sum(z) * lm.mean(z),
    "products": lambda z: lm.cumulative_prod(z * 0.5) * lm.prod(z),
    "sort": lambda z: lm.sort(z),
    "pad": lambda z: lm.pad(z, (1, 2), mode="reflect") + lm.pad(z, (0, 3)),
    "take": lambda z: lm.take(z, lm.asarray([0, 0, 2])) * z[1],
    "where": lambda z: lm.where(lm.real(z) > 1.5, z, z * 1j),
    "written": written,
    "scatter_add": lambda z: lm.scatter_add(z, lm.asarray([1, 1]), z[1:] * z[0]) * z,
    "concat": lambda z: lm.concat([z, lm.flip(z)]) ** 2,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(name: str) -> None:
    def f(re: Any, im: Any) -> Any:
        return seen(FUNCTIONS[name](re + 1j * im))

    assert lm.gradcheck(f, [lm.asarray(RE), lm.asarray(IM)], order=2)
    gradient = lm.grad(f, wrt=(0, 1))
    for eager, compiled in zip(gradient(RE, IM), lm.jit(gradient)(RE, IM), strict=True):
        np.testing.assert_allclose(np.asarray(compiled), np.asarray(eager), rtol=1e-13)


def test_backward_of_a_complex_result() -> None:
    y, pullback = lm.vjp(lambda x: x * (2 + 3j), lm.asarray(RE))
    assert y.dtype == np.complex128
    (found,) = pullback(lm.asarray(np.array([1, 1j, 1 + 1j])))
    assert found.dtype == np.float64
    assert found.tolist() == [2, 3, 5]


def test_jitted_calls_and_writes() -> None:
    x = lm.asarray(RE, requires_grad=True)
    z = lm.jit(lambda x: x * (2 + 3j))(x)
    written = lm.zeros(3, dtype=lm.complex128)
    written[1:] = z[1:]
    lm.sum(lm.real(z) + lm.imag(written)).backward()
    assert np.asarray(x.grad).tolist() == [2, 5, 5]


def test_single_precision() -> None:
    def f(x: Any) -> Any:
        return lm.sum(lm.imag(lm.astype(x, lm.complex64) * 2j))

    for gradient in (lm.grad(f), lm.jit(lm.grad(f))):
        found = gradient(RE.astype(np.float32))
        assert found.dtype == np.float32
        assert found.tolist() == [2, 2, 2]


def test_refused() -> None:
    with pytest.raises(lm.DTypeError, match="jacobian: expected f to give real numbers"):
        lm.jacobian(lambda x: x * 1j)(lm.asarray(RE))
    with pytest.raises(lm.DTypeError, match="expected floating-point primals, found complex128"):
        lm.grad(lambda z: lm.sum(lm.abs(z)))(lm.asarray(RE + 1j * IM))

    def loop(x: Any) -> Any:
        z = lm.fori_loop(0, 3, lambda _, z: z * 1j, lm.astype(x, lm.complex128))
        return lm.sum(lm.real(z))

    with pytest.raises(lm.LaminaError, match="expected real numbers to go into and out of"):
        lm.jit(lm.grad(loop))(RE)
