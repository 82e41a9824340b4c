"""Orthogonal polynomials of real degree, Legendre functions, spherical harmonics."""
