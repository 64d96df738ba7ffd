"""From signatures (entry_spec.py) to the table that the native entry runs (entry_ir.py)."""

from __future__ import annotations

import ctypes
import math
import struct
from typing import Any

import numpy as np

from lamina.backend.entry_abi import (
    ALIGNED,
    C_CONTIGUOUS,
    OWNDATA,
    WRITEABLE,
    dict_versions,
    slot_offset,
)
from lamina.backend.entry_ir import HEAD
from lamina.backend.entry_native import Block, Native, native
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
    Result,
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

_RECORD = 8  # words

# int64 and uint64 have two type numbers each; the entry knows them by the first.
_TYPE_NUMBER = {9: 7, 10: 8}


def type_number(dtype: np.dtype[Any]) -> int:
    """NumPy's number of a type, one for each type that compares equal."""
    return _TYPE_NUMBER.get(dtype.num, dtype.num)


class Encoder:
    """Writes the program of one signature.

    keep: objects whose addresses the program holds.
    registers, words: how many of each it uses.
    """

    def __init__(
        self, signature: Signature, index: int, keep: list[object], array_class: ArrayClass | None
    ) -> None:
        self.signature = signature
        self._wrap = array_class is not None
        self._donated = array_class.donated if array_class is not None else None
        self.keep = keep
        self._native: Native = native()
        self._records: list[list[int]] = []
        leaves = signature.leaves()
        self._arrays: list[tuple[int, ArrayLeaf]] = []
        self._donors: dict[int, int] = {}
        self._given: list[int] = []
        self._leaf = 0
        self._leaf_count = len(leaves)
        self._first_dim = 1 + len(leaves) + len(signature.results)
        self._dim = 0
        in_dims = sum(leaf.shape.count(-1) for leaf in leaves if isinstance(leaf, ArrayLeaf))
        out_dims = sum(type(d) is not int for result in signature.results for d in result.shape)
        used = self._first_dim + in_dims + out_dims
        self._block = Block(signature, used, index)
        self.words = self._block.words
        self.registers = len(signature.args)
        self._out_dim = self._first_dim + in_dims

    def encode(self) -> tuple[int, int]:
        """(address of the program, register of the result)."""
        signature = self.signature
        for register, tree in enumerate(signature.args):
            self._match(tree, register)
        self._match_hidden()
        for expression in signature.requires:
            self._emit("require", self._expression(expression))
        self._match_disjoint()
        outs = [self._result(number, result) for number, result in enumerate(signature.results)]
        self._give()
        self._emit("main", self._block.address)
        for result, register in zip(signature.results, outs, strict=True):
            if result.writes is not None:
                static = [dim for dim in result.shape if isinstance(dim, int)]
                size: DimExpr = math.prod(static) * result.dtype.itemsize
                for dim in result.shape:
                    size = size if isinstance(dim, int) else DimOp("mul", size, dim)
                array = self._donors[result.writes]
                self._emit("write_back", register, array, self._expression(size))
        self.keep.append(self._block)
        result = self._register()
        self._build(signature.tree, result, outs)
        flat = [word for record in self._records for word in record] + [0] * _RECORD
        return self._memory(flat), result

    # --- small parts

    def _emit(self, op: str, *operands: int) -> None:
        record = [self._native.ops[op], *operands]
        self._records.append(record + [0] * (_RECORD - len(record)))

    def _register(self, count: int = 1) -> int:
        self.registers += count
        return self.registers - count

    def _word(self, count: int = 1) -> int:
        self.words += count
        return self.words - count

    def _object(self, value: object) -> int:
        """The address of an object, kept alive."""
        self.keep.append(value)
        return id(value)

    def _memory(self, words: list[int]) -> int:
        """The address of these words, kept alive."""
        data = (ctypes.c_int64 * len(words))(*words)
        self.keep.append(data)
        return ctypes.addressof(data)

    # --- arguments

    def _match(self, tree: Tree, register: int) -> None:
        """Check what `register` holds against `tree`, and take its leaves."""
        match tree:
            case SequenceNode(type=cls, items=items):
                first = self._register(len(items))
                listed = int(issubclass(cls, list))
                self._emit("sequence", register, self._object(cls), len(items), first, listed)
                for offset, item in enumerate(items):
                    self._match(item, first + offset)
            case DictNode(items=pairs):
                self._emit("dict", register, len(pairs))
                for key, item in pairs:
                    value = self._register()
                    self._emit("item", register, self._object(key), value)
                    self._match(item, value)
            case ObjectNode(type=cls, attributes=attributes):
                self._emit("type", register, self._object(cls))
                for name, item in attributes:
                    value = self._register()
                    self._emit("attribute", register, self._object(name), value)
                    self._match(item, value)
            case StaticLeaf():
                self._static(tree, register)
            case ArrayLeaf():
                self._array(tree, register)
            case ScalarLeaf(kind=kind):
                self._emit(kind, register, self._next_leaf(), self._word())
            case ConstantLeaf(address=address):
                self._emit("set", self._next_leaf(), address)
                self.keep.append(tree)
            case AbsentLeaf():
                raise AssertionError("an absent name has no value to look at")

    def _static(self, leaf: StaticLeaf, register: int) -> None:
        value = leaf.value
        address = self._object(value)
        if leaf.by == "equality" or type(value) in (int, str, bytes):
            self._emit("equal", register, address)
        elif type(value) in (float, complex):
            self._emit("bits", register, address, 1 if type(value) is float else 2)
        else:
            self._emit("is", register, address)

    def _next_leaf(self) -> int:
        """The word of the next leaf's pointer."""
        self._leaf += 1
        return self._leaf

    def _array(self, leaf: ArrayLeaf, register: int) -> None:
        flags = C_CONTIGUOUS | ALIGNED | (WRITEABLE if leaf.written else 0)
        flags |= OWNDATA if leaf.donated else 0
        spec = self._memory([flags, *leaf.shape])
        array = self._register()
        dims = self._first_dim + self._dim
        number, rank = type_number(leaf.dtype), len(leaf.shape)
        self._emit("array", register, array, number, rank, spec, self._next_leaf(), dims)
        self._dim += leaf.shape.count(-1)
        if leaf.donated:
            self._emit("lent", register, array)
            self._given.append(register)
        self._arrays.append((array, leaf))
        self._donors[self._leaf - 1] = array

    def _give(self) -> None:
        """Take the donated arguments from their owners."""
        if not self._given:
            return
        place, donated = self._register(), self._object(self._donated)
        self._emit("here", place)
        for register in self._given:
            self._emit("give", register, donated, place)

    def _match_hidden(self) -> None:
        """Hidden inputs. Neighbours that look at plain values in one namespace are skipped while
        the namespace has not changed."""
        hidden = self.signature.hidden
        start = 0
        while start < len(hidden):
            end = start
            while end < len(hidden) and _same_namespace(hidden[start], hidden[end]):
                end += 1
            if end - start >= 1 and dict_versions():
                self._versioned(hidden[start:end])
            else:
                end = max(end, start + 1)
                for source, tree in hidden[start:end]:
                    self._hidden(source, tree)
            start = end

    def _versioned(self, group: tuple[tuple[Source, Tree], ...]) -> None:
        source = group[0][0]
        assert isinstance(source, GlobalName)
        seen = self._memory([-1])
        namespace = self._object(source.namespace)
        at = len(self._records)
        self._emit("unchanged", namespace, seen, 0)
        for member, tree in group:
            self._hidden(member, tree)
        self._emit("seen", namespace, seen)
        self._records[at][3] = len(self._records) - at - 1

    def _hidden(self, source: Source, tree: Tree) -> None:
        if isinstance(tree, ConstantLeaf):
            self._match(tree, 0)
            return
        value = self._register()
        match source:
            case Fixed(object=held):
                self._emit("load", self._object(held), value)
            case Cell(cell=cell):
                self._emit("cell", self._object(cell), value)
            case GlobalName(namespace=namespace, name=name):
                table = self._register()
                self._emit("load", self._object(namespace), table)
                if isinstance(tree, AbsentLeaf):
                    self._emit("absent", table, self._object(name))
                    return
                self._emit("item", table, self._object(name), value)
        self._match(tree, value)

    def _match_disjoint(self) -> None:
        for k, (register, leaf) in enumerate(self._arrays):
            for other, second in self._arrays[k + 1 :]:
                if leaf.written or second.written:
                    sizes = leaf.dtype.itemsize, second.dtype.itemsize
                    self._emit("disjoint", register, other, *sizes)

    # --- dims and results

    def _expression(self, expression: DimExpr) -> int:
        """The word that holds the value of `expression`."""
        match expression:
            case DimArg(index=index):
                return self._first_dim + index
            case DimOp(name=name, lhs=lhs, rhs=rhs):
                left, right, out = self._expression(lhs), self._expression(rhs), self._word()
                self._emit(f"dim_{name}", out, left, right)
                return out
            case _:
                out = self._word()
                self._emit("set", out, expression)
                return out

    def _result(self, number: int, result: Result) -> int:
        """Allocate a result (and pass its `?` dims): its register."""
        array = self._register()
        pointer = 1 + self._leaf_count + number
        if result.donor is not None:
            self._emit("donated", self._donors[result.donor], pointer, array)
            for dim in result.shape:
                if not isinstance(dim, int):
                    self._copy_dim(self._expression(dim))
            return array
        kind, rank = type_number(result.dtype), len(result.shape)
        if all(isinstance(dim, int) for dim in result.shape):
            dims = self._memory([dim for dim in result.shape if isinstance(dim, int)] or [0])
            self._emit("new", kind, rank, dims, 0, pointer, array)
            return array
        first = self._word(rank)
        for offset, dim in enumerate(result.shape):
            if isinstance(dim, int):
                self._emit("set", first + offset, dim)
            else:
                value = self._expression(dim)
                self._emit("copy", first + offset, value)
                self._copy_dim(value)
        self._emit("new", kind, rank, 0, first, pointer, array)
        return array

    def _copy_dim(self, value: int) -> None:
        """Pass a size as the next `?` dim of the results."""
        self._emit("copy", self._out_dim, value)
        self._out_dim += 1

    def _build(self, tree: ResultTree, register: int, outs: list[int]) -> None:
        """Build `tree` into `register`."""
        match tree:
            case ResultLeaf(index=index):
                self._emit("wrap" if self._wrap else "move", outs[index], register)
            case ResultConstant(value=value):
                self._emit("load", self._object(value), register)
            case ResultSequence(type=cls, items=items):
                first = self._children(items, outs)
                self._emit("list" if cls is list else "tuple", register, first, len(items))
            case ResultDict(items=pairs):
                first = self._children(tuple(item for _, item in pairs), outs)
                keys = self._memory([self._object(key) for key, _ in pairs] or [0])
                self._emit("mapping", register, first, len(pairs), keys)
            case ResultCall(function=function, items=items):
                first = self._children(items, outs)
                self._emit("call", register, first, len(items), self._object(function))

    def _children(self, items: tuple[ResultTree, ...], outs: list[int]) -> int:
        first = self._register(len(items))
        for offset, item in enumerate(items):
            self._build(item, first + offset, outs)
        return first


