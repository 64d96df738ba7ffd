"""Arrays in matplotlib, pandas, scikit-learn and torch, and back.

What is not installed is skipped: `make env` brings scikit-learn alone.
"""

# pyright: basic

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lamina as lm

X = np.arange(12.0).reshape(4, 3)


def need(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed")


def address(x: Any) -> int:
    return np.asarray(x).__array_interface__["data"][0]


def test_torch_shares_memory_both_ways() -> None:
    torch = need("torch")
    x = lm.asarray(X, dtype=lm.float32)
    tensor = torch.from_dlpack(x)
    assert tensor.dtype == torch.float32
    assert tensor.data_ptr() == address(x)
    tensor[0, 0] = 7.0
    assert x[0, 0] == 7.0
    back = lm.from_dlpack(tensor)
    assert address(back) == address(x)
    assert lm.jit(lambda a: a.sum())(back) == x.sum()


def test_torch_tensors_are_taken_and_refused() -> None:
    torch = need("torch")
    tensor = torch.arange(6).reshape(2, 3).T
    x = lm.asarray(tensor)
    np.testing.assert_array_equal(np.asarray(x), tensor.numpy())
    assert address(x) != tensor.data_ptr()  # asarray copies
    np.testing.assert_array_equal(np.asarray(lm.from_dlpack(tensor)), tensor.numpy())
    with pytest.raises(lm.ExchangeError, match="from_dlpack: .*grad"):
        lm.from_dlpack(torch.ones(3, requires_grad=True))
    with pytest.raises(lm.ExchangeError, match="asarray: .*grad"):
        lm.asarray(torch.ones(3, requires_grad=True))
    with pytest.raises(lm.ExchangeError, match="from_dlpack: "):
        lm.from_dlpack(torch.ones(3, dtype=torch.bfloat16))


def test_torch_takes_a_read_only_view_as_a_copy() -> None:
    torch = need("torch")
    view = lm.broadcast_to(lm.asarray([1.0, 2.0]), (3, 2))
    tensor = torch.as_tensor(np.array(view))
    assert tensor.tolist() == [[1.0, 2.0]] * 3


def test_pandas_both_ways() -> None:
    pandas = need("pandas")
    x = lm.asarray(X)
    frame = pandas.DataFrame(x, columns=["a", "b", "c"])
    assert frame["b"].tolist() == X[:, 1].tolist()
    series = pandas.Series(x[:, 0] * 2, name="double")
    assert series.dtype == np.float64
    frame["d"] = lm.sum(x, axis=1)
    assert frame["d"].tolist() == X.sum(axis=1).tolist()
    np.testing.assert_array_equal(np.asarray(lm.asarray(frame)), frame.to_numpy())
    np.testing.assert_array_equal(np.asarray(lm.asarray(series)), series.to_numpy())
    with pytest.raises(lm.DTypeError):
        lm.asarray(pandas.Series(["a", "b"]))


def test_matplotlib_draws() -> None:
    need("matplotlib").use("Agg")
    axes = need("matplotlib.figure").Figure().subplots()
    x = lm.linspace(0.0, 1.0, 5)
    (line,) = axes.plot(x, lm.sin(x))
    np.testing.assert_allclose(line.get_ydata(), np.sin(np.linspace(0, 1, 5)))
    assert axes.scatter(x, x, c=x, s=lm.full((5,), 20.0)).get_offsets().shape == (5, 2)
    assert axes.imshow(lm.asarray(X)).get_array().shape == (4, 3)
    counts, _, _ = axes.hist(lm.asarray(X.ravel()), bins=3)
    assert counts.tolist() == [4.0, 4.0, 4.0]
    axes.errorbar(x, x, yerr=x / 10)
    axes.fill_between(x, lm.zeros_like(x), x)
    axes.figure.canvas.draw()


SCIKIT = """
import numpy as np, sklearn, lamina as lm
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, mean_squared_error, r2_score
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import (
    LabelEncoder, MaxAbsScaler, MinMaxScaler, Normalizer, PolynomialFeatures, StandardScaler)

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 5))
y = (X[:, 0] > 0).astype(np.int64)
t = X @ np.arange(5.0) + 1
TABLE = {
    "MinMaxScaler": lambda X, y, t: MinMaxScaler().fit_transform(X),
    "StandardScaler": lambda X, y, t: StandardScaler().fit_transform(X),
    "MaxAbsScaler": lambda X, y, t: MaxAbsScaler().fit_transform(X),
    "Normalizer": lambda X, y, t: Normalizer().fit_transform(X),
    "PolynomialFeatures": lambda X, y, t: PolynomialFeatures().fit_transform(X),
    "Ridge": lambda X, y, t: Ridge(solver="svd").fit(X, t).predict(X),
    "GaussianNB": lambda X, y, t: GaussianNB().fit(X, y).predict(X),
    "LabelEncoder": lambda X, y, t: LabelEncoder().fit_transform(y),
    "euclidean_distances": lambda X, y, t: euclidean_distances(X),
    "rbf_kernel": lambda X, y, t: rbf_kernel(X),
    "accuracy_score": lambda X, y, t: accuracy_score(y, y),
    "r2_score": lambda X, y, t: r2_score(t, t * 0.9),
    "mean_squared_error": lambda X, y, t: mean_squared_error(t, t * 0.9),
    "PCA": lambda X, y, t: abs(PCA(2, svd_solver="full").fit_transform(X)),
    "LinearDiscriminantAnalysis":
        lambda X, y, t: LinearDiscriminantAnalysis().fit(X, y).predict(X),
    "train_test_split": lambda X, y, t: train_test_split(X, random_state=0)[0],
}
for name, function in TABLE.items():
    expected = function(X, y, t)
    with sklearn.config_context(array_api_dispatch=True):
        found = function(*map(lm.asarray, (X, y, t)))
    assert isinstance(found, (lm.Array, float)), (name, type(found))
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-8, err_msg=name)
print(len(TABLE))
"""


@pytest.mark.slow
def test_scikit_learn_dispatches_to_us() -> None:
    need("sklearn")
    root = Path(lm.__file__).parents[1]
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", SCIKIT], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 16
