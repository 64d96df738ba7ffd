// RUN: %opt -p expand-math --split-input-file --verify-diagnostics %s | %check
// RUN: %opt -p expand-math{fma=false} --split-input-file --verify-diagnostics %s | %check --check-prefix=PLAIN

// The reduction, the polynomial, and 2^n in two factors, so that denormal results round once.
// CHECK-LABEL: func.func @expands_exp
// CHECK-SAME: [[X:%[a-z0-9]+]]: vector<16xf32>
// CHECK: [[LOW:%[a-z0-9]+]] = arith.constant dense<-1.040000e+02> : vector<16xf32>
// CHECK: [[ABOVE:%[a-z0-9]+]] = arith.cmpf ult, [[LOW]], [[X]] : vector<16xf32>
// CHECK: arith.select [[ABOVE]], [[X]], [[LOW]] : vector<16xi1>, vector<16xf32>
// CHECK: [[SUM:%[a-z0-9]+]] = math.fma
// CHECK: arith.bitcast [[SUM]] : vector<16xf32> to vector<16xi32>
// CHECK: [[FIRST:%[a-z0-9]+]] = arith.mulf
// CHECK: [[Y:%[a-z0-9]+]] = arith.mulf [[FIRST]]
// CHECK-NEXT: func.return [[Y]] : vector<16xf32>
// PLAIN-LABEL: func.func @expands_exp
// PLAIN-NOT: math.
// PLAIN: func.return
func.func @expands_exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  func.return %y : vector<16xf32>
}

// -----

