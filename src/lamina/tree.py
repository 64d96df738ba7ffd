"""Trees of arrays: nested dicts, lists, tuples, named tuples, dataclasses, registered classes."""

from lamina.frontend.tree import Tree, flatten, map_leaves, paths, register, unflatten

__all__ = ["Tree", "flatten", "map_leaves", "paths", "register", "unflatten"]
