"""LLVM IR of the operations of guard programs, in the macro text of entry_ir.py: guards and
leaves here, results in entry_ops_results.py.

Operands are listed above each operation; "reg" is the number of a register, "word" of a word.
"""

from __future__ import annotations

from lamina.backend.entry_ops_results import RESULTS_TEXT

_OP = "(ptr %rec, ptr %R, ptr %W, ptr %head)"

_GUARDS = """\
; reg source, type, length, first reg of the items, 1 for a list: its items into registers
define i64 @op_sequence$OP {
entry:
  %o = reg 1
  %type = ptr 2
  %t = get ptr, %o, 8
  %same = icmp eq ptr %t, %type
  check %same
  %n = get i64, %o, 16
  %want = arg 3
  %fits = icmp eq i64 %n, %want
  check %fits as entry_end
  %dst = slot 4
  %list = arg 5
  %inline = getelementptr i8, ptr %o, i64 24
  %outer = icmp ne i64 %list, 0
  br i1 %outer, label %far, label %near
far:
  %p = load ptr, ptr %inline
  br label %near
near:
  %items = phi ptr [ %p, %far ], [ %inline, %entry_end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %near ], [ %i1, %copy ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %copy, label %out
copy:
  %from = getelementptr ptr, ptr %items, i64 %i
  %item = load ptr, ptr %from
  keep %item
  %to = getelementptr ptr, ptr %dst, i64 %i
  store ptr %item, ptr %to
  %i1 = add i64 %i, 1
  br label %loop
out:
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg source, length: a dict of that length
define i64 @op_dict$OP {
  %o = reg 1
  %type = constp PyDict_Type
  %t = get ptr, %o, 8
  %same = icmp eq ptr %t, %type
  check %same
  %n = py i64 PyDict_Size(ptr %o)
  %want = arg 2
  %fits = icmp eq i64 %n, %want
  check %fits
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg source (a dict), key, reg destination
define i64 @op_item$OP {
  %o = reg 1
  %key = ptr 2
  %v = py ptr PyDict_GetItemWithError(ptr %o, ptr %key)
  %found = icmp ne ptr %v, null
  check %found
  keep %v
  %dst = slot 3
  store ptr %v, ptr %dst
  ret i64 0
mismatch:
  py void PyErr_Clear()
  ret i64 $MISMATCH
}

; reg source (a dict), key: the key is not there
define i64 @op_absent$OP {
  %o = reg 1
  %key = ptr 2
  %v = py ptr PyDict_GetItemWithError(ptr %o, ptr %key)
  %e = py ptr PyErr_Occurred()
  %none = icmp eq ptr %v, null
  %fine = icmp eq ptr %e, null
  %both = and i1 %none, %fine
  check %both
  ret i64 0
mismatch:
  py void PyErr_Clear()
  ret i64 $MISMATCH
}

; reg source, name, reg destination
define i64 @op_attribute$OP {
  %o = reg 1
  %name = ptr 2
  %v = py ptr PyObject_GetAttr(ptr %o, ptr %name)
  %found = icmp ne ptr %v, null
  check %found
  %dst = slot 3
  store ptr %v, ptr %dst
  ret i64 0
mismatch:
  py void PyErr_Clear()
  ret i64 $MISMATCH
}

; reg source, type: exactly of that type
define i64 @op_type$OP {
  %o = reg 1
  %type = ptr 2
  %t = get ptr, %o, 8
  %same = icmp eq ptr %t, %type
  check %same
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg source, object: the very object
define i64 @op_is$OP {
  %o = reg 1
  %want = ptr 2
  %same = icmp eq ptr %o, %want
  check %same
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg source, object: of the same type, and equal
define i64 @op_equal$OP {
entry:
  %o = reg 1
  %want = ptr 2
  %same = icmp eq ptr %o, %want
  br i1 %same, label %yes, label %types
types:
  %t = get ptr, %o, 8
  %tw = get ptr, %want, 8
  %alike = icmp eq ptr %t, %tw
  check %alike
  %r = py i32 PyObject_RichCompareBool(ptr %o, ptr %want, i32 2)
  %equal = icmp eq i32 %r, 1
  br i1 %equal, label %yes, label %no
yes:
  ret i64 0
no:
  py void PyErr_Clear()
  br label %mismatch
mismatch:
  ret i64 $MISMATCH
}

; reg source, object, n: of the same type (float or complex) and equal in n words of content, so
; that -0.0 is not 0.0 and a NaN is itself
define i64 @op_bits$OP {
entry:
  %o = reg 1
  %want = ptr 2
  %t = get ptr, %o, 8
  %tw = get ptr, %want, 8
  %alike = icmp eq ptr %t, %tw
  check %alike as entry_end
  %n = arg 3
  br label %loop
loop:
  %i = phi i64 [ 2, %entry_end ], [ %i1, %next ]
  %k = sub i64 %i, 2
  %more = icmp slt i64 %k, %n
  br i1 %more, label %look, label %out
look:
  %p = getelementptr i64, ptr %o, i64 %i
  %q = getelementptr i64, ptr %want, i64 %i
  %a = load i64, ptr %p
  %b = load i64, ptr %q
  %equal = icmp eq i64 %a, %b
  br i1 %equal, label %next, label %mismatch
next:
  %i1 = add i64 %i, 1
  br label %loop
out:
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; cell, reg destination: what the closure cell holds now
define i64 @op_cell$OP {
  %cell = ptr 1
  %v = get ptr, %cell, 16
  %full = icmp ne ptr %v, null
  check %full
  keep %v
  %dst = slot 2
  store ptr %v, ptr %dst
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; object, reg destination
define i64 @op_load$OP {
  %o = ptr 1
  keep %o
  %dst = slot 2
  store ptr %o, ptr %dst
  ret i64 0
}

; dict, address of the version seen last, n: skip n records when the dict has not changed since
define i64 @op_unchanged$OP {
  %dict = ptr 1
  %seen = ptr 2
  %now = get i64, %dict, 24
  %old = load i64, ptr %seen
  %same = icmp eq i64 %now, %old
  %n = arg 3
  %skip = select i1 %same, i64 %n, i64 0
  ret i64 %skip
}

; dict, address of the version seen last: the records before this one hold for this version
define i64 @op_seen$OP {
  %dict = ptr 1
  %seen = ptr 2
  %now = get i64, %dict, 24
  store i64 %now, ptr %seen
  ret i64 0
}
"""

