"""The wheel holds every room and no tests, and runs what is documented; it is built from a copy
of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("dialects", "interpreters", "transforms", "lowering", "backend", "frontend")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that is built from a copy of the sources, laid out as when it is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "src", "tests", *ROOMS):
        path = ROOT / name
        if path.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "Output")
            shutil.copytree(path, source / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(path, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No matching distribution found for setuptools" in done.stderr:
        pytest.skip("the build backend cannot be fetched")
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "installed")
    shutil.rmtree(source)
    return folder / "installed"


@pytest.mark.slow
def test_wheel_holds_all_rooms_and_no_tests(wheel: Path) -> None:
    names = {str(path.relative_to(wheel)) for path in wheel.rglob("*") if path.is_file()}
    package = ROOT / "src" / "lamina"
    files = [*package.glob("*.py"), *package.glob("t*/*.py"), package / "py.typed"]
    files += [
        package / room / file.relative_to(ROOT / room)
        for room in ROOMS
        for file in (ROOT / room).rglob("*.py")
    ]
    assert {f"lamina/{file.relative_to(package)}" for file in files} - names == set()
    assert [name for name in names if not name.startswith(("lamina/", "lamina-"))] == []
    assert [name for name in names if "test_" in name or name.endswith((".pyc", ".mlir"))] == []


DOCTESTS = """
import doctest, importlib
import numpy as np, lamina as lm
from pathlib import Path
import lamina.frontend
failed = attempted = 0
for path in sorted(Path(lamina.frontend.__file__).parent.glob("*.py")):
    if ">>> " in path.read_text():
        module = importlib.import_module(f"lamina.frontend.{path.stem}")
        found = doctest.testmod(module, extraglobs={"lm": lm, "np": np})
        failed, attempted = failed + found.failed, attempted + found.attempted
assert failed == 0 and attempted > 100, (failed, attempted)
"""


@pytest.mark.slow
def test_regression_RU15(wheel: Path, tmp_path: Path) -> None:
    """What documents and docstrings show runs on the built wheel."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    check = f"import lamina\nassert lamina.__file__.startswith({str(wheel)!r}), lamina.__file__\n"
    for block in (*blocks, DOCTESTS):
        done = subprocess.run(
            [sys.executable, "-c", check + block], capture_output=True, text=True, check=False,
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(wheel)},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
