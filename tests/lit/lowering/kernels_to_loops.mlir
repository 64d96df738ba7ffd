// RUN: %opt -p kernels-to-loops --split-input-file --verify-diagnostics %s | %check
// RUN: %opt -p 'kernels-to-loops{tile-rows=4}' --split-input-file --verify-diagnostics %s | %check --check-prefix TILE
// RUN: %opt -p 'kernels-to-loops{tile-rows=2 tile-vectors=2 fma=false}' --split-input-file --verify-diagnostics %s | %check --check-prefix NOFMA
// RUN: %opt -p 'kernels-to-loops{parallel=false}' --split-input-file --verify-diagnostics %s | %check --check-prefix SERIAL
// RUN: %opt -p kernels-to-loops,kernels-to-loops --split-input-file --verify-diagnostics %s | %check --check-prefix TWICE

// Dims that are contiguous everywhere are walked as one: whole vectors, then the rest one by one.
// CHECK-LABEL: func.func private @elementwise(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<5x7xf32>, [[OUT:%[a-z0-9_]+]]: memref<5x7xf32>)
// CHECK-DAG: [[F:%[a-z0-9_]+]] = memref.collapse_shape [[X]] {{.*}} into memref<35xf32>
// CHECK-DAG: [[G:%[a-z0-9_]+]] = memref.collapse_shape [[OUT]] {{.*}} into memref<35xf32>
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK-NEXT: [[V:%[a-z0-9_]+]] = vector.load [[F]]{{\[}}[[I]]] : memref<35xf32>, vector<16xf32>
// CHECK-NEXT: [[N:%[a-z0-9_]+]] = arith.negf [[V]] : vector<16xf32>
// CHECK-NEXT: vector.store [[N]], [[G]]{{\[}}[[I]]]
// CHECK: scf.for [[J:%[a-z0-9_]+]] =
// CHECK-NEXT: memref.load [[F]]{{\[}}[[J]]]
// CHECK-NOT: linalg
// TWICE-LABEL: func.func private @elementwise(
// TWICE-COUNT-2: arith.negf
// TWICE-NOT: arith.negf
// TWICE: func.return
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @elementwise(%x: memref<5x7xf32>, %out: memref<5x7xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<5x7xf32>) outs(%out : memref<5x7xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// A transposed read keeps its dims apart.
// CHECK-LABEL: func.func private @transposed(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<5x16xf32>, [[OUT:%[a-z0-9_]+]]: memref<16x5xf32>)
// CHECK-NOT: memref.collapse_shape
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: scf.for [[J:%[a-z0-9_]+]] =
// CHECK: [[V:%[a-z0-9_]+]] = memref.load [[X]]{{\[}}[[J]], [[I]]]
// CHECK: [[N:%[a-z0-9_]+]] = arith.negf [[V]]
// CHECK: memref.store [[N]], [[OUT]]{{\[}}[[I]], [[J]]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func private @transposed(%x: memref<5x16xf32>, %out: memref<16x5xf32>) {
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<5x16xf32>) outs(%out : memref<16x5xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// A large one is read and written in tiles of 16 rows: 16 vectors are read, transposed by shuffles,
// and written; rows and columns that fill no tile are done one by one.
// CHECK-LABEL: func.func private @tiles(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<33x20xf32>, [[Y:%[a-z0-9_]+]]: memref<20x33xf32>, [[OUT:%[a-z0-9_]+]]: memref<20x33xf32>)
// CHECK: scf.for [[J:%[a-z0-9_]+]] =
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK-COUNT-16: vector.load [[X]]{{.*}} : memref<33x20xf32>, vector<16xf32>
// CHECK: vector.shuffle {{.*}}[0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29]
// CHECK: vector.shuffle {{.*}}[0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
// CHECK: vector.load [[Y]]{{\[}}[[I]], [[J]]]
// CHECK: vector.store {{.*}}, [[OUT]]{{\[}}[[I]], [[J]]]
// CHECK: memref.store {{.*}}, [[OUT]]
// CHECK: memref.store {{.*}}, [[OUT]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func private @tiles(%x: memref<33x20xf32>, %y: memref<20x33xf32>, %out: memref<20x33xf32>) {
  linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<33x20xf32>, memref<20x33xf32>) outs(%out : memref<20x33xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// Much work is shared by threads: a task is a part of the one merged dim; the pass can be told not to.
// CHECK-LABEL: func.func private @large(
// CHECK: scf.parallel ([[P:%[a-z0-9_]+]]) =
// CHECK: scf.for [[I:%[a-z0-9_]+]] = [[P]] to
// CHECK: vector.load %{{.*}}{{\[}}[[I]]]
// CHECK: scf.reduce
// SERIAL-LABEL: func.func private @large(
// SERIAL-NOT: scf.parallel
// SERIAL: vector.load
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @large(%x: memref<1000x1000xf32>, %out: memref<1000x1000xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1000x1000xf32>) outs(%out : memref<1000x1000xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// Unknown sizes are taken to be large; the size is read from a buffer.
// CHECK-LABEL: func.func private @run_time_sizes(
// CHECK: memref.dim
// CHECK: scf.parallel
// CHECK: vector.load
// CHECK: memref.load
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @run_time_sizes(%x: memref<?x?xf32>, %out: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// Softmax: one loop over rows around all stages. Temporaries are one row or one number; nothing
// has the input's size.
// CHECK-LABEL: func.func private @softmax(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<4x40xf32>, [[OUT:%[a-z0-9_]+]]: memref<4x40xf32>)
// CHECK-NOT: memref.alloc{{.*}}4x40
// CHECK: memref.alloca() : memref<40xf32>
// CHECK-NOT: memref.alloc{{.*}}4x40
// CHECK: scf.for [[ROW:%[a-z0-9_]+]] =
// CHECK: vector.load [[X]]{{\[}}[[ROW]], %{{.*}}]
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK: vector.store %{{.*}}, [[OUT]]{{\[}}[[ROW]], %{{.*}}]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @softmax(%x: memref<4x40xf32>, %out: memref<4x40xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%least : f32) outs(%m : memref<4xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x40xf32>) outs(%m : memref<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  }
  %e = memref.alloc() : memref<4x40xf32>
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : memref<4x40xf32>, memref<4xf32>) outs(%e : memref<4x40xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %d = arith.subf %v, %w : f32
    %s = math.exp %d : f32
    linalg.yield %s : f32
  }
  %t = memref.alloc() : memref<4xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<4xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%e : memref<4x40xf32>) outs(%t : memref<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %t : memref<4x40xf32>, memref<4xf32>) outs(%out : memref<4x40xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.divf %v, %w : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// Temporaries of run-time size are given back behind the loops that use them.
// CHECK-LABEL: func.func private @run_time_rows(
// CHECK: [[T:%[a-z0-9_]+]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: scf.for
// CHECK: math.exp
// CHECK: memref.dealloc [[T]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @run_time_rows(%x: memref<4x?xf32>, %out: memref<4xf32>, %q: memref<4x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<4x?xf32>
  %e = memref.alloc(%n) : memref<4x?xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4x?xf32>) outs(%e : memref<4x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = math.exp %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%e : memref<4x?xf32>) outs(%out : memref<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %out : memref<4x?xf32>, memref<4xf32>) outs(%q : memref<4x?xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %s = arith.subf %v, %w : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// A fold that is exact in any order keeps four vectors, so that a step need not wait for the last.
// CHECK-LABEL: func.func private @long_max(
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: arith.maximumf {{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK-COUNT-3: arith.maximumf {{.*}} : vector<16xf32>
func.func private @long_max(%x: memref<208xf32>, %out: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<208xf32>) outs(%out : memref<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.maximumf %o, %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// The sum down columns: lanes lie along the columns, rows are added one after the other.
// CHECK-LABEL: func.func private @columns(
// CHECK: scf.for [[J:%[a-z0-9_]+]] =
// CHECK: scf.for [[I:%[a-z0-9_]+]] = {{.*}} iter_args
// CHECK: vector.load %{{.*}}{{\[}}[[I]], [[J]]] : memref<8x33xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}}, %{{.*}}{{\[}}[[J]]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func private @columns(%x: memref<8x33xf32>, %out: memref<33xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<8x33xf32>) outs(%out : memref<33xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// The sum down many rows: a panel of columns keeps its accumulators in memory, 8 neighbouring rows are
// read for each vector of it, and their sum goes to the lowest empty level of a binary counter.
// CHECK-LABEL: func.func private @panel(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<50x33xf32>, [[OUT:%[a-z0-9_]+]]: memref<33xf32>)
// CHECK: [[LEVELS:%[a-z0-9_]+]] = memref.alloc() : memref<96xf32>
// CHECK: scf.for
// CHECK: [[EMPTY:%[a-z0-9_]+]] = scf.while
// CHECK: scf.for
// CHECK-COUNT-8: vector.load [[X]]
// CHECK: scf.for %{{.*}} = %{{.*}} to [[EMPTY]]
// CHECK-NEXT: [[AT:%[a-z0-9_]+]] = arith.muli
// CHECK: vector.load [[LEVELS]]
// CHECK: vector.store %{{.*}}, [[LEVELS]]
// CHECK: vector.store %{{.*}}, [[OUT]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func private @panel(%x: memref<50x33xf32>, %out: memref<33xf32>) {
  linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<50x33xf32>) outs(%out : memref<33xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// A long sum: blocks of 8 vectors, their sums on a binary counter (so the error stays small).
// CHECK-LABEL: func.func private @long_sum(
// CHECK: [[STACK:%[a-z0-9_]+]] = memref.alloca()
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.while
// CHECK: vector.load [[STACK]]
// CHECK: vector.store %{{.*}}, [[STACK]]
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func private @long_sum(%x: memref<1000xf32>, %out: memref<f32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%out : memref<f32>)
  linalg.generic {indexing_maps = [#id, #zero], iterator_types = ["reduction"]} ins(%x : memref<1000xf32>) outs(%out : memref<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// Two results (argmax): one element after the other, both carried.
// CHECK-LABEL: func.func private @argmax(
// CHECK: [[R:%[a-z0-9_]+]], [[S:%[a-z0-9_]+]] = scf.for [[I:%[a-z0-9_]+]] = {{.*}} -> (f32, i64)
// CHECK: memref.load %{{.*}}{{\[}}[[I]]]
// CHECK: arith.index_cast [[I]]
// CHECK: memref.store [[R]]
// CHECK: memref.store [[S]]
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
func.func private @argmax(%x: memref<20xf32>, %best: memref<f32>, %at: memref<i64>) {
  linalg.generic {indexing_maps = [#id, #zero, #zero], iterator_types = ["reduction"]} ins(%x : memref<20xf32>) outs(%best, %at : memref<f32>, memref<i64>) {
  ^bb0(%v: f32, %o: f32, %p: i64):
    %k = linalg.index 0 : index
    %n = arith.index_cast %k : index to i64
    %better = arith.cmpf ogt, %v, %o : f32
    %new = arith.select %better, %v, %o : f32
    %place = arith.select %better, %n, %p : i64
    linalg.yield %new, %place : f32, i64
  }
  func.return
}

// -----

// The index along the lanes counts up; the index of another dim is the same in all of them.
// CHECK-LABEL: func.func private @indices(
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: scf.for [[J:%[a-z0-9_]+]] =
// CHECK-DAG: [[A:%[a-z0-9_]+]] = vector.broadcast [[I]] : index to vector<8xindex>
// CHECK-DAG: [[B:%[a-z0-9_]+]] = vector.broadcast [[J]] : index to vector<8xindex>
// CHECK-DAG: [[LANES:%[a-z0-9_]+]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
// CHECK-DAG: [[C:%[a-z0-9_]+]] = arith.addi [[B]], [[LANES]]
// CHECK: arith.addi [[A]], [[C]]
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @indices(%out: memref<4x32xi64>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%out : memref<4x32xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %j : index
    %n = arith.index_cast %k : index to i64
    linalg.yield %n : i64
  }
  func.return
}

// -----

// Elements at computed places are read lane by lane, the rest of the body has vectors.
// CHECK-LABEL: func.func private @lookup(
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: [[V:%[a-z0-9_]+]] = vector.load %{{.*}}{{\[}}[[I]]] : memref<32xi64>, vector<8xi64>
// CHECK: [[P:%[a-z0-9_]+]] = arith.index_cast [[V]]
// CHECK: [[Q:%[a-z0-9_]+]] = vector.extract [[P]][0]
// CHECK: memref.load %{{.*}}{{\[}}[[Q]]] : memref<9xf32>
// CHECK: vector.insert
// CHECK: math.exp {{.*}} : vector<8xf32>
#id = affine_map<(d0) -> (d0)>
func.func private @lookup(%x: memref<32xi64>, %t: memref<9xf32>, %out: memref<32xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<32xi64>) outs(%out : memref<32xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %w = memref.load %t[%p] : memref<9xf32>
    %e = math.exp %w : f32
    linalg.yield %e : f32
  }
  func.return
}

// -----

// What does not change along a row is computed once, the row is read in vectors. Dims that the
// body reads side by side are one.
// CHECK-LABEL: func.func private @rows(
// CHECK: [[T:%[a-z0-9_]+]] = memref.collapse_shape {{.*}} : memref<9x4x8xf32> into memref<9x32xf32>
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: [[V:%[a-z0-9_]+]] = memref.load %{{.*}}{{\[}}[[I]]] : memref<5xi64>
// CHECK: [[P:%[a-z0-9_]+]] = arith.index_cast [[V]] : i64 to index
// CHECK: scf.for [[J:%[a-z0-9_]+]] =
// CHECK-NEXT: [[R:%[a-z0-9_]+]] = vector.load [[T]]{{\[}}[[P]], [[J]]] : memref<9x32xf32>, vector<16xf32>
// CHECK-NEXT: vector.store [[R]]
#row = affine_map<(d0, d1, d2) -> (d0)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func private @rows(%i: memref<5xi64>, %t: memref<9x4x8xf32>, %out: memref<5x4x8xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : memref<5xi64>) outs(%out : memref<5x4x8xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %b = linalg.index 2 : index
    %w = memref.load %t[%p, %a, %b] : memref<9x4x8xf32>
    linalg.yield %w : f32
  }
  func.return
}

// -----

// The rows of a large buffer are asked for some trips before they are read, line by line; never one
// beyond the last. Short rows are written out.
// CHECK-LABEL: func.func private @rows_ahead(
// CHECK: scf.for [[I:%[a-z0-9_]+]] =
// CHECK: [[AHEAD:%[a-z0-9_]+]] = arith.addi [[I]], %{{.*}} : index
// CHECK: [[N:%[a-z0-9_]+]] = arith.constant 49 : index
// CHECK: [[LATER:%[a-z0-9_]+]] = arith.minui [[AHEAD]], [[N]] : index
// CHECK: [[V:%[a-z0-9_]+]] = memref.load %{{.*}}{{\[}}[[LATER]]] : memref<50xi64>
// CHECK: [[P:%[a-z0-9_]+]] = arith.index_cast [[V]] : i64 to index
// CHECK-COUNT-2: memref.prefetch %{{.*}}{{\[}}[[P]], %{{.*}}], read, locality<3>, data : memref<9000x32xf32>
// CHECK-NOT: memref.prefetch
// CHECK: memref.load %{{.*}}{{\[}}[[I]]] : memref<50xi64>
// CHECK-NOT: scf.for
// CHECK-COUNT-2: vector.store %{{.*}} : memref<50x32xf32>, vector<16xf32>
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @rows_ahead(%i: memref<50xi64>, %t: memref<9000x32xf32>, %out: memref<50x32xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<50xi64>) outs(%out : memref<50x32xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<9000x32xf32>
    linalg.yield %w : f32
  }
  func.return
}

// -----

// Nothing is asked for in a small buffer, in rows shorter than a line or longer than 1 KiB, for few
// rows, or where every index is known.
// CHECK-LABEL: func.func private @small_buffer(
// CHECK-NOT: memref.prefetch
// CHECK: {{vector|memref}}.store
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @small_buffer(%i: memref<50xi64>, %t: memref<90x32xf32>, %out: memref<50x32xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<50xi64>) outs(%out : memref<50x32xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<90x32xf32>
    linalg.yield %w : f32
  }
  func.return
}
// CHECK-LABEL: func.func private @short_rows(
// CHECK-NOT: memref.prefetch
// CHECK: {{vector|memref}}.store
func.func private @short_rows(%i: memref<50xi64>, %t: memref<90000x8xf32>, %out: memref<50x8xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<50xi64>) outs(%out : memref<50x8xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<90000x8xf32>
    linalg.yield %w : f32
  }
  func.return
}
// CHECK-LABEL: func.func private @long_rows(
// CHECK-NOT: memref.prefetch
// CHECK: {{vector|memref}}.store
func.func private @long_rows(%i: memref<50xi64>, %t: memref<9000x512xf32>, %out: memref<50x512xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<50xi64>) outs(%out : memref<50x512xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<9000x512xf32>
    linalg.yield %w : f32
  }
  func.return
}
// CHECK-LABEL: func.func private @few_rows(
// CHECK-NOT: memref.prefetch
// CHECK: {{vector|memref}}.store
func.func private @few_rows(%i: memref<16xi64>, %t: memref<9000x32xf32>, %out: memref<16x32xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<16xi64>) outs(%out : memref<16x32xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<9000x32xf32>
    linalg.yield %w : f32
  }
  func.return
}
// CHECK-LABEL: func.func private @known_rows(
// CHECK-NOT: memref.prefetch
// CHECK: {{vector|memref}}.store
func.func private @known_rows(%t: memref<9000x40xf32>, %out: memref<50x32xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%out : memref<50x32xf32>) {
  ^bb0(%o: f32):
    %r = linalg.index 0 : index
    %a = linalg.index 1 : index
    %w = memref.load %t[%r, %a] : memref<9000x40xf32>
    linalg.yield %w : f32
  }
  func.return
}

