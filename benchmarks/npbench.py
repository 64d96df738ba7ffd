"""NPBench's NumPy kernels, compiled unchanged: do they agree, and how fast are they.

    git clone https://github.com/spcl/npbench /somewhere
    env MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=4294967296 \
        python benchmarks/npbench.py --path /somewhere [--only lu,adi] [--mode script]

Its code and data stay outside this repository. Each kernel runs in a process of its own, with
LAMINA_FORBID_INTERPRETER=1 and a time limit. NumPy and Lamina run in turn on copies of the same
input; printed are medians, their ratio (above 1: Lamina is faster) and the time of the first
call, compilation included, with an empty cache.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROUNDING = {"f": 1e-4, "d": 1e-8, "F": 1e-4, "D": 1e-8}
"""Type of a result -> the largest norm of the difference, relative to the norm of NumPy's."""

CHAOTIC = 1e-6
"""The same for kernels that grow an error of rounding, for which NPBench has a bound of its own."""


def main() -> int:
    """Run the kernels and print the table; 1 where one fails."""
    options = parsed()
    if options.child:
        print("\n" + json.dumps(one(options.path, options.only, options)))
        return 0
    info = options.path / "bench_info"
    chosen = (
        options.only.split(",") if options.only else sorted(p.stem for p in info.glob("*.json"))
    )
    rows = [row(name, options) for name in chosen]
    summary(rows)
    return int(any("error" in found for found in rows))