// Zero, negative numbers, infinity and NaN are put right at the end.
// CHECK-LABEL: func.func @expands_log
// CHECK-NOT: math.log
// CHECK: arith.shrsi
// CHECK: arith.sitofp
// CHECK: arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK: arith.select
// PLAIN-LABEL: func.func @expands_log
// PLAIN-NOT: math.
// PLAIN: func.return
func.func @expands_log(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// Large arguments take the exact reduction, in a branch that is rarely taken.
// CHECK-LABEL: func.func @expands_sin
// CHECK-SAME: [[X:%[a-z0-9]+]]: vector<8xf32>
// CHECK: [[SIZE:%[a-z0-9]+]] = math.absf [[X]]
// CHECK: [[LARGE:%[a-z0-9]+]] = arith.cmpf ogt, [[SIZE]]
// CHECK: [[ANY:%[a-z0-9]+]] = vector.reduction <or>, [[LARGE]] : vector<8xi1> into i1
// CHECK: scf.if [[ANY]] -> (vector<8xf32>, vector<8xi32>)
// CHECK: arith.muli {{.*}} : vector<8xi64>
// CHECK-NOT: math.sin
func.func @expands_sin(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sin %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// A scalar is its own "any lane".
// CHECK-LABEL: func.func @expands_scalar_cos
// CHECK-NOT: vector
// CHECK: [[LARGE:%[a-z0-9]+]] = arith.cmpf ogt
// CHECK: scf.if [[LARGE]] -> (f32, i32)
// CHECK-NOT: math.cos
// CHECK: func.return
func.func @expands_scalar_cos(%x: f32) -> f32 {
  %y = math.cos %x : f32
  func.return %y : f32
}

// -----

// CHECK-LABEL: func.func @expands_tan
// CHECK-NOT: math.tan
// CHECK: arith.divf {{.*}} : vector<8xf64>
// CHECK: arith.truncf
// CHECK: func.return
func.func @expands_tan(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.tan %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// Beyond 2^30 the op stays, marked: LLVM calls libm for each lane.
// CHECK-LABEL: func.func @leaves_large_f64_to_libm
// CHECK: scf.if
// CHECK-NEXT: math.sin {{.*}} {lamina.libm} : vector<4xf64>
// CHECK-NEXT: arith.select
func.func @leaves_large_f64_to_libm(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.sin %x : vector<4xf64>
  func.return %y : vector<4xf64>
}

// -----

// CHECK-LABEL: func.func @keeps_marked_op
// CHECK-NEXT: math.sin
// CHECK-NEXT: func.return
func.func @keeps_marked_op(%x: f64) -> f64 {
  %y = math.sin %x {lamina.libm} : f64
  func.return %y : f64
}

// -----

// CHECK-LABEL: func.func @expands_tanh
// CHECK-SAME: [[X:%[a-z0-9]+]]: f64
// CHECK-NOT: math.tanh
// CHECK: [[Y:%[a-z0-9]+]] = math.copysign {{.*}}, [[X]] : f64
// CHECK-NEXT: func.return [[Y]]
func.func @expands_tanh(%x: f64) -> f64 {
  %y = math.tanh %x : f64
  func.return %y : f64
}

// -----

// CHECK-LABEL: func.func @expands_erf
// CHECK-NOT: math.erf
// CHECK: [[SMALL:%[a-z0-9]+]] = arith.cmpf olt
// CHECK-NEXT: arith.select [[SMALL]]
// CHECK-NEXT: math.copysign
// CHECK-NEXT: func.return
func.func @expands_erf(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.erf %x : vector<16xf32>
  func.return %y : vector<16xf32>
}

// -----

// CHECK-LABEL: func.func @expands_acos
// CHECK-NOT: math.acos
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_acos
// PLAIN-NOT: math.{{fma|acos}}
// PLAIN: func.return
func.func @expands_acos(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.acos %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_acosh
// CHECK-NOT: math.acosh
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_acosh
// PLAIN-NOT: math.{{fma|acosh}}
// PLAIN: func.return
func.func @expands_acosh(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.acosh %x : vector<4xf64>
  func.return %y : vector<4xf64>
}

// -----

// CHECK-LABEL: func.func @expands_asin
// CHECK-NOT: math.asin
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_asin
// PLAIN-NOT: math.{{fma|asin}}
// PLAIN: func.return
func.func @expands_asin(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.asin %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_asinh
// CHECK-NOT: math.asinh
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_asinh
// PLAIN-NOT: math.{{fma|asinh}}
// PLAIN: func.return
func.func @expands_asinh(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.asinh %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_atan
// CHECK-NOT: math.atan
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_atan
// PLAIN-NOT: math.{{fma|atan}}
// PLAIN: func.return
func.func @expands_atan(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.atan %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_atanh
// CHECK-NOT: math.atanh
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_atanh
// PLAIN-NOT: math.{{fma|atanh}}
// PLAIN: func.return
func.func @expands_atanh(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.atanh %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_cosh
// CHECK-NOT: math.cosh
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_cosh
// PLAIN-NOT: math.{{fma|cosh}}
// PLAIN: func.return
func.func @expands_cosh(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.cosh %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_erfc
// CHECK-NOT: math.erfc
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_erfc
// PLAIN-NOT: math.{{fma|erfc}}
// PLAIN: func.return
func.func @expands_erfc(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.erfc %x : vector<4xf64>
  func.return %y : vector<4xf64>
}

// -----

// CHECK-LABEL: func.func @expands_exp2
// CHECK-NOT: math.exp2
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_exp2
// PLAIN-NOT: math.{{fma|exp2}}
// PLAIN: func.return
func.func @expands_exp2(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp2 %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_expm1
// CHECK-NOT: math.expm1
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_expm1
// PLAIN-NOT: math.{{fma|expm1}}
// PLAIN: func.return
func.func @expands_expm1(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.expm1 %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_log10
// CHECK-NOT: math.log10
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_log10
// PLAIN-NOT: math.{{fma|log10}}
// PLAIN: func.return
func.func @expands_log10(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log10 %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_log1p
// CHECK-NOT: math.log1p
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_log1p
// PLAIN-NOT: math.{{fma|log1p}}
// PLAIN: func.return
func.func @expands_log1p(%x: vector<4xf64>) -> vector<4xf64> {
  %y = math.log1p %x : vector<4xf64>
  func.return %y : vector<4xf64>
}

// -----

// CHECK-LABEL: func.func @expands_log2
// CHECK-NOT: math.log2
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_log2
// PLAIN-NOT: math.{{fma|log2}}
// PLAIN: func.return
func.func @expands_log2(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.log2 %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_rsqrt
// CHECK-NOT: math.rsqrt
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_rsqrt
// PLAIN-NOT: math.{{fma|rsqrt}}
// PLAIN: func.return
func.func @expands_rsqrt(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.rsqrt %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_sinh
// CHECK-NOT: math.sinh
// CHECK: func.return
// PLAIN-LABEL: func.func @expands_sinh
// PLAIN-NOT: math.{{fma|sinh}}
// PLAIN: func.return
func.func @expands_sinh(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sinh %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @expands_atan2
// CHECK-NOT: math.atan2
// CHECK: func.return
func.func @expands_atan2(%x: f32, %y: f32) -> f32 {
  %z = math.atan2 %x, %y : f32
  func.return %z : f32
}

// -----

// CHECK-LABEL: func.func @expands_powf
// CHECK-NOT: math.powf
// CHECK: func.return
func.func @expands_powf(%x: f32, %y: f32) -> f32 {
  %z = math.powf %x, %y : f32
  func.return %z : f32
}

// -----

// One block makes each constant once; a nested block makes its own.
// CHECK-LABEL: func.func @shares_constants
// CHECK: arith.constant 1.44269502 : f32
// CHECK-NOT: arith.constant 1.44269502 : f32
// CHECK: scf.if
// CHECK: arith.constant 1.44269502 : f32
// CHECK-NOT: math.exp
func.func @shares_constants(%x: f32, %p: i1) -> f32 {
  %a = math.exp %x : f32
  %b = math.exp %a : f32
  %c = scf.if %p -> (f32) {
    %d = math.exp %b : f32
    scf.yield %d : f32
  } else {
    scf.yield %b : f32
  }
  func.return %c : f32
}

// -----

// A vector of one lane is a vector.
// CHECK-LABEL: func.func @one_lane
// CHECK: math.fma {{.*}} : vector<1xf32>
// CHECK-NOT: math.exp
func.func @one_lane(%x: vector<1xf32>) -> vector<1xf32> {
  %y = math.exp %x : vector<1xf32>
  func.return %y : vector<1xf32>
}

// -----

// What the processor has, integers and comparisons are nobody's business here.
// CHECK-LABEL: func.func @keeps_other_ops
// CHECK-NEXT: math.sqrt
// CHECK-NEXT: math.absi
// CHECK-NEXT: math.floor
// CHECK-NEXT: func.return
func.func @keeps_other_ops(%x: vector<4xf32>, %i: i32, %h: f16) {
  %a = math.sqrt %x : vector<4xf32>
  %b = math.absi %i : i32
  %c = math.floor %h : f16
  func.return
}

// -----

func.func @refuses_f16(%x: f16) -> f16 {
  // expected-error {{math.exp: expected elements of type f32 or f64, found f16}}
  %y = math.exp %x : f16
  func.return %y : f16
}

// -----

func.func @refuses_bf16(%x: vector<8xbf16>) -> vector<8xbf16> {
  // expected-error {{math.exp: expected elements of type f32 or f64, found vector<8xbf16>}}
  %y = math.exp %x : vector<8xbf16>
  func.return %y : vector<8xbf16>
}

// -----

func.func @refuses_rank_2(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  // expected-error {{math.exp: expected a scalar or a 1-d vector of fixed length, found vector<2x4xf32>}}
  %y = math.exp %x : vector<2x4xf32>
  func.return %y : vector<2x4xf32>
}

// -----

func.func @refuses_scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error {{math.exp: expected a scalar or a 1-d vector of fixed length, found vector<[4]xf32>}}
  %y = math.exp %x : vector<[4]xf32>
  func.return %y : vector<[4]xf32>
}
