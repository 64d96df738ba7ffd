"""Ops with an effect besides their results: never dropped, merged, or moved past one another.

op           meaning                                 example
check        an error at run time unless it holds    nd.check %ok, "DomainError", "expected 1, found {}" [%n]
print        writes a line of text                   nd.print "x = {}, {:.3f}" [%x, %y] : tensor<4xf32>, tensor<f32>
fail         an error at run time                    nd.fail "CheckError", "found {}" [%x] : tensor<4xf32>
custom_call  calls a C function of the process       %y = nd.custom_call "f"(%x) : (tensor<4xf32>) -> tensor<4xf32>
"""

from __future__ import annotations

from collections.abc import Set

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    Float32Type,
    Float64Type,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, MemoryWriteEffect

from lamina.dialects.checks import ERRORS, MOST_VALUES
from lamina.dialects.nd.base import TENSOR, NdOp, element_of, ints, is_element, shape_of
from lamina.errors import places
from lamina.formats import count_places, is_symbol


@irdl_op_definition
class CheckOp(NdOp):
    """Ends the program with the error class `error` unless `condition` holds.

    Each `{}` of the message shows the next of `values`, a `{u}` shows it unsigned. Of several checks that fail, the first in
    program order is the one that is seen.
    """

    name = "nd.check"
    condition = operand_def(TensorType(i1, []))
    values = var_operand_def(TensorType(i64, []))
    error = prop_def(StringAttr)
    message = prop_def(StringAttr)
    assembly_format = "$condition `,` $error `,` $message (`[` $values^ `]`)? attr-dict"
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        if self.error.data not in ERRORS:
            raise self.fail(f'expected an error class such as "DomainError", found {self.error}')
        if len(self.values) > MOST_VALUES:
            raise self.fail(f"expected at most {MOST_VALUES} values, found {len(self.values)}")
        count, found = places(self.message.data), len(self.values)
        if count != found:
            raise self.fail(f"expected {count} values, one for each {{}}, found {found}")


class ForeignOp(NdOp):
    """An op that hands tensors, in memory, to code that is not ours.

    interleaved: numbers of the operands, then results, whose last axis of 2 holds the parts of
    complex numbers (made by `split-complex`).
    """

    interleaved = opt_prop_def(DenseArrayBase.constr(i64))

    def pairs(self) -> tuple[int, ...]:
        """`interleaved` as ints."""
        return () if self.interleaved is None else ints(self.interleaved)

    def verify_(self) -> None:
        values: list[SSAValue] = [*self.operands, *self.results]
        for value in values:
            if not is_element(element_of(value)):
                raise self.fail(f"expected an nd element type, found {element_of(value)}")
        for number in self.pairs():
            if not 0 <= number < len(values) or shape_of(values[number])[-1:] != (2,):
                raise self.fail(
                    f"expected interleaved to name values with a last axis of 2, found {number}"
                )
            if not isinstance(element := element_of(values[number]), Float32Type | Float64Type):
                raise self.fail(f"expected interleaved values of f32 or f64, found {element}")


class _TextOp(ForeignOp):
    """An op that shows values in a text: `{}` as NumPy prints, `{:spec}` by element."""

    values = var_operand_def(TENSOR)
    format = prop_def(StringAttr)

    def verify_(self) -> None:
        super().verify_()
        try:
            count = count_places(self.format.data)
        except ValueError as error:
            raise self.fail(f"format: {error}") from None
        if count != len(self.values):
            raise self.fail(
                f"expected {count} values, one for each place, found {len(self.values)}"
            )


@irdl_op_definition
class PrintOp(_TextOp):
    """Writes the text, and the end of the line, where the host program prints.

    Each `{}` of the format shows the next of `values` as NumPy's `str` does; `{:spec}` formats
    each element by Python's `format`; `{{` is a brace. Prints come in program order.
    """

    name = "nd.print"
    assembly_format = (
        "$format (`[` $values^ `]` `:` type($values))? (`interleaved` $interleaved^)? attr-dict"
    )
    traits = traits_def(MemoryWriteEffect())


@irdl_op_definition
class FailOp(_TextOp):
    """Ends the program with the error class `error` and a text, as `nd.print` writes it."""

    name = "nd.fail"
    error = prop_def(StringAttr)
    assembly_format = (
        "$error `,` $format (`[` $values^ `]` `:` type($values))? "
        "(`interleaved` $interleaved^)? attr-dict"
    )
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        super().verify_()
        if self.error.data not in ERRORS:
            raise self.fail(f'expected an error class such as "DomainError", found {self.error}')


class _WriteUnlessPure(MemoryEffect):
    """An effect that the op's property `pure` takes away."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        if "pure" in op.properties:
            return set[EffectInstance]()
        return {EffectInstance(MemoryEffectKind.WRITE)}


@irdl_op_definition
class CustomCallOp(ForeignOp):
    """Calls the C function that the process has registered as `symbol`.

    int32_t f(const T *x, ..., R *y, ..., const int64_t *sizes)

    A pointer to the elements of each operand, then of each result, row-major (bool as a byte of 0
    or 1, complex as two numbers), and all their sizes in that order. A status other than 0 ends
    the program with a LaminaError. It has an effect unless it is `pure`.
    """

    name = "nd.custom_call"
    inputs = var_operand_def(TENSOR)
    outs = var_result_def(TENSOR)
    symbol = prop_def(StringAttr)
    pure = opt_prop_def(UnitAttr)
    assembly_format = (
        "$symbol `(` $inputs `)` (`pure` $pure^)? (`interleaved` $interleaved^)? attr-dict "
        "`:` functional-type($inputs, $outs)"
    )
    traits = traits_def(_WriteUnlessPure())

    def verify_(self) -> None:
        super().verify_()
        if not is_symbol(self.symbol.data):
            raise self.fail(f"expected the name of a C function, found {self.symbol}")
        if not self.outs and self.pure is not None:
            raise self.fail("expected a result of a pure call, found none")
        if any(DYNAMIC_INDEX in shape_of(result) for result in self.outs):
            raise self.fail("expected results of static shapes, found a `?`")


OPS: tuple[type[NdOp], ...] = (CheckOp, PrintOp, FailOp, CustomCallOp)
