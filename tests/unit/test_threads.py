"""The thread pool: every task once, failures, nesting, forks, idleness, and how many threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from lamina.backend import threads
from lamina.backend.codegen import compile_object
from lamina.backend.engine import Engine
from lamina.backend.host import target_for
from lamina.backend.threads_ir import pool_text
from lamina.errors import OptionError

# data: (spin, fail at task, ptr counts, ptr threads, ctx, inner tasks). A task notes its thread,
# spins, counts itself, and fails with status 7 + task when asked to.
BODY = """
declare i32 @lamina_parallel(ptr, ptr, ptr, i64)
define i32 @count(ptr %data, i64 %task, i64 %thread) {
entry:
  %spin = load i64, ptr %data
  %fp = getelementptr i64, ptr %data, i64 1
  %fail = load i64, ptr %fp
  %cp = getelementptr i64, ptr %data, i64 2
  %counts = load ptr, ptr %cp
  %tp = getelementptr i64, ptr %data, i64 3
  %threads = load ptr, ptr %tp
  %t = getelementptr i64, ptr %threads, i64 %task
  store i64 %thread, ptr %t
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %v = load volatile i64, ptr %data
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %spin
  br i1 %more, label %loop, label %end
end:
  %c = getelementptr i64, ptr %counts, i64 %task
  %old = atomicrmw add ptr %c, i64 1 monotonic
  %bad = icmp eq i64 %task, %fail
  %s = trunc i64 %task to i32
  %s7 = add i32 %s, 7
  %r = select i1 %bad, i32 %s7, i32 0
  ret i32 %r
}
define i32 @nest(ptr %data, i64 %task, i64 %thread) {
  %xp = getelementptr i64, ptr %data, i64 4
  %ctx = load ptr, ptr %xp
  %np = getelementptr i64, ptr %data, i64 5
  %n = load i64, ptr %np
  %r = call i32 @lamina_parallel(ptr %ctx, ptr @count, ptr %data, i64 %n)
  ret i32 %r
}
define i32 @run(ptr %ctx, ptr %data, i64 %tasks) {
  %r = call i32 @lamina_parallel(ptr %ctx, ptr @count, ptr %data, i64 %tasks)
  ret i32 %r
}
define i32 @run_nested(ptr %ctx, ptr %data, i64 %tasks) {
  %r = call i32 @lamina_parallel(ptr %ctx, ptr @nest, ptr %data, i64 %tasks)
  ret i32 %r
}
"""
NEVER = 1 << 40


class Work:
    """A context and the data of `count`, and the two ways to run it."""

    def __init__(self, engine: Engine, limit: int, size: int = 1000) -> None:
        self.counts = np.zeros(size, np.int64)
        self.threads = np.full(size, -1, np.int64)
        self.context = np.zeros(9, np.int64)
        self.context[7] = limit
        self.data = np.zeros(6, np.int64)
        self.data[1] = NEVER
        self.data[2:5] = [a.ctypes.data for a in (self.counts, self.threads, self.context)]
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 2, ctypes.c_int64)
        self._run = kind(engine.address("run"))
        self._nested = kind(engine.address("run_nested"))

    def run(self, tasks: int) -> int:
        """Run so many tasks; the status."""
        return self._run(self.context.ctypes.data, self.data.ctypes.data, tasks)

    def run_nested(self, tasks: int, inner: int) -> int:
        """Run `inner` tasks in each of so many tasks."""
        self.data[5] = inner
        return self._nested(self.context.ctypes.data, self.data.ctypes.data, tasks)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine([compile_object(BODY, target_for("host"), "none")], threads.pool().symbols())


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("tasks", [0, 1, 2, 7, 1000])
def test_every_task_runs_once(engine: Engine, limit: int, tasks: int) -> None:
    work = Work(engine, limit)
    for _ in range(20):
        assert work.run(tasks) == 0
    assert (work.counts[:tasks] == 20).all() and (work.counts[tasks:] == 0).all()
    assert (work.threads[:tasks] >= 0).all()
    assert (work.threads[:tasks] < max(limit, 1)).all()


def test_tasks_are_shared(engine: Engine) -> None:
    work = Work(engine, 2)
    work.data[0] = 2_000_000
    work.run(40)
    assert set(work.threads[:40]) == {0, 1}


@pytest.mark.parametrize("limit", [1, 4])
def test_failure_is_returned_and_ends_the_job(engine: Engine, limit: int) -> None:
    work = Work(engine, limit)
    work.data[:2] = 100_000, 100
    assert work.run(1000) == 107
    assert (work.counts[:100] == 1).all() and work.counts.sum() < 500
    work.data[:2] = 0, NEVER
    assert work.run(1000) == 0


@pytest.mark.parametrize("limit", [1, 4])
def test_nested_call_runs_in_its_thread(engine: Engine, limit: int) -> None:
    work = Work(engine, limit)
    assert work.run_nested(50, 20) == 0
    assert (work.counts[:20] == 50).all()
    assert (work.threads[:20] == 0).all()
    work.data[1] = 10
    assert work.run_nested(50, 20) == 17


def test_calls_of_eight_python_threads(engine: Engine) -> None:
    works = [Work(engine, 4) for _ in range(8)]

    def go(work: Work) -> None:
        for _ in range(300):
            work.run(100)

    workers = [threading.Thread(target=go, args=(work,)) for work in works]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive()
    for work in works:
        assert (work.counts[:100] == 300).all()


def _in_child(check: object) -> int:
    """The exit code of a forked child that runs `check`; a child that hangs is killed."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            assert callable(check)
            code = 0 if check() else 2
        finally:
            os._exit(code)
    for _ in range(2000):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return -1


