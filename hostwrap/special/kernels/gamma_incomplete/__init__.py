"""Derivatives of the incomplete gamma functions in both arguments, and of their inverses."""
