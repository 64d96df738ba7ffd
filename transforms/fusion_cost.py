"""Whether a value with several readers is computed by each of them, or stored.

The work of an element is counted in additions (a quotient is 4, exp 10: see
`dialects/generics.py`), the traffic in passes over the value's space. Storing writes the value
once and reads it once a reader; computing it again costs its work for each reader, and reads those
operands that the reader does not read anyway.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from lamina.dialects import linalg
from lamina.dialects.generics import cost_of, maps_of

BOUND = 4
"""A value is computed again when its cost times its readers is at most this."""


def readers_of(producer: linalg.GenericOp) -> list[Operation]:
    """The ops that read the first result, each once."""
    return list({use.operation: None for use in producer.results[0].uses})


def wide_inputs(producer: linalg.GenericOp) -> list[SSAValue]:
    """The inputs of the value's whole space, each once; smaller ones stay in the caches."""
    found: dict[SSAValue, None] = {}
    for value, affine_map in zip(producer.inputs, maps_of(producer), strict=False):
        dims = {dim for expr in affine_map.results for dim in expr.used_dims()}
        if len(dims) == affine_map.num_dims:
            found[value] = None
    return list(found)


def passes_saved(producer: linalg.GenericOp) -> int:
    """How many passes over memory fewer it takes when each reader computes the value."""
    inputs, readers = wide_inputs(producer), readers_of(producer)
    stored = len(inputs) + 1 + len(readers)
    again = sum(value not in reader.operands for reader in readers for value in inputs)
    return stored - again


def why_stored(producer: linalg.GenericOp) -> str | None:
    """Why the only result of an elementwise `producer` is stored for its readers; None where it
    has one reader, or each may compute it."""
    readers = readers_of(producer)
    if len(readers) < 2:
        return None
    if cost_of(producer) * len(readers) > BOUND:
        return "the producer has other readers and is not cheap"
    if passes_saved(producer) < 0:
        return "the producer has other readers, which would read more than it gives"
    return None
