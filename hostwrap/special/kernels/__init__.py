"""Numerical kernels in NumPy: the derivatives that have no closed form. No JAX here."""