// -----

// A result larger than the caches is stored past them, where it is aligned.
// CHECK-LABEL: func.func private @past_the_caches(
// CHECK-SAME: [[OUT:%[a-z0-9_]+]]: memref<700000x32xf32>)
// CHECK: [[ADDRESS:%[a-z0-9_]+]] = memref.extract_aligned_pointer_as_index [[OUT]] : memref<700000x32xf32> -> index
// CHECK: [[MASK:%[a-z0-9_]+]] = arith.constant 15 : index
// CHECK: [[REST:%[a-z0-9_]+]] = arith.andi [[ADDRESS]], [[MASK]] : index
// CHECK: [[ALIGNED:%[a-z0-9_]+]] = arith.cmpi eq, [[REST]], %{{.*}} : index
// CHECK: scf.if [[ALIGNED]] {
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 16 : i64, nontemporal = true} : memref<700000x32xf32>, vector<16xf32>
// CHECK-NEXT: } else {
// CHECK-COUNT-2: vector.store %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}] : memref<700000x32xf32>
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @past_the_caches(%i: memref<700000xi64>, %t: memref<9000x32xf32>, %out: memref<700000x32xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<700000xi64>) outs(%out : memref<700000x32xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<9000x32xf32>
    linalg.yield %w : f32
  }
  func.return
}

