// RUN: %opt -t llvm-ir --split-input-file %s | %check

// Constants stand where they are used; floats as bit patterns, NaN and Inf included.
// CHECK-LABEL: define void @constants_are_inline(ptr %v{{[0-9]+}})
// CHECK-NEXT: bb0:
// CHECK-NEXT: store i64 -7, ptr %v0
// CHECK-NEXT: store i1 true, ptr %v0
// CHECK-NEXT: store float 0x3FB99999A0000000, ptr %v0
// CHECK-NEXT: store double 0x3FB999999999999A, ptr %v0
// CHECK-NEXT: store half 0xH3C00, ptr %v0
// CHECK-NEXT: store bfloat 0xR3F80, ptr %v0
// CHECK-NEXT: store float 0xFFF0000000000000, ptr %v0
// CHECK-NEXT: store <4 x float> splat (float 0xFFF0000000000000), ptr %v0
// CHECK-NEXT: store <2 x i32> <i32 1, i32 -1>, ptr %v0
// CHECK-NEXT: store <2 x double> zeroinitializer, ptr %v0
// CHECK-NEXT: store ptr null, ptr %v0
// CHECK-NEXT: store float poison, ptr %v0
// CHECK-NEXT: ret void
llvm.func @constants_are_inline(%p: !llvm.ptr) {
  %0 = llvm.mlir.constant(-7 : i64) : i64
  %1 = llvm.mlir.constant(true) : i1
  %2 = llvm.mlir.constant(0.1 : f32) : f32
  %3 = llvm.mlir.constant(0.1 : f64) : f64
  %4 = llvm.mlir.constant(1.0 : f16) : f16
  %5 = llvm.mlir.constant(1.0 : bf16) : bf16
  %6 = llvm.mlir.constant(0xFF800000 : f32) : f32
  %7 = llvm.mlir.constant(dense<0xFF800000> : vector<4xf32>) : vector<4xf32>
  %8 = llvm.mlir.constant(dense<[1, -1]> : vector<2xi32>) : vector<2xi32>
  %9 = llvm.mlir.zero : vector<2xf64>
  %10 = llvm.mlir.zero : !llvm.ptr
  %11 = llvm.mlir.poison : f32
  llvm.store %0, %p : i64, !llvm.ptr
  llvm.store %1, %p : i1, !llvm.ptr
  llvm.store %2, %p : f32, !llvm.ptr
  llvm.store %3, %p : f64, !llvm.ptr
  llvm.store %4, %p : f16, !llvm.ptr
  llvm.store %5, %p : bf16, !llvm.ptr
  llvm.store %6, %p : f32, !llvm.ptr
  llvm.store %7, %p : vector<4xf32>, !llvm.ptr
  llvm.store %8, %p : vector<2xi32>, !llvm.ptr
  llvm.store %9, %p : vector<2xf64>, !llvm.ptr
  llvm.store %10, %p : !llvm.ptr, !llvm.ptr
  llvm.store %11, %p : f32, !llvm.ptr
  llvm.return
}

// -----

