"""Drawing one op of an `nd` program: a block that grows, and the values that it has so far.

Each op is applied to real numbers while it is drawn. `?` dims stem from arguments; a value says of
each dim whose size it is, so that results can be chosen that the compiler takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np
from op_row import Params, Row, Shape, layouts, values
from op_table import ROWS
from program_bounds import Bound, bound_of, takes_inexact
from program_indexing import draw_indexed
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.nd import OPS
from lamina.dialects.nd import shape as nd_shape
from lamina.interpreters import call
from lamina.interpreters.types import (
    BOOL,
    COMPLEX,
    DTYPES,
    INT64,
    Array,
    DType,
    element_type_of,
    is_float,
    to_dense,
)

CLASSES = {kind.name.removeprefix("nd."): kind for kind in OPS}
INDEX = IndexType()
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
MAX_ELEMENTS = 1 << 12
SIZES = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 130)
"""Sizes of dims: around the vector widths, and odd ones for the loops' tails."""

Size: TypeAlias = tuple[int, int] | str | None
"""How a dim is declared: None is static; else `?`, with the argument's number and axis whose size
it is, or "computed"."""

NO_DIMS: tuple[Size, ...] = ()


@dataclass(frozen=True, eq=False)
class Value:
    """A tensor of the program: what it is on the drawn inputs, and how exact."""

    ssa: SSAValue
    array: Array
    dims: tuple[Size, ...]
    bound: Bound | None = None

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.array.dtype

    @property
    def declared(self) -> tuple[bool, ...]:
        """Which dims are `?`."""
        return tuple(d is not None for d in self.dims)


@dataclass(frozen=True, eq=False)
class Index:
    """An index of the program, and its value."""

    ssa: SSAValue
    number: int


def unaligned(x: Array) -> Array:
    """A copy whose address is not a multiple of the element's size."""
    memory = np.zeros(x.nbytes + x.dtype.itemsize + 1, np.uint8)
    view = np.ndarray(x.shape, x.dtype, memory.data, offset=1)
    view[...] = x
    return view


def read_only(x: Array) -> Array:
    """A copy that cannot be written."""
    copy = x.copy()
    copy.flags.writeable = False
    return copy


def all_layouts(x: Array) -> Iterator[tuple[str, Array]]:
    """The table's layouts, and two more."""
    yield from layouts(x)
    yield "unaligned", unaligned(x)
    yield "read-only", read_only(x)


def tensor_type(dtype: DType, shape: Shape, dims: tuple[Size, ...]) -> TensorType[Attribute]:
    """The type of a tensor whose dims are declared so."""
    sizes = [DYNAMIC_INDEX if d is not None else n for d, n in zip(dims, shape, strict=True)]
    return TensorType(element_type_of(dtype), sizes)


class Rejected(Exception):
    """No such op can be drawn here."""


def refused_complex(row: Row, operands: Sequence[Value]) -> bool:
    """Whether complex operands do not fit: a running sum of other numbers than small whole ones, in
    which the order of additions shows (no bound is kept of it), and a search in run-time sizes,
    which compiled code refuses."""
    if not operands or operands[0].dtype not in COMPLEX:
        return False
    if row.name == "searchsorted":
        return any(size is not None for value in operands for size in value.dims)
    parts: tuple[Array, ...] = np.real(operands[0].array), np.imag(operands[0].array)
    whole = all(np.all((x == np.round(x)) & (np.abs(x) < 1000)) for x in parts)
    return row.name == "scan" and not whole