// -----

// Not past the caches: a small result, rows that vectors do not fill, a result that is read in the
// kernel.
// CHECK-LABEL: func.func private @into_the_caches(
// CHECK-NOT: nontemporal
// CHECK: func.return
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @into_the_caches(%i: memref<500000xi64>, %t: memref<9000x32xf32>, %out: memref<500000x32xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<500000xi64>) outs(%out : memref<500000x32xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<9000x32xf32>
    linalg.yield %w : f32
  }
  func.return
}
// CHECK-LABEL: func.func private @rest_of_a_row(
// CHECK-NOT: nontemporal
// CHECK: func.return
func.func private @rest_of_a_row(%i: memref<700000xi64>, %t: memref<9000x33xf32>, %out: memref<700000x33xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<700000xi64>) outs(%out : memref<700000x33xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<9000x33xf32>
    linalg.yield %w : f32
  }
  func.return
}
// CHECK-LABEL: func.func private @read_in_the_kernel(
// CHECK-NOT: nontemporal
// CHECK: arith.addf
func.func private @read_in_the_kernel(%i: memref<700000xi64>, %t: memref<9000x32xf32>, %out: memref<700000x32xf32>, %sums: memref<700000xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : memref<700000xi64>) outs(%out : memref<700000x32xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %w = memref.load %t[%p, %a] : memref<9000x32xf32>
    linalg.yield %w : f32
  }
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sums : memref<700000xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%out : memref<700000x32xf32>) outs(%sums : memref<700000xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// Dims whose indices are read in another order, or where the buffer is wider, are not one; lanes
// that lie across the buffer's rows read element by element.
// CHECK-LABEL: func.func private @not_side_by_side(
// CHECK-NOT: memref.collapse_shape {{.*}}memref<9x8x4xf32>
// CHECK-NOT: memref.collapse_shape {{.*}}memref<9x4x9xf32>
// CHECK: memref.load %{{.*}} : memref<9x8x4xf32>
// CHECK: vector.load %{{.*}} : memref<9x4x9xf32>, vector<8xf32>
#row = affine_map<(d0, d1, d2) -> (d0)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func private @not_side_by_side(%i: memref<5xi64>, %t: memref<9x8x4xf32>, %u: memref<9x4x9xf32>, %out: memref<5x4x8xf32>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : memref<5xi64>) outs(%out : memref<5x4x8xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %a = linalg.index 1 : index
    %b = linalg.index 2 : index
    %w = memref.load %t[%p, %b, %a] : memref<9x8x4xf32>
    %x = memref.load %u[%p, %a, %b] : memref<9x4x9xf32>
    %s = arith.addf %w, %x : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// A matrix product with a bias: columns are packed, the tile's rows are one vector.fma each, the
// epilogue is in the tile's store. The rows of the tile are an option of the pass.
// CHECK-LABEL: func.func private @dot(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<8x3xf32>, [[W:%[a-z0-9_]+]]: memref<3x16xf32>, [[B:%[a-z0-9_]+]]: memref<16xf32>, [[OUT:%[a-z0-9_]+]]: memref<8x16xf32>)
// CHECK-NOT: memref.alloc{{.*}}8x16
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-6: vector.fma
// CHECK: scf.yield
// CHECK: [[V:%[a-z0-9_]+]] = vector.load [[B]]
// CHECK: [[S:%[a-z0-9_]+]] = arith.addf %{{.*}}, [[V]] : vector<16xf32>
// CHECK: vector.store [[S]], [[OUT]]
// TILE-LABEL: func.func private @dot(
// TILE: scf.for {{.*}} iter_args(
// TILE-COUNT-4: vector.fma
// TILE-NOT: vector.fma
// TILE: scf.yield
// TILE-COUNT-4: arith.addf {{.*}} : vector<16xf32>
// TILE-NOT: arith.addf
// TILE: func.return
// NOFMA-LABEL: func.func private @dot(
// NOFMA-NOT: vector.fma
// NOFMA: scf.for {{.*}} iter_args(
// NOFMA-COUNT-2: arith.mulf {{.*}} : vector<16xf32>
// NOFMA-NOT: arith.mulf
// NOFMA: func.return
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
func.func private @dot(%x: memref<8x3xf32>, %w: memref<3x16xf32>, %b: memref<16xf32>, %out: memref<8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<8x16xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<8x16xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x3xf32>, memref<3x16xf32>) outs(%p : memref<8x16xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %b : memref<8x16xf32>, memref<16xf32>) outs(%out : memref<8x16xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %s = arith.addf %v, %u : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// Halves are widened while they are packed, and accumulate in f32.
// CHECK-LABEL: func.func private @half_dot(
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: vector.fma {{.*}} : vector<16xf32>
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xf16>
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func private @half_dot(%x: memref<8x3xf16>, %w: memref<3x16xf16>, %out: memref<8x16xf16>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<8x16xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<8x16xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x3xf16>, memref<3x16xf16>) outs(%p : memref<8x16xf32>) {
  ^bb0(%v: f16, %u: f16, %o: f32):
    %a = arith.extf %v : f16 to f32
    %b = arith.extf %u : f16 to f32
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : memref<8x16xf32>) outs(%out : memref<8x16xf16>) {
  ^bb0(%v: f32, %o: f16):
    %s = arith.truncf %v : f32 to f16
    linalg.yield %s : f16
  }
  func.return
}

// -----

// A padded convolution: the frame is written around a row while packing, never laid out.
// CHECK-LABEL: func.func private @conv(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<20xf32>
// CHECK-DAG: [[ZERO:%[a-z0-9_]+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: [[LINE:%[a-z0-9_]+]] = memref.alloc() : memref<32xf32>
// CHECK-NOT: memref<22xf32>
// CHECK-NOT: memref.copy
// CHECK: [[V:%[a-z0-9_]+]] = vector.load [[X]]
// CHECK: vector.store [[V]], [[LINE]]
// CHECK: memref.store [[ZERO]], [[LINE]]
// CHECK: memref.store [[ZERO]], [[LINE]]
#window = affine_map<(d0, d1) -> (d0 + d1)>
#k = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
func.func private @conv(%x: memref<20xf32>, %w: memref<3xf32>, %out: memref<20xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<22xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<22xf32>)
  %s = memref.subview %p[1] [20] [1] : memref<22xf32> to memref<20xf32, strided<[1], offset: 1>>
  memref.copy %x, %s : memref<20xf32> to memref<20xf32, strided<[1], offset: 1>>
  linalg.fill ins(%zero : f32) outs(%out : memref<20xf32>)
  linalg.generic {indexing_maps = [#window, #k, #out], iterator_types = ["parallel", "reduction"]} ins(%p, %w : memref<22xf32>, memref<3xf32>) outs(%out : memref<20xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  }
  func.return
}

// -----

// The columns of a transposed product lie along the depth: blocks are transposed in registers, the
// last one of the depth overlaps the one before it.
// CHECK-LABEL: func.func private @transposed(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<8x40xf32>, [[W:%[a-z0-9_]+]]: memref<20x40xf32>
// CHECK-DAG: [[LAST:%[a-z0-9_]+]] = arith.constant 24 : index
// CHECK: arith.minui %{{.*}}, [[LAST]] : index
// CHECK-COUNT-16: vector.load [[W]]{{.*}}, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func private @transposed(%x: memref<8x40xf32>, %w: memref<20x40xf32>, %out: memref<8x20xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x40xf32>, memref<20x40xf32>) outs(%out : memref<8x20xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  }
  func.return
}

// -----

// A matrix times a vector: no columns, so lanes lie along the depth.
// CHECK-LABEL: func.func private @matvec(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<8x32xf32>, [[W:%[a-z0-9_]+]]: memref<32xf32>
// CHECK-DAG: vector.load [[X]]{{.*}}, vector<16xf32>
// CHECK-DAG: vector.load [[W]]{{.*}}, vector<16xf32>
// CHECK: vector.shuffle
#lhs = affine_map<(d0, d1) -> (d0, d1)>
#rhs = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
func.func private @matvec(%x: memref<8x32xf32>, %w: memref<32xf32>, %out: memref<8xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<8x32xf32>, memref<32xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %t = arith.addf %o, %q : f32
    linalg.yield %t : f32
  }
  func.return
}

