"""The call entry: the native one and the one in Python must do the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import BuiltinFunctionType, CellType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from entry_programs import (
    ARRAYS,
    F4,
    F8,
    I8,
    KINDS,
    LEAF,
    A,
    Array,
    B,
    C,
    Failure,
    X,
    Y,
    axpy,
    is_slow,
    make_with,
    on_error,
    program,
    slow_path,
    wrapped,
    wrapped_nothing,
)

from lamina.backend import entry_abi
from lamina.backend.codegen import compile_object
from lamina.backend.engine import Engine
from lamina.backend.entry import Entry, make_entry
from lamina.backend.entry_py import PyEntry
from lamina.backend.entry_spec import (
    AbsentLeaf,
    ArrayLeaf,
    Cell,
    ConstantLeaf,
    DictNode,
    DimArg,
    DimName,
    DimOp,
    Fixed,
    GlobalName,
    ObjectNode,
    Result,
    ResultCall,
    ResultConstant,
    ResultDict,
    ResultLeaf,
    ResultSequence,
    ScalarLeaf,
    SequenceNode,
    Signature,
    StaticLeaf,
    static_tree,
)
from lamina.backend.host import target_for
from lamina.errors import OptionError


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Make the builtin of an entry of either kind."""
    return make_with(request.param)


def test_layout_is_known_here() -> None:
    assert entry_abi.layout_problem() is None
    assert type(make_entry([], slow_path, ARRAYS, on_error).call) is BuiltinFunctionType


def test_result_is_an_array_object(make: Any) -> None:
    call = make(axpy())
    result = call(X)
    assert type(result) is Array and type(result.data) is np.ndarray
    assert (result.data == Y).all() and result.data.dtype == F4
    assert result.data.flags.owndata and result.data.flags.writeable
    assert (result.node, result.version, result.requires_grad) == (None, 7, None)
    assert (call(result).data == Y * 2 + 1).all()
    assert call(X).data is not call(X).data


def test_without_an_array_class_results_are_ndarrays(make: Any) -> None:
    call = make(axpy(), array_class=None)
    assert type(call(X)) is np.ndarray
    assert is_slow(call(wrapped(X)))


def _misaligned() -> Any:
    return np.frombuffer(bytes(17), np.uint8)[1:].view(np.float32)


class Sub(np.ndarray):
    """A subclass of ndarray."""


