"""Eigenpairs of symmetric tridiagonal matrices and their derivatives in a parameter."""
