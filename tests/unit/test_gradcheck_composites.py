"""Every composite of the frontend through gradcheck, and its gradient eager and compiled.

`test_autograd.py` has more of them at second order. CI compiles a part; LAMINA_TEST_GRADCHECK=all
compiles all.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_gradcheck import WHOLE, close, losses

import lamina as lm

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
V = RNG.uniform(0.5, 1.5, size=6)
LINE, IMAGE, CUBE = (RNG.normal(size=(1, 2, *space)) for space in ((6,), (4, 5), (3, 3, 3)))
K1, K2, K3 = (RNG.normal(size=(2, 2, *space)) for space in ((3,), (2, 3), (2, 1, 2)))
PLACES = np.array([0, 2, 0, 1, 0])
AT = np.array([[2, 0, 2, 1], [0, 0, 1, 1]])

PAD_MODES = ("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean",
             "linear_ramp", "median")  # fmt: skip

UNARY = (
    "relu", "sigmoid", "silu", "gelu", "elu", "leaky_relu", "hardsigmoid", "hardswish", "softplus",
    "softmax", "log_softmax", "layer_norm", "rms_norm", "logsumexp", "sum", "prod", "max", "min",
    "mean", "var", "std", "diff", "flip", "tril", "triu", "copy", "square", "cumsum", "cumprod",
    "matrix_transpose", "erf", "erfc", "exp2", "expm1", "tan", "sinh", "cosh", "reciprocal",
)  # fmt: skip
BINARY = ("vecdot", "hypot", "logaddexp", "maximum", "minimum", "atan2", "divide")

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    **{name: (getattr(lm, name), (X,)) for name in UNARY},
    **{name: (getattr(lm, name), (X, Y)) for name in BINARY},
    "cumulative_sum": (lambda x: lm.cumulative_sum(x, axis=0, include_initial=True), (X,)),
    "cumulative_prod": (lambda x: lm.cumulative_prod(x, axis=1), (X,)),
    **{f"pad {mode}": (lambda x, mode=mode: lm.pad(x, ((1, 2), (2, 1)), mode=mode), (X,))
       for mode in PAD_MODES},
    **{f"resize {mode}": (lambda x, mode=mode: lm.resize(x, (1, 2, 7, 3), mode=mode), (IMAGE,))
       for mode in ("nearest", "linear", "cubic")},
    "group_norm": (lambda x: lm.group_norm(x, 2), (X,)),
    "batch_norm": (lambda x, m, v: lm.batch_norm(x, m, v), (X, X[0], X[0] ** 2 + 1)),
    "dot_product_attention": (lambda q, k: lm.dot_product_attention(q, k, k), (X, Y)),
    "conv 1": (lambda x, w: lm.conv(x, w, padding=1, strides=2), (LINE, K1)),
    "conv 2": (lambda x, w: lm.conv(x, w, padding="same", dilation=(1, 2)), (IMAGE, K2)),
    "conv 3": (lambda x, w: lm.conv(x, w), (CUBE, K3)),
    "conv_transpose 1": (lambda x, w: lm.conv_transpose(x, w, strides=2), (LINE[..., :3], K1)),
    "conv_transpose 2": (
        lambda x, w: lm.conv_transpose(x, w, padding=1, output_padding=1, strides=2),
        (IMAGE[..., :3, :3], K2)),
    "max_pool": (lambda x: lm.max_pool(x, 2, strides=1), (IMAGE,)),
    "avg_pool": (lambda x: lm.avg_pool(x, (2, 3), padding=1), (IMAGE,)),
    "outer": (lambda x, y: lm.outer(x[0], y[1]), (X, Y)),
    "matmul": (lambda x, y: x @ lm.matrix_transpose(y), (X, Y)),
    "tensordot": (lambda x, y: lm.tensordot(x, y, axes=((0,), (0,))), (X, Y)),
    "einsum": (lambda x, y, v: lm.einsum("ij,ij,i->j", x, y, v), (X, Y, V[:3])),
    "diagonal": (lambda x: lm.linalg.diagonal(x, offset=1), (X,)),
    "trace": (lm.linalg.trace, (X,)),
    "cross": (lambda x, y: lm.linalg.cross(x, y, axis=0), (X, Y)),
    "vector_norm": (lambda x: lm.linalg.vector_norm(x, axis=1), (X,)),
    "vector_norm 3": (lambda x: lm.linalg.vector_norm(x, ord=3), (X,)),
    "matrix_norm": (lm.linalg.matrix_norm, (X,)),
    "take": (lambda x: lm.take(x, PLACES, axis=0), (X,)),
    "take_along_axis": (lambda x: lm.take_along_axis(x, AT, axis=0), (X,)),
    "x[places, places]": (lambda x: x[PLACES, :, None][..., PLACES % 1], (X,)),
    "scatter_add": (lambda x, u: lm.scatter_add(x, PLACES, u), (X, RNG.normal(size=(5, 4)))),
    "put": (lambda x, u: written(lambda y: lm.put(y, PLACES, u), x), (V, V[:5] + 1)),
    "put_along_axis": (
        lambda x, u: written(lambda y: lm.put_along_axis(y, AT, u, axis=0), x), (X, Y[:2])),
    "x[places] = u": (lambda x, u: written(lambda y: y.__setitem__(PLACES, u), x), (X, Y[:1])),
    "roll": (lambda x: lm.roll(x, (1, 2), axis=(0, 1)), (X,)),
    "repeat": (lambda x: lm.repeat(x, 3, axis=1), (X,)),
    "tile": (lambda x: lm.tile(x, (2, 1, 2)), (X,)),
    "where": (lambda x, y: lm.where(x > y, x * y, lm.exp(x)), (X, Y)),
    "clip": (lambda x: lm.clip(x, -0.5, 0.8), (X,)),
    "concat": (lambda x, y: lm.concat([x, y, x], axis=1), (X, Y)),
    "stack": (lambda x, y: lm.stack([x, y], axis=1), (X, Y)),
    "unstack": (lambda x: lm.unstack(x, axis=1)[2] * lm.unstack(x, axis=1)[0], (X,)),
    "split": (lambda x: lm.split(x, 2, axis=1)[1] ** 2, (X,)),
    "broadcast_arrays": (lambda x, y: lm.broadcast_arrays(x, y[0])[1] * x, (X, Y)),
    "moves": (lambda x: lm.moveaxis(lm.swapaxes(lm.expand_dims(x, axis=1), 0, 2), 0, 1), (X,)),
    "sort": (lambda x: lm.sort(x, axis=0, descending=True), (X,)),
    "top_k": (lambda x: lm.top_k(x, 2)[0], (X,)),
    "power": (lambda x, y: x**y, (V, V[::-1].copy())),
}  # fmt: skip


def written(write: Callable[[Any], Any], x: Any) -> Any:
    """A copy of x that was written to."""
    y = lm.asarray(x, copy=True)
    write(y)
    return y


ELSEWHERE = {
    "wide": "not a user's function", "reduce": "", "sum_dtype": "", "centered": "", "operands": "",
    "convolved": "", "spatial": "", "conv_padding": "", "matrices": "", "paired": "",
    "along_axis": "", "variance": "", "broadcast_to": "test_autograd.py, through where and concat",
    "any": "bool", "all": "bool", "count_nonzero": "integers", "one_hot": "integers in",
    "astype": "test_dtypes", "reshape": "in `moves` and all others", "permute_dims": "in `moves`",
    "moveaxis": "in `moves`", "swapaxes": "in `moves`", "expand_dims": "in `moves`",
    "squeeze": "the inverse of expand_dims", "conv": "conv 1", "conv_transpose": "with a number",
    "pad": "each mode", "resize": "each mode",
}  # fmt: skip
MODULES = ("activations", "nn", "normalization", "windows", "resize", "padding", "linalg",
           "contraction", "scans", "transposed", "einsum", "reductions", "taking", "putting",
           "repetition", "manipulation")  # fmt: skip


def test_every_composite_is_here() -> None:
    names: set[str] = set()
    for module in MODULES:
        found = importlib.import_module(f"lamina.frontend.{module}")
        names |= {
            name
            for name, f in vars(found).items()
            if inspect.isfunction(f) and f.__module__ == found.__name__ and name[0] != "_"
        }
    public = {name for name in names if hasattr(lm, name) or hasattr(lm.linalg, name)}
    assert public - CASES.keys() - ELSEWHERE.keys() == set()


@pytest.mark.parametrize("name", CASES)
def test_differences(name: str) -> None:
    f, args = CASES[name]
    assert lm.gradcheck(f, [np.array(x) for x in args], order=2 if WHOLE else 1)


@pytest.mark.parametrize("name", [name for k, name in enumerate(CASES) if WHOLE or k % 10 == 3])
def test_tape_and_ir_agree(name: str) -> None:
    f, args = CASES[name]
    both = losses(f, list(args), name)
    close(lm.jit(both)(*args), both(*map(lm.asarray, args)), 1e-11)