@pytest.mark.parametrize(
    "value",
    [
        X.astype(np.float64),
        X.astype(np.int32),
        X.astype(X.dtype.newbyteorder()),
        np.zeros(5, F4),
        np.zeros((4, 1), F4),
        np.zeros((), F4),
        np.zeros(8, F4)[::2],
        X[::-1],
        _misaligned(),
        X.view(Sub),
        wrapped(X, requires_grad=True),
        wrapped(X.astype(np.float64)),
        wrapped(X.view(Sub)),
        wrapped(None),
        Array(),
        wrapped_nothing(),
        [0.0, 1.0, 2.0, 3.0],
        None,
        1.0,
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_goes_the_slow_path(make: Any, value: Any) -> None:
    call = make(axpy())
    tag, args, kwargs = call(value)
    assert (tag, len(args), kwargs) == ("slow", 1, {}) and args[0] is value


def test_other_counts_and_keywords_go_the_slow_path(make: Any) -> None:
    call = make(axpy())
    assert call() == ("slow", (), {})
    assert is_slow(call(X, 1))
    tag, args, kwargs = call(X, y=2)
    assert tag == "slow" and args[0] is X and kwargs == {"y": 2}
    assert call(x=1) == ("slow", (), {"x": 1})
    assert (call(X, **{}).data == Y).all()


def test_read_only_arguments_may_be_read(make: Any) -> None:
    frozen = X.copy()
    frozen.flags.writeable = False
    assert (make(axpy())(frozen).data == Y).all()
    call = make(
        Signature(program("twice"), (ArrayLeaf(F4, (4,), written=True),), (), ResultConstant(None))
    )
    assert is_slow(call(frozen))
    mine = X.copy()
    assert call(mine) is None and (mine == 2 * X).all()


def test_both_numbers_of_int64_are_one_type(make: Any) -> None:
    call = make(
        Signature(
            program("byte"), (ArrayLeaf(I8, ()),), (Result(np.dtype("q"), ()),), ResultLeaf(0)
        )
    )  # fmt: skip
    for kind in ("l", "q"):
        assert call(np.array(7, kind)).data == 7


def test_signatures_are_tried_in_order(make: Any) -> None:
    wide = Signature(
        program("axpy_n"), (ArrayLeaf(F4, (-1,)),), (Result(F4, (DimArg(0),)),),
        ResultDict((("y", ResultLeaf(0)),)),
    )  # fmt: skip
    call = make(axpy(), wide)
    assert (call(X).data == Y).all()
    long = np.arange(9, dtype=F4)
    assert (call(long)["y"].data == long * 2 + 1).all()
    assert call(np.zeros(0, F4))["y"].data.shape == (0,)


def test_replace() -> None:
    for kind in (Entry, PyEntry):
        it = kind(slow_path, ARRAYS, on_error)
        call = it.call
        assert is_slow(call(X))
        it.replace([axpy()])
        assert (call(X).data == Y).all()
        it.replace([])
        assert is_slow(call(X))


# --- trees


class Pair(NamedTuple):
    """A named tuple."""

    a: Any
    b: Any


@dataclass
class Point:
    """A dataclass."""

    x: Any
    y: Any = None

    @property
    def broken(self) -> Any:
        raise KeyError("broken")


def add3(*args: Any, **more: Any) -> Signature:
    """The sum of the three f64 leaves."""
    return Signature(program("sum_words"), args, (Result(F8, ()),), ResultLeaf(0), **more)


def test_nested_trees(make: Any) -> None:
    tree = SequenceNode(
        list, (LEAF, DictNode((("w", SequenceNode(tuple, (LEAF,))), ("v", LEAF))))
    )  # fmt: skip
    call = make(add3(tree))
    assert call([A, {"v": B, "w": (C,)}]).data == 321.0
    assert call([wrapped(A), {"w": (C,), "v": B}]).data == 321.0
    for other in (
        (A, {"v": B, "w": (C,)}),
        [A, {"v": B, "w": [C]}],
        [A, {"v": B, "w": (C,), "u": C}],
        [A, {"v": B, "u": (C,)}],
        [A, {"v": B, "w": (C, C)}],
        [A, {"v": B}],
        [A],
        [A, None],
        [A, {"v": B, "w": ()}],
    ):
        assert is_slow(call(other))


def test_named_tuples_and_objects(make: Any) -> None:
    call = make(
        add3(SequenceNode(Pair, (LEAF, LEAF)), ObjectNode(Point, (("x", LEAF),)))
    )  # fmt: skip
    assert call(Pair(A, B), Point(C)).data == 321.0
    assert is_slow(call((A, B), Point(C)))
    assert is_slow(call(Pair(A, B), SimpleNamespace(x=C)))
    assert is_slow(call(Pair(A, B), Point(None)))
    broken = make(add3(LEAF, LEAF, ObjectNode(Point, (("broken", LEAF),))))
    assert is_slow(broken(A, B, Point(C)))


def test_many_leaves(make: Any) -> None:
    # far more words than an invoke function of the entry's own object takes
    count = 300
    tree = SequenceNode(list, tuple(ArrayLeaf(F8, ()) for _ in range(count)))
    arrays = [np.array(float(k)) for k in range(count)]
    body = "\n".join(
        f"  %v{k} = load double, ptr %p{k}\n  %s{k + 1} = fadd double %s{k}, %v{k}"
        for k in range(count)
    )
    text = (
        f"define i32 @sum(ptr %ctx, {', '.join(f'ptr %p{k}' for k in range(count))}, ptr %out) {{\n"
        f"  %s0 = fadd double 0.0, 0.0\n{body}\n"
        f"  store double %s{count}, ptr %out\n  ret i32 0\n}}\n"
    )
    with Engine([compile_object(text, target_for("host"), "none")]) as engine:
        call = make(Signature(engine.address("sum"), (tree,), (Result(F8, ()),), ResultLeaf(0)))
        assert call(arrays).data == sum(range(count))


def test_python_numbers(make: Any) -> None:
    call = make(add3(*[ScalarLeaf("float")] * 3))
    assert call(1.5, -0.0, float("inf")).data == np.inf
    assert is_slow(call(1.5, 2.5, 3)) and is_slow(call(1.5, 2.5, np.float64(3)))
    integer = make(
        Signature(program("byte"), (ScalarLeaf("int"),), (Result(I8, ()),), ResultLeaf(0))
    )  # fmt: skip
    assert integer(200).data == 200 and integer(-1).data == 255
    assert integer(-(2**63)).data == 0
    for other in (2**63, -(2**63) - 1, True, 1.0, np.int64(1)):
        assert is_slow(integer(other))
    boolean = make(
        Signature(program("byte"), (ScalarLeaf("bool"),), (Result(I8, ()),), ResultLeaf(0))
    )  # fmt: skip
    assert boolean(True).data == 1 and boolean(False).data == 0
    assert is_slow(boolean(1)) and is_slow(boolean(np.True_))


class Equal:
    """Equal to all of its kind; comparing with `bad` raises."""

    bad = False

    def __eq__(self, other: object) -> bool:
        if self.bad or getattr(other, "bad", False):
            raise ValueError("no")
        return True

    __hash__ = None  # type: ignore[assignment]


NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "same", "others"),
    [
        (3, [3, int("3")], [4, 3.0, True, "3"]),
        (10**30, [10**30], [10**30 + 1]),
        ("abc", ["abc", "".join(["a", "bc"])], ["abd", b"abc", None]),
        (0.0, [0.0, float("0")], [-0.0, 0, False, 0j]),
        (NAN, [NAN, float("nan")], [0.0]),
        (1 + 0j, [complex(1, 0)], [1, complex(1, -0.0)]),
        (True, [True], [1, False, 1.0]),
        (None, [None], [0, False]),
        (np.float32, [np.float32], [np.float64]),
        ((1, ("a", 2.0)), [(1, ("a", 2.0))], [(1, ("a", 2)), [1, ("a", 2.0)], (1,)]),
        ([1, {"k": None}], [[1, {"k": None}]], [[1, {"k": 0}], [1, None], [1, {"j": None}]]),
    ],
)
def test_static_values(make: Any, value: Any, same: list[Any], others: list[Any]) -> None:
    call = make(axpy(args=(ArrayLeaf(F4, (4,)), static_tree(value))))
    for it in same:
        assert (call(X, it).data == Y).all(), it
    for it in others:
        assert is_slow(call(X, it)), it


