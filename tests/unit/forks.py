"""Processes of their own without the cost of importing Lamina in each: copies of one that has.

    forks = Forks()
    forks.run("opt", file, ("-p", "cse"), folder)      exit status (negative: a signal), stderr

As `python -m lamina.tools.opt FILE -p cse`, run in `folder`. Kinds: "opt", "run" (the tools) and
"python" (the file is a program).
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from lamina import registry

SECONDS = 60
"""After this long a process is killed by SIGALRM."""


class Forks:
    """The process that is copied; it has imported the tools, and started no thread."""

    def __init__(self) -> None:
        self.parent = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "LAMINA_DEBUG": "0"},
        )  # fmt: skip

    def run(self, kind: str, file: Path, args: Sequence[str], folder: Path) -> tuple[int, str]:
        """Exit status and standard error of a process."""
        said = folder / "stderr"
        request = {"kind": kind, "argv": [str(file), *args], "cwd": str(folder), "said": str(said)}
        assert self.parent.stdin and self.parent.stdout
        self.parent.stdin.write(json.dumps(request) + "\n")
        self.parent.stdin.flush()
        status = int(self.parent.stdout.readline())
        return status, said.read_bytes().decode()

    def close(self) -> None:
        """End the process that is copied."""
        self.parent.communicate()


def _child(kind: str, argv: list[str], cwd: str, said: str) -> int:
    """The exit status of what is run, as the interpreter would make it."""
    from lamina.tools import opt, run

    os.chdir(cwd)
    for number, path in ((0, os.devnull), (1, os.devnull), (2, said)):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(path, flags), number)
    signal.alarm(SECONDS)
    try:
        if kind == "python":
            sys.argv = argv
            runpy.run_path(argv[0], run_name="__main__")
            return 0
        sys.argv = [f"lamina-{kind}", *argv]
        return {"opt": opt, "run": run}[kind].main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1


def serve() -> None:
    """Run what is asked for, each in a copy of this process, and print exit statuses."""
    for name in ("lamina.tools.opt", "lamina.tools.run", "lamina.frontend.trace"):
        import_module(name)
    for path in (*registry.DIALECTS.values(), *registry.PASSES.values()):
        registry.load(path)
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        process = os.fork()
        if process == 0:
            status = _child(**request)
            sys.stderr.flush()
            os._exit(status)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
