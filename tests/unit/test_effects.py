"""Texts that programs print and raise."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from effect_runs import line_of, outcome, same

import lamina as lm
from lamina.errors import CheckError, IRError, LoweringError
from lamina.executable import compile_module
from lamina.interpreters.types import COMPLEX, DTYPES
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.tools.run import main as run_tool

NDArray = np.ndarray[Any, Any]


# printing


@pytest.mark.parametrize("dtype", [*DTYPES, *COMPLEX])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3,), (2, 3), (1100,)])
def test_every_dtype_prints_as_numpy(dtype: Any, shape: tuple[int, ...]) -> None:
    x = (np.arange(int(np.prod(shape))).reshape(shape) * 3 - 1).astype(dtype)

    def show(x: Any) -> Any:
        lm.debug.print("{} {{}} {x}", x[...], x=x)
        return x

    assert same(show, x) == f"{x!s} {{}} {x!s}\n"


def test_places_are_those_of_format() -> None:
    x, h = np.array([1.0, 2.5]), np.array(0.1, ml_dtypes.bfloat16)

    def show(x: Any, h: Any, n: Any) -> Any:
        lm.debug.print("{0:.3f} {h:8.2e} {1} {0[1]} {0.shape} {name!r:>5}", x, n, h=h, name="a")
        lm.debug.print("{:{width}} {}", n, True, width=4)
        return x

    assert same(show, x, h, 7) == "[1.000 2.500] 1.00e-01 7 2.5 (2,)   'a'\n   7 True\n"


def test_prints_are_in_order_in_loops_and_branches() -> None:
    def program(x: Any) -> Any:
        lm.debug.print("start {}", x)
        y = lm.sqrt(x * 2)  # stored and printed between two kernels

        def body(i: Any, c: Any) -> Any:
            lm.debug.print("{i}: {c}", i=i, c=c)
            return lm.cond(
                i > 0,
                lambda c: (lm.debug.print("  later"), c + 1)[1],
                lambda c: (lm.debug.print("  first"), c * 2)[1],
                c,
            )

        y = lm.fori_loop(0, 3, body, y)
        lm.debug.print("y {:.2f}", y)
        z = lm.while_loop(
            lambda c: lm.sum(c) < 100, lambda c: (lm.debug.print("w {}", c), c * 3)[1], y
        )
        x[0] = 9
        lm.debug.print("x {}, end", x)
        return z

    printed = same(program, np.array([0.5, 0.25]))
    assert [line.split()[0] for line in printed.splitlines()] == [
        "start", "0:", "first", "1:", "later", "2:", "later", "y", "w", "w", "w", "x",
    ]  # fmt: skip
    assert "start [0.5  0.25]" in printed and "x [9.   0.25], end" in printed


def test_equal_and_unread_prints_stay() -> None:
    def program(x: Any) -> Any:
        for _ in range(2):
            lm.debug.print("same {}", x)
        lm.debug.print("dead {}", lm.exp(x))
        lm.debug.print("")
        return x + 1

    assert same(program, np.array(0.0)) == "same 0.0\nsame 0.0\ndead 1.0\n\n"


@pytest.mark.parametrize(
    "view", [lambda x: x.T, lambda x: x[:, 1], lambda x: x[::-1, ::2], lambda x: x[1:3, 1:3]]
)
def test_views_print(view: Callable[[Any], Any]) -> None:
    x = np.arange(12).reshape(3, 4)

    def program(x: Any) -> Any:
        lm.debug.print("{}", view(x))
        return view(x) + 1

    assert same(program, x) == f"{view(x)}\n"


def test_a_gradient_prints_once() -> None:
    def f(x: Any) -> Any:
        lm.debug.print("x {}", x)

        def body(i: Any, c: Any) -> Any:
            lm.debug.print("{} {}", i, c)
            lm.debug.check(lm.all(c < 100), "large")
            return c * lm.cond(lm.sum(c) > 2, lambda c: c, lambda c: (lm.debug.print("+"), c)[1], c)

        return lm.sum(lm.fori_loop(0, 3, body, x))

    x = lm.asarray([0.5, 0.7])
    expected, _ = outcome(f, x)

    def taped(f: Callable[..., Any]) -> Any:
        y = lm.asarray(x, requires_grad=True)
        f(y).backward()
        return y.grad

    gradients = [lm.grad(f), lm.jit(lm.grad(f)), lm.grad(lm.jit(f))]
    results = [outcome(g, x) for g in gradients]
    results += [outcome(taped, f), outcome(taped, lm.jit(f))]
    assert [printed for printed, _ in results] == [expected] * 5
    assert outcome(lambda: lm.vjp(f, x)[0])[0] == expected


def test_static_values_are_text() -> None:
    def program(x: Any) -> Any:
        lm.debug.print("{s} {n:05.1f} {t} {b}", s="{}", n=2.0, t=(1, "a"), b={"k": None})
        return x

    assert same(program, np.zeros(2)) == "{} 002.0 (1, 'a') {'k': None}\n"


@pytest.mark.parametrize(
    ("show", "message"),
    [
        (lambda x: lm.debug.print("{"), "Single '{'"),
        (lambda x: lm.debug.print("{} {}", x), "no argument for {1}"),
        (lambda x: lm.debug.print("{y}", x=x), "no argument for {y}"),
        (lambda x: lm.debug.print("{:q}", x), "Unknown format code 'q'"),
        (lambda x: lm.debug.print("{!r}", x), "no conversion !r of an array"),
        (lambda x: lm.debug.print("{.nothing}", x), "has no attribute 'nothing'"),
        (lambda x: lm.debug.print(x), "expected a format string"),
        (lambda x: lm.debug.check(True, "{} {}", x), "no argument for {1}"),
    ],
)
def test_formats_that_do_not_fit(show: Callable[[Any], Any], message: str) -> None:
    x = lm.asarray([1.0, 2.0])
    for call in (show, lm.jit(show)):
        with pytest.raises(lm.ArgumentError, match="debug.*expected a format") as caught:
            call(x)
        assert message in str(caught.value) and __file__ in str(caught.value)


def test_a_traced_array_in_a_list_has_no_text() -> None:
    with pytest.raises(lm.ArgumentError, match="give it a place of its own"):
        lm.jit(lambda x: lm.debug.print("{}", [x]))(np.ones(2))


class Broken(StringIO):
    """A stream that cannot be written."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(text)


