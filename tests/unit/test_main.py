"""`lamina`: versions, environment and what a file of IR holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from lamina import options
from lamina.tools.main import main

TEXT = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %a, %x : i32
  func.return %b : i32
}
"""


def test_inspect_counts_operations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(TEXT)
    assert main(["inspect", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "@f: (i32) -> i32"
    assert lines[1].split() == ["2", "arith.addi"]


def test_inspect_reports_errors_with_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(TEXT.replace("return %b", "return"))
    assert main(["inspect", str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"{file}:4:")
    assert main(["inspect", str(tmp_path / "none.mlir")]) == 1
    assert "cannot read" in capsys.readouterr().err


def test_versions_and_environment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert "xdsl 0.75.0" in capsys.readouterr().out.splitlines()
    assert main(["env"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in options.ENVIRONMENT)
    assert " registers of " in out
