"""Where SciPy's loops do not come to an end: their steps are as many as a number says."""

import numpy as np

from hostwrap.special.hypergeometric.unsafe import gauss

HIGHEST_DEGREE = 10**8  # a second


def long_recurrence(n, *_):
    """Polynomials of integer degree (of the loops for integers) by recurrence from degree 0: at 2^62, for ever."""
    return (n > HIGHEST_DEGREE) | (n < -HIGHEST_DEGREE) if n.dtype.kind == "i" else np.False_


def as_gauss(parameters):
    """Of complex x SciPy computes these polynomials as 2F1 of such parameters and an argument."""

    def endless(*args):
        bad = long_recurrence(args[0])
        return bad | gauss(*parameters(*args)) if np.iscomplexobj(args[-1]) else bad

    return endless


legendre = as_gauss(lambda n, x: (-n, n + 1.0, np.float64(1.0), (1 - x) / 2))
sh_legendre = as_gauss(lambda n, x: (-n, n + 1.0, np.float64(1.0), 1 - x))
jacobi = as_gauss(lambda n, alpha, beta, x: (-n, n + alpha + beta + 1, alpha + 1, (1 - x) / 2))
sh_jacobi = as_gauss(lambda n, p, q, x: (-n, n + p, p - q + 1, 1 - x))
gegenbauer = as_gauss(lambda n, alpha, x: (-n, n + 2 * alpha, alpha + 0.5, (1 - x) / 2))
chebyshev_t = as_gauss(lambda n, x: (-n, n, np.float64(0.5), (1 - x) / 2))
chebyshev_u = as_gauss(lambda n, x: (-n, n + 2.0, np.float64(1.5), (1 - x) / 2))
chebyshev_c = as_gauss(lambda n, x: (-n, n, np.float64(0.5), (2 - x) / 4))
chebyshev_s = as_gauss(lambda n, x: (-n, n + 2.0, np.float64(1.5), (2 - x) / 4))
sh_chebyshev_t = as_gauss(lambda n, x: (-n, n, np.float64(0.5), 1 - x))
sh_chebyshev_u = as_gauss(lambda n, x: (-n, n + 2.0, np.float64(1.5), 1 - x))