def test_what_writing_raises_ends_the_program() -> None:
    def program(x: Any) -> Any:
        y = x + 1
        lm.debug.print("{}", y)
        return y

    fast = lm.jit(program)
    x = np.ones(3)
    fast(x)
    for call in (program, fast, fast):
        with redirect_stdout(Broken()), pytest.raises(BrokenPipeError):
            call(lm.asarray(x))
    np.testing.assert_array_equal(fast(x), [2, 2, 2])


def test_an_element_that_its_spec_does_not_take() -> None:
    def program(x: Any) -> Any:
        lm.debug.print("{:c}", x)
        return x

    assert same(program, np.array([65, 66])) == "[A B]\n"
    printed, error = outcome(lm.jit(program), np.array([65, 1 << 40]))
    assert (printed, error[0]) == ("", lm.DomainError)
    assert error == outcome(program, lm.asarray([65, 1 << 40]))[1]
    assert line_of(program, "{:c}") in error[1]


def test_a_stream_may_call_the_function_again() -> None:
    fast: Any = lm.jit(lambda x: (lm.debug.print("{}", x), x * 2)[1])
    found: list[str] = []

    class Stream(StringIO):
        def write(self, text: str) -> int:
            found.append(text)
            if len(found) < 3:
                fast(np.array(10.0 * len(found)))
            return len(text)

    fast(np.array(1.0))
    with redirect_stdout(Stream()):
        result = fast(np.array(1.0))
    assert (float(result), found[0].strip(), "20.0\n" in found) == (2.0, "1.0", True)


