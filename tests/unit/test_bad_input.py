"""Every row of the table of bad inputs, each in a process of its own: one clear error, no crash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bad_input_table import TABLE as TEXT
from bad_input_table import Bad
from bad_program_table import PROGRAMS

TABLE = [*TEXT, *PROGRAMS]

SRC = Path(__file__).parents[2] / "src"
COMMANDS = {
    "opt": ["-m", "lamina.tools.opt"],
    "run": ["-m", "lamina.tools.run"],
    "python": list[str](),
}
SUFFIXES = {"opt": "mlir", "run": "mlir", "python": "py"}


def run_row(row: Bad, folder: Path) -> tuple[int, str, Path]:
    """Exit status, standard error and the input's file."""
    file = folder / f"input.{SUFFIXES[row.kind]}"
    file.write_bytes(row.text.encode() if isinstance(row.text, str) else row.text)
    environment = {**os.environ, "PYTHONPATH": str(SRC), "LAMINA_DEBUG": "0"}
    done = subprocess.run(
        [sys.executable, *COMMANDS[row.kind], file, *row.args],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr.decode(), file


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.kind}-{row.name}")
def test_bad_input_gets_one_clear_error(row: Bad, tmp_path: Path) -> None:
    status, said, file = run_row(row, tmp_path)
    assert status == 1, said
    if row.kind == "python":
        last = said.rstrip().rpartition("\n")[2]
        assert re.match(rf"lamina\.errors\.{row.error_class}: ", last), said
        assert row.message in last
        assert row.line is None or f"{file}:{row.line}" in last
    else:
        first, *rest = said.splitlines()
        place, _, message = first.partition(": error: ")
        assert row.message in message, said
        assert all(line.startswith("note: ") for line in rest), said
        if row.line is not None:
            assert re.fullmatch(rf"{re.escape(str(file))}:{row.line}(:\d+)?", place), said


def test_table_has_no_row_twice() -> None:
    names = [(row.kind, row.name) for row in TABLE]
    assert len(names) == len(set(names))


def test_table_is_long_enough() -> None:
    assert len(TABLE) >= 60
