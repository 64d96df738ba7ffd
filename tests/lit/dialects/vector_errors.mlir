// RUN: %opt %s --split-input-file --verify-diagnostics

func.func @pass_thru_of_another_type(%m: memref<8xf32>, %i: index, %o: vector<4xindex>, %k: vector<4xi1>, %p: vector<8xf32>) {
  // expected-error {{vector.gather: expected pass_thru of type vector<4xf32>, found vector<8xf32>}}
  %0 = "vector.gather"(%m, %i, %o, %k, %p) : (memref<8xf32>, index, vector<4xindex>, vector<4xi1>, vector<8xf32>) -> vector<4xf32>
  func.return
}
