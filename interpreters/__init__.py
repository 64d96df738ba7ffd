"""What each `nd` op means, in NumPy: eager mode, constant folding and the tests' oracle."""

if __name__ != "lamina.interpreters":
    raise ImportError(
        f"import lamina.interpreters, not {__name__}: a second import makes a second set of classes"
    )

from lamina.interpreters.meaning import MEANING, call, forbid

__all__ = ["MEANING", "call", "forbid"]
