// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

// from negation to rounding, on floats
func.func @one_float_operand(%x: tensor<4xf32>) {
  %0 = nd.negative %x : tensor<4xf32>
  %1 = nd.abs %x : tensor<4xf32>
  %2 = nd.sign %x : tensor<4xf32>
  %3 = nd.sqrt %x : tensor<4xf32>
  %4 = nd.floor %x : tensor<4xf32>
  %5 = nd.ceil %x : tensor<4xf32>
  %6 = nd.trunc %x : tensor<4xf32>
  %7 = nd.round %x : tensor<4xf32>
  return
}
// CHECK-LABEL: @one_float_operand
// CHECK-SAME: %[[X:\w+]]: tensor<4xf32>
// CHECK: nd.negative %[[X]] : tensor<4xf32>
// CHECK: nd.abs %[[X]] : tensor<4xf32>
// CHECK: nd.sign %[[X]] : tensor<4xf32>
// CHECK: nd.sqrt %[[X]] : tensor<4xf32>
// CHECK: nd.floor %[[X]] : tensor<4xf32>
// CHECK: nd.ceil %[[X]] : tensor<4xf32>
// CHECK: nd.trunc %[[X]] : tensor<4xf32>
// CHECK: nd.round %[[X]] : tensor<4xf32>

// -----

// the ops of one operand that integers take
func.func @one_integer_operand(%x: tensor<4x8xi32>) {
  %0 = nd.negative %x : tensor<4x8xi32>
  %1 = nd.abs %x : tensor<4x8xi32>
  %2 = nd.sign %x : tensor<4x8xi32>
  %3 = nd.bitwise_invert %x : tensor<4x8xi32>
  return
}
// CHECK-LABEL: @one_integer_operand
// CHECK-SAME: %[[X:\w+]]: tensor<4x8xi32>
// CHECK: nd.negative %[[X]] : tensor<4x8xi32>
// CHECK: nd.abs %[[X]] : tensor<4x8xi32>
// CHECK: nd.sign %[[X]] : tensor<4x8xi32>
// CHECK: nd.bitwise_invert %[[X]] : tensor<4x8xi32>

// -----

// arithmetic, pow, copysign, nextafter, maximum and minimum
func.func @two_float_operands(%x: tensor<?x2xf64>, %y: tensor<?x2xf64>) {
  %0 = nd.add %x, %y : tensor<?x2xf64>
  %1 = nd.subtract %x, %y : tensor<?x2xf64>
  %2 = nd.multiply %x, %y : tensor<?x2xf64>
  %3 = nd.divide %x, %y : tensor<?x2xf64>
  %4 = nd.floor_divide %x, %y : tensor<?x2xf64>
  %5 = nd.remainder %x, %y : tensor<?x2xf64>
  %6 = nd.pow %x, %y : tensor<?x2xf64>
  %7 = nd.copysign %x, %y : tensor<?x2xf64>
  %8 = nd.maximum %x, %y : tensor<?x2xf64>
  %9 = nd.minimum %x, %y : tensor<?x2xf64>
  %10 = nd.nextafter %x, %y : tensor<?x2xf64>
  return
}
// CHECK-LABEL: @two_float_operands
// CHECK-SAME: %[[X:\w+]]: tensor<?x2xf64>, %[[Y:\w+]]: tensor<?x2xf64>
// CHECK: nd.add %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.subtract %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.multiply %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.divide %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.floor_divide %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.remainder %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.pow %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.copysign %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.maximum %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.minimum %[[X]], %[[Y]] : tensor<?x2xf64>
// CHECK: nd.nextafter %[[X]], %[[Y]] : tensor<?x2xf64>

// -----

// integers have bit ops and shifts, and no true division
func.func @two_integer_operands(%x: tensor<3xui16>, %y: tensor<3xui16>) {
  %0 = nd.add %x, %y : tensor<3xui16>
  %1 = nd.subtract %x, %y : tensor<3xui16>
  %2 = nd.multiply %x, %y : tensor<3xui16>
  %3 = nd.floor_divide %x, %y : tensor<3xui16>
  %4 = nd.remainder %x, %y : tensor<3xui16>
  %5 = nd.pow %x, %y : tensor<3xui16>
  %6 = nd.maximum %x, %y : tensor<3xui16>
  %7 = nd.minimum %x, %y : tensor<3xui16>
  %8 = nd.bitwise_and %x, %y : tensor<3xui16>
  %9 = nd.bitwise_or %x, %y : tensor<3xui16>
  %10 = nd.bitwise_xor %x, %y : tensor<3xui16>
  %11 = nd.left_shift %x, %y : tensor<3xui16>
  %12 = nd.right_shift %x, %y : tensor<3xui16>
  return
}
// CHECK-LABEL: @two_integer_operands
// CHECK-SAME: %[[X:\w+]]: tensor<3xui16>, %[[Y:\w+]]: tensor<3xui16>
// CHECK: nd.add %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.subtract %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.multiply %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.floor_divide %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.remainder %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.pow %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.maximum %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.minimum %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.bitwise_and %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.bitwise_or %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.bitwise_xor %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.left_shift %[[X]], %[[Y]] : tensor<3xui16>
// CHECK: nd.right_shift %[[X]], %[[Y]] : tensor<3xui16>

