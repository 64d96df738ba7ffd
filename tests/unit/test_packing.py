"""Packed columns of contractions: small integers, whose sums are exact in any order, in all types.

Sizes lie around the vectors, the rows and the blocks; the packing must not lose a column.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from op_row import values
from op_table import rng_for

import lamina as lm
from lamina.interpreters import call
from lamina.interpreters.types import BF16, F16, F32, F64, DType

TYPES = (F32, F64, F16, BF16, np.dtype(np.int8), np.dtype(np.int64))


def small(dtype: DType, *shape: int) -> Any:
    """Integers from -2 to 2."""
    return values(rng_for(shape), np.dtype(np.int8), shape, -2, 2).astype(dtype)


def check_conv(dtype: DType, x: tuple[int, ...], w: tuple[int, ...], **given: Any) -> None:
    """Compiled against the meaning, which does not pack."""
    a, b = small(dtype, *x), small(dtype, *w)
    expected = call("conv", a, b, **given)
    pads = list(zip(given["padding"][::2], given["padding"][1::2], strict=True))

    def conv(a: Any, b: Any) -> Any:
        return lm.conv(
            a, b, strides=given["strides"], padding=pads, dilation=given["dilation"],
            groups=given["groups"],
        )  # fmt: skip

    assert np.array_equal(np.asarray(lm.jit(conv)(a, b)), expected), (dtype, x, w, given)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_rows_of_every_width(dtype: DType) -> None:
    for width, stride, spread, pads in (
        (1, 1, 1, (1, 1)), (3, 1, 1, (1, 1)), (5, 2, 1, (0, 2)), (8, 1, 2, (3, 0)),
        (17, 1, 1, (1, 1)), (18, 3, 1, (0, 0)), (33, 4, 2, (2, 5)), (40, 5, 1, (1, 0)),
    ):  # fmt: skip
        given = {
            "strides": (1, stride), "padding": (1, 0, *pads), "dilation": (1, spread), "groups": 1,
        }  # fmt: skip
        window = 3 if width + sum(pads) > 2 * spread else 1
        check_conv(dtype, (2, 3, 4, width), (5, 3, 2, window), **given)


def test_several_blocks_of_columns_and_depth() -> None:
    given = {"strides": (1, 1), "padding": (1, 1, 1, 1), "dilation": (1, 1), "groups": 1}
    check_conv(F32, (1, 70, 21, 37), (9, 70, 3, 3), **given)
    check_conv(F32, (1, 6, 41, 43), (6, 1, 3, 3), **{**given, "groups": 6})
    deep = {"strides": (2,) * 3, "padding": (1,) * 6, "dilation": (1,) * 3, "groups": 1}
    check_conv(F32, (2, 2, 5, 6, 19), (4, 2, 3, 3, 3), **deep)


def test_padding_wider_than_the_row() -> None:
    given = {"strides": (1, 1), "padding": (3, 3, 9, 9), "dilation": (1, 1), "groups": 1}
    check_conv(F32, (1, 2, 2, 3), (3, 2, 2, 4), **given)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_transposed_products(dtype: DType) -> None:
    product = lm.jit(lambda x, w: x @ w.T)
    for rows, columns, depth in ((9, 70, 33), (7, 3, 16), (30, 17, 8), (8, 64, 64), (5, 20, 1)):
        x, w = small(dtype, rows, depth), small(dtype, columns, depth)
        exact = (x.astype(np.int64) @ w.astype(np.int64).T).astype(dtype)
        assert np.array_equal(np.asarray(product(x, w)), exact), (rows, columns, depth)


def test_transposed_product_of_several_blocks() -> None:
    x, w = small(F32, 20, 1100), small(F32, 600, 1100)
    found = np.asarray(lm.jit(lambda x, w: x @ w.T)(x, w))
    assert np.array_equal(found, (x.astype(np.int64) @ w.astype(np.int64).T).astype(F32))


def test_columns_of_two_axes() -> None:
    x, w = small(F32, 9, 40), small(F32, 40, 7, 21)
    found = np.asarray(lm.jit(lambda x, w: lm.tensordot(x, w, axes=1))(x, w))
    assert np.array_equal(found, np.tensordot(x, w, 1))
