"""Passes that go one level down."""

if __name__ != "lamina.lowering":
    raise ImportError(
        f"import lamina.lowering, not {__name__}: a second import makes a second set of classes"
    )
