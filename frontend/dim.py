"""`Dim`: a size that a compiled function takes as it comes."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from weakref import WeakValueDictionary

from lamina.errors import ArgumentError
from lamina.frontend.dims import Size, Symbol, with_terms
from lamina.frontend.location import fail, shown


class Dim(Size):
    """A size that a compiled function takes as it comes, from `min` to `max` (None: any).

    For `jit(shapes=...)`, alone and in expressions: `n + 1`, `2 * n`, `n // 2`, `n * m`. Dims of
    one name, min and max are one. Raises `ArgumentError` for a name that is no identifier, and for
    bounds that are no ints of 0 or more, or out of order.

    >>> n = lm.Dim("n", min=1, max=4096)
    >>> 2 * n + 1, n // 2
    (2*n + 1, n//2)
    """

    __slots__ = ()

    def __init__(self, name: str, *, min: int = 1, max: int | None = None) -> None:
        if type(name) is not str or not name.isidentifier():
            fail(ArgumentError, f"Dim: expected a name, found {shown(name)}")
        for what, bound in (("min", min), ("max", max)):
            if not (type(bound) is int and bound >= 0) and (bound, what) != (None, "max"):
                fail(ArgumentError, f"Dim: expected {what} of 0 or more, found {shown(bound)}")
        if max is not None and max < min:
            fail(ArgumentError, f"Dim: expected max of {min} or more, found {max}")
        symbol = _DECLARED.get((name, min, max))
        if symbol is None:
            symbol = _DECLARED[name, min, max] = Symbol(name, min, max, declared=True)
        with_terms(self, {(symbol,): 1})


_DECLARED: WeakValueDictionary[tuple[str, int, int | None], Symbol] = WeakValueDictionary()
