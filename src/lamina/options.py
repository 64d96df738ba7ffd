"""Compile options, and the environment variables that Lamina reads (one table)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from lamina.errors import OptionError


@dataclass(frozen=True)
class CompileOptions:
    """What a compilation depends on besides the program. It is part of the cache key.

    cpu: "host" or an LLVM CPU name such as "x86-64-v3".
    fusion: 0 (none), 1 (elementwise) or 2 (all).
    threads: a number, or None to follow `lm.set_num_threads`.
    fastmath: allow contraction and reassociation; "finite" also assumes no NaN and no Inf.
    debug: keep names and checks that help reading the result.
    cache: use the disk cache.
    nans: raise NanError at the first op that makes a NaN (`lm.debug.nans`).
    """

    cpu: str = "host"
    fusion: int = 2
    threads: int | None = None
    fastmath: bool | Literal["finite"] = False
    debug: bool = False
    cache: bool = True
    nans: bool = False

    def __post_init__(self) -> None:
        if self.fusion not in (0, 1, 2):
            raise OptionError(f"option fusion: expected 0, 1 or 2, found {self.fusion!r}")
        if self.threads is not None and not 1 <= self.threads <= 1024:
            raise OptionError(f"option threads: expected None or 1 to 1024, found {self.threads!r}")
        if self.fastmath not in (False, True, "finite"):
            raise OptionError(
                f'option fastmath: expected False, True or "finite", found {self.fastmath!r}'
            )
        if self.nans and self.fastmath == "finite":
            raise OptionError('option nans: expected fastmath to keep NaN, found "finite"')


ENVIRONMENT = {
    "LAMINA_NUM_THREADS": "threads used by compiled code (default: the CPUs this process may use)",
    "LAMINA_CACHE_DIR": "folder of the disk cache (default: the user's cache folder)",
    "LAMINA_DEBUG": "1 shows tracebacks of Lamina's own frames in tools",
    "LAMINA_FORBID_INTERPRETER": "1 makes any use of interpreters/ while compiled code runs raise",
}


def environment(name: str) -> str:
    """The value of one of `ENVIRONMENT`, read now ("" when unset)."""
    assert name in ENVIRONMENT, name
    return os.environ.get(name, "")


def flag(name: str) -> bool:
    """Whether a yes/no variable of `ENVIRONMENT` is on."""
    return environment(name) not in ("", "0")
