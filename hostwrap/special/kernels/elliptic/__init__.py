"""Elliptic integrals and functions."""
