"""Numerical tools that families share: broadcasting, jets, quadrature, tridiagonal matrices. `mp_*` uses mpmath."""
