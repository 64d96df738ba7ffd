"""Reading a tool's input file."""

from __future__ import annotations

import sys

from lamina.errors import IRError, OptionError


def read_text(path: str | None, shown_as: str) -> str:
    """The UTF-8 text of the file `path`; of standard input for None and "-".

    shown_as: the name that errors use.
    """
    try:
        if path in (None, "-"):
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
        return data.decode("utf-8")
    except OSError as error:
        raise OptionError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise IRError(
            f"expected UTF-8 text, found byte 0x{error.object[error.start]:02x}",
            place=f"{shown_as}:{line}",
        ) from error
