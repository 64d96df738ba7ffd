"""Times of named steps, and their table."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager


class Timer:
    """Adds up seconds by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def measure(self, name: str) -> Generator[None]:
        """Add the time of the `with` block to `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def table(self) -> str:
        """One line a name, in order of first use: milliseconds, share, name."""
        total = sum(self.seconds.values())
        rows = [*self.seconds.items(), ("total", total)]
        lines = ["      ms      %  pass"]
        lines += [
            f"{seconds * 1e3:8.2f}  {100 * seconds / (total or 1):5.1f}  {name}"
            for name, seconds in rows
        ]
        return "\n".join(lines)
