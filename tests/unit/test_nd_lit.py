"""The lit files of the `nd` dialect leave nothing out: every op, every verifier message."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from op_row import Row
from op_table import REDUCTIONS, ROWS
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, TensorType, i1, i64
from xdsl.ir import Attribute, Block
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.nd import OPS, NdOp, gradients
from lamina.interpreters.types import DTYPES, DType, element_type_of

ROOT = Path(__file__).parents[2]
LIT = ROOT / "tests" / "lit" / "dialects"
ROUND_TRIPS = (
    "elementwise",
    "transcendental",
    "complexes",
    "shape",
    "contraction",
    "reduction",
    "scan",
    "sorting",
    "effects",
    "window",
    "indexing",
    "random",
    "gradients",
)


def expected_errors() -> list[str]:
    """The messages that the error files expect."""
    texts = [(LIT / f"nd_{family}_errors.mlir").read_text() for family in ROUND_TRIPS]
    return re.findall(r"expected-error \{\{(.*?)\}\}", "\n".join(texts))


def test_every_op_is_in_a_round_trip() -> None:
    text = "\n".join((LIT / f"nd_{family}.mlir").read_text() for family in ROUND_TRIPS)
    code = {line.strip() for line in text.splitlines() if not line.startswith("//")}
    seen = {name for line in code for name in re.findall(r"\bnd\.\w+", line)}
    checked = set(re.findall(r"// CHECK: (?:%\S+ = )?(nd\.\w+)", text))
    assert seen == checked == {op.name for op in (*OPS, *gradients.REGIONS)}


def messages() -> list[tuple[str, re.Pattern[str]]]:
    """Class, and a pattern of the message, of each `raise self.fail(...)` of the dialect."""
    found: list[tuple[str, re.Pattern[str]]] = []
    for file in sorted((ROOT / "dialects" / "nd").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                calls = [call for call in ast.walk(node) if is_fail(call)]
                for call in calls:
                    assert isinstance(call, ast.Call)
                    (argument,) = call.args
                    branches = [argument]
                    if isinstance(argument, ast.IfExp):
                        branches = [argument.body, argument.orelse]
                    found += [(node.name, pattern_of(branch)) for branch in branches]
    return found


def is_fail(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "fail"
    )


def pattern_of(message: ast.expr) -> re.Pattern[str]:
    """A string or f-string as a pattern: anything where a value is put in."""
    if isinstance(message, ast.Constant):
        return re.compile(re.escape(str(message.value)))
    assert isinstance(message, ast.JoinedStr)
    parts = [
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\S.*?"
        for part in message.values
    ]
    return re.compile("".join(parts))


def test_every_verifier_message_is_expected_somewhere() -> None:
    """A message of the base class once at all; that of an op, or family of ops, by one of them."""
    errors = [error.partition(": ") for error in expected_errors()]
    families = {
        base.__name__: {op.name for op in OPS if issubclass(op, base)}
        for op in OPS
        for base in op.__mro__
        if issubclass(base, NdOp)
    }
    patterns = messages()
    assert len(patterns) > 25, "expected the messages of the dialect: does the search find them?"
    unseen = [
        f"{name}: {pattern.pattern}"
        for name, pattern in patterns
        if not any(pattern.fullmatch(text) and op in families[name] for op, _, text in errors)
    ]
    assert unseen == []


# Which element types an op takes: what the op table says, and what the verifier says.


def tensor(dtype: DType, shape: tuple[int, ...]) -> TensorType[Attribute]:
    return TensorType(element_type_of(dtype), shape)


def accepted(row: Row, dtype: DType) -> bool:
    """Whether the verifier takes an elementwise op or reduction of `dtype`."""
    op_class = next(op for op in OPS if op.name == f"nd.{row.name}")
    kind = next((kind for kind, r in REDUCTIONS.items() if r is row), None)
    shape = (4,)
    shapes = row.shapes(np.random.default_rng(0), shape)
    assert shapes is not None
    types: list[Attribute] = [tensor(dtype, s) for s in shapes]
    result: Attribute = types[-1]
    if row.name == "select":
        types[0] = TensorType(i1, shape)
    if row.name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        result = TensorType(i1, shape)
    properties: dict[str, Attribute] = {}
    if kind is not None:
        properties = {"kind": StringAttr(kind), "axes": DenseArrayBase.from_list(i64, [0])}
        result = TensorType(element_type_of(dtype), ())
    operands = Block(arg_types=types).args
    op = op_class.create(operands=operands, result_types=[result], properties=properties)
    try:
        op.verify()
    except VerifyException:
        return False
    return True


ELEMENTWISE_ROWS = [
    row
    for row in ROWS.values()
    if any(op.name == f"nd.{row.name}" and "elementwise" in op.__module__ for op in OPS)
]


@pytest.mark.parametrize("row", [*ELEMENTWISE_ROWS, *REDUCTIONS.values()], ids=lambda r: r.name)
def test_the_op_table_and_the_verifier_take_the_same_types(row: Row) -> None:
    assert {dtype for dtype in DTYPES if accepted(row, dtype)} == set(row.dtypes)
