"""Copies of Python functions and classes in which other things stand in place of what they reach."""
