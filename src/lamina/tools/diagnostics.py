"""What a tool says when something fails, and the strict check of `// expected-error` comments."""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.utils.exceptions import DiagnosticException

from lamina import options
from lamina.errors import LaminaError
from lamina.verify import TOO_DEEP, one_line


@dataclass(frozen=True)
class Diagnostic:
    """One error. `place` is `file:line:column`, or the file alone. `notes` follow on own lines."""

    place: str
    message: str
    notes: tuple[str, ...] = field(default=())

    @property
    def line(self) -> int | None:
        match = re.search(r":(\d+)(:\d+)?$", self.place)
        return int(match[1]) if match else None

    def __str__(self) -> str:
        lines = [f"{self.place}: error: {self.message}"]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def diagnose(error: Exception, *, pass_name: str | None, file: str) -> Diagnostic:
    """Describe `error` in one line; `pass_name` is the pass that raised it, if one did."""
    notes: list[str] = []
    if options.flag("LAMINA_DEBUG"):
        notes.append("".join(traceback.format_exception(error)).rstrip())
    match error:
        case LaminaError():
            message, place = error.message, error.place
        case DiagnosticException():
            message, place = one_line(error), None
        case MemoryError():
            message, place = "expected enough memory, found too little", None
        case RecursionError():
            message, place = TOO_DEEP, None
        case _:
            # not a refusal of the program but a fault of the pass: say so
            message, place = f"internal error: {type(error).__name__}: {error}", None
    if pass_name is not None and pass_name not in message:
        message = f"{pass_name}: {message}"
    return Diagnostic(place or file, message, tuple(notes))


_EXPECTED = re.compile(
    r"//\s*expected-error\s*(?P<where>@(?:[+-]\d+|above|below))?\s*\{\{(?P<text>.*?)\}\}"
)


@dataclass(frozen=True)
class Expectation:
    """One `// expected-error [@+1] {{text}}`: the error's message contains `text`.

    line: where the comment stands. target: where the error must be (None: anywhere in the chunk).
    """

    text: str
    line: int
    target: int | None

    def matches(self, found: Diagnostic) -> bool:
        return self.text in found.message and self.target in (None, found.line)


def expectations(chunk: str, first_line: int) -> list[Expectation]:
    """All expectations of a chunk that begins on line `first_line` of its file."""
    found: list[Expectation] = []
    for line, text in enumerate(chunk.split("\n"), first_line):
        for match in _EXPECTED.finditer(text):
            where = match["where"]
            shift = {"@below": "1", "@above": "-1"}.get(where, (where or "")[1:])
            target = line + int(shift) if where else None
            found.append(Expectation(match["text"], line, target))
    return found


def unmet(expected: Sequence[Expectation], found: Diagnostic | None, file: str) -> list[Diagnostic]:
    """What is wrong with a chunk: errors that did not come, and the one that nobody expected."""
    wrong = [
        Diagnostic(f"{file}:{item.line}", f'expected error "{item.text}" was not produced')
        for item in expected
        if found is None or not item.matches(found)
    ]
    if found is not None and not any(item.matches(found) for item in expected):
        wrong.append(Diagnostic(found.place, f"unexpected error: {found.message}"))
    return wrong
