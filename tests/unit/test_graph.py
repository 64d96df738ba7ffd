"""What can be asked of a program: `graph`, `kernels`, `timings`, `memory`, `lamina inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.tools.main import main

X = np.ones((300, 400), np.float32)


def normalized(x: Any) -> Any:
    """Each column, made of mean 0."""
    centred = x - lm.mean(x, axis=0)
    return centred * 2


def test_graph_names_kernels_traffic_and_reasons() -> None:
    lines = lm.jit(normalized, cache=False).lower(X).graph().splitlines()
    first, *_, last = (line for line in lines if not line.startswith(" "))
    assert first.startswith("reduce_0: ") and "arith.addf" in first and "test_graph.py:" in first
    assert last.startswith("map_1: arith.subf arith.mulf") and "test_graph.py:" in last
    assert "    reads 300x400xf32 (468.8 KiB); writes 400xf32 (1.6 KiB)" in lines
    assert "    not with map_0: there is no common outer space" in lines


def test_graph_says_why_a_product_has_no_epilogue() -> None:
    def product(x: Any) -> Any:
        return lm.sum(x @ x.T, axis=1)

    text = lm.jit(product, cache=False).lower(X).graph()
    assert "dot_0: " in text
    assert "    not with dot_0: the reader of a contraction is not elementwise" in text


def test_graph_without_fusion_says_so() -> None:
    text = lm.jit(normalized, cache=False, fusion=0).lower(X).graph()
    assert text.endswith("fusion=0: ops of several spaces are not one kernel")


def flat(x: Any) -> Any:
    return x.reshape(-1)


def test_graph_shows_copies() -> None:
    text = lm.jit(flat, cache=False).lower(X).graph()
    assert text.startswith("copy: memref.copy  [")


NEGATIVE = """
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = nd.negative %x : tensor<?x4xf32>
  func.return %r : tensor<?x4xf32>
}
"""


def test_inspect_shows_the_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "negative.mlir"
    file.write_text(NEGATIVE)
    assert main(["inspect", "--graph", str(file)]) == 0
    assert "    reads ?x4xf32; writes ?x4xf32" in capsys.readouterr().out
    assert main(["inspect", str(file)]) == 0
    assert "1  nd.negative" in capsys.readouterr().out


def test_inspect_refuses_the_graph_of_another_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "empty.mlir"
    file.write_text("func.func @main() { %e = tensor.empty() : tensor<4xf32> func.return }")
    assert main(["inspect", "--graph", str(file)]) == 1
    assert "inspect --graph: expected IR of level nd, found level" in capsys.readouterr().err


def test_kernels_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered = lm.jit(normalized, cache=False).lower(X)
    first = lowered.kernels()
    monkeypatch.setattr(lowered, "lowering", None)  # a second lowering would be an error
    assert lowered.kernels() == first and lowered.kernels() is not first
    assert all(k.ops and k.symbol and k.name and k.locations for k in first)


def results(x: Any) -> dict[str, Any]:
    """One result of each kind."""
    return {
        "zeros": lm.zeros((3,)),
        "constant": lm.asarray([1.0, 2.0]),
        "rank_zero": x[0, 0] * 2,
        "element": x[0, 1],
        "empty": lm.zeros((0, 3)),
        "shape": lm.asarray(x.shape[0]),
        "sort": lm.sort(x, axis=0),
        "scan": lm.cumulative_sum(x, axis=0),
        "reshape": x.reshape(-1),
        "transposed": x.T,
        "joined": lm.concat([x, x]),
        "simplified": x * 1,
    }


SMALL = np.ones((4, 5), np.float32)


@pytest.mark.parametrize("name", results(lm.asarray(SMALL)))
def test_a_result_has_a_kernel(name: str) -> None:
    def one(x: Any) -> Any:
        return results(x)[name]

    executable = lm.jit(one).lower(SMALL).compile()
    kernels = executable.kernels()
    assert kernels and all(k.ops and k.symbol and k.name for k in kernels)
    assert all("test_graph.py:" in place for k in kernels for place in k.locations)
    result = np.asarray(executable(SMALL))
    assert executable.memory().outputs == result.nbytes


def test_timings_name_each_pass() -> None:
    lowered = lm.jit(normalized, cache=False).lower(X)
    assert lowered.timings() == {}
    lowered.compile()
    steps = lowered.timings()
    assert {"canonicalize-nd", "form-kernels", "bufferize", "emit-llvm", "codegen"} <= set(steps)
    assert all(0 <= seconds < 60 for seconds in steps.values())
