"""The recorder of one trace: it turns primitives on traced arrays into `nd` ops."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from xdsl.dialects.builtin import UNKNOWN_LOC, FileLineColLoc, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from lamina.errors import DTypeError, MutationError, TraceError
from lamina.frontend import ir
from lamina.frontend.array import AUTOGRAD, Array, NDArray
from lamina.frontend.dims import AnySize, is_size, is_static
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import (
    COMPLEX,
    COMPLEX_OF,
    INTEGERS,
    PART_OF,
    DType,
    bool_,
    default_of,
    float64,
    int64,
)
from lamina.frontend.location import fail, user_position
from lamina.frontend.maybe_shared import refuse_stale, restore, written
from lamina.frontend.scope import Scope
from lamina.frontend.shapes import Shape, result_shape
from lamina.frontend.size_table import SizeTable
from lamina.frontend.traced import Position, Storage, TracedArray, WeakScalar, make, make_weak
from lamina.frontend.views import Step, row_major, same_steps, viewed_strides, write_back

P = ParamSpec("P")
R = TypeVar("R")

COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
_INT64 = range(-(2**63), 2**63)
_WEAK_OPS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}


def unwatched(
    method: Callable[Concatenate[Recorder, P], R],
) -> Callable[Concatenate[Recorder, P], R]:
    """Decorator: no profile events inside, since no user code runs there and each one costs."""

    @wraps(method)
    def quiet(self: Recorder, *args: P.args, **kwargs: P.kwargs) -> R:
        hook = self.hook
        if hook is None or sys.getprofile() is not hook:
            return method(self, *args, **kwargs)
        sys.setprofile(None)
        try:
            return method(self, *args, **kwargs)
        finally:
            sys.setprofile(hook)

    return quiet


class Recorder:
    """Builds the entry block of one traced function.

    `entry` is the function's block, `block` the one that ops go to now (a loop's body or the
    entry). Arguments come first; arrays that the code meets and that are not traced are lifted to
    further arguments, which `trace` later keeps (captured) or replaces by constants.
    shared: what `aliases.find_shared` found. replayed: what is recorded is run at once on eager
    arrays, which may have a gradient.
    """

    def __init__(
        self,
        shared: Mapping[int, tuple[NDArray, list[Step]]] | None = None,
        replayed: bool = False,
    ) -> None:
        self.replayed = replayed
        self.entry = Block()
        self.block = self.entry
        self.root = self.scope = Scope(None, self.entry, loop=False)
        self.outer = CURRENT.get()
        self.alive = True
        self.hook: Callable[..., Any] | None = None
        self.resources: dict[str, NDArray] = {}
        self.inputs: list[Storage] = []
        self.pinned: dict[int, str] = {}
        self.ranges: dict[int, tuple[int, int]] = {}
        self.lifted: dict[int, tuple[Any, Storage, Position]] = {}
        self.position: Position | None = None
        self.seen: dict[int, tuple[Array, str]] = {}
        self.shared = shared or {}
        self.roots = {id(root) for root, _ in self.shared.values()}
        self.numpy_scalars = False
        self.memo: dict[Any, Any] = {}  # what script mode knows of its loops
        self.stale: list[Storage] = []  # in the order in which they became it
        self.count = 0  # of all ops that were recorded
        self.trials = 0  # that run: what fails in one leaves nothing behind
        self.frozen: dict[int, Array | NDArray] = {}
        self.sizes = SizeTable(_seen_from_outside(self))

    # arguments and constants

    def argument(self, shape: Shape, dtype: DType, position: Position) -> TracedArray:
        """A new argument of the traced function."""
        value = self.entry.insert_arg(ir.tensor_type(shape, dtype), len(self.entry.args))
        self.sizes.argument(value, len(self.inputs), shape)
        storage = Storage(_seen_from_outside(self), value, shape, dtype, len(self.inputs))
        self.inputs.append(storage)
        return whole(storage, position)

    def weak_argument(self, number: bool | int | float, position: Position) -> WeakScalar:
        """A new argument that is a Python number."""
        array = self.argument((), default_of(type(number)), position)
        sources = frozenset({array._storage.input})
        return make_weak(array._storage, number, sources, position)

    @unwatched
    def constant(self, data: NDArray) -> TracedArray:
        """A value that is known now."""
        if data.dtype in COMPLEX:  # the IR has real literals only
            parts = [self.constant(part.copy()) for part in (data.real, data.imag)]
            return self.emit("complex", parts, {})
        value = ir.constant_value(data, self.resources)
        kind = ir.tensor_type(data.shape, data.dtype)
        position, location = self._here()
        op = ir.OPS["constant"].create(result_types=[kind], properties={"value": value})
        return self._result(op, location, data.shape, data.dtype, position)

    def freeze(self, found: Array | NDArray) -> TracedArray:
        """An array made a constant of the program: guarded by identity if it was captured."""
        self.frozen[id(found)] = found
        return self.constant(np.array(found, order="C"))

    def lift(self, found: Array | NDArray) -> TracedArray:
        """The traced stand-in of an array that is not of this trace.

        One that overlaps another while one of them is written is a view of their common memory.
        """
        if id(found) in self.shared:
            root, steps = self.shared[id(found)]
            array = self._lift(root)
            for name, params in steps:
                array = self.view(name, array, params)
            return array
        return self._lift(found)

    def _lift(self, found: Array | NDArray) -> TracedArray:
        position = user_position()
        taped = isinstance(found, Array) and found._tape is not None
        if taped and not self.replayed and AUTOGRAD["enabled"]():
            fail(
                TraceError,
                "jit: expected an array with a gradient as an argument, found one that the "
                "function captures; pass it, or use detach() for its values alone",
            )
        if id(found) not in self.lifted:
            array = self.argument(found.shape, found.dtype, position)
            self.lifted[id(found)] = found, array._storage, position
        storage = self.lifted[id(found)][1]
        return whole(storage, position)

    def own(self, array: Array) -> TracedArray:
        """`array` as one of this trace. Raises `TraceError` for one that outlived its trace."""
        if not isinstance(array, TracedArray):
            return self.lift(array)
        recorder: Any = array._storage.recorder
        if recorder is self:
            return array
        outer = self.outer
        while outer is not None and outer is not recorder:
            outer = outer.outer
        if outer is None:
            array.refuse_escape()
        return self.lift(array)

    def observed(self, array: Array) -> None:
        """Values of an eager array leave it: the trace depends on them."""
        if not isinstance(array, TracedArray):
            file, line, _ = user_position()
            self.seen[id(array)] = array, f"{file}:{line}"

    def pin(self, sources: frozenset[int]) -> None:
        """The trace holds for these values of the weak inputs `sources` only."""
        file, line, _ = user_position()
        for source in sources:
            self.pinned.setdefault(source, f"{file}:{line}")

    def keep_in_range(self, scalar: WeakScalar, low: int, high: int) -> None:
        """The trace holds while the weak int is from `low` to `high`."""
        source, *others = scalar._sources
        if others or self.inputs[source] is not scalar._storage:
            self.pin(scalar._sources)
            return
        known = self.ranges.get(source, (low, high))
        self.ranges[source] = max(low, known[0]), min(high, known[1])

    @unwatched
    def from_weak(self, scalar: WeakScalar, dtype: DType) -> Array:
        """A weak scalar as an array of `dtype`. Raises `DTypeError` for an int outside it."""
        if dtype in INTEGERS and scalar.kind is int and dtype != int64:
            scalar.fit(dtype)
        array = whole(scalar._storage, scalar._position)
        return array if array.dtype == dtype else self.emit("cast", [array], {"dtype": dtype})

    # operations

    @unwatched
    def emit(self, name: str, operands: Sequence[Array], params: dict[str, Any]) -> TracedArray:
        """The primitive `name` on `operands`, whose types already fit."""
        arrays = [self.own(operand) for operand in operands]
        position, location = self._here()
        values = [self.read(array) for array in arrays]
        shape = result_shape(name, [array.shape for array in arrays], params)
        sizes = (*shape, *(size for array in arrays for size in array.shape))
        if name == "slice" and not is_static((*sizes, *params["starts"], *params["limits"])):
            return self.sizes.sliced(arrays[0], params)
        if not is_static(sizes):
            params = self.sizes.given(name, shape, values, params)
        dtype = _result_dtype(name, arrays, params)
        op = self._operation(name, values, shape, dtype, params)
        if any(array.dtype in COMPLEX for array in arrays):
            _check_complex(name, op, arrays)
        return self._result(op, location, shape, dtype, position)

    @unwatched
    def effect(
        self,
        name: str,
        operands: Sequence[Array],
        params: dict[str, Any],
        results: Sequence[tuple[Shape, DType]] = (),
    ) -> list[TracedArray]:
        """The op `name`, which has an effect, on arrays as they are; its results, of these shapes
        and dtypes. params: its properties; True for one without a value."""
        flags: dict[str, Attribute] = {k: UnitAttr() for k, v in params.items() if v is True}
        position, location = self._here()
        op = ir.OPS[name].create(
            operands=[self.read(self.own(operand)) for operand in operands],
            result_types=[ir.tensor_type(*kind) for kind in results],
            properties=flags
            | ir.properties(name, {k: v for k, v in params.items() if k not in flags}),
        )
        op.location = location  # pyright: ignore[reportAttributeAccessIssue]
        self.block.add_op(op)
        return [
            self.fresh(value, *kind, position)
            for value, kind in zip(op.results, results, strict=True)
        ]

    def known(self, arrays: Sequence[Array]) -> list[NDArray] | None:
        """The values of traced arrays that depend on no argument, or None; None in a region,
        which perhaps never runs."""
        if self.block is not self.entry:
            return None
        found = [ir.known_value(self.read(self.own(x)), self.resources, {}) for x in arrays]
        return None if any(value is None for value in found) else found

    def _operation(
        self, name: str, values: list[SSAValue], shape: Shape, dtype: DType, params: dict[str, Any]
    ) -> Operation:
        kind: list[Attribute] = [ir.tensor_type(shape, dtype)]
        return ir.OPS[name].create(
            operands=values, result_types=kind, properties=ir.properties(name, params)
        )

    def _here(self) -> tuple[Position, FileLineColLoc]:
        position = self.position or user_position()
        return position, ir.location_of(position)

    def _result(
        self,
        op: Operation,
        location: Attribute,
        shape: Shape,
        dtype: DType,
        position: Position,
    ) -> TracedArray:
        return self.fresh(self.insert(op, location), shape, dtype, position)

    def fresh(self, value: SSAValue, shape: Shape, dtype: DType, position: Position) -> TracedArray:
        """An array of its own with a value of the current region."""
        return whole(Storage(_seen_from_outside(self), value, shape, dtype), position)

    def insert(self, op: Operation, location: Attribute | None = None) -> SSAValue:
        """Append `op` to the current block; its first result."""
        if op.location == UNKNOWN_LOC:
            op.location = location or self._here()[1]  # pyright: ignore[reportAttributeAccessIssue]
        self.block.add_op(op)
        self.count += 1
        return op.results[0]

    @contextmanager
    def prologue(self) -> Generator[None]:
        """Ops recorded inside go to the start of the entry block."""
        self.block = Block()
        try:
            yield
        finally:
            operations = list(self.block.ops)
            for op in operations:
                op.detach()
            if operations and self.entry.first_op is not None:
                self.entry.insert_ops_before(operations, self.entry.first_op)
            self.block, self.position = self.entry, None

    @contextmanager
    def region(self, block: Block, loop: bool) -> Generator[Scope]:
        """Ops recorded inside go to `block`, the body of a loop or a branch."""
        scope = Scope(self.scope, block, loop)
        around, self.scope, self.block = (self.scope, self.block), scope, block
        try:
            yield scope
        except BaseException:
            scope.failed = not self.trials
            raise
        finally:
            self.scope, self.block = around
            scope.close()

    @contextmanager
    def trial(self) -> Generator[None]:
        """An error inside is one that the caller can go on from: nothing of it stays."""
        self.trials += 1
        stale, sizes = len(self.stale), self.sizes.state()
        try:
            yield
        except BaseException:
            restore(_seen_from_outside(self), stale)
            self.sizes.restore(sizes)
            raise
        finally:
            self.trials -= 1

    @contextmanager
    def resumed(self, scope: Scope) -> Generator[None]:
        """Ops recorded inside go to the end of a branch that has ended."""
        around, self.scope, self.block = (self.scope, self.block), scope, scope.block
        scope.reopen()
        try:
            yield
        finally:
            self.scope, self.block = around
            scope.close()

    @contextmanager
    def outside(self) -> Generator[None]:
        """Ops recorded inside go before the loop or branch that is recorded."""
        inner = self.scope
        assert inner.parent is not None
        self.scope, self.block = inner.parent, inner.parent.block
        try:
            yield
        finally:
            self.scope, self.block = inner, inner.block

    def in_loop(self) -> bool:
        """Whether the body of a loop is recorded."""
        scope: Scope | None = self.scope
        while scope is not None and not scope.loop:
            scope = scope.parent
        return scope is not None

    @contextmanager
    def scratch(self) -> Generator[None]:
        """Nothing that is recorded inside stays."""
        pinned, ranges, sizes = dict(self.pinned), dict(self.ranges), self.sizes.state()
        scope: Scope | None = None
        stale = len(self.stale)
        try:
            with self.region(Block(), loop=True) as scope:
                yield
        finally:
            restore(_seen_from_outside(self), stale)
            if scope is not None:
                scope.drop()
            self.pinned, self.ranges = pinned, ranges
            self.sizes.restore(sizes)

    def replace_input(self, storage: Storage, value: TracedArray) -> None:
        """Let `value` stand where the input `storage` stood, and drop the input."""
        argument = storage.value
        assert isinstance(argument, BlockArgument)
        argument.replace_all_uses_with(self.read(value))
        self.entry.erase_arg(argument)
        self.inputs.remove(storage)

    def insert_return(self, op: Operation, position: Position) -> None:
        """Close the entry block."""
        op.location = ir.location_of(position)
        self.entry.add_op(op)

    def weak_result(self, name: str, compute: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
        """A Python operator on weak scalars and Python numbers: again a weak scalar.

        Results that the program cannot compute as Python would are computed now, and guarded.
        """
        numbers = [v._number if isinstance(v, WeakScalar) else v for v in (x, y)]
        sources = frozenset[int]().union(*(v._sources for v in (x, y) if isinstance(v, WeakScalar)))
        simple = name in _WEAK_OPS and bool not in map(type, numbers)
        number = compute(*numbers)
        if not simple or (isinstance(number, int) and number not in _INT64):
            self.pin(sources)
            return number
        floats = float in map(type, numbers) or name == "truediv"
        dtype = float64 if floats else int64
        operands: list[Array] = []
        for value in (x, y):
            array = value if isinstance(value, WeakScalar) else self.constant(np.array(value))
            operands.append(
                array if array.dtype == dtype else self.emit("cast", [array], {"dtype": dtype})
            )
        result = self.emit(_WEAK_OPS[name], operands, {})
        return make_weak(result._storage, number, sources, result._position)

    # views and writes

    def read(self, array: TracedArray) -> SSAValue:
        """The newest value of `array`."""
        storage = array._storage
        if storage.stale:
            refuse_stale(array)
        if storage.scope is not self.scope:
            self.scope.enter(array)
        if not array._steps:
            return storage.value
        source, value = array._read
        if source is not storage.value or not self._visible(value):
            value = self._chain(array)[-1]._storage.value
            array._read = storage.value, value
        return value

    def _visible(self, value: SSAValue) -> bool:
        """Whether a value read before may be used in the current block."""
        block = _block_of(value)
        return block is self.block or self.scope.sees(block)

    def _chain(self, array: TracedArray) -> list[TracedArray]:
        """The values of the storage and after each view step on the way to `array`."""
        storage = array._storage
        values = [whole(storage, array._position)]
        for name, params in array._steps:
            if name == "dynamic_slice":
                starts, sizes = params["starts"].arrays, params["sizes"]
                values.append(self.at_index(name, values[-1:], starts, sizes))
            else:
                values.append(self.emit(name, values[-1:], params))
        return values

    @unwatched
    def view(self, name: str, operand: Array, params: dict[str, Any]) -> TracedArray:
        """A view: nothing is computed yet. A reshape that no view can be is computed."""
        array = self.own(operand)
        strides = viewed_strides(name, array.shape, array._strides, params)
        if strides is None:
            return self.emit(name, [array], params)
        shape = result_shape(name, [array.shape], params)
        writable = array._writable and name != "broadcast"
        steps = (*array._steps, (name, params))
        return make(array._storage, shape, steps, strides, writable, user_position())

    @unwatched
    def store(self, name: str, target: Array, value: Array) -> None:
        """Write `value`, of the target's shape and type, through the view `target`."""
        array = self.own(target)
        if not array._writable:
            fail(MutationError, f"{name}: expected a writable array, found a read-only view")
        update = self.own(value)
        if array._storage.stale:
            refuse_stale(array)
        if array._storage.scope is not self.scope:
            self.scope.enter(array)
        if update._storage is array._storage and same_steps(update._steps, array._steps):
            return  # `x[key] += y` ends by writing the view x[key] to itself
        olds = self._chain(array)[:-1] if array._steps else []
        for (step, params), old in zip(reversed(array._steps), reversed(olds), strict=True):
            update = write_back(_seen_from_outside(self), step, params, old, update)
        array._storage.value = self.read(update)
        array._storage.version += 1
        if array._storage.linked:
            written(_seen_from_outside(self), array._storage)

    def update_window(
        self, old: TracedArray, update: TracedArray, starts: tuple[int, ...]
    ) -> TracedArray:
        """`old` with the window of the update's shape at `starts` replaced."""
        return self.at_index("dynamic_update_slice", [old, update], starts)

    @unwatched
    def at_index(
        self,
        name: str,
        operands: Sequence[Array],
        starts: Sequence[Array | AnySize],
        sizes: Shape | None = None,
    ) -> TracedArray:
        """A dynamic slice (of `sizes`), or update, at `starts`: 0-d arrays of int64, or sizes."""
        position, location = self._here()
        arrays = [self.own(operand) for operand in operands]
        values = [self.read(array) for array in arrays]
        for start in starts:
            if not isinstance(start, Array):
                values.append(self.sizes.index_of(start))
                continue
            op = ir.OPS["to_index"].create(
                operands=[self.read(self.own(start))], result_types=[ir.INDEX], properties={}
            )
            values.append(self.insert(op, location))
        shape = arrays[0].shape if sizes is None else sizes
        params: dict[str, Any] = {}
        if sizes is not None:
            values += [self.sizes.index_of(size) for size in sizes if is_size(size)]
            params = {"sizes": tuple(-1 if is_size(size) else size for size in sizes)}
        op = self._operation(name, values, shape, arrays[0].dtype, params)
        return self._result(op, location, shape, arrays[0].dtype, position)


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _seen_from_outside(recorder: Recorder) -> Any:
    """The recorder as other modules name its class: through the link, pyright sees another one."""
    return recorder


def _check_complex(name: str, op: Operation, arrays: Sequence[Array]) -> None:
    """Refuse ops that have a meaning for eager complex arrays, but no lowering."""
    try:
        op.verify_()
    except VerifyException:
        found = ", ".join(str(array.dtype) for array in arrays)
        fail(
            DTypeError,
            f"{name}: expected real operands in traced code, found {found}: "
            "apply it to eager arrays, or to the parts",
        )


def _result_dtype(name: str, arrays: list[TracedArray], params: dict[str, Any]) -> DType:
    if "dtype" in params:
        return params["dtype"]
    if name in COMPARISONS:
        return bool_
    if name in ("argmax", "argmin", "argsort", "searchsorted"):
        return int64
    if name in ("real", "imag"):
        return PART_OF[arrays[0].dtype]
    if name in ("gather", "scatter"):
        return arrays[0].dtype
    return COMPLEX_OF[arrays[0].dtype] if name == "complex" else arrays[-1].dtype


def whole(storage: Storage, position: Position) -> TracedArray:
    """All of `storage` as an array."""
    return make(storage, storage.shape, (), row_major(storage.shape), True, position)
