"""Functions: eager against NumPy; the traced program, interpreted, against eager bit for bit."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import lamina as lm
from lamina.errors import LaminaError
from lamina.frontend.array import Array
from lamina.frontend.trace import trace
from lamina.interpreters.evaluate import evaluate

Case = tuple[str, Callable[..., Any], Callable[..., Any] | None, tuple[Any, ...]]

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 4)).astype(np.float32)
B = RNG.normal(size=(4,)).astype(np.float32)
C = RNG.normal(size=(2, 3, 4))
N = RNG.integers(-9, 9, (3, 4))
J = RNG.integers(1, 5, (4,))
U = RNG.integers(0, 255, (3, 4)).astype(np.uint8)
P = N > 0
H = A.astype(np.float16)
Z = np.asarray([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -2.5, 1e-40], np.float32)


def traced(function: Callable[..., Any], *args: Any) -> list[np.ndarray[Any, Any]]:
    """The results of the traced program, interpreted, hidden inputs and all."""
    program = trace(function, args)
    program.module.verify()
    inputs = [np.asarray(leaf) for leaf in args]
    inputs += [np.asarray(given.captured) for given in program.inputs[len(args) :]]
    found = evaluate(program.module, "main", inputs, program.resources)
    return [found[leaf.index] for leaf in program.results if leaf.index is not None]


def leaves(value: Any) -> list[np.ndarray[Any, Any]]:
    """Arrays of a result, in order."""
    if isinstance(value, Array):
        return [np.asarray(value)]
    return [array for part in value for array in leaves(part)]


def same_bits(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> None:
    """Equal dtype, shape and values; NaN equals NaN."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


UNARY = {
    "abs": np.abs,
    "ceil": np.ceil,
    "cos": np.cos,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "negative": np.negative,
    "positive": np.positive,
    "reciprocal": np.reciprocal,
    "round": np.rint,
    "sign": np.sign,
    "signbit": np.signbit,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "square": np.square,
    "tan": np.tan,
    "tanh": np.tanh,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cosh": np.cosh,
    "sinh": np.sinh,
    "erfc": np.vectorize(math.erfc, otypes=[float]),
    "trunc": np.trunc,
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, dtype: Any) -> None:
    x = np.concatenate([Z, A.ravel()]).astype(dtype)
    function: Callable[..., Any] = getattr(lm, name)
    found = np.asarray(function(lm.asarray(x)))
    with np.errstate(all="ignore"):
        wide = UNARY[name](x.astype(np.float64))
        expected = wide.astype(found.dtype)
    if found.dtype == bool:
        keep = ~np.isnan(x)  # the sign of a NaN is unspecified
        np.testing.assert_array_equal(found[keep], expected[keep])
    else:
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps, atol=0)
    same_bits(traced(function, x)[0], found)


BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "hypot": np.hypot,
    "nextafter": np.nextafter,
    "logaddexp": np.logaddexp,
}


@pytest.mark.parametrize("name", BINARY)
def test_binary_broadcasts(name: str) -> None:
    function: Callable[..., Any] = getattr(lm, name)
    for x, y in ((A, B), (A.astype(np.float64), B), (C, A.astype(np.float64))):
        found = np.asarray(function(lm.asarray(x), lm.asarray(y)))
        np.testing.assert_allclose(found, BINARY[name](x, y), rtol=1e-6)
        assert found.dtype == BINARY[name](x, y).dtype
        same_bits(traced(function, x, y)[0], found)


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "maximum", "less", "equal", "divide", "floor_divide"]
)
@pytest.mark.parametrize("scalar", [True, 3, 2.5])
@pytest.mark.parametrize("x", [N, U, A, H], ids=["i64", "u8", "f32", "f16"])
def test_python_scalars_are_weak(name: str, scalar: Any, x: Any) -> None:
    function: Callable[..., Any] = getattr(lm, name)
    found = np.asarray(function(lm.asarray(x), scalar))
    expected = getattr(np, name)(x, scalar)
    if name == "divide" and x.dtype == np.uint8:
        expected = np.divide(x.astype(np.float64), scalar)
    same_bits(found, expected)
    same_bits(traced(lambda a: function(a, scalar), x)[0], found)
    same_bits(traced(function, x, scalar)[0], found)
    same_bits(
        traced(lambda a: function(scalar, a), x)[0], np.asarray(function(scalar, lm.asarray(x)))
    )


