"""One function per `llvm` operation: operation -> the text of one LLVM instruction.

`OPS` maps an operation's name to a function that gets the body being written, the operation and the
texts of its operands, and returns the instruction without `%result =`. `CONSTANTS` maps the names
of operations that are no instruction: their text stands where their result is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from xdsl.dialects.builtin import (
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.llvm import (
    GEP_USE_SSA_VAL,
    CallingConventionAttr,
    TailCallKindAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.backend.emit_llvm_values import (
    constant_text,
    fail,
    fastmath_text,
    int_of,
    ints_of,
    overflow_text,
    zero_text,
)


class Body(Protocol):
    """What an operation's text may ask of the function that it stands in."""

    def type(self, value: SSAValue) -> str:
        """The LLVM type of a value."""
        ...

    def type_of(self, attr: Attribute) -> str:
        """The LLVM text of a type."""
        ...

    def ints(self, attr: Attribute) -> tuple[int, ...]:
        """The numbers of an array attribute."""
        ...

    def symbol(self, name: str) -> str:
        """`@name`; notes that the function refers to it."""
        ...

    def labels(self, op: Operation) -> Sequence[str]:
        """The labels that a terminator jumps to, one a successor."""
        ...


Emit = Callable[[Body, Operation, Sequence[str]], str]


def _binary(opcode: str, flags: Callable[[Operation], str] | None = None) -> Emit:
    def emit(body: Body, op: Operation, args: Sequence[str]) -> str:
        prefix = flags(op) if flags else ""
        return f"{opcode} {prefix}{body.type(op.operands[0])} {args[0]}, {args[1]}"

    return emit


def _unary(opcode: str) -> Emit:
    def emit(body: Body, op: Operation, args: Sequence[str]) -> str:
        return f"{opcode} {fastmath_text(op)}{body.type(op.operands[0])} {args[0]}"

    return emit


def _unit(name: str, keyword: str) -> Callable[[Operation], str]:
    """A flag that stands before the type when the operation has the unit property `name`."""
    return lambda op: f"{keyword} " if name in op.properties else ""


def _cast(opcode: str, flags: Callable[[Operation], str] | None = None) -> Emit:
    def emit(body: Body, op: Operation, args: Sequence[str]) -> str:
        prefix = flags(op) if flags else ""
        source = body.type(op.operands[0])
        return f"{opcode} {prefix}{source} {args[0]} to {body.type(op.results[0])}"

    return emit


_INT_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def _compare(opcode: str, predicates: tuple[str, ...]) -> Emit:
    def emit(body: Body, op: Operation, args: Sequence[str]) -> str:
        predicate = predicates[int_of(op.properties["predicate"])]
        flags = fastmath_text(op)
        return f"{opcode} {flags}{predicate} {body.type(op.operands[0])} {args[0]}, {args[1]}"

    return emit


def _typed(body: Body, op: Operation, args: Sequence[str]) -> str:
    """All operands with their types."""
    return ", ".join([f"{body.type(v)} {a}" for v, a in zip(op.operands, args, strict=True)])


def _typed_list(opcode: str) -> Emit:
    def emit(body: Body, op: Operation, args: Sequence[str]) -> str:
        return f"{opcode} {fastmath_text(op)}{_typed(body, op, args)}"

    return emit


_ORDERINGS = {
    1: "unordered",
    2: "monotonic",
    4: "acquire",
    5: "release",
    6: "acq_rel",
    7: "seq_cst",
}


def _memory(body: Body, op: Operation, opcode: str, rest: str) -> str:
    """A load or store: volatile, ordering and alignment round what is moved."""
    properties = op.properties
    ordering = int_of(properties["ordering"]) if "ordering" in properties else 0
    text = opcode + (" atomic" if ordering else "")
    text += " volatile " if "volatile_" in properties else " "
    text += rest
    if ordering:
        text += " " + _ORDERINGS[ordering]
    alignment = properties.get("alignment")
    if alignment is not None:
        text += f", align {int_of(alignment)}"
    if "nontemporal" in properties:
        text += ", !nontemporal !0"
    if "invariant" in properties:
        text += ", !invariant.load !1"
    return text


