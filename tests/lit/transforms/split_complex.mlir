// RUN: %opt -p split-complex --split-input-file --verify-diagnostics %s | %check
// RUN: %opt -p split-complex,split-complex --split-input-file --verify-diagnostics %s | %check

// A function takes and gives its complex tensors as real ones with a last axis of 2; it notes its
// own types. An op on parts is made twice.
// CHECK-LABEL: func.func @addition(
// CHECK-SAME: %[[X:\w+]]: tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-SAME: lamina.arguments = [tensor<4xcomplex<f32>>], lamina.results = [tensor<4xcomplex<f32>>]
// CHECK: %[[S0:\w+]] = nd.slice %[[X]] starts [0, 0] limits [-1, 1] strides [1, 1] : tensor<4x2xf32> -> tensor<4x1xf32>
// CHECK: %[[RE:\w+]] = nd.reshape %[[S0]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK: %[[S1:\w+]] = nd.slice %[[X]] starts [0, 1] limits [-1, 2] strides [1, 1] : tensor<4x2xf32> -> tensor<4x1xf32>
// CHECK: %[[IM:\w+]] = nd.reshape %[[S1]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK: %[[A:\w+]] = nd.add %[[RE]], %[[RE]] : tensor<4xf32>
// CHECK: %[[B:\w+]] = nd.add %[[IM]], %[[IM]] : tensor<4xf32>
// CHECK: %[[C0:\w+]] = nd.reshape %[[A]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK: %[[C1:\w+]] = nd.reshape %[[B]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK: %[[R:\w+]] = nd.concat %[[C0]], %[[C1]] axis 1 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
// CHECK: func.return %[[R]]
func.func @addition(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = nd.add %x, %x : tensor<4xcomplex<f32>>
  func.return %0 : tensor<4xcomplex<f32>>
}

// -----

// Parts of what was put together are what they were.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[X:\w+]]: tensor<f64>, %[[Y:\w+]]: tensor<f64>)
// CHECK-NEXT: func.return %[[Y]], %[[X]]
func.func @parts(%x: tensor<f64>, %y: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %z = nd.complex %x, %y : tensor<f64> -> tensor<complex<f64>>
  %re = nd.real %z : tensor<complex<f64>> -> tensor<f64>
  %im = nd.imag %z : tensor<complex<f64>> -> tensor<f64>
  func.return %im, %re : tensor<f64>, tensor<f64>
}

// -----

// Equal where both parts are, different where one is.
// CHECK-LABEL: func.func @comparisons(
// CHECK: %[[E0:\w+]] = nd.equal
// CHECK: %[[E1:\w+]] = nd.equal
// CHECK: nd.bitwise_and %[[E0]], %[[E1]] : tensor<2xi1>
// CHECK: %[[N0:\w+]] = nd.not_equal
// CHECK: %[[N1:\w+]] = nd.not_equal
// CHECK: nd.bitwise_or %[[N0]], %[[N1]] : tensor<2xi1>
func.func @comparisons(%z: tensor<2xcomplex<f32>>) -> (tensor<2xi1>, tensor<2xi1>) {
  %0 = nd.equal %z, %z : tensor<2xcomplex<f32>> -> tensor<2xi1>
  %1 = nd.not_equal %z, %z : tensor<2xcomplex<f32>> -> tensor<2xi1>
  func.return %0, %1 : tensor<2xi1>, tensor<2xi1>
}

// -----

// Real numbers get an imaginary part of 0; a complex number is true unless both parts are 0.
// CHECK-LABEL: func.func @casts(
// CHECK-SAME: %[[N:\w+]]: tensor<?xi32>)
// CHECK: %[[ZERO:\w+]] = nd.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[SIZE:\w+]] = nd.dim %[[N]] axis 0
// CHECK: %[[IM:\w+]] = nd.broadcast %[[ZERO]][%[[SIZE]]] dims [] : tensor<f32> -> tensor<?xf32>
// CHECK: %[[RE:\w+]] = nd.cast %[[N]] : tensor<?xi32> -> tensor<?xf32>
// CHECK: %[[WIDE:\w+]] = nd.cast %[[RE]] : tensor<?xf32> -> tensor<?xf64>
// CHECK: %[[WIDE1:\w+]] = nd.cast %[[IM]] : tensor<?xf32> -> tensor<?xf64>
// CHECK: %[[B0:\w+]] = nd.cast %[[WIDE]] : tensor<?xf64> -> tensor<?xi1>
// CHECK: %[[B1:\w+]] = nd.cast %[[WIDE1]] : tensor<?xf64> -> tensor<?xi1>
// CHECK: nd.bitwise_or %[[B0]], %[[B1]] : tensor<?xi1>
func.func @casts(%n: tensor<?xi32>) -> tensor<?xi1> {
  %z = nd.cast %n : tensor<?xi32> -> tensor<?xcomplex<f32>>
  %w = nd.cast %z : tensor<?xcomplex<f32>> -> tensor<?xcomplex<f64>>
  %b = nd.cast %w : tensor<?xcomplex<f64>> -> tensor<?xi1>
  func.return %b : tensor<?xi1>
}

