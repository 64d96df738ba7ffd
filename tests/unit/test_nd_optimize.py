"""`nd-optimize` changes no bit: drawn programs with and without it.

Programs of the op table seldom hold what the patterns look for, so half of the programs here are
drawn from `REDUNDANT`: steps that put two ops where one would do, or an operand that says nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from one_op import BY_NAME
from op_row import special_values
from op_table import ROWS, rng_for
from program_ops import Drawing, Rejected, Value
from program_runs import compiled, difference, report
from programs import Program, draw, finished, reduced
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FileLineColLoc,
    FunctionType,
    IntAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from lamina import pipeline
from lamina.interpreters.evaluate import evaluate
from lamina.interpreters.types import (
    BOOL,
    DTYPES,
    Array,
    DType,
    dtype_of,
    element_type_of,
    is_float,
    to_dense,
)
from lamina.options import CompileOptions
from lamina.program import call_linked
from lamina.registry import make_context, pass_factory
from lamina.transforms import canonicalize_nd
from lamina.transforms.fold_constants import ELEMENTWISE, EXACT_ON_INTEGERS, MOVES, SOURCES

COUNT = 40
SIMPLIFIES = ("dce", "fold-constants", "canonicalize-nd", "cse")


def others() -> tuple[str, ...]:
    """The passes of `nd-optimize` that always run: those that a program cannot do without, and
    `absorb-transposes`, since how a product with few rows is summed depends on the layout of its
    operands."""
    names = pipeline.PIPELINES["nd-optimize"]
    return tuple(name for name in names if name not in SIMPLIFIES)


def op(d: Drawing, name: str, operands: Sequence[Value], **params: Any) -> Value:
    """One op of the table."""
    return d.emit(ROWS[name], operands, params)


def splat(d: Drawing, x: Value, number: Any) -> Value:
    """A constant of the type of `x`, sometimes a broadcast one."""
    array = np.asarray(number).astype(x.dtype)
    shape = x.array.shape
    if d.chance(0.5):
        return op(d, "constant", (), value=np.full(shape, array, x.dtype))
    small = op(d, "constant", (), value=array)
    return op(d, "broadcast", (small,), dims=(), shape=shape)


def with_constant(d: Drawing, x: Value) -> None:
    """x op c, with a number that patterns look for."""
    names = [row.name for row in ROWS.values() if x.dtype in row.dtypes and row.name in BINARY]
    numbers = special_values(x.dtype)
    if not is_float(x.dtype):
        numbers = np.concatenate([numbers, np.array([0, 1], x.dtype)])
    y = splat(d, x, d.choose(list(numbers)))
    pair = (x, y) if d.chance(0.7) else (y, x)
    op(d, d.choose(names), pair)


BINARY = ("add", "subtract", "multiply", "divide", "floor_divide", "maximum", "minimum",
          "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "equal",
          "not_equal", "less", "greater_equal")  # fmt: skip
UNARY = ("negative", "abs", "sign", "bitwise_invert", "floor", "ceil", "round", "trunc")


def with_itself(d: Drawing, x: Value) -> None:
    names = [row.name for row in ROWS.values() if x.dtype in row.dtypes and row.name in BINARY]
    op(d, d.choose(names), (x, x))


def two_unary(d: Drawing, x: Value) -> None:
    names = [row.name for row in ROWS.values() if x.dtype in row.dtypes and row.name in UNARY]
    y = op(d, d.choose(names), (x,))
    z = op(d, d.choose(names), (y,))
    if d.chance(0.5) and x.dtype.kind != "b":
        op(d, d.choose(["add", "subtract"]), (x, z))


def two_casts(d: Drawing, x: Value) -> None:
    y = op(d, "cast", (x,), dtype=d.choose(DTYPES))
    op(d, "cast", (y,), dtype=d.choose([x.dtype, d.choose(DTYPES)]))


def compared(d: Drawing, x: Value) -> None:
    y = d.find(x.dtype, x.array.shape, x.dims, True)
    names = ["equal", "not_equal", *(["less", "greater"] if x.dtype != BOOL else [])]
    p = op(d, d.choose(names), (x, y))
    q = op(d, "bitwise_invert", (p,)) if d.chance(0.5) else p
    op(d, "select", (q, x, y if d.chance(0.7) else x))


def selected(d: Drawing, x: Value) -> None:
    y = d.find(x.dtype, x.array.shape, x.dims, True)
    p = op(d, "constant", (), value=np.array(d.chance(0.5)))
    q = op(d, "broadcast", (p,), dims=(), shape=x.array.shape)
    op(d, "select", (q, x, y))


def step_of(name: str) -> Callable[[Drawing, Value], None]:
    """Two to three ops of kind `name` or another movement, one after the other."""

    def step(d: Drawing, x: Value) -> None:
        for kind in (name, name if d.chance(0.6) else d.choose(MOVING), d.choose(MOVING)):
            x = moved(d, kind, x)
        if d.chance(0.4) and x.dtype.kind != "b":
            op(d, "negative", (x,))

    return step


MOVING = ("transpose", "reshape", "broadcast", "reverse", "slice", "concat", "pad", "units")


def moved(d: Drawing, kind: str, x: Value) -> Value:
    """One movement of `x`."""
    shape, rng = x.array.shape, d.rng
    match kind:
        case "transpose":
            return op(d, kind, (x,), permutation=tuple(map(int, rng.permutation(len(shape)))))
        case "reshape":
            target = d.choose([(x.array.size,), shape[::-1], (1, *shape), (*shape, 1), shape])
            return op(d, kind, (x,), shape=target)
        case "units":
            place = int(rng.integers(len(shape) + 1))
            return op(d, "reshape", (x,), shape=(*shape[:place], 1, *shape[place:]))
        case "concat":
            axis = int(rng.integers(len(shape))) if shape else d.choose(())
            others = [x, x] if d.chance(0.5) else [x, op(d, "reverse", (x,), axes=(axis,))]
            return op(d, kind, others, axis=axis)
        case "pad":
            value = op(d, "constant", (), value=np.array(1).astype(x.dtype))
            low, high = (tuple(map(int, rng.integers(0, 3, len(shape)))) for _ in range(2))
            return op(d, kind, (x, value), low=low, high=high)
        case _:
            row = ROWS[kind]
            shapes = row.shapes(rng, shape)
            if shapes is None:
                raise Rejected
            return op(d, kind, (x,), **row.params(rng, shapes, x.dtype))


REDUNDANT: tuple[Callable[[Drawing, Value], None], ...] = (
    with_constant, with_constant, with_itself, two_unary, two_casts, compared, selected,
    *map(step_of, MOVING),
)  # fmt: skip


def draw_redundant(seed: int) -> Program:
    """A program of steps that `nd-optimize` shortens."""
    rng = rng_for("redundant", seed)
    d = Drawing(rng, (1, 2, 3, 5, 8, 17), dynamic=False)
    for _ in range(2):
        d.input(d.choose(DTYPES), d.shape(int(rng.integers(0, 4))))
    for _ in range(40):
        if sum(1 for _ in d.block.walk()) >= 16:
            break
        with suppress(Rejected, ValueError):
            d.choose(REDUNDANT)(d, d.pick(lambda v: v.bound is None and v.array.size <= 500))
    return finished(seed, d)


def results(program: Program, passes: Sequence[str] | None) -> list[Array]:
    """What the program gives, with other passes in the place of `nd-optimize`."""
    patch = pytest.MonkeyPatch()
    with patch.context() as context:
        if passes is not None:
            steps = {**pipeline.STEPS, "linalg": ("nd-to-linalg", "fuse-kernels")}
            context.setattr("lamina.compiler.STEPS", steps)
        module = program.module.clone()
        if passes is not None:
            run(module, passes)
        done = compiled(module, CompileOptions())
    return call_linked(done.linked, done.interface, program.inputs, 1)


def run(module: ModuleOp, passes: Sequence[str]) -> None:
    """Some passes, each followed by the verifier."""
    for name in passes:
        pass_factory(name)()().apply(make_context(), module)
        module.verify()


def differs(program: Program) -> list[str]:
    """Where results with `nd-optimize` are not those without."""
    with np.errstate(all="ignore"):
        plain, optimized = results(program, others()), results(program, None)
    pairs = zip(plain, optimized, strict=True)
    found = [f"result {i}: {difference(a, b, None)}" for i, (a, b) in enumerate(pairs)]
    return [line for line in found if not line.endswith(": ")]


@pytest.mark.slow
@pytest.mark.parametrize("make", [draw, draw_redundant])
def test_bits_are_those_without_the_pass(make: Callable[[int], Program]) -> None:
    for seed in range(COUNT):
        program = make(seed)
        failures = differs(program)
        if failures:
            smaller = reduced(program, lambda p: bool(differs(p)))
            pytest.fail(report(smaller, differs(smaller) or failures))


# Every op with every special number, every cast of a cast: in the interpreter, which is fast.

PASSES = ("fold-constants", "canonicalize-nd")


class Table:
    """A function of many small results on one argument, all special values of a dtype."""

    def __init__(self, dtype: DType) -> None:
        self.array = special_values(dtype)
        self.type = TensorType(element_type_of(dtype), self.array.shape)
        self.block = Block(arg_types=[self.type])
        self.x: SSAValue = self.block.args[0]
        self.results: list[SSAValue] = []

    def op(self, name: str, *operands: SSAValue, dtype: DType | None = None, **props: Any) -> Any:
        """The result of an op of the argument's shape."""
        kind = self.type if dtype is None else TensorType(element_type_of(dtype), self.array.shape)
        made = BY_NAME[name].create(operands=operands, result_types=[kind], properties=props)
        self.block.add_op(made)
        return made.results[0]

    def splat(self, number: Any) -> SSAValue:
        """A constant of the argument's type."""
        return self.op("constant", value=to_dense(np.full(self.array.shape, number)))

    def module(self) -> ModuleOp:
        self.block.add_op(ReturnOp(*self.results))
        kind = FunctionType.from_lists([self.type], [r.type for r in self.results])
        module = ModuleOp([FuncOp("main", kind, Region(self.block))])
        module.verify()
        return module

    def check(self) -> ModuleOp:
        """The optimized module, which gives equal bits."""
        module = self.module()
        before = evaluate(module, "main", [self.array])
        run(module, PASSES)
        after = evaluate(module, "main", [self.array])
        for place, (want, got) in enumerate(zip(before, after, strict=True)):
            assert not difference(want, got, None), (place, difference(want, got, None))
        return module


