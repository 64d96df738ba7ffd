"""How a function's values become machine arguments.

    kernel, main    i32 @k(ptr context, ptr or scalar per argument,
                           i64 per `?` size and `?` stride, ptr per scalar result)
    parallel body   i32 @k_body0(ptr data, i64 task, i64 thread)
    c_abi           a declaration of a C function on scalars, called as it is

`data` points to {ptr context, then what stands for each argument but the first (the task)}: a
pointer, the `?` sizes and the `?` strides of a memref, or a scalar. The offset of a memref is
part of its pointer. The status 0 is success.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from lamina.dialects import llvm
from lamina.dialects.type_tests import is_memref, is_tensor
from lamina.lowering.to_llvm.state import component_types, fail
from lamina.lowering.to_llvm.types import PTR, convert_type, struct_type


def is_c_function(func: FuncOp) -> bool:
    """Whether this declares a C function that knows nothing of contexts and statuses."""
    return "c_abi" in func.attributes and not func.body.blocks


def is_parallel_body(func: FuncOp) -> bool:
    """Whether this is the outlined body of a parallel loop."""
    return "parallel_body" in func.attributes


def run_time_numbers(type: Attribute) -> int:
    """How many `?` sizes and `?` strides follow for an argument."""
    return len(component_types(type)) - 1


def check_results(func: FuncOp) -> None:
    """Refuse buffers as results: callers provide the memory."""
    for type in func.function_type.outputs.data:
        if is_memref(type):
            fail(func, f"expected buffers to be returned through arguments, found result {type}")


def check_types(func: FuncOp) -> None:
    """Refuse tensors."""
    for type in (*func.function_type.inputs.data, *func.function_type.outputs.data):
        if is_tensor(type):
            fail(func, f"expected buffers and scalars, found {type}; run bufferize first")


def body_struct(func: FuncOp) -> llvm.LLVMStructType:
    """What the data argument of a parallel body points to."""
    fields: list[Attribute] = [PTR]
    for type in func.function_type.inputs.data[1:]:
        fields.extend(component_types(type))
    return struct_type(fields)


def llvm_signature(func: FuncOp) -> llvm.LLVMFunctionType:
    """The type of the llvm function."""
    check_types(func)
    inputs, outputs = func.function_type.inputs.data, func.function_type.outputs.data
    if is_c_function(func):
        output = convert_type(outputs[0]) if outputs else None
        return llvm.LLVMFunctionType([convert_type(type) for type in inputs], output)
    if is_parallel_body(func):
        return llvm.LLVMFunctionType([PTR, i64, i64], i32)
    check_results(func)
    types: list[Attribute] = [PTR]
    types += [PTR if is_memref(type) else convert_type(type) for type in inputs]
    types += [i64] * sum(run_time_numbers(type) for type in inputs)
    types += [PTR] * len(outputs)
    return llvm.LLVMFunctionType(types, i32)


def argument_attributes(func: FuncOp, count: int) -> list[DictionaryAttr] | None:
    """The `llvm.*` attributes of the arguments (for example `llvm.noalias`), in their new places.

    count: the number of llvm arguments. None when there is no such attribute.
    """
    if func.arg_attrs is None or is_parallel_body(func):
        return None
    kept = [
        {key: value for key, value in attrs.data.items() if key.startswith("llvm.")}
        for attrs in func.arg_attrs.data
    ]
    if not any(kept):
        return None
    padded = [{}, *kept, *([{}] * (count - 1 - len(kept)))]
    return [DictionaryAttr(attrs) for attrs in padded]
