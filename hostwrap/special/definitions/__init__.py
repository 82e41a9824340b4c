"""Definitions that are too long for their entries, in the terms of mpmath, which is their first argument."""
