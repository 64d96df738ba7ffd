"""lit's configuration of a pass outside Lamina: `lit examples/own_pass`."""

from pathlib import Path

from lamina.testing.lit import configure

HERE = str(Path(__file__).parent)
configure(config, name="own-pass", python_path=(HERE,))  # noqa: F821 (lit defines it)
config.excludes += ["count_generics.py"]  # noqa: F821
