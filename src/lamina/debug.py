"""Seeing into programs that run, eager and compiled."""

from lamina.frontend.debug import check, print

__all__ = ["check", "print"]
