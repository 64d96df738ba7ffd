// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

// CHECK-LABEL: func.func @barrier(
// CHECK: nd.optimization_barrier %x : tensor<f32>
// CHECK: nd.optimization_barrier %y : tensor<0x?xi1>
func.func @barrier(%x: tensor<f32>, %y: tensor<0x?xi1>) -> (tensor<f32>, tensor<0x?xi1>) {
  %a = nd.optimization_barrier %x : tensor<f32>
  %b = nd.optimization_barrier %y : tensor<0x?xi1>
  func.return %a, %b : tensor<f32>, tensor<0x?xi1>
}

// -----

// CHECK-LABEL: func.func @custom(
// CHECK: nd.custom_vjp %x, %y for %w {a} : tensor<?xf32>, tensor<f16> -> tensor<?xf32>, tensor<f16> for tensor<2xf64> backward {
// CHECK-NEXT: ^{{.*}}(%{{.*}}: tensor<?xf32>, %{{.*}}: tensor<f16>):
// CHECK: nd.yield %w : tensor<2xf64>
// CHECK: nd.custom_vjp %x : tensor<?xf32> -> tensor<?xf32> backward {
// CHECK: nd.yield
func.func @custom(%x: tensor<?xf32>, %y: tensor<f16>, %w: tensor<2xf64>) {
  %a, %b = nd.custom_vjp %x, %y for %w {a} : tensor<?xf32>, tensor<f16> -> tensor<?xf32>, tensor<f16> for tensor<2xf64> backward {
  ^back(%g: tensor<?xf32>, %h: tensor<f16>):
    nd.yield %w : tensor<2xf64>
  }
  %c = nd.custom_vjp %x : tensor<?xf32> -> tensor<?xf32> backward {
  ^back(%g: tensor<?xf32>):
    nd.yield
  }
  func.return
}
