// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @results(%x: tensor<f32>) {
  // expected-error@+1 {{nd.custom_vjp: expected results of types tensor<f32>, found tensor<f64>}}
  %a = nd.custom_vjp %x : tensor<f32> -> tensor<f64> backward {
  ^back(%g: tensor<f32>):
    nd.yield
  }
  func.return
}

// -----

func.func @arguments(%x: tensor<f32>) {
  // expected-error@+1 {{nd.custom_vjp: expected block arguments of types tensor<f32>, found none}}
  %a = nd.custom_vjp %x : tensor<f32> -> tensor<f32> backward {
    nd.yield
  }
  func.return
}

// -----

func.func @cotangents(%x: tensor<f32>) {
  // expected-error@+1 {{nd.custom_vjp: expected cotangents of types tensor<f32>, found none}}
  %a = nd.custom_vjp %x for %x : tensor<f32> -> tensor<f32> for tensor<f32> backward {
  ^back(%g: tensor<f32>):
    nd.yield
  }
  func.return
}

// -----

func.func @end(%x: tensor<f32>) {
  // expected-error@+1 {{nd.custom_vjp: expected a block that ends in nd.yield}}
  %a = nd.custom_vjp %x : tensor<f32> -> tensor<f32> backward {
  ^back(%g: tensor<f32>):
    %b = nd.exp %g : tensor<f32>
  }
  func.return
}
