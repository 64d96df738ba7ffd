"""The RUN lines of our lit files, run inside this process: `lamina-opt` and filecheck as calls."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser

from lamina.tools import opt

ROOT = Path(__file__).parents[2]
LIT = ROOT / "tests" / "lit"


@dataclass(frozen=True)
class Command:
    """One command of a RUN line: its words, and whether it also pipes its standard error."""

    words: tuple[str, ...]
    merged: bool


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


def run_lines(file: Path) -> list[list[Command]]:
    """The pipes of commands that `file` wants to be run, with `%s` filled in."""
    lines = [
        line.strip().removeprefix("//").strip().removeprefix("RUN:").strip()
        for line in file.read_text().splitlines()
        if line.strip().startswith("// RUN:")
    ]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [list(_commands(line, file)) for line in joined]


def _commands(line: str, file: Path) -> Iterator[Command]:
    for part in line.split(" | "):
        words = [word.replace("%s", str(file)) for word in shlex.split(part)]
        merged = "2>&1" in words
        yield Command(tuple(word for word in words if word != "2>&1"), merged)


def run_opt(words: tuple[str, ...] | list[str]) -> Result:
    """`lamina-opt` with `words`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = opt.main(list(words))
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
    return Result(status, out.getvalue(), err.getvalue())


def check(file: Path, words: tuple[str, ...], text: str) -> bool:
    """Whether filecheck accepts `text` against the CHECK lines of `file`."""
    flags = ["filecheck", str(file), "--enable-var-scope", "--reject-empty-vars", *words]
    options = parse_argv_options(flags)
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        matcher = Matcher(options, FInput("<stdin>", text), Parser.from_opts(options))
        return matcher.run() == 0


def passes_lit(file: Path) -> bool:
    """Whether every RUN line of `file` succeeds. `%run` and `%mlir_opt` end a pipe unseen."""
    return all(_line_succeeds(file, commands) for commands in run_lines(file))


def _line_succeeds(file: Path, commands: list[Command]) -> bool:
    text = ""
    for command in commands:
        tool, *words = command.words
        negated = tool == "not"
        if negated:
            tool, *words = words
        if tool == "%opt":
            result = run_opt(words) if text == "" else _piped(words, text)
            if (result.status != 0) != negated:
                return False
            text = result.out + (result.err if command.merged else "")
        elif tool == "%check":
            return check(file, tuple(words), text)
        else:
            return True
    return True


def _piped(words: list[str], text: str) -> Result:
    """`lamina-opt` that reads `text` from standard input."""
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        return run_opt(words)
    finally:
        sys.stdin = stdin
