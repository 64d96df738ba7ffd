"""Tracing: arguments, weak scalars, results, constants, escapes, locations, errors."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.trace import Trace, trace
from lamina.interpreters.evaluate import evaluate
from lamina.ir_text import place_of, print_module

X = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def run(program: Trace, *inputs: Any) -> list[np.ndarray[Any, Any]]:
    """The program's results on these arguments and on the captured arrays."""
    program.module.verify()
    given = [np.asarray(value) for value in inputs]
    given += [np.asarray(x.captured) for x in program.inputs[len(inputs) :]]
    return evaluate(program.module, "main", given, program.resources)


def text(program: Trace) -> str:
    return print_module(program.module)


def test_arguments_are_named_by_path() -> None:
    @dataclass
    class Layer:
        w: Any
        b: Any

    def f(params: Any, layer: Any, *rest: Any, scale: Any, **more: Any) -> Any:
        return params["a"][0] + layer.w * layer.b + rest[1] * scale + more["extra"]

    params = {"a": [X, X]}
    program = trace(f, (params, Layer(X, X[0]), X, X), {"scale": 2.0, "extra": X})
    assert [x.name for x in program.inputs] == [
        "params/a/0", "params/a/1", "layer/w", "layer/b", "rest/0", "rest/1", "scale", "more/extra",
    ]  # fmt: skip
    assert [x.weak for x in program.inputs] == [None] * 6 + ["float", None]
    found = run(program, X, X, X, X[0], X, X, 2.0, X)
    np.testing.assert_array_equal(found[0], X + X * X[0] + X * 2 + X)


def test_static_leaves() -> None:
    def f(x: Any, mode: str, n: Any, flag: Any = None) -> Any:
        return x * n if mode == "times" and flag is None else x

    program = trace(f, (X, "times", 3), static=("n",))
    assert program.static == [(1, "times"), (2, 3)]
    assert [x.name for x in program.inputs] == ["x"]
    np.testing.assert_array_equal(run(program, X)[0], X * 3)


def test_wrong_calls_name_the_function() -> None:
    def f(x: Any) -> Any:
        return x

    with pytest.raises(lm.ArgumentError, match=r"f: missing a required argument: 'x'"):
        trace(f)
    with pytest.raises(TypeError, match="unexpected keyword"):
        trace(f, (X,), {"y": 1})


def test_result_tree() -> None:
    def f(x: Any, n: Any) -> Any:
        return {"y": x, "s": ("label", n * 2, None), "c": np.float32(3), "a": np.ones(2)}

    program = trace(f, (X, 4))
    found = run(program, X, 4)
    assert [leaf.index for leaf in program.results] == [0, None, 1, 2, 3]
    assert program.results[1].value == "label"
    assert program.results[2].weak == "int"
    assert found[1] == 8
    assert found[2].dtype == np.float32
    assert program.result_tree.keys == ("y", "s", "c", "a")


def test_weak_scalar_takes_the_array_type() -> None:
    program = trace(lambda x, s, n: x * s + n, (X, 0.5, 3))
    assert run(program, X, 0.5, 3)[0].dtype == np.float32
    assert program.inputs[1].pinned is None
    assert program.inputs[2].pinned is None


def test_weak_arithmetic_stays_weak() -> None:
    program = trace(lambda x, n: x * ((n * 2 + 1) / 4), (X, 3))
    np.testing.assert_array_equal(run(program, X, 5)[0], X * (11 / 4))


def test_weak_int_in_a_narrow_type_keeps_a_range() -> None:
    program = trace(lambda x, n: x + n, (X.astype(np.int8), 3))
    assert (program.inputs[1].low, program.inputs[1].high) == (-128, 127)
    with pytest.raises(lm.DTypeError, match="from -128 to 127 for int8, found 300"):
        trace(lambda x, n: x + n, (X.astype(np.int8), 300))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: lm.reshape(x, (n, 2)),
        lambda x, n: sum(x[0] for _ in range(n)),
        lambda x, n: x[:, :n],
        lambda x, n: x[n - 2],
        lambda x, n: x if n > 2 else -x,
        lambda x, n: x * math.sqrt(n),
        lambda x, n: x * n**2,
        lambda x, n: x * (n // 2),
        lambda x, n: x * {3: 1.5}[n],
        lambda x, n: x * lm.arange(n),
        lambda x, n: x + float(f"{n}"),
    ],
)
def test_needed_numbers_are_pinned(function: Any) -> None:
    program = trace(function, (X, 3))
    assert program.inputs[1].pinned == f"{__file__}:{function.__code__.co_firstlineno}"
    np.testing.assert_allclose(run(program, X, 3)[0], np.asarray(function(lm.asarray(X), 3)))


