// RUN: %opt -t llvm-ir --split-input-file --verify-diagnostics %s

// An operation of a higher level must be named, not skipped.
llvm.func @op_of_another_level(%a: i32) -> i32 {
  // expected-error {{arith.addi: expected an operation with LLVM text, found none}}
  %0 = arith.addi %a, %a : i32
  llvm.return %0 : i32
}

// -----

// expected-error {{func.func: expected llvm.func or llvm.mlir.global in the module, found another op}}
func.func private @function_of_another_level()

// -----

llvm.func @inline_assembly() {
  // expected-error {{llvm.inline_asm: expected an operation with LLVM text, found none}}
  llvm.inline_asm "nop", "" : () -> ()
  llvm.return
}

// -----

llvm.func @type_of_another_level(%p: !llvm.ptr) {
  // expected-error {{expected an LLVM type, found vector<2x2xf32>}}
  %0 = llvm.load %p : !llvm.ptr -> vector<2x2xf32>
  llvm.return
}

// -----

// expected-error {{expected a known parameter attribute, found llvm.swiftself}}
llvm.func @unknown_parameter_attribute(%p: !llvm.ptr {llvm.swiftself}) {
  llvm.return
}

// -----

// expected-error {{expected a known function attribute, found sanitize}}
llvm.func @unknown_function_attribute() attributes {sanitize} {
  llvm.return
}

// -----

// expected-error {{llvm.mlir.global: expected a constant initializer, found a computed one}}
llvm.mlir.global internal @computed() : i32 {
  %0 = llvm.mlir.constant(1 : i32) : i32
  %1 = llvm.add %0, %0 : i32
  llvm.return %1 : i32
}
