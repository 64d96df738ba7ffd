"""Complex numbers: eager against longer arithmetic, compiled against eager, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from op_row import values
from op_table import rng_for
from references import assert_same, elements

import lamina as lm
from lamina.errors import DTypeError
from lamina.executable import execute_module
from lamina.interpreters.complexes import complex_
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import C64, C128, COMPLEX, Array, DType
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.registry import make_context

OPTIONS = CompileOptions(cache=False)
Function = Callable[[Any, Any], Any]


def dot(x: Any, y: Any) -> Any:
    return x @ y.T


def squared(x: Any, y: Any) -> Any:
    return x * x


def chosen(x: Array, y: Array) -> Array:
    return np.where(np.real(x) > 0, x, y)


def product_of_units(x: Array, y: Array) -> Array:
    return np.asarray(np.prod(x / np.abs(x)))


def from_int(x: Any, y: Any) -> Any:
    return lm.astype(lm.arange(3), x.dtype) + 1j


def updated(x: Any, y: Any) -> Any:
    x = lm.copy(x)
    x[1:, 0] = y[0, 0]
    return x


EXACT: dict[str, tuple[Function, Function | None]] = {
    "add": (lm.add, np.add),
    "subtract": (lm.subtract, np.subtract),
    "multiply": (lm.multiply, np.multiply),
    "divide": (lm.divide, np.divide),
    "negative": (lambda x, y: -x, lambda x, y: -x),
    "conj": (lambda x, y: lm.conj(x), lambda x, y: np.conj(x)),
    "real": (lambda x, y: lm.real(x), lambda x, y: x.real),
    "imag": (lambda x, y: lm.imag(y), lambda x, y: y.imag),
    "equal": (lambda x, y: lm.where(x[:, :1] == 1, x, y) == x, None),
    "not_equal": (lambda x, y: x != y, lambda x, y: x != y),
    "isfinite": (lambda x, y: lm.isfinite(x), lambda x, y: np.isfinite(x)),
    "isinf": (lambda x, y: lm.isinf(x), lambda x, y: np.isinf(x)),
    "isnan": (lambda x, y: lm.isnan(x), lambda x, y: np.isnan(x)),
    "square": (squared, lambda x, y: x * x),
    "python number": (lambda x, y: 2 - x * (1 - 3j), lambda x, y: 2 - x * (1 - 3j)),
    "where": (lambda x, y: lm.where(lm.real(x) > 0, x, y), chosen),
    "transpose": (lambda x, y: x.T, lambda x, y: x.T),
    "flip": (lambda x, y: lm.flip(x), lambda x, y: np.flip(x)),
    "slice": (lambda x, y: x[1:, ::2], lambda x, y: x[1:, ::2]),
    "update": (updated, None),
    "concat": (lambda x, y: lm.concat([x, y], axis=1), lambda x, y: np.concatenate([x, y], 1)),
    "stack": (lambda x, y: lm.stack([x, y], axis=-1), lambda x, y: np.stack([x, y], -1)),
    "pad": (lambda x, y: lm.pad(x, 1), lambda x, y: np.pad(x, 1)),
    "broadcast": (lambda x, y: x[:, None] + y, lambda x, y: x[:, None] + y),
    "reshape": (lambda x, y: lm.reshape(x, (-1,)), lambda x, y: x.reshape(-1)),
    "as bool": (lambda x, y: lm.astype(x, lm.bool), lambda x, y: x != 0),
    "any": (lambda x, y: lm.any(x, axis=1), lambda x, y: x.any(1)),
    "from int": (from_int, None),
    "wider": (lambda x, y: lm.astype(x, lm.complex128), lambda x, y: x.astype(C128)),
    "narrower": (lambda x, y: lm.astype(x, lm.complex64), lambda x, y: x.astype(C64)),
    "constant": (lambda x, y: x + np.full((3, 70), 1 - 2j, x.dtype), lambda x, y: x + (1 - 2j)),
}
"""Name -> a function that gives equal bits eager and compiled, and the same of NumPy arrays."""

NEAR: dict[str, tuple[Function, Function]] = {
    "abs": (lambda x, y: abs(x), lambda x, y: np.abs(x)),
    "matmul": (dot, lambda x, y: x @ y.T),
    "exp": (lambda x, y: lm.exp(x), lambda x, y: np.exp(x)),
    "sum": (lambda x, y: lm.sum(x, axis=1), lambda x, y: np.sum(x, 1)),
    "sum all": (lambda x, y: lm.sum(x), lambda x, y: np.sum(x)),
    "mean": (lambda x, y: lm.mean(x, axis=0), lambda x, y: np.mean(x, 0)),
    "prod": (lambda x, y: lm.prod(x, axis=0), lambda x, y: np.prod(x, 0)),
    "prod all": (lambda x, y: lm.prod(x / abs(x)), product_of_units),
}
"""The same, for functions with a bound."""


def both(function: Callable[..., Any], *operands: Array) -> tuple[Array, Array]:
    """The function of eager arrays, and compiled."""
    eager = np.asarray(function(*map(lm.asarray, operands)))
    return eager, np.asarray(lm.jit(function, options=OPTIONS)(*operands))


def operands(name: str, dtype: DType, shape: tuple[int, ...] = (3, 70)) -> tuple[Array, Array]:
    """Two arrays, whose elements are not small."""
    rng = rng_for(name, dtype)
    x, y = (values(rng, dtype, shape, 0.25, 2) for _ in range(2))
    return x * rng.choice([1, -1, 1j, -1j], shape).astype(dtype), y


def assert_near(found: Array, exact: Array, dtype: DType, units: float) -> None:
    """As far apart as `units` of rounding, in the complex plane."""
    assert found.shape == exact.shape
    unit = 2.0**-24 if np.finfo(dtype).bits == 32 else 2.0**-53
    largest = np.maximum(np.abs(exact), np.max(np.abs(exact), initial=0) * 1e-2)
    assert np.all(np.abs(found - exact) <= units * unit * largest)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_equal_bits(name: str, dtype: DType) -> None:
    function, numpy = EXACT[name]
    x, y = operands(name, dtype)
    eager, compiled = both(function, x, y)
    assert_same(compiled, elements(eager), eager.dtype, name)
    if numpy is not None:
        exact = np.asarray(numpy(x.astype(np.clongdouble), y.astype(np.clongdouble)))
        if exact.dtype == bool:
            np.testing.assert_array_equal(eager, exact)
        else:
            assert_near(eager, exact, dtype, 8)
        assert eager.dtype == np.asarray(numpy(x, y)).dtype


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("name", NEAR)
def test_within_bounds(name: str, dtype: DType) -> None:
    function, numpy = NEAR[name]
    x, y = operands(name, dtype)
    exact = np.asarray(numpy(x.astype(np.clongdouble), y.astype(np.clongdouble)))
    for found in both(function, x, y):
        assert found.dtype.itemsize == dtype.itemsize // (1 if exact.dtype.kind == "c" else 2)
        assert_near(found, exact, dtype, 700 if "all" in name else 80)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_special_values_agree(dtype: DType) -> None:
    rng = rng_for("special", dtype)
    x, y = (values(rng, dtype, (40, 67), special=0.6) for _ in range(2))
    for name in ("add", "subtract", "multiply", "divide", "isfinite", "isinf", "isnan"):
        eager, compiled = both(EXACT[name][0], x, y)
        assert_same(compiled, elements(eager), eager.dtype, name)


ANNEX_G = [
    (0.0, 0.0, 1.0, 0.0), (-0.0, -0.0, 1.0, -0.0), (1.0, inf, nan, nan), (1.0, nan, nan, nan),
    (inf, 0.0, inf, 0.0), (inf, -0.0, inf, -0.0), (-inf, 2.0, -0.0, 0.0), (-inf, -2.0, -0.0, -0.0),
    (inf, 2.0, -inf, inf), (-inf, inf, 0.0, 0.0), (inf, inf, inf, nan), (-inf, nan, 0.0, 0.0),
    (inf, nan, inf, nan), (nan, 0.0, nan, 0.0), (nan, 1.0, nan, nan), (nan, nan, nan, nan),
]  # fmt: skip
"""Parts of z and of exp(z); signs of zeros are not compared where the standard leaves them open."""


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_exp_has_the_special_values_of_annex_g(dtype: DType) -> None:
    re, im, *expected = np.array(ANNEX_G).T
    z = complex_(re, im).astype(dtype)
    for found in both(lm.exp, z):
        np.testing.assert_array_equal(np.real(found), expected[0])
        np.testing.assert_array_equal(np.imag(found), expected[1])


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_exp_overflows_no_earlier_than_its_parts(dtype: DType) -> None:
    large = 89.0 if dtype == C64 else 710.0
    angles = np.array([1.5707, 1.57, -1.5707, 0.01])
    z = (large + 1j * angles).astype(dtype)
    wide = z.astype(np.clongdouble)
    exact = np.exp(wide.real - 40) * np.stack([np.cos(wide.imag), np.sin(wide.imag)])
    exact *= np.exp(np.longdouble(40))
    for found in both(lm.exp, z):
        parts: Array = np.stack([np.real(found), np.imag(found)])
        with np.errstate(over="ignore"):
            rounded = exact.astype(parts.dtype)
        finite = np.isfinite(rounded)
        np.testing.assert_array_equal(np.isfinite(parts), finite)
        unit = 2.0**-23 if dtype == C64 else 2.0**-52
        assert np.all(np.abs(parts - exact)[finite] <= 8 * unit * np.abs(exact)[finite])
        assert finite.any() and not finite.all()


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (2, 0, 3), (2, 3, 4, 1)])
def test_shapes(shape: tuple[int, ...]) -> None:
    def function(x: Any, y: Any) -> Any:
        return x * y + 1j, lm.sum(x), lm.prod(y), lm.abs(x) > 1

    x, y = operands("shapes", C64, shape)
    compiled = lm.jit(function, options=OPTIONS)(x, y)
    for eager, found in zip(function(lm.asarray(x), lm.asarray(y)), compiled, strict=True):
        np.testing.assert_allclose(np.asarray(found), np.asarray(eager), rtol=1e-6)
        assert found.dtype == eager.dtype


LOOP = """
func.func @main(%x: tensor<?xcomplex<f64>>, %p: tensor<i64>)
    -> (tensor<?xcomplex<f64>>, tensor<i64>) {
  %number = nd.to_index %p : tensor<i64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = nd.dim %x axis 0 : tensor<?xcomplex<f64>>
  %size = nd.from_index %n : tensor<i64>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%c = %x, %k = %size)
      -> (tensor<?xcomplex<f64>>, tensor<i64>) {
    %re = nd.real %c : tensor<?xcomplex<f64>> -> tensor<?xf64>
    %im = nd.imag %c : tensor<?xcomplex<f64>> -> tensor<?xf64>
    %turned = nd.complex %im, %re : tensor<?xf64> -> tensor<?xcomplex<f64>>
    %s = nd.add %turned, %x : tensor<?xcomplex<f64>>
    %flag = arith.cmpi ne, %number, %c0 : index
    %t = scf.if %flag -> (tensor<?xcomplex<f64>>) {
      scf.yield %s : tensor<?xcomplex<f64>>
    } else {
      %m = nd.negative %s : tensor<?xcomplex<f64>>
      scf.yield %m : tensor<?xcomplex<f64>>
    }
    %k2 = nd.add %k, %k : tensor<i64>
    scf.yield %t, %k2 : tensor<?xcomplex<f64>>, tensor<i64>
  }
  func.return %r#0, %r#1 : tensor<?xcomplex<f64>>, tensor<i64>
}
"""


@pytest.mark.parametrize("flag", [0, 1])
def test_loops_and_branches_carry_both_parts(flag: int) -> None:
    x, _ = operands("loop", C128, (5,))
    inputs = [x, np.array(flag)]
    found = execute_module(parse_module(make_context(), LOOP), "main", inputs, OPTIONS)
    expected = evaluate(parse_module(make_context(), LOOP), "main", inputs)
    for a, b in zip(found, expected, strict=True):
        assert_same(a, elements(b), b.dtype)


def test_arguments_that_are_written_and_captured_arrays() -> None:
    scale = np.array([2j, 1 + 1j, 3])

    @lm.jit
    def function(x: Any) -> Any:
        x[0] = x[1] * scale
        return x + scale

    x, _ = operands("written", C128, (4, 3))
    before = x.copy()
    result = np.asarray(function(x))
    before[0] = before[1] * scale
    np.testing.assert_allclose(x, before, rtol=1e-15)
    np.testing.assert_allclose(result, before + scale, rtol=1e-15)


def test_what_is_refused_says_where() -> None:
    x = np.array([1 + 2j])
    real_only: list[Callable[[Any], Any]] = [
        lambda z: lm.astype(z, lm.float32), lambda z: lm.floor(z), lambda z: z < 1j,
    ]  # fmt: skip
    for function in real_only:
        with pytest.raises(DTypeError) as eager:
            function(lm.asarray(x))
        with pytest.raises(DTypeError) as traced:
            lm.jit(function)(x)
        assert str(eager.value) == str(traced.value)
