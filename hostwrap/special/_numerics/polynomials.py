"""Polynomials in one variable, for NumPy and JAX arrays."""


def polynomial(coefficients, s):
    """A polynomial by Horner's rule; the lowest power comes first."""
    total = coefficients[-1]
    for a in coefficients[-2::-1]:
        total = total * s + a
    return total


def chebyshev(coefficients, t):
    """A Chebyshev series by Clenshaw's recurrence (DLMF 3.11.15)."""
    one, two = 0.0, 0.0
    for a in coefficients[:0:-1]:
        one, two = 2 * t * one - two + a, one
    return t * one - two + coefficients[0]
