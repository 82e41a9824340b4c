"""Elementwise functions: partial derivatives of any order, many of them in one host call."""
