"""Text in and out: places of errors, positions as locations, resources and their names."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.locations import place_of
from lamina.errors import IRError
from lamina.ir_text import parse_module, print_module
from lamina.registry import make_context

RESOURCE = """\
builtin.module {
  func.func private @f() -> ()
  %w = nd.constant dense_resource<w> : tensor<4xf32>
}
"""


def parse(text: str, first_line: int = 1) -> ModuleOp:
    return parse_module(make_context(), text, "t", first_line=first_line)


def test_text_survives_printing_and_reading() -> None:
    once = print_module(parse(RESOURCE))
    assert print_module(parse(once)) == once == RESOURCE


def test_resources_keep_their_names_however_often_they_are_read() -> None:
    blob = '{-# dialect_resources: { builtin: { w: "0x00FF" } } #-}\n'
    assert print_module(parse(RESOURCE + blob)) == RESOURCE
    assert print_module(parse(RESOURCE + blob)) == RESOURCE


@pytest.mark.parametrize("first_line", [1, 40])
def test_operations_have_the_position_of_their_text(first_line: int) -> None:
    module = parse("\nfunc.func private @f()\n  func.func private @g()\n", first_line)
    places = [place_of(op.location) for op in module.ops]
    assert places == [f"t:{first_line + 1}:1", f"t:{first_line + 2}:3"]


def test_a_written_location_stays() -> None:
    text = 'builtin.module {\n  func.func private @f() -> () loc("u.py":3:4)\n} loc("u.py":1:1)\n'
    assert print_module(parse(text), locations=True) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("func.func @f() {\n  nd.frob\n}", "t:12:3"),
        ("func.func @f(%x: i32) {\n  %y = arith.addi %x, %z : i32\n  func.return\n}", "t:12:23"),
        ("func.func @f() {\n  %c = arith.constant dense<[1, 2]> : tensor<3xi8>\n}", "t:12:50"),
        ("?", "t:11:1"),
    ],
)
def test_errors_carry_their_place(text: str, place: str) -> None:
    with pytest.raises(IRError) as caught:
        parse(text, first_line=11)
    assert caught.value.place == place
