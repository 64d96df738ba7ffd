"""Names of dialects and passes, as strings: importing this file imports none of them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass

DIALECTS: dict[str, str] = {
    "affine": "xdsl.dialects.affine:Affine",
    "arith": "lamina.dialects.arith:Arith",
    "bufferization": "xdsl.dialects.bufferization:Bufferization",
    "builtin": "lamina.dialects.builtin:Builtin",
    "cf": "xdsl.dialects.cf:Cf",
    "func": "xdsl.dialects.func:Func",
    "linalg": "lamina.dialects.linalg:Linalg",
    "llvm": "lamina.dialects.llvm:LLVM",
    "math": "lamina.dialects.math:Math",
    "memref": "lamina.dialects.memref:MemRef",
    "nd": "lamina.dialects.nd:Nd",
    "scf": "lamina.dialects.scf:Scf",
    "tensor": "xdsl.dialects.tensor:Tensor",
    "vector": "lamina.dialects.vector:Vector",
}

PASSES: dict[str, str] = {
    "split-complex": "lamina.transforms.split_complex:SplitComplexPass",
    "fold-constants": "lamina.transforms.fold_constants:FoldConstantsPass",
    "canonicalize-nd": "lamina.transforms.canonicalize_nd:CanonicalizeNdPass",
    "absorb-transposes": "lamina.transforms.absorb_transposes:AbsorbTransposesPass",
    "plan-memory": "lamina.transforms.plan_memory:PlanMemoryPass",
    "kernels-to-loops": "lamina.lowering.kernels_to_loops:KernelsToLoopsPass",
    "inline-custom-vjp": "lamina.transforms.inline_custom_vjp:InlineCustomVjpPass",
    "drop-carries": "lamina.transforms.drop_carries:DropCarriesPass",
    "expand-math": "lamina.lowering.expand_math:ExpandMathPass",
    "bufferize": "lamina.lowering.bufferize:BufferizePass",
    "scalarize-loops": "lamina.transforms.scalarize_loops:ScalarizeLoopsPass",
    "simplify-generics": "lamina.transforms.simplify_generics:SimplifyGenericsPass",
    "check-nans": "lamina.transforms.check_nans:CheckNansPass",
    "check-sizes": "lamina.transforms.check_sizes:CheckSizesPass",
    "batch": "lamina.transforms.batch:BatchPass",
    "differentiate": "lamina.transforms.differentiate:DifferentiatePass",
    "fuse-elementwise": "lamina.transforms.fuse_elementwise:FuseElementwisePass",
    "fuse-reductions": "lamina.transforms.fuse_reductions:FuseReductionsPass",
    "inline-producers": "lamina.transforms.inline_producers:InlineProducersPass",
    "form-kernels": "lamina.transforms.form_kernels:FormKernelsPass",
    "reuse-donated": "lamina.transforms.reuse_donated:ReuseDonatedPass",
    "outline-kernels": "lamina.transforms.outline_kernels:OutlineKernelsPass",
    "nd-to-linalg": "lamina.lowering.nd_to_linalg:NdToLinalgPass",
    "outline-parallel": "lamina.lowering.outline_parallel:OutlineParallelPass",
    "insert-polls": "lamina.lowering.insert_polls:InsertPollsPass",
    "expand-float-casts": "lamina.lowering.expand_float_casts:ExpandFloatCastsPass",
    "convert-to-llvm": "lamina.lowering.convert_to_llvm:ConvertToLLVMPass",
}

XDSL_PASSES: dict[str, str] = {
    "canonicalize": "xdsl.transforms.canonicalize:CanonicalizePass",
    "cse": "xdsl.transforms.common_subexpression_elimination:CommonSubexpressionElimination",
    "dce": "xdsl.transforms.dead_code_elimination:DeadCodeElimination",
}
"""xDSL's own passes that our pipelines and tools use."""


def load(path: str) -> Any:
    """The object that "module:Name" names."""
    module, name = path.split(":")
    return getattr(import_module(module), name)


def dialect_factory(name: str) -> Callable[[], Dialect]:
    """A function that imports and returns the dialect `name`."""
    return lambda: load(DIALECTS[name])


def pass_factory(name: str) -> Callable[[], type[ModulePass]]:
    """A function that imports and returns the pass class `name`."""
    return lambda: load((PASSES | XDSL_PASSES)[name])


def make_context() -> Context:
    """An xDSL context in which every dialect of `DIALECTS` is registered, only builtin imported."""
    from xdsl.context import Context

    load(DIALECTS["builtin"])  # its import makes dense floats exact in every parser
    context = Context()
    for name in DIALECTS:
        context.register_dialect(name, dialect_factory(name))
    return context
