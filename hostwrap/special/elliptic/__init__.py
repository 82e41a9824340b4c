"""Elliptic integrals and functions, ellipsoidal harmonics."""
