"""Upstream MLIR's tools as functions: what they say about a text, and what it computes."""

from __future__ import annotations

import os
import subprocess

from lamina.testing.lit import mlir_tool

MLIR_OPT = mlir_tool("mlir-opt")
MLIR_RUNNER = mlir_tool("mlir-runner")


def _run(tool: str, args: list[str], text: str) -> subprocess.CompletedProcess[str]:
    found = {"mlir-opt": MLIR_OPT, "mlir-runner": MLIR_RUNNER}[tool]
    assert found is not None, f"{tool} is not installed"
    path, libraries = found
    return subprocess.run(
        [str(path), *args],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
        check=False,
    )


def complaints(text: str) -> str:
    """What `mlir-opt` has to say against `text`; "" when it accepts everything."""
    done = _run("mlir-opt", ["--split-input-file", "-o", os.devnull], text)
    return done.stderr or ("" if done.returncode == 0 else f"exit status {done.returncode}")
