"""NumPy's functions and methods on our arrays, eager and compiled: ours, with NumPy's values; of
what we lack, one located error."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportAttributeAccessIssue=false

# ruff: noqa: E501

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.dispatch import FUNCTIONS
from lamina.frontend.numpy_names import FFT, LINALG, NAMES, UFUNCS
from lamina.frontend.numpy_ufuncs import ACCUMULATIONS, REDUCTIONS
from lamina.frontend.trace import trace

X = np.asarray([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
Y = X.T - 1.5
V = np.asarray([0.25, -0.5, 1.0])
B = X > 1
N = np.asarray([[3, 1, 2], [5, 0, 7], [1, 1, 4]])

BOGUS: Any = "bogo"
Call = Callable[..., Any]

COMPILED: dict[str, Call] = {
    "add": lambda x: np.add(x, 1), "ndarray on the left": lambda x: X + x,
    "add.reduce": lambda x: np.add.reduce(x), "add.reduce all": lambda x: np.add.reduce(x, axis=None),
    "multiply.reduce": lambda x: np.multiply.reduce(x, axis=1, keepdims=True),
    "maximum.reduce": lambda x: np.maximum.reduce(x),
    "add.accumulate": lambda x: np.add.accumulate(x, axis=1),
    "multiply.outer": lambda x: np.multiply.outer(x[0], x),
    "where": lambda x: np.where(x > 1, x, 0.0), "sum": lambda x: np.sum(x, 0),
    "sum keywords": lambda x: np.sum(x, axis=(0, 1), keepdims=True),
    "mean": lambda x: np.mean(x, axis=-1), "std": lambda x: np.std(x, axis=0, ddof=1),
    "var": lambda x: np.var(x), "max": lambda x: np.max(x, axis=1), "amin": lambda x: np.min(x),
    "prod": lambda x: np.prod(x, axis=0), "any": lambda x: np.any(x > 3), "all": lambda x: np.all(x),
    "argmax": lambda x: np.argmax(x, axis=1), "argmin": lambda x: np.argmin(x),
    "cumsum": lambda x: np.cumsum(x), "cumprod": lambda x: np.cumprod(x, axis=1),
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=0, include_initial=True),
    "clip": lambda x: np.clip(x, 1, 3), "clip keywords": lambda x: np.clip(x, a_min=1, a_max=None),
    "concatenate": lambda x: np.concatenate((x, x), 1), "stack": lambda x: np.stack([x, x], axis=1),
    "vstack": lambda x: np.vstack([x, x[0]]), "hstack": lambda x: np.hstack([x, x]),
    "reshape": lambda x: np.reshape(x, -1), "reshape keyword": lambda x: np.reshape(x, shape=(9, 1)),
    "transpose": lambda x: np.transpose(x), "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, source=0, destination=1),
    "expand_dims": lambda x: np.expand_dims(x, axis=0), "ravel": lambda x: np.ravel(x),
    "squeeze": lambda x: np.squeeze(x[None]), "flip": lambda x: np.flip(x, axis=0),
    "roll": lambda x: np.roll(x, 1, axis=1), "tile": lambda x: np.tile(x, reps=2),
    "repeat": lambda x: np.repeat(x, 2, axis=0), "tril": lambda x: np.tril(x, k=-1),
    "triu": lambda x: np.triu(x), "diff": lambda x: np.diff(x, n=2, axis=0),
    "count_nonzero": lambda x: np.count_nonzero(x, axis=0), "outer": lambda x: np.outer(x[0], x[1]),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 3)), "copy": lambda x: np.copy(x),
    "zeros_like": lambda x: np.zeros_like(x), "ones_like": lambda x: np.ones_like(x, dtype="int8"),
    "full_like": lambda x: np.full_like(x, 7), "astype": lambda x: np.astype(x, "float32"),
    "tensordot": lambda x: np.tensordot(x, x, axes=1), "dot": lambda x: np.dot(x, 2.0),
    "matmul": lambda x: np.matmul(x, x), "vecdot": lambda x: np.vecdot(x, x),
    "einsum": lambda x: np.einsum("ij,jk->ik", x, x), "pad": lambda x: np.pad(x, (1, 2)),
    "trace": lambda x: np.trace(x, offset=1), "diagonal": lambda x: np.diagonal(x, 1),
    "cross": lambda x: np.cross(x, x[0]), "sort": lambda x: np.sort(x, axis=0),
    "searchsorted": lambda x: np.searchsorted(np.sort(x[0]), x[1]),
    "argsort": lambda x: np.argsort(x, kind="stable"), "round": lambda x: np.round(x),
    "linalg.norm": lambda x: np.linalg.norm(x), "linalg.norm axis": lambda x: np.linalg.norm(x, axis=0),
    "linalg.norm one": lambda x: np.linalg.norm(x, 1),
    "linalg.norm inf": lambda x: np.linalg.norm(x, np.inf, axis=(1, 0), keepdims=True),
    "linalg.vector_norm": lambda x: np.linalg.vector_norm(x, ord=3),
    "linalg.matrix_norm": lambda x: np.linalg.matrix_norm(x, ord=-1),
    "linalg.trace": lambda x: np.linalg.trace(x), "linalg.diagonal": lambda x: np.linalg.diagonal(x),
    "linalg.cross": lambda x: np.linalg.cross(x, x), "linalg.outer": lambda x: np.linalg.outer(x[0], x[1]),
    "linalg.matmul": lambda x: np.linalg.matmul(x, x), "fft.fftshift": lambda x: np.fft.fftshift(x),
    "linalg.inv": lambda x: np.linalg.inv(x),
    "linalg.det": lambda x: np.linalg.det(x),
    "linalg.solve": lambda x: np.linalg.solve(x, V),
    "linalg.cholesky": lambda x: np.linalg.cholesky(x, upper=True),
    "linalg.slogdet": lambda x: np.linalg.slogdet(x),
    "linalg.matrix_power": lambda x: np.linalg.matrix_power(x, -2),
    ".sum": lambda x: x.sum(axis=0), ".mean": lambda x: x.mean(), ".std": lambda x: x.std(axis=1),
    ".max": lambda x: x.max(axis=0), ".all": lambda x: x.all(), ".astype": lambda x: x.astype("int16"),
    ".reshape": lambda x: x.reshape(1, 9), ".T": lambda x: x.T, ".mT": lambda x: x.mT,
    ".transpose": lambda x: x.transpose(1, 0), ".cumsum": lambda x: x.cumsum(axis=0),
    ".dot": lambda x: x.dot(x), ".trace": lambda x: x.trace(), ".diagonal": lambda x: x.diagonal(),
    ".swapaxes": lambda x: x.swapaxes(0, 1), ".repeat": lambda x: x.repeat(2),
    ".argmax": lambda x: x.argmax(axis=0), ".argsort": lambda x: x.argsort(axis=0),
    ".clip": lambda x: x.clip(1, 2), ".round": lambda x: x.round(), ".conj": lambda x: x.conj(),
    ".flatten": lambda x: x.flatten(), ".ravel": lambda x: x.ravel(), ".squeeze": lambda x: x[:1].squeeze(),
    ".real": lambda x: x.real, ".prod": lambda x: x.prod(axis=1), ".copy": lambda x: x.copy(),
}  # fmt: skip
"""Name -> a call on X that NumPy also has; it compiles."""

EAGER: dict[str, Call] = {
    "nonzero": lambda x: np.nonzero(x > 1), ".nonzero": lambda x: (x > 1).nonzero(),
    "unique_values": lambda x: np.unique_values(x),

    "linalg.svdvals": lambda x: np.linalg.svdvals(x),
    "linalg.eigvalsh": lambda x: np.linalg.eigvalsh(x), "linalg.eigh": lambda x: np.linalg.eigh(x),

    "linalg.qr": lambda x: np.linalg.qr(x, mode="complete"), "linalg.pinv": lambda x: np.linalg.pinv(x),
    "linalg.matrix_rank": lambda x: np.linalg.matrix_rank(x),
    "linalg.svd": lambda x: np.linalg.svd(x, full_matrices=False),

    "linalg.norm two": lambda x: np.linalg.norm(x, 2), "linalg.norm nuc": lambda x: np.linalg.norm(x, "nuc"),
    "fft.fft": lambda x: np.fft.fft(x, n=4), "fft.ifft": lambda x: np.fft.ifft(x, axis=0),
    "fft.rfft": lambda x: np.fft.rfft(x, norm="ortho"), "fft.irfft": lambda x: np.fft.irfft(x),
    "fft.fftn": lambda x: np.fft.fftn(x), "fft.irfftn": lambda x: np.fft.irfftn(x, axes=(0, 1)),
    "fft.hfft": lambda x: np.fft.hfft(x), "fft.ihfft": lambda x: np.fft.ihfft(x),
}  # fmt: skip
"""Name -> a call on X that NumPy also has, with data-dependent shape or no `nd` form."""

UNKNOWN: dict[str, tuple[Call, str]] = {
    "unwrap": (lambda x: np.unwrap(x), "np.unwrap: expected a function that lamina has"),
    "modf": (lambda x: np.modf(x), "np.modf: expected a function that lamina has"),
    "eig": (lambda x: np.linalg.eig(x), "np.linalg.eig: expected a function that lamina has"),
    "fft2": (lambda x: np.fft.fft2(x), "np.fft.fft2: expected a function that lamina has"),
    "add where": (lambda x: np.add(x, x, where=B), "np.add: expected out with where, found none"),
    "reshape order": (lambda x: np.reshape(x, -1, order="F"), "np.reshape: expected no order, found 'F'"),
    "round decimals": (lambda x: np.round(x, 2), "np.round: expected no decimals, found 2"),
    "svd compute_uv": (lambda x: np.linalg.svd(x, compute_uv=False), "np.linalg.svd: expected no compute_uv"),
    "one-argument where": (lambda x: np.where(x), "np.where: missing a required argument"),
    "pad mode": (lambda x: np.pad(x, 1, mode=lambda *_: None), "pad: expected a mode"),
    "sort kind": (lambda x: np.sort(x, kind=BOGUS), "np.sort: expected the name of an algorithm"),
}  # fmt: skip


def leaves(value: Any) -> list[Any]:
    return (
        [part for item in value for part in leaves(item)]
        if isinstance(value, (tuple, list))
        else [value]
    )


def check(found: Any, expected: Any) -> None:
    for ours, theirs in zip(leaves(found), leaves(expected), strict=True):
        assert isinstance(ours, lm.Array)
        assert ours.dtype == np.asarray(theirs).dtype
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name: str) -> None:
    function = COMPILED[name]
    expected = function(X)
    check(function(lm.asarray(X)), expected)
    check(lm.jit(function)(lm.asarray(X)), expected)


@pytest.mark.parametrize("name", EAGER)
def test_eager(name: str) -> None:
    check(EAGER[name](lm.asarray(X)), EAGER[name](X))
    with pytest.raises(lm.TraceError):
        trace(EAGER[name], (X,))


@pytest.mark.parametrize("name", UNKNOWN)
def test_refused(name: str) -> None:
    function, text = UNKNOWN[name]
    place = f"{__file__}:{function.__code__.co_firstlineno}"
    for run in (lambda: function(lm.asarray(X)), lambda: trace(function, (X,))):
        with pytest.raises(lm.ArgumentError) as found:
            run()
        assert text in found.value.message
        assert found.value.place == place


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name: str) -> None:
    ufunc = getattr(np, name)
    found: Any = None
    for operand in (V[None] * np.ones((3, 1)), N, B):
        try:
            with np.errstate(all="ignore"):
                expected = ufunc(*[operand] * ufunc.nin)
            ours = FUNCTIONS[UFUNCS[name]]
            ours(*[lm.asarray(operand)] * ufunc.nin)
        except TypeError:  # not of this dtype, or not ours
            continue
        found = ufunc(*[lm.asarray(operand)] * ufunc.nin)
        assert isinstance(found, lm.Array)
        if operand.dtype == float or np.asarray(expected).dtype == bool:
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)
        target = lm.zeros(found.shape, dtype=found.dtype)
        assert ufunc(*[lm.asarray(operand)] * ufunc.nin, out=target) is target
        np.testing.assert_array_equal(np.asarray(target), np.asarray(found))
    assert found is not None


def test_tables_name_functions_that_exist() -> None:
    wanted = {*NAMES.values(), *UFUNCS.values(), *REDUCTIONS.values(), *ACCUMULATIONS.values()}
    assert wanted <= set(FUNCTIONS)


def test_every_function_that_numpy_also_has_is_in_a_table() -> None:
    # no arrays as arguments; np.resize repeats elements, ours makes new ones between them
    outside = {"arange", "asarray", "broadcast_shapes", "can_cast", "empty", "eye", "finfo", "from_dlpack", "full",
               "iinfo", "isdtype", "linspace", "ones", "resize", "zeros"}  # fmt: skip
    public = [name for name in lm.__all__ if inspect.isfunction(getattr(lm, name))]
    both = [name for name in public if hasattr(np, name) and not name.startswith("__")]
    known = {*NAMES, *UFUNCS}
    names = {getattr(np, name).__name__ for name in both if name not in outside}
    assert names <= known | set(NAMES.values())
    extensions = {*lm.linalg.__all__} - {
        "matmul",
        "matrix_transpose",
        "outer",
        "tensordot",
        "vecdot",
    }
    assert extensions == set(LINALG.split())
    assert set(lm.fft.__all__) == set(FFT.split())


def test_out_is_numpy_too() -> None:
    target, vector = np.zeros((3, 3)), np.zeros(3)
    assert np.add(lm.asarray(X), 1, out=target) is target
    np.testing.assert_array_equal(target, X + 1)
    assert np.sum(lm.asarray(X), axis=0, out=vector) is vector
    np.testing.assert_array_equal(vector, X.sum(axis=0))
