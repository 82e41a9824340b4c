"""Gamma and polygamma functions, and quotients of gamma functions."""
