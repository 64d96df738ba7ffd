"""NumPy's functions on our arrays: `np.exp(x)`, `np.sum(x, axis=0)`, `np.concatenate([x, y])`.

A name that stands in no table is an error that names it: nothing falls back to NumPy.
`numpy_functions` has the functions whose arguments are not those of one of ours.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from lamina.errors import ArgumentError
from lamina.frontend import numpy_functions
from lamina.frontend.array import Array
from lamina.frontend.bind import values
from lamina.frontend.dispatch import FUNCTIONS, public
from lamina.frontend.indexing import set_item
from lamina.frontend.location import fail, shown

SAME = (
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_or bitwise_xor ceil conj "
    "copysign cos cosh divide equal exp exp2 expm1 floor floor_divide greater greater_equal hypot "
    "isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not "
    "logical_or logical_xor matmul maximum minimum multiply negative nextafter not_equal positive "
    "pow reciprocal remainder sign signbit sin sinh sqrt square subtract tan tanh trunc vecdot"
)
UFUNCS = {
    **{name: name for name in SAME.split()},
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
"""Name of a NumPy ufunc -> our function."""

METHODS: dict[str, dict[str, str]] = {
    "__call__": UFUNCS,
    "reduce": {
        "add": "sum",
        "multiply": "prod",
        "maximum": "max",
        "minimum": "min",
        "logical_and": "all",
        "logical_or": "any",
    },
    "accumulate": {"add": "cumsum", "multiply": "cumprod"},
    "outer": {"multiply": "numpy.multiply_outer"},
}
"""Method of a ufunc -> name of the ufunc -> our function."""

SAME_NAMES = (
    "all any argmax argmin astype broadcast_arrays broadcast_to clip concat copy "
    "count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff einsum empty_like "
    "expand_dims flip full_like imag isin matrix_transpose max mean meshgrid min moveaxis nonzero "
    "ones_like outer permute_dims prod put put_along_axis real "
    "repeat reshape result_type roll round searchsorted "
    "split stack std sum swapaxes take take_along_axis tensordot tile tril triu unique_all "
    "unique_counts unique_inverse unique_values unstack var where zeros_like"
)
LINALG = (
    "cholesky cross det diagonal eigh eigvalsh inv matrix_norm matrix_power matrix_rank pinv qr "
    "slogdet solve svd svdvals trace vector_norm"
)
FFT = "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn"
NAMES = {
    **{name: name for name in SAME_NAMES.split()},
    **{f"linalg.{name}": f"linalg.{name}" for name in LINALG.split()},
    **{f"fft.{name}": f"fft.{name}" for name in FFT.split()},
    **{f"linalg.{name}": name for name in ("matrix_transpose", "outer", "tensordot")},
    **{name: f"numpy.{name}" for name in numpy_functions.NAMES},
    "amax": "max",
    "amin": "min",
    "around": "round",
    "concatenate": "concat",
}
"""Name of another NumPy function, less "numpy." -> our function."""

KEYWORDS = {"ddof": "correction", "a_min": "min", "a_max": "max"}
"""NumPy's keyword -> ours."""

_UFUNC_DEFAULTS: dict[str, Any] = {
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
    "where": True,
    "initial": np._NoValue,  # type: ignore[attr-defined]
}


@public
def from_ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`Array.__array_ufunc__`: our function of the ufunc's name, its result written to `out`."""
    called = f"np.{ufunc.__name__}" if method == "__call__" else f"np.{ufunc.__name__}.{method}"
    name = METHODS.get(method, {}).get(ufunc.__name__, "")
    if name not in FUNCTIONS:
        _unknown(called)
    out: Any = options.pop("out", None)
    if method in ("reduce", "accumulate"):
        options.setdefault("axis", 0)
    result = _applied(called, FUNCTIONS[name], inputs, options, _UFUNC_DEFAULTS)
    return result if out is None or out[0] is None else _written(out[0], result)


@public
def from_numpy_function(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`Array.__array_function__`: our function of the NumPy function's name."""
    module = (getattr(function, "__module__", "") or "numpy").removeprefix("numpy").strip(".")
    path = f"{module}.{function.__name__}" if module else function.__name__
    name = NAMES.get(path, "")
    if name not in FUNCTIONS:
        _unknown(f"np.{path}")
    out: Any = options.pop("out", None)
    ours, defaults = FUNCTIONS[name], _defaults(function)
    arguments, options = _arranged(ours, [*defaults], arguments, options)
    result = _applied(f"np.{path}", ours, arguments, options, defaults)
    return result if out is None else _written(out, result)


def _arranged(
    ours: Callable[..., Any], names: list[str], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments by NumPy's parameter `names`, but for those that ours has no name for."""
    accepted = inspect.signature(ours).parameters.values()
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in accepted):
        return arguments, options
    places = sum(parameter.kind is parameter.POSITIONAL_ONLY for parameter in accepted)
    if not names:
        return arguments, options
    given = {**dict(zip(names, arguments, strict=False)), **options}
    first = tuple(given.pop(name) for name in names[:places] if name in given)
    return first, given


def _written(out: Any, result: Array) -> Any:
    if isinstance(out, Array):
        set_item(out, ..., result)
    else:
        np.copyto(out, values(result), casting="same_kind")
    return out


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a NumPy function, with their defaults."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # a C function without a signature
        return {}
    return {name: parameter.default for name, parameter in parameters.items()}


def _applied(
    called: str,
    ours: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    defaults: Mapping[str, Any],
) -> Any:
    """`ours` with NumPy's keywords. Those that we lack must have NumPy's default."""
    signature = inspect.signature(ours)
    known: dict[str, Any] = {}
    for key, value in options.items():
        name = KEYWORDS.get(key, key)
        if value is np._NoValue:  # type: ignore[attr-defined]
            continue
        if name in signature.parameters:
            known[name] = value
        elif value is not None and not _is_default(value, defaults.get(key)):
            fail(ArgumentError, f"{called}: expected no {key}, found {shown(value)}")
    try:
        signature.bind(*arguments, **known)
    except TypeError as error:
        fail(ArgumentError, f"{called}: {error}")
    return ours(*arguments, **known)


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def _unknown(name: str) -> NoReturn:
    fail(ArgumentError, f"{name}: expected a function that lamina has, found none of this name")