def _load(body: Body, op: Operation, args: Sequence[str]) -> str:
    rest = f"{body.type(op.results[0])}, {body.type(op.operands[0])} {args[0]}"
    return _memory(body, op, "load", rest)


def _store(body: Body, op: Operation, args: Sequence[str]) -> str:
    return _memory(body, op, "store", _typed(body, op, args))


def _alloca(body: Body, op: Operation, args: Sequence[str]) -> str:
    text = f"alloca {body.type_of(op.properties['elem_type'])}, {_typed(body, op, args)}"
    alignment = op.properties.get("alignment")
    # xDSL writes 0 for "as the type wants"
    return f"{text}, align {a}" if alignment is not None and (a := int_of(alignment)) else text


def _gep(body: Body, op: Operation, args: Sequence[str]) -> str:
    wrap = op.properties.get("noWrapFlags")
    bits = (int_of(wrap) if wrap is not None else 0) | ("inbounds" in op.properties)
    text = "getelementptr "
    text += "inbounds " if bits & 1 else "nusw " if bits & 2 else ""
    text += "nuw " if bits & 4 else ""
    text += f"{body.type_of(op.properties['elem_type'])}, {body.type(op.operands[0])} {args[0]}"
    indices = body.ints(op.properties["rawConstantIndices"])
    dynamic = iter(range(1, len(args)))
    for index in indices:
        if index == GEP_USE_SSA_VAL:
            number = next(dynamic)
            text += f", {body.type(op.operands[number])} {args[number]}"
        else:
            text += f", i32 {index}"
    return text


def _positions(op: Operation) -> str:
    values = ints_of(op.properties["position"])
    return ", ".join(map(str, values))


def _extract_value(body: Body, op: Operation, args: Sequence[str]) -> str:
    return f"extractvalue {_typed(body, op, args)}, {_positions(op)}"


def _insert_value(body: Body, op: Operation, args: Sequence[str]) -> str:
    return f"insertvalue {_typed(body, op, args)}, {_positions(op)}"


def _shuffle(body: Body, op: Operation, args: Sequence[str]) -> str:
    mask = body.ints(op.properties["mask"])
    lanes = ", ".join("i32 poison" if lane == -1 else f"i32 {lane}" for lane in mask)
    return f"shufflevector {_typed(body, op, args)}, <{len(mask)} x i32> <{lanes}>"


def _result_type(body: Body, op: Operation) -> str:
    return body.type(op.results[0]) if op.results else "void"


def _segments(op: Operation) -> tuple[int, ...]:
    segments = op.properties.get("operandSegmentSizes") or op.attributes["operandSegmentSizes"]
    return ints_of(segments)


def _call(body: Body, op: Operation, args: Sequence[str]) -> str:
    """A direct call, or an indirect one: then the first operand is the callee."""
    if _segments(op)[1]:
        raise fail(op, "expected no operand bundles, found some")
    properties = op.properties
    callee = properties.get("callee")
    skip = 0 if callee is not None else 1
    if callee is not None:
        name = body.symbol(cast("SymbolRefAttr", callee).root_reference.data)
    else:
        name = args[0]
    texts = [f"{body.type(v)} {a}" for v, a in zip(op.operands, args, strict=True)][skip:]
    kind = _result_type(body, op)
    if (variadic := properties.get("var_callee_type")) is not None:
        kind = body.type_of(variadic)
    tail = cast("TailCallKindAttr | None", properties.get("TailCallKind"))
    prefix = "" if tail is None or tail.data.value == "none" else tail.data.value + " "
    convention = convention_text(op)
    return f"{prefix}call {fastmath_text(op)}{convention}{kind} {name}({', '.join(texts)})"