// -----

// on i1 the bit ops are the logical ones
func.func @logic(%x: tensor<2xi1>, %y: tensor<2xi1>) {
  %0 = nd.bitwise_and %x, %y : tensor<2xi1>
  %1 = nd.bitwise_or %x, %y : tensor<2xi1>
  %2 = nd.bitwise_xor %x, %y : tensor<2xi1>
  return
}
// CHECK-LABEL: @logic
// CHECK-SAME: %[[X:\w+]]: tensor<2xi1>, %[[Y:\w+]]: tensor<2xi1>
// CHECK: nd.bitwise_and %[[X]], %[[Y]] : tensor<2xi1>
// CHECK: nd.bitwise_or %[[X]], %[[Y]] : tensor<2xi1>
// CHECK: nd.bitwise_xor %[[X]], %[[Y]] : tensor<2xi1>

// -----

// comparisons give i1, of the same shape
func.func @comparisons(%x: tensor<?x3xbf16>, %y: tensor<?x3xbf16>) {
  %0 = nd.equal %x, %y : tensor<?x3xbf16> -> tensor<?x3xi1>
  %1 = nd.not_equal %x, %y : tensor<?x3xbf16> -> tensor<?x3xi1>
  %2 = nd.less %x, %y : tensor<?x3xbf16> -> tensor<?x3xi1>
  %3 = nd.less_equal %x, %y : tensor<?x3xbf16> -> tensor<?x3xi1>
  %4 = nd.greater %x, %y : tensor<?x3xbf16> -> tensor<?x3xi1>
  %5 = nd.greater_equal %x, %y : tensor<?x3xbf16> -> tensor<?x3xi1>
  return
}
// CHECK-LABEL: @comparisons
// CHECK-SAME: %[[X:\w+]]: tensor<?x3xbf16>, %[[Y:\w+]]: tensor<?x3xbf16>
// CHECK: nd.equal %[[X]], %[[Y]] : tensor<?x3xbf16> -> tensor<?x3xi1>
// CHECK: nd.not_equal %[[X]], %[[Y]] : tensor<?x3xbf16> -> tensor<?x3xi1>
// CHECK: nd.less %[[X]], %[[Y]] : tensor<?x3xbf16> -> tensor<?x3xi1>
// CHECK: nd.less_equal %[[X]], %[[Y]] : tensor<?x3xbf16> -> tensor<?x3xi1>
// CHECK: nd.greater %[[X]], %[[Y]] : tensor<?x3xbf16> -> tensor<?x3xi1>
// CHECK: nd.greater_equal %[[X]], %[[Y]] : tensor<?x3xbf16> -> tensor<?x3xi1>

// -----

// i1 has equality but no order
func.func @equality_of_i1(%x: tensor<5xi1>, %y: tensor<5xi1>) {
  %0 = nd.equal %x, %y : tensor<5xi1> -> tensor<5xi1>
  %1 = nd.not_equal %x, %y : tensor<5xi1> -> tensor<5xi1>
  return
}
// CHECK-LABEL: @equality_of_i1
// CHECK-SAME: %[[X:\w+]]: tensor<5xi1>, %[[Y:\w+]]: tensor<5xi1>
// CHECK: nd.equal %[[X]], %[[Y]] : tensor<5xi1> -> tensor<5xi1>
// CHECK: nd.not_equal %[[X]], %[[Y]] : tensor<5xi1> -> tensor<5xi1>

// -----

func.func @select(%p: tensor<4xi1>, %x: tensor<4xi8>, %y: tensor<4xi8>) {
  %0 = nd.select %p, %x, %y : tensor<4xi1>, tensor<4xi8>
  %1 = nd.select %p, %p, %p : tensor<4xi1>, tensor<4xi1>
  return
}
// CHECK-LABEL: @select
// CHECK-SAME: %[[P:\w+]]: tensor<4xi1>, %[[X:\w+]]: tensor<4xi8>, %[[Y:\w+]]: tensor<4xi8>
// CHECK: nd.select %[[P]], %[[X]], %[[Y]] : tensor<4xi1>, tensor<4xi8>
// CHECK: nd.select %[[P]], %[[P]], %[[P]] : tensor<4xi1>, tensor<4xi1>

// -----

