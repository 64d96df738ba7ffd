"""Inputs that are wrong, and what must be said about them. A row is one process (test_bad_input).

Kinds: "opt" is IR text for `lamina-opt`, "run" IR text for `lamina-run`, "python" a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Bad:
    """One row.

    message: contained in the error. line: of the input, None where the command line is wrong.
    args: further words of the command. error_class: for programs, the class of the exception.
    """

    name: str
    kind: Literal["opt", "run", "python"]
    text: str | bytes
    message: str
    line: int | None
    args: tuple[str, ...] = ()
    error_class: str = ""


def body(*lines: str, signature: str = "@f(%x: i32, %y: i64)") -> str:
    """A function of the given lines, the first on line 2, and a return."""
    return "\n".join((f"func.func {signature} {{", *lines, "func.return", "}", ""))


def nested(begin: str, middle: str, end: str, depth: int = 10_000) -> str:
    return begin * depth + middle + end * depth


TOO_DEEP = "nesting is too deep"
TOO_MANY_DIGITS = "integer literal: expected at most some 4000 digits"
HUGE = "9" * 5000
CONSTANT = "%c = arith.constant "

TEXT = [
    Bad("empty", "opt", "", "expected an operation, found the end of the text", 1),
    Bad("comment", "opt", "// nothing\n", "expected an operation, found the end", 2),
    Bad("binary", "opt", bytes(range(256)), "expected UTF-8 text, found byte 0x80", 2),
    Bad("latin_1", "opt", body("// caf").encode() + b"\xe9", "expected UTF-8", 5),
    Bad("nul", "opt", "func.func @f() {\0}", r"unexpected character: \x00", 1),
    Bad("prose", "opt", "This is no IR.\n", "operation This is not registered", 1),
    Bad("cut_in_type", "opt", "func.func @f(%x: tensor<4x", "expected shape type", 1),
    Bad("cut_in_body", "opt", "func.func @f() {\n", "expected an operation or '}'", 2),
    Bad("cut_in_operands", "opt", "func.func @f(%x: i32) {\nfunc.return %x", "expected ':'", 2),
    Bad("cut_in_module", "opt", "builtin.module {\n", "found the end of the text", 2),
    Bad("open_string", "opt", 'func.func @f() attributes {a = "b}\n', "closing string literal", 1),
    Bad("open_long_string", "opt", 'func.func @f() attributes {a = "' + "b\\\\" * 500, "string", 1),
    Bad("bad_escape", "opt", 'func.func @f() attributes {a = "\\q"}', "string literal", 1),
    Bad("stray_brace", "opt", body("") + "}\n", "expected an operation, found }", 5),
]
NAMES = [
    Bad("unknown_op", "opt", body("nd.frob"), "operation nd.frob is not registered", 2),
    Bad("unknown_dialect", "opt", body('"foo.bar"() : () -> ()'), "foo.bar is not registered", 2),
    Bad("unknown_type", "opt", body("", signature="@f(%x: !foo.bar)"), "is not registered", 1),
    Bad("unknown_element", "opt", body("", signature="@f(%x: tensor<4xf33>)"), "shape type", 1),
    Bad("unknown_alias", "opt", body("", signature="@f(%x: tensor<4xi1, #m>)"), "alias '#m'", 1),
    Bad("alias_of_itself", "opt", "#m = [#m]\n", "undefined symbol alias '#m'", 1),
    Bad("undefined_value", "opt", body("func.return %z : i32"), "%z is used but not defined", 2),
    Bad("defined_twice", "opt", body(f"%x = {CONSTANT[5:]}1 : i32"), "already defined", 2),
    Bad("function_twice", "opt", body("") + body(""), 'redefinition of symbol "f"', 1),
    Bad("unknown_callee", "opt", body("func.call @g() : () -> ()"), "'@g' could not be found", 2),
    Bad("unknown_block", "opt", "func.func @f() {\n cf.br ^bb7\n}\n", "bb7", 3),
    Bad("too_many_results", "opt", body("%r:3 = arith.addi %x, %x : i32"), "given 3 to bind", 2),
]
TYPES = [
    Bad("two_types", "opt", body("%r = arith.addi %x, %y : i32"), "type i32, but has been", 2),
    Bad("float_add", "opt", body("%r = arith.addf %x, %x : i32"), "i32", 2),
    Bad("no_result", "opt", body("", signature="@f() -> i32"), "expected [i32], got []", 3),
    Bad("dense_shape", "opt", body(CONSTANT + "dense<[1, 2]> : tensor<3xi32>"), "mismatch", 2),
    Bad("dense_ragged", "opt", body(CONSTANT + "dense<[[1], [2, 3]]> : tensor<2x2xi8>"), "rank", 2),
    Bad("dense_hex", "opt", body(CONSTANT + 'dense<"0xZZ"> : tensor<2xf32>'), "invalid", 2),
    Bad("dense_cut", "opt", body(CONSTANT + 'dense<"0x12"> : tensor<2xf32>'), "", 2),
    Bad(
        "resource_blob",
        "opt",
        body("") + '{-# dialect_resources: { builtin: { w: "0xZZ" } } #-}',
        "resource w: expected 0x and hexadecimal bytes",
        5,
    ),
    Bad("dense_dynamic", "opt", body(CONSTANT + "dense<1> : tensor<?xi32>"), "static shape", 2),
    Bad("negative_size", "opt", body("", signature="@f(%a: tensor<-4xf32>)"), "shape type", 1),
    Bad("empty_vector", "opt", body("", signature="@f(%a: vector<0xf32>)"), "positive sizes", 1),
    Bad("missing_attribute", "opt", body('%r = "arith.constant"() : () -> i32'), "value", 2),
    Bad(
        "property_of_wrong_kind",
        "opt",
        body('%r = "arith.constant"() <{value = "one"}> : () -> i32'),
        "arith.constant",
        2,
    ),
]
ORDER = [
    Bad(
        "used_before_defined",
        "opt",
        body("%a = arith.addi %b, %b : i32", "%b = arith.addi %x, %x : i32"),
        "operand %b is used before its definition",
        2,
    ),
    Bad(
        "used_outside_its_region",
        "opt",
        'func.func @f() {\n"scf.execute_region"() ({\n%a = arith.constant 1 : i32\n'
        "scf.yield\n}) : () -> ()\nfunc.return %a : i32\n}\n",
        "%a is used but not defined",
        6,
    ),
    Bad(
        "not_on_every_way",
        "opt",
        "func.func @f(%c: i1) -> i32 {\ncf.cond_br %c, ^a, ^b\n^a:\n%v = arith.constant 1 : i32\n"
        "cf.br ^b\n^b:\nfunc.return %v : i32\n}\n",
        "operand %v is used before its definition",
        7,
    ),
    Bad(
        "branch_without_value",
        "opt",
        "func.func @f() {\ncf.br ^a\n^a(%v: i32):\nfunc.return\n}\n",
        "expected block arguments of types ['i32'], found []",
        2,
    ),
    Bad("no_body", "opt", "func.func @f()\n", "expected a body, or private visibility", 1),
    Bad(
        "no_terminator",
        "opt",
        "func.func @f(%x: i32) {\n%r = arith.addi %x, %x : i32\n}\n",
        "expected a terminator at the end of the block",
        2,
    ),
    Bad("code_after_return", "opt", body("func.return", "%r = arith.addi %x, %x : i32"), "", 3),
    Bad(
        "value_of_outer_function",
        "opt",
        "func.func @f(%x: i32) {\nfunc.func private @g() -> i32 {\nfunc.return %x : i32\n}\n"
        "func.return\n}\n",
        "IsolatedFromAbove",
        2,
    ),
]
SIZES = [
    Bad("huge_integer", "opt", body(f"{CONSTANT}{HUGE} : i64"), TOO_MANY_DIGITS, 2),
    Bad("integer_of_65_bits", "opt", body(f"{CONSTANT}{1 << 64} : i64"), "out of range", 2),
    Bad("huge_width", "opt", body("", signature="@f(%a: i99999999)"), "1 to 16777215 bits", 1),
    Bad("huge_width_digits", "opt", body("", signature=f"@f(%a: i{HUGE})"), TOO_MANY_DIGITS, 1),
    Bad("huge_size", "opt", body("", signature=f"@f(%a: tensor<{1 << 63}xi8>)"), "2^63", 1),
    Bad("huge_product", "opt", body("", signature="@f(%a: tensor<9999999999x9999999999xi8>)"),
        "expected fewer than 2^63 elements", 1),
    Bad("huge_stride", "opt",
        body("", signature=f"@f(%a: memref<4xf32, strided<[{1 << 70}]>>)"), "of 64 bits", 1),
    Bad("huge_splat", "opt", body(CONSTANT + "dense<1.0> : tensor<1000000x1000000xf32>"),
        "expected at most 268435456 bytes, found 4000000000000", 2),
    Bad("huge_bit_splat", "opt",
        body(CONSTANT + "dense<0x7F800000> : tensor<1000000x1000000xf32>"), "at most 268435456", 2),
    Bad("deep_regions", "opt",
        "func.func @f(%c: i1) {\n" + nested("scf.if %c {\n", "", "}\n") + "func.return\n}\n",
        TOO_DEEP, None),
    Bad("deep_modules", "opt", nested("builtin.module {\n", "", "}\n"), TOO_DEEP, None),
    Bad("deep_array", "opt", f"func.func @f() attributes {{a = {nested('[', '', ']')}}}",
        TOO_DEEP, 1),
    Bad("deep_tuple", "opt", body("", signature=f"@f(%a: {nested('tuple<', 'i1', '>')})"),
        TOO_DEEP, 1),
    Bad("deep_dense", "opt", body(f"{CONSTANT}dense<{nested('[', '1', ']')}> : tensor<1xi1>"),
        TOO_DEEP, 2),
    Bad("deep_map", "opt", f"#m = affine_map<(d0) -> ({nested('(', 'd0', ')')})>\n", TOO_DEEP, 1),
]  # fmt: skip
COMMAND = [
    Bad("unknown_pass", "opt", body(""), "unknown pass 'frob': expected one of", None,
        ("-p", "frob")),
    Bad("unknown_option", "opt", body(""), 'pass cse: Provided arguments ["a"] not found', None,
        ("-p", "cse{a=1}")),
    Bad("open_brace", "opt", body(""), '-p: expected "pass,pass{option=value}"', None,
        ("-p", "cse{a")),
    Bad("passes_of_commas", "opt", body(""), "-p: expected", None, ("-p", ",,")),
    Bad("unwritable_output", "opt", body(""), "cannot write /proc/none/x", None,
        ("-o", "/proc/none/x")),
]  # fmt: skip


def main_of(*lines: str, inside: str = "", signature: str = "(%x: tensor<4xf32>)") -> str:
    """`@main` of one argument and result, the first line on line 2."""
    head = f"func.func @main{signature} -> tensor<4xf32>{inside} {{"
    return "\n".join((head, *lines, "func.return %x : tensor<4xf32>", "}", ""))


POINTERS = "(%c: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr) -> i32 attributes {lamina.arguments = "
NOTED = "[tensor<4xf32>], lamina.results = [tensor<4xf32>]}"
ZERO = "%0 = llvm.mlir.constant(0 : i32) : i32"
DRAWN = ("--random-args",)

USED = ("%p = llvm.inttoptr %0 : i32 to !llvm.ptr", "llvm.store %0, %p : i32, !llvm.ptr")
RUN = [
    Bad("undefined_value", "run", main_of("nd.frob"), "nd.frob is not registered", 2, DRAWN),
    Bad("no_entry", "run", main_of(), "expected a function @g with a body, found none", None,
        (*DRAWN, "--entry", "g")),
    Bad("no_arguments", "run", main_of(), "expected 1 arguments, found 0", None),
    Bad("no_file", "run", main_of(), "cannot read none.npy: No such file", None,
        ("--args", "none.npy")),
    Bad("scalar_argument", "run", "func.func @main(%x: i32) -> i32 {\nfunc.return %x : i32\n}\n",
        "expected an entry function of tensors or buffers, found i32", 1, DRAWN),
    Bad("element_type", "run", main_of().replace("f32", "f8E5M2"),
        "expected an nd element type, found f8E5M2", 1, DRAWN),
    Bad("strided_argument", "run",
        "func.func @main(%x: memref<4xf32, strided<[2]>>) {\nfunc.return\n}\n",
        "expected an entry function of contiguous buffers", 1, DRAWN),
    Bad("recursion", "run", main_of("func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>"),
        "bufferize: expected a call of a private function with a body, found @main", 2, DRAWN),
    Bad("recursion_interpreted", "run",
        main_of("func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>"),
        "func.call: expected at most", 2, (*DRAWN, "--interpret")),
    Bad("declared_function", "run",
        "func.func private @g() -> ()\n" + main_of("func.call @g() : () -> ()"),
        "found @g", 3, DRAWN),
    Bad("branches", "run", main_of("cf.br ^a", "^a:"), "expected a function of one block", 1,
        DRAWN),
    Bad("two_levels", "run", main_of("%n = nd.negative %x : tensor<4xf32>", ZERO, *USED),
        "llvm.mlir.constant: expected an operation of the loop level", 3, DRAWN),
    Bad("resource_missing", "run",
        main_of("%w = nd.constant dense_resource<w> : tensor<9xf32>"),
        "resource w: expected 36 bytes, found none", 2, DRAWN),
    Bad("huge_argument", "run", main_of().replace("4x", "4000000000000x"),
        "expected enough memory, found too little", None, DRAWN),
    Bad("false_note", "run",
        main_of(inside=" attributes {lamina.arguments = [tensor<9xf32>], lamina.results = []}"),
        "lamina.arguments, lamina.results: expected the function's own types", 1, DRAWN),
    Bad("false_size_note", "run", main_of(inside=" attributes {lamina.result_sizes = i1}"),
        "lamina.result_sizes: expected sizes such as", 1, DRAWN),
    Bad("pointers_without_note", "run",
        f"llvm.func @main(%c: !llvm.ptr) -> i32 {{\n{ZERO}\nllvm.return %0 : i32\n}}\n",
        "with attributes lamina.arguments and lamina.results, found none", 1, DRAWN),
    Bad("too_few_pointers", "run",
        f"llvm.func @main{POINTERS.replace(', %y: !llvm.ptr', '')}{NOTED} {{\n{ZERO}\n"
        "llvm.return %0 : i32\n}\n",
        "expected 3 pointers (context, arguments, results)", 1, DRAWN),
    Bad("undefined_symbol", "run",
        f"llvm.func @g() -> i32\nllvm.func @main{POINTERS}{NOTED} {{\n"
        "%0 = llvm.call @g() : () -> i32\nllvm.return %0 : i32\n}\n",
        "engine: expected an address for g, found none", None, DRAWN),
]  # fmt: skip

TABLE: list[Bad] = [*TEXT, *NAMES, *TYPES, *ORDER, *SIZES, *COMMAND, *RUN]
