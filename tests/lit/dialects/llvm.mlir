// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

llvm.func @vectors(%a: vector<4xf32>, %i: vector<4xi32>, %k: i32) -> f32 {
  %0 = llvm.fcmp "olt" %a, %a {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>
  %1 = llvm.icmp "ult" %i, %i : vector<4xi32>
  %2 = llvm.select %0, %a, %a : vector<4xi1>, vector<4xf32>
  %3 = llvm.fptosi %2 : vector<4xf32> to vector<4xi32>
  %4 = llvm.fptoui %2 : vector<4xf32> to vector<4xi64>
  %5 = llvm.uitofp nneg %3 : vector<4xi32> to vector<4xf32>
  %6 = llvm.mlir.zero : vector<4xf32>
  %7 = llvm.mlir.poison : vector<4xf32>
  %8 = llvm.extractelement %5[%k : i32] : vector<4xf32>
  llvm.return %8 : f32
}
// CHECK-LABEL: @vectors
// CHECK-NEXT: %[[M:\w+]] = llvm.fcmp "olt" %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>
// CHECK-NEXT: llvm.icmp "ult" %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NEXT: llvm.select %[[M]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: llvm.fptosi %{{.*}} : vector<4xf32> to vector<4xi32>
// CHECK-NEXT: llvm.fptoui %{{.*}} : vector<4xf32> to vector<4xi64>
// CHECK-NEXT: llvm.uitofp nneg %{{.*}} : vector<4xi32> to vector<4xf32>
// CHECK-NEXT: llvm.mlir.zero : vector<4xf32>
// CHECK-NEXT: llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT: llvm.extractelement %{{.*}}[%{{.*}} : i32] : vector<4xf32>

// -----

llvm.func @addresses(%p: !llvm.ptr, %i: i64) {
  %0 = llvm.getelementptr inbounds %p[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, i64)>
  %1 = llvm.getelementptr nusw|nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %2 = llvm.load %1 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  llvm.store %2, %1 {alignment = 64 : i64, nontemporal} : vector<4xf32>, !llvm.ptr
  llvm.return
}
// CHECK-LABEL: @addresses
// CHECK-NEXT: llvm.getelementptr inbounds %{{.*}}[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(!llvm.ptr, i64)>
// CHECK-NEXT: llvm.getelementptr nusw|nuw %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT: llvm.store %{{.*}}, %{{.*}} {alignment = 64 : i64, nontemporal} : vector<4xf32>, !llvm.ptr

// -----

llvm.func @branches(%c: i1, %i: i32, %x: f32) -> f32 {
  llvm.switch %i : i32, ^bb1(%x : f32) [
    0: ^bb2,
    -7: ^bb1(%x : f32)
  ]
^bb1(%a: f32):
  llvm.return %a : f32
^bb2:
  llvm.unreachable
}
// CHECK-LABEL: @branches
// CHECK: llvm.switch %{{.*}} : i32, ^[[A:.*]](%[[X:\w+]] : f32) [
// CHECK-NEXT: 0: ^[[B:.*]],
// CHECK-NEXT: -7: ^[[A]](%[[X]] : f32)
// CHECK-NEXT: ]

// -----

llvm.func @lamina_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
llvm.func internal @k(%p: !llvm.ptr {llvm.noalias}, %f: !llvm.ptr, %n: i64) -> i32 attributes {passthrough = ["noinline", ["target-cpu", "znver4"]]} {
  %0 = llvm.call @lamina_parallel(%p, %f, %p, %n) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
  %1 = llvm.call %f(%p) : !llvm.ptr, (!llvm.ptr) -> i32
  %2 = llvm.call_intrinsic "llvm.smax.i32"(%0, %1) : (i32, i32) -> i32
  llvm.return %2 : i32
}
llvm.mlir.global internal constant @w(dense<[1.0, 0x7F800000]> : tensor<2xf32>) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<2 x f32>
// CHECK: llvm.func @lamina_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK-LABEL: internal @k
// CHECK-SAME: {llvm.noalias}
// CHECK-SAME: passthrough = ["noinline", ["target-cpu", "znver4"]]
// CHECK: llvm.call @lamina_parallel(
// CHECK: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> i32
// CHECK: llvm.call_intrinsic "llvm.smax.i32"(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
// CHECK: llvm.mlir.global internal constant @w(dense<[1.000000e+00, 0x7F800000]> : tensor<2xf32>) {{.*}}alignment = 64 : i64

// -----

llvm.func @fences() {
  llvm.fence acquire
  llvm.fence seq_cst {note}
  llvm.return
}
// CHECK-LABEL: @fences
// CHECK-NEXT: llvm.fence acquire
// CHECK-NEXT: llvm.fence seq_cst {note}
