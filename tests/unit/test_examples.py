"""The training examples on a small budget: they learn, and eager and compiled steps agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "arguments", "text", "status"),
    [
        ("train_mnist.py", [], "accuracy on 360 test images 0.9", 0),
        ("train_mnist.py", ["--compare", "5"], "5 losses", 0),
        ("tree_lstm.py", ["--steps", "30"], "loss on 100 new sentences 0.", 0),
        ("rnn.py", ["--steps", "60", "--sample", "5"], "60 steps", 0),
        ("rnn.py", ["--steps", "2"], "(wanted 3.2)", 1),
    ],
    ids=["mnist-learns", "mnist-agrees", "tree-learns", "rnn-learns", "rnn-misses"],
)
def test_example(script: str, arguments: list[str], text: str, status: int, tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert text in done.stdout, done.stdout + done.stderr
    assert done.returncode == status
