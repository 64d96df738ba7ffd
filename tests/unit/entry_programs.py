"""Compiled programs for the tests of the call entry, and what surrounds a call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from lamina.backend.codegen import compile_object
from lamina.backend.engine import Engine
from lamina.backend.entry import Entry
from lamina.backend.entry_py import PyEntry
from lamina.backend.entry_spec import (
    ArrayClass,
    ArrayLeaf,
    Result,
    ResultLeaf,
    Signature,
)
from lamina.backend.host import target_for

# main of a few shapes. `axpy`: y[i] = 2 x[i] + 1 on 4 floats. `axpy_n`: the same on n.
# `sum_words`: one f64 out = the sum of the f64s behind its first three pointers. `dims`: out =
# (its three dims). `fail`: status 5 with an error record when x[0] < 0. `spin`: until x[0] is set,
# asking poll. `memory`: out = (arena, scratch, scratch bytes, threads) and writes all of both.
# `twice`: x *= 2 in place, 4 floats. `byte`: out i64 = the byte behind its pointer.
CODE = """
define i32 @axpy(ptr %ctx, ptr %x, ptr %y) {
  %r = call i32 @axpy_n(ptr %ctx, ptr %x, ptr %y, i64 4, i64 4)
  ret i32 %r
}
define i32 @axpy_n(ptr %ctx, ptr %x, ptr %y, i64 %n, i64 %m) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %next, label %end
next:
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %a = fmul float %v, 2.0
  %b = fadd float %a, 1.0
  store float %b, ptr %q
  %i1 = add i64 %i, 1
  br label %loop
end:
  ret i32 0
}
define i32 @sum_words(ptr %ctx, ptr %a, ptr %b, ptr %c, ptr %out) {
  %x = load double, ptr %a
  %y = load double, ptr %b
  %z = load double, ptr %c
  %s = fadd double %x, %y
  %t = fadd double %s, %z
  store double %t, ptr %out
  ret i32 0
}
define i32 @dims(ptr %ctx, ptr %a, ptr %b, ptr %out, i64 %n, i64 %m, i64 %k) {
  store i64 %n, ptr %out
  %p = getelementptr i64, ptr %out, i64 1
  store i64 %m, ptr %p
  %q = getelementptr i64, ptr %out, i64 2
  store i64 %k, ptr %q
  ret i32 0
}
define i32 @fail(ptr %ctx, ptr %x, ptr %y) {
  %v = load float, ptr %x
  %bad = fcmp olt float %v, 0.0
  br i1 %bad, label %error, label %good
error:
  %p4 = getelementptr i64, ptr %ctx, i64 4
  store i64 1100000, ptr %p4
  %p5 = getelementptr i64, ptr %ctx, i64 5
  store i64 2200000, ptr %p5
  %p6 = getelementptr i64, ptr %ctx, i64 6
  store i64 -3300000, ptr %p6
  ret i32 5
good:
  %r = call i32 @axpy(ptr %ctx, ptr %x, ptr %y)
  ret i32 %r
}
define i32 @spin(ptr %ctx, ptr %x, ptr %y) {
entry:
  %pp = getelementptr i64, ptr %ctx, i64 3
  %poll = load ptr, ptr %pp
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ], [ 0, %ask ]
  %v = load atomic volatile float, ptr %x monotonic, align 4
  %set = fcmp une float %v, 0.0
  %i1 = add i64 %i, 1
  %tired = icmp ugt i64 %i1, 1000000
  %leave = or i1 %set, %tired
  br i1 %leave, label %why, label %loop
why:
  br i1 %set, label %done, label %ask
ask:
  %r = call i32 %poll(ptr %ctx)
  %go = icmp eq i32 %r, 0
  br i1 %go, label %loop, label %stop
stop:
  ret i32 %r