// -----

// Rank 0, and a fill alone; size 0 does nothing, size 1 needs no loop.
// CHECK-LABEL: func.func private @rank_zero(
// CHECK: [[V:%[a-z0-9_]+]] = memref.load %{{.*}}[]
// CHECK: [[N:%[a-z0-9_]+]] = arith.negf [[V]]
// CHECK: memref.store [[N]], %{{.*}}[]
// CHECK-LABEL: func.func private @size_zero(
// CHECK-NEXT: func.return
// CHECK-LABEL: func.func private @size_one(
// CHECK-NOT: scf.for
// CHECK: arith.negf
// CHECK-LABEL: func.func private @fill(
// CHECK: vector.store
#s = affine_map<() -> ()>
#id = affine_map<(d0) -> (d0)>
func.func private @rank_zero(%x: memref<f32>, %out: memref<f32>) {
  linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%x : memref<f32>) outs(%out : memref<f32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @size_zero(%x: memref<0xf32>, %a: memref<0xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<0xf32>) outs(%a : memref<0xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @size_one(%y: memref<1xf32>, %b: memref<1xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : memref<1xf32>) outs(%b : memref<1xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func private @fill(%out: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<64xf32>)
  func.return
}

// -----

// `main` is no kernel.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: linalg.fill
func.func @main(%v: f32, %out: memref<4xf32>) {
  linalg.fill ins(%v : f32) outs(%out : memref<4xf32>)
  func.return
}

// -----

func.func private @copy(%x: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error {{kernels-to-loops: expected a generic or a fill in a kernel, found memref.copy}}
  memref.copy %x, %out : memref<4xf32> to memref<4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<4xf32>)
  func.return
}

// -----

#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func private @sum_of_a_product(%x: memref<8x8xf32>, %p: memref<8x8xf32>, %out: memref<8xf32>) {
  // expected-error {{kernels-to-loops: expected a contraction with at most one elementwise reader}}
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %q = arith.mulf %v, %u : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : memref<8x8xf32>) outs(%out : memref<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// The dim of an index is one of the space.
#id = affine_map<(d0) -> (d0)>
func.func private @index_of_no_dim(%out: memref<4xi64>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%out : memref<4xi64>) {
  ^bb0(%o: i64):
    // expected-error {{kernels-to-loops: expected linalg.index of a dim from 0 to 0, found 3}}
    %i = linalg.index 3 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  }
  func.return
}

