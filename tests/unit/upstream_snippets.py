"""Snippets of the upstream dialects, one operation each, as mlir-opt reads and writes them.

`SNIPPETS` are modules, `NAMES` their test names. The names of operands stand for argument types.
"""

from __future__ import annotations

import re

ARGUMENTS = {
    "%x": "f32",
    "%y": "f32",
    "%d": "f64",
    "%h": "f16",
    "%i": "i32",
    "%j": "i32",
    "%l": "i64",
    "%b": "i1",
    "%c": "i8",
    "%n": "index",
    "%vf": "vector<4xf32>",
    "%vg": "vector<4xf32>",
    "%vd": "vector<4xf64>",
    "%vi": "vector<4xi32>",
    "%vj": "vector<4xi32>",
    "%vc": "vector<4xi8>",
    "%vb": "vector<4xi1>",
    "%vl": "vector<4xi64>",
}
SHAPED = {
    "%vn": "vector<4xindex>",
    "%m": "memref<8xf32>",
    "%k": "memref<8xf32>",
    "%q": "memref<?x4xf32>",
    "%bytes": "memref<256xi8>",
    "%t": "tensor<4xf32>",
    "%u": "tensor<4xf32>",
    "%ti": "tensor<4xi32>",
    "%tb": "tensor<4xi1>",
    "%k0": "memref<f32>",
    "%q44": "memref<4x4xf32>",
}
LLVM_ARGUMENTS = {"%p": "!llvm.ptr", "%r": "!llvm.ptr", "%s": "!llvm.struct<(ptr, i64)>"}
LLVM_SYMBOLS = """
llvm.mlir.global private constant @table(1 : i32) {addr_space = 0 : i32} : i32
llvm.func @callee(!llvm.ptr, i64) -> i32
llvm.func @effect(f32)
"""

BINARY_INTEGER = """
divsi divui remsi remui floordivsi ceildivsi ceildivui maxsi maxui minsi minui andi ori xori
shrsi shrui
"""

ARITH = [
    "arith.cmpf olt, %x, %y : f32",
    "arith.cmpf une, %vf, %vg fastmath<nnan,ninf> {note} : vector<4xf32>",
    "arith.cmpf false, %t, %u : tensor<4xf32>",
    "arith.cmpf true, %vd, %vd : vector<4xf64>",
    "arith.cmpi slt, %i, %j : i32",
    "arith.cmpi ult, %vi, %vj {note} : vector<4xi32>",
    "arith.cmpi eq, %n, %n : index",
    "arith.cmpi ne, %vn, %vn : vector<4xindex>",
    "arith.select %b, %x, %y : f32",
    "arith.select %b, %vf, %vg : vector<4xf32>",
    "arith.select %vb, %vf, %vg {note} : vector<4xi1>, vector<4xf32>",
    "arith.select %tb, %t, %u : tensor<4xi1>, tensor<4xf32>",
    "arith.select %b, %m, %k : memref<8xf32>",
    "arith.extsi %vc : vector<4xi8> to vector<4xi32>",
    "arith.extsi %c {note} : i8 to i64",
    "arith.extui %vb : vector<4xi1> to vector<4xi8>",
    "arith.extui %b : i1 to i32",
    "arith.extui %tb : tensor<4xi1> to tensor<4xi8>",
    "arith.trunci %vi : vector<4xi32> to vector<4xi8>",
    "arith.trunci %i overflow<nsw, nuw> : i32 to i1",
    "arith.extf %vf fastmath<contract> : vector<4xf32> to vector<4xf64>",
    "arith.extf %h : f16 to f32",
    "arith.truncf %vd : vector<4xf64> to vector<4xbf16>",
    "arith.truncf %d fastmath<fast> : f64 to f32",
    "arith.sitofp %vi : vector<4xi32> to vector<4xf32>",
    "arith.sitofp %l : i64 to f32",
    "arith.uitofp %vc : vector<4xi8> to vector<4xf64>",
    "arith.uitofp %b : i1 to f32",
    "arith.fptosi %vf : vector<4xf32> to vector<4xi32>",
    "arith.fptosi %d : f64 to i64",
    "arith.fptoui %t : tensor<4xf32> to tensor<4xi32>",
    "arith.fptoui %x : f32 to i8",
    "arith.index_cast %vi : vector<4xi32> to vector<4xindex>",
    "arith.index_cast %n : index to i64",
    "arith.index_castui %i : i32 to index",
    "arith.index_castui %vn : vector<4xindex> to vector<4xi64>",
    "arith.bitcast %vf : vector<4xf32> to vector<4xi32>",
    "arith.bitcast %d : f64 to i64",
    "arith.remf %x, %y : f32",
    "arith.remf %vf, %vg fastmath<arcp> : vector<4xf32>",
    "arith.negf %vf fastmath<nsz> : vector<4xf32>",
    *(
        f"arith.{op} %{v}, %{w} fastmath<reassoc> : {ARGUMENTS[f'%{v}']}"
        for op in ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")
        for v, w in (("x", "y"), ("vf", "vg"))
    ),
    *(
        f"arith.{op} %{v}, %{w} : {ARGUMENTS[f'%{v}']}"
        for op in BINARY_INTEGER.split()
        for v, w in (("i", "j"), ("vi", "vj"))
    ),
    *(
        f"arith.{op} %{v}, %{w} overflow<nsw> : {ARGUMENTS[f'%{v}']}"
        for op in ("addi", "subi", "muli", "shli")
        for v, w in (("i", "j"), ("vi", "vj"))
    ),
    "arith.mulsi_extended %vi, %vj : vector<4xi32>",
    "arith.constant dense<true> : vector<4xi1>",
    "arith.constant dense<[1.0, 0x7F800000, 0xFFC00001, -0.0]> : vector<4xf32>",
    "arith.constant 0xFF800000 : f32",
]

