"""Misspelt directives in lit files: filecheck and lit pass over them without a word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

LIT = Path(__file__).parents[1] / "lit"
SUFFIXES = r"(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?"
COMMENT = re.compile(r"^\s*(?://|#)\s*(?P<text>.*)$")
LOOKS_LIKE_CHECK = re.compile(r"[\w-]*(?i:che?c?k)[\w-]*\s?:|[A-Z_-]*CHE?C?K[A-Z_-]*\b")
LOOKS_LIKE_RUN = re.compile(r"(?i)^r+un+\s*[:;]|^run\s")
LOOKS_LIKE_EXPECTED = re.compile(r"(?i)\bexp\w*[-_ ]?er\w*\b.*\{|\bexpected-error")
EXPECTED = re.compile(r"expected-error(?:@(?:[+-]\d+|above|below))? \{\{(?:(?!\{\{).)+\}\}")


def prefixes(text: str) -> set[str]:
    """The check prefixes that the file's RUN lines name, and CHECK."""
    named = re.findall(r"--check-prefix(?:es)?[ =]([\w,-]+)", text)
    return {"CHECK", *(prefix for group in named for prefix in group.split(","))}


def mistakes(text: str) -> list[str]:
    """The lines of a lit file that look like a directive and are none, as "line: text"."""
    found: list[str] = []
    check = re.compile(rf"(?:{'|'.join(sorted(prefixes(text)))}){SUFFIXES}:(?: |$|\{{\{{|\[\[)")
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        content = comment["text"] if comment else ""
        wrong = (
            (LOOKS_LIKE_CHECK.match(content) and not check.match(content))
            or (LOOKS_LIKE_RUN.match(content) and not content.startswith("RUN: "))
            or (LOOKS_LIKE_EXPECTED.search(content) and not EXPECTED.search(content))
        )
        if wrong:
            found.append(f"{number}: {line.strip()}")
    if not re.search(r"(?m)^\s*(?://|#) RUN: ", text):
        found.append("1: no RUN line")
    if EXPECTED.search(text) and "--verify-diagnostics" not in text:
        found.append("1: expected-error without --verify-diagnostics")
    return found


def lit_files() -> list[Path]:
    files = [file for suffix in ("*.mlir", "*.py") for file in LIT.rglob(suffix)]
    return sorted(
        file for file in files if file.name != "lit.cfg.py" and "Output" not in file.parts
    )


def test_directives_are_spelt_right() -> None:
    found = [
        f"{file.relative_to(LIT)}:{mistake}"
        for file in lit_files()
        for mistake in mistakes(file.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "// CHECK-NEXT return",
        "// CHECK_NEXT: return",
        "// CHECK : return",
        "// CHECK:return",
        "// CHECKNEXT: return",
        "// CHECK-NXT: return",
        "// Check: return",
        "// CHEK: return",
        "// CHCK-NEXT: return",
        "// CHECK-NEXT : return",
        "// OTHER-CHECK: return",
        "// RUN : %opt %s",
        "// RUN %opt %s",
        "// run: %opt %s",
        "// expected-eror {{x}}",
        "// expected-error {x}",
        "// expected error {{x}}",
        "// expected_error {{x}}",
        "// expected-error@next {{x}}",
        "// expected-error {{}}",
    ],
)
def test_misspelling_is_found(line: str) -> None:
    assert mistakes(f"// RUN: %opt %s --verify-diagnostics | %check\n{line}\n") == [f"2: {line}"]


@pytest.mark.parametrize(
    "line",
    [
        "// CHECK-NEXT: return",
        "// CHECK-COUNT-3: return",
        "// CHECK-EMPTY:",
        "  // CHECK: return",
        "# CHECK-LABEL: @f",
        "// The check of the operand comes first",
        "// LOOP-SAME: return",
        "// expected-error@+1 {{x}}",
        "// expected-error {{x}}",
        "%0 = nd.check %1",
    ],
)
def test_right_spelling_is_accepted(line: str) -> None:
    run = "// RUN: %opt %s --verify-diagnostics | %check --check-prefix LOOP"
    assert mistakes(f"{run}\n{line}\n") == []


def test_file_without_run_line_is_found() -> None:
    assert mistakes("func.func @f()\n") == ["1: no RUN line"]


def test_expected_error_needs_the_flag() -> None:
    assert mistakes("// RUN: %opt %s\n// expected-error {{x}}\n") == [
        "1: expected-error without --verify-diagnostics"
    ]
