"""Guards: each thing that a trace read and that then changes must be noticed, and nothing else."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import gc
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.frontend.trace import Trace, trace
from lamina.interpreters.evaluate import evaluate

X = np.arange(3.0)

SCALE = 2.0
SETTINGS: dict[str, Any] = {"bias": 1.0, "sizes": [2, 3], "nested": {"on": True}}
WEIGHT = np.asarray([1.0, 2.0, 3.0])
ALIAS = WEIGHT


def broken(program: Trace) -> list[str]:
    """Paths of the guards that do not hold, and of inputs that cannot be read."""
    guards = [*program.guards, *(x.guard for x in program.inputs if x.guard is not None)]
    return [guard.path for guard in guards if not guard.holds()]


def hidden(program: Trace) -> list[str]:
    return [x.name for x in program.inputs if x.leaf < 0]


def result(program: Trace, *inputs: Any) -> Any:
    """The first result, with the captured arrays read again."""
    given = [np.asarray(x) for x in inputs]
    given += [np.asarray(x.guard.read()) for x in program.inputs if x.guard is not None]
    return evaluate(program.module, "main", given, program.resources)[0]


def helper(x: Any) -> Any:
    return x * SCALE


def test_global_scalar_read_by_a_callee(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: helper(x) + 1, (X,))
    assert broken(program) == []
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3.0)
    assert broken(program) == ["SCALE"]


def test_type_of_a_scalar_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: helper(x), (X,))
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 2)
    assert broken(program) == ["SCALE"]


def test_function_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: helper(x), (X,))
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: x)
    assert broken(program) == ["helper"]


def test_container_contents(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: x + SETTINGS["bias"], (X,))
    assert broken(program) == []
    monkeypatch.setitem(SETTINGS, "bias", 5.0)
    assert broken(program) == ["SETTINGS['bias']"]
    monkeypatch.undo()
    monkeypatch.setitem(SETTINGS["nested"], "on", False)
    assert broken(program) == ["SETTINGS['nested']['on']"]
    monkeypatch.undo()
    monkeypatch.setitem(SETTINGS, "new", 1)
    assert broken(program) == ["SETTINGS"]
    monkeypatch.undo()
    SETTINGS["sizes"].append(4)
    assert broken(program) == ["SETTINGS['sizes']"]
    SETTINGS["sizes"].pop()
    assert broken(program) == []


def test_closure_cell() -> None:
    factor = 2.0

    def f(x: Any) -> Any:
        return x * factor

    program = trace(f, (X,))
    assert broken(program) == []
    factor = 3.0
    assert broken(program) == ["factor"]


def test_default_argument() -> None:
    def f(x: Any, *, k: float = 2.0) -> Any:
        return x * k

    program = trace(f, (X,))
    assert f.__kwdefaults__ is not None
    f.__kwdefaults__["k"] = 3.0
    assert len(broken(program)) == 1


def test_attribute_chain() -> None:
    config = SimpleNamespace(inner=SimpleNamespace(rate=0.5))
    program = trace(lambda x: x * config.inner.rate, (X,))
    assert broken(program) == []
    config.inner.rate = 0.25
    assert broken(program) == ["config.inner.rate"]
    config.inner = SimpleNamespace(rate=0.5)
    assert broken(program) != []


def test_class_attribute_and_its_shadow() -> None:
    class Config:
        rate = 2.0

    config = Config()
    program = trace(lambda x: x * config.rate, (X,))
    assert broken(program) == []
    config.rate = 3.0
    assert broken(program) == ["config.rate"]
    del config.rate
    Config.rate = 4.0
    assert broken(program) == ["config.rate"]


def test_slots_and_properties() -> None:
    class Config:
        __slots__ = ("base",)

        def __init__(self) -> None:
            self.base = 2.0

        @property
        def rate(self) -> float:
            return self.base * SCALE

    config = Config()
    program = trace(lambda x: x * config.rate, (X,))
    assert broken(program) == []
    config.base = 3.0
    assert broken(program) == ["self.base"]


def test_object_passed_to_a_helper() -> None:
    def scaled(x: Any, options: Any) -> Any:
        return x * options.rate

    config = SimpleNamespace(rate=2.0)
    program = trace(lambda x: scaled(x, config), (X,))
    config.rate = 3.0
    assert broken(program) == ["options.rate"]


def test_dataclass_fields() -> None:
    @dataclass
    class Config:
        rate: float
        name: str = "a"

    config = Config(2.0)
    program = trace(lambda x: x * vars(config)["rate"], (X,))
    config.rate = 3.0
    assert "config.rate" in broken(program)


def test_method_on_the_class() -> None:
    class Model:
        def scale(self) -> float:
            return 2.0

        def __call__(self, x: Any) -> Any:
            return x * self.scale()

    model = Model()
    program = trace(model, (X,))
    assert broken(program) == []
    Model.scale = lambda self: 3.0  # type: ignore[method-assign]
    assert broken(program) == ["self.scale"]


def test_recursive_calls_and_nested_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    def outer(x: Any) -> Any:
        def inner(y: Any) -> Any:
            return y * SCALE

        return inner(x) + inner(x)

    program = trace(outer, (X,))
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 9.0)
    assert broken(program) == ["SCALE"]


def test_unrelated_changes_are_not_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: x * 2, (X,))
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 9.0)
    monkeypatch.setitem(SETTINGS, "bias", 5.0)
    assert broken(program) == []


def test_captured_array_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: x + WEIGHT, (X,))
    assert hidden(program) == ["WEIGHT"]
    monkeypatch.setattr(sys.modules[__name__], "WEIGHT", np.asarray([5.0, 5.0, 5.0]))
    assert broken(program) == []
    np.testing.assert_array_equal(result(program, X), X + 5)
    monkeypatch.setattr(sys.modules[__name__], "WEIGHT", np.asarray([5.0]))
    assert broken(program) == ["WEIGHT"]


def test_two_names_of_one_array(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: x + WEIGHT + ALIAS, (X,))
    assert len(hidden(program)) == 1
    assert broken(program) == []
    monkeypatch.setattr(sys.modules[__name__], "ALIAS", np.zeros(3))
    assert broken(program) == ["ALIAS"]


def test_array_in_an_attribute_and_a_container() -> None:
    model = SimpleNamespace(layers=[{"w": lm.asarray([1.0, 2.0, 3.0])}])

    def f(x: Any) -> Any:
        for layer in model.layers:
            x = x * layer["w"]
        return x

    program = trace(f, (X,))
    assert hidden(program) == ["model.layers[0]['w']"]
    model.layers[0]["w"] = lm.asarray([4.0, 5.0, 6.0])
    assert broken(program) == []
    np.testing.assert_array_equal(result(program, X), X * [4.0, 5.0, 6.0])


def test_view_of_a_captured_array_follows_it() -> None:
    table = np.arange(12.0).reshape(4, 3)
    program = trace(lambda x: x + table[1] + table[::-2, 1][:1] + table.T[:1, 3], (X,))
    assert hidden(program) == ["table"]
    assert program.notes == []
    table[...] *= 2
    assert broken(program) == []
    np.testing.assert_array_equal(result(program, X), X + table[1] + table[3, 1] + table[3, 0])


def test_numpy_work_on_a_captured_array_is_guarded_by_value() -> None:
    table = np.asarray([1.0, 2.0, 3.0])
    program = trace(lambda x: x + table * 2, (X,))
    assert "not guarded" in program.notes[0]
    assert broken(program) == []
    table[0] = 7
    assert broken(program) == ["table"]


def test_number_taken_from_a_captured_array_is_guarded_by_value() -> None:
    table = np.asarray([1.0, 2.0, 3.0])
    program = trace(lambda x: x * float(table[0]), (X,))
    table[0] = 7
    assert broken(program) == ["table"]
    eager = lm.asarray([1.0, 2.0])
    program = trace(lambda x: x * float(eager[0]) if False else x * float(eager.tolist()[0]), (X,))
    eager[0] = 7
    assert broken(program) == ["eager"]


def test_numbers_beside_the_whole_array_are_guarded_by_value() -> None:
    table = np.asarray([1.0, 2.0, 3.0])
    for function in (
        lambda x: x * float(table[0]) + table,
        lambda x: x + table[0] + table,
        lambda x: x * table.max() + table,
        lambda x: x + table if table[1] > 0 else x - table,
        lambda x: sum((x * v for v in table), x) + table,
    ):
        program = trace(function, (X,))
        assert broken(program) == []
        table[0] += 1
        assert broken(program) == ["table"]


def test_shape_alone_is_no_use_of_values() -> None:
    table = np.asarray([1.0, 2.0, 3.0])
    program = trace(lambda x: x * table.shape[0], (X,))
    table[0] = 7
    assert broken(program) == []


def test_constant_is_guarded_by_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    program = trace(lambda x: x + lm.constant(WEIGHT), (X,))
    assert hidden(program) == []
    assert broken(program) == []
    monkeypatch.setattr(sys.modules[__name__], "WEIGHT", WEIGHT.copy())
    assert broken(program) == ["WEIGHT"]


def test_unguarded_sources_are_noted() -> None:
    def f(x: Any) -> Any:
        return x * time.time() + random.random() + getattr(SimpleNamespace(a=1), "a")  # noqa: B009

    notes = "\n".join(trace(f, (X,)).notes)
    line = f.__code__.co_firstlineno + 1
    assert f"{__file__}:{line}: what time.time gave" in notes
    assert "random" in notes
    assert "getattr" in notes


def test_an_earlier_profiler_is_called_and_restored() -> None:
    events: list[str] = []

    def profiler(frame: Any, event: str, argument: Any) -> None:
        events.append(frame.f_code.co_name)

    sys.setprofile(profiler)
    try:
        trace(lambda x: helper(x), (X,))
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert "helper" in events


def test_explanations() -> None:
    factor = 2.0

    def f(x: Any) -> Any:
        return x * factor

    program = trace(f, (X,))
    factor = 3.0
    (guard,) = [guard for guard in program.guards if not guard.holds()]
    assert guard.explain().startswith("closure variable `factor` was 2.0, is 3.0 (")


seen_by_collections = 0.0


def test_callbacks_of_the_collector_are_no_part_of_a_trace() -> None:
    """Hypothesis, for one, notes the time of each collection in a global."""

    def note(phase: str, info: Any) -> None:
        global seen_by_collections  # noqa: PLW0603
        seen_by_collections += 1

    def f(x: Any) -> Any:
        garbage = [[i] for i in range(20000)]
        return x + len(garbage)

    gc.callbacks.append(note)
    try:
        jitted = lm.jit(f)
        for _ in range(3):
            jitted(np.ones(2))
            gc.collect()
    finally:
        gc.callbacks.remove(note)
    assert jitted.explain().count(": compiled") == 1
    assert gc.isenabled()


def test_what_an_import_runs_is_not_guarded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An import happens once, and hooks of it (pytest has one) change what they please."""
    (tmp_path / "imported_in_a_trace.py").write_text("STATE = [0]\nRATE = 2.0 + STATE[0]\n")
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]

    class Finder:
        seen = 0

        def find_spec(self, *_: Any) -> None:
            Finder.seen += SETTINGS["nested"]["on"]

    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])

    def f(x: Any) -> Any:
        from imported_in_a_trace import RATE  # pyright: ignore

        return x * RATE  # pyright: ignore

    program = trace(f, (X,))
    assert broken(program) == []
    monkeypatch.setattr(Finder, "seen", 7)
    monkeypatch.setitem(SETTINGS["nested"], "on", False)
    assert broken(program) == []
