"""From LLVM IR text to addresses, once a process, for the two pieces of the run time that we
write as text (the thread pool and the call entry). Their objects hold no process address, so
they are cached on disk like kernels; the key is their name, since keys contain a digest of
Lamina's own sources, from which the text is made."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from lamina.backend.cache import Cache, default_folder, kernel_key
from lamina.backend.codegen import compile_object
from lamina.backend.engine import Engine
from lamina.backend.host import target_for


def load_runtime(name: str, text: Callable[[], str], symbols: tuple[str, ...]) -> dict[str, int]:
    """Compile `text()`, or find its object in the disk cache, and link it.

    name: what the object is called in the cache. Returns the addresses of `symbols`.
    """
    target = target_for("host")
    store = Cache(default_folder())
    key = kernel_key(f"run time: {name}", target, "light")
    data = store.get("kernel", key)
    if data is None:
        data = compile_object(text(), target, "light")
        store.put("kernel", key, data)
    engine = Engine([data])
    # The code stays as long as the process: sleeping workers and builtins of ours return into it
    # even while the interpreter shuts down. So one reference is never given back.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
    return {symbol: engine.address(symbol) for symbol in symbols}