@dataclass(eq=False)
class Drawing:
    """A block that grows. `outer` is set inside a region: the function's own drawing."""

    rng: np.random.Generator
    sizes: tuple[int, ...]
    dynamic: bool
    block: Block = field(default_factory=Block)
    pool: list[Value] = field(default_factory=list["Value"])
    indices: list[Index] = field(default_factory=list["Index"])
    inputs: list[tuple[str, Value]] = field(default_factory=list["tuple[str, Value]"])
    outer: Drawing | None = None

    # -- choices --------------------------------------------------------------------------------

    def chance(self, share: float) -> bool:
        """True with probability `share`."""
        return bool(self.rng.random() < share)

    def choose(self, options: Sequence[Any]) -> Any:
        """One of `options`; Rejected when there is none."""
        if not options:
            raise Rejected
        return options[int(self.rng.integers(len(options)))]

    def shape(self, rank: int | None = None) -> Shape:
        """A shape of the program's sizes that is not too large."""
        n = int(self.rng.choice(5, p=(0.1, 0.25, 0.35, 0.2, 0.1))) if rank is None else rank
        found = [int(self.choose(self.sizes)) for _ in range(n)]
        while prod(found) > MAX_ELEMENTS:
            found[int(np.argmax(found))] = int(self.rng.integers(1, 6))
        return tuple(found)

    def pick(self, fits: Callable[[Value], bool]) -> Value:
        """A value of the pool, recent ones more often."""
        found = [value for value in self.pool if fits(value)]
        if len(found) > 3 and self.chance(0.5):
            found = found[-3:]
        return self.choose(found)

    # -- ops ------------------------------------------------------------------------------------

    def add(self, op: Operation) -> Operation:
        """Append an op."""
        self.block.add_op(op)
        return op

    def index(self, number: int) -> Index:
        """`arith.constant` of type index."""
        op = self.add(arith.ConstantOp(IntegerAttr(number, INDEX)))
        return Index(op.results[0], number)

    def size_of(self, value: Value, axis: int) -> Index:
        """`nd.dim`."""
        op = nd_shape.DimOp.create(
            operands=[value.ssa], result_types=[INDEX], properties={"axis": IntegerAttr(axis, i64)}
        )
        self.add(op)
        return Index(op.results[0], value.array.shape[axis])

    def emit(
        self,
        row: Row,
        operands: Sequence[Value],
        params: Params,
        dims: tuple[Size, ...] | None = None,
        indices: Sequence[Index] = (),
    ) -> Value:
        """Append an op of the table; its value joins the pool. Rejected when it says nothing."""
        arrays = [v.array for v in operands]
        numbers = {"starts": tuple(i.number for i in indices)} if "dynamic" in row.name else {}
        given = {**params, **numbers}
        result = call(row.name, *arrays, **given)
        if result.size > 2 * MAX_ELEMENTS or refused_complex(row, operands):
            raise Rejected
        bound = bound_of(row, arrays, [v.bound for v in operands], given, result)
        self.check(arrays, result, bound)
        dims = dims_of(row.name, operands, params, result.shape) if dims is None else dims
        op = CLASSES[row.name].create(
            operands=[*(v.ssa for v in operands), *(i.ssa for i in indices)],
            result_types=[tensor_type(result.dtype, result.shape, dims)],
            properties=properties_of(row.name, params),
        )
        value = Value(self.add(op).results[0], np.array(result), dims, bound)
        self.pool.append(value)
        return value

    def check(self, arrays: Sequence[Array], result: Array, bound: Bound | None) -> None:
        """Refuse results that would make the rest of the program say little."""
        if not result.size or not is_float(result.dtype):
            return
        wide = result.astype(np.float64)
        bad = ~np.isfinite(wide)
        if bound is not None:
            with np.errstate(all="ignore"):
                bad = ~(bound <= 1e-2 * np.abs(wide) + 1e-6)
        floats = [x for x in arrays if is_float(x.dtype) and x.size]
        before = max(
            (float(np.mean(~np.isfinite(x.astype(np.float64)))) for x in floats), default=0
        )
        if float(np.mean(bad)) > max(0.3, 1.2 * before) and result.size > 1:
            raise Rejected

    # -- operands -------------------------------------------------------------------------------

    def input(self, dtype: DType, shape: Shape, low: float = -8, high: float = 8) -> Value:
        """A new argument of the function (in a region: a constant)."""
        array = self.elements(dtype, shape, low, high)
        if self.outer is not None or len(self.inputs) >= 6:
            return self.constant(array)
        if array.size and shape and self.chance(0.1):
            array = np.broadcast_to(array[..., :1], shape)
        name, array = self.choose(list(all_layouts(array)))
        array = np.asarray(array)  # NumPy turns some views of rank 0 into scalars
        number = len(self.inputs)
        dims = tuple(
            (number, axis) if self.dynamic and self.chance(0.5) else None
            for axis in range(len(shape))
        )
        arg = self.block.insert_arg(tensor_type(dtype, shape, dims), number)
        value = Value(arg, array, dims)
        self.inputs.append((name, value))
        self.pool.append(value)
        return value

    def elements(self, dtype: DType, shape: Shape, low: float = -8, high: float = 8) -> Array:
        """Random elements; often some are special values, or NaN."""
        array = values(self.rng, dtype, shape, low, high, 0.2 if self.chance(0.4) else 0.0)
        if is_float(dtype) and self.chance(0.4):
            array[self.rng.random(shape) < 0.1] = np.nan
        return array

    def constant(self, array: Array) -> Value:
        """`nd.constant`; large ones are splats. Complex ones are put together."""
        if array.dtype in COMPLEX:
            parts = [self.constant(np.array(part(array))) for part in (np.real, np.imag)]
            return self.emit(ROWS["complex"], parts, {})
        if array.size > 64:
            array = np.full(array.shape, array.flat[0], array.dtype)
        return self.emit(ROWS["constant"], (), {"value": np.array(array, order="C")})

    def find(self, dtype: DType, shape: Shape, like: tuple[Size, ...], exact: bool) -> Value:
        """A value of this type: of the pool, or a new one."""

        def fits(value: Value) -> bool:
            declared = tuple(d is not None for d in like)
            same = value.array.shape == shape and value.declared == declared
            return value.dtype == dtype and same and not (exact and value.bound is not None)

        if self.chance(0.75):
            with suppress(Rejected):
                return self.pick(fits)
        return self.make(dtype, shape, like)

    def make(self, dtype: DType, shape: Shape, like: tuple[Size, ...]) -> Value:
        """A new value of this type."""
        if any(d is not None for d in like):
            small = self.constant(values(self.rng, dtype, ()))
            return self.spread(small, (), shape, like)
        if not self.dynamic and self.chance(0.5):
            return self.input(dtype, shape)
        array = self.elements(dtype, shape)
        if shape and self.chance(0.4):
            row = array[:1].reshape(shape[1:]) if shape[0] else np.zeros(shape[1:], dtype)
            return self.spread(self.constant(row), tuple(range(1, len(shape))), shape, like)
        return self.constant(array)

    def spread(self, value: Value, dims: Shape, shape: Shape, like: tuple[Size, ...]) -> Value:
        """`nd.broadcast` to a shape, with `?` as in `like`."""
        sizes = [self.size_like(d, n) for d, n in zip(like, shape, strict=True) if d is not None]
        return self.emit(
            ROWS["broadcast"], (value,), {"dims": dims, "shape": shape}, like, indices=sizes
        )

    def size_like(self, size: Size, number: int) -> Index:
        """A run-time size that equals `size`."""
        if isinstance(size, tuple):
            root = self if self.outer is None else self.outer
            return self.size_of(root.inputs[size[0]][1], size[1])
        return self.index(number)

    # -- one op of the table --------------------------------------------------------------------

    def draw(self, row: Row, dtype: DType | None = None) -> None:
        """Append an op of `row` (and what its operands need). Rejected when it cannot be."""
        special = {
            "constant": self.draw_constant, "iota": self.draw_iota, "dim": self.draw_dim,
            "from_index": self.draw_from_index, "to_index": self.draw_to_index,
            "select": self.draw_select, "reshape": self.draw_reshape,
            "broadcast": self.draw_broadcast, "dot_general": self.draw_dot,
            "gather": partial(draw_indexed, self), "scatter": partial(draw_indexed, self),
            "searchsorted": self.draw_searchsorted,
            "random_bits": self.draw_random_bits,
        }  # fmt: skip
        if row.name in special:
            special[row.name](row, dtype)
            return
        exact = not takes_inexact(row)
        wanted = row.dtypes if dtype is None or row.name == "cast" else (dtype,)

        def fits(value: Value) -> bool:
            known = value.bound is None or not exact
            return known and value.dtype in wanted and self.usable(row, value)

        x = self.pick(fits)
        shapes = row.shapes(self.rng, x.array.shape)
        if shapes is None:
            raise Rejected
        params: Params = row.params(self.rng, shapes, x.dtype)
        if row.name == "cast":
            params = {"dtype": self.target(x, dtype)}
        operands = [x]
        for number, shape in enumerate(shapes[1:]):
            like = self.pattern(row.name, x, params, shape)
            operands.append(self.find(x.dtype, shape, like, exact))
            if row.name == "pow" and number == 0 and not is_float(x.dtype):
                operands[1] = self.small(operands[1])
        indices: list[Index] = []
        if "dynamic" in row.name:
            starts: Shape = params["starts"]
            indices = [self.start(n) for n in starts]
            del params["starts"]
        self.emit(row, operands, params, indices=indices)

    def target(self, x: Value, dtype: DType | None) -> DType:
        """What to cast `x` to: `dtype`, if that says something."""
        kinds = (*COMPLEX, BOOL) if x.dtype in COMPLEX else (*DTYPES, *COMPLEX)
        found: DType = dtype or self.choose(kinds)
        if found == x.dtype or found not in kinds or (x.bound is not None and not is_float(found)):
            raise Rejected
        return found

    def usable(self, row: Row, value: Value) -> bool:
        """Whether the op takes that value first."""
        if row.name == "conv":
            return row.shapes(self.rng, value.array.shape) is not None and not any(
                value.declared[:2]
            )
        return row.shapes(self.rng, value.array.shape) is not None

    def pattern(self, name: str, x: Value, params: Params, shape: Shape) -> tuple[Size, ...]:
        """How another operand is declared."""
        if len(shape) != len(x.dims) or name in ("dot_general", "conv", "dynamic_update_slice"):
            return (None,) * len(shape)
        if name == "concat":
            return tuple(None if d == params["axis"] else size for d, size in enumerate(x.dims))
        return x.dims

    def small(self, exponent: Value) -> Value:
        """From 0 to 6, for integer powers."""
        seven = self.constant(np.array(7, exponent.dtype))
        wide = self.spread(seven, (), exponent.array.shape, exponent.dims)
        return self.emit(ROWS["remainder"], (exponent, wide), {})

    def start(self, number: int) -> Index:
        """An index near `number`: one that is there, or a new one."""
        if self.indices and self.chance(0.5):
            return self.choose(self.indices)
        return self.index(number)

    def draw_constant(self, row: Row, dtype: DType | None) -> None:
        chosen: DType = dtype or self.choose(DTYPES)
        shape = self.shape(int(self.rng.integers(0, 3)))
        self.constant(self.elements(chosen, shape))

    def draw_iota(self, row: Row, dtype: DType | None) -> None:
        shape = self.shape()
        if not shape:
            raise Rejected
        like: tuple[Size, ...] = (None,) * len(shape)
        if self.dynamic:
            shape, like = self.pick_dims()
        params = {**row.params(self.rng, (shape,), dtype or self.choose(row.dtypes))}
        sizes = [self.size_like(d, n) for d, n in zip(like, shape, strict=True) if d is not None]
        self.emit(row, (), params, like, sizes)

    def draw_random_bits(self, row: Row, dtype: DType | None) -> None:
        key, counter = (self.find(row.dtypes[0], (n,), (None,), True) for n in (2, 4))
        shape = self.shape()
        wanted = dtype if dtype in (UINT32, UINT64) else self.choose((UINT32, UINT64))
        params = {"shape": shape, "dtype": wanted}
        self.emit(row, (key, counter), params, (None,) * len(shape))

    def pick_dims(self) -> tuple[Shape, tuple[Size, ...]]:
        """The shape of a value of the pool, all of whose `?` are sizes of arguments."""
        value = self.pick(lambda v: v.array.ndim > 0 and "computed" not in v.dims)
        return value.array.shape, value.dims

    def draw_dim(self, row: Row, dtype: DType | None) -> None:
        x = self.pick(lambda v: v.array.ndim > 0 and dtype in (None, v.dtype))
        self.indices.append(self.size_of(x, int(self.rng.integers(x.array.ndim))))

    def draw_from_index(self, row: Row, dtype: DType | None) -> None:
        if not self.indices:
            self.draw_dim(row, None)
        index: Index = self.choose(self.indices)
        op = nd_shape.FromIndexOp.create(operands=[index.ssa], result_types=[TensorType(i64, [])])
        self.add(op)
        self.pool.append(Value(op.results[0], np.array(index.number, INT64), ()))

    def draw_to_index(self, row: Row, dtype: DType | None) -> None:
        x = self.find(INT64, (), (), True)
        op = nd_shape.ToIndexOp.create(operands=[x.ssa], result_types=[INDEX])
        self.add(op)
        self.indices.append(Index(op.results[0], int(x.array)))

    def draw_select(self, row: Row, dtype: DType | None) -> None:
        x = self.pick(lambda v: dtype in (None, v.dtype))
        y = self.find(x.dtype, x.array.shape, x.dims, False)
        known = [v for v in (x, y) if v.bound is None]
        if known and not self.chance(0.4):
            name = "equal" if x.dtype.kind in "bc" else "less"
            z = self.find(x.dtype, x.array.shape, x.dims, True)
            predicate = self.emit(ROWS[name], (known[0], z), {})
        else:
            predicate = self.find(BOOL, x.array.shape, x.dims, True)
        self.emit(row, (predicate, x, y), {})

    def draw_dot(self, row: Row, dtype: DType | None) -> None:
        """Up to two batch, contracted and free axes a side, in any order."""
        wanted = row.dtypes if dtype is None else (dtype,)
        x = self.pick(lambda v: v.dtype in wanted)
        kinds = self.rng.choice(3, x.array.ndim, p=(0.2, 0.4, 0.4))
        batch, contract, _ = (np.flatnonzero(kinds == kind).tolist() for kind in range(3))
        contract = [int(a) for a in self.rng.permutation(contract)]
        free = [int(self.choose(self.sizes)) for _ in range(int(self.rng.integers(0, 3)))]
        shared = [x.array.shape[axis] for axis in batch + contract]
        order = self.rng.permutation(len(shared) + len(free))
        shape = tuple(int((shared + free)[i]) for i in order)
        place = [int(i) for i in np.argsort(order)]
        if prod(shape) > MAX_ELEMENTS or prod(x.array.shape) * prod(free) > 64 * MAX_ELEMENTS:
            raise Rejected
        params = {
            "lhs_batch": tuple(batch),
            "rhs_batch": tuple(place[: len(batch)]),
            "lhs_contract": tuple(contract),
            "rhs_contract": tuple(place[len(batch) : len(shared)]),
        }
        y = self.find(x.dtype, shape, (None,) * len(shape), False)
        self.emit(row, (x, y), params)

    def draw_searchsorted(self, row: Row, dtype: DType | None) -> None:
        """In a vector that is sorted before."""
        kinds = ROWS["sort"].dtypes if dtype is None else (dtype,)
        x = self.pick(lambda v: v.array.ndim == 1 and v.bound is None and v.dtype in kinds)
        found = self.emit(ROWS["sort"], (x,), {"axis": 0, "order": "ascending"})
        shape = row.shapes(self.rng, x.array.shape)
        assert shape is not None
        y = self.find(x.dtype, shape[1], (None,) * len(shape[1]), True)
        self.emit(row, (found, y), row.params(self.rng, shape, x.dtype))

    def draw_reshape(self, row: Row, dtype: DType | None) -> None:
        x = self.pick(lambda v: dtype in (None, v.dtype))
        if not any(x.declared):
            self.emit(row, (x,), row.params(self.rng, (x.array.shape,), x.dtype))
            return
        total = self.index(1)
        for axis in range(x.array.ndim):
            size = self.size_of(x, axis)
            product = self.add(arith.MuliOp(total.ssa, size.ssa))
            total = Index(product.results[0], total.number * size.number)
        self.emit(row, (x,), {"shape": (total.number,)}, ("computed",), (total,))

    def draw_broadcast(self, row: Row, dtype: DType | None) -> None:
        x = self.pick(lambda v: dtype in (None, v.dtype))
        params = row.params(self.rng, (x.array.shape,), x.dtype)
        shape, dims = list(params["shape"]), params["dims"]
        for d in range(len(shape)):
            if d not in dims and self.chance(0.7):
                shape[d] = int(self.choose(self.sizes))
        like: list[Size] = [None] * len(shape)
        for axis, d in enumerate(dims):
            if x.dims[axis] is not None:
                shape[d], like[d] = x.array.shape[axis], x.dims[axis]
        if len(shape) > 4:
            raise Rejected
        sizes = [
            self.size_of(x, dims.index(d)) if d in dims else self.size_like(like[d], shape[d])
            for d in range(len(shape))
            if like[d] is not None
        ]
        params = {"dims": dims, "shape": tuple(shape)}
        self.emit(row, (x,), params, tuple(like), sizes)


