"""Documents stay true: the map names every file, what is shown runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import lamina as lm
from lamina.pipeline import LEVELS

ROOT = Path(__file__).parents[2]
ROOMS = ("frontend", "dialects", "interpreters", "transforms", "lowering", "backend", "src/lamina")


def sources() -> set[str]:
    """Every Python file of the product, package files that only name their folder left out."""
    found: set[str] = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            inside = path.relative_to(ROOT)
            linked = any((ROOT / part).is_symlink() for part in inside.parents)
            if not linked and path.name != "__init__.py":
                found.add(str(inside))
    return found


def test_the_map_names_every_file() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"^\| `([^`]+\.py)` \|", text, re.MULTILINE))
    named = {name for name in named if not name.endswith("__init__.py")}
    assert named == sources()


def test_the_readme_shows_the_ir_as_it_is() -> None:
    def squeezed(text: str) -> str:
        return re.sub(r"indexing_maps = \[[^]]*]", "indexing_maps = [...]", " ".join(text.split()))

    readme = (ROOT / "README.md").read_text()
    (source,) = re.findall(r"`(lm\.jit\(.*\))` on two", readme)
    x = np.ones((4, 8), np.float32)
    lowered = eval(source, {"lm": lm}).lower(x, x)
    levels = [squeezed(lowered.ir(level)) for level in LEVELS]
    blocks = re.findall(r"```mlir\n(.*?)```", readme, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        assert any(squeezed(block) in level for level in levels), block


def test_the_readme_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        subprocess.run([sys.executable, "-c", block], check=True, capture_output=True, cwd=ROOT)
