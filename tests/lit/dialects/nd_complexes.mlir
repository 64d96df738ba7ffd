// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

func.func @parts(%z: tensor<4x?xcomplex<f32>>) -> tensor<4x?xcomplex<f32>> {
  %0 = nd.real %z : tensor<4x?xcomplex<f32>> -> tensor<4x?xf32>
  %1 = nd.imag %z : tensor<4x?xcomplex<f32>> -> tensor<4x?xf32>
  %2 = nd.complex %1, %0 : tensor<4x?xf32> -> tensor<4x?xcomplex<f32>>
  func.return %2 : tensor<4x?xcomplex<f32>>
}
// CHECK-LABEL: @parts
// CHECK-SAME: %[[Z:\w+]]: tensor<4x?xcomplex<f32>>
// CHECK: %[[RE:\w+]] = nd.real %[[Z]] : tensor<4x?xcomplex<f32>> -> tensor<4x?xf32>
// CHECK: %[[IM:\w+]] = nd.imag %[[Z]] : tensor<4x?xcomplex<f32>> -> tensor<4x?xf32>
// CHECK: nd.complex %[[IM]], %[[RE]] : tensor<4x?xf32> -> tensor<4x?xcomplex<f32>>

// -----

// ops that take complex tensors as they take real ones
func.func @as_real_ones(%z: tensor<2xcomplex<f64>>, %p: tensor<2xi1>) {
  %0 = nd.add %z, %z : tensor<2xcomplex<f64>>
  %1 = nd.negative %0 : tensor<2xcomplex<f64>>
  %2 = nd.equal %0, %1 : tensor<2xcomplex<f64>> -> tensor<2xi1>
  %3 = nd.select %p, %0, %1 : tensor<2xi1>, tensor<2xcomplex<f64>>
  %4 = nd.reduce "sum" %3 axes [0] : tensor<2xcomplex<f64>> -> tensor<complex<f64>>
  %5 = nd.cast %4 : tensor<complex<f64>> -> tensor<complex<f32>>
  %6 = nd.cast %5 : tensor<complex<f32>> -> tensor<i1>
  %7 = nd.reshape %5 : tensor<complex<f32>> -> tensor<1x1xcomplex<f32>>
  return
}
// CHECK-LABEL: @as_real_ones
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<2xcomplex<f64>>
// CHECK: nd.negative %{{.*}} : tensor<2xcomplex<f64>>
// CHECK: nd.equal %{{.*}}, %{{.*}} : tensor<2xcomplex<f64>> -> tensor<2xi1>
// CHECK: nd.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2xi1>, tensor<2xcomplex<f64>>
// CHECK: nd.reduce "sum" %{{.*}} axes [0] : tensor<2xcomplex<f64>> -> tensor<complex<f64>>
// CHECK: nd.cast %{{.*}} : tensor<complex<f64>> -> tensor<complex<f32>>
// CHECK: nd.cast %{{.*}} : tensor<complex<f32>> -> tensor<i1>
// CHECK: nd.reshape %{{.*}} : tensor<complex<f32>> -> tensor<1x1xcomplex<f32>>
