"""Sums of polynomials in one variable, of numbers, of NumPy and of JAX."""


def polynomial(coefficients, s):
    """Horner's rule; the lowest power first."""
    total = coefficients[-1]
    for a in coefficients[-2::-1]:
        total = total * s + a
    return total


def chebyshev(coefficients, t):
    """Clenshaw's recurrence (DLMF 3.11.15)."""
    one, two = 0.0, 0.0
    for a in coefficients[:0:-1]:
        one, two = 2 * t * one - two + a, one
    return t * one - two + coefficients[0]