def test_threads_print_whole_lines() -> None:
    fast = lm.jit(lambda x: (lm.debug.print("{}", x), x)[1])
    fast(np.zeros(40))
    with redirect_stdout(StringIO()) as printed:
        threads = [
            threading.Thread(target=lambda n=n: [fast(np.full(40, float(n))) for _ in range(20)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    expected = {str(np.full(40, float(n))) for n in range(4)}
    lines = printed.getvalue().split("]\n")[:-1]
    assert len(lines) == 80 and {f"{line}]" for line in lines} == expected


def test_prints_come_from_the_disk_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))

    def program(x: Any) -> Any:
        lm.debug.print("cached {}", x)
        lm.debug.check(x > 0, "expected more than 0, found {}", x)  # here
        return x

    for _ in range(2):
        fast = lm.jit(program)
        fast(np.array(1.5))
        assert capsys.readouterr().out == "cached 1.5\n"
        with pytest.raises(CheckError) as caught:
            fast(np.array(-1.5))
        message = f"expected more than 0, found -1.5 ({line_of(program, '# here')})"
        assert str(caught.value) == message
        capsys.readouterr()
    monkeypatch.setattr("lamina.compiler.generate", None)
    lm.jit(program)(np.array(2.5))
    assert capsys.readouterr().out == "cached 2.5\n"


# texts of every level

TEXT: Any = """
func.func @main(%x: tensor<?xf32>, %c: tensor<2xcomplex<f64>>) -> tensor<?xf32> {
  %0 = nd.add %x, %x : tensor<?xf32>
  nd.print "{} and {:.1f}" [%0, %c] : tensor<?xf32>, tensor<2xcomplex<f64>>
  func.return %0 : tensor<?xf32>
}
"""


@pytest.mark.parametrize("level", ["nd", "linalg", "buffer", "loop", "llvm"])
def test_the_text_of_every_level_prints(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    from lamina.compiler import Lowering
    from lamina.ir_text import print_module

    lowering = Lowering(parse_module(make_context(), TEXT), "nd")
    lowering.to(level)
    module = parse_module(make_context(), print_module(lowering.module))
    program = compile_module(module, "main")
    program([np.array([1.5, 2], np.float32), np.array([1 + 2j, 3])])
    assert capsys.readouterr().out == "[3. 4.] and [1.0+2.0j 3.0+0.0j]\n"


def test_lamina_run_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.mlir"
    file.write_text('func.func @main(%x: tensor<2xi8>) -> tensor<2xi8> {\n  nd.print "{}" [%x] : tensor<2xi8>\n  func.return %x : tensor<2xi8>\n}\n')  # fmt: skip  # noqa: E501
    np.save(tmp_path / "x.npy", np.array([1, -2], np.int8))
    for more in ([], ["--interpret"]):
        assert run_tool([str(file), "--args", str(tmp_path / "x.npy"), *more]) in (0, None)
        assert capsys.readouterr().out.startswith("[ 1 -2]\n")


@pytest.mark.parametrize("op", ['nd.print "no"', 'nd.fail "CheckError", "no"',
                                'nd.custom_call "f"() : () -> ()'])  # fmt: skip
def test_effects_are_not_for_kernels(op: str) -> None:
    private = f"func.func private @k() {{\n {op}\n func.return\n}}\n"
    text = private + "func.func @main() {\n func.return\n}"
    with pytest.raises(LoweringError, match="in a public function, found a private one"):
        compile_module(parse_module(make_context(), text), "main")


NOTED = """
func.func private @lamina_print_0(i64) attributes {lamina.text}
func.func @main() {
  %0 = arith.constant 0 : i64
  func.call @lamina_print_0(%0) {lamina.text = NOTE} : (i64) -> ()
  func.call @lamina_print_0(%0) {lamina.text = {format = "", types = []}} : (i64) -> ()
  func.return
}
"""


@pytest.mark.parametrize(
    "note",
    [
        "{}", '{format = "{}", types = []}', '{format = "{", types = []}', '{format = 1 : i64}',
        '{format = "", types = [], error = "OSError"}', '{format = "", types = []}',
    ],
)  # fmt: skip
def test_notes_that_do_not_fit(note: str) -> None:
    module = parse_module(make_context(), NOTED.replace("NOTE", note))
    with pytest.raises(IRError, match=r"lamina\.text: expected a number of its own"):
        compile_module(module, "main")


# checks


def test_a_check_raises_with_line_and_values() -> None:
    def program(x: Any) -> Any:
        lm.debug.print("before")
        lm.debug.check(x < 5, "expected less than 5, found {x} {:.1f}", lm.max(x), x=x)  # here
        lm.debug.print("after")
        return x * 2

    assert same(program, np.array([1.0, 2.0])) == "before\nafter\n"
    x = np.array([1.0, 7.0])
    assert same(program, x) == "before\n"
    place = line_of(program, "# here")
    message = f"expected less than 5, found [1. 7.] 7.0 ({place})"
    assert outcome(lm.jit(program), x)[1] == (CheckError, message)


def test_a_failed_check_is_an_assertion_error() -> None:
    with pytest.raises(AssertionError, match="no"):
        lm.debug.check(False, "no")
    with pytest.raises(AssertionError, match="no"):
        lm.jit(lambda x: lm.debug.check(x, "no"))(np.array(False))


def test_a_check_in_a_loop_names_the_trip() -> None:
    def program(x: Any) -> Any:
        def body(i: Any, c: Any) -> Any:
            lm.debug.check(c < 4, "trip {i}: {c}", i=i, c=c)
            return c * 2

        return lm.fori_loop(0, 5, body, x)

    assert same(program, np.array(1)) == ""
    assert outcome(lm.jit(program), np.array(1))[1][1].startswith("trip 2: 4 (")


def test_a_failed_check_writes_no_argument() -> None:
    def program(x: Any, limit: Any) -> None:
        x[0] = 5
        lm.debug.check(lm.sum(x) < limit, "sum {}", lm.sum(x))

    fast, x = lm.jit(program), np.zeros(2)
    with pytest.raises(CheckError, match=r"sum 5\.0"):
        fast(x, np.array(3.0))
    assert x.tolist() == [0, 0]
    fast(x, np.array(6.0))
    assert x.tolist() == [5, 0]
