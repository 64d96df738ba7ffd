"""`lamina-run`: call a function of IR text, of any level, on arrays from files or random ones.

    lamina-run f.mlir --entry main --args a.npy b.npy --out y.npy
    lamina-run f.mlir --random-args --time

The rest of the pipeline is run from the level that the text is of; `--interpret` runs a module of
level `nd` in NumPy instead. Exit status: 0, or 1 after an error, or 2 for a wrong command line.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast
from zipfile import BadZipFile

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from lamina import registry
from lamina.errors import ArgumentError, OptionError
from lamina.executable import compile_module
from lamina.interface import entry_of, interface_of
from lamina.interpreters.evaluate import evaluate
from lamina.ir_text import parse_module
from lamina.options import CompileOptions
from lamina.tools.diagnostics import diagnose
from lamina.tools.source import read_text
from lamina.verify import verify_module

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

SHOWN_CALLS = 5
"""Calls that `--time` measures; it prints the best."""


def load(path: str) -> Any:
    """What NumPy makes of the file `path`: an array, or the arrays of a `.npz` file."""
    try:
        return np.load(path, allow_pickle=False)
    except OSError as error:
        raise OptionError(f"cannot read {path}: {error.strerror or 'no array file'}") from error
    except (ValueError, EOFError, BadZipFile) as error:
        raise OptionError(f"cannot read {path}: expected a .npy or .npz file of numbers") from error


def load_array(path: str) -> Array:
    """The array of a `.npy` file."""
    array = load(path)
    if not isinstance(array, np.ndarray):
        raise OptionError(f"cannot read {path}: expected a single array (.npy), found several")
    return cast(Array, array)


def load_resources(path: str) -> dict[str, Array]:
    """The arrays of a `.npz` file, by the names that `dense_resource<name>` uses."""
    archive = load(path)
    if isinstance(archive, np.ndarray):
        raise OptionError(f"cannot read {path}: expected named arrays (.npz), found a single one")
    with archive:
        return {name: archive[name] for name in archive.files}


def random_array(shape: Sequence[int], dtype: np.dtype[Any], size: int, seed: int) -> Array:
    """Random numbers: standard normal for floats, -8 to 7 (0 to 7 for unsigned) for integers.

    `size` takes the place of dimensions that are -1 (`?`).
    """
    random = np.random.default_rng(seed)
    known = [size if n < 0 else n for n in shape]
    if dtype.kind == "b":
        return random.integers(0, 2, known).astype(dtype)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -8, 8, known).astype(dtype)
    return random.standard_normal(known).astype(dtype)


def inputs_for(module: ModuleOp, options: argparse.Namespace) -> list[Array]:
    """The arrays that the command line names, or random ones that fit the function."""
    expected = interface_of(entry_of(module, options.entry)).arguments
    if options.random_args:
        return [
            random_array(port.shape, port.dtype, options.size, options.seed + number)
            for number, port in enumerate(expected)
        ]
    arrays = [load_array(path) for path in options.args]
    for number, (array, port) in enumerate(zip(arrays, expected, strict=False)):
        # .npy files know no bf16: their elements come back as two bytes without a meaning
        if array.dtype.kind == "V" and array.dtype.itemsize == port.dtype.itemsize:
            arrays[number] = array.view(port.dtype)
    return arrays


def run(options: argparse.Namespace) -> None:
    """Call the function and print or write its results."""
    text = read_text(options.file, options.file)
    module = parse_module(registry.make_context(), text, options.file)
    verify_module(module)
    if options.size < 0:
        raise OptionError(f"--size: expected a size from 0, found {options.size}")
    resources = load_resources(options.resources) if options.resources else {}
    arrays = inputs_for(module, options)
    if options.interpret:

        def call() -> list[Array]:
            return evaluate(module, options.entry, arrays, resources)
    else:
        compiled = compile_module(module, options.entry, CompileOptions(), resources)

        def call() -> list[Array]:
            return compiled(arrays)

    results = call()
    if options.time:
        print(
            f"{min(timed(call) for _ in range(SHOWN_CALLS)) * 1e6:.1f} us a call", file=sys.stderr
        )
    write(results, options.out)


def timed(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def write(results: Sequence[Array], paths: Sequence[str]) -> None:
    """Each result to its file, or all to standard output."""
    if not paths:
        for number, result in enumerate(results):
            print(f"result {number}: {result.dtype} {result.shape}\n{result}")
        return
    if len(paths) != len(results):
        raise ArgumentError(f"--out: expected {len(results)} files, found {len(paths)}")
    for path, result in zip(paths, results, strict=True):
        try:
            with open(path, "wb") as file:
                np.save(file, result, allow_pickle=False)
        except OSError as error:
            raise OptionError(f"cannot write {path}: {error.strerror}") from error


def parse_arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lamina-run", description="Run a function of IR text.")
    add = parser.add_argument
    add("file", help="IR text of any level (- for standard input)")
    add("--entry", default="main", help="the function to call (default: main)")
    add("--args", nargs="*", default=[], metavar="FILE", help=".npy files, one an argument")
    add("--random-args", action="store_true", help="draw the arguments")
    add("--size", type=int, default=8, help="of `?` dimensions of random arguments (default: 8)")
    add("--seed", type=int, default=0, help="of random arguments (default: 0)")
    add("--resources", metavar="FILE", help=".npz file with the module's resources")
    add("--out", nargs="*", default=[], metavar="FILE", help=".npy files, one a result")
    add("--time", action="store_true", help="print the time of a call on standard error")
    add("--interpret", action="store_true", help="run level nd in NumPy instead of compiling it")
    return parser.parse_args(args)


def main(args: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    options = parse_arguments(args)
    try:
        run(options)
        return 0
    except Exception as error:
        of_the_words = isinstance(error, OptionError | ArgumentError | MemoryError)
        file = "lamina-run" if of_the_words else options.file
        print(diagnose(error, pass_name=None, file=file), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
