"""Reproducers: a file with IR, and the `lamina-opt` command that shows the failure again."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence


def write_reproducer(
    text: str, passes: str, *, flags: Sequence[str] = (), path: str | None = None
) -> tuple[str, str]:
    """Write `text` to `path` (or a new temporary file).

    passes: what `lamina-opt -p` gets. flags: further flags of `lamina-opt`.
    Returns the file's path and the command, which is also the file's first line.
    """
    if path is None:
        handle, path = tempfile.mkstemp(prefix="lamina-", suffix=".mlir")
        os.close(handle)
    command = shlex.join(["lamina-opt", "-p", passes, *flags, path])
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"// {command}\n{text}")
    return path, command
