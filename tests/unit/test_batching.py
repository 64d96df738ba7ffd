"""`batch`: each op of the table on many examples at once, against a loop over the examples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from one_op import joined, one_op_module
from op_row import Params, Row, values
from op_rows_indexing import SCATTERS
from op_rows_windows import WINDOWS
from op_table import COMPLEX_ROWS, REDUCTIONS, ROWS, rng_for
from test_ops_compiled import assert_agree
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lamina.dialects.nd import OPS
from lamina.errors import LoweringError
from lamina.executable import execute_module
from lamina.interpreters import call
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import BF16, BOOL, C64, F32, INT64, Array, DType
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.registry import make_context
from lamina.transforms.batch import BatchPass, function_of_many
from lamina.transforms.batching import EFFECTS, NEVER_BATCHED, RULES

BY_KIND = {**REDUCTIONS, **WINDOWS, **SCATTERS}
ALL = {
    **{n: r for n, r in ROWS.items() if n not in ("reduce", "reduce_window")},
    **BY_KIND,
    **{f"complex {n}": r for n, r in COMPLEX_ROWS.items()},
}
CASES = {n: r for n, r in ALL.items() if r.name not in (*NEVER_BATCHED, "from_index", "to_index")}
DTYPES = (F32, INT64, BOOL, np.dtype(np.uint8), BF16, C64)
SHAPES = ((), (3,), (2, 3), (2, 0), (2, 4, 5))
SIZE = 3
OPTIONS = CompileOptions(cache=False)

UNBATCHED: dict[str, str] = {}
"""Ops that have no form with a batch, and why: `batch` refuses them with their place."""


def test_every_op_has_a_rule_or_is_on_the_list() -> None:
    names = {op.name.removeprefix("nd.") for op in OPS}
    assert names == {*RULES, *EFFECTS, *NEVER_BATCHED, *UNBATCHED}


@pytest.mark.parametrize("options", [{"size": -1}, {"size": 2, "arguments": (1,)}])
def test_options(options: Any) -> None:
    text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    module = parse_module(make_context(), text)
    with pytest.raises(LoweringError, match="a size of 0 or more and arguments below 1, found"):
        BatchPass(**options).apply(make_context(), module)


def other_example(rng: Generator, row: Row, number: int, x: Array) -> Array:
    """An operand of the same type: the elements in another order, or another one."""
    if x.ndim == 0 and x.dtype.kind != "u":
        return values(rng, x.dtype, (), row.low, row.high)
    mixed = rng.permutation(x.reshape(-1)).reshape(x.shape)
    if row.name == "searchsorted" and number == 0:
        return call("sort", mixed, axis=0, order="ascending")
    return mixed


Many = tuple[ModuleOp, list[Array], list[tuple[Any, ...]]]


def batched(row: Row, operands: tuple[Any, ...], params: Params, numbers: list[int]) -> Many:
    """The program of `SIZE` examples, its inputs, and the operands of each example."""
    rng = rng_for("batched", row.name, str(numbers))
    module, inputs = one_op_module(row, operands, params)
    (main,) = module.ops
    assert isinstance(main, func.FuncOp)
    examples = [
        [x if k == 0 or n not in numbers else other_example(rng, row, n, x)
         for n, x in enumerate(inputs)]
        for k in range(SIZE)
    ]  # fmt: skip
    new = function_of_many(main, SIZE, numbers)
    new.properties["sym_name"] = main.properties["sym_name"]
    module.body.block.insert_op_after(new, main)
    main.detach()
    module.verify()
    stacked = [
        np.stack([example[n] for example in examples]) if n in numbers else x
        for n, x in enumerate(inputs)
    ]
    rest = tuple(x for x in operands if not isinstance(x, np.ndarray))
    return module, stacked, [(*example, *rest) for example in examples]


def choices(count: int) -> list[list[int]]:
    """Which operands have a batch: all, each alone, all but each."""
    if count <= 3:
        flags = product((False, True), repeat=count)
        return [[n for n, flag in enumerate(f) if flag] for f in flags if any(f)]
    return [list(range(count)), [0], list(range(1, count))]


def cases(row: Row, dtype: DType) -> Iterator[tuple[Params, Many]]:
    for shape in SHAPES:
        special = 0.25 if row.error in ("exact", "ulp") else 0
        drawn = row.draw(rng_for("batching", row.name, dtype, shape), shape, dtype, special)
        if drawn is None or not any(isinstance(x, np.ndarray) for x in drawn[0]):
            continue
        count = sum(isinstance(x, np.ndarray) for x in drawn[0])
        for numbers in choices(count):
            yield drawn[1], batched(row, *drawn, numbers)


def dtypes_of(row: Row) -> list[DType]:
    return [dtype for dtype in DTYPES if dtype in row.dtypes] or [row.dtypes[0]]


def check(row: Row, params: Params, many: Many, found: Array) -> None:
    """Each example of `found` is what the op gives for it alone."""
    assert found.shape[0] == SIZE
    for operands, result in zip(many[2], found, strict=True):
        expected = call(row.name, *operands, **params)
        assert_agree(row, operands, params, np.asarray(result), np.asarray(expected))


@pytest.mark.parametrize("name", CASES)
def test_interpreted(name: str) -> None:
    row, count = CASES[name], 0
    for dtype in dtypes_of(row):
        for params, many in cases(row, dtype):
            check(row, params, many, evaluate(many[0], "main", many[1])[0])
            count += 1
    assert count


@pytest.mark.parametrize("name", CASES)
def test_compiled(name: str) -> None:
    row = CASES[name]
    drawn = list(cases(row, dtypes_of(row)[0]))[::2]
    module, inputs = joined([many[:2] for _, many in drawn])
    results = execute_module(module, "main", inputs, OPTIONS)
    for (params, many), found in zip(drawn, results, strict=True):
        check(row, params, many, found)