UNARY_FLOAT = """
absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log
log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc
"""

MATH = [
    *(
        f"math.{op} %{v}{flags} : {type}"
        for op in UNARY_FLOAT.split()
        for v, type, flags in (("x", "f32", ""), ("vf", "vector<4xf32>", " fastmath<fast>"))
    ),
    *(
        f"math.{op} %{v} : {type}"
        for op in ("isnan", "isinf", "isfinite", "isnormal")
        for v, type in (("x", "f32"), ("vd", "vector<4xf64>"), ("t", "tensor<4xf32>"))
    ),
    *(
        f"math.{op} %{v} : {type}"
        for op in ("ctlz", "cttz", "ctpop", "absi")
        for v, type in (("i", "i32"), ("vi", "vector<4xi32>"))
    ),
    *(
        f"math.{op} %{v}, %{w} : {type}"
        for op in ("copysign", "atan2", "powf")
        for v, w, type in (("x", "y", "f32"), ("vf", "vg", "vector<4xf32>"))
    ),
    "math.fma %x, %y, %x : f32",
    "math.fma %vf, %vg, %vf fastmath<contract> : vector<4xf32>",
    "math.fpowi %vf, %vi fastmath<afn> : vector<4xf32>, vector<4xi32>",
    "math.ipowi %i, %j : i32",
    "math.clampf %x to [%y, %y] : f32",
    "math.clampf %vf to [%vg, %vg] fastmath<nnan> {note} : vector<4xf32>",
    "math.sincos %vf : vector<4xf32>",
]

VECTOR = [
    "vector.load %m[%n] : memref<8xf32>, vector<4xf32>",
    "vector.load %m[%n] {alignment = 16 : i64} : memref<8xf32>, vector<4xf32>",
    "vector.store %vf, %q[%n, %n] : memref<?x4xf32>, vector<4xf32>",
    "vector.maskedload %m[%n], %vb, %vf : "
    "memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>",
    "vector.maskedstore %m[%n], %vb, %vf : memref<8xf32>, vector<4xi1>, vector<4xf32>",
    "vector.fma %vf, %vg, %vf : vector<4xf32>",
    "vector.broadcast %x : f32 to vector<4xf32>",
    "vector.extract %vf[2] : f32 from vector<4xf32>",
    "vector.extract %vf[%n] : f32 from vector<4xf32>",
    "vector.insert %x, %vf [1] : f32 into vector<4xf32>",
    "vector.shuffle %vf, %vg [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>",
    "vector.bitcast %vf : vector<4xf32> to vector<8xf16>",
    "vector.create_mask %n : vector<4xi1>",
    "vector.reduction <add>, %vf, %x fastmath<reassoc> : vector<4xf32> into f32",
    "vector.reduction <maxsi>, %vi : vector<4xi32> into i32",
    "vector.reduction <maximumf>, %vf : vector<4xf32> into f32",
    "vector.step : vector<4xindex>",
    "vector.gather %m[%n] [%vi], %vb, %vf : "
    "memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>",
    "vector.transpose %vf, [0] : vector<4xf32> to vector<4xf32>",
    "vector.shape_cast %vf : vector<4xf32> to vector<2x2xf32>",
]