def test_forked_child_has_workers_of_its_own(engine: Engine) -> None:
    work = Work(engine, 2)
    work.data[0] = 2_000_000
    work.run(40)

    def child() -> bool:
        work.threads[:] = -1
        return work.run(40) == 0 and set(work.threads[:40]) == {0, 1}

    assert _in_child(child) == 0
    assert work.run(40) == 0


def test_fork_while_another_thread_uses_the_pool(engine: Engine) -> None:
    busy, work = Work(engine, 2), Work(engine, 2)
    busy.data[0] = 1_000_000
    stop = threading.Event()

    def go() -> None:
        while not stop.is_set():
            busy.run(20)

    def child() -> bool:
        return work.run(40) == 0 and set(work.threads[:40]) == {0, 1}

    work.data[0] = 2_000_000
    other = threading.Thread(target=go)
    other.start()
    try:
        for _ in range(5):
            assert _in_child(child) == 0
    finally:
        stop.set()
        other.join()


def test_private_pool_notices_a_fork_by_itself() -> None:
    text = pool_text(target_for("host").triple, private=True)
    text += BODY.replace("declare i32 @lamina_parallel(ptr, ptr, ptr, i64)\n", "")
    data = compile_object(text, target_for("host"), "none")
    private = Engine([data])
    work = Work(private, 2)
    work.data[0] = 2_000_000
    work.run(40)

    def child() -> bool:
        work.threads[:] = -1
        return work.run(40) == 0 and set(work.threads[:40]) == {0, 1}

    assert _in_child(child) == 0
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(private))  # its worker sleeps in this code


def test_idle_workers_use_no_processor_time(engine: Engine) -> None:
    Work(engine, 8).run(1000)
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.02


def test_waiting_caller_sleeps(engine: Engine) -> None:
    # one of two tasks is long: whoever has the short one must not spin for the other
    long = Work(engine, 2)
    long.data[0] = 400_000_000
    started, before = time.perf_counter(), time.process_time()
    long.run(1)
    alone = time.process_time() - before
    assert time.perf_counter() - started >= 0.05
    code = BODY.replace(
        "%more = icmp slt i64 %i1, %spin", "%more = icmp slt i64 %i1, %mine"
    ).replace("  br label %loop\nloop:", "  %mine = mul i64 %spin, %task\n  br label %loop\nloop:")
    uneven = Engine([compile_object(code, target_for("host"), "none")], threads.pool().symbols())
    work = Work(uneven, 2)
    work.data[0] = 400_000_000
    before = time.process_time()
    work.run(2)
    assert time.process_time() - before < 1.5 * alone + 0.05
    uneven.close()


