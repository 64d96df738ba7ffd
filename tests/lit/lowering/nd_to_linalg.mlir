// RUN: %opt -p nd-to-linalg --split-input-file %s | %check
// RUN: %opt -p nd-to-linalg,nd-to-linalg --split-input-file %s | %check

// An elementwise op is a generic with identity maps; the function notes its types.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: lamina.arguments = [tensor<2x3xf32>, tensor<2x3xf32>], lamina.results = [tensor<2x3xf32>]
// CHECK: [[E:%[a-z0-9_]+]] = tensor.empty() : tensor<2x3xf32>
// CHECK: [[R:%[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<2x3xf32>, tensor<2x3xf32>) outs([[E]] : tensor<2x3xf32>)
// CHECK-NEXT: ^bb0([[A:%[a-z0-9_]+]]: f32, [[B:%[a-z0-9_]+]]: f32, %{{.*}}: f32):
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = arith.addf [[A]], [[B]] : f32
// CHECK-NEXT: linalg.yield [[S]] : f32
// CHECK: func.return [[R]]
func.func @elementwise(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nd.add %x, %y : tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// -----

// The half rule: each op is computed in f32 and rounded.
// CHECK-LABEL: func.func @half(
// CHECK: [[A:%[a-z0-9_]+]] = arith.extf %{{.*}} f16 to f32
// CHECK: [[B:%[a-z0-9_]+]] = arith.extf %{{.*}} f16 to f32
// CHECK: [[P:%[a-z0-9_]+]] = arith.mulf [[A]], [[B]] : f32
// CHECK: [[T:%[a-z0-9_]+]] = arith.truncf [[P]] {{.*}}: f32 to f16
// CHECK: linalg.yield [[T]]
// CHECK: arith.extf
// CHECK: math.exp {{.*}} : f32
// CHECK: arith.truncf
func.func @half(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %0 = nd.multiply %x, %y : tensor<4xf16>
  %1 = nd.exp %0 : tensor<4xf16>
  func.return %1 : tensor<4xf16>
}

// -----

// A few columns are one generic that chooses by the last axis, and so fuses with what makes them.
// CHECK-LABEL: func.func @columns(
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: linalg.index 1 : index
// CHECK: arith.select
func.func @columns(%x: tensor<?x1xf16>) -> tensor<?x2xf16> {
  %0 = nd.concat %x, %x axis 1 : tensor<?x1xf16>, tensor<?x1xf16> -> tensor<?x2xf16>
  func.return %0 : tensor<?x2xf16>
}

// -----

// hypot in f32 is the root of squares in f64, which holds them; an infinity wins over NaN.
// CHECK-LABEL: func.func @hypot(
// CHECK: arith.extf %{{.*}} f32 to f64
// CHECK: arith.mulf {{.*}} : f64
// CHECK: [[R:%[a-z0-9_]+]] = math.sqrt {{.*}} : f64
// CHECK: arith.truncf [[R]] {{.*}}: f64 to f32
// CHECK: arith.select
func.func @hypot(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = nd.hypot %x, %x : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}

// -----

// In f64 the operands are scaled first, by a power of two.
// CHECK-LABEL: func.func @scaled_hypot(
// CHECK: arith.maximumf
// CHECK: [[U:%[a-z0-9_]+]] = arith.select
// CHECK: [[F:%[a-z0-9_]+]] = arith.select %{{.*}}, %{{.*}}, [[U]]
// CHECK: arith.mulf %{{.*}}, [[F]] : f64
// CHECK: math.sqrt {{.*}} : f64
func.func @scaled_hypot(%x: tensor<f64>) -> tensor<f64> {
  %0 = nd.hypot %x, %x : tensor<f64>
  func.return %0 : tensor<f64>
}

// -----

// nextafter works on the bits of the type itself: a half is not extended.
// CHECK-LABEL: func.func @nextafter(
// CHECK-NOT: arith.extf
// CHECK: arith.bitcast %{{.*}} : f16 to i16
// CHECK: arith.bitcast %{{.*}} : i16 to f16
func.func @nextafter(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = nd.nextafter %x, %x : tensor<4xf16>
  func.return %0 : tensor<4xf16>
}

// -----

// Bool is i8 in memory and i1 in bodies; the noted types tell it from int8.
// CHECK-LABEL: func.func @bool(
// CHECK-SAME: %p: tensor<4xi8>, %x: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xf32>) attributes {lamina.arguments = [tensor<4xi1>, tensor<4xf32>], lamina.results = [tensor<4xi1>, tensor<4xf32>]}
// CHECK: [[C:%[a-z0-9_]+]] = arith.cmpf olt, {{.*}} : f32
// CHECK: [[D:%[a-z0-9_]+]] = arith.extui [[C]] : i1 to i8
// CHECK: linalg.yield [[D]] : i8
// CHECK: [[F:%[a-z0-9_]+]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i8
// CHECK: arith.select [[F]], %{{.*}}, %{{.*}} : f32
func.func @bool(%p: tensor<4xi1>, %x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {
  %0 = nd.less %x, %x : tensor<4xf32> -> tensor<4xi1>
  %1 = nd.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  func.return %0, %1 : tensor<4xi1>, tensor<4xf32>
}

// -----

// Unsigned is signless below; the ops know.
// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %x: tensor<4xi8>, %y: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) attributes {lamina.arguments = [tensor<4xui8>, tensor<4xui8>]
// CHECK: arith.maxui
// CHECK: arith.cmpi ult
// CHECK: arith.shrui
func.func @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xi1>, tensor<4xui8>) {
  %0 = nd.maximum %x, %y : tensor<4xui8>
  %1 = nd.less %x, %y : tensor<4xui8> -> tensor<4xi1>
  %2 = nd.right_shift %x, %y : tensor<4xui8>
  func.return %0, %1, %2 : tensor<4xui8>, tensor<4xi1>, tensor<4xui8>
}

// -----

// Integer division never traps: the divisor is made safe before, the rest of the cases chosen.
// CHECK-LABEL: func.func @division(
// CHECK: [[ZERO:%[a-z0-9_]+]] = arith.cmpi eq, {{.*}} : i32
// CHECK: [[SAFE:%[a-z0-9_]+]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: arith.divsi %{{.*}}, [[SAFE]]
// CHECK: arith.select
func.func @division(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = nd.floor_divide %x, %y : tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// -----

// Casts: float to int saturates and never converts what does not fit; equal bits are no op.
// CHECK-LABEL: func.func @casts(
// CHECK: [[IN:%[a-z0-9_]+]] = arith.andi
// CHECK: [[SAFE:%[a-z0-9_]+]] = arith.select [[IN]]
// CHECK: arith.fptosi [[SAFE]] : f32 to i8
// CHECK: arith.cmpf une
// CHECK: arith.uitofp %{{.*}} : i8 to f32
// CHECK: func.return %{{.*}}, %{{.*}}, %{{.*}}, %y
func.func @casts(%x: tensor<4xf32>, %y: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi1>, tensor<4xf32>, tensor<4xui8>) {
  %0 = nd.cast %x : tensor<4xf32> -> tensor<4xi8>
  %1 = nd.cast %x : tensor<4xf32> -> tensor<4xi1>
  %2 = nd.cast %y : tensor<4xi8> -> tensor<4xui8>
  %3 = nd.cast %2 : tensor<4xui8> -> tensor<4xf32>
  func.return %0, %1, %3, %2 : tensor<4xi8>, tensor<4xi1>, tensor<4xf32>, tensor<4xui8>
}

// -----

// Constants take the form of memory: bool as 0 and 1, unsigned wrapped; bits of floats are kept.
// CHECK-LABEL: func.func @constants(
// CHECK: arith.constant dense<[1, 0]> : tensor<2xi8>
// CHECK: arith.constant dense<-1> : tensor<2xi8>
// CHECK: arith.constant dense<[0x7FC00000, -0.0{{.*}}]> : tensor<2xf32>
// CHECK: arith.constant dense_resource<weights> : tensor<4xi8>
func.func @constants() -> (tensor<2xi1>, tensor<2xui8>, tensor<2xf32>, tensor<4xi1>) {
  %0 = nd.constant dense<[true, false]> : tensor<2xi1>
  %1 = nd.constant dense<255> : tensor<2xui8>
  %2 = nd.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>
  %3 = nd.constant dense_resource<weights> : tensor<4xi1>
  func.return %0, %1, %2, %3 : tensor<2xi1>, tensor<2xui8>, tensor<2xf32>, tensor<4xi1>
}

// -----

// An iota yields its index; rank 0 of a run-time size in and out.
// CHECK-LABEL: func.func @numbers(
// CHECK: [[E:%[a-z0-9_]+]] = tensor.empty([[N:%[a-z0-9_]+]]) : tensor<2x?xbf16>
// CHECK: linalg.generic {{.*}} outs([[E]] : tensor<2x?xbf16>)
// CHECK: [[I:%[a-z0-9_]+]] = linalg.index 1
// CHECK: [[J:%[a-z0-9_]+]] = arith.index_cast [[I]] : index to i64
// CHECK: [[K:%[a-z0-9_]+]] = arith.sitofp [[J]] : i64 to f32
// CHECK: arith.truncf [[K]] {{.*}}: f32 to bf16
// CHECK: tensor.from_elements %{{.*}} : tensor<i64>
func.func @numbers(%n: tensor<i64>) -> (tensor<2x?xbf16>, tensor<i64>) {
  %0 = nd.to_index %n : tensor<i64>
  %1 = nd.iota [%0] axis 1 : tensor<2x?xbf16>
  %2 = nd.dim %1 axis 1 : tensor<2x?xbf16>
  %3 = nd.from_index %2 : tensor<i64>
  func.return %1, %3 : tensor<2x?xbf16>, tensor<i64>
}

// -----

// What renames indices is a generic that yields its input.
// CHECK-LABEL: func.func @moves(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (0, d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK-SAME: ins(%x : tensor<1x3xf32>) outs(%{{.*}} : tensor<3x4x5xf32>)
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, ((d1 * -1) + 2))>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (0, d0)>, affine_map<(d0) -> (d0)>]
func.func @moves(%x: tensor<1x3xf32>) -> (tensor<3x4x5xf32>, tensor<3x1xf32>, tensor<1x3xf32>, tensor<3xf32>) {
  %0 = nd.broadcast %x dims [2, 0] : tensor<1x3xf32> -> tensor<3x4x5xf32>
  %1 = nd.transpose %x permutation [1, 0] : tensor<1x3xf32> -> tensor<3x1xf32>
  %2 = nd.reverse %x axes [1] : tensor<1x3xf32>
  %3 = nd.reshape %x : tensor<1x3xf32> -> tensor<3xf32>
  func.return %0, %1, %2, %3 : tensor<3x4x5xf32>, tensor<3x1xf32>, tensor<1x3xf32>, tensor<3xf32>
}

