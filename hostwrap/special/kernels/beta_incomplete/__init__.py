"""Derivatives of the regularized incomplete beta function in its parameters, and of what is made of it."""
