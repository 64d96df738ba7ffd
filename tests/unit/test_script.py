"""Script mode: each program of the table gives what plain Python and NumPy give."""

# pyright: basic, reportPossiblyUnboundVariable=false
from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import script_programs_branches
import script_programs_functions
import script_programs_loops
from script_programs_functions import WRITTEN
from script_table import PROGRAMS, X

import lamina as lm
from lamina import tree

TABLES = (script_programs_branches, script_programs_functions, script_programs_loops)
ALIASING = {"chained_assignment"}
"""Programs that take the value of a 0-d array for a number: eager arrays are memory."""


def same(found: Any, expected: Any, *, exact: bool = False) -> None:
    """Equal structure, shapes, dtypes, and values to rounding (sums are in another order)."""
    leaves, structure = tree.flatten(found)
    wanted, like = tree.flatten(expected)
    assert structure == like
    for x, y in zip(leaves, wanted, strict=True):
        a, b = np.asarray(x), np.asarray(y)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        if exact:
            np.testing.assert_array_equal(a, b)
        else:
            np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12)


def copied(arguments: tuple[Any, ...], wrap: Callable[[Any], Any] = np.copy) -> list[Any]:
    return [
        tree.map_leaves(lambda x: wrap(x) if isinstance(x, np.ndarray) else x, x) for x in arguments
    ]


