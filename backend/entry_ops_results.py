"""LLVM IR of the operations of guard programs that come after the guards: results, `main`, trees.
The macro text is that of entry_ir.py."""

from __future__ import annotations

_TEXT = """\
; type number, rank, address of the dims or 0, word of the first dim, word of the pointer, reg:
; a new ndarray
define i64 @op_new$OP {
  %type = arg 1
  %num = trunc i64 %type to i32
  %rank = arg 2
  %nd = trunc i64 %rank to i32
  %fixed = ptr 3
  %computed = word 4
  %static = icmp ne ptr %fixed, null
  %dims = select i1 %static, ptr %fixed, ptr %computed
  %class = constp PyArray_Type
  %a = py ptr PyArray_New($NEW)
  %made = icmp ne ptr %a, null
  br i1 %made, label %good, label %raised
good:
  %p = get ptr, %a, 16
  %pw = word 5
  store ptr %p, ptr %pw
  %dst = slot 6
  store ptr %a, ptr %dst
  ret i64 0
raised:
  ret i64 $RAISED
}

; reg array, word of the pointer, reg: the result lives in an argument that was lent
define i64 @op_donated$OP {
  %a = reg 1
  %p = get ptr, %a, 16
  %pw = word 2
  store ptr %p, ptr %pw
  keep %a
  %dst = slot 3
  store ptr %a, ptr %dst
  ret i64 0
}

; reg array object, reg its ndarray: an object of our class, and nothing else refers to the memory
; (the slot of the object does, and the register)
define i64 @op_lent$OP {
  %o = reg 1
  %a = reg 2
  %t = get ptr, %o, 8
  %ours = get ptr, %head, $array_type
  %is = icmp eq ptr %t, %ours
  check %is
  %base = get ptr, %a, 48
  %own = icmp eq ptr %base, null
  check %own
  %n = get i32, %a, 0
  %alone = icmp eq i32 %n, 2
  check %alone
  ret i64 0
mismatch:
  ret i64 $MISMATCH
}

; reg: where the caller is, (code object, line), or None
define i64 @op_here$OP {
entry:
  %f = py ptr PyEval_GetFrame()
  %some = icmp ne ptr %f, null
  br i1 %some, label %frame, label %nowhere
frame:
  %pair = py ptr PyTuple_New(i64 2)
  %made = icmp ne ptr %pair, null
  br i1 %made, label %full, label %raised
full:
  %dst = slot 1
  store ptr %pair, ptr %dst
  %code = py ptr PyFrame_GetCode(ptr %f)
  put ptr %code, %pair, 24
  %line = py i32 PyFrame_GetLineNumber(ptr %f)
  %wide = sext i32 %line to i64
  %number = py ptr PyLong_FromLongLong(i64 %wide)
  put ptr %number, %pair, 32
  %counted = icmp ne ptr %number, null
  br i1 %counted, label %out, label %raised
nowhere:
  %none = constp Py_None
  keep %none
  %to = slot 1
  store ptr %none, ptr %to
  br label %out
out:
  ret i64 0
raised:
  ret i64 $RAISED
}

; reg array object, class, reg place: the object is of the class from now on, and holds the place
define i64 @op_give$OP {
  %o = reg 1
  %class = ptr 2
  %place = reg 3
  %doff = get i64, %head, $data_offset
  %old = get ptr, %o, %doff
  keep %place
  put ptr %place, %o, %doff
  drop %old
  %t = get ptr, %o, 8
  keep %class
  put ptr %class, %o, 8
  drop %t
  ret i64 0
}

; reg result, reg array, word of the bytes: the argument that was written gets its values
define i64 @op_write_back$OP {
  %from = reg 1
  %to = reg 2
  %p = get ptr, %from, 16
  %q = get ptr, %to, 16
  %nw = word 3
  %n = load i64, ptr %nw
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 %n, i1 false)
  ret i64 0
}

; reg source, reg destination
define i64 @op_move$OP {
  %o = reg 1
  keep %o
  %dst = slot 2
  store ptr %o, ptr %dst
  ret i64 0
}

; block: run `main`; on_error(signature, status, error id, index, value) raises
define i64 @op_main$OP {
entry:
  %error = alloca [3 x i64], align 8
  %argv = alloca [5 x ptr], align 16
  %block = ptr 1
  %status = call i64 @lamina_perform(ptr %block, ptr %W, ptr %error)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %out, label %bad
out:
  ret i64 0
bad:
  %cut = icmp eq i64 %status, $RAISED
  br i1 %cut, label %raised, label %tell
tell:
  %index = get i64, %block, 48
  %i0 = getelementptr i8, ptr %error, i64 0
  %e0 = load i64, ptr %i0
  %e1 = get i64, %error, 8
  %e2 = get i64, %error, 16
  %o0 = py ptr PyLong_FromLongLong(i64 %index)
  %o1 = py ptr PyLong_FromLongLong(i64 %status)
  %o2 = py ptr PyLong_FromLongLong(i64 %e0)
  %o3 = py ptr PyLong_FromLongLong(i64 %e1)
  %o4 = py ptr PyLong_FromLongLong(i64 %e2)
  put ptr %o0, %argv, 0
  put ptr %o1, %argv, 8
  put ptr %o2, %argv, 16
  put ptr %o3, %argv, 24
  put ptr %o4, %argv, 32
  %f = get ptr, %head, $on_error
  %r = py ptr PyObject_Vectorcall(ptr %f, ptr %argv, i64 5, ptr null)
  drop %o0
  drop %o1
  drop %o2
  drop %o3
  drop %o4
  %returned = icmp ne ptr %r, null
  br i1 %returned, label %silent, label %raised
silent:
  ; Python itself makes a SystemError of a call that fails without an exception
  drop %r
  ret i64 $RAISED
raised:
  ret i64 $RAISED
}

; reg ndarray, reg: an array object around it
define i64 @op_wrap$OP {
entry:
  %a = reg 1
  %class = get ptr, %head, $array_type
  %o = py ptr PyType_GenericAlloc(ptr %class, i64 0)
  %made = icmp ne ptr %o, null
  br i1 %made, label %good, label %raised
good:
  %doff = get i64, %head, $data_offset
  keep %a
  put ptr %a, %o, %doff
  %n = get i64, %head, $field_count
  %fields = get ptr, %head, $fields
  br label %loop
loop:
  %k = phi i64 [ 0, %good ], [ %k1, %fill ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %fill, label %out
fill:
  %k16 = shl i64 %k, 4
  %pair = getelementptr i8, ptr %fields, i64 %k16
  %off = load i64, ptr %pair
  %v = get ptr, %pair, 8
  keep %v
  put ptr %v, %o, %off
  %k1 = add i64 %k, 1
  br label %loop
out:
  %dst = slot 2
  store ptr %o, ptr %dst
  ret i64 0
raised:
  ret i64 $RAISED
}

; reg destination, first reg of the items, n: a tuple
define i64 @op_tuple$OP {
  %n = arg 3
  %o = py ptr PyTuple_New(i64 %n)
  %made = icmp ne ptr %o, null
  br i1 %made, label %good, label %raised
good:
  %items = getelementptr i8, ptr %o, i64 24
  %src = slot 2
  call void @copy(ptr %items, ptr %src, i64 %n)
  %dst = slot 1
  store ptr %o, ptr %dst
  ret i64 0
raised:
  ret i64 $RAISED
}

; reg destination, first reg of the items, n: a list
define i64 @op_list$OP {
  %n = arg 3
  %o = py ptr PyList_New(i64 %n)
  %made = icmp ne ptr %o, null
  br i1 %made, label %good, label %raised
good:
  %items = get ptr, %o, 24
  %src = slot 2
  call void @copy(ptr %items, ptr %src, i64 %n)
  %dst = slot 1
  store ptr %o, ptr %dst
  ret i64 0
raised:
  ret i64 $RAISED
}

; %n objects, with one more reference each
define internal void @copy(ptr %to, ptr %from, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %next, label %out
next:
  %p = getelementptr ptr, ptr %from, i64 %i
  %o = load ptr, ptr %p
  keep %o
  %q = getelementptr ptr, ptr %to, i64 %i
  store ptr %o, ptr %q
  %i1 = add i64 %i, 1
  br label %loop
out:
  ret void
}

; reg destination, first reg of the values, n, address of the keys: a dict
define i64 @op_mapping$OP {
entry:
  %o = py ptr PyDict_New()
  %made = icmp ne ptr %o, null
  br i1 %made, label %good, label %raised
good:
  %n = arg 3
  %src = slot 2
  %keys = ptr 4
  %dst = slot 1
  store ptr %o, ptr %dst
  br label %loop
loop:
  %i = phi i64 [ 0, %good ], [ %i1, %next ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %set, label %out
set:
  %p = getelementptr ptr, ptr %src, i64 %i
  %v = load ptr, ptr %p
  %q = getelementptr ptr, ptr %keys, i64 %i
  %k = load ptr, ptr %q
  %r = py i32 PyDict_SetItem(ptr %o, ptr %k, ptr %v)
  %fine = icmp eq i32 %r, 0
  br i1 %fine, label %next, label %raised
next:
  %i1 = add i64 %i, 1
  br label %loop
out:
  ret i64 0
raised:
  ret i64 $RAISED
}

; reg destination, first reg of the arguments, n, callable: what it returns
define i64 @op_call$OP {
  %n = arg 3
  %src = slot 2
  %f = ptr 4
  %o = py ptr PyObject_Vectorcall(ptr %f, ptr %src, i64 %n, ptr null)
  %made = icmp ne ptr %o, null
  br i1 %made, label %good, label %raised
good:
  %dst = slot 1
  store ptr %o, ptr %dst
  ret i64 0
raised:
  ret i64 $RAISED
}
"""

# class, rank, dims, type; no strides, data, item size, flags, object
_NEW = "ptr %class, i32 %nd, ptr %dims, i32 %num, ptr null, ptr null, i32 0, i32 0, ptr null"
RESULTS_TEXT = _TEXT.replace("$NEW", _NEW)
