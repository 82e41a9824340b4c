"""The first derivative of P(a, x) in the shape a, made of loops alone, so that it runs without Python.

The integral of `shape.py`, on one panel as long as the integrand is of account; below x = 1 the power series. Both are
computed at every point, and `np.where` takes the one that holds.
"""

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special.kernels._quadrature import gauss_legendre
from hostwrap.special.kernels.gamma.gamma import BERNOULLI
from hostwrap.special.kernels.gamma_incomplete import _scale

SERIES_TERMS = 20
NODES = 36
DEPTH = 40.0  # e^-40 is 4e-18
BISECTIONS = 12  # from nine powers of ten to one per cent
COTH = [2 * BERNOULLI[2 * k] / math.factorial(2 * k) for k in range(8, 0, -1)]  # t coth(t/2) = 2 + t^2 (..), DLMF 4.33.2


def relative(a, x):
    """dP/da divided by x^a e^-x / Gamma(a + 1)."""
    return np.where(x < 1, _series(a, x), _integral(a, x))


def _series(a, x):
    """As in shape.py: (1 + a S) (log x - psi(a + 1)) + d(a S)/da, S = sum over k >= 1 of (-x)^k / (k! (a + k))."""
    power, total, slope = 1.0, 0.0, 0.0
    for k in range(1, SERIES_TERMS + 1):
        power = power * -x / k
        term = power / (a + k)
        total, slope = total + term, slope - term / (a + k)
    return np.exp(x) * (_scale.score(a + 1, x) * (1 + a * total) + (a * slope + total))


def _integral(a, x):
    growth = _scale.score(a, x)
    side = np.where(growth < 0, -1.0, 1.0)
    signed = side * _reach(a, x, side)
    # of Gamma(a + 1) t^-a d/da (t^a / Gamma(a)) as a polynomial in log t; for small a without psi(a), which is large
    small = a < 1
    constant = np.where(small, np.where(a == 0, 1.0, -a * sc.psi(a)), 0.0)
    origin = np.where(small, np.log(x), growth)

    def term(node, weight):
        t = signed * node
        h = x * exp_minus(t) + (x - a) * t
        return weight * np.exp(-h) * (a * (origin + t) + constant)

    return -signed * _over_nodes(term, isinstance(signed, np.ndarray))


def _over_nodes(term, at_once):
    """The sum, in the order of the nodes; of arrays with all nodes at once, which makes no other bits."""
    nodes, weights = gauss_legendre(NODES)
    if at_once:
        return functools.reduce(np.add, term(nodes[:, None], weights[:, None]))
    return functools.reduce(np.add, map(term, nodes.tolist(), weights.tolist()))


def _reach(a, x, side):
    """How far h(s) = x (e^(side s) - 1) - side a s is below DEPTH, within one per cent."""
    high = np.where(side < 0, (50 + x) / a, np.sqrt(100 / x))
    low = 1e-9 * high
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        t = side * middle
        deep = x * (np.expm1(t) - t) + (x - a) * t > DEPTH
        low, high = np.where(deep, low, middle), np.where(deep, middle, high)
    return high


def exp_minus(t):
    """e^t - 1 - t; for small t it is t^2 (1 - t D) / (2 - t + t^2 D) with t coth(t/2) = 2 + t^2 D."""
    square = t * t
    d = _scale.polynomial(COTH, square)
    return np.where(np.abs(t) < 0.5, square * (1 - t * d) / (2 - t + square * d), np.expm1(t) - t)
