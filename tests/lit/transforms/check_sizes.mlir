// RUN: %opt -p check-sizes --split-input-file %s | %check

// Operands of one shape: compared once, known from there on.
// CHECK-LABEL: func.func @elementwise(
// CHECK: [[D:%[a-z0-9_]+]] = nd.dim %x axis 0
// CHECK-NEXT: [[A:%[a-z0-9_]+]] = nd.from_index [[D]]
// CHECK-NEXT: [[E:%[a-z0-9_]+]] = nd.dim %y axis 0
// CHECK-NEXT: [[B:%[a-z0-9_]+]] = nd.from_index [[E]]
// CHECK-NEXT: [[P:%[a-z0-9_]+]] = nd.equal [[A]], [[B]]
// CHECK-NEXT: nd.check [[P]], "ShapeError", "nd.add: expected sizes that are equal, found {} and {}"[[[A]], [[B]]]
// CHECK-NEXT: nd.add %x, %y
// CHECK-NEXT: nd.multiply
// CHECK-NEXT: nd.subtract
// CHECK-NEXT: nd.transpose
// CHECK-NEXT: func.return
func.func @elementwise(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<3x?xf32> {
  %a = nd.add %x, %y : tensor<?x3xf32>
  %b = nd.multiply %a, %x : tensor<?x3xf32>
  %c = nd.subtract %b, %y : tensor<?x3xf32>
  %r = nd.transpose %c permutation [1, 0] : tensor<?x3xf32> -> tensor<3x?xf32>
  func.return %r : tensor<3x?xf32>
}

// -----

// Static shapes, rank 0, sizes 0 and 1: nothing to check.
// CHECK-LABEL: func.func @static(
// CHECK-NOT: nd.check
// CHECK: func.return
func.func @static(%x: tensor<0x1xf32>, %y: tensor<f32>) -> (tensor<0x1xf32>, tensor<f32>) {
  %a = nd.add %x, %x : tensor<0x1xf32>
  %b = nd.add %y, %y : tensor<f32>
  func.return %a, %b : tensor<0x1xf32>, tensor<f32>
}

// -----

// A broadcast by the size of an operand is of that size.
// CHECK-LABEL: func.func @broadcast(
// CHECK-NOT: nd.check
// CHECK: func.return
func.func @broadcast(%x: tensor<?x3xf32>, %y: tensor<3xf32>) -> tensor<?x3xf32> {
  %n = nd.dim %x axis 0 : tensor<?x3xf32>
  %b = nd.broadcast %y[%n] dims [1] : tensor<3xf32> -> tensor<?x3xf32>
  %r = nd.add %x, %b : tensor<?x3xf32>
  func.return %r : tensor<?x3xf32>
}

// -----

// A broadcast of a size to another.
// CHECK-LABEL: func.func @broadcast_to(
// CHECK: nd.check {{.*}}, "ShapeError", "nd.broadcast: expected sizes that are equal, found {} and {}"
func.func @broadcast_to(%x: tensor<?xf32>) -> tensor<2x3xf32> {
  %r = nd.broadcast %x dims [1] : tensor<?xf32> -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}

// -----

// Contracted and batch axes; the free ones are nobody's.
// CHECK-LABEL: func.func @dot(
// CHECK-COUNT-2: nd.check {{.*}} "nd.dot_general: expected sizes that are equal
// CHECK-NOT: nd.check
// CHECK: nd.dot_general
func.func @dot(%x: tensor<?x?x4xf32>, %y: tensor<?x?x5xf32>) -> tensor<?x4x5xf32> {
  %r = nd.dot_general %x, %y batch [0] [0] contract [1] [1] : tensor<?x?x4xf32>, tensor<?x?x5xf32> -> tensor<?x4x5xf32>
  func.return %r : tensor<?x4x5xf32>
}

// -----

// As many elements as before.
// CHECK-LABEL: func.func @reshape(
// CHECK: nd.multiply
// CHECK: nd.check {{.*}} "nd.reshape: expected sizes that are equal, found {} and {}"
func.func @reshape(%x: tensor<?x3xf32>) -> tensor<6xf32> {
  %r = nd.reshape %x : tensor<?x3xf32> -> tensor<6xf32>
  func.return %r : tensor<6xf32>
}

// -----

// Windows lie inside.
// CHECK-LABEL: func.func @windows(
// CHECK: nd.less_equal
// CHECK-NEXT: nd.check {{.*}} "nd.slice: expected a size of at least {}, found {}"
// CHECK: nd.check {{.*}} "nd.dynamic_slice: expected a size of at least {}, found {}"
// CHECK: nd.check {{.*}} "nd.dynamic_update_slice: expected a size of at least {}, found {}"
func.func @windows(%x: tensor<?xf32>, %u: tensor<?xf32>, %i: index) -> (tensor<4xf32>, tensor<3xf32>, tensor<?xf32>) {
  %a = nd.slice %x starts [0] limits [4] strides [1] : tensor<?xf32> -> tensor<4xf32>
  %b = nd.dynamic_slice %x[%i] sizes [3] : tensor<?xf32> -> tensor<3xf32>
  %c = nd.dynamic_update_slice %x, %u [%i] : tensor<?xf32> -> tensor<?xf32>
  func.return %a, %b, %c : tensor<4xf32>, tensor<3xf32>, tensor<?xf32>
}

// -----

// The other axes of what is joined; the channels of a convolution.
// CHECK-LABEL: func.func @others(
// CHECK: nd.check {{.*}} "nd.concat: expected sizes that are equal
// CHECK-NOT: nd.check
// CHECK: nd.concat
// CHECK: nd.check {{.*}} "nd.conv: expected sizes that are equal
func.func @others(%x: tensor<?x2xf32>, %y: tensor<?x5xf32>, %v: tensor<1x?x6xf32>, %w: tensor<4x2x3xf32>) -> (tensor<?x7xf32>, tensor<1x4x4xf32>) {
  %a = nd.concat %x, %y axis 1 : tensor<?x2xf32>, tensor<?x5xf32> -> tensor<?x7xf32>
  %b = nd.conv %v, %w strides [1] padding [0, 0] dilation [1] groups 1 : tensor<1x?x6xf32>, tensor<4x2x3xf32> -> tensor<1x4x4xf32>
  func.return %a, %b : tensor<?x7xf32>, tensor<1x4x4xf32>
}

// -----

// Index tensors of one shape, and the axes that they share with the operand.
// CHECK-LABEL: func.func @gather(
// CHECK: nd.check {{.*}} "nd.gather: expected sizes that are equal
// CHECK: nd.gather
func.func @gather(%x: tensor<4x?xf32>, %i: tensor<?xi64>) -> tensor<?xf32> {
  %r = nd.gather %x[%i] axes [0] dims [0] index_dims [0] : tensor<4x?xf32>, tensor<?xi64> -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}

// -----

// Private functions hold no checks.
// CHECK-LABEL: func.func private @private(
// CHECK-NOT: nd.check
func.func private @private(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = nd.add %x, %y : tensor<?xf32>
  func.return %a : tensor<?xf32>
}

// -----

// Windows of one run-time size are equal where their axes are; else their sizes are compared.
// CHECK-LABEL: func.func @run_time_windows(
// CHECK-NOT: nd.check
// CHECK: %[[A:.*]] = nd.add
// CHECK: nd.check {{.*}} "nd.multiply: expected sizes that are equal, found {} and {}"
// CHECK-NEXT: nd.multiply %[[A]]
func.func @run_time_windows(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<9xf32>, %i: index, %n: index) {
  %a = nd.dynamic_slice %x [%i, %n] sizes [-1] : tensor<8xf32> -> tensor<?xf32>
  %b = nd.dynamic_slice %y [%n, %n] sizes [-1] : tensor<8xf32> -> tensor<?xf32>
  %c = nd.dynamic_slice %z [%i, %n] sizes [-1] : tensor<9xf32> -> tensor<?xf32>
  %s = nd.add %a, %b : tensor<?xf32>
  %p = nd.multiply %s, %c : tensor<?xf32>
  func.return
}

// -----

// Values that are handed over together say nothing of each other's sizes.
// CHECK-LABEL: func.func @handed_over(
// CHECK-NOT: nd.check
func.func @handed_over(%x: tensor<?xf32>, %y: tensor<5x?xf32>) -> tensor<2xf32> {
  nd.print "{} {}" [%x, %y] : tensor<?xf32>, tensor<5x?xf32>
  nd.fail "CheckError", "{} {}" [%x, %y] : tensor<?xf32>, tensor<5x?xf32>
  %0 = nd.custom_call "f"(%x, %y) : (tensor<?xf32>, tensor<5x?xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