// -----

// A marked loop over elements becomes tasks of some iterations; what is marked inside it stays a
// loop. Scratch of an iteration goes along.
// CHECK-LABEL: func.func private @marked(
// CHECK: [[STEP:%[a-z0-9_]+]] = arith.constant 16 : index
// CHECK: scf.parallel ([[T:%[a-z0-9_]+]]) = ({{.*}}) to ({{.*}}) step ([[STEP]]) {
// CHECK: [[END:%[a-z0-9_]+]] = arith.minui
// CHECK: scf.for [[I:%[a-z0-9_]+]] = [[T]] to [[END]]
// CHECK-NEXT: memref.alloc
// CHECK-NEXT: scf.for
// CHECK-NOT: lamina.parallel
// SERIAL-LABEL: func.func private @marked(
// SERIAL-NOT: scf.parallel
// SERIAL-NOT: lamina.parallel
// SERIAL: func.return
func.func private @marked(%x: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %s = memref.alloc() : memref<4xf32>
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %x[%i, %j] : memref<64x8xf32>
      memref.store %v, %s[%c1] : memref<4xf32>
    } {lamina.parallel = 100000 : i64}
  } {lamina.parallel = 2000 : i64}
  func.return
}

// -----

// A loop of unknown length is taken to be long; by twos, the step of the tasks counts twos.
// CHECK-LABEL: func.func private @unknown_length(
// CHECK-DAG: [[STEP:%[a-z0-9_]+]] = arith.constant 64 : index
// CHECK: scf.parallel {{.*}} step ([[STEP]]) {
func.func private @unknown_length(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c2 {
    memref.store %v, %x[%i] : memref<?xf32>
  } {lamina.parallel = 1024 : i64}
  func.return
}

