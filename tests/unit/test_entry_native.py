"""Calls of compiled code: failures, memory, the GIL, signals, life times."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import CellType, MethodType
from typing import Any

import numpy as np
import pytest
from entry_programs import (
    ARRAYS,
    F4,
    F8,
    I8,
    KINDS,
    LEAF,
    A,
    Array,
    B,
    C,
    Failure,
    X,
    Y,
    axpy,
    ignore_error,
    make_with,
    on_error,
    program,
    slow_path,
    wrapped,
)

from lamina.backend import entry, threads
from lamina.backend.codegen import compile_object
from lamina.backend.engine import Engine
from lamina.backend.entry import Entry, make_entry
from lamina.backend.entry_native import Block
from lamina.backend.entry_py import PyEntry, call_main
from lamina.backend.entry_spec import (
    ArrayLeaf,
    DictNode,
    GlobalName,
    Result,
    ResultConstant,
    ResultDict,
    ResultLeaf,
    ResultSequence,
    SequenceNode,
    Signature,
    StaticLeaf,
    static_tree,
)
from lamina.backend.host import target_for


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Make the builtin of an entry of either kind."""
    return make_with(request.param)


def test_failure_calls_the_error_handler(make: Any) -> None:
    bad = Signature(
        program("fail"), (ArrayLeaf(F4, (4,)),), (Result(F4, (4,)),), ResultLeaf(0)
    )  # fmt: skip
    call = make(axpy(ArrayLeaf(F8, (4,))), bad)
    assert (call(X).data == Y).all()
    with pytest.raises(Failure) as raised:
        call(-1 - X)
    assert raised.value.args == (1, 5, 1100000, 2200000, -3300000)


def test_error_handler_that_returns_is_an_error() -> None:
    for kind in (Entry, PyEntry):
        it = kind(slow_path, ARRAYS, ignore_error)
        it.replace(
            [Signature(program("fail"), (ArrayLeaf(F4, (4,)),), (Result(F4, (4,)),), ResultLeaf(0))]
        )
        with pytest.raises(SystemError):
            it.call(-1 - X)


def test_slow_path_may_raise() -> None:
    def refuse(*_: Any) -> Any:
        raise Failure("refused")

    for kind in (Entry, PyEntry):
        with pytest.raises(Failure, match="refused"):
            kind(refuse, ARRAYS, on_error).call(X)


def memory(arena: int, scratch: int, **more: Any) -> Signature:
    return Signature(
        program("memory"), (ArrayLeaf(I8, ()),), (Result(I8, (4,)),), ResultLeaf(0),
        arena_bytes=arena, scratch_bytes=scratch, **more,
    )  # fmt: skip


def test_arena_and_scratch(make: Any) -> None:
    one = np.array(1)
    before = threads.get_num_threads()
    try:
        threads.set_num_threads(2)
        call = make(memory(1000, 100))
        arena, scratch, size, count = call(one).data.tolist()
        assert arena % 64 == 0 and scratch - arena == 1024 and (size, count) == (128, 2)
        assert call(one).data.tolist()[0] == arena  # kept for the next call
        threads.set_num_threads(7)
        arena, scratch, size, count = call(one).data.tolist()
        assert (scratch - arena, size, count) == (1024, 128, 7)
        alone = make(memory(1000, 100, threads=3))
        assert alone(one).data.tolist()[2:] == [128, 3]
    finally:
        threads.set_num_threads(before)
    assert make(memory(1000, 0))(one).data.tolist()[2] == 0


def test_no_memory_is_an_error(make: Any) -> None:
    call = make(memory(1 << 60, 0))
    with pytest.raises(MemoryError):
        call(np.array(1))


