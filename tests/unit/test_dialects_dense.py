"""Dense float constants: print and parse keep every bit, in our text and through mlir-opt."""

from __future__ import annotations

import struct

import pytest
from test_dialects_upstream import CONTEXT, read, upstream
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    TensorType,
    VectorType,
)
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from lamina.dialects import arith
from lamina.errors import IRError
from lamina.ir_text import parse_module

TYPES = (Float16Type(), BFloat16Type(), Float32Type(), Float64Type())

# bit patterns: +inf, -inf, quiet NaN, NaN with a payload, -NaN, signalling NaN, 0.0, -0.0,
# smallest subnormal, largest finite, 1.5, and a number that takes many digits
BITS = {
    "f16": (0x7C00, 0xFC00, 0x7E00, 0x7E2A, 0xFFFF, 0x7C01, 0, 0x8000, 1, 0x7BFF, 0x3E00, 0x2E66),
    "bf16": (0x7F80, 0xFF80, 0x7FC0, 0x7FC7, 0xFFFF, 0x7F81, 0, 0x8000, 1, 0x7F7F, 0x3FC0, 0x3DCD),
    "f32": (
        *(0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC01234, 0xFFFFFFFF, 0x7F800001),
        *(0, 0x80000000, 1, 0x7F7FFFFF, 0x3FC00000, 0x4CEB79A3),
    ),
    "f64": (
        *(0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF8000012345678),
        *(0xFFFFFFFFFFFFFFFF, 0x7FF0000000000001, 0, 0x8000000000000000),
        *(1, 0x7FEFFFFFFFFFFFFF, 0x3FF8000000000000, 0x432FFFFFFFFFFFFF),
    ),
}


def data(type: AnyFloat, bits: tuple[int, ...]) -> bytes:
    return b"".join(b.to_bytes(type.compile_time_size, "little") for b in bits)


def dense(type: AnyFloat, bits: tuple[int, ...], shape: list[int]) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr(TensorType(type, shape), BytesAttr(data(type, bits)))


def cases(type: AnyFloat) -> list[DenseIntOrFPElementsAttr]:
    bits = BITS[str(type)]
    return [
        dense(type, bits, [12]),
        dense(type, bits, [3, 4]),
        dense(type, bits * 10, [10, 12]),
        dense(type, bits[:1], []),
        dense(type, (bits[6], bits[7]), [2]),
        *(dense(type, (b, b, b, b), [2, 2]) for b in bits),
        *(dense(type, (b,), [1]) for b in bits),
    ]


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_every_bit_survives_our_text(type: AnyFloat) -> None:
    for attr in cases(type):
        assert Parser(CONTEXT, str(attr)).parse_attribute() == attr, str(attr)


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_every_bit_survives_mlir_opt(type: AnyFloat) -> None:
    lines = [f"arith.constant {attr}" for attr in cases(type)]
    (printed,) = upstream(("\n".join(lines),))
    found = [op.value for op in read(printed).walk() if isinstance(op, arith.ConstantOp)]
    assert found == cases(type)


def test_minus_infinity_is_the_start_of_a_maximum() -> None:
    text = "%0 = arith.constant dense<0xFF800000> : vector<4xf32>"
    (op,) = parse_module(CONTEXT, text).body.block.ops
    assert isinstance(op, arith.ConstantOp)
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    assert op.value.get_values() == (float("-inf"),) * 4
    assert str(op.value) == "dense<0xFF800000> : vector<4xf32>"


def test_zeros_of_both_signs_are_no_splat() -> None:
    zeros = DenseIntOrFPElementsAttr.from_list(VectorType(Float32Type(), [2]), [0.0, -0.0])
    assert not zeros.is_splat()
    assert str(zeros) == "dense<[0.000000e+00, -0.000000e+00]> : vector<2xf32>"


def test_hexadecimal_integers_are_numbers() -> None:
    attr = Parser(CONTEXT, "dense<[0x10, 3]> : vector<2xi32>").parse_attribute()
    assert isinstance(attr, DenseIntOrFPElementsAttr)
    assert attr.get_values() == (16, 3)


def test_hexadecimal_and_decimal_elements_mix() -> None:
    attr = Parser(CONTEXT, "dense<[[0x3F800000, 2.0], [-3.0, 4]]> : tensor<2x2xf32>")
    value = attr.parse_attribute()
    assert isinstance(value, DenseIntOrFPElementsAttr)
    assert value.data.data == struct.pack("<4f", 1, 2, -3, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dense<0x1FF800000> : vector<4xf32>", "expected at most 32 bits, found 0x1FF800000"),
        ("dense<[0x7C00, 0x10000]> : vector<2xf16>", "expected at most 16 bits, found 0x10000"),
        ("dense<[0x7F800000]> : vector<2xf32>", r"expected \[2\], found \[1\]"),
        ("dense<-0x7F800000> : vector<2xf32>", "expected no sign, found -0x7F800000"),
    ],
)
def test_wrong_bits_are_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        Parser(CONTEXT, text).parse_attribute()
    with pytest.raises(IRError, match=message):
        parse_module(CONTEXT, f"%0 = arith.constant {text}")
