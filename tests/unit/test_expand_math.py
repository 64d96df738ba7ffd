"""The function `expand` behind the pass, and what the pass keeps."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnknownLoc
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from lamina.ir_text import parse_module, print_module
from lamina.lowering.expand_math import EXPANSIONS, ExpandMathPass, expand
from lamina.lowering.math_builder import LIBM, Constants
from lamina.registry import make_context
from lamina.verify import verify_module

PLACE = FileLineColLoc(StringAttr("user.py"), IntAttr(7), IntAttr(3))


def module_of(name: str, type: str) -> ModuleOp:
    arguments = "%x, %x" if name in ("math.atan2", "math.powf") else "%x"
    module = parse_module(
        make_context(),
        f"""func.func @f(%x: {type}) -> {type} {{
              %y = {name} {arguments} : {type}
              func.return %y : {type}
            }}""",
    )
    for op in module.walk():
        op.location = PLACE
    return module


def math_op(module: ModuleOp) -> Operation:
    return next(op for op in module.walk() if op.name in EXPANSIONS)


@pytest.mark.parametrize("name", EXPANSIONS)
@pytest.mark.parametrize("type", ["f32", "f64", "vector<1xf32>", "vector<3xf64>"])
def test_valid_located_and_complete(name: str, type: str) -> None:
    for fma in (True, False):
        module = module_of(name, type)
        ExpandMathPass(fma=fma).apply(make_context(), module)
        verify_module(module)
        ops = list(module.walk())
        assert not [op.name for op in ops if isinstance(op.location, UnknownLoc)]
        assert {
            op.name for op in ops if op.name in EXPANSIONS and LIBM not in op.attributes
        } == set()
        assert fma or "math.fma" not in {op.name for op in ops}
        text = print_module(module)
        ExpandMathPass(fma=fma).apply(make_context(), module)
        assert print_module(module) == text


def test_expand_inserts_nothing() -> None:
    module = module_of("math.exp", "vector<8xf32>")
    before = print_module(module)
    expansion = expand(math_op(module), fma=True)
    assert expansion is not None
    ops, result = expansion
    assert print_module(module) == before
    assert result.owner is ops[-1] and result.type == math_op(module).results[0].type
    assert all(op.parent is None and op.location == PLACE for op in ops)


def test_expansions_share_constants() -> None:
    op = math_op(module_of("math.exp", "vector<8xf32>"))
    constants: Constants = {}
    first = expand(op, fma=True, constants=constants)
    second = expand(op, fma=True, constants=constants)
    assert first is not None and second is not None
    assert "arith.constant" in {op.name for op in first[0]}
    assert "arith.constant" not in {op.name for op in second[0]}


def test_few_ops() -> None:
    """Compile time: what the functions of neural networks may cost."""
    for name, most in {"math.exp": 25, "math.tanh": 34, "math.erf": 42, "math.sin": 26}.items():
        expansion = expand(math_op(module_of(name, "vector<16xf32>")), fma=True)
        assert expansion is not None
        assert sum(op.name != "arith.constant" for op in expansion[0]) <= most


def test_other_ops_are_left() -> None:
    module = parse_module(
        make_context(),
        """func.func @f(%x: f16) -> f16 {
             %y = math.sqrt %x : f16
             func.return %y : f16
           }""",
    )
    op = next(op for op in module.walk() if op.name == "math.sqrt")
    assert expand(op, fma=True) is None


@pytest.mark.parametrize("type", ["f16", "bf16", "vector<4xbf16>", "vector<2x2xf32>"])
def test_refuses(type: str) -> None:
    with pytest.raises(PassFailedException, match="math.exp: expected .*, found"):
        expand(math_op(module_of("math.exp", type)), fma=True)


ROOT = Path(__file__).parents[2]


def fits() -> Any:
    """The module tests/fit_polynomials.py."""
    spec = importlib.util.spec_from_file_location(
        "fit_polynomials", ROOT / "tests" / "fit_polynomials.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exp32", "log32", "log64", "sin32", "sin64", "tanh32", "atan32"])
def test_coefficients_are_fitted(name: str) -> None:
    fit = fits().FITS[name]
    values = [float(fits().spelled(value, fit.bits)) for value in fit.coefficients()[0]]
    for file in sorted((ROOT / "lowering").glob("math_*.py")):
        found = [float(word) for word in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", file.read_text())]
        starts = range(len(found) - len(values) + 1)
        if any(found[start : start + len(values)] == values for start in starts):
            return
    pytest.fail(f"{name}: expected {values} in lowering/math_*.py")
