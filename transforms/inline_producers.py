"""Pass `inline-producers`: an elementwise value that need not be stored is computed by its readers.

    %d = linalg.generic ... ins(%x, %mean) { subf }
    %v = linalg.generic {... "reduction"} ins(%x, %mean) { subf mulf addf }   // computes %d itself
    %r = linalg.generic ... ins(%d, %v) { mulf }
    // ->
    %v = linalg.generic {... "reduction"} ins(%x, %mean) { subf mulf addf }
    %r = linalg.generic ... ins(%x, %mean, %v) { subf mulf }

`fuse-elementwise` cannot merge `%d` and `%r`, since `%v` stands between them. A value with one
reader goes into it; one with several goes into all of them, where `fusion_cost` finds it cheap.
Pre-condition: `fuse-elementwise` and `fuse-reductions` have run. Post-condition: `why_apart` gives
a reason for every elementwise producer that an elementwise generic still reads.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from lamina.dialects import linalg
from lamina.dialects.generics import (
    body_of,
    index_dims,
    is_elementwise,
    is_identity,
    maps_of,
    sizes_are_known,
    space_of,
)
from lamina.transforms.fuse_reductions import inline
from lamina.transforms.fusion_cost import why_stored

MOST_INPUTS, MOST_OPS = 32, 64
"""Inputs of two generics together, and ops of a body that is copied: a chain of values that are
kept apart would else cost the square of its length."""


def is_permutation(affine_map: AffineMap) -> bool:
    """Whether each place is read once."""
    return len(affine_map.results) == affine_map.num_dims and affine_map.is_projected_permutation()


def why_apart(producer: Operation, reader: Operation) -> str | None:
    """Why `reader` cannot compute `producer` itself."""
    if not is_elementwise(producer) or not is_elementwise(reader):
        return "one of the two is not elementwise"
    assert isinstance(producer, linalg.GenericOp) and isinstance(reader, linalg.GenericOp)
    if len(producer.results) != 1:
        return "the producer has several results"
    if producer.parent is not reader.parent:
        return "one of the two is in a loop or branch of its own"
    if len(producer.inputs) + len(reader.inputs) > MOST_INPUTS:
        return "together they would read too many tensors"
    if len(list(body_of(producer).ops)) > MOST_OPS:
        return "the producer is too long"
    if any(isinstance(op, tensor.ExtractOp) for op in body_of(producer).ops):
        return "the producer reads a computed place"
    value = producer.results[0]
    pairs = list(zip(reader.inputs, maps_of(reader), strict=False))
    read = [m for v, m in pairs if v is value]
    if not all(map(is_permutation, read)):
        return "the producer is read at one place several times"
    if not all(map(is_identity, read)) and index_dims(producer):
        return "the producer's places are numbered otherwise"
    if all(map(is_identity, read)) and space_of(producer) != space_of(reader):
        return "its space has another size"
    inner = [m.compose(r) for m in maps_of(producer)[: len(producer.inputs)] for r in read]
    others = [m for v, m in zip(reader.operands, maps_of(reader), strict=True) if v is not value]
    if not sizes_are_known([*inner, *others]):
        return "the size of a dim would be known from nothing"
    return why_stored(producer)


def inline_everywhere(producer: linalg.GenericOp) -> None:
    """Compute `producer` in all of its readers, if all of them can."""
    value = producer.results[0]
    readers = {use.operation: None for use in value.uses}
    if not readers or any(why_apart(producer, reader) is not None for reader in readers):
        return
    for reader in readers:
        assert isinstance(reader, linalg.GenericOp)
        while value in reader.inputs:
            inline(producer, reader, list(reader.inputs).index(value))
    producer.detach()
    producer.erase()


class InlineProducersPass(ModulePass):
    """Inline elementwise producers into elementwise readers."""

    name = "inline-producers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [inner for inner in op.walk() if is_elementwise(inner)]:
            if isinstance(inner, linalg.GenericOp) and len(inner.results) == 1:
                inline_everywhere(inner)