CASES: list[Case] = [
    ("pow", lambda x: x**2, lambda x: x**2, (A,)),
    ("pow int", lambda x, y: x**y, lambda x, y: x**y, (N, J)),
    ("rpow", lambda x: 2.0**x, lambda x: 2.0 ** x.astype(np.float64), (C,)),
    ("clip", lambda x: lm.clip(x, -1, 1), lambda x: np.clip(x, -1, 1), (A,)),
    ("clip low", lambda x: lm.clip(x, max=B), lambda x: np.minimum(x, B), (A,)),
    ("and", lambda x, y: x & y, lambda x, y: x & y, (N, J)),
    ("or bool", lambda x, y: x | y, lambda x, y: x | y, (P, P[0])),
    ("xor", lambda x: x ^ 5, lambda x: x ^ 5, (U,)),
    ("invert", lambda x: ~x, lambda x: ~x, (U,)),
    ("shift", lambda x, y: (x << y) >> 1, lambda x, y: (x << y) >> 1, (N, J)),
    ("logical", lambda x: lm.logical_not(lm.logical_xor(x, True)), lambda x: x, (P,)),
    ("sum", lambda x: lm.sum(x), np.sum, (C,)),
    ("sum axis", lambda x: lm.sum(x, axis=(0, -1)), lambda x: x.sum((0, 2)), (C,)),
    ("sum keep", lambda x: x.sum(1, keepdims=True), lambda x: x.sum(1, keepdims=True), (C,)),
    ("sum u8", lambda x: lm.sum(x), lambda x: x.sum(dtype=np.uint64), (U,)),
    ("sum bool", lambda x: lm.sum(x, axis=0), lambda x: x.sum(0), (P,)),
    ("sum dtype", lambda x: lm.sum(x, dtype=lm.float64), lambda x: x.sum(dtype=float), (U,)),
    ("prod", lambda x: lm.prod(x, axis=1), lambda x: x.prod(1), (C,)),
    ("max", lambda x: lm.max(x, axis=0), lambda x: x.max(0), (A,)),
    ("min", lambda x: lm.min(x), np.min, (N,)),
    ("any", lambda x: lm.any(x, axis=1), lambda x: x.any(1), (P,)),
    ("all", lambda x: lm.all(x), lambda x: x.all(), (P,)),
    ("any int", lambda x: lm.any(x, axis=0), lambda x: x.any(0), (N,)),
    ("count", lambda x: lm.count_nonzero(x, axis=0), lambda x: np.count_nonzero(x, 0), (N,)),
    ("mean", lambda x: lm.mean(x, axis=1), lambda x: x.mean(1), (C,)),
    ("mean int", lambda x: lm.mean(x), np.mean, (N,)),
    ("var", lambda x: lm.var(x, axis=0, correction=1), lambda x: x.var(0, ddof=1), (C,)),
    ("std", lambda x: lm.std(x), np.std, (C,)),
    ("argmax", lambda x: lm.argmax(x, axis=1), lambda x: x.argmax(1), (A,)),
    ("argmax flat", lambda x: lm.argmax(x), np.argmax, (A,)),
    ("argmin keep", lambda x: lm.argmin(x, axis=0, keepdims=True),
     lambda x: x.argmin(0, keepdims=True), (A,)),
    ("where", lambda p, x: lm.where(p, x, 0), lambda p, x: np.where(p, x, x * 0), (P, A)),
    ("where promote", lambda p, x, y: lm.where(p, x, y), np.where, (P, A, J)),
    ("reshape", lambda x: lm.reshape(x, (2, -1)), lambda x: x.reshape(2, -1), (A,)),
    ("T reshape", lambda x: x.T.reshape(-1), lambda x: x.T.reshape(-1), (A,)),
    ("permute", lambda x: lm.permute_dims(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1), (C,)),
    ("mT", lambda x: x.mT, lambda x: x.swapaxes(1, 2), (C,)),
    ("moveaxis", lambda x: lm.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1), (C,)),
    ("flip", lambda x: lm.flip(x, axis=1), lambda x: np.flip(x, 1), (C,)),
    ("expand", lambda x: lm.expand_dims(x, axis=-1), lambda x: x[..., None], (A,)),
    ("squeeze", lambda x: lm.squeeze(x[None], 0), lambda x: x, (A,)),
    ("broadcast_to", lambda x: lm.broadcast_to(x, (3, 4)),
     lambda x: np.broadcast_to(x, (3, 4)), (B,)),
    ("concat", lambda x, y: lm.concat([x, y[None]]), lambda x, y: np.concatenate([x, y[None]]),
     (A, B)),
    ("concat flat", lambda x, y: lm.concat([x, y], axis=None),
     lambda x, y: np.concatenate([x, y], None), (A, B)),
    ("stack", lambda x, y: lm.stack([x, y], axis=1), lambda x, y: np.stack([x, y], 1), (B, J)),
    ("unstack", lambda x: lm.unstack(x, axis=1)[2], lambda x: x[:, 2], (A,)),
    ("split", lambda x: lm.split(x, 2, axis=1)[1], lambda x: np.split(x, 2, 1)[1], (A,)),
    ("split at", lambda x: lm.split(x, [1, 3], axis=1)[1],
     lambda x: np.split(x, [1, 3], 1)[1], (A,)),
    ("roll", lambda x: lm.roll(x, 2, axis=1), lambda x: np.roll(x, 2, 1), (A,)),
    ("roll flat", lambda x: lm.roll(x, -3), lambda x: np.roll(x, -3), (A,)),
    ("repeat", lambda x: lm.repeat(x, 3, axis=1), lambda x: np.repeat(x, 3, 1), (A,)),
    ("repeat flat", lambda x: lm.repeat(x, 2), lambda x: np.repeat(x, 2), (A,)),
    ("tile", lambda x: lm.tile(x, (2, 1, 3)), lambda x: np.tile(x, (2, 1, 3)), (A,)),
    ("pad", lambda x: lm.pad(x, ((1, 0), (0, 2)), value=7),
     lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=7), (A,)),
    ("astype", lambda x: lm.astype(x, lm.int32), lambda x: x.astype(np.int32), (A,)),
    ("arange", lambda: lm.arange(3, 10, 2), lambda: np.arange(3, 10, 2), ()),
    ("arange float", lambda: lm.arange(0, 1, 0.25), lambda: np.arange(0, 1, 0.25), ()),
    ("linspace", lambda: lm.linspace(0, 3, 7), lambda: np.linspace(0, 3, 7), ()),
    ("eye", lambda: lm.eye(3, 4, k=1), lambda: np.eye(3, 4, 1), ()),
    ("tril", lambda x: lm.tril(x, k=-1), lambda x: np.tril(x, -1), (C,)),
    ("triu", lambda x: lm.triu(x), np.triu, (C,)),
    ("meshgrid", lambda x: lm.meshgrid(x, x[:2])[1], lambda x: np.meshgrid(x, x[:2])[1], (B,)),
    ("full", lambda: lm.full((2, 3), 7, dtype=lm.int8), lambda: np.full((2, 3), 7, np.int8), ()),
    ("zeros_like", lambda x: lm.zeros_like(x), np.zeros_like, (U,)),
    ("matmul", lambda x: x @ lm.permute_dims(x, (0, 2, 1)), lambda x: x @ x.swapaxes(1, 2), (C,)),
    ("matmul vector", lambda x, y: x @ y, lambda x, y: x @ y, (C, np.ones(4))),
    ("vector matmul", lambda x, y: y @ x, lambda x, y: y @ x, (C, np.ones(3))),
    ("matmul left", lambda x, y: y @ x, lambda x, y: y @ x, (C, np.ones((5, 3)))),
    ("matmul batch", lambda x, y: x @ y, lambda x, y: x @ y, (C, np.ones((3, 1, 4, 2)))),
    ("dot", lambda x, y: x @ y, lambda x, y: np.asarray(x @ y), (B, B)),
    ("vecdot", lambda x, y: lm.vecdot(x, y), lambda x, y: (x * y).sum(-1), (C, np.ones(4))),
    ("tensordot", lambda x, y: lm.tensordot(x, y, axes=((1, 2), (0, 1))),
     lambda x, y: np.tensordot(x, y, ((1, 2), (0, 1))), (C, np.ones((3, 4, 2)))),
    ("outer", lambda x, y: lm.outer(x, y), np.outer, (J, J)),
    ("relu", lambda x: lm.relu(x), lambda x: np.where(x <= 0, 0, x), (A,)),
    ("sigmoid", lambda x: lm.sigmoid(x), lambda x: 1 / (1 + np.exp(-x)), (C,)),
    ("silu", lambda x: lm.silu(x), lambda x: x / (1 + np.exp(-x)), (C,)),
    ("softmax", lambda x: lm.softmax(x, axis=1),
     lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True), (C,)),
    ("log_softmax", lambda x: lm.log_softmax(x),
     lambda x: x - np.log(np.exp(x).sum(-1, keepdims=True)), (C,)),
    ("logsumexp", lambda x: lm.logsumexp(x, axis=0), lambda x: np.log(np.exp(x).sum(0)), (C,)),
    ("layer_norm", lambda x, w: lm.layer_norm(x, w, w, axis=-1),
     lambda x, w: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
     * w + w, (C, np.arange(4.0))),
    ("rms_norm", lambda x: lm.rms_norm(x),
     lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5), (C,)),
    ("gelu tanh", lambda x: lm.gelu(x, approximate="tanh"),
     lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))), (C,)),
    ("gelu half", lambda x: lm.gelu(x), None, (H,)),
    ("softmax half", lambda x: lm.softmax(x), None, (H,)),
    ("conv", lambda x, w: lm.conv(x, w, strides=2, padding="same"), None,
     (C[None, :, :, :], np.ones((3, 2, 3, 2)))),
    ("einsum matmul", lambda x, y: lm.einsum("bij,jk->bik", x, y),
     lambda x, y: np.einsum("bij,jk->bik", x, y), (C, np.arange(8.0).reshape(4, 2))),
    ("einsum batch", lambda x: lm.einsum("bij,bkj->kbi", x, x),
     lambda x: np.einsum("bij,bkj->kbi", x, x), (C,)),
    ("einsum outer", lambda x, y: lm.einsum("i,j", x, y), np.outer, (J, J)),
    ("einsum trace", lambda x: lm.einsum("bii->b", x[:, :, :3]),
     lambda x: np.einsum("bii->b", x[:, :, :3]), (C,)),
    ("einsum three", lambda x, y: lm.einsum("bij,j,i->b", x, y, y[:3]),
     lambda x, y: np.einsum("bij,j,i->b", x, y, y[:3]), (C, np.arange(4.0))),
    ("einsum sum", lambda x: lm.einsum("bij->j", x), lambda x: np.einsum("bij->j", x), (C,)),
    ("einsum batch product", lambda x, y: lm.einsum("bij,bi->bij", x, y),
     lambda x, y: np.einsum("bij,bi->bij", x, y), (C, np.arange(6.0).reshape(2, 3))),
    ("np.exp", lambda x: np.exp(x), np.exp, (C,)),
    ("np.sum", lambda x: np.sum(x, 0), lambda x: np.sum(x, 0), (C,)),
    ("np.concatenate", lambda x: np.concatenate([x, x], axis=1),
     lambda x: np.concatenate([x, x], axis=1), (C,)),
    ("np.where", lambda x: np.where(x > 0, x, 0.0), lambda x: np.where(x > 0, x, 0.0), (C,)),
    ("np.transpose", lambda x: np.transpose(x, (1, 0, 2)),
     lambda x: np.transpose(x, (1, 0, 2)), (C,)),
    ("np.max", lambda x: np.max(x, axis=1, keepdims=True),
     lambda x: np.max(x, axis=1, keepdims=True), (C,)),
    ("np.add.reduce", lambda x: np.add.reduce(x, axis=1), lambda x: np.add.reduce(x, axis=1), (C,)),
    ("np.std", lambda x: np.std(x, axis=0, ddof=1), lambda x: np.std(x, axis=0, ddof=1), (C,)),
    ("ndarray + array", lambda x: A + x, lambda x: A + x, (A,)),
    ("np.matmul", lambda x: np.matmul(x, x.mT), lambda x: x @ x.swapaxes(1, 2), (C,)),
    ("np.clip", lambda x: np.clip(x, -1, 1), lambda x: np.clip(x, -1, 1), (C,)),
    ("np.reshape", lambda x: np.reshape(x, (4, 6)), lambda x: np.reshape(x, (4, 6)), (C,)),
    ("np.expand_dims", lambda x: np.expand_dims(x, 1), lambda x: np.expand_dims(x, 1), (C,)),
    ("np.squeeze", lambda x: np.squeeze(x[:1]), lambda x: np.squeeze(x[:1]), (C,)),
    ("np.round", lambda x: np.round(x), np.round, (C,)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_function(case: Case) -> None:
    _, function, reference, args = case
    found = np.asarray(function(*(lm.asarray(x) for x in args)))
    if reference is not None:
        expected = np.asarray(reference(*args))
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-12)
    same_bits(traced(function, *args)[0], found)


