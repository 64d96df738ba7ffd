// RUN: %opt %s --split-input-file --verify-diagnostics

llvm.func @outside_the_struct(%p: !llvm.ptr) {
  // expected-error {{llvm.getelementptr: expected a constant index into a struct or an index into an array, found 2}}
  %0 = llvm.getelementptr %p[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, i64)>
  llvm.return
}

// -----

llvm.func @integer_predicate_for_floats(%x: f32) {
  // expected-error {{llvm.fcmp: expected a predicate of _false, oeq}}
  %0 = llvm.fcmp "slt" %x, %x : f32
  llvm.return
}

// -----

llvm.func @lengths_differ(%x: vector<4xf32>) {
  // expected-error {{llvm.fptosi: expected types of one shape, found vector<4xf32>, vector<8xi32>}}
  %0 = llvm.fptosi %x : vector<4xf32> to vector<8xi32>
  llvm.return
}
