"""Zeta functions and their derivatives."""
