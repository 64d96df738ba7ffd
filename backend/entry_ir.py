"""LLVM IR of the call entry: a small machine that runs guard programs (entry_code.py makes them).

A program is a list of records of eight words: the address of an operation, then its operands.
Every operation is a function `i64 op(ptr rec, ptr R, ptr W, ptr head)`:
    R  registers, `PyObject *`. The first ones are the call's arguments (borrowed); every other
       register owns its object, and is given back when the call ends.
    W  words, i64: first the arguments of `main` in its own order (context, pointers, dims),
       then temporaries.
    head  the table of the entry (`HEAD`).
It returns the number of records to skip (0: go on), MISMATCH (try the next signature) or RAISED
(a Python exception is set).

Functions of Python and NumPy are called through `@api`, which entry_abi.py fills: the object
code holds no process address and no symbol that a linker would have to find.

The text below uses a few macros, one a line:
    %x = arg K          operand K as i64          %x = ptr K     operand K as pointer
    %x = reg K          register operand K        %x = slot K    its address
    %x = word K         address of word operand K
    %x = get T, %p, N   load T at byte N of %p    %x = py T name(...)   call of an API function
    keep %o             one more reference        drop %o        one fewer
    check %c [as L]     mismatch unless the i1 %c holds; the next block is called L
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from sys import byteorder

from lamina.backend.entry_ops import OPS_TEXT

API = (
    *("Py_IncRef", "Py_DecRef", "PyObject_Vectorcall", "PyDict_GetItemWithError", "PyDict_Size"),
    *("PyObject_GetAttr", "PyErr_Clear", "PyErr_Occurred", "PyLong_AsLongLongAndOverflow"),
    *("PyObject_RichCompareBool", "PyType_GenericAlloc", "PyTuple_New", "PyList_New"),
    *("PyDict_New", "PyDict_SetItem", "PyEval_SaveThread", "PyEval_RestoreThread"),
    *("PyGILState_Check", "PyGILState_GetThisThreadState", "PyGILState_Ensure"),
    *("PyGILState_Release", "PyErr_CheckSignals", "PyErr_NoMemory", "PyErr_BadInternalCall"),
    *("PyLong_FromLongLong", "PyArray_New"),
    *("PyEval_GetFrame", "PyFrame_GetLineNumber", "PyFrame_GetCode"),
    # objects and words
    *("PyLong_Type", "PyFloat_Type", "PyBool_Type", "PyDict_Type", "Py_True", "Py_None"),
    *("PyArray_Type", "state_offset", "threads"),
)

# Words of the table that an entry works from; the signatures follow, three words each
# (number of arguments, program, register of the result).
HEAD = (
    *("signatures", "registers", "words", "array_type", "data_offset", "guard_count", "guards"),
    *("field_count", "fields", "on_error"),
)

MISMATCH, RAISED = -1, -2

# Status of a call that a signal handler interrupted by raising.
INTERRUPTED = 14

_DIM_OPS = {
    "add": "%r = add i64 %a, %b",
    "sub": "%r = sub i64 %a, %b",
    "mul": "%r = mul i64 %a, %b",
    # the divisor is a positive constant
    "floordiv": "%q = sdiv i64 %a, %b\n%m = srem i64 %a, %b\n%s = ashr i64 %m, 63\n"
    "%r = add i64 %q, %s",
    "mod": "%m = srem i64 %a, %b\n%s = ashr i64 %m, 63\n%w = and i64 %s, %b\n%r = add i64 %m, %w",
    "max": "%r = call i64 @llvm.smax.i64(i64 %a, i64 %b)",
    "min": "%r = call i64 @llvm.smin.i64(i64 %a, i64 %b)",
    "eq": "%c = icmp eq i64 %a, %b\n%r = zext i1 %c to i64",
    "le": "%c = icmp sle i64 %a, %b\n%r = zext i1 %c to i64",
    "lt": "%c = icmp slt i64 %a, %b\n%r = zext i1 %c to i64",
}

_ENTRY = """\
define ptr @lamina_entry(ptr %self, ptr %args, i64 %nargs, ptr %kw) {
entry:
  %offset = const state_offset
  %state = get ptr, %self, %offset
  %dead = icmp eq ptr %state, null
  br i1 %dead, label %gone, label %alive
gone:
  py void PyErr_BadInternalCall()
  ret ptr null
alive:
  keep %state
  %table = get ptr, %state, 24
  %head = getelementptr i8, ptr %table, i64 32
  %plain = icmp eq ptr %kw, null
  br i1 %plain, label %frame, label %named
named:
  %names = get i64, %kw, 16
  %unnamed = icmp eq i64 %names, 0
  br i1 %unnamed, label %frame, label %slow
frame:
  %count = get i64, %head, $signatures
  %registers = get i64, %head, $registers
  %words = get i64, %head, $words
  %R = alloca ptr, i64 %registers, align 16
  %W = alloca i64, i64 %words, align 16
  %bytes = shl i64 %registers, 3
  call void @llvm.memset.p0.i64(ptr align 16 %R, i8 0, i64 %bytes, i1 false)
  %first = getelementptr i64, ptr %head, i64 $HEAD
  br label %next
next:
  %k = phi i64 [ 0, %frame ], [ %k1, %other ]
  %more = icmp ult i64 %k, %count
  br i1 %more, label %try, label %slow
try:
  %at = mul i64 %k, 3
  %sig = getelementptr i64, ptr %first, i64 %at
  %arity = load i64, ptr %sig
  %fits = icmp eq i64 %arity, %nargs
  br i1 %fits, label %start, label %other
start:
  %size = shl i64 %nargs, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %R, ptr align 8 %args, i64 %size, i1 false)
  %program = get ptr, %sig, 8
  br label %step