// -----

// The index of a reversed `?` axis is computed.
// CHECK-LABEL: func.func @run_time_reverse(
// CHECK: [[N:%[a-z0-9_]+]] = tensor.dim %x
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?xf32>)
// CHECK: [[I:%[a-z0-9_]+]] = linalg.index 0
// CHECK: [[LAST:%[a-z0-9_]+]] = arith.subi [[N]], %{{.*}} : index
// CHECK: [[AT:%[a-z0-9_]+]] = arith.subi [[LAST]], [[I]] : index
// CHECK: tensor.extract %x{{\[}}[[AT]]]
func.func @run_time_reverse(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = nd.reverse %x axes [0] : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}

// -----

// Other reshapes go through one dim; the same shape is no op.
// CHECK-LABEL: func.func @reshapes(
// CHECK: [[F:%[a-z0-9_]+]] = tensor.collapse_shape %x {{.*}} : tensor<2x6xf32> into tensor<12xf32>
// CHECK: [[G:%[a-z0-9_]+]] = tensor.expand_shape [[F]] {{.*}} : tensor<12xf32> into tensor<3x4xf32>
// CHECK: tensor.collapse_shape %y {{.*}} : tensor<?x3xf32> into tensor<?xf32>
// CHECK: func.return [[G]], %x
func.func @reshapes(%x: tensor<2x6xf32>, %y: tensor<?x3xf32>, %n: index) -> (tensor<3x4xf32>, tensor<2x6xf32>, tensor<?xf32>) {
  %0 = nd.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
  %1 = nd.reshape %x : tensor<2x6xf32> -> tensor<2x6xf32>
  %2 = nd.reshape %y [%n] : tensor<?x3xf32> -> tensor<?xf32>
  func.return %0, %1, %2 : tensor<3x4xf32>, tensor<2x6xf32>, tensor<?xf32>
}

