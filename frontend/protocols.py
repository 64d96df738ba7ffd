"""NumPy's functions on our arrays: `np.exp(x)`, `np.sum(x, axis=0)`, `np.concatenate([x, y])`.

A name that stands in neither table is a `TypeError` that names it: nothing falls back to NumPy.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from lamina.errors import ArgumentError
from lamina.frontend.array import Array
from lamina.frontend.bind import as_array, values
from lamina.frontend.dispatch import FUNCTIONS, public
from lamina.frontend.indexing import set_item
from lamina.frontend.location import fail

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

REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""Name of a NumPy ufunc -> what its `reduce` is."""

SCANS = {"add": "cumulative_sum", "multiply": "cumulative_prod"}
"""Name of a NumPy ufunc -> what its `accumulate` is."""

NAMES = {
    **{
        name: name
        for name in [
            "all",
            "any",
            "argmax",
            "argmin",
            "astype",
            "broadcast_arrays",
            "broadcast_to",
            "clip",
            "concat",
            "copy",
            "count_nonzero",
            "diff",
            "einsum",
            "max",
            "min",
            "empty_like",
            "expand_dims",
            "flip",
            "full_like",
            "imag",
            "mean",
            "meshgrid",
            "moveaxis",
            "ones_like",
            "outer",
            "prod",
            "real",
            "isin",
            "nonzero",
            "repeat",
            "reshape",
            "result_type",
            "roll",
            "split",
            "stack",
            "std",
            "sum",
            "swapaxes",
            "take",
            "take_along_axis",
            "tensordot",
            "tile",
            "tril",
            "triu",
            "unstack",
            "var",
            "where",
            "zeros_like",
            "cumulative_sum",
            "cumulative_prod",
            "searchsorted",
            "unique_all",
            "unique_counts",
            "unique_inverse",
            "unique_values",
            "matrix_transpose",
        ]
    },
    "amax": "max",
    "amin": "min",
    "concatenate": "concat",
    "argsort": "numpy_argsort",
    "cumprod": "cumprod",
    "cumsum": "cumsum",
    "dot": "matmul",
    "permute_dims": "permute_dims",
    "round": "round",
    "around": "round",
    "transpose": "numpy_transpose",
    "ravel": "numpy_ravel",
    "vstack": "numpy_vstack",
    "hstack": "numpy_hstack",
    "squeeze": "numpy_squeeze",
    "shape": "numpy_shape",
    "sort": "numpy_sort",
    "ndim": "numpy_ndim",
    "size": "numpy_size",
}
"""Name of another NumPy function -> our function."""

KEYWORDS = {"ddof": "correction", "a_min": "min", "a_max": "max", "decimals": None, "order": None}
"""NumPy's keyword -> ours; None is dropped when it has NumPy's default."""

_DEFAULTS: tuple[Any, ...] = (None, np._NoValue, "K", "C", "same_kind", True, 0)  # type: ignore[attr-defined]


@public
def from_ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`Array.__array_ufunc__`: our function of the ufunc's name, its result written to `out`."""
    table = {"__call__": UFUNCS, "reduce": REDUCTIONS, "accumulate": SCANS}.get(method, {})
    name = table.get(ufunc.__name__, "")
    if name not in FUNCTIONS:
        called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        _unknown(f"np.{called}")
    out: Any = options.pop("out", None)
    if method in ("reduce", "accumulate"):
        options.setdefault("axis", 0)
    result = FUNCTIONS[name](*inputs, **_known(name, options))
    if out is None:
        return result
    return _written(out[0], result)


@public
def from_numpy_function(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`Array.__array_function__`: our function of the NumPy function's name."""
    module = (getattr(function, "__module__", "") or "numpy").removeprefix("numpy").strip(".")
    name = "" if module else NAMES.get(function.__name__, "")
    if name not in FUNCTIONS:
        _unknown(".".join(part for part in ("np", module, function.__name__) if part))
    out: Any = options.pop("out", None)
    accepted = inspect.signature(FUNCTIONS[name]).parameters.values()
    places = sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in accepted)
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in accepted):
        places = len(arguments)
    for key, value in zip(_parameters(function)[places:], arguments[places:], strict=False):
        options[key] = value
    result = FUNCTIONS[name](*arguments[:places], **_known(name, options))
    return result if out is None else _written(out, result)


def _written(out: Any, result: Array) -> Any:
    if isinstance(out, Array):
        set_item(out, ..., result)
    else:
        np.copyto(out, values(result), casting="same_kind")
    return out


def _parameters(function: Callable[..., Any]) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # a C function without a signature
        return []


def _known(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """NumPy's keywords as ours. Those that we lack must have a value that says nothing."""
    accepted = inspect.signature(FUNCTIONS[name]).parameters
    known: dict[str, Any] = {}
    for key, value in options.items():
        ours = KEYWORDS.get(key, key) or key
        if value is np._NoValue:  # type: ignore[attr-defined]
            continue
        if ours in accepted:
            known[ours] = value
        elif not any(value is default for default in _DEFAULTS):
            fail(ArgumentError, f"np.{name}: expected no {key}, found {value!r}")
    return known


def _unknown(name: str) -> NoReturn:
    fail(ArgumentError, f"{name}: expected a function that lamina has, found none of this name")


# where NumPy's meaning is not that of a function of ours


def _transpose(x: Array, axes: Any = None) -> Array:
    return as_array("transpose", x).transpose(axes)


def _ravel(x: Array) -> Array:
    return as_array("ravel", x).reshape(-1)


def _vstack(arrays: Sequence[Array]) -> Array:
    found = [as_array("vstack", x) for x in arrays]
    return FUNCTIONS["concat"]([x if x.ndim > 1 else x.reshape(1, -1) for x in found])


def _hstack(arrays: Sequence[Array]) -> Array:
    found = [as_array("hstack", x) for x in arrays]
    found = [x if x.ndim else x.reshape(1) for x in found]
    return FUNCTIONS["concat"](found, axis=0 if found[0].ndim == 1 else 1)


def _squeeze(x: Array, axis: Any = None) -> Array:
    return as_array("squeeze", x).squeeze(axis)


def _sorted(name: str, x: Array, axis: Any, kind: Any, stable: Any) -> Array:
    """By any of NumPy's algorithms: the result of each is that of the stable one."""
    if kind not in (None, "quicksort", "heapsort", "mergesort", "stable"):
        fail(ArgumentError, f"np.{name}: expected the name of an algorithm as kind, found {kind!r}")
    if axis is None:
        x, axis = _ravel(x), 0
    return FUNCTIONS[name](x, axis=axis, stable=True if stable is None else stable)


def _sort(x: Array, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Array:
    return _sorted("sort", x, axis, kind, stable)


def _argsort(x: Array, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Array:
    return _sorted("argsort", x, axis, kind, stable)


def _shape(x: Array) -> tuple[int, ...]:
    return x.shape


def _ndim(x: Array) -> int:
    return x.ndim


def _size(x: Array) -> int:
    return x.size


FUNCTIONS.update(
    numpy_transpose=_transpose,
    numpy_ravel=_ravel,
    numpy_vstack=_vstack,
    numpy_hstack=_hstack,
    numpy_squeeze=_squeeze,
    numpy_argsort=_argsort,
    numpy_shape=_shape,
    numpy_sort=_sort,
    numpy_ndim=_ndim,
    numpy_size=_size,
)
