"""`lm.debug.nans`: the first operation that makes a NaN, by name and line."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effect_runs import line_of

import lamina as lm
from lamina.interpreters.meaning import MEANING
from lamina.interpreters.nans import MAKERS

BAD = np.array([1.0, 0.1])
GOOD = np.array([1.0, 2.0])


def fused(x: Any) -> Any:
    """One kernel, with a NaN in its middle for 0.1."""
    y = x * 2
    z = lm.sqrt(y - 1)  # here
    w = lm.exp(z) / 2
    return lm.log(w - 5)


def found(function: Callable[..., Any], *args: Any) -> str:
    """The NanError of a call that looks for NaN, as text; or "none"."""
    try:
        with lm.debug.nans():
            function(*args)
    except lm.NanError as error:
        return str(error)
    return "none"


def said(name: str, function: Any, text: str = "# here") -> str:
    """The message."""
    place = line_of(function, text)
    return f"nans: expected no NaN, found one that {name} made of operands without ({place})"


def test_the_first_op_is_named_eager_and_compiled() -> None:
    fast = lm.jit(fused)
    fast(BAD)
    for call in (fused, fast, fast, lm.jit(fused), lm.jit(fused, fusion=0)):
        assert found(call, lm.asarray(BAD)) == said("sqrt", fused)
    assert np.isnan(np.asarray(fast(BAD))).all()  # outside nobody looks
    with pytest.raises(lm.NanError):
        lm.jit(fused, nans=True)(BAD)


def test_numbers_do_not_change() -> None:
    x = np.linspace(4, 9, 1000)
    with lm.debug.nans():
        looked = np.asarray(lm.jit(fused)(x))
    np.testing.assert_array_equal(looked, np.asarray(lm.jit(fused)(x)))


CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "log": (lambda x: lm.log(x), [-1.0]),
    "subtract": (lambda x: x - x, [np.inf]),
    "divide": (lambda x: x / x, [0.0]),
    "multiply": (lambda x: x * lm.flip(x), [0.0, np.inf]),
    "reduce": (lambda x: lm.sum(x), [np.inf, -np.inf]),
    "dot_general": (lambda x: x @ lm.flip(x), [np.inf, 0.0]),
    "scan": (lambda x: lm.cumsum(x), [np.inf, -np.inf]),
    "pow": (lambda x: x**0.5, [-1.0]),
    "remainder": (lambda x: x % 0.0, [1.0]),
    "sin": (lambda x: lm.sin(x), [np.inf]),
    "asin": (lambda x: lm.asin(x), [2.0]),
    "atanh": (lambda x: lm.atanh(x), [2.0]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_ops(name: str, dtype: Any) -> None:
    function, numbers = CASES[name]
    x = np.array(numbers, dtype)
    texts = {found(call, lm.asarray(x)) for call in (function, lm.jit(function))}
    assert len(texts) == 1 and f"found one that {name} made" in texts.pop()
    assert found(lm.jit(function), np.full_like(x, np.nan)) == "none"


def test_complex_numbers() -> None:
    for function in (lambda z: z / z, lambda z: lm.exp(z * np.inf)):
        for call in (function, lm.jit(function)):
            assert "found one that" in found(call, lm.asarray(np.array([0j])))


def test_given_written_and_filled_nans_are_no_errors() -> None:
    def program(x: Any) -> Any:
        y = lm.where(x > 1, x, lm.nan) + 1
        return lm.take(y, lm.asarray([7]), mode="fill"), lm.full(3, lm.nan) * 2

    assert found(program, lm.asarray(BAD)) == found(lm.jit(program), BAD) == "none"


def test_loops_and_branches() -> None:
    def program(x: Any) -> Any:
        def body(i: Any, c: Any) -> Any:
            return lm.cond(i > 1, lambda c: lm.log(c), lambda c: c - 1, c)  # here

        return lm.fori_loop(0, 5, body, x)

    for call in (program, lm.jit(program)):
        assert found(call, lm.asarray(2.0)) == said("log", program)


def test_gradients() -> None:
    def f(x: Any) -> Any:
        return lm.sum(lm.sqrt(x) * 0)  # here

    for call in (lm.jit(lm.grad(f)), lm.grad(lm.jit(f)), lm.grad(f)):
        assert "found one that divide made" in found(call, lm.asarray(np.array([0.0])))
    assert found(lm.jit(lm.grad(f)), np.array([0.0])) == said("divide", f)


def test_numpy_functions_of_the_extensions() -> None:
    assert "found one that fft" in found(lm.fft.fft, lm.asarray([np.inf, np.inf]))


def test_other_threads_are_not_looked_at() -> None:
    fast = lm.jit(fused)
    results: list[Any] = []
    with lm.debug.nans():
        thread = threading.Thread(
            target=lambda: results.append((fast(BAD), fused(lm.asarray(BAD))))
        )
        thread.start()
        thread.join()
    assert np.isnan(np.asarray(results[0][0])).any() and np.isnan(np.asarray(results[0][1])).any()


def test_the_native_entry_is_back_afterwards() -> None:
    fast = lm.jit(fused)
    fast(GOOD)
    entry = type(fast).__call__
    with lm.debug.nans(), lm.debug.nans():
        assert type(fast).__call__ is not entry
        fast(GOOD + 10)
    assert type(fast).__call__ is entry


def test_lines_come_from_the_caller_not_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))

    def one(x: Any) -> Any:
        return lm.sqrt(x - 1)  # here

    def two(x: Any) -> Any:
        return lm.sqrt(x - 1)  # here

    assert found(lm.jit(one), BAD) == said("sqrt", one)
    assert found(lm.jit(two), BAD) == said("sqrt", two)


def test_the_option_needs_nans() -> None:
    with pytest.raises(lm.OptionError, match="expected fastmath to keep NaN"):
        lm.jit(fused, nans=True, fastmath="finite")


def test_the_table_names_ops() -> None:
    assert MAKERS - {"custom_call"} <= set(MEANING)


def test_lines_of_the_kernel_follow_the_failing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))

    def one(x: Any) -> Any:
        y = x * 2  # 1
        z = lm.sqrt(y - 1)  # 0
        return lm.exp(z)  # 2

    def two(x: Any) -> Any:
        y = x * 2  # 1
        z = lm.sqrt(y - 1)  # 0
        return lm.exp(z)  # 2

    for function in (one, two):  # the second from the cache
        with pytest.raises(lm.NanError) as caught:
            lm.jit(function, nans=True)(BAD)
        lines = [line_of(function, f"# {number}") for number in range(3)]
        assert caught.value.place == lines[0] == caught.value.lines[0]
        assert sorted(caught.value.lines) == sorted(lines)
        (note,) = caught.value.__notes__
        assert note == f"found by a kernel that also computes {lines[1]}, {lines[2]}"


def test_a_check_that_looks_at_one_line_has_no_note() -> None:
    def f(x: Any, n: Any) -> Any:
        return (x + 1) ** n

    with pytest.raises(lm.DomainError) as caught:
        lm.jit(f)(np.arange(3), np.array([1, -1, 2]))
    assert not hasattr(caught.value, "__notes__") and not caught.value.lines
