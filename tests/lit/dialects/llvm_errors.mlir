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

// -----

llvm.func @case_without_a_block(%x: i32) {
  // expected-error {{llvm.switch: expected as many case values and operand counts as blocks, found 2, 1 and 1}}
  "llvm.switch"(%x)[^bb1, ^bb1] <{case_values = dense<[1, 2]> : tensor<2xi32>, case_operand_segments = array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
^bb1:
  llvm.return
}

// -----

llvm.func @case_operand_missing(%x: i32) {
  // expected-error {{llvm.switch: expected 1 case operands, found 0}}
  "llvm.switch"(%x)[^bb1, ^bb1] <{case_values = dense<[1]> : tensor<1xi32>, case_operand_segments = array<i32: 1>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
^bb1:
  llvm.return
}

// -----

// expected-error {{llvm.mlir.global: expected `:` and a type after no value}}
llvm.mlir.global external constant @w()

// -----

llvm.func @index_operand_missing(%p: !llvm.ptr) {
  // expected-error {{llvm.getelementptr: expected 1 index operands, found 0}}
  %0 = "llvm.getelementptr"(%p) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 0 : i32}> : (!llvm.ptr) -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @flags_of_another_kind(%x: f32) {
  // expected-error {{fastmathFlags: expected #llvm.fastmath<...>, found 1 : i64}}
  %0 = llvm.fcmp "olt" %x, %x {fastmathFlags = 1 : i64} : f32
  llvm.return
}

// -----

llvm.func @ordering() {
  // expected-error {{llvm.fence: expected an ordering of acquire, release, acq_rel, seq_cst, found relaxed}}
  llvm.fence relaxed
  llvm.return
}

// -----

llvm.func @ordering_number() {
  // expected-error {{llvm.fence: expected an ordering from 4 to 7, found 2}}
  "llvm.fence"() <{ordering = 2 : i64}> : () -> ()
  llvm.return
}
