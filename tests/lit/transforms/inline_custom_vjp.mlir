// RUN: %opt -p inline-custom-vjp --split-input-file %s | %check
// RUN: %opt -p 'inline-custom-vjp,cse' --split-input-file %s | %check --check-prefix=CSE

// Values are left, in loops too; what a barrier is for stays: equal ops behind it are not merged.
// CHECK-LABEL: func.func @f(
// CHECK-NEXT: [[A:%[a-z0-9_]+]] = nd.sin %x : tensor<?xf32>
// CHECK-NEXT: scf.for
// CHECK-NEXT: [[B:%[a-z0-9_]+]] = nd.multiply %c, %c : tensor<f32>
// CHECK-NEXT: scf.yield [[B]] : tensor<f32>
// CHECK: [[D:%[a-z0-9_]+]] = nd.optimization_barrier %x
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = nd.sin [[D]] : tensor<?xf32>
// CHECK-NEXT: func.return [[A]], {{.*}}, [[E]]
// CSE-LABEL: func.func @f(
// CSE: nd.sin %x
// CSE: [[D:%[a-z0-9_]+]] = nd.optimization_barrier %x
// CSE-NEXT: nd.sin [[D]]
func.func @f(%x: tensor<?xf32>, %y: tensor<f32>, %n: index, %s: index)
    -> (tensor<?xf32>, tensor<f32>, tensor<?xf32>) {
  %a = nd.sin %x : tensor<?xf32>
  %b = nd.custom_vjp %a for %x : tensor<?xf32> -> tensor<?xf32> for tensor<?xf32> backward {
  ^back(%g: tensor<?xf32>):
    nd.yield %g : tensor<?xf32>
  }
  %r = scf.for %i = %s to %n step %s iter_args(%c = %y) -> (tensor<f32>) {
    %d = nd.custom_vjp %c for %c : tensor<f32> -> tensor<f32> for tensor<f32> backward {
    ^back(%g: tensor<f32>):
      nd.yield %g : tensor<f32>
    }
    %e = nd.multiply %d, %d : tensor<f32>
    scf.yield %e : tensor<f32>
  }
  %p = nd.optimization_barrier %x : tensor<?xf32>
  %q = nd.sin %p : tensor<?xf32>
  func.return %b, %r, %q : tensor<?xf32>, tensor<f32>, tensor<?xf32>
}

// -----

// Sizes 0 and 1: nothing to do.
// CHECK-LABEL: func.func @none(
// CHECK: func.return %x, %y
func.func @none(%x: tensor<0xf32>, %y: tensor<1xf32>) -> (tensor<0xf32>, tensor<1xf32>) {
  func.return %x, %y : tensor<0xf32>, tensor<1xf32>
}
