"""`lamina-run`: the same bits from the text of every level, and its files."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lit_runs import run_opt

from lamina.pipeline import STEPS
from lamina.tools import run

PROGRAM = """\
func.func @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %a = nd.multiply %x, %y : tensor<3x5xf32>
  %b = nd.add %a, %x : tensor<3x5xf32>
  func.return %b : tensor<3x5xf32>
}
"""
COPY = """\
func.func @f(%x: memref<?xf32>, %out: memref<?xf32>) attributes {lamina.result_sizes = \
[array<i64: 0, 0>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  func.return
}
"""


def lamina_run(*words: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run.main([str(word) for word in words])
    return status, out.getvalue(), err.getvalue()


def save(folder: Path, name: str, array: np.ndarray[Any, Any]) -> Path:
    path = folder / f"{name}.npy"
    np.save(path, array)
    return path


def test_every_level_gives_the_same_bits(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    x, y = (random.standard_normal((3, 5)).astype(np.float32) for _ in range(2))
    args = ["--args", save(tmp_path, "x", x), save(tmp_path, "y", y)]
    text = tmp_path / "nd.mlir"
    text.write_text(PROGRAM)
    for passes in ["", *(",".join(names) for names in STEPS.values())]:
        assert run_opt([str(text), "-p", passes, "-o", str(text)]).status == 0
        assert lamina_run(text, *args, "--out", tmp_path / "r.npy") == (0, "", "")
        assert np.load(tmp_path / "r.npy").tobytes() == (x * y + x).tobytes()


def test_interpreter_gives_the_same_bits(tmp_path: Path) -> None:
    text = tmp_path / "nd.mlir"
    text.write_text(PROGRAM)
    compiled = lamina_run(text, "--random-args")
    assert compiled[0] == 0
    assert lamina_run(text, "--random-args", "--interpret") == compiled


def test_hand_written_buffers_with_a_run_time_size(tmp_path: Path) -> None:
    text = tmp_path / "copy.mlir"
    text.write_text(COPY)
    status, out, err = lamina_run(text, "--entry", "f", "--random-args", "--size", "3", "--time")
    assert status == 0
    assert out.startswith("result 0: float32 (3,)\n")
    assert err.endswith(" us a call\n")


def test_bf16_comes_back_from_a_file(tmp_path: Path) -> None:
    text = tmp_path / "bf16.mlir"
    text.write_text(PROGRAM.replace("3x5xf32", "4xbf16"))
    x: np.ndarray[Any, Any] = np.arange(4).astype(ml_dtypes.bfloat16)
    path = save(tmp_path, "x", x)
    assert lamina_run(text, "--args", path, path, "--out", tmp_path / "r.npy")[0] == 0
    assert np.load(tmp_path / "r.npy").tobytes() == (x * x + x).tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64"])
def test_random_arrays_have_the_type_and_size(dtype: str) -> None:
    array = run.random_array((2, -1), np.dtype(dtype), 3, seed=0)
    assert (array.dtype, array.shape) == (np.dtype(dtype), (2, 3))
    assert array.tobytes() == run.random_array((2, -1), np.dtype(dtype), 3, seed=0).tobytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--args"], "lamina-run: error: @main: expected 2 arguments, found 0"),
        (["--args", "x.npy", "wide.npy"], "expected argument 1 of float32 and shape (3, 5)"),
        (["--args", "x.npy", "f64.npy"], "expected argument 1 of float32"),
        (["--args", "none.npy"], "cannot read none.npy: No such file or directory"),
        (["--args", "junk.npy"], "cannot read junk.npy: expected a .npy or .npz file of numbers"),
        (["--args", "objects.npy"], "cannot read objects.npy: expected a .npy or .npz"),
        (["--args", "several.npz"], "expected a single array (.npy), found several"),
        (["--random-args", "--resources", "x.npy"], "expected named arrays (.npz), found a single"),
        (["--random-args", "--out", "a.npy", "b.npy"], "--out: expected 1 files, found 2"),
        (["--random-args", "--out", "/proc/none/y.npy"], "cannot write /proc/none/y.npy"),
        (["--random-args", "--size", "-1"], "--size: expected a size from 0, found -1"),
        (["--random-args", "--entry", "g"], "nd.mlir: error: expected a function @g with a body"),
    ],
)
def test_wrong_words_get_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nd.mlir").write_text(PROGRAM)
    (tmp_path / "junk.npy").write_bytes(b"junk")
    save(tmp_path, "x", np.ones((3, 5), np.float32))
    save(tmp_path, "f64", np.ones((3, 5)))
    save(tmp_path, "wide", np.ones((3, 6), np.float32))
    save(tmp_path, "objects", np.array([None, 1], object))
    np.savez(tmp_path / "several.npz", a=np.ones(1), b=np.ones(1))
    status, out, err = lamina_run("nd.mlir", *words)
    assert (status, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1