def test_calls_at_one_time_do_not_share_memory(make: Any) -> None:
    # each call writes its own byte all over its arena, and holds it meanwhile
    text = """
define i32 @mark(ptr %ctx, ptr %x, ptr %out) {
entry:
  %arena = load ptr, ptr %ctx
  %v = load i8, ptr %x
  call void @llvm.memset.p0.i64(ptr %arena, i8 %v, i64 4096, i1 false)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %bad = phi i64 [ 0, %entry ], [ %bad1, %loop ]
  %k = and i64 %i, 4095
  %p = getelementptr i8, ptr %arena, i64 %k
  %w = load volatile i8, ptr %p
  %differs = icmp ne i8 %w, %v
  %one = zext i1 %differs to i64
  %bad1 = add i64 %bad, %one
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, 400000
  br i1 %more, label %loop, label %end
end:
  store i64 %bad1, ptr %out
  ret i32 0
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
    with Engine([compile_object(text, target_for("host"))]) as engine:
        call = make(
            Signature(
                engine.address("mark"), (ArrayLeaf(I8, ()),), (Result(I8, ()),), ResultLeaf(0),
                arena_bytes=4096, release_gil=True,
            )
        )  # fmt: skip
        bad: list[int] = []

        def go(mark: int) -> None:
            bad.extend(int(call(np.array(mark)).data) for _ in range(20))

        workers = [threading.Thread(target=go, args=(k + 1,)) for k in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert bad == [0] * 160


def test_gil_is_released_on_request(make: Any) -> None:
    x = np.zeros(4, F4)
    call = make(
        Signature(
            program("spin"), (ArrayLeaf(F4, (4,)),), (), ResultConstant("done"), release_gil=True
        )
    )  # fmt: skip
    setter = threading.Timer(0.1, x.fill, (1.0,))
    setter.start()
    assert call(x) == "done"
    setter.join()


class Stop(Exception):
    """What the signal handler raises."""


@pytest.mark.parametrize("release", [False, True])
def test_signal_interrupts_a_long_main(make: Any, release: bool) -> None:
    call = make(
        Signature(
            program("spin"), (ArrayLeaf(F4, (4,)),), (), ResultConstant(None), release_gil=release,
            arena_bytes=64,
        )
    )  # fmt: skip

    def handler(*_: Any) -> None:
        raise Stop

    old = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(3):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(Stop):
                call(np.zeros(4, F4))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert call(np.ones(4, F4)) is None


def test_signal_handler_that_returns_lets_main_go_on(make: Any) -> None:
    x = np.zeros(4, F4)
    call = make(Signature(program("spin"), (ArrayLeaf(F4, (4,)),), (), ResultConstant("done")))

    def handler(*_: Any) -> None:
        x.fill(1.0)

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert call(x) == "done"
    finally:
        signal.signal(signal.SIGALRM, old)


_INTERRUPT = """
import os, signal, threading
from entry_programs import *
from lamina.backend.entry_spec import ResultConstant, Signature
spin = Signature(program("spin"), (FLOATS,), (), ResultConstant(None), release_gil=True)
call = make_with(KINDS[0])(spin)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    call(X * 0)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_control_c() -> None:
    here = str(Path(__file__).parent)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([here, *sys.path])}
    result = subprocess.run(
        [sys.executable, "-c", _INTERRUPT], env=environment, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (0, "interrupted\n"), result.stderr


# --- life times


def test_class_attribute_gets_no_self(make: Any) -> None:
    class Base:
        """The base of jitted functions."""

    call = make(axpy())
    jitted: Any = type("J", (Base,), {"__call__": call})()
    assert (jitted(X).data == Y).all()
    marker = object()
    tag, args, kwargs = jitted(marker, 2, k=3)
    assert tag == "slow" and args == (marker, 2) and kwargs == {"k": 3}
    assert call.__name__ == "__call__" or type(call) is MethodType


def test_reference_counts() -> None:
    names = {"g": 5, "w": A}
    cell = CellType(B)
    tree = SequenceNode(list, (LEAF, DictNode((("k", ArrayLeaf(F8, ())),))))
    result = ResultSequence(tuple, (ResultLeaf(0), ResultConstant("s"), ResultDict(())))
    signature = Signature(
        program("sum_words"), (tree, static_tree((1, "a"))), (Result(F8, ()),), result,
        hidden=(
            (GlobalName(names, "g"), StaticLeaf(5)), (GlobalName(names, "w"), LEAF),
        ),
    )  # fmt: skip
    other = replace(signature, args=(tree, static_tree((1, "b"))))
    it = make_entry([other, signature], lambda *a, **k: None, ARRAYS, on_error)
    argument = [wrapped(A), {"k": C}]
    static = (1, "a")
    watched = [
        argument, argument[0], argument[1], A, B, C, static, names, cell, Array, "s", "k",
        it, signature, F8, on_error,
    ]  # fmt: skip
    it.call(argument, static)
    before = [sys.getrefcount(o) for o in watched]
    for _ in range(1000):
        it.call(argument, static)
        it.call(argument, None)
        it.call(argument, k=1)
    assert [sys.getrefcount(o) for o in watched] == before


def test_a_million_calls_keep_memory() -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    bad = Signature(program("fail"), (ArrayLeaf(F4, (4,)),), (Result(F4, (4,)),), ResultLeaf(0))
    it = make_entry([bad], slow_path, ARRAYS, on_error)
    failing = -1 - X

    def go(count: int) -> None:
        for _ in itertools.repeat(None, count):
            it.call(X)
            it.call(1)
        for _ in itertools.repeat(None, count // 20):
            with suppress(Failure):
                it.call(failing)

    go(20_000)
    before, blocks = process.memory_info().rss, sys.getallocatedblocks()
    go(500_000)
    assert process.memory_info().rss - before < 2 << 20
    assert sys.getallocatedblocks() - blocks < 100


def test_entry_is_collected_with_its_cycle() -> None:
    class Jitted:
        """Owner of an entry whose slow path is a method of its own."""

        def __init__(self) -> None:
            self.entry = make_entry([axpy()], self.slow, ARRAYS, on_error)
            self.call = self.entry.call

        def slow(self, *args: Any) -> Any:
            return args

    jitted = Jitted()
    jitted.call(X)
    assert jitted.call(1) == (1,)
    gone = weakref.ref(jitted), weakref.ref(jitted.entry)
    del jitted
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_signatures_may_be_replaced_during_a_call() -> None:
    x = np.zeros(4, F4)
    spin = Signature(
        program("spin"), (ArrayLeaf(F4, (4,)),), (Result(F4, (4,)),),
        ResultDict((("".join(["ke", "y"]), ResultLeaf(0)),)), release_gil=True, arena_bytes=64,
    )  # fmt: skip
    it = make_entry([spin], slow_path, ARRAYS, on_error)
    del spin

    def change() -> None:
        it.replace([axpy()])
        gc.collect()
        x.fill(1.0)

    other = threading.Timer(0.05, change)
    other.start()
    assert list(it.call(x)) == ["key"]
    other.join()
    assert type(it.call(X)) is Array


def test_memory_of_a_dead_entry_is_freed() -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    before = process.memory_info().rss
    for _ in range(50):
        make_entry([memory(1 << 24, 1 << 20)], slow_path, ARRAYS, on_error).call(np.array(1))
        gc.collect()  # an entry and its builtin refer to each other
    assert process.memory_info().rss - before < 40 << 20


def test_call_main() -> None:
    out = np.zeros(4, F4)
    assert call_main(program("axpy"), [X], [out], []) is None and (out == Y).all()
    assert call_main(program("axpy_n"), [X], [out], [2, 2]) is None
    assert call_main(program("fail"), [-1 - X], [out], []) == (5, 1100000, 2200000, -3300000)
    assert call_main(program("nothing"), [], [], []) is None
    assert call_main(program("interrupted"), [], [], []) == (14, 0, 0, 0)
    record = np.zeros(4, I8)
    call_main(program("memory"), [np.array(1)], [record], [], arena_bytes=1000, threads=3)
    assert record[3] == 3 and record[0] % 64 == 0


def test_python_entry_is_used_where_the_layout_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "layout_problem", lambda: "expected one layout, found another")
    it = make_entry([axpy()], slow_path, ARRAYS, on_error)
    assert type(it) is PyEntry and (it.call(X).data == Y).all()


def test_block_keeps_the_owner() -> None:
    class Owner:
        """What holds the code."""

    owner = Owner()
    gone = weakref.ref(owner)
    block = Block(axpy(owner=owner), 3)
    del owner
    gc.collect()
    assert gone() is not None
    del block
    gc.collect()
    assert gone() is None


def test_call_is_fast() -> None:
    it = make_entry([axpy()], slow_path, ARRAYS, on_error)
    call, empty = it.call, np.empty

    def cost(f: Callable[[Any], Any], x: Any) -> float:
        best = 1.0
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(2000):
                f(x)
            best = min(best, time.perf_counter() - start)
        return best / 2000

    # np.empty alone is 0.17 us on a quiet machine; the whole call is less than twice that
    assert cost(call, X) < 4 * cost(empty, 4)
