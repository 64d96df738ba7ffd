// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @unknown_iterator(%m: memref<8xf32>) {
  // expected-error {{linalg.generic: expected an iterator type of parallel, reduction, window, found serial}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["serial"]} outs(%m : memref<8xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @no_maps(%m: memref<8xf32>) {
  // expected-error {{linalg.generic: expected indexing_maps (a list of affine maps), iterator_types (a list of kinds), and strings for doc and library_call}}
  linalg.generic {iterator_types = ["parallel"]} outs(%m : memref<8xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

func.func @attribute_in_the_wrong_place(%m: memref<8xf32>) {
  // expected-error {{linalg.generic: expected other attributes after attrs =, found ['note']}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"], note} outs(%m : memref<8xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  func.return
}
