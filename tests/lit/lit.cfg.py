"""lit's configuration of our own suite: `lit tests/lit`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from lamina.testing.lit import configure

configure(config)  # noqa: F821  # pyright: ignore[reportUndefinedVariable] (lit defines it)
