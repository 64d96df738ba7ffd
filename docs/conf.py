"""Sphinx configuration: the documents of this folder, and an API page made from docstrings.

    make docs    # docs/_build/index.html; a warning is an error

Docstrings are Markdown-like text with `code` in single backticks and doctest examples.
"""

import inspect
from importlib import import_module
from typing import Any

import lamina

project = "Lamina"
author = "the authors of Lamina"
extensions = ["sphinx.ext.autodoc", "myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
default_role = "code"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # Pygments knows no grammar of MLIR
html_theme = "furo"

SUBMODULES = ("random", "linalg", "fft", "optim", "tree", "debug")


def sections() -> str:
    """Every public name, under the first line of the module that defines it."""
    found: dict[str, list[str]] = {}
    for name in sorted(lamina.__all__):
        value = getattr(lamina, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            found.setdefault(value.__module__, []).append(f"lamina.{name}")
    for sub in SUBMODULES:
        module = getattr(lamina, sub, None)
        names = (
            [
                n
                for n, v in vars(module).items()
                if inspect.isfunction(v) and n[0] != "_" and v.__module__.startswith("lamina")
            ]
            if module
            else []
        )
        found.setdefault(f"lamina.{sub}", []).extend(f"lamina.{sub}.{n}" for n in sorted(names))
    text = ""
    for module in sorted(module for module, names in found.items() if names):
        title = (inspect.getdoc(import_module(module)) or module).split("\n")[0]
        text += f"\n## {title}\n\n```{{eval-rst}}\n"
        for name in found[module]:
            kind = "autofunction" if inspect.isfunction(_resolve(name)) else "autoclass"
            text += f".. {kind}:: {name}\n" + ("   :members:\n" if kind == "autoclass" else "")
        text += "```\n"
    return text


def _resolve(name: str) -> Any:
    value: Any = lamina
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def read(app: Any, docname: str, source: list[str]) -> None:
    if docname == "api":
        source[0] += sections()


def plain_stars(_: Any, __: str, ___: str, ____: Any, _____: Any, lines: list[str]) -> None:
    """A star in our docstrings is a product or a starred name, never the start of emphasis."""
    for number, line in enumerate(lines):
        if line.lstrip().startswith(">>>"):
            return
        lines[number] = line.replace("*", "\\*")


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", plain_stars)
    app.connect("source-read", read)