// -----

// Slices are views; joins and padding are writes into a new tensor.
// CHECK-LABEL: func.func @parts(
// CHECK: tensor.extract_slice %x[0, 1] [2, 3] [2, 3] : tensor<4x8xf32> to tensor<2x3xf32>
// CHECK: [[E:%[a-z0-9_]+]] = tensor.empty() : tensor<4x16xf32>
// CHECK: [[A:%[a-z0-9_]+]] = tensor.insert_slice %x into [[E]][0, 0] [4, 8] [1, 1]
// CHECK: tensor.insert_slice %x into [[A]][0, 8] [4, 8] [1, 1]
// CHECK: [[F:%[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, {{.*}} ins(%v : tensor<f32>) outs(%{{.*}} : tensor<5x10xf32>)
// CHECK: tensor.insert_slice %x into [[F]][1, 0] [4, 8] [1, 1]
func.func @parts(%x: tensor<4x8xf32>, %v: tensor<f32>) -> (tensor<2x3xf32>, tensor<4x16xf32>, tensor<5x10xf32>) {
  %0 = nd.slice %x starts [0, 1] limits [4, 8] strides [2, 3] : tensor<4x8xf32> -> tensor<2x3xf32>
  %1 = nd.concat %x, %x axis 1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x16xf32>
  %2 = nd.pad %x, %v low [1, 0] high [0, 2] : tensor<4x8xf32>, tensor<f32> -> tensor<5x10xf32>
  func.return %0, %1, %2 : tensor<2x3xf32>, tensor<4x16xf32>, tensor<5x10xf32>
}

// -----

// Run-time starts are clamped: nothing outside the tensor is touched.
// CHECK-LABEL: func.func @run_time_starts(
// CHECK: [[A:%[a-z0-9_]+]] = arith.minsi %i, %{{.*}} : index
// CHECK: [[B:%[a-z0-9_]+]] = arith.maxsi [[A]], %{{.*}} : index
// CHECK: tensor.extract_slice %x{{\[}}[[B]]] [2] [1]
// CHECK: [[C:%[a-z0-9_]+]] = arith.minsi %i, %{{.*}} : index
// CHECK: [[D:%[a-z0-9_]+]] = arith.maxsi [[C]], %{{.*}} : index
// CHECK: tensor.insert_slice %u into %x{{\[}}[[D]]] [3] [1]
func.func @run_time_starts(%x: tensor<?xf32>, %u: tensor<3xf32>, %i: index) -> (tensor<2xf32>, tensor<?xf32>) {
  %0 = nd.dynamic_slice %x [%i] sizes [2] : tensor<?xf32> -> tensor<2xf32>
  %1 = nd.dynamic_update_slice %x, %u [%i] : tensor<3xf32> -> tensor<?xf32>
  func.return %0, %1 : tensor<2xf32>, tensor<?xf32>
}

// -----

