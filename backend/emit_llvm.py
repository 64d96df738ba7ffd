"""The `llvm` dialect as LLVM IR text (LLVM 22, opaque pointers).

`emit_module` writes a whole module. `emit_functions` writes one self-contained text per kernel, so
that a kernel can be compiled and cached on its own whatever program it comes from.

Pre-condition: a verified module whose top level holds `llvm.func` and `llvm.mlir.global` only.
Post-condition: text that LLVM parses and verifies; an operation, type or attribute without a
translation is a `LoweringError` that names it and its place. The text depends on nothing but the
module: no address, hash order or counter of the process is in it.

    llvm.func @f(%a: !llvm.ptr {llvm.noalias}) -> f32 {      define float @f(ptr noalias %v0) #0 {
      %c = llvm.mlir.constant(2.0 : f32) : f32               bb0:
      %x = llvm.load %a : !llvm.ptr -> f32                     %v1 = load float, ptr %v0
      %y = llvm.fmul %x, %c : f32                       ->     %v2 = fmul float %v1, 0x40...
      llvm.return %y : f32                                     ret float %v2
    }                                                        }
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.llvm import LinkageAttr, LLVMFunctionType, TargetFeaturesAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.backend.emit_llvm_ops import CONSTANTS, OPS, convention_text, edges, intrinsic_op
from lamina.backend.emit_llvm_values import (
    constant_text,
    fail,
    int_of,
    ints_of,
    symbol_text,
    type_text,
)
from lamina.dialects.locations import place_of
from lamina.errors import LoweringError

# Code of ours never unwinds, so no unwind tables are wanted; the flag is on every function.
# !0 marks non-temporal stores, !1 invariant loads.
_TRAILER = "\nattributes #0 = { nounwind }\n!0 = !{i32 1}\n!1 = !{}\n"


@dataclass
class _Symbol:
    """A function or global: `head linkage tail`, and the symbols it refers to, in order."""

    op: Operation
    head: str
    linkage: str
    tail: str
    defined: bool
    uses: dict[str, None] = field(default_factory=dict[str, None])

    def text(self, linkage: str | None = None) -> str:
        """Its text, with its own linkage or another."""
        return self.head + (self.linkage if linkage is None else linkage) + self.tail

    @property
    def external(self) -> bool:
        """Whether other objects see it."""
        return self.defined and self.linkage in ("", "hidden ", "protected ")


class _Names(dict[SSAValue, str]):
    """Value -> text: `%vN` in the order of first use, or the constant itself."""

    def __init__(self, body: _Body) -> None:
        super().__init__()
        self.body = body
        self.count = 0

    def __missing__(self, value: SSAValue) -> str:
        owner = value.owner
        if isinstance(owner, Operation) and (constant := CONSTANTS.get(owner.name)):
            text = constant(self.body, owner)
        else:
            text = f"%v{self.count}"
            self.count += 1
        self[value] = text
        return text


class _Body:
    """One function while it is written (`emit_llvm_ops.Body`)."""

    def __init__(self) -> None:
        self.names = _Names(self)
        self.uses: dict[str, None] = {}
        # keyed by identity: hashing an xDSL attribute costs more than writing an instruction
        self._types: dict[int, str] = {}
        self._ints: dict[int, tuple[int, ...]] = {}
        self._kept: list[Attribute] = []
        self._labels: dict[Operation, list[str]] = {}

    def type_of(self, attr: Attribute) -> str:
        text = self._types.get(id(attr))
        if text is None:
            text = self._types[id(attr)] = type_text(attr)
            self._kept.append(attr)
        return text

    def type(self, value: SSAValue) -> str:
        return self.type_of(value.type)

    def ints(self, attr: Attribute) -> tuple[int, ...]:
        numbers = self._ints.get(id(attr))
        if numbers is None:
            numbers = self._ints[id(attr)] = ints_of(attr)
            self._kept.append(attr)
        return numbers

    def symbol(self, name: str) -> str:
        self.uses[name] = None
        return symbol_text(name)

    def labels(self, op: Operation) -> Sequence[str]:
        return self._labels[op]

    def blocks(self, blocks: Sequence[Block]) -> list[str]:
        """The lines of all blocks."""
        labels = {block: f"bb{number}" for number, block in enumerate(blocks)}
        incoming, bridges = self._route(blocks, labels)
        lines: list[str] = []
        for block, label in labels.items():
            lines.append(label + ":")
            if block is not blocks[0]:
                lines += self._phis(block, incoming[label])
            lines += self._instructions(block)
            lines += bridges[label]
        return lines

    def _route(
        self, blocks: Sequence[Block], labels: dict[Block, str]
    ) -> tuple[dict[str, list[tuple[str, Sequence[SSAValue]]]], dict[str, list[str]]]:
        """Label each edge. (block -> (from, values) of its edges, block -> bridges after it).

        A phi has one value per predecessor: when a terminator passes different values to one block
        over two edges, the later edge goes through a block of its own, the bridge.
        """
        incoming: dict[str, list[tuple[str, Sequence[SSAValue]]]] = {
            label: [] for label in labels.values()
        }
        bridges: dict[str, list[str]] = {label: [] for label in labels.values()}
        for block, label in labels.items():
            last = block.last_op
            if last is None:
                raise LoweringError("llvm.func: expected a terminator in every block, found none")
            seen: dict[Block, Sequence[SSAValue]] = {}
            targets = self._labels[last] = []
            for number, values in enumerate(edges(last)):
                target = last.successors[number]
                source, jump = label, labels[target]
                if seen.setdefault(target, values) != values:
                    source = jump = f"{label}.edge{number}"
                    bridges[label] += [f"{jump}:", f"  br label %{labels[target]}"]
                targets.append(jump)
                incoming[labels[target]].append((source, values))
        return incoming, bridges

    def _phis(
        self, block: Block, incoming: Sequence[tuple[str, Sequence[SSAValue]]]
    ) -> Iterable[str]:
        names = self.names
        for number, arg in enumerate(block.args):
            if not incoming:  # a block that nothing reaches
                names[arg] = "poison"
                continue
            pairs = ", ".join(
                f"[ {names[values[number]]}, %{source} ]" for source, values in incoming
            )
            yield f"  {names[arg]} = phi {self.type(arg)} {pairs}"

    def _instructions(self, block: Block) -> Iterable[str]:
        names = self.names
        for op in block.ops:
            name = op.name
            emit = OPS.get(name)
            if emit is None:
                if name in CONSTANTS:
                    continue
                if not name.startswith("llvm.intr."):
                    raise fail(op, "expected an operation with LLVM text, found none")
                emit = intrinsic_op
            try:
                text = emit(self, op, [names[operand] for operand in op.operands])
            except LoweringError as error:
                error.place = error.place or place_of(op.location)
                raise
            except KeyError as error:
                raise fail(op, f"expected the property {error}, found none") from error
            yield f"  {names[op.results[0]]} = {text}" if op.results else "  " + text


_VALUED_ARG_ATTRS: dict[str, Callable[[Attribute], str]] = {
    "align": lambda v: f"align {int_of(v)}",
    "dereferenceable": lambda v: f"dereferenceable({int_of(v)})",
    "dereferenceable_or_null": lambda v: f"dereferenceable_or_null({int_of(v)})",
}
_PLAIN_ARG_ATTRS = frozenset(
    [
        "noalias",
        "readonly",
        "writeonly",
        "readnone",
        "noundef",
        "nonnull",
        "nofree",
        "returned",
        "signext",
        "zeroext",
    ]
)


def _parameter_attributes(op: Operation, index: int) -> str:
    """The attributes of parameter `index`, each followed by a space."""
    array = cast("ArrayAttr[DictionaryAttr] | None", op.properties.get("arg_attrs"))
    if array is None:
        return ""
    text = ""
    for key, value in sorted(array.data[index].data.items()):
        name = key.removeprefix("llvm.")
        if name == key:
            continue  # a discardable attribute of another dialect
        if name == "nocapture":
            text += "captures(none) "
        elif name in _PLAIN_ARG_ATTRS:
            text += name + " "
        elif name in _VALUED_ARG_ATTRS:
            text += _VALUED_ARG_ATTRS[name](value) + " "
        else:
            raise fail(op, f"expected a known parameter attribute, found {key}")
    return text


_FUNCTION_FLAGS = {
    "always_inline": "alwaysinline",
    "no_inline": "noinline",
    "no_unwind": "",  # on every function
    "optimize_none": "optnone",
    "will_return": "willreturn",
    "cold": "cold",
    "hot": "hot",
}
_HANDLED = frozenset(
    [
        "sym_name",
        "function_type",
        "CConv",
        "linkage",
        "sym_visibility",
        "visibility_",
        "unnamed_addr",
        "dso_local",
        "arg_attrs",
        "res_attrs",
    ]
)


def _function_attributes(op: Operation) -> str:
    """What stands between the parameters and the body; `#0` is nounwind."""
    text = " #0"
    strings: list[tuple[str, str | None]] = []
    for key, value in sorted({**op.properties, **op.attributes}.items()):
        if key in _FUNCTION_FLAGS:
            flag = _FUNCTION_FLAGS[key]
            text += f" {flag}" if flag else ""
        elif key == "passthrough":
            strings += [_passthrough(part) for part in cast("ArrayAttr[Attribute]", value).data]
        elif key in ("target_cpu", "tune_cpu"):
            strings.append((key.replace("_", "-"), cast("StringAttr", value).data))
        elif key == "target_features":
            features = cast("TargetFeaturesAttr", value).features.data
            strings.append(("target-features", ",".join(f.data for f in features)))
        elif key not in _HANDLED and "." not in key:
            raise fail(op, f"expected a known function attribute, found {key}")
    for key, value in strings:
        text += f' "{key}"="{value}"' if value is not None else f" {key}"
    return text


def _passthrough(part: Attribute) -> tuple[str, str | None]:
    """One entry of `passthrough`: "alwaysinline" or ["key", "value"]."""
    if isinstance(part, StringAttr):
        return part.data, None
    key, value = cast("ArrayAttr[StringAttr]", part).data
    return key.data, value.data


def _linkage(op: Operation) -> str:
    """Linkage and visibility, each followed by a space, "" for external and default."""
    linkage = cast("LinkageAttr | None", op.properties.get("linkage"))
    name = linkage.linkage.data if linkage is not None else "external"
    visibility = op.properties.get("visibility_")
    return ("" if name == "external" else name + " ") + (
        ("", "hidden ", "protected ")[int_of(visibility)] if visibility is not None else ""
    )


def _header(op: Operation, parameters: Iterable[str]) -> str:
    """Calling convention, result type, name and parameters."""
    kind = cast("LLVMFunctionType", op.properties["function_type"])
    texts = [*parameters, *(["..."] if kind.is_variadic else [])]
    symbol = symbol_text(_name(op))
    return f"{convention_text(op)}{type_text(kind.output)} {symbol}({', '.join(texts)})"


def _emit_function(op: Operation) -> _Symbol:
    """A definition, or a declaration when the function has no body."""
    blocks = op.regions[0].blocks
    if not blocks:
        return _Symbol(op, _declaration(op), "", "", defined=False)
    body = _Body()
    parameters = [
        f"{body.type(arg)} {_parameter_attributes(op, number)}{body.names[arg]}"
        for number, arg in enumerate(blocks[0].args)
    ]
    head = f"{_header(op, parameters)}{_function_attributes(op)} {{"
    lines = [head, *body.blocks(tuple(blocks)), "}\n"]
    return _Symbol(op, "define ", _linkage(op), "\n".join(lines), True, body.uses)


def _declaration(op: Operation) -> str:
    """`declare`, whether the function is defined in the module or not."""
    kind = cast("LLVMFunctionType", op.properties["function_type"])
    return f"declare {_header(op, [type_text(attr) for attr in kind.inputs.data])} #0\n"


def _emit_global(op: Operation) -> _Symbol:
    """A global; its initializer is an attribute or a region that returns a constant."""
    properties = op.properties
    kind = type_text(properties["global_type"])
    body = _Body()
    words = "thread_local " if "thread_local_" in properties else ""
    if (unnamed := properties.get("unnamed_addr")) is not None:
        words += ("", "local_unnamed_addr ", "unnamed_addr ")[int_of(unnamed)]
    words += "constant" if "constant" in properties else "global"
    initializer = _initializer(body, op)
    tail = f"{words} {kind}{initializer}"
    if (section := properties.get("section")) is not None:
        tail += f', section "{cast("StringAttr", section).data}"'
    if (alignment := properties.get("alignment")) is not None:
        tail += f", align {int_of(alignment)}"
    linkage = _linkage(op)
    if not initializer:
        linkage = linkage or "external "
    head = symbol_text(_name(op)) + " = "
    return _Symbol(op, head, linkage, tail + "\n", bool(initializer), body.uses)


def _initializer(body: _Body, op: Operation) -> str:
    """A space and the value of a global, "" when it is only declared."""
    value = op.properties.get("value")
    if value is not None:
        return " " + constant_text(value, op.properties["global_type"])
    if not op.regions[0].blocks:
        return ""
    last = op.regions[0].blocks[0].last_op
    if last is None or last.name != "llvm.return" or len(last.operands) != 1:
        raise fail(op, "expected an initializer that returns one value, found none")
    text = body.names[last.operands[0]]
    if text.startswith("%"):
        raise fail(op, "expected a constant initializer, found a computed one")
    return " " + text


def _name(op: Operation) -> str:
    return cast("StringAttr", op.properties["sym_name"]).data


def _symbols(module: ModuleOp) -> dict[str, _Symbol]:
    """All functions and globals of a module by name, in order."""
    symbols: dict[str, _Symbol] = {}
    for op in module.ops:
        if op.name == "llvm.func":
            symbols[_name(op)] = _emit_function(op)
        elif op.name == "llvm.mlir.global":
            symbols[_name(op)] = _emit_global(op)
        else:
            raise fail(op, "expected llvm.func or llvm.mlir.global in the module, found another op")
    for symbol in symbols.values():
        for name in symbol.uses:
            if name not in symbols:
                raise fail(symbol.op, f"expected a declaration of @{name}, found none")
    return symbols


def emit_module(module: ModuleOp) -> str:
    """The LLVM text of a module in the `llvm` dialect."""
    return "\n".join(symbol.text() for symbol in _symbols(module).values()) + _TRAILER


def emit_functions(module: ModuleOp) -> dict[str, str]:
    """Symbol -> self-contained LLVM text, one per entry and one per kernel.

    An entry is an external function that no other one refers to (`main`); it keeps its name. A
    kernel is a defined function that an entry refers to; it is renamed after its content (`k_` and
    32 hexadecimal digits), so that equal kernels of different programs are one object. What a text
    needs besides (bodies, helpers, constants, always-inline functions) is in it as internal
    symbols; other functions are declared. External globals belong to the first entry.
    """
    symbols = _symbols(module)
    functions = {n: s for n, s in symbols.items() if s.op.name == "llvm.func" and s.defined}
    called = {use for name, s in functions.items() for use in s.uses if use != name}
    entries = [name for name, s in functions.items() if name not in called and s.external]
    used = {use for name in entries for use in functions[name].uses}
    kernels = [
        n
        for n, s in functions.items()
        if n in used and n not in entries and " alwaysinline" not in s.tail.split("\n", 1)[0]
    ]
    shared = [n for n, s in symbols.items() if n not in functions and s.external]
    texts: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for name in kernels:
        symbol, text = _kernel_text(symbols, name, set(shared))
        renamed[name] = symbol
        texts[symbol] = text
    for number, entry in enumerate(entries):
        roots: dict[str, str | None] = {entry: None}
        if number == 0:
            roots.update(dict.fromkeys(shared))
        text, _ = _assemble(symbols, roots, {*kernels, *shared}, renamed)
        texts[entry] = _rename(text, renamed)
    return texts


def _assemble(
    symbols: dict[str, _Symbol],
    roots: dict[str, str | None],
    declared: set[str],
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, list[str]]:
    """(text, names of internal symbols) of `roots` and all they need.

    `roots` maps a name to its linkage (None: its own). Symbols of `declared` stay outside;
    everything else that is defined comes in as internal. Those that are `renamed` to one name
    (equal kernels) are declared once.
    """
    needed = dict.fromkeys(roots)
    queue = list(roots)
    while queue:
        name = queue.pop()
        if name in declared and name not in roots:
            continue
        for use in symbols[name].uses:
            if use not in needed:
                needed[use] = None
                queue.append(use)
    parts: list[str] = []
    internal: list[str] = []
    outside: set[str] = set()
    for name, symbol in symbols.items():
        if name not in needed:
            continue
        if name in roots:
            parts.append(symbol.text(roots[name]))
        elif not symbol.defined:
            parts.append(symbol.text())
        elif name in declared:
            if renamed.get(name, name) not in outside:
                parts.append(_declare(symbol))
            outside.add(renamed.get(name, name))
        else:
            internal.append(name)
            parts.append(symbol.text("internal "))
    return "\n".join(parts) + _TRAILER, internal


def _declare(symbol: _Symbol) -> str:
    """The declaration of a function or global that another text defines."""
    if symbol.op.name == "llvm.func":
        return _declaration(symbol.op)
    kind = type_text(symbol.op.properties["global_type"])
    words = "constant" if "constant" in symbol.op.properties else "global"
    return f"{symbol.head}external {words} {kind}\n"


def _kernel_text(symbols: dict[str, _Symbol], name: str, declared: set[str]) -> tuple[str, str]:
    """(name after content, text) of a kernel. It is hidden: only its own program calls it."""
    text, internal = _assemble(symbols, {name: "hidden "}, declared)
    order = {old: f"k.{number}" for number, old in enumerate([name, *internal])}
    text = _rename(text, order)
    symbol = "k_" + blake2b(text.encode(), digest_size=16).hexdigest()
    final = {"k.0": symbol, **{f"k.{n}": f"{symbol}.{n}" for n in range(1, len(order))}}
    return symbol, _rename(text, final)


_SYMBOL = re.compile(r'@(?:"([^"]*)"|([A-Za-z$._][A-Za-z$._0-9-]*))')


def _rename(text: str, names: dict[str, str]) -> str:
    """Replace symbols (bytes of constants are all escaped, so that every `@` begins a symbol)."""

    def replace(found: re.Match[str]) -> str:
        name = names.get(found[1] or found[2])
        return "@" + name if name is not None else found[0]

    return _SYMBOL.sub(replace, text)
