// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

func.func @tests_give_booleans(%x: f32, %v: vector<4xf64>) {
  %0 = math.isnan %x : f32
  %1 = math.isinf %v : vector<4xf64>
  %2 = math.isfinite %v fastmath<nnan> : vector<4xf64>
  %3 = math.isnormal %x : f32
  %4 = arith.andi %0, %3 : i1
  %5 = arith.andi %1, %2 : vector<4xi1>
  return
}
// CHECK-LABEL: @tests_give_booleans
// CHECK-NEXT: math.isnan %{{.*}} : f32
// CHECK-NEXT: math.isinf %{{.*}} : vector<4xf64>
// CHECK-NEXT: math.isfinite %{{.*}} fastmath<nnan> : vector<4xf64>
// CHECK-NEXT: math.isnormal %{{.*}} : f32
// CHECK-NEXT: arith.andi %{{.*}}, %{{.*}} : i1
// CHECK-NEXT: arith.andi %{{.*}}, %{{.*}} : vector<4xi1>

// -----

func.func @missing_in_xdsl(%x: f32, %v: vector<4xf32>) {
  %0 = math.clampf %x to [%x, %x] fastmath<nsz> : f32
  %1 = math.erfc %v : vector<4xf32>
  %2, %3 = math.sincos %v : vector<4xf32>
  return
}
// CHECK-LABEL: @missing_in_xdsl
// CHECK-NEXT: math.clampf %{{.*}} to[%{{.*}}, %{{.*}}] fastmath<nsz> : f32
// CHECK-NEXT: math.erfc %{{.*}} : vector<4xf32>
// CHECK-NEXT: %{{.*}}, %{{.*}} = math.sincos %{{.*}} : vector<4xf32>

// -----

func.func @flags(%x: f32, %i: i32) {
  %0 = math.fma %x, %x, %x fastmath<contract> : f32
  %1 = math.fpowi %x, %i fastmath<afn> : f32, i32
  %2 = math.exp %x fastmath<fast> : f32
  return
}
// CHECK-LABEL: @flags
// CHECK-NEXT: math.fma %{{.*}}, %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK-NEXT: math.fpowi %{{.*}}, %{{.*}} fastmath<afn> : f32, i32
// CHECK-NEXT: math.exp %{{.*}} fastmath<fast> : f32
