"""`lamina-opt`: diagnostics, pipelines, reproducers and what it prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from lit_runs import Result, run_opt
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.utils.exceptions import PassFailedException

from lamina import pipeline, registry
from lamina.errors import LoweringError

GOOD = """\
func.func @f(%x: i32) -> (i32, i32) {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  func.return %a, %b : i32, i32
}
"""
BAD = "func.func @g() -> i32 {\n  func.return\n}\n"
MESSAGE = "expected [i32], got []"


def opt(tmp_path: Path, text: str, *words: str) -> Result:
    """`lamina-opt` on a file of `text`; the folder is cut out of what it says."""
    file = tmp_path / "in.mlir"
    file.write_text(text)
    done = run_opt([str(file), *words])
    return Result(done.status, done.out, done.err.replace(f"{tmp_path}/", ""))


def break_cse(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        raise error

    monkeypatch.setattr(CommonSubexpressionElimination, "apply", fail)


def test_passes_run_and_the_result_is_printed(tmp_path: Path) -> None:
    done = opt(tmp_path, GOOD, "-p", "cse")
    assert (done.status, done.err) == (0, "")
    assert done.out.count("arith.addi") == 1


def test_every_chunk_is_handled_and_one_error_fails_all(tmp_path: Path) -> None:
    done = opt(tmp_path, f"{GOOD}// -----\n{BAD}// -----\n{GOOD}", "--split-input-file")
    assert done.status == 1
    assert done.out.count("@f") == 2
    assert done.err.startswith("in.mlir:8:3: error: func.return: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"// expected-error {{{{{MESSAGE}}}}}\n{BAD}", ""),
        (f"// expected-error@+2 {{{{{MESSAGE}}}}}\n{BAD}", ""),
        (
            f"func.func @g() -> i32 {{\n// expected-error@below {{{{{MESSAGE}}}}}\nfunc.return\n}}",
            "",
        ),
        (
            f"func.func @g() -> i32 {{\nfunc.return\n// expected-error@above {{{{{MESSAGE}}}}}\n}}",
            "",
        ),
        (GOOD, ""),
        ("// expected-error {{shape type}}\nfunc.func @f(%x: tensor<", ""),
        (f"// expected-error {{{{{MESSAGE}}}}}\n{GOOD}", "was not produced"),
        (f"// expected-error {{{{other}}}}\n{BAD}", "unexpected error: func.return"),
        (f"// expected-error@+1 {{{{{MESSAGE}}}}}\n{BAD}", "unexpected error: func.return"),
        (BAD, "unexpected error: func.return"),
        (
            f"// expected-error {{{{{MESSAGE}}}}}\n// expected-error {{{{more}}}}\n{BAD}",
            '"more" was',
        ),
    ],
)
def test_verify_diagnostics_is_strict(tmp_path: Path, text: str, said: str) -> None:
    done = opt(tmp_path, text, "--verify-diagnostics")
    assert done.status == (1 if said else 0), done.err
    assert said in done.err
    assert bool(said) == bool(done.err)


def test_verify_diagnostics_looks_at_each_chunk_alone(tmp_path: Path) -> None:
    expected = f"// expected-error {{{{{MESSAGE}}}}}\n"
    words = ("--verify-diagnostics", "--split-input-file")
    assert opt(tmp_path, f"{GOOD}// -----\n{expected}{BAD}", *words).status == 0
    assert opt(tmp_path, f"{expected}{GOOD}// -----\n{BAD}", *words).status == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PassFailedException("expected\n  less"), "in.mlir: error: cse: expected less\n"),
        (LoweringError("nd.f: no", place="u.py:3:1"), "u.py:3:1: error: cse: nd.f: no\n"),
        (KeyError("k"), "in.mlir: error: cse: internal error: KeyError: 'k'\n"),
    ],
)
def test_failing_pass_leaves_a_reproducer_that_reruns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    break_cse(monkeypatch, error)
    place = tmp_path / "again.mlir"
    done = opt(tmp_path, GOOD, "-p", "dce,cse,canonicalize", "--reproducer", str(place))
    assert done.status == 1
    assert done.err.startswith(said)
    command = place.read_text().splitlines()[0].removeprefix("// ")
    assert command == f"lamina-opt -p cse {place}"
    again = run_opt([*shlex.split(command)[1:], "--reproducer", str(tmp_path / "third.mlir")])
    assert again.status == 1
    assert "error: cse: " in again.err or "u.py:3:1" in again.err


def test_traceback_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_cse(monkeypatch, KeyError("k"))
    words = ("-p", "cse", "--reproducer", str(tmp_path / "again.mlir"))
    assert "Traceback" not in opt(tmp_path, GOOD, *words).err
    monkeypatch.setenv("LAMINA_DEBUG", "1")
    assert "Traceback" in opt(tmp_path, GOOD, *words).err


def test_pipeline_names_stand_for_their_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pipeline.PIPELINES, "cse", ("cse", "dce"))
    monkeypatch.setitem(pipeline.PIPELINES, "all", ("cse", "canonicalize{max-rewrites=1}"))
    done = opt(tmp_path, GOOD, "-p", "cse", "--time-passes")
    names = [line.split()[-1] for line in done.err.splitlines()[1:]]
    assert names == ["(parse)", "(verify)", "cse", "dce", "(print)", "total"]
    assert "pass canonicalize: Provided arguments" in opt(tmp_path, GOOD, "-p", "all").err
    assert "expected no options" in opt(tmp_path, GOOD, "-p", "all{a=1}").err


def test_ir_is_printed_after_passes(tmp_path: Path) -> None:
    after_all = opt(tmp_path, GOOD, "-p", "dce,cse", "--print-ir-after-all").err
    assert [s for s in after_all.splitlines() if "IR" in s] == [
        "// IR after dce",
        "// IR after cse",
    ]
    changed = opt(tmp_path, GOOD, "-p", "dce,cse", "--print-ir-after-change").err
    assert [s for s in changed.splitlines() if "IR" in s] == ["// IR after cse"]


def test_verify_each_finds_what_the_next_pass_repairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from xdsl.transforms.dead_code_elimination import DeadCodeElimination

    taken: list[Operation] = []

    def body(op: ModuleOp) -> Block:
        function = op.body.block.first_op
        assert function is not None
        return function.regions[0].block

    def spoil(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        terminator = body(op).last_op
        assert terminator is not None
        terminator.detach()
        taken.append(terminator)

    def repair(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        body(op).add_op(taken.pop())

    monkeypatch.setattr(CommonSubexpressionElimination, "apply", spoil)
    monkeypatch.setattr(DeadCodeElimination, "apply", repair)
    assert opt(tmp_path, GOOD, "-p", "cse,dce").status == 0
    taken.clear()
    words = ("-p", "cse,dce", "--verify-each", "--reproducer", str(tmp_path / "again.mlir"))
    done = opt(tmp_path, GOOD, *words)
    assert done.status == 1
    assert "cse left invalid IR: arith.addi: expected a terminator at the end" in done.err


def test_invalid_ir_is_traced_to_its_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        function = op.body.block.first_op
        assert function is not None
        for inner in reversed(function.regions[0].block.ops):
            inner.detach()

    monkeypatch.setattr(CommonSubexpressionElimination, "apply", empty)
    place = tmp_path / "again.mlir"
    done = opt(tmp_path, GOOD, "-p", "dce,cse,canonicalize", "--reproducer", str(place))
    assert done.status == 1
    assert "cse left invalid IR: func.func: expected a terminator in the block" in done.err
    assert place.read_text().startswith(f"// lamina-opt -p cse {place}\n")


def test_locations_are_those_of_the_text_unless_it_has_its_own(tmp_path: Path) -> None:
    text = GOOD.replace("%x, %x : i32\n", '%x, %x : i32 loc("u.py":7:1)\n', 1)
    out = opt(tmp_path, text, "--print-locations").out
    assert '%a = arith.addi %x, %x : i32 loc("u.py":7:1)' in out
    assert f'%b = arith.addi %x, %x : i32 loc("{tmp_path}/in.mlir":3:3)' in out
    assert "loc(" not in opt(tmp_path, text).out


def test_generic_form_and_unregistered_operations(tmp_path: Path) -> None:
    text = '"foo.bar"() : () -> ()\n'
    assert opt(tmp_path, text).status == 1
    assert '"foo.bar"()' in opt(tmp_path, text, "--allow-unregistered-dialect").out
    assert '"func.func"()' in opt(tmp_path, GOOD, "--print-op-generic").out


def test_output_file_is_written_only_on_success(tmp_path: Path) -> None:
    place = tmp_path / "out.mlir"
    assert opt(tmp_path, BAD, "-o", str(place)).status == 1
    assert not place.exists()
    assert opt(tmp_path, GOOD, "-o", str(place)).status == 0
    assert "@f" in place.read_text()


def test_passes_and_pipelines_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pipeline.PIPELINES, "both", ("cse", "dce"))
    lines = opt(tmp_path, "", "--list-passes").out.splitlines()
    assert "  cse" in lines
    assert "  both = cse,dce" in lines


OWN_PASS = """\
from dataclasses import dataclass
from xdsl.passes import ModulePass

