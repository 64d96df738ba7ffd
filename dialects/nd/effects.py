"""Ops with an effect besides their results: never dropped, merged, or moved past one another.

op     meaning                                 example
check  an error at run time unless it holds    nd.check %ok, "DomainError", "expected 1, found {}" [%n]
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, TensorType, i1, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, traits_def, var_operand_def
from xdsl.traits import MemoryWriteEffect

from lamina.dialects.checks import ERRORS, MOST_VALUES
from lamina.dialects.nd.base import NdOp
from lamina.errors import places


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


OPS: tuple[type[NdOp], ...] = (CheckOp,)