// -----

// Little work, or one iteration: one thread.
// CHECK-LABEL: func.func private @short(
// CHECK-NOT: scf.parallel
// CHECK-NOT: lamina.parallel
// CHECK: func.return
func.func private @short(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %x[%i] : memref<8xf32>
  } {lamina.parallel = 100 : i64}
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %v, %x[%i] : memref<8xf32>
  } {lamina.parallel = 1000000 : i64}
  func.return
}

// -----

func.func private @tensors(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  // expected-error {{kernels-to-loops: expected buffers, found linalg.fill on tensor<4xf32>; run bufferize first}}
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.return %f : tensor<4xf32>
}

// -----

// Windows of a padded operand: the frame is not made; where a row stays inside it, vectors of every
// second element, the last of which overlaps the one before; one by one at the edge.
// CHECK-LABEL: func.func private @padded_windows(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<2x40xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: [[V:%[a-z0-9_]+]] = vector.load [[X]]
// CHECK: [[W:%[a-z0-9_]+]] = vector.load [[X]]
// CHECK: vector.shuffle [[V]], [[W]] [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK-COUNT-2: vector.store
// CHECK-NOT: vector.load
// CHECK: [[IN:%[a-z0-9_]+]] = arith.cmpi ult
// CHECK: [[PLACE:%[a-z0-9_]+]] = arith.select [[IN]]
// CHECK: [[E:%[a-z0-9_]+]] = memref.load [[X]]{{\[}}%{{.*}}, [[PLACE]]]
// CHECK: arith.select [[IN]], [[E]]
func.func private @padded_windows(%x: memref<2x40xf32>, %out: memref<2x20xf32>) {
  %c = arith.constant 0xff800000 : f32
  %p = memref.alloc() : memref<2x42xf32>
  linalg.fill ins(%c : f32) outs(%p : memref<2x42xf32>)
  %s = memref.subview %p[0, 1] [2, 40] [1, 1] : memref<2x42xf32> to memref<2x40xf32, strided<[42, 1], offset: 1>>
  memref.copy %x, %s : memref<2x40xf32> to memref<2x40xf32, strided<[42, 1], offset: 1>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1 * 2)>, affine_map<(d0, d1) -> (d0, d1 * 2 + 1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %p : memref<2x42xf32>, memref<2x42xf32>) outs(%out : memref<2x20xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  }
  func.return
}

