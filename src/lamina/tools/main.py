"""`lamina`: what is installed (`--version`, `env`) and what a file of IR holds (`inspect`)."""

from __future__ import annotations

import argparse
import platform
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.traits import SymbolOpInterface

from lamina import options, registry
from lamina.errors import IRError, LaminaError
from lamina.ir_text import parse_module
from lamina.tools.diagnostics import diagnose
from lamina.tools.source import read_text
from lamina.verify import verify_module

PACKAGES = ("lamina", "xdsl", "llvmlite", "numpy", "ml_dtypes")


def versions() -> str:
    """One line a package that results depend on."""
    lines = [f"{package} {version(package)}" for package in PACKAGES]
    return "\n".join([*lines, f"python {platform.python_version()}"])


def environment() -> str:
    """The versions, the machine as the compiler sees it, and the variables that are read."""
    from lamina.backend.host import target_for

    target = target_for("host")
    machine = (
        f"cpu {target.cpu}, {target.vector_registers} registers of {target.vector_bits} bits, "
        f"caches {target.l1 // 1024}, {target.l2 // 1024}, {target.l3 // 1024} KiB"
    )
    variables = [
        f"{name}={options.environment(name) or '(unset)'}: {meaning}"
        for name, meaning in options.ENVIRONMENT.items()
    ]
    return "\n".join([versions(), machine, *variables])


def inspect(module: ModuleOp) -> str:
    """The functions with their types, and how often each operation occurs."""
    lines: list[str] = []
    for op in module.walk():
        function_type = op.properties.get("function_type")
        symbol = op.get_trait(SymbolOpInterface)
        if symbol is not None and isinstance(function_type, FunctionType):
            name = symbol.get_sym_attr_name(op)
            lines.append(f"@{name.data if name else ''}: {function_type}")
    counts = Counter(op.name for op in module.walk())
    lines += [f"{count:6}  {name}" for name, count in counts.most_common()]
    return "\n".join(lines)


def inspect_file(path: str, graph: bool = False) -> str:
    """`inspect` of a file of IR text. graph: its kernels instead (level nd only; an `IRError` for
    other levels)."""
    module = parse_module(registry.make_context(), read_text(path, path), path)
    verify_module(module)
    return graph_text(module) if graph else inspect(module)


def graph_text(module: ModuleOp) -> str:
    """The kernels of a module of level nd."""
    from lamina.compiler import Lowering, level_of
    from lamina.graph import graph_of

    if (level := level_of(module)) != "nd":
        raise IRError(f"inspect --graph: expected IR of level nd, found level {level}")
    return graph_of(Lowering(module, "nd"))


def main(args: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="lamina", description="A multi-level tensor compiler.")
    parser.add_argument("--version", action="store_true", help="versions of what is installed")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("env", help="versions, the machine, and the variables that are read")
    inspect_parser = commands.add_parser("inspect", help="functions and operations of IR text")
    inspect_parser.add_argument("file")
    inspect_parser.add_argument(
        "--graph", action="store_true", help="kernels of level nd: traffic, and why they are apart"
    )
    parsed = parser.parse_args(args)
    try:
        if parsed.version:
            print(versions())
        elif parsed.command == "env":
            print(environment())
        elif parsed.command == "inspect":
            print(inspect_file(parsed.file, parsed.graph))
        else:
            parser.print_help()
        return 0
    except LaminaError as error:
        print(diagnose(error, pass_name=None, file="lamina"), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
