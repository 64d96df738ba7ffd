"""Bugs of other compilers that users met, on indices: each named by its number in the list of
regressions, eager and compiled."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lamina as lm

RUNS = pytest.mark.parametrize("run", (lambda f: f, lm.jit), ids=("eager", "compiled"))


@RUNS
def test_regression_r72_computed_negative_indices(run: Any) -> None:
    x = lm.arange(20.0)
    read = run(lambda x, n: x[lm.arange(-1, -21, -1) + n])
    assert read(x, lm.asarray(0)).tolist() == list(range(19, -1, -1))
    with pytest.raises(lm.IndexRangeError, match="from -20 to 19 on axis 0, found 20"):
        read(x, lm.asarray(21))


@RUNS
def test_regression_r75_out_of_range_is_no_number(run: Any) -> None:
    x, i = lm.asarray([5, 6, 7]), lm.asarray([3, -4, -1])
    with pytest.raises(lm.IndexRangeError):
        run(lambda x, i: lm.take(x, i))(x, i)
    assert run(lambda x, i: lm.take(x, i, mode="fill"))(x, i).tolist() == [0, 0, 7]
    run(lambda x, i: lm.put(x, i, lm.asarray([1, 2, 3]), mode="fill"))(x, i)
    assert x.tolist() == [5, 6, 3]


@RUNS
def test_regression_r77_an_ignored_label_is_not_read(run: Any) -> None:
    def nll(logits: Any, labels: Any) -> Any:
        kept = labels != -100
        picked = lm.take_along_axis(logits, labels[:, None], axis=1, mode="fill")[:, 0]
        return -lm.sum(lm.where(kept, picked, 0.0)) / lm.sum(lm.astype(kept, lm.float64))

    logits = lm.log_softmax(lm.asarray(np.random.default_rng(0).normal(size=(4, 3))), axis=1)
    labels = lm.asarray([2, -100, 0, -100])
    expected = -(np.asarray(logits)[0, 2] + np.asarray(logits)[2, 0]) / 2
    assert abs(float(run(nll)(logits, labels)) - expected) < 1e-12


@RUNS
def test_regression_r95_gathers_and_scatters(run: Any) -> None:
    x = lm.asarray([1, 2, 3, 4, 5])
    assert run(lambda x, i: x[i])(x, lm.asarray([-1, -3, 0])).tolist() == [5, 3, 1]
    grid = lm.asarray([[1, 2], [3, 4]])
    assert run(lambda x, i: x[i, i])(grid, lm.asarray([-1])).tolist() == [4]
    with pytest.raises(lm.IndexRangeError, match="from -5 to 4 on axis 0, found 5"):
        run(lambda x, i: lm.scatter_add(x, i, 1))(x, lm.asarray([5]))
