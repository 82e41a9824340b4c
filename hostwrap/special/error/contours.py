"""High derivatives of w(z) and of Dawson's integral F by integrals along lines beside the real axis.

w(z) = (i/pi) int exp(-t^2) / (z - t) dt (DLMF 7.7.2), below z. The n-th derivative has the power n + 1 of 1 / (z - t),
so next to the pole the integrand is larger than the whole by a factor that grows as n! does. It is not on the line
through the saddle t of exp(-t^2) / (z - t)^(n+1), which lies below the real axis: t^2 - z t + (n + 1)/2 = 0. Where
Im z is small, w(z) = exp(-z^2) + 2i/sqrt(pi) F(z), and F is the mean of this line and of its mirror image, whose
terms go together: so a small imaginary part keeps its digits.
"""

import math

import numpy as np

from hostwrap.special._numerics.parts import compose
from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.quadrature import trapezoids

FIRST = 5  # from this order on the nodes of `faddeeva` may come too near to the pole
NODES, WIDTH = 400, 6.5
LOST, GONE = 4.0, -37.0  # logarithms: of what rounding may grow by, and of rounding
LEAST = 1.0  # distance of the line from the real axis
BESIDE = 0.125  # Im z, in this distance


def is_needed(z, n, step, last):
    """Where nodes at this step, as far as the last one, are not as good.

    The term of the node next to the pole may be larger than the whole, or beyond the last node; or the derivatives of
    tan(pi z / h) at the pole, polynomials in the tangent of the size of n! (4 / pi)^n, may cancel.
    """
    t = _saddle(z, n)
    whole = (t.imag**2 - t.real**2) - (n + 1) * np.log(np.abs(z - t))
    term = -(z.real**2) - (n + 1) * np.log(np.maximum(step / 4, np.abs(z.imag)))
    pole = (z.imag**2 - z.real**2) - 2 * math.pi / step * z.imag + n * math.log(4 / step)
    near = z.imag < math.pi / step  # beyond there is no pole
    return (term > whole + np.where(np.abs(z.real) < last, LOST, GONE)) | near & (pole > whole + LOST)


def _saddle(z, n):
    z = compose(z.real, np.maximum(z.imag, 1e-9))  # on its side of the cut of the root
    return (z - 1j * np.sqrt(2.0 * (n + 1) - z * z)) / 2


def _line(z, n):
    return np.maximum(LEAST, -_saddle(z, n).imag)


def wofz_n(z, gaussian, n):
    """w_n, for Im z >= 0, given the n-th derivative of exp(-z^2)."""
    c = _line(z, n)
    return piecewise(
        [z, gaussian, c],
        [
            (z.imag < BESIDE * c, lambda z, gaussian, c: gaussian + 1j * _on_both(z, c, n)),
            (None, lambda z, _, c: _on_one(z, c, n)),
        ],
    )


def dawsn_n(z, n):
    """F_n, for real z."""
    return math.sqrt(math.pi) / 2 * _on_both(z, _line(z + 0j, n), n)


def _on_one(z, c, n):
    def terms(u):
        wave = np.exp(compose((c - u) * (c + u), 2 * u * c))
        return [wave * _power(1 / (z - compose(u, -c)), n + 1)]

    return 1j * _scale(n) * trapezoids(terms, *_range(z), NODES)[0]


def _on_both(z, c, n):
    """Of A = 1 / (z - u + ic), B = 1 / (z - u - ic) and a Gaussian g the sum g A^m + conj(g) B^m, m = n + 1.

    By Newton's identities, with real coefficients but for z.
    """

    def terms(u):
        size, less = np.exp((c - u) * (c + u)), z - u
        product = 1 / (less * less + c * c)
        before = size * np.cos(2 * u * c)
        now = product * (before * less + size * np.sin(2 * u * c) * c)
        for _ in range(n):
            before, now = now, product * (2 * less * now - before)
        return [now]

    return _scale(n) * trapezoids(terms, *_range(z), NODES)[0]


def _range(z):
    middle = z.real / 2
    return middle - (np.abs(middle) + WIDTH), middle + (np.abs(middle) + WIDTH)


def _scale(n):
    return (-1) ** n * math.factorial(n) / math.pi


def _power(x, m):
    if m == 1:
        return x
    half = _power(x, m // 2)
    return half * half * x if m % 2 else half * half
