"""What a user writes: arrays, functions, tracing. It ends in `nd` IR."""

if __name__ != "lamina.frontend":
    raise ImportError(
        f"import lamina.frontend, not {__name__}: a second import makes a second set of classes"
    )