// Dropping a flag would be silent: the code stays right and gets slow, or the reverse.
// CHECK-LABEL: define i32 @flags_are_kept(
// CHECK: add nuw nsw i32 %[[A:v[0-9]+]], %[[B:v[0-9]+]]
// CHECK-NEXT: sub nsw i32
// CHECK-NEXT: udiv exact i32
// CHECK-NEXT: or disjoint i32
// CHECK-NEXT: xor i32
// CHECK-NEXT: fadd reassoc nsz float
// CHECK-NEXT: fmul fast float
// CHECK-NEXT: fneg nnan float
// CHECK-NEXT: fcmp ninf olt float
// CHECK-NEXT: select contract i1
// CHECK-NEXT: call afn float @llvm.fma(
llvm.func @flags_are_kept(%a: i32, %b: i32, %x: f32, %y: f32) -> i32 {
  %0 = llvm.add %a, %b overflow<nsw, nuw> : i32
  %1 = llvm.sub %0, %b overflow<nsw> : i32
  %2 = llvm.udiv exact %1, %b : i32
  %3 = llvm.or disjoint %2, %b : i32
  %4 = llvm.xor %3, %b : i32
  %5 = llvm.fadd %x, %y {fastmathFlags = #llvm.fastmath<reassoc, nsz>} : f32
  %6 = llvm.fmul %5, %y {fastmathFlags = #llvm.fastmath<fast>} : f32
  %7 = llvm.fneg %6 {fastmathFlags = #llvm.fastmath<nnan>} : f32
  %8 = llvm.fcmp "olt" %7, %y {fastmathFlags = #llvm.fastmath<ninf>} : f32
  %9 = llvm.select %8, %x, %7 {fastmathFlags = #llvm.fastmath<contract>} : i1, f32
  %10 = llvm.intr.fma(%9, %x, %y) {fastmathFlags = #llvm.fastmath<afn>} : (f32, f32, f32) -> f32
  %11 = llvm.fptosi %10 : f32 to i32
  %12 = llvm.add %4, %11 : i32
  llvm.return %12 : i32
}

// -----

// CHECK-LABEL: define <4 x float> @casts(
// CHECK: trunc nsw i32 %{{v[0-9]+}} to i8
// CHECK-NEXT: zext nneg i8 %{{v[0-9]+}} to i32
// CHECK-NEXT: sext i8 %{{v[0-9]+}} to i64
// CHECK-NEXT: sitofp i64 %{{v[0-9]+}} to double
// CHECK-NEXT: uitofp i32 %{{v[0-9]+}} to double
// CHECK-NEXT: fadd double
// CHECK-NEXT: fptrunc double %{{v[0-9]+}} to float
// CHECK-NEXT: fpext half %{{v[0-9]+}} to float
// CHECK-NEXT: fadd float
// CHECK-NEXT: bitcast <4 x i32> %{{v[0-9]+}} to <4 x float>
// CHECK-NEXT: fptoui <4 x float> %{{v[0-9]+}} to <4 x i32>
// CHECK-NEXT: uitofp <4 x i32> %{{v[0-9]+}} to <4 x float>
llvm.func @casts(%a: i32, %h: f16, %v: vector<4xi32>) -> vector<4xf32> {
  %0 = llvm.trunc %a overflow<nsw> : i32 to i8
  %1 = llvm.zext nneg %0 : i8 to i32
  %2 = llvm.sext %0 : i8 to i64
  %3 = llvm.sitofp %2 : i64 to f64
  %4 = llvm.uitofp %1 : i32 to f64
  %5 = llvm.fadd %3, %4 : f64
  %6 = llvm.fptrunc %5 : f64 to f32
  %7 = llvm.fpext %h : f16 to f32
  %8 = llvm.fadd %6, %7 : f32
  %9 = llvm.bitcast %v : vector<4xi32> to vector<4xf32>
  %10 = llvm.fptoui %9 : vector<4xf32> to vector<4xi32>
  %11 = llvm.uitofp %10 : vector<4xi32> to vector<4xf32>
  %12 = llvm.mlir.constant(2 : i32) : i32
  %13 = llvm.insertelement %8, %11[%12 : i32] : vector<4xf32>
  llvm.return %13 : vector<4xf32>
}

// -----

// Block arguments are phis; a value of a later block is named before it is written.
// CHECK-LABEL: define i64 @loop_is_a_phi(i64 %v0)
// CHECK: bb1:
// CHECK-NEXT: %[[I:v[0-9]+]] = phi i64 [ 0, %bb0 ], [ %[[NEXT:v[0-9]+]], %bb2 ]
// CHECK-NEXT: %[[MORE:v[0-9]+]] = icmp slt i64 %[[I]], %v0
// CHECK-NEXT: br i1 %[[MORE]], label %bb2, label %bb3
// CHECK: bb2:
// CHECK-NEXT: %[[NEXT]] = add i64 %[[I]], 1
// CHECK-NEXT: br label %bb1
// CHECK: bb3:
// CHECK-NEXT: ret i64 %[[I]]
llvm.func @loop_is_a_phi(%n: i64) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^exit:
  llvm.return %i : i64
}

// -----

// A phi has one value a predecessor, so the second of two edges gets a block of its own.
// CHECK-LABEL: define i32 @both_edges_to_one_block(
// CHECK: br i1 %v0, label %bb1, label %bb0.edge1
// CHECK-NEXT: bb0.edge1:
// CHECK-NEXT: br label %bb1
// CHECK-NEXT: bb1:
// CHECK-NEXT: phi i32 [ %v1, %bb0 ], [ %v2, %bb0.edge1 ]
llvm.func @both_edges_to_one_block(%c: i1, %a: i32, %b: i32) -> i32 {
  llvm.cond_br %c, ^exit(%a : i32), ^exit(%b : i32)
^exit(%r: i32):
  llvm.return %r : i32
}

// -----

// Equal values need no such block, but the phi still names the edge twice.
// CHECK-LABEL: define i32 @equal_values_on_both_edges(
// CHECK: br i1 %v0, label %bb1, label %bb1
// CHECK-NEXT: bb1:
// CHECK-NEXT: phi i32 [ %v1, %bb0 ], [ %v1, %bb0 ]
llvm.func @equal_values_on_both_edges(%c: i1, %a: i32) -> i32 {
  llvm.cond_br %c, ^exit(%a : i32), ^exit(%a : i32)
^exit(%r: i32):
  llvm.return %r : i32
}

// -----

// CHECK-LABEL: define i32 @switch_with_arguments(
// CHECK: switch i32 %v0, label %bb1 [i32 -1, label %bb0.edge1 i32 5, label %bb2]
// CHECK-NEXT: bb0.edge1:
// CHECK-NEXT: br label %bb1
// CHECK-NEXT: bb1:
// CHECK-NEXT: phi i32 [ %v1, %bb0 ], [ %v0, %bb0.edge1 ]
// CHECK: bb2:
// CHECK-NEXT: unreachable
llvm.func @switch_with_arguments(%a: i32, %b: i32) -> i32 {
  llvm.switch %a : i32, ^exit(%b : i32) [
    -1: ^exit(%a : i32),
    5: ^dead
  ]
^exit(%r: i32):
  llvm.return %r : i32
^dead:
  llvm.unreachable
}

// -----

// CHECK-LABEL: define void @memory(
// CHECK: alloca [4 x float], i64 1, align 64
// CHECK-NEXT: getelementptr inbounds [4 x float], ptr %{{v[0-9]+}}, i32 0, i64 %v1
// CHECK-NEXT: getelementptr { i32, ptr }, ptr %v0, i32 0, i32 1
// CHECK-NEXT: load <4 x float>, ptr %{{v[0-9]+}}, align 4
// CHECK-NEXT: store <4 x float> %{{v[0-9]+}}, ptr %v0, align 64, !nontemporal !0
// CHECK-NEXT: store volatile i64 %v1, ptr %{{v[0-9]+}}
// CHECK: !0 = !{i32 1}
llvm.func @memory(%p: !llvm.ptr, %i: i64) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %0 = llvm.alloca %one x !llvm.array<4 x f32> {alignment = 64 : i64} : (i64) -> !llvm.ptr
  %1 = llvm.getelementptr inbounds %0[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  %2 = llvm.getelementptr %p[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, ptr)>
  %3 = llvm.load %2 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  llvm.store %3, %p {alignment = 64 : i64, nontemporal} : vector<4xf32>, !llvm.ptr
  llvm.store volatile %i, %1 : i64, !llvm.ptr
  llvm.return
}

// -----

// CHECK-LABEL: define float @vectors_and_aggregates(
// CHECK: extractelement <4 x float> %v0, i32 1
// CHECK-NEXT: insertelement <4 x float> %v0, float %{{v[0-9]+}}, i32 0
// CHECK-NEXT: shufflevector <4 x float> %{{v[0-9]+}}, <4 x float> poison, <2 x i32> <i32 3, i32 poison>
// CHECK-NEXT: extractelement <2 x float>
// CHECK-NEXT: insertvalue { float, i32 } undef, float %{{v[0-9]+}}, 0
// CHECK-NEXT: extractvalue { float, i32 } %{{v[0-9]+}}, 0
llvm.func @vectors_and_aggregates(%v: vector<4xf32>) -> f32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %poison = llvm.mlir.poison : vector<4xf32>
  %undef = llvm.mlir.undef : !llvm.struct<(f32, i32)>
  %0 = llvm.extractelement %v[%one : i32] : vector<4xf32>
  %1 = llvm.insertelement %0, %v[%zero : i32] : vector<4xf32>
  %2 = llvm.shufflevector %1, %poison [3, -1] : vector<4xf32>
  %3 = llvm.extractelement %2[%zero : i32] : vector<2xf32>
  %4 = llvm.insertvalue %3, %undef[0] : !llvm.struct<(f32, i32)>
  %5 = llvm.extractvalue %4[0] : !llvm.struct<(f32, i32)>
  llvm.return %5 : f32
}

// -----

// One intrinsic may occur with two types, as an operation or by its full name.
// CHECK-LABEL: define float @intrinsics(
// CHECK: call <16 x float> @llvm.maximum.v16f32(<16 x float> %v0, <16 x float> %v0)
// CHECK-NEXT: call <16 x float> @llvm.maxnum(<16 x float> %{{v[0-9]+}}, <16 x float> %v0)
// CHECK-NEXT: call <16 x float> @llvm.fma(<16 x float> %{{v[0-9]+}}, <16 x float> %v0, <16 x float> %v0)
// CHECK-NEXT: call void @llvm.masked.store(<16 x float> %{{v[0-9]+}}, ptr align 4 %v1, <16 x i1> splat (i1 true))
// CHECK-NEXT: call reassoc float @llvm.vector.reduce.fadd(float 0x0000000000000000, <16 x float> %{{v[0-9]+}})
// CHECK-NEXT: call float @llvm.exp(float %{{v[0-9]+}})
// CHECK-NEXT: call float @llvm.fma(float %{{v[0-9]+}}, float %{{v[0-9]+}}, float %{{v[0-9]+}})
// CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %v1, ptr %v1, i64 16, i1 false)
llvm.func @intrinsics(%v: vector<16xf32>, %p: !llvm.ptr) -> f32 {
  %mask = llvm.mlir.constant(dense<true> : vector<16xi1>) : vector<16xi1>
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %size = llvm.mlir.constant(16 : i64) : i64
  %no = llvm.mlir.constant(false) : i1
  %0 = llvm.call_intrinsic "llvm.maximum.v16f32"(%v, %v) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %1 = llvm.intr.maxnum(%0, %v) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %2 = llvm.intr.fma(%1, %v, %v) : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  llvm.intr.masked.store %2, %p, %mask {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
  %3 = "llvm.intr.vector.reduce.fadd"(%zero, %2) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<16xf32>) -> f32
  %4 = llvm.intr.exp(%3) : (f32) -> f32
  %5 = llvm.intr.fma(%4, %3, %4) : (f32, f32, f32) -> f32
  llvm.call_intrinsic "llvm.memcpy.p0.p0.i64"(%p, %p, %size, %no) : (!llvm.ptr, !llvm.ptr, i64, i1) -> ()
  llvm.return %5 : f32
}

// -----

// CHECK: declare i32 @outside(ptr, i64) #0
// CHECK: define internal fastcc void @helper(i32 %v0) #0 alwaysinline "key"="value" {
// CHECK-LABEL: define i32 @calls(ptr align 16 noalias captures(none) readonly %v0, ptr %v1) #0 {
// CHECK: call i32 @outside(ptr @calls, i64 3)
// CHECK-NEXT: call fastcc void @helper(i32 %{{v[0-9]+}})
// CHECK-NEXT: call i32 %v1(ptr %v0)
llvm.func @outside(!llvm.ptr, i64) -> i32
llvm.func internal fastcc @helper(%x: i32) attributes {passthrough = ["alwaysinline", ["key", "value"]]} {
  llvm.return
}
llvm.func @calls(%p: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 16 : i64, llvm.nocapture}, %f: !llvm.ptr) -> i32 {
  %self = llvm.mlir.addressof @calls : !llvm.ptr
  %three = llvm.mlir.constant(3 : i64) : i64
  %0 = llvm.call @outside(%self, %three) : (!llvm.ptr, i64) -> i32
  llvm.call fastcc @helper(%0) : (i32) -> ()
  %1 = llvm.call %f(%p) : !llvm.ptr, (!llvm.ptr) -> i32
  llvm.return %1 : i32
}

// -----

// CHECK: @bytes = internal constant [3 x i8] c"\61\00\40"
// CHECK: @table = private constant [2 x [2 x float]] {{\[\[}}2 x float] [float 0x3FF0000000000000, float 0x7FF8000000000000], [2 x float] [float 0x0000000000000000, float 0x8000000000000000]], align 64
// CHECK: @counter = global i64 7
// CHECK: @empty = internal global ptr null
// CHECK: @outside = external global i32
// CHECK: @pointer = constant ptr @counter
llvm.mlir.global internal constant @bytes("a\00@") : !llvm.array<3 x i8>
llvm.mlir.global private constant @table(dense<[[1.0, 0x7FC00000], [0.0, -0.0]]> : tensor<2x2xf32>) {alignment = 64 : i64} : !llvm.array<2 x array<2 x f32>>
llvm.mlir.global external @counter(7 : i64) : i64
llvm.mlir.global internal @empty() : !llvm.ptr {
  %0 = llvm.mlir.zero : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.mlir.global external @outside() : i32
llvm.mlir.global external constant @pointer() : !llvm.ptr {
  %0 = llvm.mlir.addressof @counter : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}

// -----

// CHECK-LABEL: define void @fences(
// CHECK: store float %{{.*}}, ptr %{{.*}}, align 4, !nontemporal !0
// CHECK-NEXT: fence seq_cst
llvm.func @fences(%x: f32, %p: !llvm.ptr) {
  llvm.store %x, %p {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr
  llvm.fence seq_cst
  llvm.return
}
