"""The wheel holds every room and no tests; it is built from a copy of the repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("dialects", "interpreters", "transforms", "lowering", "backend", "frontend")


def build_wheel(folder: Path) -> list[str]:
    """The files of a wheel that is built in `folder` from a copy of the sources."""
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
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.mark.slow
def test_wheel_holds_all_rooms_and_no_tests(tmp_path: Path) -> None:
    names = set(build_wheel(tmp_path))
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