def _same_namespace(first: tuple[Source, Tree], other: tuple[Source, Tree]) -> bool:
    """Whether both look at values that only a change of one and the same dict can change."""
    a, b = first[0], other[0]
    return (
        isinstance(a, GlobalName)
        and isinstance(b, GlobalName)
        and a.namespace is b.namespace
        and all(
            isinstance(tree, AbsentLeaf) or (isinstance(tree, StaticLeaf) and tree.by == "value")
            for tree in (first[1], other[1])
        )
    )


def _pairs(pairs: list[tuple[int, object]], keep: list[object]) -> int:
    """The address of (offset, object) pairs, kept alive."""
    words = [word for offset, value in pairs for word in (offset, id(value))] or [0]
    data = (ctypes.c_int64 * len(words))(*words)
    keep.extend((data, pairs))
    return ctypes.addressof(data)


def encode_table(
    signatures: tuple[Signature, ...], array_class: ArrayClass | None, on_error: object
) -> tuple[bytes, list[object]]:
    """(the table of an entry, the objects that it points to)."""
    keep: list[object] = [signatures, array_class, on_error]
    rows: list[int] = []
    registers = words = 1
    for index, signature in enumerate(signatures):
        encoder = Encoder(signature, index, keep, array_class)
        program, result = encoder.encode()
        rows += [len(signature.args), program, result]
        registers, words = max(registers, encoder.registers), max(words, encoder.words)
    head = dict.fromkeys(HEAD, 0)
    head |= {"signatures": len(signatures), "registers": registers, "words": words}
    head["on_error"] = id(on_error)
    if array_class is not None:
        cls = array_class.type
        fields = [(slot_offset(cls, name), value) for name, value in array_class.fields]
        values = dict(array_class.fields)
        guards = [(slot_offset(cls, name), values[name]) for name in array_class.guards]
        head |= {"array_type": id(cls), "data_offset": slot_offset(cls, array_class.data)}
        head |= {"field_count": len(fields), "fields": _pairs(fields, keep)}
        head |= {"guard_count": len(guards), "guards": _pairs(guards, keep)}
    flat = [*(head[name] for name in HEAD), *rows]
    return struct.pack(f"={len(flat)}q", *flat), keep
