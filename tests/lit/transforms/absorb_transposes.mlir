// RUN: %opt -p absorb-transposes --split-input-file %s | %check
// RUN: %opt -p absorb-transposes,absorb-transposes --split-input-file %s | %check

// x @ w.T names the other axis of w.
// CHECK-LABEL: func.func @weights(
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = nd.dot_general %x, %w batch [] [] contract [1] [1] : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
// CHECK-NEXT: func.return [[R]]
func.func @weights(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>) -> tensor<3x5xf32> {
  %t = nd.transpose %w permutation [1, 0] : tensor<5x4xf32> -> tensor<4x5xf32>
  %r = nd.dot_general %x, %t batch [] [] contract [1] [0] : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  func.return %r : tensor<3x5xf32>
}

// -----

// Both sides, twice, with a batch; sizes 0, 1 and `?`.
// CHECK-LABEL: func.func @batches(
// CHECK-NEXT: nd.dot_general %x, %y batch [2] [1] contract [0] [2] : tensor<0x1x?xf32>, tensor<5x?x0xf32> -> tensor<?x1x5xf32>
// CHECK-NEXT: func.return
func.func @batches(%x: tensor<0x1x?xf32>, %y: tensor<5x?x0xf32>) -> tensor<?x1x5xf32> {
  %a = nd.transpose %x permutation [2, 0, 1] : tensor<0x1x?xf32> -> tensor<?x0x1xf32>
  %b = nd.transpose %a permutation [0, 2, 1] : tensor<?x0x1xf32> -> tensor<?x1x0xf32>
  %c = nd.transpose %y permutation [1, 2, 0] : tensor<5x?x0xf32> -> tensor<?x0x5xf32>
  %r = nd.dot_general %b, %c batch [0] [0] contract [2] [1] : tensor<?x1x0xf32>, tensor<?x0x5xf32> -> tensor<?x1x5xf32>
  func.return %r : tensor<?x1x5xf32>
}

// -----

// The reason: its free axes would change their order.
// CHECK-LABEL: func.func @keeps_the_order_of_free_axes(
// CHECK: [[T:%[a-z0-9_]+]] = nd.transpose %x
// CHECK: nd.dot_general [[T]], %y
func.func @keeps_the_order_of_free_axes(%x: tensor<2x3x4xf32>, %y: tensor<4xf32>) -> tensor<3x2xf32> {
  %t = nd.transpose %x permutation [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  %r = nd.dot_general %t, %y batch [] [] contract [2] [0] : tensor<3x2x4xf32>, tensor<4xf32> -> tensor<3x2xf32>
  func.return %r : tensor<3x2xf32>
}

// -----

// A transpose that others read stays; a vector's, and one of rank 0, are gone.
// CHECK-LABEL: func.func @keeps_what_others_read(
// CHECK-NEXT: [[T:%[a-z0-9_]+]] = nd.transpose %x permutation [1, 0]
// CHECK-NEXT: nd.dot_general %x, %x batch [] [] contract [0] [0]
// CHECK-NEXT: nd.dot_general %s, %s batch [] [] contract [] []
// CHECK-NEXT: func.return [[T]]
func.func @keeps_what_others_read(%x: tensor<4x4xf32>, %s: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) {
  %t = nd.transpose %x permutation [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %u = nd.transpose %s permutation [] : tensor<f32> -> tensor<f32>
  %r = nd.dot_general %t, %x batch [] [] contract [1] [0] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %q = nd.dot_general %u, %s batch [] [] contract [] [] : tensor<f32>, tensor<f32> -> tensor<f32>
  func.return %t, %r, %q : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>
}