step:
  %rec = phi ptr [ %program, %start ], [ %rec1, %go ]
  %op = load ptr, ptr %rec
  %end = icmp eq ptr %op, null
  br i1 %end, label %return, label %do
do:
  %skip = call i64 %op(ptr %rec, ptr %R, ptr %W, ptr %head)
  %bad = icmp slt i64 %skip, 0
  br i1 %bad, label %stop, label %go
go:
  %skip1 = add i64 %skip, 1
  %far = shl i64 %skip1, 6
  %rec1 = getelementptr i8, ptr %rec, i64 %far
  br label %step
return:
  %rr = get i64, %sig, 16
  %rp = getelementptr ptr, ptr %R, i64 %rr
  %result = load ptr, ptr %rp
  store ptr null, ptr %rp
  call void @clear(ptr %R, i64 %nargs, i64 %registers)
  drop %state
  ret ptr %result
stop:
  call void @clear(ptr %R, i64 %nargs, i64 %registers)
  %raised = icmp eq i64 %skip, $RAISED
  br i1 %raised, label %error, label %other
error:
  drop %state
  ret ptr null
other:
  %k1 = add i64 %k, 1
  br label %next
slow:
  %path = get ptr, %state, 32
  %answer = py ptr PyObject_Vectorcall(ptr %path, ptr %args, i64 %nargs, ptr %kw)
  drop %state
  ret ptr %answer
}

; give back what the registers from %first on own
define internal void @clear(ptr %R, i64 %first, i64 %end) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %i1, %next ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %look, label %out
look:
  %p = getelementptr ptr, ptr %R, i64 %i
  %o = load ptr, ptr %p
  %none = icmp eq ptr %o, null
  br i1 %none, label %next, label %give
give:
  store ptr null, ptr %p
  drop %o
  br label %next
next:
  %i1 = add i64 %i, 1
  br label %loop
out:
  ret void
}

