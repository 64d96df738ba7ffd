"""From the `llvm` dialect to machine code, and what runs it."""

if __name__ != "lamina.backend":
    raise ImportError(
        f"import lamina.backend, not {__name__}: a second import makes a second set of classes"
    )
