"""Drawn programs with control flow: script mode against plain Python on Python numbers.

A program is a list of statements over variables: ints i, j, floats x, y, an array a and a bool f.
It is written as source, run by Python with NumPy, and compiled; all variables are compared.
"""

# pyright: basic
from __future__ import annotations

import linecache
import os
import random
from typing import Any

import numpy as np
import pytest

import lamina as lm

COUNT = int(os.environ.get("LAMINA_TEST_SCRIPTS", "24"))
INTS, FLOATS = ("i", "j"), ("x", "y")
RESULT = "i, j, x, y, a, f"


class Draw:
    """Draws one program."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.budget = 16
        self.counters: list[str] = []

    def program(self) -> str:
        self.line(0, "def program(n, i, j, x, y, a, f):")
        self.block(1, 0, False)
        self.line(1, f"return {RESULT}")
        return "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def pick(self, *choices: str) -> str:
        return self.r.choice(choices)

    # expressions: every value stays small, nothing divides by zero

    def int_(self, depth: int = 0) -> str:
        if depth > 1 or self.r.random() < 0.4:
            return self.pick("i", "j", "n", str(self.r.randint(-3, 9)), *self.counters)
        a, b = self.int_(depth + 1), self.int_(depth + 1)
        return self.pick(
            f"({a} + {b}) % 17",
            f"({a} - {b}) // 3",
            f"abs({a}) % 5",
            f"min({a}, {b})",
            f"max({a}, {b})",
            f"({a} * {b}) % 23",
            f"({a} if {self.bool_(depth + 1)} else {b})",
            f"int({self.float_(depth + 1)})",
        )

    def float_(self, depth: int = 0) -> str:
        if depth > 1 or self.r.random() < 0.4:
            return self.pick("x", "y", "0.5", "-1.25", f"a[{self.index()}]")
        a, b = self.float_(depth + 1), self.float_(depth + 1)
        return self.pick(
            f"({a} + {b}) * 0.5",
            f"({a} - {b}) * 0.5",
            f"abs({a})",
            f"max({a}, {b}, 0.25)",
            f"float({self.int_(depth + 1)}) * 0.125",
            f"({a} if {self.bool_(depth + 1)} else {b})",
            f"({a} + {self.int_(depth + 1)}) * 0.25",
        )

    def index(self) -> str:
        return self.pick("0", "-1", "2", "i % 4", "abs(j) % 4", "n % 4")

    def bool_(self, depth: int = 0) -> str:
        if depth > 1 or self.r.random() < 0.5:
            return self.pick(
                "f",
                f"{self.int_(2)} {self.pick('<', '>=', '==', '!=')} {self.int_(2)}",
                f"{self.float_(2)} {self.pick('<', '>', '<=')} {self.float_(2)}",
                f"{self.float_(2)} < {self.float_(2)} < {self.float_(2)}",
                f"{self.int_(2)} in (1, 2, 5)",
            )
        a, b = self.bool_(depth + 1), self.bool_(depth + 1)
        return self.pick(f"({a} and {b})", f"({a} or {b})", f"(not {a})")

    # statements

    def block(self, depth: int, nesting: int, loop: bool) -> None:
        start = len(self.lines)
        for _ in range(self.r.randint(1, 4)):
            self.statement(depth, nesting, loop)
        if len(self.lines) == start:
            self.line(depth, "pass")

    def statement(self, depth: int, nesting: int, loop: bool) -> None:
        self.budget -= 1
        chance = self.r.random()
        if nesting < 3 and self.budget > 0 and chance < 0.3:
            self.if_(depth, nesting, loop)
        elif nesting < 2 and self.budget > 0 and chance < 0.5:
            self.loop(depth, nesting)
        elif loop and chance < 0.58:
            self.line(depth, f"if {self.bool_()}:")
            self.line(depth + 1, self.pick("break", "continue"))
        elif chance < 0.63:
            self.line(depth, f"if {self.bool_()}:")
            self.line(depth + 1, f"return {RESULT}")
        else:
            self.assignment(depth)

    def if_(self, depth: int, nesting: int, loop: bool) -> None:
        self.line(depth, f"if {self.bool_()}:")
        self.block(depth + 1, nesting + 1, loop)
        if self.r.random() < 0.3:
            self.line(depth, f"elif {self.bool_()}:")
            self.block(depth + 1, nesting + 1, loop)
        if self.r.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, nesting + 1, loop)

    def loop(self, depth: int, nesting: int) -> None:
        self.loops += 1
        name = f"k{self.loops}"
        if self.r.random() < 0.3:
            self.line(depth, f"{name} = 0")
            self.line(depth, f"while {name} < {self.pick('n', '4', '11')} and {self.bool_()}:")
            self.line(depth + 1, f"{name} += 1")
        else:
            over = self.pick(
                "range(n)",
                "range(3)",
                "range(11)",
                "range(n, 0, -2)",
                "range(1, n % 7)",
                "enumerate(a)",
                "zip(a, range(n))",
            )
            target = name
            if over.startswith(("enumerate", "zip")):
                target = f"{name}, v{self.loops}" if over[0] == "e" else f"v{self.loops}, {name}"
            self.line(depth, f"for {target} in {over}:")
        self.counters.append(name)
        self.block(depth + 1, nesting + 1, True)
        self.counters.pop()

    def assignment(self, depth: int) -> None:
        self.line(
            depth,
            self.pick(
                f"{self.pick(*INTS)} = {self.int_()}",
                f"{self.pick(*INTS)} = ({self.pick(*INTS)} + {self.int_()}) % 31",
                f"{self.pick(*FLOATS)} = {self.float_()}",
                f"{self.pick(*FLOATS)} += {self.float_()} * 0.125",
                f"a[{self.index()}] = {self.float_()}",
                f"a[{self.index()}] += {self.float_()} * 0.125",
                f"a = a * 0.5 + {self.float_()}",
                "x, y = y, x",
                f"f = {self.bool_()}",
                f"a[1:3] = a[0:2] * {self.float_()}",
            ),
        )


def made(seed: int) -> tuple[str, Any]:
    """The source of a program, and its function."""
    source = Draw(seed).program()
    file = f"<drawn script {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(source, file, "exec"), namespace)
    return source, namespace["program"]


CALLS = [(5, 1, -2, 0.75, -1.5, True), (0, 3, 4, -0.5, 2.0, False), (12, -7, 8, 4.0, 0.125, True)]


def run(function: Any, call: tuple[Any, ...]) -> list[Any]:
    n, i, j, x, y, f = call
    return list(function(n, i, j, x, y, np.array([0.5, -1.5, 2.25, 3.0]), f))


@pytest.mark.parametrize("seed", range(COUNT))
def test_drawn_program(seed: int) -> None:
    source, function = made(seed)
    compiled = lm.jit(function, mode="script")
    for call in CALLS:
        expected = run(function, call)
        try:
            found = run(compiled, call)
        except lm.MutationError:  # two names of one memory: refused
            assert "a = a * 0.5" in source
            continue
        for name, value, wanted in zip(RESULT.split(", "), found, expected, strict=True):
            np.testing.assert_allclose(
                np.asarray(value, np.float64),
                np.asarray(wanted, np.float64),
                rtol=1e-12,
                err_msg=f"{name} of\n{source}\ncalled with {call}",
            )