def test_formulas_are_those_of_the_docstrings() -> None:
    x = lm.asarray(RNG.normal(size=(64, 33)).astype(np.float32))
    powers = lm.exp(x - lm.max(x, axis=1, keepdims=True))
    expected = powers * (1 / lm.sum(powers, axis=1, keepdims=True))
    same_bits(np.asarray(lm.softmax(x)), np.asarray(expected))
    mean = lm.mean(x, axis=1, keepdims=True)
    scale = 1 / lm.sqrt(lm.var(x, axis=1, keepdims=True) + 1e-5)
    same_bits(np.asarray(lm.layer_norm(x)), np.asarray((x - mean) * scale))
    same_bits(np.asarray(lm.sigmoid(x)), np.asarray(1 / (lm.exp(-x) + 1)))
    half = lm.astype(x, lm.float16)
    wide = lm.astype(lm.softmax(lm.astype(half, lm.float32)), lm.float16)
    same_bits(np.asarray(lm.softmax(half)), np.asarray(wide))
    zeros = lm.asarray([-0.0, 0.0, np.nan, -1.0])
    assert np.signbit(np.asarray(lm.relu(zeros))).tolist()[0:2] == [False, False]
    assert np.isnan(np.asarray(lm.relu(zeros))[2])


def test_conv_against_direct_sum() -> None:
    x, w = RNG.normal(size=(2, 4, 7, 6)), RNG.normal(size=(6, 2, 3, 2))
    found = np.asarray(
        lm.conv(
            lm.asarray(x), lm.asarray(w), strides=(2, 1), padding=((1, 0), (2, 1)), groups=2,
            dilation=(1, 2),
        )
    )  # fmt: skip
    padded = np.pad(x, ((0, 0), (0, 0), (1, 0), (2, 1)))
    expected = np.zeros_like(found)
    for n, o, i, j in np.ndindex(*found.shape):
        group = o // 3
        window = padded[n, 2 * group : 2 * group + 2, 2 * i : 2 * i + 3, j : j + 3 : 2]
        expected[n, o, i, j] = (window * w[o]).sum()
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_bfloat16_promotes_like_float16() -> None:
    x = lm.asarray([1.0, 2.0], dtype=lm.bfloat16)
    assert (x + x).dtype == lm.bfloat16
    assert (x + lm.asarray([1], dtype=lm.int8)).dtype == lm.bfloat16
    assert (x + lm.asarray([1], dtype=lm.int64)).dtype == lm.float64
    assert (x * 2.5).dtype == lm.bfloat16
    assert lm.sum(x).dtype == lm.bfloat16


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda x: x + lm.zeros(5), lm.ShapeError, "add: expected shapes that broadcast"),
        (lambda x: x @ x, lm.ShapeError, "matmul: expected equal inner sizes"),
        (lambda x: lm.sum(x, axis=2), lm.AxisError, "sum: expected an axis from -2 to 1, found 2"),
        (lambda x: lm.sum(x, axis=(0, 0)), lm.AxisError, "distinct axes"),
        (lambda x: lm.reshape(x, (5, -1)), lm.ShapeError, "reshape: expected a size"),
        (lambda x: lm.reshape(x, (5, 2)), lm.ShapeError, "expected 12 elements"),
        (lambda x: x[3], lm.IndexRangeError, "expected an index from -3 to 2 on axis 0, found 3"),
        (lambda x: x[0, 0, 0], lm.IndexRangeError, "at most 2 keys, found 3"),
        (lambda x: lm.sin(lm.astype(x, lm.int32)), lm.DTypeError, "sin: expected a floating-point"),
        (lambda x: x & x, lm.DTypeError, "bitwise_and: expected an integer or bool dtype"),
        (lambda x: lm.concat([x, x[:, :2]]), lm.ShapeError, "concat: expected equal shapes except"),
        (lambda x: lm.max(x[:0], axis=0), lm.ShapeError, "max: expected a size of 1 or more"),
        (lambda x: lm.argmax(x[:0], axis=0), lm.ShapeError, "argmax: expected a size of 1"),
        (lambda x: lm.squeeze(x, 0), lm.ShapeError, "squeeze: expected size 1 on axis 0"),
        (lambda x: lm.add(x, cast(Any, "a")), lm.ArgumentError, "add: expected an array or a"),
        (lambda x: np.linalg.eig(x), lm.ArgumentError, "np.linalg.eig"),
        (lambda x: np.linalg.inv(x), lm.ShapeError, "linalg.inv: expected square matrices"),
        (lambda x: lm.astype(x, lm.int8) + 300, lm.DTypeError, "from -128 to 127 for int8"),
        (lambda x: lm.astype(x, lm.int8) ** -1, lm.DomainError, "integer exponents of 0"),
        (lambda x: lm.zeros((-1,)), lm.ShapeError, "zeros: expected sizes of 0 or more"),
        (lambda x: lm.broadcast_to(x, (3, 5)), lm.ShapeError, "broadcast_to: expected a shape"),
        (lambda x: lm.where(x, 1, 2), lm.DTypeError, "where: expected a bool dtype"),
        (lambda x: lm.einsum("ij,jk", x), lm.ArgumentError, "einsum: expected 2 operands"),
        (lambda x: lm.einsum("i->i", x), lm.ShapeError, "einsum: expected 1 axes for i"),
        (lambda x: lm.einsum("i.->i", x), lm.ArgumentError, "einsum: expected an equation"),
        (lambda x: lm.einsum("ij,jk", x, x), lm.ShapeError, "einsum: expected one size of j"),
        (lambda x: lm.conv(x, x), lm.ShapeError, "conv: expected x"),
        (lambda x: x.__setitem__(0, lm.zeros(3)), lm.ShapeError, "set_item: expected a shape"),
        (lambda x: lm.broadcast_to(x, (2, 3, 4)).__setitem__(0, 1), lm.MutationError, "writable"),
    ],
)  # fmt: skip
def test_errors_are_equal_eager_and_traced(
    function: Callable[..., Any], error: type[LaminaError], text: str
) -> None:
    with pytest.raises(error) as eager:
        function(lm.asarray(A))
    with pytest.raises(error) as static:
        trace(function, (A,))
    assert text in str(eager.value)
    assert str(eager.value) == str(static.value)
    line = function.__code__.co_firstlineno
    assert str(eager.value).endswith(f"({__file__}:{line})")