def test_large_ints_and_strings_are_static() -> None:
    program = trace(lambda x, n: x + n, (np.asarray([1], np.uint64), 2**63))
    assert program.static == [(1, 2**63)]


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: 1 if x[0, 0] > 0 else 2, "lm.where to choose values, lm.cond"),
        (lambda x: int(x[0, 0]), "int: expected a value"),
        (lambda x: float(x[0, 0]), "float: expected a value"),
        (lambda x: range(lm.astype(x[0, 0], lm.int32)), "index: expected a value"),
        (lambda x: np.asarray(x), "np.asarray: expected a value"),
        (lambda x: x.tolist(), "tolist: expected a value"),
        (lambda x: x[0, 0].item(), "item: expected a value"),
        (lambda x: np.ones(3).__setitem__(0, x[0, 0]), "expected a value"),
        (lambda x: len(x[x > 0]), "in traced code, found x[mask] (made at"),
    ],
)
def test_values_are_not_known(function: Any, what: str) -> None:
    with pytest.raises(lm.TraceError) as error:
        trace(function, (X,))
    assert what in str(error.value)
    assert str(error.value).endswith(f"({__file__}:{function.__code__.co_firstlineno})")


@pytest.mark.filterwarnings("ignore::lamina.LaminaWarning")
def test_escaped_array_names_where_it_was_made() -> None:
    kept: list[Any] = []

    def f(x: Any) -> Any:
        kept.append(x * 2)
        return x

    trace(f, (X,))
    with pytest.raises(
        lm.TraceError, match=rf"outlived its trace \(made at .*:{f.__code__.co_firstlineno + 1}\)"
    ):
        _ = kept[0] + 1
    with pytest.raises(lm.TraceError, match="outlived its trace"):
        trace(lambda x: x + kept[0], (X,))


def test_rows_can_be_iterated() -> None:
    program = trace(lambda x: [row * 2 for row in x], (X,))
    assert len(program.results) == 2


@pytest.mark.filterwarnings("ignore::lamina.LaminaWarning")
def test_nested_trace_captures_the_outer_value() -> None:
    seen: list[Trace] = []

    def outer(x: Any) -> Any:
        y = x * 2
        seen.append(trace(lambda z: z + y, (x,)))
        return y

    program = trace(outer, (X,))
    (inner,) = seen
    assert inner.inputs[1].captured.shape == (2, 3)
    assert inner.inputs[1].guard is None
    assert "nd.add" not in text(program)
    assert "nd.add" in text(inner)


def test_threads_trace_apart() -> None:
    found: dict[int, str] = {}

    def work(number: int) -> None:
        for _ in range(5):
            found[number] = text(trace(lambda x: lm.exp(x) * number + lm.zeros(3), (X,)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n].count("nd.exp") for n in range(4)] == [1] * 4


def test_failed_trace_leaves_nothing_behind() -> None:
    with pytest.raises(ZeroDivisionError):
        trace(lambda x: x / (1 // 0), (X,))
    assert np.asarray(lm.asarray([1.0]) + 1).tolist() == [2.0]


def test_every_op_has_the_line_that_made_it() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        return lm.softmax(y)

    program = trace(f, (X,))
    first = f.__code__.co_firstlineno
    for op in program.module.walk():
        place = place_of(op.location)
        assert place is not None
        file, line, _ = place.rsplit(":", 2)
        assert file == __file__
        assert first <= int(line) <= first + 3
    multiply = next(op for op in program.module.walk() if op.name == "nd.multiply")
    assert place_of(multiply.location) == f"{__file__}:{first + 1}:13"


def test_large_constants_are_resources() -> None:
    table = np.arange(1000.0)

    def f(x: Any) -> Any:
        return x + lm.constant(table)

    program = trace(f, (np.ones(1000),))
    (name,) = program.resources
    assert f"dense_resource<{name}>" in text(program)
    np.testing.assert_array_equal(run(program, np.ones(1000))[0], table + 1)


def test_small_constants_keep_their_bits() -> None:
    values = np.asarray([np.inf, -np.inf, np.nan, -0.0, 1e-310])
    program = trace(lambda x: x * 0 + lm.constant(values), (values,))
    found = run(program, np.zeros(5))[0]
    np.testing.assert_array_equal(found, values)
    flags = np.asarray([True, False, True])
    program = trace(lambda x: x & lm.asarray([True, False, True]), (flags,))
    np.testing.assert_array_equal(run(program, flags)[0], flags)


def test_eager_work_inside_a_trace_is_recorded() -> None:
    weights = lm.asarray([1.0, 2.0, 3.0])

    def f(x: Any) -> Any:
        return x * (weights * 2)

    program = trace(f, (X.astype(np.float64),))
    assert text(program).count("nd.multiply") == 2
    assert [x.name for x in program.inputs] == ["x", "weights"]


def test_methods_trace_with_self() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = lm.asarray(X)
            self.scale = 2.0

        def __call__(self, x: Any) -> Any:
            return self.w * x * self.scale

    model = Model()
    program = trace(model, (X,))
    assert [x.name for x in program.inputs] == ["x", "self.w"]
    assert any(guard.path == "self.scale" for guard in program.guards)
    program = trace(Model.__call__, (model, X))
    assert program.static == [(0, model)]
    assert program.inputs[1].name == "self.w"


def test_written_arguments() -> None:
    def f(x: Any, y: Any) -> Any:
        y[0] = x[0]
        return None

    program = trace(f, (X, X))
    assert program.written == [1]
    assert program.inputs[1].written
    found = run(program, X, X + 10)
    np.testing.assert_array_equal(found[0], np.stack([X[0], X[1] + 10]))
    assert program.results == []
