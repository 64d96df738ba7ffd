// RUN: %opt -p expand-float-casts --split-input-file %s | %check
// RUN: %opt -p expand-float-casts{f16c=false} --split-input-file %s | %check --check-prefix=SOFT

// bf16 is the upper half of f32, rounded to nearest even; a NaN must not round to infinity.
// CHECK-LABEL: func.func @narrows_to_bf16
// CHECK-SAME: [[X:%[a-z0-9]+]]: f32
// CHECK: [[BITS:%[a-z0-9]+]] = arith.bitcast [[X]] : f32 to i32
// CHECK-DAG: arith.constant 32767 : i32
// CHECK: [[NAN:%[a-z0-9]+]] = arith.cmpf uno, [[X]], [[X]] : f32
// CHECK: [[R:%[a-z0-9]+]] = arith.select [[NAN]]
// CHECK: [[N:%[a-z0-9]+]] = arith.trunci [[R]] : i32 to i16
// CHECK: [[H:%[a-z0-9]+]] = arith.bitcast [[N]] : i16 to bf16
// CHECK: func.return [[H]]
func.func @narrows_to_bf16(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  func.return %y : bf16
}

// -----

// CHECK-LABEL: func.func @widens_bf16
// CHECK-SAME: [[X:%[a-z0-9]+]]: vector<8xbf16>
// CHECK: [[BITS:%[a-z0-9]+]] = arith.bitcast [[X]] : vector<8xbf16> to vector<8xi16>
// CHECK: [[WIDE:%[a-z0-9]+]] = arith.extui [[BITS]] : vector<8xi16> to vector<8xi32>
// CHECK: [[C:%[a-z0-9]+]] = arith.constant dense<16> : vector<8xi32>
// CHECK: [[UP:%[a-z0-9]+]] = arith.shli [[WIDE]], [[C]]
// CHECK: [[Y:%[a-z0-9]+]] = arith.bitcast [[UP]] : vector<8xi32> to vector<8xf32>
// CHECK: func.return [[Y]]
func.func @widens_bf16(%x: vector<8xbf16>) -> vector<8xf32> {
  %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// With F16C these are instructions, without it they are written out.
// CHECK-LABEL: func.func @f16_has_instructions
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: func.return
// SOFT-LABEL: func.func @f16_has_instructions
// SOFT-NOT: arith.truncf
// SOFT-NOT: arith.extf
// SOFT: arith.bitcast %{{.*}} : i16 to f16
// SOFT: arith.bitcast %{{.*}} : f16 to i16
// SOFT: func.return
func.func @f16_has_instructions(%x: f32) -> f32 {
  %y = arith.truncf %x : f32 to f16
  %z = arith.extf %y : f16 to f32
  func.return %z : f32
}

// -----

// From f64 the step by f32 is rounded to odd, so that only the last step rounds to nearest.
// CHECK-LABEL: func.func @f64_rounds_once
// CHECK-SAME: [[X:%[a-z0-9]+]]: f64
// CHECK: [[R:%[a-z0-9]+]] = arith.truncf [[X]] : f64 to f32
// CHECK: [[BACK:%[a-z0-9]+]] = arith.extf [[R]] : f32 to f64
// CHECK: arith.cmpf one, [[BACK]], [[X]] : f64
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: f64 to f16
func.func @f64_rounds_once(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  func.return %y : f16
}

// -----

// CHECK-LABEL: func.func @f16_to_f64_in_two_steps
// CHECK: [[W:%[a-z0-9]+]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.extf [[W]] : f32 to f64
func.func @f16_to_f64_in_two_steps(%x: f16) -> f64 {
  %y = arith.extf %x : f16 to f64
  func.return %y : f64
}

// -----

// Small integers fit f32; larger ones go by way of f64, and i64 keeps what f64 would lose.
// CHECK-LABEL: func.func @integers
// CHECK: arith.sitofp %{{.*}} : i16 to f32
// CHECK: arith.uitofp %{{.*}} : i32 to f64
// CHECK: arith.constant 4095 : i64
// CHECK: arith.sitofp %{{.*}} : i64 to f64
// CHECK: arith.fptosi %{{.*}} : f32 to i8
// CHECK-NOT: {{fp.*bf16}}
func.func @integers(%a: i16, %b: i32, %c: i64, %d: bf16) -> (bf16, bf16, bf16, i8) {
  %x = arith.sitofp %a : i16 to bf16
  %y = arith.uitofp %b : i32 to bf16
  %z = arith.sitofp %c : i64 to bf16
  %w = arith.fptosi %d : bf16 to i8
  func.return %x, %y, %z, %w : bf16, bf16, bf16, i8
}

// -----

// Other casts are the machine's own business.
// CHECK-LABEL: func.func @leaves_others_alone
// CHECK-NEXT: arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT: arith.sitofp %{{.*}} : i32 to f32
// CHECK-NEXT: arith.bitcast %{{.*}} : bf16 to i16
// CHECK-NEXT: func.return
func.func @leaves_others_alone(%a: f64, %b: i32, %c: bf16) -> (f32, f32, i16) {
  %x = arith.truncf %a : f64 to f32
  %y = arith.sitofp %b : i32 to f32
  %z = arith.bitcast %c : bf16 to i16
  func.return %x, %y, %z : f32, f32, i16
}
