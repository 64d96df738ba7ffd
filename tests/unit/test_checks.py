"""Run-time checks: the class, the text and the line of an error, and which of several is seen."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from op_table import rng_for
from program_checks import checks_of, turn_some
from program_runs import compiled, from_text
from programs import draw
from xdsl.dialects.builtin import ModuleOp

import lamina as lm
from lamina.errors import IndexRangeError, IRError, LaminaError, LoweringError
from lamina.executable import Program as Compiled
from lamina.frontend.checks import check
from lamina.interpreters.evaluate import evaluate
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.program import NDArray, call_linked
from lamina.registry import make_context
from lamina.tools.run import main as run_tool

FILE = __file__


def line_of(function: Any, text: str) -> int:
    """The line of this file on which `text` stands in `function`."""
    lines, first = inspect.getsourcelines(inspect.unwrap(function))
    return first + next(n for n, line in enumerate(lines) if text in line)


def error_of(function: Any, *args: Any) -> LaminaError:
    """The error of a call."""
    with pytest.raises(LaminaError) as caught:
        function(*args)
    return caught.value


# integer powers: the first user


def power(x: Any, y: Any) -> Any:
    """x to the power y, and one more."""
    found = lm.asarray(x) ** y  # here
    return found + 1


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 1), (2, 3, 70), (0, 4)])
def test_a_negative_exponent_raises_with_the_line(dtype: Any, shape: tuple[int, ...]) -> None:
    fast = lm.jit(power)
    x = np.full(shape, 3, dtype)
    y = np.full(shape, 2, dtype)
    np.testing.assert_array_equal(fast(x, y), np.full(shape, 10, dtype))
    if not y.size:
        return
    y.flat[-1] = -7
    errors = [error_of(fast, x, y), error_of(fast, x, y), error_of(power, x, y)]
    place = f"{FILE}:{line_of(power, '# here')}"
    assert {(type(e), str(e)) for e in errors} == {
        (lm.DomainError, "pow: expected integer exponents of 0 or more, found -7; "
         f"cast to a floating-point type first ({place})"),
    }  # fmt: skip
    np.testing.assert_array_equal(fast(x, np.abs(y) % 2), np.where(np.abs(y) % 2, 4, 2))


def test_unsigned_and_constant_exponents_need_no_check() -> None:
    def ops(function: Callable[..., Any], *args: Any) -> str:
        return lm.jit(function).lower(*args).ir("nd")

    def both(x: Any, y: Any) -> Any:
        return x**y

    def known(x: Any) -> Any:
        return x ** lm.asarray([2, 0, 3]) + x**3

    u, i = np.arange(3, dtype=np.uint8), np.arange(3)
    assert "nd.check" in ops(both, i, i)
    assert "nd.check" not in ops(both, u, u)
    assert "nd.check" not in ops(known, i)
    assert "nd.check" not in ops(both, i * 1.0, i)


def test_a_negative_constant_raises_when_tracing() -> None:
    for exponent in (-2, [4, -2]):

        def function(x: Any, y: Any = exponent) -> Any:
            return x ** (y if isinstance(y, int) else lm.asarray(y))

        error = error_of(lm.jit(function).lower, np.arange(2))
        assert isinstance(error, lm.DomainError)
        assert "found -2" in str(error) and FILE in str(error)


def test_a_number_argument_is_checked() -> None:
    fast = lm.jit(power)
    assert fast(np.array(3), 2) == 10
    assert "found -1;" in str(error_of(fast, np.array(3), -1))
    assert fast(np.array(3), 3) == 28


# the function `check`


def guarded(x: Any, y: Any) -> Any:
    """Two checks."""
    check(x > 0, lm.ShapeError, "first: sizes {} and {}", x[0], 7)  # one
    z = lm.exp(y)
    check(y < 3, IndexRangeError, "second: no value }{ %d")  # two
    return z, x * 2


def test_the_first_in_program_order_wins() -> None:
    fast = lm.jit(guarded)
    good, bad = np.array([1, 2]), np.array([-1, 2])
    small, large = np.array([1.0, 2.0]), np.array([1.0, 4.0])
    np.testing.assert_array_equal(fast(good, small)[1], good * 2)

    def eager(x: Any, y: Any) -> Any:
        return guarded(lm.asarray(x), lm.asarray(y))

    for function in (fast, eager):
        first, second = error_of(function, bad, large), error_of(function, good, large)
        assert isinstance(first, lm.ShapeError) and isinstance(second, IndexRangeError)
        assert isinstance(first, ValueError) and isinstance(second, IndexError)
        assert str(first) == f"first: sizes -1 and 7 ({FILE}:{line_of(guarded, '# one')})"
        assert str(second).startswith("second: no value }{ %d")
        assert str(second).endswith(f"({FILE}:{line_of(guarded, '# two')})")


def test_unsigned_values_are_shown_so() -> None:
    def function(x: Any) -> Any:
        check(x < 5, lm.DomainError, "found {u} and {}", x, lm.astype(x, lm.int64))
        return x

    for call in (lm.jit(function), function):
        message = error_of(call, lm.asarray(2**64 - 2, dtype=lm.uint64)).message
        assert message == f"found {2**64 - 2} and -2"


def test_written_arguments_stay_as_they_were() -> None:
    def write(x: Any, y: Any) -> Any:
        x[1] = 5.0
        x += 1
        check(y >= 0, lm.DomainError, "found {}", y[0])
        x[0] = 3.0

    fast = lm.jit(write)
    x = np.zeros(4)
    fast(x, np.array([1]))
    np.testing.assert_array_equal(x, [3, 6, 1, 1])
    assert "found -1" in str(error_of(fast, x, np.array([-1])))
    np.testing.assert_array_equal(x, [3, 6, 1, 1])


def test_versions_of_one_function_have_checks_of_their_own() -> None:
    @lm.jit
    def fast(x: Any) -> Any:
        check(
            x < 9, lm.DomainError if x.ndim else lm.ShapeError, f"rank {x.ndim}: " + "{}", x.sum()
        )
        return x

    assert fast(np.array([1])) is not None and fast(np.array(1)) is not None
    for _ in range(2):
        assert type(error_of(fast, np.array([10]))) is lm.DomainError
        assert str(error_of(fast, np.array(11))).startswith("rank 0: 11")
        assert str(error_of(fast, np.array([[12]]))).startswith("rank 2: 12")


def test_concurrent_calls_have_records_of_their_own() -> None:
    fast = lm.jit(power)
    x = np.full(1 << 14, 1)
    fast(x, x)

    def one(number: int) -> bool:
        y = np.ones_like(x)
        if number % 3:
            y[number] = -number
        try:
            return bool((np.asarray(fast(x, y)) == 2).all()) and number % 3 == 0
        except lm.DomainError as error:
            return f"found {-number};" in str(error)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(1, 200)))


def test_the_line_is_the_present_one_when_the_cache_has_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))
    for lines in (1, 6, 6, 2):
        names: dict[str, Any] = {}
        code = "\n" * (lines - 1) + "def f(x, y, z):\n  y = x ** y\n  return y ** z"
        exec(compile(code, "user.py", "exec"), names)
        fast = lm.jit(names["f"])
        error = error_of(fast, np.array([2]), np.array([-1]), np.array([-1]))
        assert str(error).endswith(f"(user.py:{lines + 1})")
        error = error_of(fast, np.array([2]), np.array([1]), np.array([-1]))
        assert str(error).endswith(f"(user.py:{lines + 2})")
    stored = [file for file in (tmp_path / "program").rglob("*") if file.is_file()]
    assert len(stored) == 1, "expected the program to be found in the cache"


# IR text: every level, and where the text is wrong

TEXT = """
func.func @main(%x: tensor<4xi64>, %n: tensor<i64>) -> tensor<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = nd.to_index %n : tensor<i64>
  %limit = nd.constant dense<100> : tensor<i64>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%c = %x) -> (tensor<4xi64>) {
    %d = nd.add %c, %c : tensor<4xi64>
    %m = nd.reduce "max" %d axes [0] : tensor<4xi64> -> tensor<i64>
    %ok = nd.less %m, %limit : tensor<i64> -> tensor<i1>
    %j = nd.from_index %i : tensor<i64>
    nd.check %ok, "DomainError", "loop: {} in iteration {}" [%m, %j]
    scf.yield %d : tensor<4xi64>
  }
  %go = arith.cmpi sgt, %count, %c1 : index
  scf.if %go {
    %m = nd.reduce "min" %r axes [0] : tensor<4xi64> -> tensor<i64>
    %ok = nd.greater_equal %m, %n : tensor<i64> -> tensor<i1>
    nd.check %ok, "ShapeError", "branch: {}" [%m]
    scf.yield
  }
  return %r : tensor<4xi64>
}
"""


@pytest.mark.parametrize("fusion", [0, 1, 2])
def test_loops_and_branches_from_every_level(fusion: int) -> None:
    texts: dict[str, str] = {}
    module = parse_module(make_context(), TEXT, "f.mlir")
    made = [compiled(module.clone(), CompileOptions(fusion=fusion), texts)] + [
        from_text(t) for t in texts.values()
    ]
    assert len(made) == 6
    x = np.array([3, 4, 5, 6])
    cases = [(1, None), (2, None), (5, "loop: 192 in iteration 4"), (0, None)]
    for count, message in cases:
        n = np.array(count)
        for program in made:
            if message is None:
                np.testing.assert_array_equal(program([x, n])[0], x << count)
            else:
                assert error_of(program, [x, n]).message == message
    low = np.array([0, 4, 5, 6])
    for program in made:
        error = error_of(program, [low, np.array(2)])
        assert isinstance(error, lm.ShapeError) and error.message == "branch: 0"
    assert error_of(made[0], [low, np.array(2)]).place == "f.mlir:19:5"


def test_lamina_run_shows_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(TEXT)
    np.save(tmp_path / "x.npy", np.array([3, 4, 5, 6]))
    np.save(tmp_path / "n.npy", np.array(5))
    arguments = [str(file), "--args", str(tmp_path / "x.npy"), str(tmp_path / "n.npy")]
    for extra in ([], ["--interpret"]):
        assert run_tool([*arguments, *extra]) == 1
        assert f"{file}:12:5: error: loop: 192 in iteration 4" in capsys.readouterr().err


BAD = """
llvm.mlir.global external constant @lamina_scratch_bytes(0 : i64) : i64
llvm.mlir.global external constant @lamina_arena_bytes(0 : i64) : i64
llvm.func @main(%c: !llvm.ptr, %p: !llvm.ptr) -> i32
    attributes {lamina.arguments = [memref<i64>], lamina.results = []} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  %1 = llvm.mlir.constant(1 : i64) : i64
  llvm.store %1, %p {lamina.check = {error = "DomainError", message = "m"}} : i64, !llvm.ptr
  llvm.store %1, %p {lamina.check = ANOTHER} : i64, !llvm.ptr
  llvm.return %0 : i32
}
"""


@pytest.mark.parametrize(
    ("another", "message"),
    [
        ('{error = "DomainError", message = "n"}', "checks of different numbers, found 1 again"),
        ('{error = "OSError", message = "n"}', 'found {error = "OSError"'),
        ('{error = "DomainError", message = "{}{}{}"}', "expected the number of a check"),
        ('{error = "DomainError"}', "expected the number of a check"),
        ("3", "expected the number of a check"),
    ],
)
def test_notes_that_do_not_fit_are_refused(another: str, message: str) -> None:
    with pytest.raises(IRError, match="lamina.check: expected") as caught:
        from_text(BAD.replace("ANOTHER", another))
    assert message in caught.value.message and caught.value.place == "<text>:9:3"


def test_a_check_in_a_private_function_is_refused() -> None:
    text = """
    func.func private @inner(%ok: tensor<i1>) {
      nd.check %ok, "DomainError", "no"
      return
    }
    func.func @main(%ok: tensor<i1>) -> tensor<i1> {
      func.call @inner(%ok) : (tensor<i1>) -> ()
      return %ok : tensor<i1>
    }
    """
    with pytest.raises(LoweringError, match="expected nd.check in a public function") as caught:
        from_text(text)
    assert caught.value.place == "<text>:3:7"


# drawn programs, some checks of which ask for the opposite


def outcome(call: Any) -> str | list[NDArray]:
    """The error of a call in words, or its results."""
    try:
        return call()
    except LaminaError as error:
        return f"{type(error).__name__}: {error.message}"


def variants(module: ModuleOp) -> list[tuple[str, Compiled]]:
    """The program compiled in several ways."""
    texts: dict[str, str] = {}
    made = [("fusion 2", compiled(module.clone(), CompileOptions(), texts))]
    made.append(("fusion 0", compiled(module.clone(), CompileOptions(fusion=0))))
    return [*made, ("linalg", from_text(texts["linalg"])), ("llvm", from_text(texts["llvm"]))]


@pytest.mark.slow
def test_drawn_programs_fail_alike() -> None:
    failed = 0
    for seed in range(400):
        program = draw(seed)
        if not checks_of(program.module):
            continue
        turn_some(program.module, rng_for("turned", seed))
        wanted = outcome(lambda p=program: evaluate(p.module, "main", p.inputs))
        if not isinstance(wanted, str):
            continue
        failed += 1
        for name, made in variants(program.module):
            for threads in (1, 2):
                found = outcome(
                    lambda p=program, m=made, t=threads: call_linked(
                        m.linked, m.interface, p.inputs, t
                    )
                )
                assert found == wanted, (seed, name, threads)
        if failed == 12:
            return
    raise AssertionError(f"expected 12 programs with a check that fails, found {failed}")
