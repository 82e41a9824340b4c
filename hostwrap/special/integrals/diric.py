"""The Dirichlet kernel sin(n r) / (n sin r), r = x/2, and its derivatives in x."""

from math import comb

import numpy as np

from hostwrap.special._numerics.pointwise import pointwise
from hostwrap.special.integrals.integrands import cardinal_n

NEAR = 1e-7  # of the sine: there SciPy takes the limit


def diric(x, n):
    """SciPy's periodic sinc function, the same steps made of loops alone."""
    n, half = n + (x - x), x / 2
    sine = np.sin(half)
    near = np.abs(sine) < NEAR
    limit = np.power(-1.0, np.round(half / np.pi) * (n - 1))
    value = np.where(near, limit, np.sin(n * half) / (n * sine))
    return np.where((n > 0) & (n == np.floor(n)), value, np.nan)


@pointwise
def diric_n(x, n, *, dx):
    """The m-th derivative, as a quotient of two functions sin(t)/t, of which the lower one has no zeros.

    r is reduced to (-pi/2, pi/2): every multiple of pi changes the sign if n is even.
    """
    r = np.arctan(np.tan(x / 2))
    turns = np.round((x / 2 - r).real / np.pi)
    sign = np.where((turns * (n - 1)) % 2 == 0, 1.0, -1.0)
    lower = [cardinal_n(r, c=-1, n=k) for k in range(dx + 1)]
    jet: list[np.ndarray] = []
    for k in range(dx + 1):
        upper = n**k * cardinal_n(n * r, c=-1, n=k)
        jet.append((upper - sum(comb(k, q) * lower[q] * jet[k - q] for q in range(1, k + 1))) / lower[0])
    return np.where((n > 0) & (n == np.round(n)), sign * jet[dx] / 2**dx, np.nan)
