"""Why `reuse-donated` leaves a generic as it is: the reasons, on the programs of its lit file."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects import func

from lamina.dialects import linalg
from lamina.dialects.donors import donors_of
from lamina.ir_text import parse_module
from lamina.registry import make_context
from lamina.transforms.reuse_donated import kernel_sizes, updated, why_not

LIT = Path(__file__).parents[1] / "lit" / "transforms" / "reuse_donated.mlir"
REASONS = {
    "writes_over_what_it_reads": [None],
    "updated_later": [None],
    "read_later": ["expected nobody to read the argument later"],
    "read_elsewhere": [
        "expected it to read the argument where it writes",
        "expected it to read no view of the argument",
        "expected it to read the argument where it writes",
    ],
    "other_generics": [
        "expected a generic that reads the argument",
        "expected an elementwise generic",
        "expected a kernel of its own",
    ],
    "other_destinations": ["expected a generic that writes new elements, in order"] * 2,
}


@pytest.mark.parametrize("name", REASONS)
def test_reasons(name: str) -> None:
    chunk = next(c for c in LIT.read_text().split("// -----") if f"func.func @{name}(" in c)
    module = parse_module(make_context(), chunk)
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    block = function.body.block
    end, found = block.last_op, list[str | None]()
    assert isinstance(end, func.ReturnOp)
    for number, source in donors_of(function).items():
        result = updated(end.arguments[number])
        assert isinstance(result.owner, linalg.GenericOp)
        found.append(why_not(result.owner, result, block.args[source], kernel_sizes(block)))
    assert found == REASONS[name]