// every element type, and from each to the next
func.func @cast(%x: tensor<2xf64>) {
  %0 = nd.cast %x : tensor<2xf64> -> tensor<2xi1>
  %1 = nd.cast %0 : tensor<2xi1> -> tensor<2xi8>
  %2 = nd.cast %1 : tensor<2xi8> -> tensor<2xi16>
  %3 = nd.cast %2 : tensor<2xi16> -> tensor<2xi32>
  %4 = nd.cast %3 : tensor<2xi32> -> tensor<2xi64>
  %5 = nd.cast %4 : tensor<2xi64> -> tensor<2xui8>
  %6 = nd.cast %5 : tensor<2xui8> -> tensor<2xui16>
  %7 = nd.cast %6 : tensor<2xui16> -> tensor<2xui32>
  %8 = nd.cast %7 : tensor<2xui32> -> tensor<2xui64>
  %9 = nd.cast %8 : tensor<2xui64> -> tensor<2xf16>
  %10 = nd.cast %9 : tensor<2xf16> -> tensor<2xbf16>
  %11 = nd.cast %10 : tensor<2xbf16> -> tensor<2xf32>
  %12 = nd.cast %11 : tensor<2xf32> -> tensor<2xf64>
  return
}
// CHECK-LABEL: @cast
// CHECK-SAME: %[[X:\w+]]: tensor<2xf64>
// CHECK: nd.cast %{{.*}} : tensor<2xf64> -> tensor<2xi1>
// CHECK: nd.cast %{{.*}} : tensor<2xi1> -> tensor<2xi8>
// CHECK: nd.cast %{{.*}} : tensor<2xi8> -> tensor<2xi16>
// CHECK: nd.cast %{{.*}} : tensor<2xi16> -> tensor<2xi32>
// CHECK: nd.cast %{{.*}} : tensor<2xi32> -> tensor<2xi64>
// CHECK: nd.cast %{{.*}} : tensor<2xi64> -> tensor<2xui8>
// CHECK: nd.cast %{{.*}} : tensor<2xui8> -> tensor<2xui16>
// CHECK: nd.cast %{{.*}} : tensor<2xui16> -> tensor<2xui32>
// CHECK: nd.cast %{{.*}} : tensor<2xui32> -> tensor<2xui64>
// CHECK: nd.cast %{{.*}} : tensor<2xui64> -> tensor<2xf16>
// CHECK: nd.cast %{{.*}} : tensor<2xf16> -> tensor<2xbf16>
// CHECK: nd.cast %{{.*}} : tensor<2xbf16> -> tensor<2xf32>
// CHECK: nd.cast %{{.*}} : tensor<2xf32> -> tensor<2xf64>

// -----

// every numeric element type, in ranks 0 to 4, with sizes 0, 1 and ?
func.func @element_types(%i8: tensor<i8>, %i16: tensor<0xi16>, %i32: tensor<1xi32>, %i64: tensor<?xi64>, %ui8: tensor<4x?xui8>, %ui16: tensor<2x3x4x5xui16>, %ui32: tensor<ui32>, %ui64: tensor<?x0xui64>, %f16: tensor<8xf16>, %bf16: tensor<1x1xbf16>, %f32: tensor<3x3x3xf32>, %f64: tensor<16xf64>) {
  %0 = nd.add %i8, %i8 : tensor<i8>
  %1 = nd.add %i16, %i16 : tensor<0xi16>
  %2 = nd.add %i32, %i32 : tensor<1xi32>
  %3 = nd.add %i64, %i64 : tensor<?xi64>
  %4 = nd.add %ui8, %ui8 : tensor<4x?xui8>
  %5 = nd.add %ui16, %ui16 : tensor<2x3x4x5xui16>
  %6 = nd.add %ui32, %ui32 : tensor<ui32>
  %7 = nd.add %ui64, %ui64 : tensor<?x0xui64>
  %8 = nd.add %f16, %f16 : tensor<8xf16>
  %9 = nd.add %bf16, %bf16 : tensor<1x1xbf16>
  %10 = nd.add %f32, %f32 : tensor<3x3x3xf32>
  %11 = nd.add %f64, %f64 : tensor<16xf64>
  return
}
// CHECK-LABEL: @element_types
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<i8>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<0xi16>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<1xi32>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<?xi64>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<4x?xui8>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<2x3x4x5xui16>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<ui32>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<?x0xui64>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<8xf16>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<1x1xbf16>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<3x3x3xf32>
// CHECK: nd.add %{{.*}}, %{{.*}} : tensor<16xf64>

// -----

// attributes that are not the op's own are kept
func.func @foreign_attributes(%x: tensor<f32>) {
  %0 = nd.sqrt %x {note = "kept"} : tensor<f32>
  return
}
// CHECK-LABEL: @foreign_attributes
// CHECK: nd.sqrt %{{.*}} {note = "kept"} : tensor<f32>
