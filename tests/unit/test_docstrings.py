"""Every public function has an example in its docstring, and every example runs."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import lamina as lm

PACKAGE = Path(lm.__file__).parent
FOLDERS = (PACKAGE, PACKAGE / "frontend", PACKAGE / "testing")
MODULES = sorted(
    ".".join(("lamina", *file.relative_to(PACKAGE).with_suffix("").parts))
    for folder in FOLDERS
    for file in folder.glob("*.py")
    if ">>>" in file.read_text() and file.name != "__init__.py"
)
SPACES = [value for name in lm.__all__ if isinstance(value := getattr(lm, name), ModuleType)]
PUBLIC = [
    (f"{space.__name__}.{name}", value)
    for space in (lm, *SPACES)
    for name in space.__all__
    if isinstance(value := getattr(space, name), FunctionType)
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str) -> None:
    found = doctest.testmod(import_module(module), extraglobs={"lm": lm, "np": np})
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize(("name", "function"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_there_is_an_example(name: str, function: FunctionType) -> None:
    assert ">>>" in (function.__doc__ or ""), f"{name}: expected an example in its docstring"
