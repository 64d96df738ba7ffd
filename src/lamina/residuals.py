"""The way back of a traced call as a program of its own, which reads what the forward one keeps."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, SSAValue

from lamina.autograd_traced import as_array, pulled_apart
from lamina.dialects.nd.base import shape_of, tensor_type
from lamina.frontend import bind as primitives
from lamina.frontend.array import Array, NDArray
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.traced import TracedArray
from lamina.interpreters.types import dtype_of
from lamina.transforms.differentiate_loops import erase_dead
from lamina.transforms.residuals import is_within, keep


@dataclass
class WayBack:
    """A block of `nd` ops. Its arguments: cotangents of the results, the values that are stored,
    and the leaves number `leaves`; it gives cotangents, None where there is none."""

    block: Block
    seeds: int
    leaves: list[int]
    results: list[SSAValue | None]
    resources: dict[str, NDArray]

    def run(self, values: Sequence[Array], like: Sequence[Array]) -> list[Array]:
        """The cotangents of arrays as `like`, in the trace that runs."""
        recorder: Any = CURRENT.get()
        recorder.resources.update(self.resources)
        mapping: dict[SSAValue, SSAValue] = {}
        given = [recorder.read(recorder.own(x)) for x in values]
        mapping.update(zip(self.block.args, given, strict=True))
        for op in list(self.block.ops)[:-1]:
            recorder.block.add_op(op.clone(mapping))
        return [
            primitives.full(0, x.shape, x.dtype)
            if value is None
            else as_array(recorder, mapping[value], x.shape, x.dtype)
            for value, x in zip(self.results, like, strict=True)
        ]


def apart(
    call: Callable[[list[Any]], Sequence[Any]], leaves: Sequence[Any], wanted: Sequence[int]
) -> tuple[Any, list[TracedArray], WayBack | None]:
    """What `call` gives for the leaves `wanted`, the arrays that its way back needs, and the way
    back. None where a value that it needs has a run-time size.

    By reference are the leaves that are arrays of ours: whoever keeps them notices writes.
    """
    recorder: Any = CURRENT.get()
    known = {
        recorder.read(leaf): k
        for k, leaf in enumerate(leaves)
        if isinstance(leaf, TracedArray) and not leaf._steps
    }
    block = Block()
    result, order, found, seeds = pulled_apart(call, [leaves[k] for k in wanted], block)
    known = {value: k for value, k in known.items() if not leaves[k]._storage.version}
    block.add_op(func.ReturnOp(*(value for value in found if value is not None)))
    erase_dead(list(block.ops)[:-1])
    stored = keep(block, list(known), order)
    if any(not isinstance(x.type, TensorType) or DYNAMIC_INDEX in shape_of(x) for x in stored):
        return result, [], None
    read = [value for value in known if any(is_within(use.operation, block) for use in value.uses)]
    for value in (*stored, *read):
        inner = block.insert_arg(value.type, len(block.args))
        for use in list(value.uses):
            if is_within(use.operation, block):
                use.operation.operands[use.index] = inner
        found = [inner if value is other else other for other in found]
    arrays = [
        as_array(recorder, x, shape_of(x), dtype_of(tensor_type(x).element_type)) for x in stored
    ]
    way = WayBack(block, seeds, [known[x] for x in read], found, dict(recorder.resources))
    return result, arrays, way