; Call `main` of %block with the words %W: the status, or RAISED. %error takes error id, index
; and value. Arena and scratch come from a list of the block's own that only a thread holding the
; GIL touches, so that calls at one time never share them.
define i64 @lamina_perform(ptr %block, ptr %W, ptr %error) {
entry:
  %ctx = alloca [9 x i64], align 16
  call void @llvm.memset.p0.i64(ptr align 16 %ctx, i8 0, i64 72, i1 false)
  %arena = get i64, %block, 16
  %scratch = get i64, %block, 24
  %own = get i64, %block, 56
  %word = constp threads
  %all = load i64, ptr %word
  %any = icmp eq i64 %own, 0
  %threads = select i1 %any, i64 %all, i64 %own
  %both = mul i64 %scratch, %threads
  %need = add i64 %arena, %both
  %none = icmp eq i64 %need, 0
  br i1 %none, label %ready, label %memory
memory:
  %mem = call ptr @acquire(ptr %block, i64 %need)
  %empty = icmp eq ptr %mem, null
  br i1 %empty, label %nomem, label %got
nomem:
  %nothing = py ptr PyErr_NoMemory()
  ret i64 $RAISED
got:
  %base = getelementptr i8, ptr %mem, i64 64
  %sbase = getelementptr i8, ptr %base, i64 %arena
  br label %ready
ready:
  %m = phi ptr [ null, %entry ], [ %mem, %got ]
  %a = phi ptr [ null, %entry ], [ %base, %got ]
  %s = phi ptr [ null, %entry ], [ %sbase, %got ]
  store ptr %a, ptr %ctx
  put ptr %s, %ctx, 8
  put i64 %scratch, %ctx, 16
  put ptr @lamina_poll, %ctx, 24
  put i64 %threads, %ctx, 56
  store ptr %ctx, ptr %W
  %main = get ptr, %block, 0
  %invoke = get ptr, %block, 8
  %rel = get i64, %block, 40
  %release = icmp ne i64 %rel, 0
  br i1 %release, label %free, label %held
free:
  %ts = py ptr PyEval_SaveThread()
  %r0 = call i32 %invoke(ptr %main, ptr %W)
  py void PyEval_RestoreThread(ptr %ts)
  br label %back
held:
  %r1 = call i32 %invoke(ptr %main, ptr %W)
  br label %back
back:
  %r = phi i32 [ %r0, %free ], [ %r1, %held ]
  %nom = icmp eq ptr %m, null
  br i1 %nom, label %look, label %return
return:
  %list = get ptr, %block, 32
  store ptr %list, ptr %m
  put ptr %m, %block, 32
  br label %look
look:
  %id = getelementptr i8, ptr %ctx, i64 32
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %error, ptr align 8 %id, i64 24, i1 false)
  %cancelled = get i64, %ctx, 64
  %cut = icmp ne i64 %cancelled, 0
  br i1 %cut, label %raised, label %whole
whole:
  %status = zext i32 %r to i64
  ret i64 %status
raised:
  ret i64 $RAISED
}

; memory of 64 + %need bytes, aligned to 64, from the block's list or new: (next, size), then free
define internal ptr @acquire(ptr %block, i64 %need) {
entry:
  %m = get ptr, %block, 32
  %none = icmp eq ptr %m, null
  br i1 %none, label %new, label %pop
pop:
  %next = load ptr, ptr %m
  put ptr %next, %block, 32
  %size = get i64, %m, 8
  %fits = icmp uge i64 %size, %need
  br i1 %fits, label %have, label %small
have:
  ret ptr %m
small:
  call void @free(ptr %m)
  br label %new
new:
  %n = add i64 %need, 64
  %fresh = call ptr @aligned_alloc(i64 64, i64 %n)
  %failed = icmp eq ptr %fresh, null
  br i1 %failed, label %out, label %note
note:
  put i64 %need, %fresh, 8
  br label %out
out:
  ret ptr %fresh
}