def parsed() -> Any:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--path", type=Path, required=True, help="folder of the fetched copy")
    parser.add_argument("--only", default="", help="names of kernels, by commas")
    parser.add_argument("--mode", default="script", help="mode of lm.jit")
    parser.add_argument("--size", default="S", help="name of the parameters")
    parser.add_argument("--repeat", type=int, default=5, help="timed calls of each")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one kernel")
    parser.add_argument("--traceback", action="store_true", help="show where a kernel failed")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def row(name: str, options: Any) -> dict[str, Any]:
    """One kernel in a process of its own: its figures, or the key "error"."""
    command = [sys.executable, __file__, "--child", "--only", name]
    for option in ("path", "mode", "size", "repeat"):
        command += [f"--{option}", str(getattr(options, option))]
    command += ["--traceback"] * options.traceback
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "LAMINA_CACHE_DIR": folder,
            "LAMINA_FORBID_INTERPRETER": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        try:
            done = subprocess.run(
                command, env=environment, timeout=options.limit, capture_output=True, text=True,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            found = {"error": f"more than {options.limit:.0f} s"}
        else:
            try:
                found = json.loads(done.stdout.rsplit("\n", 2)[-2])
            except (IndexError, json.JSONDecodeError):
                found = {"error": f"exit status {done.returncode}: {done.stderr[-300:]}"}
    found["name"] = name
    print(shown(found), flush=True)
    return found


def one(path: Path, name: str, options: Any) -> dict[str, Any]:
    """One kernel in this process."""
    import lamina as lm

    try:
        lm.set_num_threads(1)
        info = json.loads((path / "bench_info" / f"{name}.json").read_text())["benchmark"]
        kernel, arguments = kernel_of(path, info, options.size)
        least = CHAOTIC if "norm_error" in info else 0.0
        return measured(kernel, lm.jit(kernel, mode=options.mode), arguments, options.repeat, least)
    except BaseException as error:
        if options.traceback:
            traceback.print_exc(file=sys.__stderr__)
            os.dup2(2, 1)
        return {"error": f"{type(error).__name__}: {error}"}


def kernel_of(path: Path, info: dict[str, Any], size: str) -> tuple[Callable[..., Any], list[Any]]:
    """The NumPy kernel and its arguments."""
    folder, module = path / "npbench" / "benchmarks" / info["relative_path"], info["module_name"]
    data = dict(info["parameters"][size])
    if info.get("init"):
        start = getattr(loaded(folder / f"{module}.py"), info["init"]["func_name"])
        made = start(*(data[key] for key in info["init"]["input_args"]))
        names = info["init"]["output_args"]
        data.update(zip(names, made if len(names) > 1 else [made], strict=True))
    kernel = getattr(loaded(folder / f"{module}_numpy.py"), info["func_name"])
    return kernel, [data[key] for key in info["input_args"]]


def loaded(path: Path) -> Any:
    """A module by its file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def measured(
    kernel: Callable[..., Any], jitted: Any, arguments: list[Any], repeat: int, least: float
) -> dict[str, Any]:
    """Compare and time both. Raises where they differ or more than one version was compiled."""

    def timed(call: Callable[..., Any]) -> tuple[float, list[Any], Any]:
        given = copy.deepcopy(arguments)
        start = time.perf_counter()
        result = call(*given)
        return time.perf_counter() - start, given, result

    with np.errstate(all="ignore"):
        _, theirs, expected = timed(kernel)
        first, ours, found = timed(jitted)
        compare("result", flat(found), flat(expected), least)
        compare("written argument", ours, theirs, least)
        times: list[list[float]] = [[], []]
        for _ in range(repeat):
            for place, call in enumerate((kernel, jitted)):
                times[place].append(timed(call)[0])
    versions = sum(": compiled" in line for line in jitted.explain().splitlines())
    if versions != 1 or "fallback" in jitted.explain():
        raise AssertionError(f"expected one compilation, found {jitted.explain()}")
    numpy, lamina = map(statistics.median, times)
    return {"numpy": numpy, "lamina": lamina, "ratio": numpy / lamina, "first": first}


def flat(result: Any) -> list[Any]:
    """The leaves of a result."""
    parts: list[Any] = [*result] if isinstance(result, tuple) else [result]
    return [part for part in parts if part is not None]


def compare(what: str, found: list[Any], expected: list[Any], least: float) -> None:
    """Raise unless the two agree: in number, in shape, and in values as far as types allow."""
    if len(found) != len(expected):
        raise AssertionError(f"expected {len(expected)} of {what}, found {len(found)}")
    for number, (mine, other) in enumerate(zip(found, expected, strict=True)):
        a, b = np.asarray(mine), np.asarray(other)
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            raise AssertionError(
                f"{what} {number}: expected {b.dtype} {b.shape}, found {a.dtype} {a.shape}"
            )
        bound = max(ROUNDING.get(b.dtype.char, 0.0), least)
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            raise AssertionError(f"{what} {number}: other places that are not finite")
        places = np.isfinite(b)
        a, b = a[places], b[places]
        difference = a != b if b.dtype.kind == "b" else a - b
        error, size = float(np.linalg.norm(difference)), float(np.linalg.norm(b))
        if not error <= bound * size:
            raise AssertionError(
                f"{what} {number}: differs by {error / size if size else error:.2g}"
            )


def shown(found: dict[str, Any]) -> str:
    """One line of the table."""
    if "error" in found:
        return f"{found['name']:26s} {' '.join(found['error'].split())[:400]}"
    return (
        f"{found['name']:26s} numpy {found['numpy'] * 1e3:9.3f} ms  "
        f"lamina {found['lamina'] * 1e3:9.3f} ms  "
        f"ratio {found['ratio']:7.2f}  first {found['first']:5.2f} s"
    )


def summary(rows: list[dict[str, Any]]) -> None:
    """What the issue asks for, in figures."""
    good = [found for found in rows if "error" not in found]
    print(f"\n{len(good)} of {len(rows)} agree")
    if good:
        mean = math.exp(statistics.fmean(math.log(found["ratio"]) for found in good))
        print(f"geometric mean of the ratios {mean:.2f}")
        slow = [found["name"] for found in good if found["ratio"] < 0.5]
        late = [found["name"] for found in good if found["first"] > 5]
        print(f"slower than 0.5: {' '.join(slow) or 'none'}")
        print(f"first call above 5 s: {' '.join(late) or 'none'}")
    failed = [found for found in rows if "error" in found]
    print(f"failed: {' '.join(found['name'] for found in failed) or 'none'}")


if __name__ == "__main__":
    sys.exit(main())
