"""Calling a function on NumPy arrays, and checking what it returns; nothing here knows JAX."""