def test_caller_waits_for_its_workers(engine: Engine) -> None:
    work = Work(engine, 2)
    work.data[0] = 3_000_000
    for k in range(20):
        work.run(2)
        assert work.counts[:2].tolist() == [k + 1, k + 1]


def test_limit_is_checked() -> None:
    before = threads.get_num_threads()
    try:
        threads.set_num_threads(3)
        assert threads.get_num_threads() == 3
        for wrong in (0, -1, 1025, 2.0, True, "2"):
            with pytest.raises(OptionError, match="expected 1 to 1024"):
                threads.set_num_threads(wrong)  # type: ignore[arg-type]
        assert threads.get_num_threads() == 3
        threads.set_num_threads(None)
        assert threads.get_num_threads() == threads.default_threads()
    finally:
        threads.set_num_threads(before)


def test_default_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_NUM_THREADS", "5")
    assert threads.default_threads() == 5
    for wrong in ("0", "-1", "two", "1.5", "9999"):
        monkeypatch.setenv("LAMINA_NUM_THREADS", wrong)
        with pytest.raises(OptionError, match="LAMINA_NUM_THREADS"):
            threads.default_threads()


def test_default_follows_affinity_and_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAMINA_NUM_THREADS", raising=False)

    def six(pid: int) -> set[int]:
        return set(range(6))

    monkeypatch.setattr(os, "sched_getaffinity", six)
    monkeypatch.setattr(threads, "cgroup_cpus", lambda: 4)
    assert threads.default_threads() == 4
    monkeypatch.setattr(threads, "cgroup_cpus", lambda: 1024)
    assert threads.default_threads() == 6


def _group(root: Path, **files: str) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)


def test_quota_of_a_version_2_group_and_its_parents(tmp_path: Path) -> None:
    proc, root = tmp_path / "cgroup", tmp_path / "fs"
    proc.write_text("0::/a/b\n")
    _group(root / "a" / "b", cpu__max="max 100000\n")
    assert threads.cgroup_cpus(proc, root) == threads.MAX_THREADS
    _group(root / "a", cpu__max="250000 100000\n")
    assert threads.cgroup_cpus(proc, root) == 3
    _group(root / "a" / "b", cpu__max="50000 100000\n")
    assert threads.cgroup_cpus(proc, root) == 1


def test_quota_of_a_version_1_group(tmp_path: Path) -> None:
    proc, root = tmp_path / "cgroup", tmp_path / "fs"
    proc.write_text("5:memory:/a\n4:cpu,cpuacct:/a\n")
    _group(root / "cpu,cpuacct" / "a", cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    assert threads.cgroup_cpus(proc, root) == threads.MAX_THREADS
    _group(root / "cpu,cpuacct" / "a", cpu__cfs_quota_us="200000", cpu__cfs_period_us="100000")
    assert threads.cgroup_cpus(proc, root) == 2
    assert threads.cgroup_cpus(tmp_path / "absent", root) == threads.MAX_THREADS


_EXIT = """
import ctypes, numpy as np
from lamina.backend import threads
from lamina.backend.codegen import compile_object
from lamina.backend.engine import Engine
from lamina.backend.host import target_for
from test_threads import BODY, Work
engine = Engine([compile_object(BODY, target_for("host"), "none")], threads.pool().symbols())
work = Work(engine, 4)
work.run(1000)
print("done")
"""


def test_process_ends_with_workers() -> None:
    here = str(Path(__file__).parent)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([here, *sys.path])}
    result = subprocess.run(
        [sys.executable, "-c", _EXIT], env=environment, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr
