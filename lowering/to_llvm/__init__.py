"""The parts of `convert-to-llvm`: one file a family of operations.

`builder` appends llvm operations; `state` holds what is known while one function is lowered;
`arith`, `vector`, `memref` and `control` each export `HANDLERS`, a table from operation class to
the function that lowers it; `abi` says how a function's values become machine arguments.
"""
