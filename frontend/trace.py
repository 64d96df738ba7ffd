"""`trace`: run a Python function on traced arrays and keep the `nd` program that it makes."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Region

from lamina.errors import ArgumentError, TraceError
from lamina.frontend import dtypes, tree
from lamina.frontend.aliases import Alias, Member, find_shared, memory_of, offset_in
from lamina.frontend.array import Array, NDArray, is_array, is_numpy_scalar
from lamina.frontend.captured import Captured, settle
from lamina.frontend.dims import Symbol, is_size
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.dtypes import DType
from lamina.frontend.guards import Found, Guard, Watch, find_guards
from lamina.frontend.ir import location_of
from lamina.frontend.location import fail, is_user_code, user_position
from lamina.frontend.recorder import Recorder, whole
from lamina.frontend.selection import Selection
from lamina.frontend.shapes import Shape
from lamina.frontend.side_effects import SideEffects
from lamina.frontend.size_table import Axis, Require
from lamina.frontend.traced import Position, Storage, TracedArray, WeakScalar
from lamina.frontend.tree import Tree

Weak: TypeAlias = Literal["bool", "int", "float"]


@dataclass(frozen=True)
class Input:
    """One argument of the traced program's `@main`, in order.

    name: the path of the leaf ("x", "params/w1"), or of the captured array ("model.w").
    weak: the leaf is a Python number of this type (its tensor is i1, i64 or f64, 0-d).
    leaf: its position among the leaves of the call; -1 for a captured array.
    guard: for a captured array, how to read it again at each call (`guard.read()`; then
    `guard.holds()` says whether shape and dtype still fit); else None.
    captured: the array that was captured when tracing; a traced array of an outer trace has no
    guard.
    is_root: pass `root_of` the array, the memory that it shares with others (`Trace.aliases`).
    written: the program writes it; the new value is an extra result (`Trace.written`).
    pinned: where the trace needed the number's value: it holds for this value only.
    low, high: the trace holds while the weak int is in this range.
    """

    name: str
    shape: Shape
    dtype: DType
    weak: Weak | None = None
    leaf: int = -1
    guard: Guard | None = None
    captured: Any = None
    is_root: bool = False
    written: bool = False
    pinned: str | None = None
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Leaf:
    """One leaf of the function's result.

    index: the result of `@main` that holds it; None for a Python value known now, `value`.
    weak: give it back as a Python number of this type, not as an array. shape: of an array.
    """

    index: int | None
    value: Any = None
    weak: Weak | None = None
    shape: Shape = ()


@dataclass
class Trace:
    """A traced function.

    module: holds `func.func @main(inputs...) -> (results..., final values of written inputs...)`.
    inputs: what each argument of `@main` is: first the leaves of the call, then captured arrays.
    arguments: the structure of the call, `({name: value, ...})` by parameter name.
    static: (position, value) of the leaves that are no input; they must be equal at a call.
    results: the leaves of `result_tree`.
    written: for each extra result, after the first ones, the position in `inputs` it is for.
    resources: large constants by name. guards: what else must still hold. notes: for `explain`.
    donors: result -> the input whose memory it takes (`donate=`).
    axes: which size of which input tells each symbol of `shapes`; requires: what must hold of them.
    aliases: arrays that must share memory as they did. Where there are none and something is
    written, the written arrays of a call must overlap no other.
    """

    module: ModuleOp
    inputs: list[Input]
    arguments: Tree
    static: list[tuple[int, Any]]
    result_tree: Tree
    results: list[Leaf]
    written: list[int]
    resources: dict[str, NDArray]
    guards: list[Guard] = field(default_factory=list[Guard])
    notes: list[str] = field(default_factory=list[str])
    aliases: list[Alias] = field(default_factory=list[Alias])
    axes: dict[Symbol, Axis] = field(default_factory=dict[Symbol, Axis])
    requires: list[Require] = field(default_factory=list[Require])
    donors: dict[int, int] = field(default_factory=dict[int, int])


def bind_arguments(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments by parameter name. Raises `ArgumentError` for a call that does not fit."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        name = getattr(function, "__name__", "function")
        fail(ArgumentError, f"{name}: {error}")
    return dict(bound.arguments)


def trace(
    function: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: dict[str, Any] | None = None,
    *,
    static: Sequence[str] = (),
    shapes: Mapping[int, Shape] | None = None,
    script: bool = False,
) -> Trace:
    """Run `function` on traced stand-ins of its arguments and return the program it makes.

    Array leaves become arguments, Python bools, ints and floats weak 0-d arguments; every other
    leaf, and all of the parameters named in `static`, is used as it is. Whatever the function
    raises passes through; `TraceError` where it needs a value that only a run has.

    script: control flow on traced values is captured from the source (`frontend/script`).
    shapes: leaf number -> shape with sizes that are expressions (`dims.py`): the program is for
    all of them. Where arrays overlap in memory and one of them is written, the function runs a
    second time; with such sizes that is a `TraceError`.
    """
    named = bind_arguments(function, args, kwargs or {})
    run = _bounded(scripted(function)) if script else function
    program = _trace(function, run, named, static, Recorder(), shapes)
    if not program.written:
        return program
    leaves = tree.flatten(named)[0]
    arrays = [leaves[x.leaf] if x.leaf >= 0 else x.captured for x in program.inputs]
    shared = find_shared(arrays, [x.written for x in program.inputs])
    if shared and shapes:
        raise TraceError(
            "jit: expected arguments of their own memory, since the function writes one and has "
            "sizes that are not known, found arrays that overlap; pass copies"
        )
    return _trace(function, run, named, static, Recorder(shared)) if shared else program


def scripted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as script mode runs it."""
    from lamina.frontend.script.operators import converted

    return converted(function)


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A converted function, whose recursion must end while it is captured."""

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except RecursionError as error:
            frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
            users = [frame.f_code for frame in frames if is_user_code(frame.f_code)]
            code = users[-1] if users else None
            raise TraceError(
                'jit(mode="script"): expected recursion that static values end, found one that '
                "goes on where a run would end it; write it as a loop",
                place=code and f"{code.co_filename}:{code.co_firstlineno}",
            ) from None

    return run


def _trace(
    function: Callable[..., Any],
    run: Callable[..., Any],
    named: dict[str, Any],
    static: Sequence[str],
    recorder: Recorder,
    shapes: Mapping[int, Shape] | None = None,
) -> Trace:
    """The program of `run`: the function, or the one that was made of it."""
    leaves, arguments = tree.flatten(named)
    position = _definition(function)
    token = CURRENT.set(recorder)
    try:
        names = tree.paths(arguments)
        stand_ins, inputs, fixed = _stand_ins(
            recorder, leaves, names, static, position, shapes or {}
        )
        bound = inspect.signature(function).bind_partial()
        bound.arguments.update(tree.unflatten(arguments, stand_ins))
        effects = SideEffects(function, bound.arguments.items())
        watch = Watch(effects)
        recorder.hook = watch.hook
        with watch:
            result = _called(run, bound, recorder)
        found, result_tree = tree.flatten(result)
        results, values = _results(recorder, found)
        written = [storage for storage in recorder.inputs if storage.version]
        values += [recorder.read(whole(storage, position)) for storage in written]
        recorder.insert_return(ReturnOp.create(operands=values), position)
        guards, notes = find_guards(function, watch), [*watch.notes, *effects.warn()]
        hidden = settle(recorder, guards, notes)
    finally:
        CURRENT.reset(token)
        recorder.alive = False
    for captured in hidden:
        inputs[captured.storage] = _hidden(captured)
    members = _members(recorder, leaves, names, guards)
    for storage, listed in members.items():
        inputs[storage] = _root(storage, listed[0])
    order = recorder.inputs
    return Trace(
        _module(recorder, inputs, position),
        [_final(recorder, source, inputs[storage]) for source, storage in enumerate(order)],
        arguments,
        fixed,
        result_tree,
        results,
        [source for source, storage in enumerate(order) if storage.version],
        recorder.resources,
        [guard for guard in guards.guards if guard.test != "array" or _is_read(guard, hidden)],
        notes,
        [Alias(order.index(storage), tuple(listed)) for storage, listed in members.items()],
        recorder.sizes.axes,
        recorder.sizes.requires,
    )


def _called(function: Callable[..., Any], bound: inspect.BoundArguments, recorder: Recorder) -> Any:
    try:
        return function(*bound.args, **bound.kwargs)
    except TypeError as error:
        # `np.zeros(n)` of a size is "expected a sequence of integers ..."
        if recorder.sizes.refused is not None and type(error) is TypeError:
            raise recorder.sizes.refused from error
        raise
    except ValueError as error:
        # NumPy hides our TypeError: `ndarray[0] = traced` is "setting an array element ..."
        if isinstance(error.__cause__, TraceError) and type(error) is ValueError:
            raise error.__cause__ from None
        raise


def _module(recorder: Recorder, inputs: dict[Storage, Input], position: Position) -> ModuleOp:
    returned = recorder.entry.last_op
    assert isinstance(returned, ReturnOp)
    for argument, storage in zip(recorder.entry.args, recorder.inputs, strict=True):
        argument.name_hint = _hint(inputs[storage].name)
    main = FuncOp(
        "main",
        ([arg.type for arg in recorder.entry.args], [value.type for value in returned.operands]),
        Region(recorder.entry),
    )
    main.location = location_of(position)
    module = ModuleOp([main])
    module.location = main.location
    return module


def _is_read(guard: Guard, hidden: list[Captured]) -> bool:
    """Whether the guard of an array is not already the reading of an input."""
    return all(captured.guard is not guard for captured in hidden)


def _final(recorder: Recorder, source: int, given: Input) -> Input:
    """An input with what the trace found out about it."""
    low, high = recorder.ranges.get(source, (None, None))
    return replace(
        given,
        written=bool(recorder.inputs[source].version),
        pinned=recorder.pinned.get(source),
        low=low,
        high=high,
    )


def _hidden(captured: Captured) -> Input:
    storage, guard = captured.storage, captured.guard
    return Input(captured.path, storage.shape, storage.dtype, guard=guard, captured=captured.array)


def _root(storage: Storage, first: Member) -> Input:
    return Input(
        first.name, storage.shape, storage.dtype, None, first.leaf, first.guard, is_root=True
    )


def _members(
    recorder: Recorder, leaves: list[Any], names: list[str], found: Found
) -> dict[Storage, list[Member]]:
    """The storages that stand for shared memory, each with the arrays that are its views."""
    members: dict[Storage, list[Member]] = {}

    def add(array: Any, name: str, leaf: int, guard: Guard | None) -> None:
        root, _ = recorder.shared[id(array)]
        if id(root) in recorder.lifted:
            data, storage = memory_of(array), recorder.lifted[id(root)][1]
            place = offset_in(root, data), data.shape, data.strides, data.dtype
            members.setdefault(storage, []).append(Member(name, leaf, guard, *place))

    for index, (leaf, name) in enumerate(zip(leaves, names, strict=True)):
        if id(leaf) in recorder.shared:
            add(leaf, name, index, None)
    for identity, guards in found.arrays.items():
        if identity in recorder.shared:
            add(guards[0].read(), guards[0].path, -1, guards[0])
    return members


def _definition(function: Callable[..., Any]) -> Position:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (code.co_filename, code.co_firstlineno, 1) if code else user_position()


def _stand_ins(
    recorder: Recorder,
    leaves: list[Any],
    names: list[str],
    static: Sequence[str],
    position: Position,
    shapes: Mapping[int, Shape],
) -> tuple[list[Any], dict[Storage, Input], list[tuple[int, Any]]]:
    """What the function gets for each leaf, the inputs, and the static leaves."""
    stand_ins: list[Any] = []
    inputs: dict[Storage, Input] = {}
    recorder.sizes.take_hints(shapes, leaves)
    fixed: list[tuple[int, Any]] = []
    for index, (leaf, name) in enumerate(zip(leaves, names, strict=True)):
        if id(leaf) in recorder.shared:
            stand_ins.append(recorder.lift(leaf))
            continue
        stand_in = (
            None
            if name.split("/")[0] in static
            else _stand_in(recorder, leaf, position, shapes.get(index))
        )
        if stand_in is None:
            fixed.append((index, leaf))
            stand_ins.append(leaf)
            continue
        weak: Any = stand_in.kind.__name__ if isinstance(stand_in, WeakScalar) else None
        inputs[stand_in._storage] = Input(name, stand_in.shape, stand_in.dtype, weak, index)
        stand_ins.append(stand_in)
    return stand_ins, inputs, fixed


def _stand_in(
    recorder: Recorder, leaf: Any, position: Position, shape: Shape | None
) -> TracedArray | None:
    if isinstance(leaf, WeakScalar):
        return recorder.weak_argument(leaf._number, position)
    if is_array(leaf) or is_numpy_scalar(leaf):
        return recorder.argument(shape or leaf.shape, dtypes.normalize(leaf.dtype), position)
    if type(leaf) in (bool, int, float) and (type(leaf) is not int or -(2**63) <= leaf < 2**63):
        return recorder.weak_argument(leaf, position)
    return None


def _hint(path: str) -> str | None:
    name = "".join(char if char.isalnum() else "_" for char in path)
    return name if name.isidentifier() and name.isascii() else None


def _results(recorder: Recorder, found: list[Any]) -> tuple[list[Leaf], list[Any]]:
    results: list[Leaf] = []
    values: list[Any] = []
    for leaf in found:
        if isinstance(leaf, Selection):
            leaf.refuse("return")
        if is_size(leaf):
            array = leaf.scalar()
        elif is_numpy_scalar(leaf):
            array = recorder.constant(np.asarray(leaf))
        elif is_array(leaf):
            array = recorder.own(leaf) if isinstance(leaf, Array) else recorder.lift(leaf)
        else:
            results.append(Leaf(None, leaf))
            continue
        weak: Any = array.kind.__name__ if isinstance(array, WeakScalar) else None
        results.append(Leaf(len(values), None, weak, array.shape))
        values.append(recorder.read(array))
    return results, values