; free the list of a block
define void @lamina_release(ptr %block) {
entry:
  %first = get ptr, %block, 32
  put ptr null, %block, 32
  br label %loop
loop:
  %m = phi ptr [ %first, %entry ], [ %next, %more ]
  %end = icmp eq ptr %m, null
  br i1 %end, label %out, label %more
more:
  %next = load ptr, ptr %m
  call void @free(ptr %m)
  br label %loop
out:
  ret void
}

; the context's poll function: run Python's signal handlers, INTERRUPTED when one raised. Only a
; thread that Python knows asks (a worker would wait for a GIL that its caller may hold); the
; others learn of it from the context.
define i32 @lamina_poll(ptr %ctx) {
entry:
  %cp = getelementptr i64, ptr %ctx, i64 8
  %c = load atomic i64, ptr %cp monotonic, align 8
  %cut = icmp ne i64 %c, 0
  br i1 %cut, label %stop, label %ask
ask:
  %h = py i32 PyGILState_Check()
  %held = icmp ne i32 %h, 0
  br i1 %held, label %signals, label %known
known:
  %ts = py ptr PyGILState_GetThisThreadState()
  %stranger = icmp eq ptr %ts, null
  br i1 %stranger, label %go, label %take
signals:
  %r0 = py i32 PyErr_CheckSignals()
  br label %answer
take:
  %g = py i32 PyGILState_Ensure()
  %r1 = py i32 PyErr_CheckSignals()
  py void PyGILState_Release(i32 %g)
  br label %answer
answer:
  %r = phi i32 [ %r0, %signals ], [ %r1, %take ]
  %fine = icmp eq i32 %r, 0
  br i1 %fine, label %go, label %cancel
cancel:
  store atomic i64 1, ptr %cp monotonic, align 8
  br label %stop
go:
  ret i32 0
stop:
  ret i32 $INTERRUPTED
}

declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
"""

_DIM = """\
define i64 @op_dim_{name}(ptr %rec, ptr %R, ptr %W, ptr %head) {{
  %d = word 1
  %pa = word 2
  %pb = word 3
  %a = load i64, ptr %pa
  %b = load i64, ptr %pb
  {body}
  store i64 %r, ptr %d
  ret i64 0
}}
"""

_MACRO = re.compile(
    r"\s*(?:(%\w+) = )?(arg|ptr|reg|slot|word|get|put|py|const|constp|keep|drop|check) (.+)"
)


def _api(name: str, temporary: str, kind: str = "ptr") -> Iterator[str]:
    place = f"getelementptr (i64, ptr @lamina_api, i64 {API.index(name)})"
    yield f"{temporary} = load {kind}, ptr {place}"


def _operand(out: str, kind: str, index: str) -> Iterator[str]:
    """Lines of `arg ptr reg slot word`."""
    yield f"{out}.o = getelementptr i64, ptr %rec, i64 {index}"
    if kind in ("arg", "ptr"):
        yield f"{out} = load {'i64' if kind == 'arg' else 'ptr'}, ptr {out}.o"
        return
    yield f"{out}.n = load i64, ptr {out}.o"
    address = f"{out}.a" if kind == "reg" else out
    yield f"{address} = getelementptr i64, ptr {'%W' if kind == 'word' else '%R'}, i64 {out}.n"
    if kind == "reg":
        yield f"{out} = load ptr, ptr {out}.a"


def _expand(line: str, number: int) -> Iterator[str]:
    """The lines that one line of macro text stands for."""
    found = _MACRO.fullmatch(line)
    if found is None:
        yield line
        return
    out, macro, rest = found.groups()
    temporary = f"%m{number}"
    if macro in ("arg", "ptr", "reg", "slot", "word"):
        yield from _operand(out, macro, rest)
    elif macro in ("get", "put"):
        first, base, offset = rest.split(", ")
        yield f"{temporary} = getelementptr i8, ptr {base}, i64 {offset}"
        yield f"{out} = load {first}, ptr {temporary}" if out else f"store {first}, ptr {temporary}"
    elif macro in ("const", "constp"):
        yield from _api(rest, out, "i64" if macro == "const" else "ptr")
    elif macro == "py":
        kind, _, call = rest.partition(" ")
        name, _, arguments = call.partition("(")
        yield from _api(name, temporary)
        yield f"{out + ' = ' if out else ''}call {kind} {temporary}({arguments}"
    elif macro == "check":
        condition, _, label = rest.partition(" as ")
        label = label or f"ok{number}"
        yield f"br i1 {condition}, label %{label}, label %mismatch"
        yield f"{label}:"
    else:
        yield from _api("Py_IncRef" if macro == "keep" else "Py_DecRef", temporary)
        yield f"call void {temporary}(ptr {rest})"


# Integer arguments that travel in registers; the others lie on the stack, word by word.
_REGISTERS = {"x86_64": 6, "aarch64": 8}


def invoke_text(words: int, triple: str) -> str:
    """A function `i32 invoke_<words>(ptr main, ptr W)`: `main(W[0], ..., W[words - 1])`.

    `main` may take fewer arguments: in the C calling conventions of x86-64 and aarch64 the
    caller owns the argument area, and extra integer arguments are not looked at. What does not
    fit in registers is passed as one `byval` block, which is the same bytes on the stack, and
    compiles in constant time (a list of 4,000 arguments takes LLVM ten seconds).
    """
    registers = min(_REGISTERS.get(triple.split("-", 1)[0], words), words)
    lines = [f"define i32 @invoke_{words}(ptr %main, ptr %W) {{"]
    for k in range(registers):
        lines.append(f"  %p{k} = getelementptr i64, ptr %W, i64 {k}")
        lines.append(f"  %v{k} = load i64, ptr %p{k}")
    arguments = [f"i64 %v{k}" for k in range(registers)]
    if registers < words:
        lines.append(f"  %rest = getelementptr i64, ptr %W, i64 {registers}")
        arguments.append(f"ptr byval([{words - registers} x i64]) align 8 %rest")
    lines += [f"  %r = call i32 %main({', '.join(arguments)})", "  ret i32 %r", "}", ""]
    return "\n".join(lines)


# Up to so many words an invoke function is part of the entry's object.
INVOKE_SIZES = (8, 16, 32, 64)


def op_names() -> tuple[str, ...]:
    """Names of the operations, in the order of the table `lamina_ops`."""
    return (*re.findall(r"@op_(\w+)\(", OPS_TEXT), *(f"dim_{name}" for name in _DIM_OPS))


def entry_text(triple: str) -> str:
    """The whole entry as LLVM IR text for `triple`.

    External symbols: `lamina_entry`, `lamina_perform`, `lamina_release`, `lamina_poll`,
    `lamina_api` (to be filled), `lamina_ops` (addresses of the operations), `invoke_<n>`.
    """
    dims = "".join(_DIM.format(name=name, body=body) for name, body in _DIM_OPS.items())
    text = _ENTRY + OPS_TEXT + dims
    for name, value in (
        *((name, 8 * index) for index, name in enumerate(HEAD)),
        *(("HEAD", len(HEAD)), ("RAISED", RAISED), ("MISMATCH", MISMATCH)),
        *(("INTERRUPTED", INTERRUPTED), ("SWAPPED", ord(">" if byteorder == "little" else "<"))),
    ):
        text = re.sub(rf"\${name}\b", str(value), text)
    lines = [
        f"@lamina_api = global [{len(API)} x i64] zeroinitializer, align 16",
        f"@lamina_ops = constant [{len(op_names())} x ptr] ["
        + ", ".join(f"ptr @op_{name}" for name in op_names())
        + "]",
    ]
    for number, line in enumerate(text.splitlines()):
        lines.extend(_expand(line, number))
    return "\n".join(lines) + "\n" + "".join(invoke_text(size, triple) for size in INVOKE_SIZES)
