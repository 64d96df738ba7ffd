// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

func.func @missing_in_xdsl(%m: memref<?xf32>, %c: index, %i: vector<4xi32>, %k: vector<4xi1>, %p: vector<4xf32>) {
  %0 = vector.step : vector<4xindex>
  %1 = vector.gather %m[%c] [%i], %k, %p : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %2 = vector.shape_cast %1 : vector<4xf32> to vector<2x2xf32>
  %3 = vector.transpose %2, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
  return
}
// CHECK-LABEL: @missing_in_xdsl
// CHECK-NEXT: vector.step : vector<4xindex>
// CHECK-NEXT: vector.gather %{{.*}}[%{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT: vector.shape_cast %{{.*}} : vector<4xf32> to vector<2x2xf32>
// CHECK-NEXT: vector.transpose %{{.*}}, [1, 0] : vector<2x2xf32> to vector<2x2xf32>

// -----

func.func @masked_tail(%m: memref<?xf32>, %c: index, %n: index, %p: vector<4xf32>) -> f32 {
  %k = vector.create_mask %n : vector<4xi1>
  %0 = vector.maskedload %m[%c], %k, %p : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %1 = vector.reduction <maximumf>, %0 : vector<4xf32> into f32
  vector.maskedstore %m[%c], %k, %0 : memref<?xf32>, vector<4xi1>, vector<4xf32>
  return %1 : f32
}
// CHECK-LABEL: @masked_tail
// CHECK-NEXT: %[[K:\w+]] = vector.create_mask %{{.*}} : vector<4xi1>
// CHECK-NEXT: %[[X:\w+]] = vector.maskedload %{{.*}}[%{{.*}}], %[[K]], %{{.*}} into vector<4xf32>
// CHECK-NEXT: vector.reduction <maximumf>, %[[X]] : vector<4xf32> into f32
// CHECK-NEXT: vector.maskedstore %{{.*}}[%{{.*}}], %[[K]], %[[X]]
