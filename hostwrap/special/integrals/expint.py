"""The generalized exponential integral E_n(x) of any integer order, n <= 0 included, x >= 0."""

import itertools

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import gauss_legendre, sums
from hostwrap.special._numerics.until import until

HIGH = 50  # from here on SciPy's own has an expansion for large orders, good to 8 digits only
NODES = 20
MOST = 1_000_000  # as many terms as -n; for lower orders NaN
ENDS = (0.0, 0.75, 3.0, 8.0, 18.0, 45.0)


@pointwise
def expint(n, x):
    return piecewise(
        [n, np.minimum(x, 1e300) + 0.0],  # -0.0 is 0.0 here
        [
            (~(x >= 0), lambda n, x: np.full_like(x, np.nan)),
            (n <= 0, _elementary),
            (n < HIGH, lambda n, x: sc.expn(n.astype(np.int64), x)),
            (n < np.inf, _by_quadrature),
        ],
    )


def _elementary(n, x):
    """E_{-m}(x) = exp(-x)/x (1 + m/x (1 + (m-1)/x (1 + ... (1 + 1/x)))), DLMF 8.19.1 with 8.4.8."""

    def deeper(turn, total, n, x):
        k = turn + 1
        return np.where(k <= -n, 1 + k * total / x, total), k < -n

    total = until(deeper, [1.0], [n, x], MOST)[0]
    return np.exp(-x) * total / x


def _by_quadrature(n, x):
    """E_n(x) = exp(-x) int_0^inf exp(-x (e^s - 1) - (n - 1) s) ds, DLMF 8.19.3 with t = e^s."""
    y, w = gauss_legendre(NODES)
    nodes = np.concatenate([a + (b - a) * y for a, b in itertools.pairwise(ENDS)])
    weights = np.concatenate([(b - a) * w for a, b in itertools.pairwise(ENDS)])

    def terms(node, weight, n, x):
        s = node / (n - 1 + x)
        return [weight * np.exp(-x * np.expm1(s) - (n - 1) * s)]

    return np.exp(-x) * sums(terms, [nodes, weights], [n, x])[0] / (n - 1 + x)