def test_static_values_by_equality(make: Any) -> None:
    call = make(axpy(args=(ArrayLeaf(F4, (4,)), StaticLeaf(Equal(), "equality"))))
    assert (call(X, Equal()).data == Y).all()
    assert is_slow(call(X, 1))
    bad = Equal()
    bad.bad = True
    assert is_slow(call(X, bad))


# --- hidden inputs and guards


def test_hidden_arrays_are_read_at_each_call(make: Any) -> None:
    names: dict[str, Any] = {"w": {"a": A}}
    cell = CellType(B)
    holder = Point(C)
    call = make(
        add3(
            hidden=(
                (GlobalName(names, "w"), DictNode((("a", LEAF),))),
                (Cell(cell), LEAF),
                (Fixed(holder), ObjectNode(Point, (("x", LEAF),))),
            ),
        )
    )
    assert call().data == 321.0
    names["w"]["a"] = np.array(2.0)
    assert call().data == 322.0
    names["w"] = {"a": A}
    cell.cell_contents = np.array(30.0)
    holder.x = np.array(400.0)
    assert call().data == 431.0
    cell.cell_contents = None
    assert is_slow(call())
    del cell.cell_contents
    assert is_slow(call())
    cell.cell_contents = B
    del names["w"]
    assert is_slow(call())


