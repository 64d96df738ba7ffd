"""Rooms import only downwards, and files and functions stay small (layout.md, style.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "lamina"
ROOMS = ("dialects", "interpreters", "transforms", "lowering", "backend", "frontend")
FREE = {"errors", "formats", "target", "options"}  # any file may import these
BELOW = {
    "dialects": set[str](),
    "interpreters": {"dialects"},
    "transforms": {"dialects", "interpreters"},
    "lowering": {"dialects", "interpreters"},
    "backend": {"dialects"},
    "frontend": {"dialects", "interpreters"},
}
NO_NUMPY = {"dialects", "transforms", "lowering"}
MAX_FILE, MAX_FUNCTION = 600, 60


def python_files(*folders: Path) -> list[Path]:
    return sorted(file for folder in folders for file in folder.rglob("*.py"))


def room_files() -> list[tuple[str, Path]]:
    return [(room, file) for room in ROOMS for file in python_files(ROOT / room)]


def own_files() -> list[Path]:
    """Every Python file of the repository, each once (the rooms' links are not followed)."""
    top = [ROOT / name for name in (*ROOMS, "tests", "benchmarks", "examples")]
    return [*python_files(*top, PACKAGE / "tools", PACKAGE / "testing"), *PACKAGE.glob("*.py")]


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(module, line) of every import; `from lamina import x` counts as `lamina.x`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module, node.lineno
            if module == "lamina":
                yield from ((f"lamina.{alias.name}", node.lineno) for alias in node.names)


def violations(room: str, source: str) -> list[str]:
    """What `source`, a file of `room`, imports although it may not."""
    found: list[str] = []
    for module, line in imports(ast.parse(source)):
        top, _, rest = module.partition(".")
        inner = rest.partition(".")[0]
        if top == "lamina" and inner and inner not in FREE | BELOW[room] | {room}:
            found.append(f"{line}: {room} imports {module}")
        if top in ROOMS:
            found.append(f"{line}: {module} is imported without lamina.")
        if not top:
            found.append(f"{line}: relative import {module}")
        if top == "llvmlite" and room != "backend":
            found.append(f"{line}: llvmlite outside of backend")
        if top in ("numpy", "ml_dtypes") and room in NO_NUMPY:
            found.append(f"{line}: {top} in {room}")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_downwards(room: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}:{violation}"
        for owner, file in room_files()
        if owner == room
        for violation in violations(room, file.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("dialects", "from lamina.transforms import cse"),
        ("dialects", "from lamina import registry"),
        ("dialects", "import numpy as np"),
        ("lowering", "def f():\n    import numpy.linalg"),
        ("lowering", "from lamina.transforms.tile import TilePass"),
        ("transforms", "import llvmlite.binding"),
        ("frontend", "from lamina.backend import jit"),
        ("backend", "from dialects import nd"),
        ("interpreters", "import lamina.api"),
        ("lowering", "from .tile import TilePass"),
    ],
)
def test_upward_import_is_found(room: str, source: str) -> None:
    assert violations(room, source) != []


def test_llvmlite_is_imported_in_backend_only() -> None:
    outside = [*PACKAGE.glob("*.py"), *python_files(PACKAGE / "tools", PACKAGE / "testing")]
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in outside
        for module, line in imports(ast.parse(file.read_text()))
        if module.partition(".")[0] == "llvmlite"
    ]
    assert found == []


class _RunTime(ast.NodeTransformer):
    """Drops what is imported for type checkers only."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        is_for_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if is_for_types else self.generic_visit(node)


def module_imports() -> dict[str, set[str]]:
    """module of lamina -> modules of lamina that it imports at run time, anywhere in the file."""
    files = {
        "lamina." + ".".join((room, *file.relative_to(ROOT / room).with_suffix("").parts)): file
        for room, file in room_files()
    }
    for file in (*PACKAGE.glob("*.py"), *python_files(PACKAGE / "tools", PACKAGE / "testing")):
        files["lamina." + ".".join(file.relative_to(PACKAGE).with_suffix("").parts)] = file
    files = {name.removesuffix(".__init__"): file for name, file in files.items()}
    graph: dict[str, set[str]] = {}
    for name, file in files.items():
        graph[name] = set()
        for node in ast.walk(_RunTime().visit(ast.parse(file.read_text()))):
            if isinstance(node, ast.Import):
                graph[name] |= {alias.name for alias in node.names if alias.name in files}
            elif isinstance(node, ast.ImportFrom) and node.module:
                submodules = {f"{node.module}.{alias.name}" for alias in node.names} & set(files)
                names_only = len(submodules) < len(node.names)
                graph[name] |= submodules
                if names_only and node.module in files:
                    graph[name].add(node.module)
    return graph


def cycles(graph: dict[str, set[str]]) -> list[str]:
    """The import cycles that a depth-first walk meets."""
    state: dict[str, int] = {}
    path: list[str] = []
    found: list[str] = []

    def visit(name: str) -> None:
        state[name] = 1
        path.append(name)
        for used in sorted(graph[name]):
            if state.get(used, 0) == 1:
                found.append(" -> ".join([*path[path.index(used) :], used]))
            elif used not in state:
                visit(used)
        path.pop()
        state[name] = 2

    for name in sorted(graph):
        if name not in state:
            visit(name)
    return found


def test_no_import_cycle() -> None:
    """Function-local imports count: one that dodges a cycle means a thing in the wrong room."""
    graph = module_imports()
    assert cycles(graph) == []
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b -> c -> b"]


def test_files_and_functions_are_small() -> None:
    found: list[str] = []
    for file in own_files():
        text = file.read_text()
        name = file.relative_to(ROOT)
        if len(lines := text.splitlines()) > MAX_FILE:
            found.append(f"{name}: {len(lines)} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MAX_FUNCTION:
                    found.append(f"{name}:{node.lineno}: {node.name} has {length} lines")
    assert found == []


@pytest.mark.parametrize("room", ROOMS)
def test_room_is_linked_into_the_package(room: str) -> None:
    """A checkout without symbolic links cannot be imported: say so here, not in an ImportError."""
    link = PACKAGE / room
    assert link.is_symlink()
    assert link.readlink() == Path("..", "..", room)


@pytest.mark.parametrize("room", ROOMS)
def test_room_is_refused_without_lamina(room: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {room}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"ImportError: import lamina.{room}, not {room}" in done.stderr


def test_no_python_file_at_the_top() -> None:
    """A `conftest.py` or `setup.py` there would shadow what is installed."""
    assert list(ROOT.glob("*.py")) == []


def test_importing_lamina_imports_nothing_that_compiles() -> None:
    code = "import lamina, sys; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    heavy = {"xdsl.ir", "llvmlite", "lamina.api", "malt", "gast", "torch", "scipy"}
    assert not heavy & set(found.stdout.split())
