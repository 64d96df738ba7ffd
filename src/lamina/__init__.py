"""Lamina: a multi-level tensor compiler. The public names, nothing else."""