_LEAVES = """\
; reg source, reg array, type number, rank, address of (flags, dims...; -1 for `?`), word of the
; pointer, word of the first `?` dim: an ndarray, or an array object whose guarded slots have
; their defaults, of that type, shape and layout
define i64 @op_array$OP {
entry:
  %o = reg 1
  %nd = constp PyArray_Type
  %t = get ptr, %o, 8
  %plain = icmp eq ptr %t, %nd
  br i1 %plain, label %array, label %wrapped
wrapped:
  %ours = get ptr, %head, $array_type
  %is = icmp eq ptr %t, %ours
  check %is as wrapped_end
  %n = get i64, %head, $guard_count
  %guards = get ptr, %head, $guards
  br label %guard
guard:
  %g = phi i64 [ 0, %wrapped_end ], [ %g1, %pass ]
  %left = icmp ult i64 %g, %n
  br i1 %left, label %slot, label %unwrap
slot:
  %g16 = shl i64 %g, 4
  %pair = getelementptr i8, ptr %guards, i64 %g16
  %off = load i64, ptr %pair
  %want = get ptr, %pair, 8
  %has = get ptr, %o, %off
  %equal = icmp eq ptr %has, %want
  br i1 %equal, label %pass, label %mismatch
pass:
  %g1 = add i64 %g, 1
  br label %guard
unwrap:
  %doff = get i64, %head, $data_offset
  %inner = get ptr, %o, %doff
  %some = icmp ne ptr %inner, null
  check %some as unwrap_end
  %it = get ptr, %inner, 8
  %isnd = icmp eq ptr %it, %nd
  br i1 %isnd, label %array, label %mismatch
array:
  %a = phi ptr [ %o, %entry ], [ %inner, %unwrap_end ]
  %descr = get ptr, %a, 56
  %num0 = get i32, %descr, 28
  %order = get i8, %descr, 26
  ; long long and its unsigned sibling are other numbers for int64 and uint64
  %ll = icmp eq i32 %num0, 9
  %num1 = select i1 %ll, i32 7, i32 %num0
  %ull = icmp eq i32 %num0, 10
  %num = select i1 %ull, i32 8, i32 %num1
  %num64 = zext i32 %num to i64
  %type = arg 3
  %typed = icmp eq i64 %num64, %type
  %native = icmp ne i8 %order, $SWAPPED
  %fit1 = and i1 %typed, %native
  %rank0 = get i32, %a, 24
  %rank = sext i32 %rank0 to i64
  %wrank = arg 4
  %ranked = icmp eq i64 %rank, %wrank
  %fit2 = and i1 %fit1, %ranked
  %spec = ptr 5
  %wflags = load i32, ptr %spec
  %flags = get i32, %a, 64
  %common = and i32 %flags, %wflags
  %laid = icmp eq i32 %common, %wflags
  %fit = and i1 %fit2, %laid
  check %fit as array_end
  %dims = get ptr, %a, 32
  %q0 = word 7
  br label %dim
dim:
  %d = phi i64 [ 0, %array_end ], [ %d1, %fixed ], [ %d1, %open ]
  %q = phi ptr [ %q0, %array_end ], [ %q, %fixed ], [ %q1, %open ]
  %todo = icmp slt i64 %d, %rank
  br i1 %todo, label %size, label %out
size:
  %dp = getelementptr i64, ptr %dims, i64 %d
  %has_n = load i64, ptr %dp
  %d1 = add i64 %d, 1
  %sp = getelementptr i64, ptr %spec, i64 %d1
  %want_n = load i64, ptr %sp
  %any = icmp eq i64 %want_n, -1
  br i1 %any, label %open, label %fixed
fixed:
  %good = icmp eq i64 %has_n, %want_n
  br i1 %good, label %dim, label %mismatch
open:
  store i64 %has_n, ptr %q
  %q1 = getelementptr i64, ptr %q, i64 1
  br label %dim
out:
  %pointer = get ptr, %a, 16
  %pw = word 6
  store ptr %pointer, ptr %pw
  keep %a
  %dst = slot 2
  store ptr %a, ptr %dst
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg source, word of the pointer, word of the value: an int within 64 bits
define i64 @op_int$OP {
  %over = alloca i32
  %o = reg 1
  %type = constp PyLong_Type
  %t = get ptr, %o, 8
  %same = icmp eq ptr %t, %type
  check %same
  %v = py i64 PyLong_AsLongLongAndOverflow(ptr %o, ptr %over)
  %w = load i32, ptr %over
  %fits = icmp eq i32 %w, 0
  check %fits
  %pw = word 2
  %vw = word 3
  store i64 %v, ptr %vw
  store ptr %vw, ptr %pw
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg source, word of the pointer, word of the value: a float
define i64 @op_float$OP {
  %o = reg 1
  %type = constp PyFloat_Type
  %t = get ptr, %o, 8
  %same = icmp eq ptr %t, %type
  check %same
  %v = get i64, %o, 16
  %pw = word 2
  %vw = word 3
  store i64 %v, ptr %vw
  store ptr %vw, ptr %pw
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg source, word of the pointer, word of the value: a bool, as one byte
define i64 @op_bool$OP {
  %o = reg 1
  %type = constp PyBool_Type
  %t = get ptr, %o, 8
  %same = icmp eq ptr %t, %type
  check %same
  %true = constp Py_True
  %c = icmp eq ptr %o, %true
  %v = zext i1 %c to i8
  %pw = word 2
  %vw = word 3
  store i8 %v, ptr %vw
  store ptr %vw, ptr %pw
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; word, value
define i64 @op_set$OP {
  %w = word 1
  %v = arg 2
  store i64 %v, ptr %w
  ret i64 0
}

; word destination, word source
define i64 @op_copy$OP {
  %to = word 1
  %from = word 2
  %v = load i64, ptr %from
  store i64 %v, ptr %to
  ret i64 0
}

; word: it is not zero
define i64 @op_require$OP {
  %w = word 1
  %v = load i64, ptr %w
  %good = icmp ne i64 %v, 0
  check %good
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg array, reg array, item size of each: they share no byte (both are contiguous)
define i64 @op_disjoint$OP {
  %a = reg 1
  %b = reg 2
  %sa = arg 3
  %sb = arg 4
  %na = call i64 @extent(ptr %a, i64 %sa)
  %nb = call i64 @extent(ptr %b, i64 %sb)
  %pa = get i64, %a, 16
  %pb = get i64, %b, 16
  %ea = add i64 %pa, %na
  %eb = add i64 %pb, %nb
  %before = icmp ule i64 %ea, %pb
  %after = icmp ule i64 %eb, %pa
  %far = or i1 %before, %after
  %least = call i64 @llvm.smin.i64(i64 %na, i64 %nb)
  %empty = icmp eq i64 %least, 0
  %apart = or i1 %far, %empty
  check %apart
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; bytes of an ndarray of this item size
define internal i64 @extent(ptr %a, i64 %size) {
entry:
  %rank = get i32, %a, 24
  %dims = get ptr, %a, 32
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %n = phi i64 [ %size, %entry ], [ %n1, %next ]
  %more = icmp slt i32 %k, %rank
  br i1 %more, label %next, label %out
next:
  %p = getelementptr i64, ptr %dims, i32 %k
  %d = load i64, ptr %p
  %n1 = mul i64 %n, %d
  %k1 = add i32 %k, 1
  br label %loop
out:
  ret i64 %n
}
"""

OPS_TEXT = (_GUARDS + _LEAVES + RESULTS_TEXT).replace("$OP", _OP)
