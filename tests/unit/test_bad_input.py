"""Every row of the table of bad inputs, each in a process of its own: one clear error, no crash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_input_table import TABLE as TEXT
from bad_input_table import Bad
from bad_program_table import PROGRAMS
from forks import Forks

TABLE = [*TEXT, *PROGRAMS]

SUFFIXES = {"opt": "mlir", "run": "mlir", "python": "py"}


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Makes the processes."""
    made = Forks()
    yield made
    made.close()


def run_row(forks: Forks, row: Bad, folder: Path) -> tuple[int, str, Path]:
    """Exit status, standard error and the input's file."""
    file = folder / f"input.{SUFFIXES[row.kind]}"
    file.write_bytes(row.text.encode() if isinstance(row.text, str) else row.text)
    return *forks.run(row.kind, file, row.args, folder), file


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.kind}-{row.name}")
def test_bad_input_gets_one_clear_error(forks: Forks, row: Bad, tmp_path: Path) -> None:
    status, said, file = run_row(forks, row, tmp_path)
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


def test_the_status_is_that_of_the_process(forks: Forks, tmp_path: Path) -> None:
    ends = {
        "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n": -11,
        "import ctypes\nctypes.string_at(0)\n": -11,
        "import sys\nsys.exit(3)\n": 3,
        "1 / 0\n": 1,
        "x = 1\n": 0,
    }
    for text, expected in ends.items():
        status, _, _ = run_row(forks, Bad("end", "python", text, "", None), tmp_path)
        assert status == expected, text
