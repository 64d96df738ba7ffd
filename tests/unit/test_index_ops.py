"""Ops with index tensors, element by element: what the definition says, with Python ints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from op_rows_indexing import SCATTERS
from op_table import ROWS, SHAPES, rng_for
from references import assert_same, elements

from lamina.interpreters import call
from lamina.interpreters.indexing import scatter_into
from lamina.interpreters.types import BF16, BOOL, F64, INT64, Array, DType

Shape = tuple[int, ...]


def place(x: Shape, indices: list[Any], params: dict[str, Any], at: Shape) -> Shape:
    """Where in the operand the element at `at` of the space is; indices as they are, negative
    ones counted from the end."""
    index_dims: Shape = params["index_dims"]
    dims: Shape = params["dims"]
    index_at = tuple(at[d] for d in index_dims)
    left = iter(dims)
    found: list[int] = []
    for axis, size in enumerate(x):
        if axis in params["axes"]:
            index = int(indices[params["axes"].index(axis)][index_at])
            found.append(index + size if index < 0 else index)
        else:
            found.append(at[next(left)])
    return tuple(found)


def space(x: Shape, index: Shape, params: dict[str, Any]) -> Shape:
    """The shape of the space."""
    walked = [size for axis, size in enumerate(x) if axis not in params["axes"]]
    sizes = {
        **dict(zip(params["dims"], walked, strict=True)),
        **dict(zip(params["index_dims"], index, strict=True)),
    }
    return tuple(sizes[d] for d in range(len(sizes)))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", (BOOL, np.dtype(np.uint8), BF16, F64), ids=str)
def test_gather_by_index(dtype: DType, shape: Shape) -> None:
    for turn in range(8):
        drawn = ROWS["gather"].draw(rng_for("gather", shape, dtype, turn), shape, dtype)
        if drawn is None:
            assert 0 in shape or shape == ()
            continue
        (x, *indices), params = drawn
        expected_shape = space(x.shape, indices[0].shape, params)
        expected: list[Any] = []
        for at in np.ndindex(*expected_shape):
            found = place(x.shape, indices, params, at)
            clamped = (min(max(i, 0), size - 1) for i, size in zip(found, x.shape, strict=True))
            expected.append(x[tuple(clamped)])
        found = call("gather", x, *indices, **params)
        assert found.shape == expected_shape
        assert_same(found, elements(np.array(expected, dtype)), dtype, params)


def test_gather_of_nothing() -> None:
    none: Array = np.zeros((0, 3))
    params = {"axes": (0,), "dims": (1,), "index_dims": (0,)}
    assert call("gather", none, np.zeros(0, INT64), **params).shape == (0, 3)
    assert call("gather", np.zeros((3, 0)), np.array([7, 2]), **params).shape == (2, 0)


@pytest.mark.parametrize("kind", ["set", *SCATTERS])
@pytest.mark.parametrize("dtype", (BOOL, np.dtype(np.uint8), BF16, F64), ids=str)
def test_scatter_by_index(dtype: DType, kind: str) -> None:
    """One update after the other, in row-major order; what is out of range is left out."""
    row = SCATTERS[kind] if kind in SCATTERS else ROWS["scatter"]
    if dtype not in row.dtypes:
        return
    name = {"scatter_add": "add", "scatter_mul": "multiply", "scatter_max": "maximum",
            "scatter_min": "minimum"}.get(kind)  # fmt: skip
    for shape in SHAPES:
        for turn in range(4):
            drawn = row.draw(rng_for(kind, shape, dtype, turn), shape, dtype, special=0.3)
            if drawn is None:
                continue
            (x, updates, *indices), params = drawn
            expected = np.array(x)
            for at in np.ndindex(*updates.shape):
                found = place(x.shape, indices, params, at)
                if all(0 <= i < size for i, size in zip(found, x.shape, strict=True)):
                    value = updates[at]
                    if name is not None:
                        value = call(name, np.asarray(expected[found]), np.asarray(value))
                    expected[found] = value
            result = call("scatter", x, updates, *indices, **params)
            assert result.shape == x.shape
            assert_same(result, elements(expected), dtype, (kind, params))


def test_scatter_updates_that_share_memory() -> None:
    x = np.arange(4.0)
    params: dict[str, Any] = {"kind": "set", "axes": (0,), "dims": (), "index_dims": (0,)}
    scatter_into(x, x[::-1], np.arange(4), **params)
    assert x.tolist() == [3.0, 2.0, 1.0, 0.0]