// -----

// A loop over lanes is its body on vectors; what is the same in all lanes is spread.
// CHECK-LABEL: func.func private @lanes(
// CHECK-SAME: [[X:%[a-z0-9_]+]]: memref<4x32xi32>, [[I:%[a-z0-9_]+]]: index, [[V:%[a-z0-9_]+]]: i32)
// CHECK: [[Z:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[A:%[a-z0-9_]+]] = vector.load [[X]]{{\[}}[[I]], [[Z]]] : memref<4x32xi32>, vector<32xi32>
// CHECK-NEXT: [[S:%[a-z0-9_]+]] = vector.broadcast [[V]] : i32 to vector<32xi32>
// CHECK-NEXT: [[M:%[a-z0-9_]+]] = arith.minui [[A]], [[S]] : vector<32xi32>
// CHECK: [[L:%[a-z0-9_]+]] = arith.cmpi ult, [[M]], {{.*}} : vector<32xi32>
// CHECK: arith.select [[L]], {{.*}} : vector<32xi1>, vector<32xi32>
// CHECK: vector.store %{{.*}}, [[X]]{{\[}}[[I]], [[Z]]]
// CHECK-NOT: scf.for
func.func private @lanes(%x: memref<4x32xi32>, %i: index, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %l = %c0 to %c32 step %c1 {
    %a = memref.load %x[%i, %l] : memref<4x32xi32>
    %m = arith.minui %a, %v : i32
    %p = arith.cmpi ult, %m, %v : i32
    %s = arith.select %p, %m, %v : i32
    memref.store %s, %x[%i, %l] : memref<4x32xi32>
  } {lamina.vector}
  func.return
}

