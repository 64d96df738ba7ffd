"""The reasons of `form-kernels`, one for each chunk of its lit file that is refused."""

from __future__ import annotations

import pytest
from linalg_text import generics_of, lit_functions
from xdsl.ir import Operation

from lamina.dialects.generics import is_contraction
from lamina.transforms.kernel_groups import (
    Group,
    common,
    destinations,
    outer_with,
    padding_of,
    start_of,
    why_apart,
)

REASONS = {
    "rows": None,
    "contraction_and_bias": None,
    "two_contractions": "a contraction starts a kernel",
    "sum_of_a_contraction": "the reader of a contraction is not elementwise",
    "shared_contraction": "the contraction has other readers",
    "transposed_epilogue": "the contraction is read at another place",
    "large_sum_of_everything": "there is no common outer space",
    "small_sum_of_everything": None,
    "unknown_sum_of_everything": "there is no common outer space",
}


def group_of(op: Operation) -> Group:
    """The group that begins with the generic `op`."""
    (generic,) = generics_of(op)
    group = Group(1, start_of(generic), dict.fromkeys([op]))
    if is_contraction(op):
        group.contraction = generic
    return group


@pytest.mark.parametrize("name", REASONS)
def test_reason(name: str) -> None:
    first, second = generics_of(lit_functions("form_kernels")[name])
    assert why_apart(second, group_of(first)) == REASONS[name]


def test_contraction_has_one_epilogue() -> None:
    product, epilogue, reader = generics_of(lit_functions("form_kernels")["one_epilogue"])
    group = group_of(product)
    assert why_apart(epilogue, group) is None
    group.ops[epilogue] = None
    group.closed = True
    assert why_apart(reader, group) == "the kernel's contraction already has its epilogue"


def test_outer_space_of_rows() -> None:
    maximum, difference = generics_of(lit_functions("form_kernels")["rows"])
    assert start_of(maximum) == (4,)
    assert start_of(difference) == (4, 8)
    assert outer_with(difference, group_of(maximum)) == (4,)


def test_common_start() -> None:
    assert common((4, 8), (4, 9, 2)) == (4,)
    assert common((), (4,)) == ()
    assert common((3,), (4,)) == ()


def test_destinations_and_padding() -> None:
    functions = lit_functions("outline_kernels")
    (product,) = generics_of(functions["padded_convolution"])
    names = ["tensor.empty", "linalg.fill"]
    assert [op.name for op in destinations(product)] == names
    assert [op.name for op in padding_of(product)] == [*names, "tensor.insert_slice"]
    (product,) = generics_of(functions["shared_padding"])
    assert padding_of(product) == []
