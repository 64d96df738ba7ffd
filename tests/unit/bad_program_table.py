"""Programs that are wrong, as rows of the table of bad inputs: eager and compiled alike."""

from __future__ import annotations

from bad_input_table import Bad

HEAD = "import numpy as np\nimport lamina as lm\nx = lm.ones((2, 3), dtype=lm.float32)\n"


def program(name: str, text: str, error_class: str, message: str, line: int | None = 4) -> Bad:
    """A row; the text begins on line 4."""
    return Bad(name, "python", HEAD + text, message, line, error_class=error_class)


def both(name: str, expression: str, error_class: str, message: str) -> list[Bad]:
    """The same expression of `x`, eager and compiled: one class, one text, the user's line."""
    return [
        program(f"{name}_eager", f"y = {expression}\n", error_class, message),
        program(
            f"{name}_jit",
            f"f = lm.jit(lambda x: {expression})\nf(x)\n",
            error_class,
            message,
        ),
    ]


PROGRAMS: list[Bad] = [
    *both("broadcast", "x + lm.ones((4,))", "ShapeError", "(2, 3) and (4,)"),
    *both("axis", "lm.sum(x, axis=2)", "AxisError", "found 2"),
    *both("axis_twice", "lm.sum(x, axis=(0, -2))", "AxisError", "distinct axes"),
    *both("int_sin", "lm.sin(lm.astype(x, lm.int32))", "DTypeError", "int32"),
    *both("matmul", "x @ x", "ShapeError", "(2, 3) and (2, 3)"),
    *both("reshape", "lm.reshape(x, (4, 2))", "ShapeError", "(4, 2)"),
    *both("concat", "lm.concat([x, lm.ones((2, 4))], axis=0)", "ShapeError", "(2, 4)"),
    *both("index", "x[5]", "IndexRangeError", "5"),
    *both("index_count", "x[0, 0, 0]", "IndexRangeError", "3"),
    *both("permute", "lm.permute_dims(x, (0, 0))", "AxisError", "(0, 0)"),
    *both("empty_max", "lm.max(x[:0], axis=0)", "ShapeError", "max"),
    *both("conv_channels", "lm.conv(x[None, :, :, None], lm.ones((1, 7, 1, 1)))",
          "ShapeError", "channels"),
    *both("negative_size", "lm.zeros((-1,)) + x[0, 0]", "ShapeError", "-1"),
    *both("string", "lm.add(x, 'a')", "ArgumentError", "str"),
    *both("object", "lm.asarray(np.array([object()]))", "DTypeError", "object"),
    *both("int_range", "lm.astype(x, lm.int8) + 300", "DTypeError", "300"),
    program("bool_of_traced", "f = lm.jit(lambda x: 1 if x[0, 0] > 0 else 2)\nf(x)\n",
            "TraceError", "lm.where"),
    program("float_of_traced", "f = lm.jit(lambda x: float(x[0, 0]))\nf(x)\n",
            "TraceError", "float"),
    program("numpy_of_traced", "f = lm.jit(lambda x: np.asarray(x))\nf(x)\n",
            "TraceError", "traced"),
    program("escaped", "kept = []\nlm.jit(lambda x: kept.append(x) or x + 1)(x)\ny = kept[0] + 1\n",
            "TraceError", "trace", 6),
    program("wrong_arguments", "f = lm.jit(lambda x: x)\nf(x, x)\n",
            "ArgumentError", "argument", 5),
    program("executable_shape",
            "e = lm.jit(lambda x: x + 1).lower(x).compile()\ne(lm.ones((4,)))\n",
            "ArgumentError", "(4,)", None),
    program("level", "lm.jit(lambda x: x + 1).lower(x).ir('frob')\n",
            "ArgumentError", "frob", None),
    program("option", "f = lm.jit(lambda x: x, frob=1)\n", "OptionError", "frob", None),
    program("fusion", "f = lm.jit(lambda x: x, fusion=7)\n", "OptionError", "fusion", None),
    program("mode", "f = lm.jit(lambda x: x, mode='fast')\n", "OptionError", "fast", None),
    program("cpu", "f = lm.jit(lambda x: x + 1, cpu='frob')\nf(x)\n", "OptionError", "frob", None),
    program("no_function", "f = lm.jit(3)\n", "ArgumentError", "int", None),
    program("threads", "lm.set_num_threads(0)\n", "OptionError", "1024", None),
    program("read_only", "a = np.ones(3)\na.flags.writeable = False\n"
            "def f(a):\n    a[0] = 2\n    return a\nlm.jit(f)(a)\n",
            "MutationError", "read-only", None),
]  # fmt: skip
