"""Operations, types and attributes: what a level can say, and how it is checked."""

if __name__ != "lamina.dialects":
    raise ImportError(
        f"import lamina.dialects, not {__name__}: a second import makes a second set of classes"
    )