def test_guards_on_globals(make: Any) -> None:
    names: dict[str, Any] = {"scale": 2.0, "name": "a", "flag": None, "other": 1}
    guards = tuple((GlobalName(names, n), StaticLeaf(names[n])) for n in ("scale", "name", "flag"))
    absent = ((GlobalName(names, "len"), AbsentLeaf()),)
    call = make(axpy(hidden=guards + absent))

    def fits() -> bool:
        return not is_slow(call(X))

    assert fits() and fits()
    names["other"] = 2
    assert fits()
    names["scale"] = float("2")
    assert fits()
    for name, value in (("scale", 3.0), ("name", "b"), ("flag", 0)):
        old = names[name]
        names[name] = value
        assert not fits()
        names[name] = old
        assert fits() and fits()
    names["len"] = len
    assert not fits()
    del names["len"]
    assert fits()
    del names["flag"]
    assert not fits()


def test_guards_on_attributes_see_every_store(make: Any) -> None:
    # CPython's specialised stores must change the version of an instance's dict, too
    holder = Point(1, 2)
    call = make(axpy(hidden=((GlobalName(vars(holder), "x"), StaticLeaf(1)),)))

    def store(value: int) -> None:
        holder.x = value

    for k in range(100):
        store(1)
        assert not is_slow(call(X))
        store(k + 2)
        assert is_slow(call(X))


def test_guards_on_contents_are_never_skipped(make: Any) -> None:
    # a container may change without a change of the namespace that holds it
    names: dict[str, Any] = {"sizes": [1, 2]}
    call = make(axpy(hidden=((GlobalName(names, "sizes"), static_tree([1, 2])),)))
    assert not is_slow(call(X))
    names["sizes"].append(3)
    assert is_slow(call(X))


def test_constants(make: Any) -> None:
    weight = np.array(300.0)
    leaf = ConstantLeaf(weight.ctypes.data, weight)
    call = make(add3(LEAF, LEAF, hidden=((Fixed(None), leaf),)))
    assert call(A, B).data == 321.0


# --- sizes


def test_dims_in_order(make: Any) -> None:
    args = (ArrayLeaf(F4, (2, -1)), ArrayLeaf(F4, (-1,)))
    out = Result(I8, (DimOp("add", DimArg(0), DimArg(1)),))
    call = make(Signature(program("dims"), args, (out,), ResultLeaf(0)))
    result = call(np.zeros((2, 3), F4), np.zeros(5, F4)).data
    assert result.shape == (8,) and result[:3].tolist() == [3, 5, 8]
    assert is_slow(call(np.zeros((3, 3), F4), np.zeros(5, F4)))


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("add", 9), ("sub", 5), ("mul", 14), ("floordiv", 3), ("mod", 1), ("max", 7), ("min", 2),
        ("eq", 0), ("le", 0), ("lt", 0),
    ],
)  # fmt: skip
def test_size_expressions(make: Any, name: Any, want: int) -> None:
    shape = (DimOp(name, DimArg(0), 2), 3)
    call = make(
        Signature(program("axpy_n"), (ArrayLeaf(F4, (-1,)),), (Result(F4, shape),), ResultLeaf(0))
    )  # fmt: skip
    # `axpy_n` writes 7 floats: room is there only where the result has 21 or more
    if want >= 3:
        assert call(np.zeros(7, F4)).data.shape == (want, 3)
    for wanted, fits in ((want, True), (want + 1, False)):
        guarded = make(
            Signature(
                program("axpy_n"), (ArrayLeaf(F4, (-1,)),), (Result(F4, (DimArg(0),)),),
                ResultLeaf(0), requires=(DimOp("eq", DimOp(name, DimArg(0), 2), wanted),),
            )
        )  # fmt: skip
        assert is_slow(guarded(np.zeros(7, F4))) != fits


