"""Copies of Python functions and classes in which other things stand in place of what they reach."""

EXTERNAL = ("scipy._external", "scipy._lib")  # where SciPy keeps code of others: from 1.18 on, and before