// -----

// Operands that are not complex are shared; a size is that of a part; what is padded with has parts.
// CHECK-LABEL: func.func @movement(
// CHECK: nd.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi1>, tensor<?xf32>
// CHECK: nd.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi1>, tensor<?xf32>
// CHECK: nd.dim %{{.*}} axis 0 : tensor<?xf32>
// CHECK: nd.pad {{.*}} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
// CHECK: nd.pad {{.*}} : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
func.func @movement(%p: tensor<?xi1>, %z: tensor<?xcomplex<f32>>, %v: tensor<complex<f32>>) -> (tensor<?xcomplex<f32>>, tensor<i64>) {
  %s = nd.select %p, %z, %z : tensor<?xi1>, tensor<?xcomplex<f32>>
  %n = nd.dim %s axis 0 : tensor<?xcomplex<f32>>
  %i = nd.from_index %n : tensor<i64>
  %d = nd.pad %s, %v low [1] high [0] : tensor<?xcomplex<f32>>, tensor<complex<f32>> -> tensor<?xcomplex<f32>>
  func.return %d, %i : tensor<?xcomplex<f32>>, tensor<i64>
}

// -----

// Loops and branches carry two tensors for each complex one.
// CHECK-LABEL: func.func @control(
// CHECK: scf.for {{.*}} iter_args(%[[RE:\w+]] = %{{.*}}, %[[IM:\w+]] = %{{.*}}) -> (tensor<0xf32>, tensor<0xf32>)
// CHECK: scf.if %{{.*}} -> (tensor<0xf32>, tensor<0xf32>)
// CHECK: scf.yield %[[RE]], %[[IM]] : tensor<0xf32>, tensor<0xf32>
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<0xf32>, tensor<0xf32>
func.func @control(%z: tensor<0xcomplex<f32>>, %n: index) -> tensor<0xcomplex<f32>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %z) -> (tensor<0xcomplex<f32>>) {
    %even = arith.cmpi eq, %i, %c0 : index
    %t = scf.if %even -> (tensor<0xcomplex<f32>>) {
      scf.yield %c : tensor<0xcomplex<f32>>
    } else {
      %m = nd.negative %z : tensor<0xcomplex<f32>>
      scf.yield %m : tensor<0xcomplex<f32>>
    }
    scf.yield %t : tensor<0xcomplex<f32>>
  }
  func.return %r : tensor<0xcomplex<f32>>
}

// -----