def test_division_of_negative_sizes_rounds_down(make: Any) -> None:
    negative = DimOp("sub", 0, DimArg(0))
    names: tuple[tuple[DimName, int], ...] = (("floordiv", -3), ("mod", 1))
    for name, want in names:
        requires = (DimOp("eq", DimOp(name, negative, 3), want),)
        call = make(
            Signature(
                program("axpy_n"), (ArrayLeaf(F4, (-1,)),), (Result(F4, (DimArg(0),)),),
                ResultLeaf(0), requires=requires,
            )
        )  # fmt: skip
        assert not is_slow(call(np.zeros(8, F4)))
    with pytest.raises(OptionError, match="positive divisor"):
        DimOp("floordiv", DimArg(0), 0)


# --- written and lent arguments


def test_written_arguments_share_nothing(make: Any) -> None:
    args = (ArrayLeaf(F4, (4,), written=True), ArrayLeaf(F4, (4,)))
    call = make(Signature(program("twice_beside"), args, (), ResultConstant(None)))
    base = np.zeros(8, F4)
    assert call(base[:4], base[4:]) is None and call(base[4:], base[:4]) is None
    assert is_slow(call(base[:4], base[:4]))
    assert is_slow(call(base[:4], base[3:7])) and is_slow(call(base[3:7], base[:4]))
    reading = make(Signature(program("axpy"), args[1:] * 2, (Result(F4, (4,)),), ResultLeaf(0)))
    assert not is_slow(reading(base[:4], base[:4]))


def test_lent_argument_becomes_the_result(make: Any) -> None:
    call = make(
        Signature(
            program("axpy"), (ArrayLeaf(F4, (4,), written=True),), (Result(F4, (4,), donor=0),),
            ResultLeaf(0),
        )
    )  # fmt: skip
    mine = X.copy()
    result = call(mine)
    assert result.data is mine and (mine == Y).all()


def test_written_argument_gets_the_values(make: Any) -> None:
    call = make(
        Signature(
            program("axpy"), (ArrayLeaf(F4, (4,), written=True),), (Result(F4, (4,), writes=0),),
            ResultConstant(None),
        )
    )  # fmt: skip
    mine = X.copy()
    assert call(mine) is None and (mine == Y).all()
    read_only = X.copy()
    read_only.flags.writeable = False
    assert is_slow(call(read_only))


# --- results


def test_result_trees(make: Any) -> None:
    leaf = ResultLeaf(0)
    tree = ResultSequence(
        tuple,
        (
            leaf,
            ResultSequence(list, (ResultConstant("text"), leaf, ResultSequence(tuple, ()))),
            ResultDict((("a", leaf), (3, ResultConstant(None)))),
            ResultCall(Point, (leaf, ResultConstant(5))),
            ResultDict(()),
            ResultSequence(list, ()),
        ),
    )
    call = make(Signature(program("axpy"), (ArrayLeaf(F4, (4,)),), (Result(F4, (4,)),), tree))
    first, items, mapping, point, empty, none = call(X)
    assert items[0] == "text" and items[2] == () and list(mapping) == ["a", 3]
    assert type(point) is Point and point.y == 5 and empty == {} and none == []
    for array in (first, items[1], mapping["a"], point.x):
        assert type(array) is Array and (array.data == Y).all()


def test_result_constructor_may_raise(make: Any) -> None:
    def refuse(*_: Any) -> Any:
        raise Failure("refused")

    tree = ResultCall(refuse, (ResultLeaf(0),))
    call = make(Signature(program("axpy"), (ArrayLeaf(F4, (4,)),), (Result(F4, (4,)),), tree))
    with pytest.raises(Failure, match="refused"):
        call(X)


def test_result_of_a_registered_type(make: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    kind = np.dtype(ml_dtypes.bfloat16)
    call = make(
        Signature(program("byte"), (ArrayLeaf(kind, (4,)),), (Result(kind, (4,)),), ResultLeaf(0))
    )  # fmt: skip
    assert call(np.ones(4, kind)).data.dtype == kind
