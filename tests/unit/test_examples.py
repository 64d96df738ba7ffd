"""The training example on a small budget: it learns, and eager and compiled steps agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "train_mnist.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "text"),
    [([], "accuracy on 360 test images 0.9"), (["--compare", "5"], "5 losses")],
    ids=["learns", "agrees"],
)
def test_train_mnist(arguments: list[str], text: str, tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert text in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
