"""Incomplete gamma functions, their inverses, and the distributions that are made of them."""