@pytest.mark.parametrize(("function", "calls"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_program(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    compiled = lm.jit(function, mode="script")
    for call in calls:
        plain, ours = copied(call), copied(call)
        memory = WRITTEN.copy()
        expected = function(*plain)
        WRITTEN[...] = memory
        same(compiled(*ours), expected)
        same(ours, plain)  # what it wrote to its arguments
        eager = copied(call, lambda x: lm.asarray(x.copy()))
        WRITTEN[...] = memory
        if function.__name__ not in ALIASING:
            same(function(*eager), expected)
    assert "fallback" not in compiled.explain()


def test_the_table_is_large() -> None:
    assert len(PROGRAMS) >= 90 and len(TABLES) == 3


# what stays a loop


def squares(x: Any) -> Any:
    for i in range(10):
        x = x * 0.5 + i
    return x


def many_squares(x: Any) -> Any:
    for i in range(100_000):
        x = x * 0.5 + i
    return x


def test_loops_stay_loops() -> None:
    few, many = (lm.jit(f, mode="script").lower(X).ir("nd") for f in (squares, many_squares))
    assert len(few) == len(many) - 4 and "scf.for" in few
    assert few == many.replace("100000 : index", "10 : index")


def test_one_version_for_all_traced_bounds() -> None:
    @lm.jit(mode="script")
    def total(x: Any, n: Any) -> Any:
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    assert [float(total(X, n)) for n in range(6)] == [float(X[:n].sum()) for n in range(6)]
    assert total.explain().count("compiled") == 1
    text = [total.lower(X, n).ir("nd") for n in (10, 100_000)]
    assert text[0] == text[1]


def test_short_static_loops_are_written_out() -> None:
    def short(x: Any) -> Any:
        for i in range(8):
            x = x * 0.5 + i
        return x

    assert "scf" not in lm.jit(short, mode="script").lower(X).ir("nd")


def test_static_conditions_stay_python() -> None:
    def static(x: Any, *, deep: bool = True) -> Any:
        n = 3
        while n > 0 and deep:
            x = x * 2 if n % 2 else x + 1
            n -= 1
        return x

    assert "scf" not in lm.jit(static, mode="script").lower(X).ir("nd")


def test_steps_whose_numbers_python_needs_are_written_out() -> None:
    layers = [np.full(5, float(k)) for k in range(12)]

    def stacked(x: Any) -> Any:
        parts = []
        for i in range(12):
            x = x * 0.5 + layers[i]
            parts.append(x[0])
        return np.stack(parts)

    same(lm.jit(stacked, mode="script")(X), stacked(X))


def test_both_branches_are_kept() -> None:
    def f(x: Any) -> Any:
        if x[0] > 0:
            return x * 2
        return x - 1

    compiled = lm.jit(f, mode="script")
    assert compiled.lower(X).ir("nd").count("scf.if") == 1
    same([compiled(X), compiled(-X)], [f(X), f(-X)])
    assert compiled.explain().startswith("version 1: compiled at the first call")


def test_a_loop_variable_has_the_type_of_a_python_number() -> None:
    @lm.jit(mode="script")
    def f(x: Any, n: Any) -> Any:
        for i in range(n):
            x = x * i
        return x, i

    with pytest.raises(lm.TraceError, match="'i', which has a value only where the for makes"):
        f(X.astype(np.float32), 3)

    @lm.jit(mode="script")
    def g(x: Any) -> Any:
        for i in range(12):
            x = x + i
        return x, i

    found, last = g(X.astype(np.float32))
    assert found.dtype == np.float32 and (type(last), last) == (int, 11)


# where things are


def test_locations_are_the_users() -> None:
    def f(x: Any) -> Any:
        if x[0] > 0:
            y = lm.sin(x)
        else:
            y = lm.cos(x)
        return y

    first = f.__code__.co_firstlineno
    text = lm.jit(f, mode="script").lower(X).ir("nd", locations=True)
    for name, line in (("nd.sin", 2), ("nd.cos", 4), ("scf.if", 1)):
        found = next(row for row in text.splitlines() if name in row or f'"{name}"' in row)
        assert f'test_script.py":{first + line}' in found or name == "scf.if"
    assert "lamina/frontend" not in text and "frontend/script" not in text


def test_tracebacks_show_the_users_lines() -> None:
    @lm.jit(mode="script")
    def f(x: Any) -> Any:
        for i in range(20):
            if x[0] > i:
                x = x + {}["missing"]
        return x

    with pytest.raises(KeyError) as found:
        f(X)
    frames = [(entry.path.name, str(entry.statement).strip()) for entry in found.traceback]  # type: ignore[union-attr]
    assert ("test_script.py", 'x = x + {}["missing"]') in frames
    assert ("test_script.py", "for i in range(20):") in frames


def test_a_check_in_a_loop_names_the_users_line() -> None:
    @lm.jit(mode="script")
    def f(x: Any, n: Any) -> Any:
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    line = f.__wrapped__.__code__.co_firstlineno + 4
    with pytest.raises(lm.IndexRangeError, match=rf"found 5 \(.*test_script.py:{line}"):
        f(X, 6)


# with the other ways of calling


@lm.jit(mode="script")
def clipped(x: Any) -> Any:
    s = 0.0
    for i in range(12):
        if x[i % 3] > 1:
            s = s + x[0] * x[1]
        else:
            s = s + x[2] ** 2
    return s


def test_gradients() -> None:
    expected = np.array([-8.0, 6.0, 4.0, 0.0, 0.0])
    same(lm.grad(clipped)(lm.asarray(X)), expected)
    same(lm.jit(lm.grad(clipped))(X), expected)
    x = lm.asarray(X, requires_grad=True)
    clipped(x).backward()
    same(x.grad, expected)


def test_inside_other_jits() -> None:
    outer = lm.jit(lambda x: clipped(x) * 2)
    same(outer(X), clipped(X) * 2)
    script = lm.jit(lambda x: outer(x) if x[0] > 0 else x[0], mode="script")
    same(script(X), outer(X))


def test_callbacks_are_converted() -> None:
    def body(c: Any, x: Any) -> Any:
        if x > 0:
            c = c + x
        return c, c

    @lm.jit(mode="script")
    def f(x: Any) -> Any:
        return lm.scan(body, x[0] * 0, x)[0]

    same(f(X), np.float64(5.75))


def test_a_method_that_is_jitted() -> None:
    class Model:
        def __init__(self, w: float) -> None:
            self.w = w

        @lm.jit(mode="script")
        def step(self, x: Any) -> Any:
            return x * self.w if x[0] > 0 else x

    model = Model(2.0)
    same(model.step(X), X * 2)
    model.w = 3.0
    same(model.step(X), X * 3)
    same(Model(4.0).step(X), X * 4)


def test_import_of_lamina_does_not_load_it() -> None:
    code = (
        "import sys, lamina as lm; lm.jit(lambda x: x); "
        "print([m for m in sys.modules if m.startswith('lamina.frontend.script')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_functions_around_a_plain_one() -> None:
    def f(x: Any) -> Any:
        return (x * x).sum() if x[0] > 0 else x.sum()

    for x in (X, -X):
        same(lm.jit(lm.grad(f), mode="script")(x), 2 * X if x is X else np.ones(5))


def test_partial_functions_and_instances() -> None:
    class Scale:
        def __init__(self, w: float) -> None:
            self.w = w

        def __call__(self, x: Any) -> Any:
            return x * self.w if x[0] > 0 else x

    same(lm.jit(functools.partial(Scale.__call__, Scale(2.0)), mode="script")(X), X * 2)
    same(lm.jit(Scale(3.0), mode="script")(X), X * 3)