// -----

// CHECK-LABEL: func.func private @no_cost(
// CHECK: scf.for
// CHECK-NOT: lamina
func.func private @no_cost(%x: memref<?xf32>, %n: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %step {
    memref.store %v, %x[%i] : memref<?xf32>
  } {lamina.parallel = "much"}
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %v, %x[%i] : memref<?xf32>
  } {lamina.parallel = 0 : i64}
  func.return
}

// -----

func.func private @lane_in_another_place(%x: memref<4x4xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %l = %c0 to %c4 step %c1 {
    // expected-error {{kernels-to-loops: expected an elementwise op, or an access whose last index is the lane, in a loop over lanes, found memref.store}}
    memref.store %v, %x[%l, %c0] : memref<4x4xi32>
  } {lamina.vector}
  func.return
}

// -----

func.func private @number_of_the_lane(%x: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %l = %c0 to %c4 step %c1 {
    // expected-error {{in a loop over lanes, found arith.addi}}
    %i = arith.addi %l, %c1 : index
    memref.store %i, %x[%l] : memref<4xindex>
  } {lamina.vector}
  func.return
}

// -----

func.func private @unknown_lanes(%x: memref<4xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error {{kernels-to-loops: expected a loop over lanes from 0 by 1 to a constant that carries nothing, found another}}
  scf.for %l = %c0 to %n step %c1 {
  } {lamina.vector}
  func.return
}