def result_dtype(name: str, dtype: DType) -> DType:
    return BOOL if name in COMPARISONS else dtype


COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
ALL_BINARY = tuple(row for row in ROWS.values() if row.name in (*BINARY, *COMPARISONS, "remainder"))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_binary_ops_with_every_special_number(dtype: DType) -> None:
    for row in ALL_BINARY:
        if dtype not in row.dtypes:
            continue
        table = Table(dtype)
        result = result_dtype(row.name, dtype)
        for number in table.array:
            c = table.splat(number)
            for pair in ((table.x, c), (c, table.x), (table.x, table.x)):
                table.results.append(table.op(row.name, *pair, dtype=result))
        table.check()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pairs_of_unary_ops(dtype: DType) -> None:
    table = Table(dtype)
    names = [name for name in UNARY if dtype in ROWS[name].dtypes]
    for outer in names:
        for inner in names:
            x = table.op(outer, table.op(inner, table.x))
            table.results.append(x)
            if dtype != BOOL:
                table.results += [table.op(o, table.x, x) for o in ("add", "subtract")]
    table.check()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_casts_of_casts(dtype: DType) -> None:
    table = Table(dtype)
    for middle in DTYPES:
        x = table.op("cast", table.x, dtype=middle)
        table.results += [table.op("cast", x, dtype=target) for target in DTYPES]
    module = table.check()
    left = [(o, o.operands[0].owner) for o in module.walk() if o.name == "nd.cast"]
    chains = {
        (names_of(inner)[1], names_of(outer)[1])
        for outer, inner in left
        if isinstance(inner, Operation)
    }
    if dtype == np.float32:
        assert ("float16", "float32") in chains and ("float64", "float32") not in chains
    if dtype == np.int32:
        assert ("float64", "int8") in chains and ("int64", "float32") not in chains


