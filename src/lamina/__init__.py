"""Lamina: a multi-level tensor compiler. The public names, nothing else."""

from lamina.frontend.array import Array
