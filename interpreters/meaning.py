"""The table of meanings, and the ways to call it.

A meaning takes the op's tensor operands as arrays, its properties as `NdOp.params()` gives them,
index operands as tuples of ints (`starts`), and what the result type says where the op needs it:
`shape` (with run-time sizes filled in) for broadcast, reshape and iota, `dtype` for cast and iota,
`value` for constant. Operands are never written; results may be views of them, and results of rank
0 may be NumPy scalars.

Meanings do not silence floating-point warnings themselves, since an `np.errstate` costs more than
a small op. `call` does it for one op by running in a prepared context; code that runs many ops
opens one `np.errstate(all="ignore")` around them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import Context
from threading import Lock
from typing import Any

import numpy as np

from lamina.errors import CompileError
from lamina.interpreters import (
    complexes,
    contraction,
    elementwise,
    indexing,
    random,
    reduction,
    scan,
    shape,
    sorting,
    transcendental,
    window,
)
from lamina.interpreters.dtypes import Array
from lamina.options import flag

MEANING: dict[str, Callable[..., Any]] = {
    **elementwise.MEANING,
    **transcendental.MEANING,
    **complexes.MEANING,
    **shape.MEANING,
    **contraction.MEANING,
    **reduction.MEANING,
    **scan.MEANING,
    **window.MEANING,
    **indexing.MEANING,
    **sorting.MEANING,
    **random.MEANING,
}
"""Name of an `nd` op without "nd." -> what it means. Look it up at each call: see `forbid`."""

_quiet = Context()
_quiet.run(np.seterr, all="ignore")


def call(name: str, *operands: Array, **params: Any) -> Array:
    """Apply one op, without floating-point warnings; the result is an array, also of rank 0."""
    return np.asarray(_quiet.copy().run(MEANING[name], *operands, **params))


_open: list[None] = []
"""One entry for each `forbid` that is open, in any thread."""
_lock = Lock()


@contextmanager
def forbid() -> Generator[None]:
    """While it is open and LAMINA_FORBID_INTERPRETER is set, every meaning raises CompileError.

    The entries of `MEANING` are exchanged, for all threads; nothing is paid when it is not set.
    """
    if not flag("LAMINA_FORBID_INTERPRETER"):
        yield
        return
    with _lock:
        _open.append(None)
        MEANING.update(_FORBIDDEN)
    try:
        yield
    finally:
        with _lock:
            _open.pop()
            if not _open:
                MEANING.update(_ALLOWED)


def _forbidden(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise CompileError(
            f"nd.{name}: expected compiled code only (LAMINA_FORBID_INTERPRETER is set), "
            "found a use of the interpreter"
        )

    return refuse


_ALLOWED = dict(MEANING)
_FORBIDDEN = {name: _forbidden(name) for name in MEANING}