def names_of(cast: Operation) -> tuple[str, str]:
    """The dtypes that a cast goes from and to."""
    types: Any = cast.operands[0].type, cast.results[0].type
    return tuple(dtype_of(t.element_type).name for t in types)  # type: ignore


@pytest.mark.slow
def test_drawn_programs_in_the_interpreter() -> None:
    used: set[Any] = set()
    with pytest.MonkeyPatch().context() as patch:
        for kind, patterns in canonicalize_nd.PATTERNS.items():
            patch.setitem(canonicalize_nd.PATTERNS, kind, tuple(noting(p, used) for p in patterns))
        for seed in range(300):
            program = draw_redundant(seed)
            before = evaluate(program.module, "main", program.inputs)
            run(program.module, ("dce", *PASSES, "cse"))
            after = evaluate(program.module, "main", program.inputs)
            for want, got in zip(before, after, strict=True):
                assert not difference(want, got, None), report(program, [])
    missing = {p for patterns in canonicalize_nd.PATTERNS.values() for p in patterns} - used
    assert {p.__name__ for p in missing} <= SELDOM_DRAWN


SELDOM_DRAWN = {
    "divide_by_power_of_two", "concat_inputs", "product_with_identity", "dim_known",
    "dynamic_slice_known", "update_all", "pattern", "reduce_nothing", "<lambda>",
}  # fmt: skip
"""Patterns that `REDUNDANT` has little for: the tables above and the lit file run them."""


