"""Writes and views: NumPy's result, eager and traced (interpreted), also for the arguments."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.aliases import memory_of, root_of
from lamina.frontend.trace import trace
from lamina.interpreters.evaluate import evaluate

Program = Callable[[Any], Any]


def run_traced(function: Program, x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The result, and the argument's values after the call."""
    program = trace(function, (x,))
    program.module.verify()
    found = evaluate(program.module, "main", [x], program.resources)
    after = found[len(found) - len(program.written) :]
    return [found[0], after[0] if program.written else x]


def write_row(x: Any) -> Any:
    x[1] = 7
    return x + 0


def write_column(x: Any) -> Any:
    x[:, 2] = x[:, 0]
    return x + 0


def write_strided(x: Any) -> Any:
    x[::2, 1::2] = -1
    return x + 0


def write_backwards(x: Any) -> Any:
    x[::-1, ::-2] = x[:, :2]
    return x + 0


def write_through_transpose(x: Any) -> Any:
    y = x.T
    y[1] = 5
    return x + 0


def view_sees_later_write(x: Any) -> Any:
    y = x[1:]
    x[2] = 9
    return y + 0


def chain_of_views(x: Any) -> Any:
    y = x[1:, 1:].T[::-1]
    y[0, 1:] = 3
    y += 1
    return x + 0


def overlapping_self_assignment(x: Any) -> Any:
    x[1:] = x[:-1]
    return x + 0


def augmented_view(x: Any) -> Any:
    x[0] += 10
    x[:, 1] *= 2
    return x + 0


def copy_is_independent(x: Any) -> Any:
    y = x.copy()
    y[0] = 100
    return x + 0


def reshape_view(x: Any) -> Any:
    y = x.reshape(-1)
    y[3:6] = 0
    return x + 0


def reshape_of_transpose_is_a_copy(x: Any) -> Any:
    y = x.T.reshape(-1)
    y[0] = 100
    return x + y.sum()


def newaxis_and_ellipsis(x: Any) -> Any:
    y = x[None, ..., 1]
    y[0, 0] = 8
    return x[..., None, 0] + y.sum()


def mask(x: Any) -> Any:
    x[x > 5] = -1
    return x + 0


def scalar_position(x: Any) -> Any:
    x[-1, -1] = 42.9
    return x + 0


def empty_slice(x: Any) -> Any:
    x[3:1] = 1
    return x[5:] + 0


def in_place_operators(x: Any) -> Any:
    y = x
    y -= 1
    y //= 2
    return x + 0