done:
  ret i32 0
}
define i32 @memory(ptr %ctx, ptr %x, ptr %out) {
  %arena = load ptr, ptr %ctx
  %sp = getelementptr i64, ptr %ctx, i64 1
  %scratch = load ptr, ptr %sp
  %bp = getelementptr i64, ptr %ctx, i64 2
  %bytes = load i64, ptr %bp
  %tp = getelementptr i64, ptr %ctx, i64 7
  %threads = load i64, ptr %tp
  %o1 = getelementptr i64, ptr %out, i64 1
  %o2 = getelementptr i64, ptr %out, i64 2
  %o3 = getelementptr i64, ptr %out, i64 3
  store ptr %arena, ptr %out
  store ptr %scratch, ptr %o1
  store i64 %bytes, ptr %o2
  store i64 %threads, ptr %o3
  %v = load i8, ptr %x
  %all = mul i64 %bytes, %threads
  call void @llvm.memset.p0.i64(ptr %scratch, i8 %v, i64 %all, i1 false)
  call void @llvm.memset.p0.i64(ptr %arena, i8 %v, i64 1000, i1 false)
  ret i32 0
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i32 @twice(ptr %ctx, ptr %x) {
  %v = load <4 x float>, ptr %x, align 4
  %w = fadd <4 x float> %v, %v
  store <4 x float> %w, ptr %x, align 4
  ret i32 0
}
define i32 @twice_beside(ptr %ctx, ptr %x, ptr %y) {
  %r = call i32 @twice(ptr %ctx, ptr %x)
  ret i32 %r
}
define i32 @byte(ptr %ctx, ptr %x, ptr %out) {
  %v = load i8, ptr %x
  %w = zext i8 %v to i64
  store i64 %w, ptr %out
  ret i32 0
}
define i32 @nothing(ptr %ctx) {
  ret i32 0
}
define i32 @interrupted(ptr %ctx) {
  ret i32 14
}
"""
F4, F8, I8 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


class Array:
    """An array object as the frontend has them."""

    __slots__ = ("__weakref__", "data", "node", "requires_grad", "version")

    data: Any
    node: Any
    requires_grad: Any
    version: Any


ARRAYS = ArrayClass(
    Array, "data", (("node", None), ("version", 7), ("requires_grad", None)), ("requires_grad",)
)


class Failure(Exception):
    """What on_error raises."""


def on_error(*what: int) -> None:
    """Raise what it is told."""
    raise Failure(*what)


def ignore_error(*what: int) -> None:
    """A handler that breaks its promise."""


def slow_path(*args: Any, **kwargs: Any) -> Any:
    """Says that it was called."""
    return ("slow", args, kwargs)


KINDS = (Entry, PyEntry)


@cache
def _engine() -> Engine:
    return Engine([compile_object(CODE, target_for("host"))])


def program(name: str) -> int:
    """The address of one function of CODE."""
    return _engine().address(name)


def make_with(kind: type[Entry] | type[PyEntry]) -> Callable[..., Any]:
    """A function from signatures to the builtin of an entry of this kind."""

    def made(*signatures: Signature, array_class: ArrayClass | None = ARRAYS) -> Any:
        it = kind(slow_path, array_class, on_error)
        it.replace(signatures)
        return it.call

    return made


FLOATS = ArrayLeaf(F4, (4,))


def axpy(tree: Any = FLOATS, **more: Any) -> Signature:
    """`2 x + 1` of the one array in `tree`."""
    more.setdefault("args", (tree,))
    return Signature(program("axpy"), results=(Result(F4, (4,)),), tree=ResultLeaf(0), **more)


def wrapped(data: Any, **fields: Any) -> Array:
    """An array object around `data`."""
    array = Array()
    array.data = data
    array.requires_grad = None
    for name, value in fields.items():
        setattr(array, name, value)
    return array


X = np.arange(4, dtype=np.float32)
Y = X * 2 + 1


def wrapped_nothing() -> Array:
    """An array object whose data slot was never set."""
    array = wrapped(None)
    del array.data
    return array


def is_slow(value: Any) -> bool:
    """Whether a call went the slow path."""
    return type(value) is tuple and "slow" in value


# Three 0-d inputs of `sum_words`.
LEAF = ArrayLeaf(F8, ())
A, B, C = (np.array(v) for v in (1.0, 20.0, 300.0))
