// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @kind(%x: tensor<4xf32>) {
  // expected-error {{nd.scan: expected a kind of sum, prod, max, min, found mean}}
  %0 = nd.scan "mean" %x axis 0 direction "forward" : tensor<4xf32>
  return
}

// -----

func.func @direction(%x: tensor<4xf32>) {
  // expected-error {{nd.scan: expected a direction of forward, reverse, found up}}
  %0 = nd.scan "sum" %x axis 0 direction "up" : tensor<4xf32>
  return
}

// -----

// a running count is a sum of i64: cast first
func.func @bool(%x: tensor<4xi1>) {
  // expected-error {{nd.scan: expected an element type that sum takes, found i1}}
  %0 = nd.scan "sum" %x axis 0 direction "forward" : tensor<4xi1>
  return
}

// -----

func.func @axis(%x: tensor<4xf32>) {
  // expected-error {{nd.scan: expected an axis from 0 to 0, found 1}}
  %0 = nd.scan "sum" %x axis 1 direction "forward" : tensor<4xf32>
  return
}

// -----

func.func @complex_product(%x: tensor<4xcomplex<f32>>) {
  // expected-error {{nd.scan: expected an element type that prod takes, found complex<f32>}}
  %0 = nd.scan "prod" %x axis 0 direction "forward" : tensor<4xcomplex<f32>>
  return
}
