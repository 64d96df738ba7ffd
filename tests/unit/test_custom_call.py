"""C functions of the process that programs call by name."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effect_runs import line_of, outcome, same

import lamina as lm
from lamina.errors import LaminaError, LoweringError
from lamina.executable import compile_module
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import COMPLEX, DTYPES
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.signatures import signature_of

NDArray = np.ndarray[Any, Any]


WORD: Any = "word"
POINTER = ctypes.c_void_p
SIZES = ctypes.POINTER(ctypes.c_int64)


def registered(name: str, count: int) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorator: register a function of `count` pointers and the sizes."""

    def register(function: Callable[..., int]) -> Callable[..., int]:
        kind: Any = ctypes.CFUNCTYPE(ctypes.c_int32, *[POINTER] * count, SIZES)
        lm.register_custom_call(name, kind(function))
        return function

    return register


def memory(address: int | None, dtype: Any, *shape: int) -> NDArray:
    """The array at an address."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape)) * dtype.itemsize
    raw = (ctypes.c_uint8 * count).from_address(address or 0)
    return np.frombuffer(raw, dtype).reshape(shape)


CALLS: list[int] = []


@registered("effects_axpy", 3)
def _axpy(x: int, y: int, out: int, sizes: Any) -> int:
    n = sizes[0]
    memory(out, "f4", n)[...] = 2 * memory(x, "f4", n) + memory(y, "f4", n)
    return 7 if memory(x, "f4", n)[0] < 0 else 0


@registered("effects_tick", 1)
def _tick(out: int, _: Any) -> int:
    CALLS.append(1)
    memory(out, "i8")[...] = len(CALLS)
    return 0


def axpy(x: Any, y: Any) -> Any:
    """2 x + y, for a column of y, and one more."""
    return lm.custom_call("effects_axpy", (x.shape, lm.float32), x, y[:, 0]) + 1  # here


def test_a_custom_call_computes() -> None:
    x, y = np.arange(4, dtype=np.float32), np.ones((4, 3), np.float32)
    assert same(axpy, x, y) == ""
    np.testing.assert_array_equal(lm.jit(axpy)(x, y), 2 * x + 2)


def test_a_status_is_an_error_with_the_line() -> None:
    x, y = np.arange(4, dtype=np.float32) - 2, np.ones((4, 3), np.float32)
    assert same(axpy, x, y) == ""
    message = f"custom_call: effects_axpy: expected status 0, found 7 ({line_of(axpy, '# here')})"
    assert outcome(lm.jit(axpy), x, y)[1] == (LaminaError, message)


@pytest.mark.parametrize("dtype", [*DTYPES, *COMPLEX])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_elements_and_sizes_are_handed_over(dtype: Any, shape: tuple[int, ...]) -> None:
    seen: list[tuple[int, ...]] = []

    @registered("effects_copy", 4)
    def _copy(x: int, n: int, out: int, more: int, sizes: Any) -> int:
        seen.append(tuple(sizes[i] for i in range(2 * len(shape) + 1)))
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        ctypes.memmove(out, x, size)
        memory(more, "i8", 2)[...] = memory(n, "i8")[()]
        return 0

    def program(x: Any, n: Any) -> Any:
        return lm.custom_call("effects_copy", [(shape, dtype), ((2,), lm.int64)], x, n)

    x = (np.arange(int(np.prod(shape))).reshape(shape) - 1).astype(dtype)
    for call in (program, lm.jit(program)):
        y, more = call(x, np.array(5))
        assert (np.asarray(y).tobytes(), y.dtype, y.shape) == (x.tobytes(), x.dtype, shape)
        assert np.asarray(more).tolist() == [5, 5]
    assert seen == [(*shape, *shape, 2)] * 2


def test_calls_stay_unless_they_are_pure() -> None:
    def ticks(pure: bool) -> Any:
        def one() -> Any:
            return lm.custom_call("effects_tick", ((), lm.int64), pure=pure)

        def program() -> Any:
            first, second = one(), one()
            one()
            return first, second

        CALLS.clear()
        return [int(x) for x in lm.jit(program)()], len(CALLS)

    assert ticks(pure=False) == ([1, 2], 3)
    assert ticks(pure=True) == ([1, 1], 1)


def test_calls_and_prints_are_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    @registered("effects_say", 0)
    def _say(_: Any) -> int:
        sys.stdout.write("said\n")
        return 0

    def program(x: Any) -> Any:
        def body(i: Any, c: Any) -> Any:
            lm.debug.print("{}", i)
            lm.custom_call("effects_say", [])
            return c + 1

        return lm.fori_loop(0, 2, body, x)

    for call in (program, lm.jit(program)):
        call(lm.asarray(1))
        assert capsys.readouterr().out == "0\nsaid\n1\nsaid\n"


def test_fusion_keeps_the_order_of_calls_with_results() -> None:
    order: list[str] = []

    for name in ("effects_first", "effects_second"):

        @registered(name, 2)
        def _noted(x: int, out: int, sizes: Any, name: str = name) -> int:
            order.append(name)
            memory(out, "f8", sizes[1])[...] = memory(x, "f8", sizes[0])
            return 0

    def program(x: Any) -> Any:
        kind = (x.shape, lm.float64)
        y = lm.exp(lm.cumsum(lm.cumsum(x)))  # two more calls behind it than behind c
        a = lm.custom_call("effects_first", kind, y)
        c = lm.custom_call("effects_second", kind, x)
        return y + c, a  # one kernel with exp, were it not between the two

    for call in (program, lm.jit(program)):
        order.clear()
        call(lm.asarray(np.ones(4)))
        assert order == ["effects_first", "effects_second"]


def test_other_threads_run_meanwhile() -> None:
    x, y = np.arange(4, dtype=np.float32), np.ones((4, 3), np.float32)
    assert signature_of(lm.jit(axpy).lower(x, y).compile()).release_gil
    assert not signature_of(lm.jit(lambda x: x + 1).lower(x).compile()).release_gil


def test_a_name_means_what_it_was_registered_for_last() -> None:
    def give(value: int) -> None:
        @registered("effects_give", 1)
        def _give(out: int, _: Any) -> int:
            memory(out, "i8")[...] = value
            return 0

    give(1)
    fast = lm.jit(lambda: lm.custom_call("effects_give", ((), lm.int64)))
    assert int(fast()) == 1
    give(2)
    assert int(fast()) == 2


def test_the_cache_holds_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))
    x, y = np.arange(4, dtype=np.float32), np.ones((4, 3), np.float32)
    first = lm.jit(axpy).lower(x, y).compile().code.to_bytes()
    registered("effects_axpy", 3)(_axpy)
    assert lm.jit(axpy).lower(x, y).compile().code.to_bytes() == first
    np.testing.assert_array_equal(lm.jit(axpy)(x, y), 2 * x + 2)


def unregistered() -> Any:
    """A call of nothing."""
    return lm.custom_call("effects_nothing", ((), lm.int64))  # here


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (unregistered, "expected a registered function, found 'effects_nothing'"),
        (lambda: lm.custom_call("effects_tick", (2, 3, 4)), r"expected a \(shape, dtype\)"),
        (lambda: lm.custom_call("effects_tick", ((-1,), lm.int64)), "expected sizes of 0 or more"),
        (lambda: lm.custom_call("effects_tick", (("a",), lm.int64)), "expected a shape of ints"),
        (lambda: lm.custom_call("effects_tick", ((), object)), "dtype"),
        (lambda: lm.custom_call("effects_tick", ((), lm.int64), WORD), "custom_call: expected"),
        (lambda: lm.custom_call("effects_tick", [], pure=True), "expected a result of a pure call"),
        (lambda: lm.register_custom_call("a b", 1), "expected the name of a C function"),
        (lambda: lm.register_custom_call("f", len), "expected a ctypes function"),
        (lambda: lm.register_custom_call("f", 0), "expected a ctypes function"),
    ],
)
def test_calls_that_do_not_fit(call: Callable[[], Any], message: str) -> None:
    for attempt in (call, lm.jit(call)):
        with pytest.raises(LaminaError, match=message) as caught:
            attempt()
        assert __file__ in str(caught.value)


def test_text_that_calls_what_is_not_registered() -> None:
    text = 'func.func @main() {\n  nd.custom_call "effects_nothing"() : () -> ()\n  func.return\n}'
    for run in (lambda m: evaluate(m, "main", []), lambda m: compile_module(m, "main")):
        with pytest.raises(lm.ArgumentError, match="expected a registered function"):
            run(parse_module(make_context(), text))


def test_a_custom_call_has_no_derivative() -> None:
    x, y = lm.ones(4, dtype=lm.float32), lm.ones((4, 3), dtype=lm.float32)
    with pytest.raises(lm.DTypeError, match="custom_call: expected an operation that has a deriv"):
        lm.grad(lambda x: lm.sum(axpy(x, y)))(x)
    with pytest.raises(LaminaError, match=r"expected an op that has a derivative.*custom_call"):
        lm.jit(lm.grad(lambda x: lm.sum(axpy(x, y))))(x)
    np.testing.assert_array_equal(
        lm.grad(lambda x: lm.sum(axpy(lm.stop_gradient(x), y) * x))(x), [4, 4, 4, 4]
    )


def test_a_call_with_effects_does_not_happen_twice_for_a_gradient() -> None:
    def f(x: Any, n: int = 1) -> Any:
        lm.custom_call("effects_tick", ((), lm.int64))
        return lm.sum(x * x) * n

    x = lm.asarray([1.0, 2.0], requires_grad=True)
    CALLS.clear()
    lm.jit(f)(x).backward()
    np.testing.assert_array_equal(x.grad, [2, 4])
    np.testing.assert_array_equal(lm.jit(lm.grad(f))(np.array([1.0, 2.0])), [2, 4])
    assert len(CALLS) == 2
    again = lm.jit(f, static_argnames="n")(x, n=2)  # its way back computes all again
    with pytest.raises(LoweringError, match="expected a pure custom_call"):
        again.backward()
