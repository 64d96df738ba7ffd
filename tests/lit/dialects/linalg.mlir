// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

func.func @two_results(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0, %1 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    iterator_types = ["parallel"]
  } ins(%x : tensor<8xf32>) outs(%x, %i : tensor<8xf32>, tensor<8xi32>) attrs = {note} {
  ^bb0(%e: f32, %o: f32, %n: i32):
    linalg.yield %e, %n : f32, i32
  } -> (tensor<8xf32>, tensor<8xi32>)
  return %0, %1 : tensor<8xf32>, tensor<8xi32>
}
// CHECK-LABEL: @two_results
// CHECK: %{{.*}}, %{{.*}} = linalg.generic
// CHECK-SAME: attrs = {note}
// CHECK: } -> (tensor<8xf32>, tensor<8xi32>)

// -----

func.func @one_result(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
  } outs(%x : tensor<8xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    linalg.yield %o : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: @one_result
// CHECK: } -> tensor<8xf32>

// -----

// buffers: results are none
func.func @no_result(%x: memref<8xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
  } outs(%x : memref<8xf32>) {
  ^bb0(%o: f32):
    linalg.yield %o : f32
  }
  return
}
// CHECK-LABEL: @no_result
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : memref<8xf32>)
// CHECK-NOT: ->
