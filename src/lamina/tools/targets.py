"""What `lamina-opt -t` prints besides IR text, from a module at level `llvm`."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from lamina.backend.codegen import to_assembly
from lamina.backend.emit_llvm import emit_module
from lamina.backend.host import target_for


def llvm_ir(module: ModuleOp) -> str:
    """LLVM IR, as it is handed to LLVM."""
    return emit_module(module)


def assembly(module: ModuleOp) -> str:
    """Assembly for this machine."""
    return to_assembly(emit_module(module), target_for("host"))
