"""The training examples on a small budget: they learn, and eager and compiled steps agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "text"),
    [([], "accuracy on 360 test images 0.9"), (["--compare", "5"], "5 losses")],
    ids=["learns", "agrees"],
)
def test_train_mnist(arguments: list[str], text: str, tmp_path: Path) -> None:
    runs("train_mnist.py", arguments, text, tmp_path)


@pytest.mark.slow
def test_tree_lstm(tmp_path: Path) -> None:
    runs("tree_lstm.py", ["--steps", "30"], "loss on 100 new sentences 0.", tmp_path)


def runs(script: str, arguments: list[str], text: str, folder: Path) -> None:
    """The script ends with 0, and says `text`."""
    command = [sys.executable, str(EXAMPLES / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert text in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
