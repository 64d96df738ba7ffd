// RUN: %opt %s --split-input-file | %opt --split-input-file | %check
// RUN: %opt %s --split-input-file --print-op-generic | %opt --split-input-file | %check

// batch dims, then the free dims of the left, then of the right
func.func @dot_general(%x: tensor<2x3x4xf32>, %y: tensor<5x4x2xf32>, %v: tensor<4xi8>, %w: tensor<?xi8>) {
  %0 = nd.dot_general %x, %y batch [0] [2] contract [2] [1] : tensor<2x3x4xf32>, tensor<5x4x2xf32> -> tensor<2x3x5xf32>
  %1 = nd.dot_general %v, %w batch [] [] contract [0] [0] : tensor<4xi8>, tensor<?xi8> -> tensor<i8>
  %2 = nd.dot_general %v, %w batch [] [] contract [] [] : tensor<4xi8>, tensor<?xi8> -> tensor<4x?xi8>
  return
}
// CHECK-LABEL: @dot_general
// CHECK-SAME: %[[X:\w+]]: tensor<2x3x4xf32>, %[[Y:\w+]]: tensor<5x4x2xf32>, %[[V:\w+]]: tensor<4xi8>, %[[W:\w+]]: tensor<?xi8>
// CHECK: nd.dot_general %[[X]], %[[Y]] batch [0] [2] contract [2] [1] : tensor<2x3x4xf32>, tensor<5x4x2xf32> -> tensor<2x3x5xf32>
// CHECK: nd.dot_general %[[V]], %[[W]] batch [] [] contract [0] [0] : tensor<4xi8>, tensor<?xi8> -> tensor<i8>
// CHECK: nd.dot_general %[[V]], %[[W]] batch [] [] contract [] [] : tensor<4xi8>, tensor<?xi8> -> tensor<4x?xi8>

// -----

func.func @conv(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>, %n: tensor<?x2x?xbf16>, %k: tensor<3x2x2xbf16>) {
  %0 = nd.conv %x, %w strides [2, 1] padding [1, 1, 0, 2] dilation [1, 2] groups 2 : tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x5x7xf32>
  %1 = nd.conv %n, %k strides [1] padding [0, 0] dilation [1] groups 1 : tensor<?x2x?xbf16>, tensor<3x2x2xbf16> -> tensor<?x3x?xbf16>
  return
}
// CHECK-LABEL: @conv
// CHECK-SAME: %[[X:\w+]]: tensor<1x4x9x9xf32>, %[[W:\w+]]: tensor<6x2x3x3xf32>, %[[N:\w+]]: tensor<?x2x?xbf16>, %[[K:\w+]]: tensor<3x2x2xbf16>
// CHECK: nd.conv %[[X]], %[[W]] strides [2, 1] padding [1, 1, 0, 2] dilation [1, 2] groups 2 : tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x5x7xf32>
// CHECK: nd.conv %[[N]], %[[K]] strides [1] padding [0, 0] dilation [1] groups 1 : tensor<?x2x?xbf16>, tensor<3x2x2xbf16> -> tensor<?x3x?xbf16>

// -----

// sizes that are not known are not refused: groups of ? channels
func.func @conv_of_unknown_channels(%x: tensor<1x?x4xf32>, %w: tensor<?x?x1xf32>) {
  %0 = nd.conv %x, %w strides [1] padding [0, 0] dilation [1] groups 3 : tensor<1x?x4xf32>, tensor<?x?x1xf32> -> tensor<1x?x4xf32>
  return
}
// CHECK-LABEL: @conv_of_unknown_channels
// CHECK: nd.conv
// CHECK-SAME: groups 3 : tensor<1x?x4xf32>, tensor<?x?x1xf32> -> tensor<1x?x4xf32>