def noting(pattern: canonicalize_nd.Pattern, used: set[Any]) -> canonicalize_nd.Pattern:
    """`pattern`, which joins `used` when it applies."""

    def noted(op: Any, b: Any) -> Any:
        value = pattern(op, b)
        if value is not None:
            used.add(pattern)
        return value

    return noted


def test_what_is_folded_has_equal_bits_in_every_mode() -> None:
    exact = {f"nd.{name}" for name, row in ROWS.items() if row.error == "exact"}
    assert exact >= ELEMENTWISE | MOVES | SOURCES
    assert {f"nd.{name}" for name in ROWS} >= EXACT_ON_INTEGERS


def test_patterns_that_undo_each_other_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def again(op: Operation, b: Any) -> SSAValue:
        return b.make(type(op), op.operands, op.results[0].type)

    monkeypatch.setitem(canonicalize_nd.PATTERNS, BY_NAME["negative"], (again,))
    table = Table(np.dtype(np.int32))
    table.results.append(table.op("negative", table.x))
    with pytest.raises(PassFailedException, match="patterns that come to an end, found nd.neg"):
        run(table.module(), PASSES)


def test_a_long_chain_takes_linear_time() -> None:
    """3000 transposes with a line each: one op, whose location does not name them all."""
    block = Block(arg_types=[TensorType(element_type_of(np.dtype(np.float32)), (2, 3))])
    value: SSAValue = block.args[0]
    for line in range(3001):
        kind = TensorType(element_type_of(np.dtype(np.float32)), ((3, 2), (2, 3))[line % 2])
        made = BY_NAME["transpose"].create(
            operands=[value],
            result_types=[kind],
            properties={"permutation": DenseArrayBase.from_list(i64, (1, 0))},
            location=FileLineColLoc(StringAttr("a.py"), IntAttr(line), IntAttr(0)),
        )
        block.add_op(made)
        value = made.results[0]
    block.add_op(ReturnOp(value))
    kind = FunctionType.from_lists([block.args[0].type], [value.type])
    module = ModuleOp([FuncOp("main", kind, Region(block))])
    start = time.perf_counter()
    run(module, ("dce", *PASSES, "cse"))
    assert time.perf_counter() - start < 10  # quadratic: minutes
    assert sum(op.name == "nd.transpose" for op in module.walk()) == 1
