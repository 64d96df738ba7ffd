"""The disk cache under whole programs: damaged, concurrent, interrupted, stale."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lamina as lm
from lamina.backend.cache import source_digest

PROGRAM = """
import sys
import numpy as np
import lamina as lm
def f(x, w):
    return lm.softmax(x @ w, axis=-1) * 3
x = np.arange(12, dtype=np.float32).reshape(3, 4) / 7
w = np.arange(20, dtype=np.float32).reshape(4, 5) / 9
y = np.asarray(lm.jit(f)(x, w))
e = np.exp(x @ w - (x @ w).max(-1, keepdims=True))
np.testing.assert_allclose(y, 3 * e / e.sum(-1, keepdims=True), rtol=1e-5)
print(y.tobytes().hex())
"""


def start(folder: Path, src: Path | None = None) -> subprocess.Popen[str]:
    """The program in a process of its own."""
    package = src or Path(lm.__file__).parents[1]
    environment = {**os.environ, "LAMINA_CACHE_DIR": str(folder), "PYTHONPATH": str(package)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file())


@pytest.mark.slow
def test_two_processes_compile_at_once(tmp_path: Path) -> None:
    first, second = start(tmp_path), start(tmp_path)
    assert finish(first) == finish(second)
    assert files(tmp_path)


@pytest.mark.slow
def test_killed_while_it_writes(tmp_path: Path) -> None:
    expected = finish(start(tmp_path / "whole"))
    for number in range(4):
        folder = tmp_path / str(number)
        process = start(folder)
        deadline = time.monotonic() + 60
        while not folder.exists() or len(files(folder)) <= number:
            assert time.monotonic() < deadline
            if process.poll() is not None:
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert finish(start(folder)) == expected


@pytest.mark.slow
def test_flipped_bytes_are_never_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_CACHE_DIR", str(tmp_path))

    def f(x: Any, y: Any) -> Any:
        return lm.exp(x) + lm.sum(y)

    x, y = np.ones(5, np.float32), np.arange(3, dtype=np.float32)
    expected = np.asarray(lm.jit(f)(x, y)).copy()
    chosen = random.Random(0)
    for _ in range(200):
        found = chosen.choice(files(tmp_path))
        data = bytearray(found.read_bytes())
        place = chosen.randrange(len(data))
        data[place] ^= 1 << chosen.randrange(8)
        found.write_bytes(bytes(data))
        np.testing.assert_array_equal(np.asarray(lm.jit(f)(x, y)), expected)


@pytest.mark.slow
def test_an_edited_source_is_another_program(tmp_path: Path) -> None:
    root = Path(lm.__file__).resolve().parents[2]
    copy = tmp_path / "copy"
    for room in (
        "dialects",
        "interpreters",
        "transforms",
        "lowering",
        "backend",
        "frontend",
        "src",
    ):
        shutil.copytree(root / room, copy / room, symlinks=True)
    cache = tmp_path / "cache"
    expected = finish(start(cache, copy / "src"))
    before, kept = source_digest(copy / "src" / "lamina"), len(files(cache))
    edited = copy / "lowering" / "scalar_ops.py"
    text = edited.read_text()
    assert '"nd.multiply": _binary("mul", "mul")' in text
    edited.write_text(text.replace('"nd.multiply": _binary("mul", "mul")',
                                   '"nd.multiply": _binary("add", "add")'))  # fmt: skip
    assert source_digest(copy / "src" / "lamina") != before
    process = start(cache, copy / "src")
    _, err = process.communicate(timeout=120)
    # the program now adds where it multiplied: a stale object would still give the old numbers
    assert process.returncode != 0 and "AssertionError" in err
    assert len(files(cache)) > kept
    edited.write_text(text)
    assert finish(start(cache, copy / "src")) == expected


def test_a_folder_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        return x * 2 + 1

    blocked = tmp_path / "file"
    blocked.write_text("")
    for folder in (blocked / "inside", Path("/proc/none")):
        monkeypatch.setenv("LAMINA_CACHE_DIR", str(folder))
        found = lm.jit(f)(np.ones(3, np.float32))
        np.testing.assert_array_equal(np.asarray(found), [3, 3, 3])