def convention_text(op: Operation) -> str:
    """The calling convention of a call or function, with a space, "" for C's."""
    convention = cast("CallingConventionAttr | None", op.properties.get("CConv"))
    if convention is None or convention.convention.data == "ccc":
        return ""
    return convention.convention.data + " "


def _intrinsic_call(body: Body, op: Operation, name: str, args: Sequence[str]) -> str:
    """LLVM's parser declares intrinsics by itself and derives the type suffix from the call."""
    return f"call {fastmath_text(op)}{_result_type(body, op)} {name}({', '.join(args)})"


def _call_intrinsic(body: Body, op: Operation, args: Sequence[str]) -> str:
    segments = op.properties.get("operandSegmentSizes")
    if segments is not None and _segments(op)[1]:
        raise fail(op, "expected no operand bundles, found some")
    name = cast("StringAttr", op.properties["intrin"]).data
    if not name.startswith("llvm."):
        raise fail(op, f'expected an intrinsic named "llvm...", found "{name}"')
    typed = [f"{body.type(v)} {a}" for v, a in zip(op.operands, args, strict=True)]
    return _intrinsic_call(body, op, "@" + name, typed)


# properties of `llvm.intr.*` that are immediate operands of the intrinsic, in order
_IMMEDIATES: dict[str, tuple[tuple[str, str], ...]] = {
    "abs": (("is_int_min_poison", "i1"),),
    "ctlz": (("is_zero_poison", "i1"),),
    "cttz": (("is_zero_poison", "i1"),),
    "is.fpclass": (("bit", "i32"),),
    "memcpy": (("isVolatile", "i1"),),
    "memmove": (("isVolatile", "i1"),),
    "memset": (("isVolatile", "i1"),),
    "prefetch": (("rw", "i32"), ("hint", "i32"), ("cache", "i32")),
}
_IGNORED = {"fastmathFlags", "operandSegmentSizes", "op_bundle_sizes"}


def intrinsic_op(body: Body, op: Operation, args: Sequence[str]) -> str:
    """Any `llvm.intr.NAME`: a call of `@llvm.NAME`, its known properties as immediates."""
    short = op.name.removeprefix("llvm.intr.")
    texts = [f"{body.type(v)} {a}" for v, a in zip(op.operands, args, strict=True)]
    immediates = _IMMEDIATES.get(short, ())
    for key, kind in immediates:
        number = int_of(op.properties[key])
        texts.append(f"{kind} {number & 1 if kind == 'i1' else number}")
    unknown = set(op.properties) - _IGNORED - {key for key, _ in immediates}
    if unknown:
        raise fail(op, f"expected only known properties, found {', '.join(sorted(unknown))}")
    return _intrinsic_call(body, op, "@llvm." + short, texts)


def _masked(pointer: int) -> Emit:
    """A masked memory intrinsic; its alignment is an attribute of operand `pointer`."""

    def emit(body: Body, op: Operation, args: Sequence[str]) -> str:
        kinds = [body.type(v) for v in op.operands]
        kinds[pointer] += f" align {int_of(op.properties['alignment'])}"
        texts = [f"{kind} {a}" for kind, a in zip(kinds, args, strict=True)]
        if op.results and len(texts) == 2:
            texts.append(f"{body.type(op.results[0])} poison")
        name = "@llvm." + op.name.removeprefix("llvm.intr.")
        return _intrinsic_call(body, op, name, texts)

    return emit


def _return(body: Body, op: Operation, args: Sequence[str]) -> str:
    return f"ret {_typed(body, op, args)}" if args else "ret void"


def _br(body: Body, op: Operation, args: Sequence[str]) -> str:
    return f"br label %{body.labels(op)[0]}"


def _cond_br(body: Body, op: Operation, args: Sequence[str]) -> str:
    then, other = body.labels(op)
    return f"br i1 {args[0]}, label %{then}, label %{other}"


def _switch(body: Body, op: Operation, args: Sequence[str]) -> str:
    default, *cases = body.labels(op)
    kind = body.type(op.operands[0])
    values = op.properties.get("case_values")
    numbers = ints_of(values) if values is not None else ()
    arms = " ".join(
        f"{kind} {number}, label %{case}" for number, case in zip(numbers, cases, strict=True)
    )
    return f"switch {kind} {args[0]}, label %{default} [{arms}]"


