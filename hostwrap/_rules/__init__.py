"""Derivative rules of a wrapped function: one file for each kind, and `define`, which attaches them."""
