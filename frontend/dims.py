"""Sizes that are known as expressions while tracing.

A `Size` is a sum of products of symbols and of floor quotients, kept in one canonical form, so that
equal expressions are equal sizes. A symbol is a `Dim` of the user's (`dim.py`), the size of an axis
of an argument, or a number of the traced program such as a loop's index. What two expressions do
not tell of each other is decided by the bounds of their symbols, and after that by the trace that
runs.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import count
from math import floor, gcd, isfinite
from typing import Any, NoReturn, TypeAlias, TypeGuard

import numpy as np

from lamina.errors import ArgumentError, TraceError
from lamina.frontend.dispatch import CURRENT
from lamina.frontend.location import fail

AnySize: TypeAlias = "int | Size"

_serial = count()


class Symbol:
    """A size or integer without a known value, from `low` to `high` (None: any).

    declared: a `Dim` of the user's, which stands for all of its values.
    """

    __slots__ = ("__weakref__", "declared", "high", "key", "low", "name")

    def __init__(
        self,
        name: str,
        low: AnySize | None = 0,
        high: AnySize | None = None,
        *,
        declared: bool = False,
    ) -> None:
        self.name = name
        self.low = low
        self.high = high
        self.declared = declared
        self.key = (0, next(_serial))

    def __repr__(self) -> str:
        return self.name


class Quotient:
    """floor(size / divisor); the divisor is 2 or more."""

    __slots__ = ("divisor", "key", "size")

    def __init__(self, size: Size, divisor: int) -> None:
        self.size = size
        self.divisor = divisor
        self.key = (1, divisor, size.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        text = repr(self.size)
        return f"{f'({text})' if ' ' in text or '*' in text else text}//{self.divisor}"


Atom: TypeAlias = "Symbol | Quotient"
Product: TypeAlias = "tuple[Atom, ...]"
Terms: TypeAlias = "dict[Product, int]"
"""Products of atoms, in the order of their keys, and how often each is added; () is the number."""


def terms_of(size: AnySize) -> Terms:
    """The terms of a size, or of a number."""
    return size._terms if isinstance(size, Size) else {(): size}


def of_terms(terms: Mapping[Product, int]) -> Any:
    """The size with these terms: an int where nothing but a number is left."""
    kept = {product: number for product, number in terms.items() if number}
    if not kept or (len(kept) == 1 and () in kept):
        return kept.get((), 0)
    return with_terms(object.__new__(Size), kept)


def with_terms(size: Size, terms: Terms) -> Size:
    """The new size with these terms."""
    size._terms = terms
    size.key = tuple(
        sorted((tuple(atom.key for atom in product), number) for product, number in terms.items())
    )
    return size


def of_symbol(symbol: Symbol) -> Size:
    """The size that is one symbol."""
    return with_terms(object.__new__(Size), {(symbol,): 1})


def is_size(value: object) -> TypeGuard[Size]:
    """Whether `value` is a size that is an expression."""
    return isinstance(value, Size)


def is_static(sizes: Any) -> bool:
    """Whether all sizes are numbers."""
    return not any(isinstance(size, Size) for size in sizes)


def same(x: Any, y: Any) -> bool:
    """Whether two sizes, or shapes, are the same expressions; nothing is decided."""
    if type(x) is tuple:
        parts: tuple[Any, ...] = x  # pyright: ignore[reportUnknownVariableType]
        return len(parts) == len(y) and all(map(same, parts, y))
    if isinstance(x, Size):
        return isinstance(y, Size) and x.key == y.key
    return not isinstance(y, Size) and x == y


def key_of(size: AnySize) -> Any:
    """What is equal for equal expressions."""
    return size.key if isinstance(size, Size) else size


def plus(x: AnySize, y: AnySize) -> Any:
    """x + y."""
    found = dict(terms_of(x))
    for product, number in terms_of(y).items():
        found[product] = found.get(product, 0) + number
    return of_terms(found)


def times(x: AnySize, y: AnySize) -> Any:
    """x * y."""
    found: Terms = {}
    for a, n in terms_of(x).items():
        for b, m in terms_of(y).items():
            product = tuple(sorted((*a, *b), key=lambda atom: atom.key))
            found[product] = found.get(product, 0) + n * m
    return of_terms(found)


def minus(x: AnySize, y: AnySize) -> Any:
    """x - y."""
    return plus(x, times(y, -1))


def floor_divided(x: AnySize, y: AnySize) -> Any:
    """x // y. Raises `TraceError` for a divisor that is an expression and does not divide x."""
    if isinstance(y, Size):
        found = exact_quotient(x, y)
        return _quotient_of_call(x, y) if found is None else found
    if not isinstance(x, Size) or not y:
        return operator.floordiv(x, y)  # type: ignore[arg-type]
    if y < 0:
        return floor_divided(times(x, -1), -y)
    shared = reduce(gcd, x._terms.values(), y)
    if shared > 1:
        parts = {product: number // shared for product, number in x._terms.items()}
        return floor_divided(of_terms(parts), y // shared)
    whole = of_terms({product: number // y for product, number in x._terms.items()})
    rest = of_terms({product: number % y for product, number in x._terms.items()})
    if not isinstance(rest, Size):
        return plus(whole, rest // y)
    # floor(r / k) = -floor((k - 1 - r) / k): one of the two forms, so that ceilings are equal
    other = minus(y - 1, rest)
    turned = of_terms({product: number % y for product, number in terms_of(other).items()})
    if isinstance(turned, Size) and _rank(turned) < _rank(rest):
        return minus(whole, floor_divided(other, y))
    return plus(whole, of_terms({(Quotient(rest, y),): 1}))


def _quotient_of_call(x: AnySize, y: Size) -> int:
    """x // y as the call that is traced has it. Raises `TraceError` where no call tells it."""
    recorder: Any = CURRENT.get()
    values = None if recorder is None else recorder.sizes.values(minus(x, y), x, y)
    if values is None:
        fail(TraceError, f"//: expected a number or a factor of {x} as divisor, found {y}")
    quotient = values[0] // values[1]
    decide("le", times(y, quotient), x)
    decide("lt", x, times(y, quotient + 1))
    return quotient


def _rank(size: Size) -> tuple[Any, ...]:
    """The numbers of a size, that of the constant last."""
    ordered = sorted((p for p in size._terms if p), key=lambda p: [atom.key for atom in p])
    return (*(size._terms[product] for product in ordered), size._terms.get((), 0))


def remainder(x: AnySize, y: AnySize) -> Any:
    """x % y, with the sign of y."""
    return minus(x, times(y, floor_divided(x, y)))


def exact_quotient(x: AnySize, y: Size) -> Any:
    """x / y where each term of x has all factors of the one term of y; else None."""
    if same(x, y):
        return 1
    if len(y._terms) != 1:
        return None
    ((factors, number),) = y._terms.items()
    found: Terms = {}
    for product, own in terms_of(x).items():
        left = list(product)
        for atom in factors:
            if atom not in left:
                return None
            left.remove(atom)
        if own % number:
            return None
        found[tuple(left)] = own // number
    return of_terms(found)


def _power(x: AnySize, y: AnySize) -> Any:
    """x ** y for a number y of 0 or more."""
    return reduce(times, [x] * y, 1) if isinstance(y, int) and 0 <= y <= 8 else None


def _shifted(x: AnySize, y: AnySize) -> Any:
    """x << y for a number y of 0 or more."""
    return times(x, 1 << y) if isinstance(y, int) and 0 <= y < 63 else None


def _shifted_back(x: AnySize, y: AnySize) -> Any:
    """x >> y for a number y of 0 or more."""
    return floor_divided(x, 1 << y) if isinstance(y, int) and 0 <= y < 63 else None


# what bounds tell


def lower(size: AnySize | None, depth: int = 0) -> int | None:
    """A number that the size is never below, or None."""
    if not isinstance(size, Size):
        return size
    found = _sum_of_bounds(size, depth)
    if depth < 6:
        for product, number in size._terms.items():
            if len(product) == 1 and (better := _replaced(size, product[0], number, depth)):
                found = better[0] if found is None else max(found, better[0])
    return found


def upper(size: AnySize | None, depth: int = 0) -> int | None:
    """A number that the size is never above, or None."""
    if not isinstance(size, Size):
        return size
    found = lower(times(size, -1), depth)
    return None if found is None else -found


def _replaced(size: Size, atom: Atom, number: int, depth: int) -> tuple[int] | None:
    """A lower bound with one atom replaced by what bounds it; () for none."""
    rest = minus(size, of_terms({(atom,): number}))
    if isinstance(atom, Quotient):
        # k * (rest + c * floor(r / k)) >= k * rest + c * (r - (k - 1 if c > 0 else 0))
        edge = minus(atom.size, atom.divisor - 1 if number > 0 else 0)
        found = lower(plus(times(rest, atom.divisor), times(edge, number)), depth + 1)
        return None if found is None else (-(-found // atom.divisor),)
    bound = atom.low if number > 0 else atom.high
    if not isinstance(bound, Size):
        return None
    found = lower(plus(rest, times(bound, number)), depth + 1)
    return None if found is None else (found,)


def _sum_of_bounds(size: Size, depth: int) -> int | None:
    total = 0
    for product, number in size._terms.items():
        low, high = _product_bounds(product, depth)
        found = low if number > 0 else high
        if found is None:
            return None
        total += number * found
    return total


def _product_bounds(product: Product, depth: int) -> tuple[int | None, int | None]:
    bounds = [_atom_bounds(atom, depth) for atom in product]
    if len(bounds) == 1:
        return bounds[0]
    lows = [low for low, _ in bounds]
    if any(low is None or low < 0 for low in lows):
        return None, None
    highs = [high for _, high in bounds]
    low = reduce(operator.mul, (x for x in lows if x is not None), 1)
    high = None
    if None not in highs:
        high = reduce(operator.mul, (x for x in highs if x is not None), 1)
    return low, high


def _atom_bounds(atom: Atom, depth: int) -> tuple[int | None, int | None]:
    if isinstance(atom, Symbol):
        if depth >= 6:
            return (
                atom.low if isinstance(atom.low, int) else None,
                atom.high if isinstance(atom.high, int) else None,
            )
        return lower(atom.low, depth + 1), upper(atom.high, depth + 1)
    low, high = lower(atom.size, depth + 1), upper(atom.size, depth + 1)
    return (
        None if low is None else low // atom.divisor,
        None if high is None else high // atom.divisor,
    )


def provable(kind: str, difference: AnySize) -> bool | None:
    """Whether a difference is eq, ne, lt, le, gt or ge 0 for all values; None if it depends."""
    if not isinstance(difference, Size):
        return COMPARE[kind](difference, 0)
    if kind == "ne":
        found = provable("eq", difference)
        return None if found is None else not found
    if kind in ("gt", "ge"):
        return provable("lt" if kind == "gt" else "le", times(difference, -1))
    low, high = lower(difference), upper(difference)
    if kind == "eq":
        return False if (low is not None and low > 0) or (high is not None and high < 0) else None
    edge = 0 if kind == "lt" else 1
    if high is not None and high < edge:
        return True
    return False if low is not None and low >= edge else None


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


def decide(kind: str, x: AnySize, y: AnySize) -> bool:
    """Compare two sizes: by what they are, by bounds, and else as the trace's arguments have it."""
    difference = minus(x, y)
    known = provable(kind, difference)
    if known is not None:
        return known
    recorder: Any = CURRENT.get()
    if recorder is None:
        if kind in ("eq", "ne"):
            return kind == "ne"
        fail(ArgumentError, f"{kind}: expected sizes that bounds tell apart, found {x} and {y}")
    return recorder.sizes.decide(kind, difference, x, y)


def evaluate(size: AnySize, values: Mapping[Symbol, int]) -> int:
    """The size for these values of its symbols. Raises KeyError for one without."""
    if not isinstance(size, Size):
        return size
    total = 0
    for product, number in size._terms.items():
        part = number
        for atom in product:
            if isinstance(atom, Symbol):
                part *= values[atom]
            else:
                part *= evaluate(atom.size, values) // atom.divisor
        total += part
    return total


def symbols_of(size: AnySize) -> list[Symbol]:
    """The symbols of an expression, those in quotients too."""
    found: dict[Symbol, None] = {}
    for product in terms_of(size):
        for atom in product:
            inner = [atom] if isinstance(atom, Symbol) else symbols_of(atom.size)
            found.update(dict.fromkeys(inner))
    return list(found)


def substituted(size: AnySize, values: Mapping[Symbol, AnySize]) -> Any:
    """The expression with symbols replaced."""
    total: Any = 0
    for product, number in terms_of(size).items():
        part: Any = number
        for atom in product:
            if isinstance(atom, Symbol):
                value: Any = values.get(atom, None)
                part = times(part, of_symbol(atom) if value is None else value)
            else:
                part = times(part, floor_divided(substituted(atom.size, values), atom.divisor))
        total = plus(total, part)
    return total


# the class


def _number(value: Any) -> Any:
    """An int or a size as it is; None for anything else."""
    if isinstance(value, Size) or type(value) is int:
        return value
    integers: Any = (bool, np.integer)
    return int(value) if isinstance(value, integers) else None


def _compared(kind: str) -> Callable[[Size, Any], Any]:
    def method(self: Size, other: Any) -> Any:
        number = _number(other)
        if number is not None:
            return decide(kind, self, number)
        if isinstance(other, float):
            return _float_compared(kind, self, other)
        if other is None or isinstance(other, (str, tuple, list, dict)):
            return NotImplemented
        return COMPARE[kind](self.scalar(), other)

    return method


def _float_compared(kind: str, size: Size, other: float) -> bool:
    """A size and a float: the integer below it decides."""
    if not isfinite(other):
        return COMPARE[kind](0.0, other)
    below = floor(other)
    if below == other:
        return decide(kind, size, below)
    if kind in ("eq", "ne"):
        return kind == "ne"
    return decide("le" if kind in ("lt", "le") else "gt", size, below)


def _computed(
    name: str, compute: Callable[[Any, Any], Any] | None, reflected: bool = False
) -> Callable[[Size, Any], Any]:
    def method(self: Size, other: Any) -> Any:
        number = _number(other)
        if number is not None and compute is not None:
            found = compute(number, self) if reflected else compute(self, number)
            if found is not None:
                return found
        apply: Callable[[Any, Any], Any] = getattr(operator, name)
        own = self.scalar()
        if isinstance(other, Size):
            other = other.scalar()
        return apply(other, own) if reflected else apply(own, other)

    return method


NUMBERS: dict[str, Callable[..., Any]] = {}
"""weak(array, low, high): the Python number that a 0-d array holds, as `runtime_scalar` has it."""


class Size:
    """A size that only a run of the compiled program knows, as an expression.

    Sums, differences, products, `//` and `%` of sizes and ints are sizes again; with floats and
    arrays a size is a Python int that is traced. A comparison is decided by the bounds of the
    symbols; where these leave it open the trace goes on as the present call needs it, and the
    compiled version holds while the answer is the same.
    """

    __slots__ = ("_terms", "key")
    __array_ufunc__ = None  # NumPy leaves operators to this class

    _terms: Terms
    key: tuple[Any, ...]

    def __hash__(self) -> int:
        return hash(self.key)

    __eq__ = _compared("eq")  # type: ignore[assignment]
    __ne__ = _compared("ne")  # type: ignore[assignment]
    __lt__ = _compared("lt")
    __le__ = _compared("le")
    __gt__ = _compared("gt")
    __ge__ = _compared("ge")
    __add__ = _computed("add", plus)
    __radd__ = _computed("add", plus, True)
    __sub__ = _computed("sub", minus)
    __rsub__ = _computed("sub", minus, True)
    __mul__ = _computed("mul", times)
    __rmul__ = _computed("mul", times, True)
    __floordiv__ = _computed("floordiv", floor_divided)
    __rfloordiv__ = _computed("floordiv", floor_divided, True)
    __mod__ = _computed("mod", remainder)
    __rmod__ = _computed("mod", remainder, True)
    __pow__ = _computed("pow", _power)
    __rpow__ = _computed("pow", None, True)
    __lshift__ = _computed("lshift", _shifted)
    __rlshift__ = _computed("lshift", None, True)
    __rshift__ = _computed("rshift", _shifted_back)
    __rrshift__ = _computed("rshift", None, True)
    __and__ = _computed("and_", None)
    __rand__ = _computed("and_", None, True)
    __or__ = _computed("or_", None)
    __ror__ = _computed("or_", None, True)
    __xor__ = _computed("xor", None)
    __rxor__ = _computed("xor", None, True)
    __truediv__ = _computed("truediv", None)
    __rtruediv__ = _computed("truediv", None, True)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __bool__(self) -> bool:
        return decide("ne", self, 0)

    def __neg__(self) -> Any:
        return times(self, -1)

    def __pos__(self) -> Size:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __round__(self, digits: int | None = None) -> Size:
        return self

    def __repr__(self) -> str:
        parts: list[str] = []
        for product, number in sorted(self._terms.items(), key=_order):
            factors = [*product] if abs(number) == 1 and product else [abs(number), *product]
            sign = "-" if number < 0 else "+"
            text = "*".join(_factor(factor, len(factors)) for factor in factors)
            parts.append(f" {sign} {text}" if parts else ("-" if number < 0 else "") + text)
        return "".join(parts)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def scalar(self) -> Any:
        """The size as a Python int that is traced. Raises `TraceError` outside of its trace."""
        recorder: Any = CURRENT.get()
        if recorder is None:
            self.refuse("arithmetic")
        return recorder.sizes.scalar(self)

    def refuse(self, what: str) -> NoReturn:
        """Raise: the code that asks needs a number."""
        try:
            fail(
                TraceError,
                f"{what}: expected a size that is known while tracing, found {self}; use it in lm "
                "functions, slices, lm.fori_loop or arithmetic, or give the axis a number in "
                "shapes=",
            )
        except TraceError as error:
            recorder: Any = CURRENT.get()
            if recorder is not None:  # NumPy replaces the error by one of its own
                recorder.sizes.refused = error
            raise

    def __index__(self) -> int:  # noqa: PLE0305 (it raises)
        self.refuse("index")

    def __int__(self) -> int:
        self.refuse("int")

    def __float__(self) -> float:
        self.refuse("float")

    def __reduce__(self) -> Any:
        self.refuse("pickle")


def _factor(factor: object, count: int) -> str:
    return f"({factor})" if isinstance(factor, Quotient) and count > 1 else repr(factor)


def _order(item: tuple[Product, int]) -> tuple[Any, ...]:
    """Positive terms first, the number last."""
    product, number = item
    return (not product, number < 0, -len(product), *(atom.key for atom in product))
