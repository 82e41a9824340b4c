"""Copies of Python functions and classes, in which the objects that they refer to are replaced by others."""

EXTERNAL = ("scipy._external", "scipy._lib")  # where SciPy keeps vendored code: since 1.18, and before
