"""`batch` on drawn programs, branches and loops included, against the programs one by one.

`LAMINA_TEST_PROGRAMS` is the number of programs; every tenth is compiled too.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from programs import Program, draw
from references import elements
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lamina.errors import LaminaError
from lamina.executable import execute_module
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import Array
from lamina.options import CompileOptions
from lamina.transforms.batch import function_of_many

COUNT = int(os.environ.get("LAMINA_TEST_PROGRAMS", "60"))
SIZE = 2
OPTIONS = CompileOptions(cache=False)


def outcome(module: ModuleOp, inputs: list[Array]) -> list[Array] | type[LaminaError]:
    try:
        return evaluate(module, "main", inputs)
    except LaminaError as error:
        return type(error)


def of_many(program: Program, numbers: list[int]) -> ModuleOp:
    """The program for a batch in the arguments `numbers`."""
    module = program.module.clone()
    main = module.body.block.first_op
    assert isinstance(main, func.FuncOp)
    new = function_of_many(main, SIZE, numbers)
    new.properties["sym_name"] = main.properties["sym_name"]
    module.body.block.insert_op_after(new, main)
    main.detach()
    module.verify()
    return module


def assert_close(found: Array, expected: Array, exact: bool) -> None:
    if exact:
        assert [str(x) for x in elements(found)] == [str(x) for x in elements(expected)]
        return
    kind: Any = np.complex128 if expected.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found.astype(kind), expected.astype(kind), 2e-2, 1e-2)


@pytest.mark.parametrize("seed", range(COUNT))
def test_batched_programs(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    program, rng = draw(seed), np.random.default_rng(seed)
    inputs = [np.array(x, order="C") for x in program.inputs]
    numbers = [n for n in range(len(inputs)) if rng.random() < 0.7]
    mixed = [rng.permutation(x.reshape(-1)).reshape(x.shape) for x in inputs]
    examples = [inputs, [mixed[n] if n in numbers else x for n, x in enumerate(inputs)]]
    alone = [outcome(program.module, example) for example in examples]
    module = of_many(program, numbers)
    pairs = zip(*examples, strict=True)
    stacked = [np.stack(pair) if n in numbers else pair[0] for n, pair in enumerate(pairs)]
    found = outcome(module, stacked)
    if isinstance(found, type):
        assert found in alone
        return
    assert not any(isinstance(one, type) for one in alone)
    ways = [found] if seed % 10 else [found, execute_module(module, "main", stacked, OPTIONS)]
    for results in ways:
        for number, result in enumerate(results):
            for k, one in enumerate(alone):
                assert not isinstance(one, type)
                expected = np.asarray(one[number])
                exact = program.outputs[number][1] is None
                assert_close(np.asarray(result[k]), expected, exact)
