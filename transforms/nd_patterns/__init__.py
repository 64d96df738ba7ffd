"""The patterns of `canonicalize-nd`, by family: tables op class -> functions.

A pattern looks at an op and gives the value that stands for its result (None: it does not apply).
It changes nothing but by `NdRewriter.make`, which puts new ops before the one that is looked at.
"""