def edges(op: Operation) -> list[Sequence[SSAValue]]:
    """The values that a terminator passes to each of its successors."""
    if not op.successors:
        return []
    if op.name == "llvm.br":
        return [tuple(op.operands)]
    sizes = list(_segments(op)[1:])
    if op.name == "llvm.switch":
        sizes = [sizes[0], *ints_of(op.properties["case_operand_segments"])]
    passed: list[Sequence[SSAValue]] = []
    start = 1
    for size in sizes:
        passed.append(tuple(op.operands[start : start + size]))
        start += size
    return passed


_EXACT = _unit("isExact", "exact")
_NON_NEGATIVE = _unit("nonNeg", "nneg")

OPS: dict[str, Emit] = {
    **{f"llvm.{o}": _binary(o, overflow_text) for o in ("add", "sub", "mul", "shl")},
    **{
        f"llvm.{o}": _binary(o, _unit("isExact", "exact")) for o in ("udiv", "sdiv", "lshr", "ashr")
    },
    **{f"llvm.{o}": _binary(o) for o in ("urem", "srem", "and", "xor")},
    "llvm.or": _binary("or", _unit("isDisjoint", "disjoint")),
    **{f"llvm.{o}": _binary(o, fastmath_text) for o in ("fadd", "fsub", "fmul", "fdiv", "frem")},
    "llvm.fneg": _unary("fneg"),
    "llvm.freeze": _unary("freeze"),
    "llvm.icmp": _compare("icmp", _INT_PREDICATES),
    "llvm.fcmp": _compare("fcmp", _FLOAT_PREDICATES),
    "llvm.select": _typed_list("select"),
    "llvm.trunc": _cast("trunc", overflow_text),
    "llvm.zext": _cast("zext", _NON_NEGATIVE),
    "llvm.uitofp": _cast("uitofp", _NON_NEGATIVE),
    **{
        f"llvm.{o}": _cast(o)
        for o in ("sext", "sitofp", "fptosi", "fptoui", "bitcast", "ptrtoint", "inttoptr")
    },
    **{f"llvm.{o}": _cast(o, fastmath_text) for o in ("fpext", "fptrunc")},
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.fence": lambda body, op, args: f"fence {_ORDERINGS[int_of(op.properties['ordering'])]}",
    "llvm.alloca": _alloca,
    "llvm.getelementptr": _gep,
    "llvm.extractelement": _typed_list("extractelement"),
    "llvm.insertelement": _typed_list("insertelement"),
    "llvm.shufflevector": _shuffle,
    "llvm.extractvalue": _extract_value,
    "llvm.insertvalue": _insert_value,
    "llvm.call": _call,
    "llvm.call_intrinsic": _call_intrinsic,
    "llvm.intr.masked.load": _masked(0),
    "llvm.intr.masked.gather": _masked(0),
    "llvm.intr.masked.store": _masked(1),
    "llvm.intr.masked.scatter": _masked(1),
    "llvm.return": _return,
    "llvm.br": _br,
    "llvm.cond_br": _cond_br,
    "llvm.switch": _switch,
    "llvm.unreachable": lambda body, op, args: "unreachable",
}


def _address_of(body: Body, op: Operation) -> str:
    return body.symbol(cast("SymbolRefAttr", op.properties["global_name"]).root_reference.data)


CONSTANTS: dict[str, Callable[[Body, Operation], str]] = {
    "llvm.mlir.constant": lambda body, op: constant_text(
        op.properties["value"], op.results[0].type
    ),
    "llvm.mlir.zero": lambda body, op: zero_text(op.results[0].type),
    "llvm.mlir.undef": lambda body, op: "undef",
    "llvm.mlir.poison": lambda body, op: "poison",
    "llvm.mlir.addressof": _address_of,
}
