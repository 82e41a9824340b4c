"""Derivatives of distribution functions that are neither incomplete gamma nor incomplete beta functions."""
