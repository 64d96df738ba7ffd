"""Ops that make and move elements, element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import references
from op_row import NUMERIC
from op_table import ROWS, SHAPES, rng_for
from references import assert_same, elements

from lamina.interpreters import MEANING, call
from lamina.interpreters.types import (
    BF16,
    BOOL,
    F32,
    F64,
    INT64,
    Array,
    DType,
)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", (BOOL, np.dtype(np.uint8), BF16, F64), ids=str)
def test_shape_ops_by_index(dtype: DType, shape: tuple[int, ...]) -> None:
    """Each element of the result is the one at the index that the op's definition gives."""
    for name in ("broadcast", "reshape", "transpose", "reverse", "pad", "slice", "dynamic_slice",
                 "dynamic_update_slice", "concat"):  # fmt: skip
        for turn in range(3):
            drawn = ROWS[name].draw(rng_for(name, shape, dtype, turn), shape, dtype)
            if drawn is None:
                assert name == "concat"
                continue
            operands, params = drawn
            found = call(name, *operands, **params)
            expected = [element_at(name, operands, params, i) for i in np.ndindex(*found.shape)]
            assert_same(found, elements(np.array(expected, dtype)), dtype, (name, params))
            assert found.shape == shape_after(name, operands, params), (name, params)


def element_at(
    name: str, operands: tuple[Array, ...], params: dict[str, Any], index: tuple[int, ...]
) -> Any:
    """The element of the result at `index`."""
    x = operands[0]
    shape: tuple[int, ...] = x.shape
    match name:
        case "broadcast":
            dims: tuple[int, ...] = params["dims"]
            return x[tuple(index[d] if n != 1 else 0 for d, n in zip(dims, shape, strict=True))]
        case "reshape":
            return x.flat[flat_index(index, params["shape"])]
        case "transpose":
            permutation: tuple[int, ...] = params["permutation"]
            return x[tuple(index[permutation.index(axis)] for axis in range(x.ndim))]
        case "reverse":
            return x[tuple(x.shape[a] - 1 - i if a in params["axes"] else i
                           for a, i in enumerate(index))]  # fmt: skip
        case "pad":
            at = [i - low for i, low in zip(index, params["low"], strict=True)]
            inside = all(0 <= i < n for i, n in zip(at, x.shape, strict=True))
            return x[tuple(at)] if inside else operands[1][()]
        case "slice":
            steps = zip(params["starts"], index, params["strides"], strict=True)
            return x[tuple(start + i * stride for start, i, stride in steps)]
        case "dynamic_slice":
            at = clamped(params["starts"], params["sizes"], x.shape)
            return x[tuple(i + start for i, start in zip(index, at, strict=True))]
        case "dynamic_update_slice":
            at = clamped(params["starts"], operands[1].shape, x.shape)
            place = tuple(i - start for i, start in zip(index, at, strict=True))
            inside = all(0 <= i < n for i, n in zip(place, operands[1].shape, strict=True))
            return operands[1][place] if inside else x[index]
        case _:
            axis: int = params["axis"]
            position = index[axis]
            for operand in operands:
                if position < operand.shape[axis]:
                    return operand[(*index[:axis], position, *index[axis + 1 :])]
                position -= operand.shape[axis]
            raise AssertionError("beyond the last operand")


def flat_index(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    result = 0
    for i, size in zip(index, shape, strict=True):
        result = result * size + i
    return result


def clamped(starts: Any, sizes: Any, shape: Any) -> list[int]:
    return [sorted((0, s, n - size))[1] for s, size, n in zip(starts, sizes, shape, strict=True)]


def shape_after(name: str, operands: Any, params: Any) -> tuple[int, ...]:
    """The shape that the op's definition gives."""
    shape = operands[0].shape
    match name:
        case "broadcast" | "reshape":
            return params["shape"]
        case "transpose":
            return tuple(shape[axis] for axis in params["permutation"])
        case "pad":
            return tuple(
                a + n + b for a, n, b in zip(params["low"], shape, params["high"], strict=True)
            )
        case "slice":
            limits = [n if b == -1 else b for b, n in zip(params["limits"], shape, strict=True)]
            steps = zip(params["starts"], limits, params["strides"], strict=True)
            return tuple(math.ceil((b - a) / stride) for a, b, stride in steps)
        case "dynamic_slice":
            return params["sizes"]
        case "concat":
            total = sum(x.shape[params["axis"]] for x in operands)
            return (*shape[: params["axis"]], total, *shape[params["axis"] + 1 :])
        case _:
            return shape


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_iota(dtype: DType) -> None:
    for axis, size in ((0, 300), (1, 5), (2, 0)):
        shape = tuple(size if a == axis else 2 for a in range(3))
        expected = [references.cast_element(i[axis], INT64, dtype) for i in np.ndindex(*shape)]
        assert_same(call("iota", axis=axis, shape=shape, dtype=dtype), expected, dtype)


def test_constant_dim_and_indices() -> None:
    x = np.zeros((3, 0, 2), F32)
    assert call("constant", value=x) is x
    assert [MEANING["dim"](x, axis=axis) for axis in range(3)] == [3, 0, 2]
    assert_same(np.asarray(MEANING["from_index"](7)), [7], INT64)
    index = MEANING["to_index"](np.array(-5))
    assert type(index) is int
    assert index == -5
