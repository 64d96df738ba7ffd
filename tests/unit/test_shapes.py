"""Shape rules against NumPy, and their errors."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend import shapes
from lamina.frontend.indexing import basic_index
from lamina.frontend.views import EAGER, row_major, viewed_strides


def random_shape(rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(size) for size in rng.choice([1, 1, 2, 3, 0], rng.integers(0, 4)))


@pytest.mark.parametrize("seed", range(50))
def test_broadcast_is_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = [random_shape(rng) for _ in range(rng.integers(1, 4))]
    try:
        expected = np.broadcast_shapes(*given)
    except ValueError:
        with pytest.raises(lm.ShapeError, match="f: expected shapes that broadcast"):
            shapes.broadcast_shapes("f", *given)
    else:
        assert shapes.broadcast_shapes("f", *given) == expected


def test_axes() -> None:
    assert shapes.axis_indices("f", None, 3) == (0, 1, 2)
    assert shapes.axis_indices("f", -1, 3) == (2,)
    assert shapes.axis_indices("f", [0, -1], 3) == (0, 2)
    assert shapes.axis_indices("f", (), 3) == ()
    for axis, text in (
        (3, "f: expected an axis from -3 to 2, found 3"),
        ((0, -3), "distinct axes"),
    ):
        with pytest.raises(lm.AxisError, match=text):
            shapes.axis_indices("f", axis, 3)
    with pytest.raises(lm.AxisError, match="no axis for a 0-d array"):
        shapes.axis_indices("f", 0, 0)
    with pytest.raises(lm.ArgumentError, match=r"expected an integer axis, found 1\.5"):
        shapes.axis_indices("f", 1.5, 3)


def test_reshaped() -> None:
    assert shapes.reshaped("f", (2, 3), -1) == (6,)
    assert shapes.reshaped("f", (2, 3), (3, -1)) == (3, 2)
    assert shapes.reshaped("f", (0, 3), (0,)) == (0,)
    assert shapes.reshaped("f", (), ()) == ()
    for wanted in ((4, -1), (-1, -1), (7,), (0, -1), (-2, 3)):
        with pytest.raises(lm.ShapeError):
            shapes.reshaped("f", (2, 3), wanted)


def test_conv_output() -> None:
    assert shapes.conv_output("conv", 7, 3, 2, (1, 1), 1) == 4
    assert shapes.conv_output("conv", 7, 3, 1, (0, 0), 3) == 1
    with pytest.raises(lm.ShapeError, match="expected a window of at most 2, found 3"):
        shapes.conv_output("conv", 2, 3, 1, (0, 0), 1)


@pytest.mark.parametrize(
    "key",
    [
        0, -1, slice(1, None), slice(None, None, -1), (Ellipsis, 1), (None, slice(3, 0, -2)),
        (slice(5, 1), 0), (), (0, 1, 2), (slice(-100, 100, 3), None, Ellipsis, None),
        (slice(None, None, -2), slice(None, None, -3), slice(None, None, -4)),
    ],
)  # fmt: skip
def test_basic_index_is_numpys(key: Any) -> None:
    x = np.arange(60).reshape(3, 4, 5)
    keys = key if isinstance(key, tuple) else (key,)
    starts, limits, strides, backwards, shape = basic_index(x.shape, keys)
    found = EAGER["slice"](x, starts=starts, limits=limits, strides=strides)
    found = EAGER["reverse"](found, axes=backwards).reshape(shape)
    np.testing.assert_array_equal(found, x[key])


def test_index_errors() -> None:
    for key, text in (
        ((3,), "from -3 to 2 on axis 0, found 3"),
        ((0, -5), "from -4 to 3 on axis 1, found -5"),
        ((0, 0, 0), "at most 2 keys, found 3"),
        ((Ellipsis, Ellipsis), "at most one ..., found 2"),
    ):
        with pytest.raises(lm.IndexRangeError, match=text.replace("...", r"\.\.\.")):
            basic_index((3, 4), key)
    with pytest.raises(lm.IndexRangeError, match=r"none \(the size is 0\)"):
        basic_index((0,), (0,))
    for key in ((slice(None, None, 0),), ("a",), (1.5,), (slice("a"),)):
        with pytest.raises(lm.ArgumentError):
            basic_index((3, 4), key)


@pytest.mark.parametrize("seed", range(40))
def test_view_or_copy_is_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.arange(48).reshape(2, 4, 6)
    strides: Any = row_major(x.shape)
    image: Any = x
    for _ in range(3):
        name = rng.choice(["slice", "reverse", "transpose", "reshape"])
        rank = image.ndim
        if name == "slice":
            starts = tuple(int(rng.integers(0, size)) for size in image.shape)
            steps = tuple(int(rng.integers(1, 3)) for _ in starts)
            params: Any = {"starts": starts, "limits": image.shape, "strides": steps}
        elif name == "reverse":
            params = {"axes": tuple(a for a in range(rank) if rng.integers(2))}
        elif name == "transpose":
            params = {"permutation": tuple(int(a) for a in rng.permutation(rank))}
        else:
            size = image.size
            first = int(rng.choice([d for d in range(1, size + 1) if size % d == 0]))
            params = {"shape": (first, size // first)}
        strides = viewed_strides(str(name), image.shape, strides, params)
        expected = EAGER[str(name)](image, **params)
        if strides is None:
            assert not np.shares_memory(expected, x)
            return
        assert np.shares_memory(expected, x)
        sizes = [n for n in expected.shape if n > 1]
        found = [s * 8 for s, n in zip(strides, expected.shape, strict=True) if n > 1]
        known = [s for s, n in zip(expected.strides, expected.shape, strict=True) if n > 1]
        assert len(sizes) == len(found)
        assert found == known
        image = expected