// Real programs stay as they are.
// CHECK-LABEL: func.func @real(
// CHECK-SAME: %[[X:\w+]]: tensor<3xf32>) -> tensor<3xf32> {
// CHECK-NEXT: %[[Y:\w+]] = nd.exp %[[X]] : tensor<3xf32>
// CHECK-NEXT: func.return %[[Y]]
func.func @real(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nd.exp %x : tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// -----

// The reason: expected an op that takes complex tensors.
func.func private @other(tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
func.func @call(%x: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  // expected-error@+1 {{split-complex: expected an op that takes complex tensors, found func.call}}
  %0 = func.call @other(%x) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  func.return %0 : tensor<3xcomplex<f32>>
}

// -----

// A running sum is one of each part.
// CHECK-LABEL: func.func @running_sum(
// CHECK-COUNT-2: nd.scan "sum" %{{.*}} axis 1 direction "reverse" : tensor<2x?xf64>
func.func @running_sum(%z: tensor<2x?xcomplex<f64>>) -> tensor<2x?xcomplex<f64>> {
  %0 = nd.scan "sum" %z axis 1 direction "reverse" : tensor<2x?xcomplex<f64>>
  func.return %0 : tensor<2x?xcomplex<f64>>
}

// -----

// The order of complex numbers: of the imaginary parts, of the real ones in that order, and of those
// without NaN before the others, always upwards. Then both parts are put in it.
// CHECK-LABEL: func.func @order(
// CHECK: %[[RE:\w+]] = nd.reshape %{{.*}} : tensor<2x3x1xf32> -> tensor<2x3xf32>
// CHECK: %[[IM:\w+]] = nd.reshape %{{.*}} : tensor<2x3x1xf32> -> tensor<2x3xf32>
// CHECK: %[[NR:\w+]] = nd.not_equal %[[RE]], %[[RE]]
// CHECK: %[[NI:\w+]] = nd.not_equal %[[IM]], %[[IM]]
// CHECK: %[[NAN:\w+]] = nd.bitwise_or %[[NR]], %[[NI]] : tensor<2x3xi1>
// CHECK: %[[A:\w+]] = nd.argsort %[[IM]] axis 0 order "descending"
// CHECK: %[[R:\w+]] = nd.gather %[[RE]][%[[A]]] axes [0] dims [1] index_dims [0, 1]
// CHECK: %[[B:\w+]] = nd.argsort %[[R]] axis 0 order "descending"
// CHECK: %[[AB:\w+]] = nd.gather %[[A]][%[[B]]]
// CHECK: %[[N:\w+]] = nd.gather %[[NAN]][%[[AB]]]
// CHECK: %[[C:\w+]] = nd.argsort %[[N]] axis 0 order "ascending" : tensor<2x3xi1>
// CHECK: %[[ABC:\w+]] = nd.gather %[[AB]][%[[C]]]
// CHECK: nd.gather %[[RE]][%[[ABC]]]
// CHECK: nd.gather %[[IM]][%[[ABC]]]
func.func @order(%z: tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
  %0 = nd.sort %z axis 0 order "descending" : tensor<2x3xcomplex<f32>>
  func.return %0 : tensor<2x3xcomplex<f32>>
}

// -----

// A search: values before equal elements, and the number of elements up to each of them.
// CHECK-LABEL: func.func @search(
// CHECK: nd.concat %{{.*}}, %{{.*}} axis 0 : tensor<2xf32>, tensor<5xf32> -> tensor<7xf32>
// CHECK-COUNT-3: nd.argsort
// CHECK: %[[N:\w+]] = nd.constant dense<2> : tensor<i64>
// CHECK: %[[BOUND:\w+]] = nd.broadcast %[[N]] dims [] : tensor<i64> -> tensor<7xi64>
// CHECK: %[[OTHER:\w+]] = nd.greater_equal %{{.*}}, %[[BOUND]]
// CHECK: %[[ONES:\w+]] = nd.cast %[[OTHER]] : tensor<7xi1> -> tensor<7xi64>
// CHECK: %[[TOTAL:\w+]] = nd.scan "sum" %[[ONES]] axis 0 direction "forward" : tensor<7xi64>
// CHECK: %[[PLACE:\w+]] = nd.slice %{{.*}} starts [0] limits [2] strides [1] : tensor<7xi64> -> tensor<2xi64>
// CHECK: %[[FOUND:\w+]] = nd.gather %[[TOTAL]][%[[PLACE]]]
// CHECK: %[[BACK:\w+]] = nd.reshape %[[FOUND]] : tensor<2xi64> -> tensor<2xi64>
// CHECK: func.return %[[BACK]]
func.func @search(%a: tensor<5xcomplex<f32>>, %v: tensor<2xcomplex<f32>>) -> tensor<2xi64> {
  %0 = nd.searchsorted %a, %v side "left" : tensor<5xcomplex<f32>>, tensor<2xcomplex<f32>> -> tensor<2xi64>
  func.return %0 : tensor<2xi64>
}

// -----

func.func @search_of_unknown_size(%a: tensor<?xcomplex<f32>>) -> tensor<?xi64> {
  // expected-error {{split-complex: expected static sizes of the complex operands of nd.searchsorted, found ?}}
  %0 = nd.searchsorted %a, %a side "right" : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>> -> tensor<?xi64>
  func.return %0 : tensor<?xi64>
}

// -----

// Code that is not ours gets complex numbers as pairs, and gives them so.
// CHECK-LABEL: func.func @hands_over(
// CHECK: [[Z:%[a-z0-9_]+]] = nd.concat {{.*}} -> tensor<3x2xf32>
// CHECK: nd.print "{} {}"[%n, [[Z]]] : tensor<i64>, tensor<3x2xf32> interleaved [1]
// CHECK: [[Y:%[a-z0-9_]+]], [[N:%[a-z0-9_]+]] = nd.custom_call "f"({{.*}}) interleaved [0, 1] : (tensor<3x2xf32>) -> (tensor<2xf32>, tensor<i64>)
// CHECK: nd.slice [[Y]]
// CHECK: func.return %{{.*}}, [[N]] : tensor<2xf32>, tensor<i64>
func.func @hands_over(%x: tensor<3xcomplex<f32>>, %n: tensor<i64>) -> (tensor<complex<f32>>, tensor<i64>) {
  %z = nd.add %x, %x : tensor<3xcomplex<f32>>
  nd.print "{} {}" [%n, %z] : tensor<i64>, tensor<3xcomplex<f32>>
  %0, %1 = nd.custom_call "f"(%z) : (tensor<3xcomplex<f32>>) -> (tensor<complex<f32>>, tensor<i64>)
  func.return %0, %1 : tensor<complex<f32>>, tensor<i64>
}
