"""Pass `inline-custom-vjp`: values are what they are, once no gradient is taken any more.

    %y = nd.custom_vjp %v for %x : tensor<f32> -> tensor<f32> for tensor<f32> backward { ... }
    %r = nd.exp %y : tensor<f32>
    // ->
    %r = nd.exp %v : tensor<f32>

Pre- and post-condition: level `nd`; afterwards without `nd.custom_vjp`.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lamina.dialects.nd.gradients import CustomVjpOp


class InlineCustomVjpPass(ModulePass):
    """Replace each `nd.custom_vjp` by its values."""

    name = "inline-custom-vjp"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for found in [inner for inner in op.walk() if isinstance(inner, CustomVjpOp)]:
            for result, value in zip(found.outputs, found.values, strict=True):
                result.replace_all_uses_with(value)
            found.detach()
            found.erase()
