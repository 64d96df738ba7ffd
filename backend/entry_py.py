"""The call entry in Python: what entry_ir.py does, to be read, to be tested against, and to be
used where CPython or NumPy lay objects out in a way that we do not know."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lamina.backend.entry_native import Block
from lamina.backend.entry_spec import (
    AbsentLeaf,
    ArrayClass,
    ArrayLeaf,
    Cell,
    ConstantLeaf,
    DictNode,
    DimArg,
    DimExpr,
    DimOp,
    Fixed,
    GlobalName,
    ObjectNode,
    ResultCall,
    ResultConstant,
    ResultDict,
    ResultLeaf,
    ResultSequence,
    ResultTree,
    ScalarLeaf,
    SequenceNode,
    Signature,
    Source,
    StaticLeaf,
    Tree,
)

_SCALARS = {"int": (int, np.int64), "float": (float, np.float64), "bool": (bool, np.bool_)}

DIM_OPS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "max": max,
    "min": min,
    "eq": operator.eq,
    "le": operator.le,
    "lt": operator.lt,
}


class _Mismatch(Exception):
    """This signature does not fit."""


class PyEntry:
    """The same interface as `Entry`."""

    def __init__(
        self,
        slow_path: Callable[..., Any],
        array_class: ArrayClass | None,
        on_error: Callable[[int, int, int, int, int], Any],
    ) -> None:
        self._slow_path = slow_path
        self._array_class = array_class
        self._on_error = on_error
        self._signatures: tuple[tuple[Signature, Block], ...] = ()

    def replace(self, signatures: Iterable[Signature]) -> None:
        """Use these signatures, tried in order, from the next call on."""
        self._signatures = tuple(
            (signature, Block(signature, _word_count(signature), index))
            for index, signature in enumerate(signatures)
        )

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Run the first signature that fits, else the slow path."""
        for index, (signature, block) in enumerate(self._signatures):
            if kwargs or len(args) != len(signature.args):
                continue
            leaves = Leaves(self._array_class)
            try:
                leaves.match_all(signature, args)
            except _Mismatch:
                continue
            return self._run(index, signature, block, leaves)
        return self._slow_path(*args, **kwargs)

    def _run(self, index: int, signature: Signature, block: Block, leaves: Leaves) -> Any:
        outs: list[np.ndarray[Any, Any]] = []
        out_dims: list[int] = []
        for result in signature.results:
            shape = tuple(evaluate(dim, leaves.dims) for dim in result.shape)
            donor = None if result.donor is None else leaves.arrays[result.donor]
            outs.append(np.empty(shape, result.dtype) if donor is None else donor)
            out_dims += [
                size for size, dim in zip(shape, result.shape, strict=True) if type(dim) is not int
            ]
        caller = sys._getframe(2)
        leaves.give((caller.f_code, caller.f_lineno))
        pointers = [*leaves.pointers, *(out.ctypes.data for out in outs)]
        failure = block.run([*pointers, *leaves.dims, *out_dims])
        if failure:
            self._on_error(index, *failure)
            raise SystemError("the error handler of a compiled function returned")
        for result, out in zip(signature.results, outs, strict=True):
            if result.writes is not None:
                leaves.arrays[result.writes][...] = out
        return self._build(signature.tree, outs)

    def _build(self, tree: ResultTree, outs: list[np.ndarray[Any, Any]]) -> Any:
        match tree:
            case ResultLeaf(index=index):
                return self._wrap(outs[index])
            case ResultConstant(value=value):
                return value
            case ResultSequence(type=cls, items=items):
                return cls(self._build(item, outs) for item in items)
            case ResultDict(items=pairs):
                return {key: self._build(item, outs) for key, item in pairs}
            case ResultCall(function=function, items=items):
                return function(*(self._build(item, outs) for item in items))

    def _wrap(self, array: np.ndarray[Any, Any]) -> Any:
        ours = self._array_class
        if ours is None:
            return array
        value: Any = object.__new__(ours.type)
        for name, default in ((ours.data, array), *ours.fields):
            ours.type.__dict__[name].__set__(value, default)
        return value


