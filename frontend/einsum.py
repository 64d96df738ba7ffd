"""`einsum`, by contractions of two operands at a time, from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lamina.errors import ArgumentError, ShapeError
from lamina.frontend import dtypes
from lamina.frontend.array import Array, ArrayLike
from lamina.frontend.bind import as_array, bind, broadcast, cast, check_dtype, result_dtype, view
from lamina.frontend.dims import same
from lamina.frontend.dispatch import public
from lamina.frontend.elementwise import multiply
from lamina.frontend.location import fail, shown
from lamina.frontend.logic import equal
from lamina.frontend.reductions import reduce
from lamina.frontend.size_checks import equal as equal_sizes


@public
def einsum(equation: str, /, *operands: ArrayLike) -> Array:
    """Sum of products over the letters that the result lacks, as "ij,jk->ik". Numeric.

    Without "->", the result has the letters that occur once, in order. `ArgumentError` for a
    malformed equation, `ShapeError` where sizes of one letter differ. There is no "...".

    >>> lm.einsum("ij,j->i", lm.asarray([[1, 2], [3, 4]]), lm.asarray([1, 1]))
    Array([3, 7])
    """
    inputs, output = _parsed(equation, len(operands))
    dtype = result_dtype("einsum", operands)
    check_dtype("einsum", dtype, dtypes.NUMERIC)
    arrays = [cast(as_array("einsum", x, dtype), dtype) for x in operands]
    sizes = _sizes(inputs, arrays)
    terms = [_diagonal(letters, x) for letters, x in zip(inputs, arrays, strict=True)]
    letters, result = terms[0]
    for position, (others, operand) in enumerate(terms[1:], 1):
        later = output + "".join(name for name, _ in terms[position + 1 :])
        letters, result = _product(letters, result, others, operand, later)
    letters, result = _summed(letters, result, output)
    order = tuple(letters.index(letter) for letter in output)
    if order != tuple(range(len(order))):
        result = bind("transpose", result, permutation=order)
    assert same(result.shape, tuple(sizes[letter] for letter in output))
    return result


def _parsed(equation: Any, count: int) -> tuple[list[str], str]:
    if type(equation) is not str:
        fail(ArgumentError, f"einsum: expected an equation, found {shown(equation)}")
    text = equation.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    letters = left.replace(",", "")
    if not arrow:
        output = "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    sound = all(x.isalpha() for x in letters + output) and len(set(output)) == len(output)
    if not sound or not set(output) <= set(letters):
        fail(
            ArgumentError,
            f'einsum: expected an equation such as "ij,jk->ik", found {shown(equation)}',
        )
    if len(inputs) != count:
        fail(ArgumentError, f"einsum: expected {len(inputs)} operands, found {count}")
    return inputs, output


def _sizes(inputs: Sequence[str], arrays: Sequence[Array]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, arrays, strict=True):
        if len(letters) != x.ndim:
            fail(ShapeError, f"einsum: expected {len(letters)} axes for {letters}, found {x.shape}")
        for letter, size in zip(letters, x.shape, strict=True):
            if not equal_sizes("einsum", sizes.setdefault(letter, size), size):
                fail(
                    ShapeError,
                    f"einsum: expected one size of {letter}, found {sizes[letter]} and {size}",
                )
    return sizes


def _diagonal(letters: str, x: Array) -> tuple[str, Array]:
    """An operand without repeated letters: off the diagonal is 0, and one of the two is summed."""
    for letter in letters:
        while letters.count(letter) > 1:
            first, second = letters.index(letter), letters.rindex(letter)
            indices = [
                bind("iota", axis=axis, shape=x.shape, dtype=dtypes.int64)
                for axis in (first, second)
            ]
            zero = broadcast(as_array("einsum", 0, x.dtype), x.shape)
            x = bind("select", equal(*indices), x, zero)
            x = reduce("einsum", "sum", x, (second,), False)
            letters = letters[:second] + letters[second + 1 :]
    return letters, x


def _summed(letters: str, x: Array, kept: str) -> tuple[str, Array]:
    axes = tuple(axis for axis, letter in enumerate(letters) if letter not in kept)
    if not axes:
        return letters, x
    return "".join(x for x in letters if x in kept), reduce("einsum", "sum", x, axes, False)


def _product(left: str, a: Array, right: str, b: Array, later: str) -> tuple[str, Array]:
    """The product of two terms, summed over what neither the result nor a later term has."""
    left, a = _summed(left, a, right + later)
    right, b = _summed(right, b, left + later)
    shared = [letter for letter in left if letter in right]
    batch = [letter for letter in shared if letter in later]
    contract = [letter for letter in shared if letter not in later]
    free = "".join(x for x in left if x not in shared), "".join(x for x in right if x not in shared)
    letters = "".join(batch) + free[0] + free[1]
    if not contract:
        return letters, multiply(_spread(left, a, letters), _spread(right, b, letters))
    return letters, bind(
        "dot_general",
        a,
        b,
        lhs_batch=tuple(left.index(x) for x in batch),
        rhs_batch=tuple(right.index(x) for x in batch),
        lhs_contract=tuple(left.index(x) for x in contract),
        rhs_contract=tuple(right.index(x) for x in contract),
    )


def _spread(letters: str, x: Array, wanted: str) -> Array:
    """`x` with its axes in the order of `wanted`, and size 1 for letters that it lacks."""
    order = tuple(letters.index(letter) for letter in wanted if letter in letters)
    x = view("transpose", x, permutation=order)
    sizes = iter(x.shape)
    return view("reshape", x, shape=tuple(next(sizes) if y in letters else 1 for y in wanted))
