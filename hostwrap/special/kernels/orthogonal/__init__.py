"""Orthogonal polynomials of real degree: Jacobi, Laguerre, Chebyshev, and associated Legendre functions."""
