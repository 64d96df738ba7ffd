"""Passes that stay on their level."""

if __name__ != "lamina.transforms":
    raise ImportError(
        f"import lamina.transforms, not {__name__}: a second import makes a second set of classes"
    )