class Leaves:
    """The leaves found in the arguments of one call.

    pointers, dims: what `main` gets; arrays: the ndarray of each array leaf, by number.
    """

    def __init__(self, array_class: ArrayClass | None) -> None:
        self._array_class = array_class
        self.pointers: list[int] = []
        self.dims: list[int] = []
        self.arrays: dict[int, np.ndarray[Any, Any]] = {}
        self._written: set[int] = set()
        self._given: list[Any] = []
        self._keep: list[object] = []

    def match_all(self, signature: Signature, args: tuple[Any, ...]) -> None:
        """Check everything that `signature` asks for; raises _Mismatch."""
        for tree, value in zip(signature.args, args, strict=True):
            self._match(tree, value)
        for source, tree in signature.hidden:
            self._hidden(source, tree)
        _require(all(evaluate(expression, self.dims) for expression in signature.requires))
        for number in self._written:
            for other, array in self.arrays.items():
                if other != number:
                    _require(not np.may_share_memory(self.arrays[number], array))

    def give(self, place: tuple[object, int]) -> None:
        """Take the donated arguments from their owners."""
        for value in self._given:
            ours = self._array_class
            assert ours is not None and ours.donated is not None
            ours.type.__dict__[ours.data].__set__(value, place)
            value.__class__ = ours.donated

    def _hidden(self, source: Source, tree: Tree) -> None:
        match source:
            case Fixed(object=value):
                self._match(tree, value)
            case Cell(cell=cell):
                try:
                    value = cell.cell_contents
                except ValueError:
                    raise _Mismatch from None
                self._match(tree, value)
            case GlobalName(namespace=namespace, name=name):
                _require((name in namespace) != isinstance(tree, AbsentLeaf))
                if name in namespace:
                    self._match(tree, namespace[name])

    def _match(self, tree: Tree, value: Any) -> None:
        match tree:
            case SequenceNode(type=cls, items=items):
                _require(type(value) is cls and len(value) == len(items))
                for item, part in zip(items, value, strict=True):
                    self._match(item, part)
            case DictNode(items=pairs):
                _require(type(value) is dict and len(value) == len(pairs))
                for key, item in pairs:
                    _require(key in value)
                    self._match(item, value[key])
            case ObjectNode(type=cls, attributes=attributes):
                _require(type(value) is cls)
                for name, item in attributes:
                    try:
                        part = getattr(value, name)
                    except Exception:
                        raise _Mismatch from None
                    self._match(item, part)
            case StaticLeaf():
                _require(_same_static(tree, value))
            case ArrayLeaf():
                self._array(tree, value)
            case ScalarLeaf(kind=kind):
                self._scalar(kind, value)
            case ConstantLeaf(address=address):
                self.pointers.append(address)
            case AbsentLeaf():
                raise AssertionError("an absent name has no value to look at")

    def _array(self, leaf: ArrayLeaf, value: Any) -> None:
        array = self._unwrap(value)
        _require(
            type(array) is np.ndarray
            and array.dtype == leaf.dtype
            and array.dtype.isnative
            and array.ndim == len(leaf.shape)
            and all(want in (-1, has) for want, has in zip(leaf.shape, array.shape, strict=True))
            and array.flags.c_contiguous
            and array.flags.aligned
            and (array.flags.writeable or not leaf.written)
        )
        if leaf.donated:
            ours = self._array_class
            _require(ours is not None and type(value) is ours.type and array.flags.owndata)
            _require(sys.getrefcount(array) == 3)  # the slot, `array`, and the argument
            self._given.append(value)
        if leaf.written:
            self._written.add(len(self.pointers))
        self.arrays[len(self.pointers)] = array
        self.pointers.append(array.ctypes.data)
        self.dims += [has for want, has in zip(leaf.shape, array.shape, strict=True) if want == -1]

    def _unwrap(self, value: Any) -> Any:
        """The ndarray of an array object; anything else as it is."""
        ours = self._array_class
        if ours is None or type(value) is not ours.type:
            return value
        fields = dict(ours.fields)
        slots = ours.type.__dict__
        try:
            held = [slots[name].__get__(value) is fields[name] for name in ours.guards]
            _require(all(held))
            return slots[ours.data].__get__(value)
        except AttributeError:
            raise _Mismatch from None

    def _scalar(self, kind: str, value: Any) -> None:
        cls, dtype = _SCALARS[kind]
        _require(type(value) is cls)
        try:
            holder = np.array(value, dtype)
        except OverflowError:
            raise _Mismatch from None
        self._keep.append(holder)
        self.pointers.append(holder.ctypes.data)


def _require(condition: bool) -> None:
    if not condition:
        raise _Mismatch


def _same_static(leaf: StaticLeaf, value: Any) -> bool:
    want = leaf.value
    if value is want:
        return True
    if type(value) is not type(want):
        return False
    if type(want) in (float, complex):
        return np.array(want).tobytes() == np.array(value).tobytes()
    if leaf.by == "equality" or type(want) in (int, str, bytes):
        try:
            return bool(want == value)
        except Exception:
            return False
    return False


def evaluate(expression: DimExpr, dims: list[int]) -> int:
    """The value of a size expression, given the `?` dims of the leaves."""
    match expression:
        case DimArg(index=index):
            return dims[index]
        case DimOp(name=name, lhs=lhs, rhs=rhs):
            return int(DIM_OPS[name](evaluate(lhs, dims), evaluate(rhs, dims)))
        case _:
            return expression


def _word_count(signature: Signature) -> int:
    """Words that `main` takes, the context included."""
    leaves = signature.leaves()
    dims = sum(leaf.shape.count(-1) for leaf in leaves if isinstance(leaf, ArrayLeaf))
    dims += sum(type(dim) is not int for result in signature.results for dim in result.shape)
    return 1 + len(leaves) + len(signature.results) + dims


def call_main(
    address: int,
    arrays: list[np.ndarray[Any, Any]],
    outs: list[np.ndarray[Any, Any]],
    dims: list[int],
    *,
    arena_bytes: int = 0,
    scratch_bytes: int = 0,
    threads: int | None = None,
) -> tuple[int, int, int, int] | None:
    """Call `main(ctx, arrays..., outs..., dims...)` by address, without the GIL.

    The arrays must be contiguous, aligned, and of the types and shapes that `main` was made for:
    nothing is checked. Returns None, or (status, error id, error index, error value bits).
    """
    signature = Signature(
        address, (), (), ResultConstant(None), arena_bytes=arena_bytes,
        scratch_bytes=scratch_bytes, release_gil=True, threads=threads,
    )  # fmt: skip
    pointers = [array.ctypes.data for array in (*arrays, *outs)]
    return Block(signature, 1 + len(pointers) + len(dims)).run([*pointers, *dims])