def dims_of(name: str, operands: Sequence[Value], params: Params, shape: Shape) -> tuple[Size, ...]:
    """How the dims of a result are declared, given its operands'."""
    x = operands[0].dims if operands else NO_DIMS
    match name:
        case "transpose":
            return axes_of(x, params["permutation"])
        case "reduce":
            return tuple(d for axis, d in enumerate(x) if axis not in params["axes"])
        case "argmax" | "argmin":
            return tuple(d for axis, d in enumerate(x) if axis != params["axis"])
        case "pad":
            return tuple(None if d is None else "computed" for d in x)
        case "concat":
            place: int = params["axis"]
            some = any(v.dims[place] is not None for v in operands)
            joined: Size = "computed" if some else None
            return tuple(joined if d == place else size for d, size in enumerate(x))
        case "slice":
            return tuple(
                "computed" if d is not None and limit == -1 else None
                for d, limit in zip(x, params["limits"], strict=True)
            )
        case "dot_general":
            y = operands[1].dims
            left = params["lhs_batch"] + params["lhs_contract"]
            right = params["rhs_batch"] + params["rhs_contract"]
            batch = axes_of(x, params["lhs_batch"])
            free = [d for axis, d in enumerate(x) if axis not in left]
            return (*batch, *free, *(d for axis, d in enumerate(y) if axis not in right))
        case "gather":
            walked = [d for axis, d in enumerate(x) if axis not in params["axes"]]
            found = dict(zip(params["dims"], walked, strict=True))
            found.update((d, None) for d in params["index_dims"])
            return tuple(found[d] for d in range(len(shape)))
        case "searchsorted":
            return operands[1].dims
        case "conv":
            spatial = ("computed" if d is not None else None for d in x[2:])
            return (x[0], None, *spatial)
        case "reduce_window":
            moved = zip(params["window"], params["strides"], strict=True)
            padded = zip(params["padding"][::2], params["padding"][1::2], strict=True)
            same = [m == (1, 1) and p == (0, 0) for m, p in zip(moved, padded, strict=True)]
            return tuple(
                d if d is None or kept else "computed" for d, kept in zip(x, same, strict=True)
            )
        case "constant" | "iota" | "broadcast" | "reshape" | "dynamic_slice":
            return (None,) * len(shape)
        case _:
            return x


def axes_of(dims: tuple[Size, ...], axes: Shape) -> tuple[Size, ...]:
    """Some of the dims, in a new order."""
    return tuple(dims[axis] for axis in axes)


def properties_of(name: str, params: Params) -> dict[str, Attribute]:
    """The op's properties for the parameters of its meaning."""
    if name == "constant":
        return {"value": to_dense(params["value"])}
    found: dict[str, Attribute] = {}
    skipped = ("shape", "dtype")
    for key, value in params.items():
        if key in skipped:
            continue
        if isinstance(value, str):
            found[key] = StringAttr(value)
        elif isinstance(value, int):
            found[key] = IntegerAttr(value, i64)
        else:
            found[key] = DenseArrayBase.from_list(i64, value)
    return found
