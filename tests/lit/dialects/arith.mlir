// RUN: %opt %s --split-input-file | %opt --split-input-file | %check

// a vector comparison gives a vector of i1, which selects per element
func.func @masks_are_vectors(%a: vector<4xf32>, %b: vector<4xf32>, %i: vector<4xi32>) -> vector<4xf32> {
  %f = arith.cmpf olt, %a, %b fastmath<nnan> : vector<4xf32>
  %g = arith.cmpi ult, %i, %i : vector<4xi32>
  %h = arith.andi %f, %g : vector<4xi1>
  %s = arith.select %h, %a, %b : vector<4xi1>, vector<4xf32>
  return %s : vector<4xf32>
}
// CHECK-LABEL: @masks_are_vectors
// CHECK-SAME: %[[A:\w+]]: vector<4xf32>, %[[B:\w+]]: vector<4xf32>, %[[I:\w+]]: vector<4xi32>
// CHECK: %[[F:\w+]] = arith.cmpf olt, %[[A]], %[[B]] fastmath<nnan> : vector<4xf32>
// CHECK: %[[G:\w+]] = arith.cmpi ult, %[[I]], %[[I]] : vector<4xi32>
// CHECK: %[[H:\w+]] = arith.andi %[[F]], %[[G]] : vector<4xi1>
// CHECK: arith.select %[[H]], %[[A]], %[[B]] : vector<4xi1>, vector<4xf32>

// -----

// a scalar condition chooses whole vectors
func.func @scalar_condition(%c: i1, %a: vector<4xf32>, %b: vector<4xf32>) -> vector<4xf32> {
  %s = arith.select %c, %a, %b : vector<4xf32>
  return %s : vector<4xf32>
}
// CHECK-LABEL: @scalar_condition
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>

// -----

func.func @casts_of_vectors(%b: vector<4xi1>, %i: vector<4xi32>, %f: vector<4xf32>, %d: vector<4xf64>) {
  %0 = arith.extui %b : vector<4xi1> to vector<4xi8>
  %1 = arith.extsi %0 : vector<4xi8> to vector<4xi64>
  %2 = arith.trunci %i overflow<nsw> : vector<4xi32> to vector<4xi16>
  %3 = arith.sitofp %i : vector<4xi32> to vector<4xf32>
  %4 = arith.uitofp %0 : vector<4xi8> to vector<4xf64>
  %5 = arith.fptosi %f : vector<4xf32> to vector<4xi32>
  %6 = arith.fptoui %d : vector<4xf64> to vector<4xi64>
  %7 = arith.index_cast %i : vector<4xi32> to vector<4xindex>
  %8 = arith.index_castui %7 : vector<4xindex> to vector<4xi64>
  %9 = arith.truncf %d fastmath<contract> : vector<4xf64> to vector<4xbf16>
  return
}
// CHECK-LABEL: @casts_of_vectors
// CHECK-NEXT: arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
// CHECK-NEXT: arith.extsi %{{.*}} : vector<4xi8> to vector<4xi64>
// CHECK-NEXT: arith.trunci %{{.*}} overflow<nsw> : vector<4xi32> to vector<4xi16>
// CHECK-NEXT: arith.sitofp %{{.*}} : vector<4xi32> to vector<4xf32>
// CHECK-NEXT: arith.uitofp %{{.*}} : vector<4xi8> to vector<4xf64>
// CHECK-NEXT: arith.fptosi %{{.*}} : vector<4xf32> to vector<4xi32>
// CHECK-NEXT: arith.fptoui %{{.*}} : vector<4xf64> to vector<4xi64>
// CHECK-NEXT: arith.index_cast %{{.*}} : vector<4xi32> to vector<4xindex>
// CHECK-NEXT: arith.index_castui %{{.*}} : vector<4xindex> to vector<4xi64>
// CHECK-NEXT: arith.truncf %{{.*}} fastmath<contract> : vector<4xf64> to vector<4xbf16>

// -----

func.func @flags(%x: f32, %i: i32) {
  %0 = arith.negf %x fastmath<nsz> : f32
  %1 = arith.remf %0, %x fastmath<arcp> : f32
  %2 = arith.addi %i, %i overflow<nsw, nuw> : i32
  return
}
// CHECK-LABEL: @flags
// CHECK-NEXT: arith.negf %{{.*}} fastmath<nsz> : f32
// CHECK-NEXT: arith.remf %{{.*}}, %{{.*}} fastmath<arcp> : f32
// CHECK-NEXT: arith.addi %{{.*}}, %{{.*}} overflow<nsw,nuw> : i32
