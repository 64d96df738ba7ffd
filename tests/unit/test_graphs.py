"""What people expect of dynamic and of static graphs, where no other file asserts it.

docs/graphs.md lists the expectations; each of its lines names a test, and a test here asserts that.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

import ast
import io
import pdb
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lamina as lm

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "graphs.md"


def test_the_page_names_tests_that_exist() -> None:
    rows = re.findall(r"^\| [^|`]+ \|.*\| `(test_\w+)\.py::(test_\w+)` \|$", PAGE.read_text(), re.M)
    assert len(rows) >= 40
    assert len(set(rows)) == len(rows), "two lines name one test"
    names: dict[str, set[str]] = {}
    for file, _ in rows:
        tree = ast.parse((ROOT / "tests" / "unit" / f"{file}.py").read_text())
        names[file] = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert [row for row in rows if row[1] not in names[row[0]]] == []


# The dynamic graph.


def test_a_debugger_sees_values() -> None:
    def f(x: Any, debugger: pdb.Pdb) -> Any:
        y = x * 2
        debugger.set_trace()
        return y + 1

    shown = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("p y\np float(y[1])\nc\n"), stdout=shown, nosigint=True)
    assert f(lm.asarray([1.0, 2.0]), debugger).tolist() == [3, 5]
    assert "Array([2., 4.])" in shown.getvalue() and "4.0" in shown.getvalue()


def test_values_are_there_at_once() -> None:
    x = lm.asarray([3.0, 4.0])
    length = float(lm.sqrt(lm.sum(x * x)))
    assert length == 5 and f"{x / length}" == "[0.6 0.8]" and int(lm.argmax(x)) == 1
    assert [value * 2 for value in x.tolist()] == [6, 8]


def test_each_call_may_build_another_graph() -> None:
    def f(x: Any) -> Any:
        return lm.sum(x * x if float(lm.sum(x)) > 0 else -x)

    for start, slope in (([1.0, 2.0], [2, 4]), ([-1.0, -2.0], [-1, -1])):
        x = lm.asarray(start, requires_grad=True)
        f(x).backward()
        assert x.grad.tolist() == slope


def test_shapes_that_depend_on_values() -> None:
    x = lm.asarray([3.0, -1.0, 3.0, 0.0])
    assert x[x > 0].tolist() == [3, 3]
    assert lm.nonzero(x)[0].tolist() == [0, 1, 2]
    assert lm.unique_values(x).tolist() == [-1, 0, 3]


def test_a_failure_leaves_the_locals_to_look_at() -> None:
    def f(x: Any) -> Any:
        wide = lm.concat([x, x])
        return wide @ x

    with pytest.raises(lm.ShapeError, match=rf"{Path(__file__).name}:\d+") as found:
        f(lm.ones(3))
    frames = [entry.frame for entry in found.traceback if entry.frame.code.name == "f"]
    assert frames[0].f_locals["wide"].shape == (6,)


# The static graph.


@lm.jit
def _model(params: Any, x: Any) -> Any:
    hidden = lm.tanh(x @ params["w"])
    return {"hidden": hidden, "total": lm.sum(hidden)}


def test_defined_once_and_fed_by_name() -> None:
    w, x = np.eye(2), np.asarray([[1.0, 2.0]])
    program = _model.lower({"w": w}, x).compile()
    for scale in (1, 2, 3):
        (total,) = program.run({"params/w": w * scale, "x": x}, ["total"])
        np.testing.assert_allclose(total, np.tanh(x * scale).sum())


def test_what_nobody_uses_is_not_computed() -> None:
    def f(x: Any) -> Any:
        lm.sort(lm.exp(x) @ x.T)
        return x + 1

    lowered = lm.jit(f).lower(np.ones((4, 4)))
    assert "nd.sort" in lowered.ir("nd")
    assert len(lowered.kernels()) == 1 and "math.exp" not in lowered.ir("linalg")


def test_equal_expressions_are_computed_once() -> None:
    def f(x: Any) -> Any:
        return lm.sum(x, axis=1) * lm.sum(x, axis=1)

    text = lm.jit(f).lower(np.ones((4, 64))).ir("linalg")
    assert text.count('"reduction"') == 1


def test_a_wrong_shape_is_found_before_anything_runs() -> None:
    ran: list[str] = []

    @lm.jit
    def f(x: Any) -> Any:
        y = lm.exp(x)
        ran.append("traced")
        return y @ lm.ones(7)

    with pytest.raises(lm.ShapeError, match=rf"{Path(__file__).name}:\d+"):
        f.lower(np.ones((2, 3)))
    assert ran == ["traced"]


def test_a_program_is_the_same_on_every_call() -> None:
    x = np.random.default_rng(0).standard_normal((37, 129)).astype(np.float32)
    f = lm.jit(lambda x: lm.softmax(x @ x.T, axis=-1))
    first = np.asarray(f(x))
    before = lm.get_num_threads()
    try:
        for threads in (1, 2):
            lm.set_num_threads(threads)
            np.testing.assert_array_equal(np.asarray(f(x)), first)
    finally:
        lm.set_num_threads(before)


def test_memory_is_known_before_a_run() -> None:
    memory = lm.jit(lambda x: lm.exp(x) @ x).lower(np.ones((64, 64))).compile().memory()
    assert memory.outputs == 64 * 64 * 8 and memory.arena <= memory.arena_without_reuse


def test_one_random_key_gives_one_result_in_both_modes() -> None:
    def f(key: Any) -> Any:
        first, second = lm.random.split(key, 2)
        return lm.random.uniform(first, (5,)) + lm.random.uniform(second, (5,))

    key = lm.random.key(3)
    assert f(key).tolist() == lm.jit(f)(key).tolist() != f(lm.random.key(4)).tolist()


def test_results_outlive_later_calls() -> None:
    f = lm.jit(lambda x: x * 2)
    results = [f(np.full(1000, float(i))) for i in range(20)]
    assert [float(r[999]) for r in results] == [2.0 * i for i in range(20)]


def test_both_modes_raise_one_error() -> None:
    def f(x: Any, i: Any) -> Any:
        return lm.take(x, i)

    texts: list[str] = []
    for call in (f, lm.jit(f)):
        with pytest.raises(IndexError) as found:
            call(lm.ones(3), lm.asarray([5]))
        assert isinstance(found.value, lm.LaminaError)
        texts.append(str(found.value))
    assert texts[0] == texts[1]


def test_each_level_can_be_read_and_run_again() -> None:
    lowered = lm.jit(lambda x: lm.sum(lm.exp(x))).lower(np.ones(5))
    levels = ("nd", "linalg", "buffer", "loop", "llvm")
    assert all("main" in lowered.ir(level) for level in levels)
    assert lowered.timings() and lowered.kernels()[0].locations
