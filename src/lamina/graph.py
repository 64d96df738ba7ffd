"""The kernels of a program as text: what each computes, reads and writes, and why its neighbours
are others.

    reduce_0: arith.subf math.exp arith.addf  [model.py:7, model.py:8]
        reads 1024x768xf32, 1024xf32 (3.0 MiB); writes 1024xf32 (4.0 KiB)
        not with dot_0: the reader of a contraction is not elementwise
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.kernels import is_kernel
from lamina.dialects.locations import places_of
from lamina.dialects.nd.base import shape_of, size_text
from lamina.dialects.sizes import byte_size
from lamina.transforms.form_kernels import reasons
from lamina.transforms.outline_kernels import kernel_blocks, outline

if TYPE_CHECKING:
    from lamina.compiler import Lowering

STRUCTURE = ("linalg.yield", "func.return", "arith.constant", "func.func")
"""Ops of a kernel that compute nothing."""
FRAMES = ("linalg.generic", "memref.alloc", "tensor.empty")
"""Ops of a kernel that are named only where it has no others."""


def scalar_ops(kernel: Operation) -> tuple[str, ...]:
    """What a kernel computes, by name; in loops over elements each op once, without the loops."""
    found = [op for op in kernel.walk() if op.name not in STRUCTURE]
    if any(op.name.startswith("scf.") for op in found):
        computing = (o.name for o in found if not (o.name.startswith("scf.") or on_indices(o)))
        return tuple(dict.fromkeys(computing))
    names = tuple(op.name for op in found)
    return tuple(name for name in names if name not in FRAMES) or names


def on_indices(op: Operation) -> bool:
    """Whether an op computes an index."""
    return any(isinstance(result.type, IndexType) for result in op.results)


def graph_of(lowering: Lowering) -> str:
    """The kernels of a program of level nd, in the order of their calls. It is lowered in place.

    Values that a kernel hands to one that could not be the same have a line with the reason.
    """
    lowering.to_kernels()
    module = lowering.module
    fused = lowering.options.fusion == 2
    apart = [found for block in kernel_blocks(module) if fused for found in reasons(block)]
    calls = outline(module)
    why: dict[Operation, dict[tuple[str, str], None]] = {}
    for reader, producer, reason in apart:
        other = calls[producer].callee.string_value()
        why.setdefault(calls[reader], {})[other, reason] = None
    kernels = {op.sym_name.data: op for op in module.ops if is_kernel(op)}
    lines: list[str] = []
    for call in module.walk():
        if not isinstance(call, func.CallOp) or call.callee.string_value() not in kernels:
            continue
        symbol = call.callee.string_value()
        ops = " ".join(scalar_ops(kernels[symbol]))
        lines.append(f"{symbol}: {ops}  [{', '.join(places_of(call.location))}]")
        lines.append(f"    {traffic(call)}")
        lines += [f"    not with {other}: {reason}" for other, reason in why.get(call, ())]
    if not fused and lines:
        lines.append(f"fusion={lowering.options.fusion}: ops of several spaces are not one kernel")
    return "\n".join(lines)


def traffic(call: func.CallOp) -> str:
    """What a kernel reads and writes."""
    inputs = call.operands[: len(call.operands) - len(call.results)]
    read = [value for value in dict.fromkeys(inputs) if isinstance(value.type, TensorType)]
    parts = (("reads", read), ("writes", list(call.results)))
    return "; ".join(f"{verb} {shapes(values)}" for verb, values in parts if values)


def shapes(values: Sequence[SSAValue]) -> str:
    """Types of tensors, and their bytes where all sizes are known."""
    names = ", ".join(map(_type_text, values))
    sizes = [size for value in values if (size := _bytes(value)) is not None]
    return f"{names} ({_bytes_text(sum(sizes))})" if len(sizes) == len(values) else names


def _type_text(value: SSAValue) -> str:
    element = cast("TensorType[Attribute]", value.type).element_type
    return "x".join([*map(size_text, shape_of(value)), str(element)])


def _bytes(value: SSAValue) -> int | None:
    shape = shape_of(value)
    if DYNAMIC_INDEX in shape:
        return None
    return prod(shape) * byte_size(cast("TensorType[Attribute]", value.type).element_type)


def _bytes_text(count: int) -> str:
    size, units = float(count), iter(("KiB", "MiB", "GiB", "TiB"))
    unit = "bytes"
    while size >= 1024:
        size, unit = size / 1024, next(units)
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