@dataclass(frozen=True)
class RenamePass(ModulePass):
    name = "rename"
    to: str = "renamed"

    def apply(self, ctx, op):
        from xdsl.dialects.builtin import StringAttr
        op.body.block.first_op.properties["sym_name"] = StringAttr(self.to)

class SecondCsePass(RenamePass):
    name = "cse"
"""


def test_a_pass_from_elsewhere_can_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_pass_of_test_opt.py").write_text(OWN_PASS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(registry, "PASSES", dict(registry.PASSES))
    words = ("--load-pass", "own_pass_of_test_opt:RenamePass", "-p", "rename{to=g}")
    assert "func.func @g" in opt(tmp_path, GOOD, *words).out


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("no_such_module:P", "expected MODULE:CLASS"),
        ("own_pass_of_test_opt:NoPass", "expected MODULE:CLASS"),
        ("own_pass_of_test_opt", "expected MODULE:CLASS"),
        ("", "expected MODULE:CLASS"),
        ("own_pass_of_test_opt:dataclass", "expected a subclass of ModulePass"),
        ("own_pass_of_test_opt:SecondCsePass", "expected a new name, found 'cse'"),
    ],
)
def test_what_is_no_pass_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, said: str
) -> None:
    (tmp_path / "own_pass_of_test_opt.py").write_text(OWN_PASS)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    done = opt(tmp_path, GOOD, "--load-pass", path)
    assert done.status == 1
    assert said in done.err
