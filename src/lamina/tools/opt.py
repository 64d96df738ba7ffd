"""`lamina-opt`: run passes and named pipelines over IR text.

It is xDSL's `xDSLOptMain` with Lamina's own tables of dialects and passes, errors that carry their
place, a strict `--verify-diagnostics`, and a reproducer when a pass fails. Exit status: 0 when
every chunk went well, 1 otherwise, 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.xdsl_opt_main import VersionAction, xDSLOptMain

from lamina import pipeline, registry
from lamina.errors import IRError, LaminaError, OptionError
from lamina.ir_text import parse_module, print_module
from lamina.reproducer import write_reproducer
from lamina.tools.diagnostics import Diagnostic, diagnose, expectations, unmet
from lamina.tools.passes import Step, add_pass, load_pass, parse_passes, pass_names
from lamina.tools.source import read_text
from lamina.tools.timing import Timer
from lamina.verify import verify_module

TARGETS: dict[str, str] = {
    "llvm-ir": "lamina.tools.targets:llvm_ir",
    "asm": "lamina.tools.targets:assembly",
}
"""Output formats besides mlir: name -> "module:function" from a module at level llvm to text."""


@dataclass(frozen=True)
class Chunk:
    """A piece of the input, and the line of the file on which it begins."""

    text: str
    first_line: int


class PassError(Exception):
    """Step `index` failed (the cause is `__cause__`), or left IR that does not verify.

    late: the IR had not been verified since the pipeline began, so an earlier step may be to blame.
    """

    def __init__(self, index: int, *, late: bool) -> None:
        super().__init__(index)
        self.index = index
        self.late = late


class LaminaOpt(xDSLOptMain):
    """One run of the tool. `failed` tells whether an error was reported."""

    version_format: ClassVar[str] = "lamina-opt on xDSL {xdsl_version}"
    steps: Sequence[Step]

    def __init__(self, args: Sequence[str] | None = None) -> None:
        self.failed = False
        self.timer = Timer()
        super().__init__("Run Lamina's passes over IR text.", args)

    def register_all_dialects(self) -> None:
        for name in registry.DIALECTS:
            self.ctx.register_dialect(name, registry.dialect_factory(name))

    def register_all_frontends(self) -> None:
        """IR text is the only input; `parse` reads it."""

    def register_all_passes(self) -> None:
        for name in pass_names():
            self.register_pass(name, lambda name=name: load_pass(name))

    def register_all_targets(self) -> None:
        self.available_targets["mlir"] = lambda module, stream: None
        for name in TARGETS:
            self.available_targets[name] = lambda module, stream: None

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        """Only the flags that this tool honours."""
        add = arg_parser.add_argument

        def flag(name: str, text: str) -> None:
            add(name, action="store_true", help=text)

        add("input_file", nargs="?", help="IR text (default: standard input)")
        add("-o", "--output-file", help="where to write (default: standard output)")
        add("-p", "--passes", default="", help='passes and pipelines: "a,b{size=4 flag=true}"')
        add("-t", "--target", default="mlir", choices=list(self.available_targets))
        add(
            "--load-pass",
            action="append",
            default=[],
            metavar="MODULE:CLASS",
            help="offer a pass of your own, from a module that Python finds",
        )
        add("--reproducer", metavar="FILE", help="where a failing pass leaves its input")
        add("-v", "--version", action=VersionAction, version_format=self.version_format)
        flag("--list-passes", "list passes, options and pipelines, and exit")
        flag("--split-input-file", "handle the pieces between `// -----` lines on their own")
        flag("--verify-diagnostics", "errors must be the `// expected-error {{...}}` of the file")
        flag("--verify-each", "verify after every pass, not once a pipeline and at the end")
        flag("--print-ir-after-all", "print the IR after every pass, on standard error")
        flag("--print-ir-after-change", "the same, only where the pass changed something")
        flag("--print-locations", "print inline loc(...)")
        flag("--print-op-generic", "print the generic form")
        flag("--time-passes", "print a table of times on standard error")
        flag("--allow-unregistered-dialect", "let unknown operations through")
        arg_parser.set_defaults(frontend=None, disable_verify=False, syntax_highlight=False)

    def setup_pipeline(self) -> None:
        for path in self.args.load_pass:
            add_pass(path)
        self.steps = parse_passes(self.args.passes)

    def run(self) -> None:
        """Handle every chunk, then write what came out."""
        if self.args.list_passes:
            print(list_passes())
            return
        outputs: list[str] = []
        for chunk in self.read_chunks():
            found = self.run_chunk(chunk, outputs)
            file = self.get_input_name()
            if self.args.verify_diagnostics:
                expected = expectations(chunk.text, chunk.first_line)
                problems = unmet(expected, found, file)
            else:
                problems = [found] if found else []
            for problem in problems:
                print(problem, file=sys.stderr)
            self.failed |= bool(problems)
        if self.args.time_passes:
            print(self.timer.table(), file=sys.stderr)
        self.write("// -----\n".join(outputs))

    def run_chunk(self, chunk: Chunk, outputs: list[str]) -> Diagnostic | None:
        """Add the chunk's output to `outputs`, or return its error."""
        try:
            module = self.parse(chunk)
            self.run_steps(module)
            with self.timer.measure("(print)"):
                outputs.append(self.emit(module))
            return None
        except PassError as error:
            return self.pass_failure(chunk, self.culprit(chunk, error))
        except Exception as error:
            return diagnose(error, pass_name=None, file=self.get_input_name())

    def parse(self, chunk: Chunk) -> ModuleOp:
        with self.timer.measure("(parse)"):
            module = parse_module(
                self.ctx, chunk.text, self.get_input_name(), first_line=chunk.first_line
            )
        self.verify(module)
        return module

    def verify(self, module: ModuleOp) -> None:
        with self.timer.measure("(verify)"):
            verify_module(module)

    def run_steps(self, module: ModuleOp) -> None:
        """Run all passes; print and verify where asked for, and verify after the last one."""
        shown = print_module(module) if self.args.print_ir_after_change else ""
        last = len(self.steps) - 1
        for index, step in enumerate(self.steps):
            verifies = self.args.verify_each or step.ends or index == last
            self.run_step(module, index, verifies=verifies)
            if self.args.print_ir_after_all or self.args.print_ir_after_change:
                text = print_module(module, locations=self.args.print_locations)
                if self.args.print_ir_after_all or text != shown:
                    name = step.module_pass.name
                    print(f"// IR after {name}\n{text}", file=sys.stderr, flush=True)
                shown = text

    def run_step(self, module: ModuleOp, index: int, *, verifies: bool) -> None:
        """Run one pass, and verify what it leaves. Raises PassError."""
        name = self.steps[index].module_pass.name
        try:
            with self.timer.measure(name):
                self.steps[index].module_pass.apply(self.ctx, module)
        except Exception as error:
            raise PassError(index, late=False) from error
        try:
            if verifies:
                self.verify(module)
        except IRError as error:
            error.message = f"{name} left invalid IR: {error.message}"
            raise PassError(index, late=not self.args.verify_each) from error

    def emit(self, module: ModuleOp) -> str:
        if self.args.target == "mlir":
            return print_module(
                module,
                locations=self.args.print_locations,
                generic=self.args.print_op_generic,
            )
        return registry.load(TARGETS[self.args.target])(module)

    def pass_failure(self, chunk: Chunk, error: PassError) -> Diagnostic:
        """The error of a pass, with a reproducer unless the error may be the one expected."""
        assert isinstance(error.__cause__, Exception)
        name = self.steps[error.index].module_pass.name
        found = diagnose(error.__cause__, pass_name=name, file=self.get_input_name())
        if self.args.verify_diagnostics:
            return found
        text, steps = self.input_of_step(chunk, error.index)
        flags = ["--allow-unregistered-dialect"] * self.args.allow_unregistered_dialect
        flags += ["--verify-each"] * self.args.verify_each
        path, command = write_reproducer(
            text, ",".join(str(step) for step in steps), flags=flags, path=self.args.reproducer
        )
        notes = (*found.notes, f"the input of {name} is in {path}", f"to see it again: {command}")
        return replace(found, notes=notes)

    def culprit(self, chunk: Chunk, error: PassError) -> PassError:
        """The first step that leaves invalid IR, when it is only known that one did."""
        if not error.late:
            return error
        module = self.parse(chunk)
        try:
            for index in range(error.index):
                self.run_step(module, index, verifies=True)
        except PassError as earlier:
            return earlier
        return error

    def input_of_step(self, chunk: Chunk, index: int) -> tuple[str, Sequence[Step]]:
        """The text that reached step `index` and that step; made by running the steps before it
        again, which costs nothing when nothing fails. The chunk and all steps if that fails."""
        try:
            module = self.parse(chunk)
            for step in self.steps[:index]:
                step.module_pass.apply(self.ctx, module)
            return print_module(module, locations=True), self.steps[index : index + 1]
        except Exception:
            return chunk.text, self.steps[: index + 1]

    def read_chunks(self) -> list[Chunk]:
        text = read_text(self.args.input_file, self.get_input_name())
        if not self.args.split_input_file:
            return [Chunk(text, 1)]
        return split_chunks(text)

    def write(self, text: str) -> None:
        name = self.args.output_file
        if name is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        elif not self.failed:
            try:
                with open(name, "w", encoding="utf-8") as file:
                    file.write(text)
            except OSError as error:
                raise OptionError(f"cannot write {name}: {error.strerror}") from error


def split_chunks(text: str) -> list[Chunk]:
    """The pieces of `text` between lines that begin with `// -----`."""
    chunks: list[Chunk] = []
    line = 1
    for piece in re.split(r"(?m)^// -----.*$", text):
        chunks.append(Chunk(piece, line))
        line += piece.count("\n")
    return chunks


def list_passes() -> str:
    """One line a pass with its options, then one line a pipeline with its passes."""
    lines = ["passes:"]
    for name in pass_names():
        options = [
            f"{field.name.replace('_', '-')}: {field.type}"
            for field in fields(load_pass(name))
            if field.init
        ]
        lines.append(f"  {name}{{{', '.join(options)}}}" if options else f"  {name}")
    lines.append("pipelines:")
    lines += [f"  {name} = {','.join(passes)}" for name, passes in pipeline.PIPELINES.items()]
    return "\n".join(lines)


def main(args: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    try:
        tool = LaminaOpt(args)
        tool.run()
        return int(tool.failed)
    except LaminaError as error:
        print(diagnose(error, pass_name=None, file="lamina-opt"), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # the reader has closed; do not let the interpreter's exit try to write again
        sys.stderr.close()
        return 1


if __name__ == "__main__":
    sys.exit(main())