MEMREF = [
    "memref.copy %m, %k : memref<8xf32> to memref<8xf32>",
    "memref.copy %m, %k {note} : memref<8xf32> to memref<8xf32>",
    "memref.cast %m : memref<8xf32> to memref<?xf32>",
    "memref.cast %m : memref<8xf32> to memref<*xf32>",
    "memref.memory_space_cast %m : memref<8xf32> to memref<8xf32, 1>",
    "memref.extract_aligned_pointer_as_index %m : memref<8xf32> -> index",
    "memref.alloc() {alignment = 64 : i64} : memref<8xf32>",
    "memref.alloc(%n) : memref<?xf32>",
    "memref.alloca() {alignment = 64 : i64} : memref<8xf32>",
    "memref.load %m[%n] : memref<8xf32>",
    "memref.store %x, %m[%n] : memref<8xf32>",
    "memref.dim %q, %n : memref<?x4xf32>",
    "memref.view %bytes[%n][] : memref<256xi8> to memref<8xf32>",
    "memref.view %bytes[%n][%n] : memref<256xi8> to memref<?xf32>",
    "memref.subview %m[%n] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>",
    "memref.reinterpret_cast %m to offset: [0], sizes: [2, 4], strides: [4, 1] : "
    "memref<8xf32> to memref<2x4xf32>",
    "memref.collapse_shape %q [[0, 1]] : memref<?x4xf32> into memref<?xf32>",
    "memref.expand_shape %m [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>",
    "memref.assume_alignment %m, 64 : memref<8xf32>",
    "memref.dealloc %m : memref<8xf32>",
]

REGIONS = [
    """scf.parallel (%p, %r) = (%n, %n) to (%n, %n) step (%n, %n) {
      memref.store %x, %m[%p] : memref<8xf32>
      scf.reduce
    }""",
    """scf.parallel (%p) = (%n) to (%n) step (%n) {
      memref.store %x, %m[%p] : memref<8xf32>
    } {note}""",
    """scf.parallel (%p) = (%n) to (%n) step (%n) init (%x) -> f32 {
      scf.reduce(%y : f32) {
      ^bb0(%p0: f32, %p1: f32):
        %sum = arith.addf %p0, %p1 : f32
        scf.reduce.return %sum : f32
      }
    }""",
    """scf.parallel (%p) = (%n) to (%n) step (%n) init (%x, %i) -> (f32, i32) {
      scf.reduce(%y, %j : f32, i32) {
      ^bb0(%p0: f32, %p1: f32):
        scf.reduce.return %p0 : f32
      }, {
      ^bb0(%p0: i32, %p1: i32):
        scf.reduce.return %p1 : i32
      }
    }""",
    """scf.for %p = %n to %n step %n iter_args(%a = %vf) -> (vector<4xf32>) {
      %s = arith.addf %a, %vg : vector<4xf32>
      scf.yield %s : vector<4xf32>
    }""",
    """scf.if %b -> (f32) {
      scf.yield %x : f32
    } else {
      scf.yield %y : f32
    }""",
    """scf.while (%a = %i) : (i32) -> i32 {
      %more = arith.cmpi slt, %a, %j : i32
      scf.condition(%more) %a : i32
    } do {
    ^bb0(%a: i32):
      %next = arith.addi %a, %j : i32
      scf.yield %next : i32
    }""",
    """linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                       affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]
    } ins(%t : tensor<4xf32>) outs(%u, %ti : tensor<4xf32>, tensor<4xi32>)
      attrs = {note = 1 : i32} {
    ^bb0(%e: f32, %o: f32, %oi: i32):
      %index = linalg.index 0 : index
      linalg.yield %e, %oi : f32, i32
    } -> (tensor<4xf32>, tensor<4xi32>)""",
    """linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"], doc = "sum", library_call = "none"
    } ins(%m : memref<8xf32>) outs(%k0 : memref<f32>) {
    ^bb0(%e: f32, %o: f32):
      %s = arith.addf %e, %o : f32
      linalg.yield %s : f32
    }""",
    """linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
    } outs(%t : tensor<4xf32>) {
    ^bb0(%o: f32):
      linalg.yield %x : f32
    } -> tensor<4xf32>""",
    "linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)",
    "linalg.matmul ins(%q, %q44 : memref<?x4xf32>, memref<4x4xf32>) outs(%q : memref<?x4xf32>)",
]