PROGRAMS: list[Program] = [
    write_row, write_column, write_strided, write_backwards, write_through_transpose,
    view_sees_later_write, chain_of_views, overlapping_self_assignment, augmented_view,
    copy_is_independent, reshape_view, reshape_of_transpose_is_a_copy, newaxis_and_ellipsis, mask,
    scalar_position, empty_slice, in_place_operators,
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
@pytest.mark.parametrize("function", PROGRAMS)
def test_writes_are_numpys(function: Program, dtype: Any) -> None:
    start = np.arange(12).reshape(3, 4).astype(dtype)
    expected_after = start.copy()
    expected = function(expected_after)
    eager = lm.asarray(start)
    found = function(eager)
    np.testing.assert_array_equal(np.asarray(found), expected)
    np.testing.assert_array_equal(np.asarray(eager), expected_after)
    static, static_after = run_traced(function, start)
    np.testing.assert_array_equal(static, expected)
    np.testing.assert_array_equal(static_after, expected_after)


def random_key(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A basic key for `shape`: ints, slices of any sign, None and an ellipsis."""
    keys: list[Any] = []
    for size in shape[: rng.integers(0, len(shape) + 1)]:
        if rng.integers(4) == 0:
            keys.append(None)
        if rng.integers(3) == 0 and size:
            keys.append(int(rng.integers(-size, size)))
        else:
            bounds = [None if rng.integers(3) == 0 else int(rng.integers(-5, 6)) for _ in "ab"]
            keys.append(slice(bounds[0], bounds[1], [None, 1, 2, 3, -1, -2][rng.integers(6)]))
    if rng.integers(3) == 0:
        keys.insert(int(rng.integers(len(keys) + 1)), Ellipsis)
    return tuple(keys)


@pytest.mark.parametrize("seed", range(60))
def test_random_chains_of_views(seed: int) -> None:
    start = np.arange(60.0).reshape(3, 4, 5)
    steps: list[Any] = []
    rng = np.random.default_rng(seed)
    view: Any = start
    for _ in range(3):
        key = random_key(rng, view.shape)
        image = view[key]
        if not isinstance(image, np.ndarray):
            break
        steps.append(key)
        view = image

    def program(x: Any) -> Any:
        y = x
        for key in steps:
            y = y[key]
        y[...] = y * 2 + 1
        z = y.T
        z += 1
        return x + y.sum()

    expected_after = start.copy()
    expected = program(expected_after)
    eager = lm.asarray(start)
    np.testing.assert_array_equal(np.asarray(program(eager)), expected)
    np.testing.assert_array_equal(np.asarray(eager), expected_after)
    static, static_after = run_traced(program, start)
    np.testing.assert_array_equal(static, expected)
    np.testing.assert_array_equal(static_after, expected_after)


def test_regression_r61_overlapping_self_assignment() -> None:
    x = lm.asarray([3, 2, 1])
    x[1:] = x[:-1]
    assert x.tolist() == [3, 3, 2]


def test_read_only_views_refuse() -> None:
    x = lm.broadcast_to(lm.asarray([1, 2]), (3, 2))
    with pytest.raises(lm.MutationError, match="writable"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(lm.asarray([1, 2]))[0] = 5


def test_in_place_keeps_dtype_and_shape() -> None:
    x = lm.asarray([1, 2])
    with pytest.raises(lm.DTypeError, match="write in place"):
        x += 0.5
    with pytest.raises(lm.ShapeError, match="write in place"):
        x += lm.asarray([[1, 2], [3, 4]])


def test_written_global_is_an_extra_result() -> None:
    state = lm.asarray([1.0, 2.0])

    def step(x: Any) -> Any:
        state[0] += x
        return state * 2

    program = trace(step, (np.asarray(3.0),))
    assert [program.inputs[source].name for source in program.written] == ["state"]
    found = evaluate(program.module, "main", [np.asarray(3.0), np.asarray(state)])
    np.testing.assert_array_equal(found[0], [8.0, 4.0])
    np.testing.assert_array_equal(found[1], [4.0, 2.0])
    assert state.tolist() == [1.0, 2.0]


def test_written_array_that_nothing_names_is_an_error() -> None:
    def make() -> Any:
        hidden = iter([lm.asarray([1.0])] * 3)

        def step(x: Any) -> Any:
            next(hidden)[0] = x
            return x

        return step

    with pytest.raises(lm.TraceError, match="cannot be read again"):
        trace(make(), (np.asarray(3.0),))


def test_values_written_inside_a_trace_stay_there() -> None:
    def program(x: Any) -> Any:
        y = lm.zeros(3)
        y[1] = x
        return y

    found, _ = run_traced(program, np.asarray(4.0))
    np.testing.assert_array_equal(found, [0.0, 4.0, 0.0])


def run_shared(function: Any, *args: Any) -> Any:
    """The first result of the traced program, after what it wrote is written to the arguments."""
    program = trace(function, args)
    program.module.verify()
    given: list[Any] = []
    for x in program.inputs:
        array = x.guard.read() if x.guard is not None else args[x.leaf]
        given.append(root_of(array) if x.is_root else memory_of(array))
    assert all(alias.why_not(args) is None for alias in program.aliases)
    found = evaluate(program.module, "main", given, program.resources)
    first = len(found) - len(program.written)
    for source, value in zip(program.written, found[first:], strict=True):
        np.copyto(given[source], value)
    return program, found[0]


def scale_then_add(x: Any, y: Any) -> Any:
    x *= 2
    return x + y


@pytest.mark.parametrize("ours", [True, False])
def test_regression_r63_arguments_that_share_memory(ours: bool) -> None:
    base: Any = np.ones(8)
    if ours:
        base = lm.asarray(base)
    x, y = base[:4], base[2:6]
    program, found = run_shared(scale_then_add, x, y)
    assert found.tolist() == [4, 4, 3, 3]
    assert np.asarray(base).tolist() == [2, 2, 2, 2, 1, 1, 1, 1]
    assert [m.name for m in program.aliases[0].members] == ["x", "y"]


def test_shared_memory_is_guarded() -> None:
    base = np.ones(8)
    program, _ = run_shared(scale_then_add, base[:4], base[2:6])
    (alias,) = program.aliases
    assert alias.why_not([base[:4], base[2:6]]) is None
    assert alias.why_not([base[:4], base[4:]]) == "y elsewhere in the memory that it shares"
    assert alias.why_not([np.ones(8)[:4], base[2:6]]) == "y elsewhere in the memory that it shares"
    assert alias.why_not([1, 2]) == "x of type int, not an array"


def test_shared_memory_of_two_axes_and_any_sign() -> None:
    def program(x: Any, y: Any, z: Any) -> Any:
        y[0] = 100
        z += 1
        return x + y.sum()

    start = np.arange(24.0).reshape(4, 6)
    for mine in (start.copy(), start.copy()[::-1]):
        expected = mine.copy()
        result = program(expected, expected[1:3, ::-2].T, expected[0])
        _, found = run_shared(program, mine, mine[1:3, ::-2].T, mine[0])
        np.testing.assert_array_equal(found, result)
        np.testing.assert_array_equal(mine, expected)


def test_one_array_twice() -> None:
    x = np.ones(4)
    _, found = run_shared(scale_then_add, x, x)
    assert found.tolist() == [4, 4, 4, 4]
    assert x.tolist() == [2, 2, 2, 2]


def test_a_captured_array_and_an_argument() -> None:
    state = lm.asarray(np.ones(6))

    def program(x: Any) -> Any:
        x += 1
        return state * 2

    x = state[2:4]
    _, found = run_shared(program, x)
    assert found.tolist() == [2, 2, 4, 4, 2, 2]
    assert state.tolist() == [1, 1, 2, 2, 1, 1]


def test_shared_memory_that_is_only_read_is_no_alias() -> None:
    base = np.ones(8)
    program = trace(lambda x, y: x + y, (base[:4], base[2:6]))
    assert program.aliases == []
    assert [x.name for x in program.inputs] == ["x", "y"]