// A reduction starts from its identity; groups of axes that are not neighbours follow each other.
// CHECK-LABEL: func.func @reductions(
// CHECK: [[LEAST:%[a-z0-9_]+]] = arith.constant 0xff800000 : f32
// CHECK: [[I:%[a-z0-9_]+]] = linalg.fill ins([[LEAST]] : f32) outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x {{.*}} outs([[I]]
// CHECK: arith.maximumf
// CHECK: [[S:%[a-z0-9_]+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%x
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins([[S]]
func.func @reductions(%x: tensor<4x8x2xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = nd.reduce "max" %x axes [1, 2] : tensor<4x8x2xf32> -> tensor<4xf32>
  %1 = nd.reduce "sum" %x axes [0, 2] : tensor<4x8x2xf32> -> tensor<8xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// -----

// Halves accumulate in f32 and are rounded once.
// CHECK-LABEL: func.func @half_sum(
// CHECK: [[S:%[a-z0-9_]+]] = linalg.generic {{.*}}"reduction"]} ins(%x : tensor<4x8xbf16>) outs(%{{.*}} : tensor<4xf32>)
// CHECK: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK-NOT: arith.truncf
// CHECK: linalg.generic {{.*}} ins([[S]] : tensor<4xf32>) outs(%{{.*}} : tensor<4xbf16>)
// CHECK: arith.truncf
func.func @half_sum(%x: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %0 = nd.reduce "sum" %x axes [1] : tensor<4x8xbf16> -> tensor<4xbf16>
  func.return %0 : tensor<4xbf16>
}

// -----

// An argmax carries the extreme and its index; the first NaN wins.
// CHECK-LABEL: func.func @argmax(
// CHECK: [[V:%[a-z0-9_]+]], [[I:%[a-z0-9_]+]] = linalg.generic {{.*}}"reduction"]} ins(%x : tensor<4x?xf32>) outs(%{{.*}} : tensor<4xf32>, tensor<4xi64>)
// CHECK: linalg.index 1
// CHECK: arith.cmpf uno
// CHECK: func.return [[I]]
func.func @argmax(%x: tensor<4x?xf32>) -> tensor<4xi64> {
  %0 = nd.argmax %x axis 1 : tensor<4x?xf32> -> tensor<4xi64>
  func.return %0 : tensor<4xi64>
}

// -----

// A product's space: batch, free dims of the left, of the right, contracted dims.
// CHECK-LABEL: func.func @dot(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %y
// CHECK: [[P:%[a-z0-9_]+]] = arith.mulf
// CHECK: arith.addf %{{.*}}, [[P]]
func.func @dot(%x: tensor<2x3x4xf32>, %y: tensor<5x4x2xf32>) -> tensor<2x3x5xf32> {
  %0 = nd.dot_general %x, %y batch [0] [2] contract [2] [1] : tensor<2x3x4xf32>, tensor<5x4x2xf32> -> tensor<2x3x5xf32>
  func.return %0 : tensor<2x3x5xf32>
}

// -----

// A vector times a matrix is products and their sum: the matrix is read once, in the order of memory.
// CHECK-LABEL: func.func @vector_times_rows(
// CHECK: [[P:%[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %w
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins([[P]] :
// CHECK: arith.addf
func.func @vector_times_rows(%x: tensor<4xf32>, %w: tensor<4x6xf32>) -> tensor<6xf32> {
  %0 = nd.dot_general %x, %w batch [] [] contract [0] [0] : tensor<4xf32>, tensor<4x6xf32> -> tensor<6xf32>
  func.return %0 : tensor<6xf32>
}

// -----

// The same of a matrix whose rows are summed.
// CHECK-LABEL: func.func @vector_times_columns(
// CHECK: [[P:%[a-z0-9_]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, {{.*}} iterator_types = ["parallel", "parallel"]} ins(%x, %w
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins([[P]] :
func.func @vector_times_columns(%x: tensor<4xf32>, %w: tensor<6x4xf32>) -> tensor<6xf32> {
  %0 = nd.dot_general %x, %w batch [] [] contract [0] [1] : tensor<4xf32>, tensor<6x4xf32> -> tensor<6xf32>
  func.return %0 : tensor<6xf32>
}

// -----

// A convolution: strides and dilation are in the window's map, padding is a frame of zeros, a
// group is one more dim.
// CHECK-LABEL: func.func @conv(
// CHECK: [[P:%[a-z0-9_]+]] = tensor.insert_slice %x into %{{.*}}[0, 0, 1] [1, 4, 9] [1, 1, 1] : tensor<1x4x9xf32> into tensor<1x4x12xf32>
// CHECK: [[X:%[a-z0-9_]+]] = tensor.expand_shape [[P]] {{.*}} into tensor<1x2x2x12xf32>
// CHECK: [[W:%[a-z0-9_]+]] = tensor.expand_shape %w {{.*}} into tensor<2x3x2x3xf32>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, ((d3 * 2) + (d5 * 3)))>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins([[X]], [[W]]
// CHECK: tensor.collapse_shape {{.*}} into tensor<1x6x3xf32>
func.func @conv(%x: tensor<1x4x9xf32>, %w: tensor<6x2x3xf32>) -> tensor<1x6x3xf32> {
  %0 = nd.conv %x, %w strides [2] padding [1, 2] dilation [3] groups 2 : tensor<1x4x9xf32>, tensor<6x2x3xf32> -> tensor<1x6x3xf32>
  func.return %0 : tensor<1x6x3xf32>
}

// -----

// Ops of other dialects keep their kind; types in them and in their regions are lowered.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} iter_args([[C:%[a-z0-9_]+]] = %p) -> (tensor<4xi8>)
// CHECK: linalg.generic {{.*}} ins([[C]] : tensor<4xi8>)
// CHECK: scf.yield %{{.*}} : tensor<4xi8>
func.func @loop(%p: tensor<4xi1>, %n: index) -> tensor<4xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %p) -> (tensor<4xi1>) {
    %0 = nd.bitwise_invert %c : tensor<4xi1>
    scf.yield %0 : tensor<4xi1>
  }
  func.return %r : tensor<4xi1>
}

// -----

// Rank 0, size 0 and size 1: the same generics. A private function notes nothing.
// CHECK-LABEL: func.func private @small(
// CHECK-NOT: lamina.arguments
// CHECK: linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%s : tensor<f32>)
// CHECK: linalg.generic {{.*}} ins(%x : tensor<0x1xf32>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%y : tensor<0xf32>)
func.func private @small(%s: tensor<f32>, %x: tensor<0x1xf32>, %y: tensor<0xf32>) -> (tensor<f32>, tensor<0x1xf32>, tensor<f32>) {
  %0 = nd.negative %s : tensor<f32>
  %1 = nd.negative %x : tensor<0x1xf32>
  %2 = nd.reduce "sum" %y axes [0] : tensor<0xf32> -> tensor<f32>
  func.return %0, %1, %2 : tensor<f32>, tensor<0x1xf32>, tensor<f32>
}

// -----

// A scan has no linalg form: a private function of loops over elements, in destination style, one
// for equal types and parameters. Half types are widened before and rounded once after.
// CHECK-LABEL: func.func @scan(
// CHECK: [[E:%[a-z0-9_]+]] = tensor.empty() : tensor<3x5xf32>
// CHECK-NEXT: [[A:%[a-z0-9_]+]] = func.call @scan_0(%x, [[E]]) : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
// CHECK: [[B:%[a-z0-9_]+]] = func.call @scan_0([[A]], %{{.*}})
// CHECK: func.call @scan_1([[B]], %{{.*}})
// CHECK: arith.extf
// CHECK: func.call @scan_2(%{{.*}}, %{{.*}}) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK: arith.truncf
// CHECK: func.func private @scan_0([[X:%[a-z0-9_]+]]: tensor<3x5xf32>, [[OUT:%[a-z0-9_]+]]: tensor<3x5xf32>) -> tensor<3x5xf32> {
// CHECK: scf.for [[R:%[a-z0-9_]+]] = {{.*}} iter_args(%{{.*}} = [[OUT]])
// CHECK: [[V:%[a-z0-9_]+]] = tensor.extract [[X]]{{\[}}[[R]], %{{.*}}] : tensor<3x5xf32>
// CHECK: scf.for {{.*}} -> (tensor<3x5xf32>, f32) {
// CHECK: arith.addf
// CHECK: tensor.insert
// CHECK: func.func private @scan_1(
// CHECK: arith.maximumf
// CHECK: func.func private @scan_2(
// CHECK: {lamina.poll}
func.func @scan(%x: tensor<3x5xf32>, %y: tensor<?xf16>) -> (tensor<3x5xf32>, tensor<?xf16>) {
  %0 = nd.scan "sum" %x axis 1 direction "forward" : tensor<3x5xf32>
  %1 = nd.scan "sum" %0 axis 1 direction "forward" : tensor<3x5xf32>
  %2 = nd.scan "max" %1 axis 0 direction "reverse" : tensor<3x5xf32>
  %3 = nd.scan "prod" %y axis 0 direction "forward" : tensor<?xf16>
  func.return %2, %3 : tensor<3x5xf32>, tensor<?xf16>
}

// -----

// A check is a call that holds for a byte other than 0. Each has a number.
// CHECK-LABEL: func.func @checks(
// CHECK: [[FLAG:%[a-z0-9_]+]] = tensor.extract %ok[] : tensor<i8>
// CHECK: [[HOLDS:%[a-z0-9_]+]] = arith.cmpi ne, [[FLAG]]
// CHECK: [[SHOWN:%[a-z0-9_]+]] = tensor.extract %n[] : tensor<i64>
// CHECK: [[NUMBER:%[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK: func.call @lamina_check([[HOLDS]], [[NUMBER]], [[SHOWN]], [[NUMBER]]) {lamina.check = {error = "DomainError", message = "found {}"}} : (i1, i64, i64, i64) -> ()
// CHECK: scf.for
// CHECK: [[ONE:%[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK: func.call @lamina_check(%{{.*}}, [[ONE]], {{.*}}) {lamina.check = {error = "ShapeError", message = "never"}}
// CHECK: func.func private @lamina_check(i1, i64, i64, i64)
func.func @checks(%ok: tensor<i1>, %n: tensor<i64>, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nd.check %ok, "DomainError", "found {}" [%n]
  %false = nd.constant dense<false> : tensor<i1>
  scf.for %i = %c0 to %count step %c1 {
    nd.check %false, "ShapeError", "never"
  }
  func.return
}

// -----

// A known value around a tensor is a fill, which readers look through.
// CHECK-LABEL: func.func @padded_with_a_constant(
// CHECK: [[TWO:%[a-z0-9_]+]] = arith.constant 2.000000e+00 : f32
// CHECK: [[F:%[a-z0-9_]+]] = linalg.fill ins([[TWO]]
// CHECK: tensor.insert_slice %x into [[F]][1] [4] [1]
func.func @padded_with_a_constant(%x: tensor<4xf32>) -> tensor<7xf32> {
  %two = nd.constant dense<2.0> : tensor<f32>
  %0 = nd.pad %x, %two low [1] high [2] : tensor<4xf32>, tensor<f32> -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// A condition is read as the i8 that it is in a tensor; other scalars as they are.
// CHECK-LABEL: func.func @conditions(%p: tensor<i8>, %n: tensor<i64>
// CHECK: [[BYTE:%[a-z0-9_]+]] = tensor.extract %p[] : tensor<i8>
// CHECK: %flag = arith.cmpi ne, [[BYTE]], %{{.*}} : i8
// CHECK: scf.if %flag -> (i64)
// CHECK: tensor.extract %n[] : tensor<i64>
func.func @conditions(%p: tensor<i1>, %n: tensor<i64>, %m: i64) -> i64 {
  %flag = tensor.extract %p[] : tensor<i1>
  %r = scf.if %flag -> (i64) {
    %v = tensor.extract %n[] : tensor<i64>
    scf.yield %v : i64
  } else {
    scf.yield %m : i64
  }
  func.return %r : i64
}

// -----

// A window is read at the place of each of its elements; what pads is the least value.
// CHECK-LABEL: func.func @windows(
// CHECK-DAG: [[LEAST:%[a-z0-9_]+]] = arith.constant 0xff800000 : f32
// CHECK: [[FRAME:%[a-z0-9_]+]] = linalg.fill ins([[LEAST]]
// CHECK: [[X:%[a-z0-9_]+]] = tensor.insert_slice {{.*}} into [[FRAME]][0, 1] [2, 9] [1, 1]
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, (d1 * 2))>, affine_map<(d0, d1) -> (d0, ((d1 * 2) + 1))>, affine_map<(d0, d1) -> (d0, ((d1 * 2) + 2))>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins([[X]], [[X]], [[X]]
// CHECK-COUNT-2: arith.maximumf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @windows(%x: tensor<2x9xf32>) -> tensor<2x5xf32> {
  %0 = nd.reduce_window "max" %x window [1, 3] strides [1, 2] padding [0, 0, 1, 1] dilation [1, 1] : tensor<2x9xf32> -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

// With a stride of 1 places start from 1: `d0` alone would say that the sizes are equal. Half types
// are summed in f32 and rounded once.
// CHECK-LABEL: func.func @dense_windows(
// CHECK: tensor.insert_slice {{.*}}[1] [9] [1] : tensor<9xf16> into tensor<10xf16>
// CHECK: affine_map<(d0) -> ((d0 + 1))>, affine_map<(d0) -> ((d0 + 3))>, affine_map<(d0) -> (d0)>]
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.truncf
func.func @dense_windows(%x: tensor<9xf16>) -> tensor<7xf16> {
  %0 = nd.reduce_window "sum" %x window [2] strides [1] padding [0, 0] dilation [2] : tensor<9xf16> -> tensor<7xf16>
  return %0 : tensor<7xf16>
}

// -----

// Many elements: blocks of 8, windows of blocks, then the 2 elements that are left.
// CHECK-LABEL: func.func @long_windows(
// CHECK: affine_map<(d0) -> (((d0 * 8) + 7))>
// CHECK-COUNT-7: arith.addi
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> ((d0 * 2))>, affine_map<(d0) -> (((d0 * 2) + 1))>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (((d0 * 16) + 16))>, affine_map<(d0) -> (((d0 * 16) + 17))>
// CHECK: return
func.func @long_windows(%x: tensor<70xi32>) -> tensor<4xi32> {
  %0 = nd.reduce_window "sum" %x window [18] strides [16] padding [0, 0] dilation [1] : tensor<70xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A dynamic size is that of the operand where nothing is folded; a window of one element moves.
// CHECK-LABEL: func.func @dynamic_windows(
// CHECK: [[N:%[a-z0-9_]+]] = tensor.dim %x
// CHECK: tensor.empty([[N]]) : tensor<?x2xi8>
// CHECK: affine_map<(d0, d1) -> (d0, (d1 * 3))>
// CHECK-NEXT: ^
// CHECK-NEXT: linalg.yield
func.func @dynamic_windows(%x: tensor<?x5xui8>) -> tensor<?x2xui8> {
  %0 = nd.reduce_window "min" %x window [1, 1] strides [1, 3] padding [0, 0, 0, 0] dilation [1, 1] : tensor<?x5xui8> -> tensor<?x2xui8>
  return %0 : tensor<?x2xui8>
}

// -----

// A gather reads at a computed place: negative indices count from the end, then are clamped.
// CHECK-LABEL: func.func @gather(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<5xi32>)
// CHECK-NEXT: ^bb0([[V:%[a-z0-9_]+]]: i32,
// CHECK: [[I:%[a-z0-9_]+]] = arith.index_cast [[V]] : i32 to index
// CHECK: [[N:%[a-z0-9_]+]] = arith.addi [[I]], {{.*}} : index
// CHECK: [[B:%[a-z0-9_]+]] = arith.cmpi slt, [[I]]
// CHECK: [[W:%[a-z0-9_]+]] = arith.select [[B]], [[N]], [[I]] : index
// CHECK: [[L:%[a-z0-9_]+]] = arith.minsi [[W]]
// CHECK: [[AT:%[a-z0-9_]+]] = arith.maxsi [[L]]
// CHECK: [[C:%[a-z0-9_]+]] = linalg.index 1
// CHECK: tensor.extract %x{{\[}}[[AT]], [[C]]] : tensor<10x3xf32>
func.func @gather(%x: tensor<10x3xf32>, %i: tensor<5xi32>) -> tensor<5x3xf32> {
  %0 = nd.gather %x[%i] axes [0] dims [1] index_dims [0] : tensor<10x3xf32>, tensor<5xi32> -> tensor<5x3xf32>
  func.return %0 : tensor<5x3xf32>
}

// -----

// Unsigned indices are never negative. A batch dim is read at its own place.
// CHECK-LABEL: func.func @unsigned_gather(
// CHECK: [[B:%[a-z0-9_]+]] = linalg.index 0
// CHECK: [[I:%[a-z0-9_]+]] = arith.index_castui %{{.*}} : i8 to index
// CHECK: [[AT:%[a-z0-9_]+]] = arith.minui [[I]]
// CHECK: tensor.extract %x{{\[}}[[B]], [[AT]]] : tensor<2x10xi8>
func.func @unsigned_gather(%x: tensor<2x10xi1>, %i: tensor<2x5xui8>) -> tensor<2x5xi1> {
  %0 = nd.gather %x[%i] axes [1] dims [0] index_dims [0, 1] : tensor<2x10xi1>, tensor<2x5xui8> -> tensor<2x5xi1>
  func.return %0 : tensor<2x5xi1>
}

// -----

// An axis of run-time size may be empty: then nothing is read.
// CHECK-LABEL: func.func @gather_of_run_time_size(
// CHECK: [[N:%[a-z0-9_]+]] = tensor.dim %x
// CHECK: [[SOME:%[a-z0-9_]+]] = arith.cmpi ne, [[N]]
// CHECK: scf.if [[SOME]]
// CHECK: tensor.extract %x
// CHECK: } else {
// CHECK: linalg.fill
func.func @gather_of_run_time_size(%x: tensor<?xf32>, %i: tensor<5xi64>) -> tensor<5xf32> {
  %0 = nd.gather %x[%i] axes [0] dims [] index_dims [0] : tensor<?xf32>, tensor<5xi64> -> tensor<5xf32>
  func.return %0 : tensor<5xf32>
}

// -----

// Rows are sorted along the last axis: another one is moved there and back. A few short rows by
// ranks, a longer one by the digits of its keys; searches are independent of each other.
// CHECK-LABEL: func.func @sorting(
// CHECK: linalg.generic
// CHECK: [[S:%[a-z0-9_]+]] = func.call @sort_0(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: linalg.generic {{.*}} ins([[S]]
// CHECK: func.call @argsort_0(%y, %{{.*}}) : (tensor<1000xi16>, tensor<1000xi64>) -> tensor<1000xi64>
// CHECK: func.call @searchsorted_0(%y, %{{.*}}, %{{.*}}) : (tensor<1000xi16>, tensor<?xi16>, tensor<?xi64>) -> tensor<?xi64>
// CHECK: func.func private @sort_0(
// CHECK: tensor.empty() : tensor<3xi32>
// CHECK: arith.bitcast {{.*}} : f32 to i32
// CHECK-NOT: arith.shrui
// CHECK: } {lamina.parallel = 96 : i64}
// CHECK: func.func private @argsort_0(
// CHECK-DAG: tensor.empty() : tensor<2x1000xi16>
// CHECK-DAG: tensor.empty() : tensor<2x256xi32>
// CHECK: arith.shrui
// CHECK: func.func private @searchsorted_0(
// CHECK: scf.while
// CHECK: {lamina.parallel = 8192 : i64}
func.func @sorting(%x: tensor<3x2xf32>, %y: tensor<1000xi16>, %v: tensor<?xi16>) -> (tensor<3x2xf32>, tensor<1000xi64>, tensor<?xi64>) {
  %0 = nd.sort %x axis 0 order "descending" : tensor<3x2xf32>
  %1 = nd.argsort %y axis 0 order "ascending" : tensor<1000xi16> -> tensor<1000xi64>
  %2 = nd.searchsorted %y, %v side "left" : tensor<1000xi16>, tensor<?xi16> -> tensor<?xi64>
  func.return %0, %1, %2 : tensor<3x2xf32>, tensor<1000xi64>, tensor<?xi64>
}

// -----

// More rows go side by side through a network of comparators: lanes, with no look at the data.
// Narrow keys carry the index in the same number, wide ones beside it.
// CHECK-LABEL: func.func @sorting_rows(
// CHECK: func.func private @sort_0(
// CHECK: tensor.empty() : tensor<5x32xi32>
// CHECK: arith.minui {{.*}} : i32
// CHECK: arith.maxui {{.*}} : i32
// CHECK: } {lamina.vector}
// CHECK: func.func private @argsort_0(
// CHECK: tensor.empty() : tensor<5x16xi64>
// CHECK: arith.shli
// CHECK: arith.minui {{.*}} : i64
// CHECK: func.func private @argsort_1(
// CHECK-COUNT-2: tensor.empty() : tensor<5x16xi64>
// CHECK-NOT: arith.shli
// CHECK: } {lamina.vector}
func.func @sorting_rows(%x: tensor<9x5xf32>, %y: tensor<9x5xf64>) -> (tensor<9x5xf32>, tensor<9x5xi64>, tensor<9x5xi64>) {
  %0 = nd.sort %x axis 1 order "ascending" : tensor<9x5xf32>
  %1 = nd.argsort %x axis 1 order "ascending" : tensor<9x5xf32> -> tensor<9x5xi64>
  %2 = nd.argsort %y axis 1 order "ascending" : tensor<9x5xf64> -> tensor<9x5xi64>
  func.return %0, %1, %2 : tensor<9x5xf32>, tensor<9x5xi64>, tensor<9x5xi64>
}

// -----

// Random bits: Philox of the element's number, in i64; the words of key and counter are read at
// constant places. Rank 0 is number 0; axes of size 1 count for nothing.
// CHECK-LABEL: func.func @random_bits(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (1)>, affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (1)>, affine_map<(d0, d1) -> (2)>, affine_map<(d0, d1) -> (3)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%key, %key, %counter, %counter, %counter, %counter : {{.*}}) outs(%{{.*}} : tensor<3x5xi32>)
// CHECK: linalg.index 0 : index
// CHECK: linalg.index 1 : index
// CHECK: arith.shrui
// CHECK: arith.constant 3528531795 : i64
// CHECK: arith.constant 3449720151 : i64
// CHECK: arith.constant 2654435769 : i64
// CHECK: arith.constant 3144134277 : i64
// CHECK: arith.select
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: linalg.generic {{.*}} iterator_types = []} ins({{.*}}) outs(%{{.*}} : tensor<i64>)
// CHECK-NOT: linalg.index
// CHECK: arith.ori
// CHECK: linalg.yield %{{.*}} : i64
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x0xi32>)
// CHECK-NOT: linalg.index 0
// CHECK: linalg.index 1
func.func @random_bits(%key: tensor<2xui32>, %counter: tensor<4xui32>) -> (tensor<3x5xui32>, tensor<ui64>, tensor<1x0xui32>) {
  %0 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<3x5xui32>
  %1 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<ui64>
  %2 = nd.random_bits %key, %counter : tensor<2xui32>, tensor<4xui32> -> tensor<1x0xui32>
  func.return %0, %1, %2 : tensor<3x5xui32>, tensor<ui64>, tensor<1x0xui32>
}

// -----

// Several streams: key and counter are read along the batch, whose axes do not count for the number.
// CHECK-LABEL: func.func @random_streams(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, 1)>, affine_map<(d0, d1) -> (d0, 0)>
// CHECK-NOT: linalg.index 0
// CHECK: linalg.index 1
func.func @random_streams(%key: tensor<3x2xui32>, %counter: tensor<3x4xui32>) -> tensor<3x5xui32> {
  %0 = nd.random_bits %key, %counter : tensor<3x2xui32>, tensor<3x4xui32> -> tensor<3x5xui32>
  func.return %0 : tensor<3x5xui32>
}

// -----

// A scatter is loops over the updates, in their order; those out of range are left out. A dim that
// is the operand's alone is walked in parallel.
// CHECK-LABEL: func.func @scatter(
// CHECK: func.call @scatter_0(%u, %i, %x) : (tensor<5x3xf16>, tensor<5xi32>, tensor<10x3xf16>) -> tensor<10x3xf16>
// CHECK: func.call @scatter_1(
// CHECK: func.func private @scatter_0([[U:%[a-z0-9_]+]]: tensor<5x3xf16>, [[I:%[a-z0-9_]+]]: tensor<5xi32>, [[X:%[a-z0-9_]+]]: tensor<10x3xf16>)
// CHECK: scf.for [[K:%[a-z0-9_]+]] = {{.*}} iter_args([[O:%[a-z0-9_]+]] = [[X]])
// CHECK: [[V:%[a-z0-9_]+]] = tensor.extract [[I]]{{\[}}[[K]]]
// CHECK: [[AT:%[a-z0-9_]+]] = arith.select
// CHECK: [[IN:%[a-z0-9_]+]] = arith.cmpi ult, [[AT]]
// CHECK: scf.if [[IN]]
// CHECK: scf.for [[D:%[a-z0-9_]+]]
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: arith.truncf
// CHECK: tensor.insert {{.*}}{{\[}}[[AT]], [[D]]]
// CHECK-NOT: lamina.parallel
// CHECK: func.func private @scatter_1(
// CHECK: lamina.parallel
func.func @scatter(%x: tensor<10x3xf16>, %u: tensor<5x3xf16>, %i: tensor<5xi32>, %w: tensor<10x5xf16>) -> (tensor<10x3xf16>, tensor<10x3xf16>) {
  %0 = nd.scatter "add" %x, %u[%i] axes [0] dims [1] index_dims [0] : tensor<10x3xf16>, tensor<5x3xf16>, tensor<5xi32> -> tensor<10x3xf16>
  %1 = nd.scatter "set" %x, %w[%i] axes [1] dims [0] index_dims [1] : tensor<10x3xf16>, tensor<10x5xf16>, tensor<5xi32> -> tensor<10x3xf16>
  func.return %0, %1 : tensor<10x3xf16>, tensor<10x3xf16>
}

// -----

// A run-time size is clamped from 0 to the axis, then the start so that the window is inside.
// CHECK-LABEL: func.func @run_time_window(
// CHECK-SAME: %[[X:.*]]: tensor<9xf32>, %[[I:.*]]: index, %[[N:.*]]: index
// CHECK: %[[LESS:.*]] = arith.minsi %[[N]], %[[NINE:.*]] : index
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[LESS]], %[[ZERO:.*]] : index
// CHECK: %[[ROOM:.*]] = arith.subi %[[NINE]], %[[SIZE]]
// CHECK: %[[LOW:.*]] = arith.minsi %[[I]], %[[ROOM]]
// CHECK: %[[START:.*]] = arith.maxsi %[[LOW]], %[[ZERO]]
// CHECK: tensor.extract_slice %[[X]][%[[START]]] [%[[SIZE]]] [1] : tensor<9xf32> to tensor<?xf32>
func.func @run_time_window(%x: tensor<9xf32>, %i: index, %n: index) -> tensor<?xf32> {
  %0 = nd.dynamic_slice %x [%i, %n] sizes [-1] : tensor<9xf32> -> tensor<?xf32>
  func.return %0 : tensor<?xf32>
}

// -----

// A row at a run-time place is read and written as one, without its dim of size 1.
// CHECK-LABEL: func.func @row_at_a_run_time_place(
// CHECK-NOT: linalg.generic
// CHECK: [[ROW:%[a-z0-9_]+]] = tensor.extract_slice %x[{{.*}}] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
// CHECK: linalg.generic {{.*}} ins([[ROW]]
// CHECK-NOT: linalg.generic
// CHECK: tensor.insert_slice %{{.*}} into %x[{{.*}}] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
func.func @row_at_a_run_time_place(%x: tensor<4x3xf32>, %i: index) -> tensor<4x3xf32> {
  %c0 = arith.constant 0 : index
  %w = nd.dynamic_slice %x [%i, %c0] sizes [1, 3] : tensor<4x3xf32> -> tensor<1x3xf32>
  %r = nd.reshape %w : tensor<1x3xf32> -> tensor<3xf32>
  %n = nd.negative %r : tensor<3xf32>
  %u = nd.reshape %n : tensor<3xf32> -> tensor<1x3xf32>
  %0 = nd.dynamic_update_slice %x, %u [%i, %c0] : tensor<1x3xf32> -> tensor<4x3xf32>
  func.return %0 : tensor<4x3xf32>
}

// -----

// Texts and C functions are calls; what they show keeps its nd type; functions of equal types are one.
// CHECK-LABEL: func.func @foreign(
// CHECK: [[ZERO:%[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK: func.call @lamina_print_0([[ZERO]], %b, %z) {lamina.text = {format = "{} {:.3f}", types = [tensor<2xi1>, tensor<4xcomplex<f32>>]}} : (i64, tensor<2xi8>, tensor<4x2xf32>) -> ()
// CHECK: [[ONE:%[a-z0-9_]+]] = arith.constant 1 : i64
// CHECK: func.call @lamina_print_0([[ONE]], %b, %z) {lamina.text = {format = "{}{}", types = [{{.*}}], error = "CheckError"}}
// CHECK: [[TWO:%[a-z0-9_]+]] = arith.constant 2 : i64
// CHECK: [[OUT:%[a-z0-9_]+]] = func.call @lamina_custom_call_0([[TWO]], %b, %{{.*}}) {lamina.check = {error = "LaminaError", message = "custom_call: f: expected status 0, found {}"}, lamina.custom_call = {symbol = "f", pure}} : (i64, tensor<2xi8>, tensor<3xi8>) -> tensor<3xi8>
// CHECK: func.func private @lamina_print_0(i64, tensor<2xi8>, tensor<4x2xf32>) -> () attributes {lamina.text}
// CHECK: func.func private @lamina_custom_call_0(i64, tensor<2xi8>, tensor<3xi8>) -> tensor<3xi8> attributes {lamina.custom_call}
func.func @foreign(%b: tensor<2xi1>, %z: tensor<4x2xf32>) -> tensor<3xui8> {
  nd.print "{} {:.3f}" [%b, %z] : tensor<2xi1>, tensor<4x2xf32> interleaved [1]
  nd.fail "CheckError", "{}{}" [%b, %z] : tensor<2xi1>, tensor<4x2xf32>
  %0 = nd.custom_call "f"(%b) pure : (tensor<2xi1>) -> tensor<3xui8>
  func.return %0 : tensor<3xui8>
}