LLVM = [
    'llvm.fcmp "olt" %x, %y : f32',
    'llvm.fcmp "une" %vf, %vg {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>',
    'llvm.icmp "ult" %vi, %vj : vector<4xi32>',
    'llvm.icmp "eq" %p, %r : !llvm.ptr',
    "llvm.select %b, %vf, %vg : i1, vector<4xf32>",
    "llvm.select %b, %p, %r : i1, !llvm.ptr",
    "llvm.select %vb, %vf, %vg {fastmathFlags = #llvm.fastmath<nsz>} : vector<4xi1>, vector<4xf32>",
    "llvm.fptosi %vf : vector<4xf32> to vector<4xi32>",
    "llvm.fptoui %d : f64 to i64",
    "llvm.sitofp %vi : vector<4xi32> to vector<4xf32>",
    "llvm.uitofp %vi : vector<4xi32> to vector<4xf32>",
    "llvm.uitofp nneg %i : i32 to f32",
    "llvm.fpext %vf : vector<4xf32> to vector<4xf64>",
    "llvm.fptrunc %vd : vector<4xf64> to vector<4xbf16>",
    "llvm.zext %vb : vector<4xi1> to vector<4xi8>",
    "llvm.sext %vi : vector<4xi32> to vector<4xi64>",
    "llvm.trunc %vi : vector<4xi32> to vector<4xi8>",
    "llvm.trunc %i overflow<nsw> : i32 to i1",
    "llvm.bitcast %vf : vector<4xf32> to vector<4xi32>",
    "llvm.extractelement %vf[%i : i32] : vector<4xf32>",
    "llvm.insertelement %x, %vf[%l : i64] : vector<4xf32>",
    "llvm.shufflevector %vf, %vg [0, 4, 1, 5, -1, 2] : vector<4xf32>",
    "llvm.mlir.poison : vector<4xf32>",
    "llvm.mlir.undef : !llvm.struct<(ptr, i64)>",
    "llvm.mlir.zero : vector<4xf32>",
    "llvm.mlir.zero : !llvm.ptr",
    "llvm.mlir.zero : i32",
    "llvm.mlir.constant(5 : i64) : i64",
    "llvm.mlir.constant(true) : i1",
    "llvm.mlir.constant(0xFF800000 : f32) : f32",
    "llvm.mlir.constant(dense<0x7FC00000> : vector<4xf32>) : vector<4xf32>",
    "llvm.mlir.constant(dense<[1, -2, 3, 4]> : vector<4xi32>) : vector<4xi32>",
    "llvm.mlir.addressof @table : !llvm.ptr",
    "llvm.getelementptr %p[%l] : (!llvm.ptr, i64) -> !llvm.ptr, f32",
    "llvm.getelementptr inbounds %p[3] : (!llvm.ptr) -> !llvm.ptr, f32",
    "llvm.getelementptr inbounds|nuw %p[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, i64)>",
    "llvm.getelementptr nusw %p[0, 1, %l] {note} : (!llvm.ptr, i64) -> !llvm.ptr, "
    "!llvm.struct<(ptr, array<4 x f32>)>",
    "llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>",
    "llvm.load %p : !llvm.ptr -> f32",
    "llvm.store %vf, %p {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr",
    "llvm.store %vf, %p {alignment = 64 : i64, nontemporal} : vector<4xf32>, !llvm.ptr",
    "llvm.alloca %l x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr",
    "llvm.ptrtoint %p : !llvm.ptr to i64",
    "llvm.inttoptr %l : i64 to !llvm.ptr",
    "llvm.insertvalue %l, %s[1] : !llvm.struct<(ptr, i64)>",
    "llvm.extractvalue %s[0] : !llvm.struct<(ptr, i64)>",
    "llvm.call @callee(%p, %l) : (!llvm.ptr, i64) -> i32",
    "llvm.call @effect(%x) : (f32) -> ()",
    "llvm.call %p(%r, %l) : !llvm.ptr, (!llvm.ptr, i64) -> i32",
    "llvm.call %p() : !llvm.ptr, () -> ()",
    'llvm.call_intrinsic "llvm.fma.v4f32"(%vf, %vg, %vf) : '
    "(vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>",
    'llvm.call_intrinsic "llvm.maximum.f32"(%x, %y) {fastmathFlags = #llvm.fastmath<nsz>} : '
    "(f32, f32) -> f32",
    'llvm.call_intrinsic "llvm.prefetch.p0"(%p, %i, %i, %i) : (!llvm.ptr, i32, i32, i32) -> ()',
    "llvm.fneg %vf : vector<4xf32>",
    "llvm.frem %x, %y : f32",
    "llvm.fadd %x, %y {fastmathFlags = #llvm.fastmath<reassoc>} : f32",
    "llvm.add %i, %j overflow<nsw, nuw> : i32",
    "llvm.udiv %i, %j : i32",
    "llvm.sdiv exact %i, %j : i32",
    "llvm.or disjoint %i, %j : i32",
]

