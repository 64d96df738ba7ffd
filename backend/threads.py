"""The thread pool of compiled code: one a process, started at its first use.

`lamina_parallel(ctx, body, data, tasks)` runs `body(data, task, thread)` for every task and
returns the first non-zero status. The caller is thread 0. A nested call, and a call while
another Python thread uses the pool, runs its tasks alone, as thread 0. `threads_ir.py` has the
code.
"""

from __future__ import annotations

import ctypes
import os
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lamina.backend.entry_jit import load_runtime
from lamina.backend.host import target_for
from lamina.backend.threads_ir import pool_text
from lamina.errors import OptionError
from lamina.options import environment

MAX_THREADS = 1024


@dataclass(frozen=True)
class Pool:
    """Addresses of the pool.

    parallel: `i32 lamina_parallel(ptr ctx, ptr body, ptr data, i64 tasks)`.
    limit: the i64 that holds the number of threads, read at every call of compiled code.
    """

    parallel: int
    limit: int

    def symbols(self) -> dict[str, int]:
        """What compiled code may refer to by name: symbol -> address."""
        return {"lamina_parallel": self.parallel}


def pool() -> Pool:
    """The pool of this process; the first call compiles it. No thread is started."""
    with _LOCK:  # two threads may ask first: one makes it
        return _make_pool()


_LOCK = threading.Lock()


@cache
def _make_pool() -> Pool:
    names = ("lamina_parallel", "lamina_threads")
    found = load_runtime("pool", lambda: pool_text(target_for("host").triple), names)
    made = Pool(found["lamina_parallel"], found["lamina_threads"])
    ctypes.c_int64.from_address(made.limit).value = default_threads()
    return made


def set_num_threads(n: int | None) -> None:
    """Let compiled code use `n` threads from its next call on (None: the default again).

    Workers beyond `n` sleep. Raises OptionError unless 1 <= n <= 1024.
    """
    if n is None:
        n = default_threads()
    if type(n) is not int or not 1 <= n <= MAX_THREADS:
        raise OptionError(f"set_num_threads: expected 1 to {MAX_THREADS}, found {n!r}")
    ctypes.c_int64.from_address(pool().limit).value = n


def get_num_threads() -> int:
    """The number of threads that compiled code may use."""
    return ctypes.c_int64.from_address(pool().limit).value


def default_threads() -> int:
    """LAMINA_NUM_THREADS, else the CPUs that affinity and the cgroup's quota leave us."""
    text = environment("LAMINA_NUM_THREADS")
    if text:
        if not text.isdecimal() or not 1 <= int(text) <= MAX_THREADS:
            raise OptionError(f"LAMINA_NUM_THREADS: expected 1 to {MAX_THREADS}, found {text!r}")
        return int(text)
    if hasattr(os, "sched_getaffinity"):
        cpus = len(os.sched_getaffinity(0))
    else:
        cpus = os.cpu_count() or 1
    return max(1, min(cpus, cgroup_cpus(), MAX_THREADS))


def cgroup_cpus(proc: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """CPUs that the tightest quota of this process's control groups allows, rounded up.

    Reads `cpu.max` (version 2) and `cpu.cfs_quota_us` (version 1) of the group and its parents.
    Without a quota the answer is MAX_THREADS.
    """
    best = MAX_THREADS
    try:
        lines = proc.read_text().splitlines()
    except OSError:
        return best
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = root / controllers if controllers else root
        folder = top / path.lstrip("/")
        while True:
            best = min(best, _quota(folder))
            if folder == top or top not in folder.parents:
                break
            folder = folder.parent
    return best


def _quota(folder: Path) -> int:
    """CPUs of one control group, MAX_THREADS without a limit."""
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text()
            period = (folder / "cpu.cfs_period_us").read_text()
        return MAX_THREADS if int(quota) <= 0 else max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):  # no such file, or "max"
        return MAX_THREADS
