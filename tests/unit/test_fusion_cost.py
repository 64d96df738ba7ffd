"""The cost of computing a value again, against that of storing it."""

from __future__ import annotations

import pytest
from linalg_text import generics

from lamina.dialects.generics import cost_of
from lamina.transforms.fusion_cost import BOUND, passes_saved, readers_of, why_stored, wide_inputs

HEAD = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32>, %m: tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
"""


def generic(name: str, inputs: str, body: str) -> str:
    """An elementwise generic; inputs are letters, of which m is the small one."""
    maps = ", ".join("#row" if letter == "m" else "#id" for letter in inputs)
    kinds = ", ".join("tensor<4xf32>" if i == "m" else "tensor<4x8xf32>" for i in inputs)
    args = ", ".join(f"%{letter}0: f32" for letter in inputs)
    ins = ", ".join(f"%{letter}" for letter in inputs)
    return f"""
  %{name} = linalg.generic {{
      indexing_maps = [{maps}, #id], iterator_types = ["parallel", "parallel"]
    }} ins({ins} : {kinds}) outs(%e : tensor<4x8xf32>) {{
  ^bb0({args}, %o: f32):
    {body}
    linalg.yield %s : f32
  }} -> tensor<4x8xf32>"""


ADD, SUM3 = (
    "%s = arith.addf %x0, %y0 : f32",
    "%t = arith.addf %x0, %y0 : f32\n    %s = arith.addf %t, %z0 : f32",
)
NEG, EXP, DIV = (
    "%s = arith.negf %x0 : f32",
    "%s = math.exp %x0 : f32",
    "%s = arith.divf %x0, %m0 : f32",
)


def program(inputs: str, body: str, readers: list[str]) -> str:
    """`d` computed by `body` from `inputs`; each reader reads it and more."""
    text = HEAD + generic("d", inputs, body)
    for number, more in enumerate(readers):
        text += generic(f"r{number}", f"d{more}", "%s = arith.negf %d0 : f32")
    return text + "\n  func.return\n}"


CASES = [
    ("x", NEG, [""], None),
    ("x", EXP, [""], None),
    ("x", NEG, ["", "", "", ""], None),
    ("x", NEG, ["", "", "", "", ""], "is not cheap"),
    ("x", EXP, ["", ""], "is not cheap"),
    ("xm", DIV, ["", ""], "is not cheap"),
    ("xy", ADD, ["", ""], None),
    ("xyz", SUM3, ["", ""], None),
    ("xy", ADD, ["", "", "", ""], "read more than it gives"),
    ("xy", ADD, ["xy", "xy", "x", ""], None),
]


@pytest.mark.parametrize(("inputs", "body", "readers", "reason"), CASES)
def test_reason(inputs: str, body: str, readers: list[str], reason: str | None) -> None:
    producer = generics(program(inputs, body, readers))[0]
    found = why_stored(producer)
    assert found is None if reason is None else found is not None and reason in found
    assert len(readers_of(producer)) == len(readers)
    if reason == "is not cheap":
        assert cost_of(producer) * len(readers) > BOUND


def test_passes_over_memory() -> None:
    """Stored: x, y, then d written, and read twice. Again: x and y twice."""
    assert passes_saved(generics(program("xy", ADD, ["", ""]))[0]) == 5 - 4
    assert passes_saved(generics(program("xy", ADD, ["x", "xy"]))[0]) == 5 - 1


def test_small_operands_cost_no_pass() -> None:
    producer = generics(program("xm", DIV, ["", ""]))[0]
    assert wide_inputs(producer) == [producer.inputs[0]]