MODULES = [
    """memref.global "private" constant @g : memref<2x2xf32> =
      dense<[[0.0, 0x7F800000], [-0.0, 2.0]]> {alignment = 64 : i64}""",
    "memref.global @declared : memref<2x2xf32>",
    'memref.global "nested" @later : memref<2xi32> = uninitialized',
    """memref.global "private" @zero : memref<4xf64> = dense<0.0>
    func.func @f() -> memref<4xf64> {
      %0 = memref.get_global @zero : memref<4xf64>
      return %0 : memref<4xf64>
    }""",
    "llvm.mlir.global internal constant @g(dense<[1.0, 0x7F800000]> : tensor<2xf32>) "
    "{addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<2 x f32>",
    "llvm.mlir.global external @v(42 : i64) {addr_space = 0 : i32} : i64",
    "llvm.mlir.global linkonce_odr hidden thread_local unnamed_addr @v(42 : i64) "
    '{addr_space = 1 : i32, section = "data", dso_local, note} : i64',
    'llvm.mlir.global internal local_unnamed_addr constant @text("ab") {addr_space = 0 : i32}',
    "llvm.mlir.global external @declared() {addr_space = 0 : i32} : i64",
    """llvm.mlir.global private @made() {addr_space = 0 : i32} : !llvm.array<2 x i32> {
      %0 = llvm.mlir.zero : !llvm.array<2 x i32>
      llvm.return %0 : !llvm.array<2 x i32>
    }""",
    "llvm.func @lamina_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32",
    "llvm.func @malloc(i64) -> (!llvm.ptr {llvm.noalias})",
    'llvm.func @nothing() attributes {sym_visibility = "private"}',
    """llvm.func internal @k(%p: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}, %n: i64) -> i32
      attributes {passthrough = ["noinline", ["target-cpu", "znver4"]], no_unwind,
                  target_cpu = "znver4"} {
      %0 = llvm.mlir.constant(0 : i32) : i32
      llvm.return %0 : i32
    }""",
    """llvm.func @branches(%c: i1, %i: i32, %x: f32) -> f32 {
      llvm.cond_br %c, ^bb1(%x : f32), ^bb2
    ^bb1(%a: f32):
      llvm.br ^bb3(%a, %i : f32, i32)
    ^bb2:
      llvm.switch %i : i32, ^bb1(%x : f32) [
        0: ^bb3(%x, %i : f32, i32),
        -7: ^bb4
      ]
    ^bb3(%r: f32, %s: i32):
      llvm.return %r : f32
    ^bb4:
      llvm.unreachable
    }""",
    """llvm.func @no_cases(%i: i64) {
      llvm.switch %i : i64, ^bb1 [
      ]
    ^bb1:
      llvm.return
    }""",
]


NO_RESULT = (
    "vector.store",
    "vector.maskedstore",
    "memref.copy",
    "memref.store",
    "memref.dealloc",
    "llvm.store",
    "linalg.fill",
    "linalg.matmul",
)
TWO_RESULTS = ("math.sincos", "arith.mulsi_extended")


def in_function(op: str) -> str:
    """A module with one function around `op`, with an argument for every name that `op` uses."""
    if op.startswith("llvm."):
        types = ARGUMENTS | LLVM_ARGUMENTS
        head, end = f"{LLVM_SYMBOLS}llvm.func @f", "llvm.return"
    else:
        types = ARGUMENTS | SHAPED
        head, end = "func.func @f", "func.return"
    used = set(re.findall(r"%\w+", op))
    given = ", ".join(f"{name}: {type}" for name, type in types.items() if name in used)
    return f"{head}({given}) {{\n{_with_results(op)}\n{end}\n}}\n"


def _with_results(op: str) -> str:
    name = op.split("(", maxsplit=1)[0].split(maxsplit=1)[0]
    if name in NO_RESULT or "-> ()" in op:
        count = 0
    elif name in TWO_RESULTS:
        count = 2
    elif name == "linalg.generic":
        count = op.rsplit("}", 1)[1].count("tensor")
    elif name == "scf.parallel":
        count = 2 if "-> (" in op else 1 if "->" in op else 0
    else:
        count = 1
    return op if count == 0 else f"%result:{count} = {op}"


SNIPPETS = [
    *(in_function(op) for op in (*ARITH, *MATH, *VECTOR, *MEMREF, *REGIONS, *LLVM)),
    *MODULES,
]
NAMES = [*ARITH, *MATH, *VECTOR, *MEMREF, *REGIONS, *LLVM, *MODULES]
