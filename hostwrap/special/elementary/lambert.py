"""d^n/dz^n of Lambert's W on any branch, n = 1, 2, ..., right up to the branch point z = -1/e.

W^(n) = exp(-n W) P_n(W) / (1 + W)^(2n - 1) with P_1 = 1, P_{n+1} = (1 + W) P_n' - (n W + 3n - 1) P_n (Corless et al.
1996, Adv. Comp. Math. 5, 329). Next to the branch point 1 + W has lost half its digits; there it is solved for anew.
"""

import functools
import math

import numpy as np
import scipy.special as sc
from numpy.polynomial import Polynomial

from hostwrap.special._numerics.behind import ufunc_behind
from hostwrap.special._numerics.parts import as_complex, compose
from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.error.gauss import product

E_HIGH, E_LOW = math.e, 1.4456468917292502e-16  # e as a sum of two doubles
TOLERANCE = 1e-8  # SciPy's own
NEAR = 0.1  # of |e z + 1|
SERIES = [(k - 1) / math.factorial(k) for k in range(2, 22)]  # (u - 1) e^u + 1 = u^2/2 + u^3/3 + u^4/8 + ...
STEPS = 4
CLOSE = 1e-6  # nearer, SciPy's W does not tell the two branches that meet there from each other

_LAMBERTW = ufunc_behind(sc.lambertw)


def lambertw(z, k, *, tol):
    """SciPy's loop, without its Python."""
    return (_LAMBERTW or sc.lambertw)(as_complex(z), k.real.astype(np.int64), tol)


def lambertw_n(z, k, *, dz):
    return _lambertw_n(as_complex(z), k, n=dz)


@pointwise
def _lambertw_n(z, k, *, n):
    w = lambertw(z, k, tol=TOLERANCE)
    excess = _excess(z)
    branching = (np.abs(excess) < NEAR) & (np.abs(w + 1) < 1)
    cases = [
        ((z == 0) & (k != 0), lambda z, w, excess, k: np.full_like(z, (-1) ** (n - 1) * np.inf)),
        (np.isinf(w), lambda z, w, excess, k: np.zeros_like(z)),
        (branching, lambda z, w, excess, k: _near(excess, w, k, n)),
        (np.abs(w) < 1, lambda z, w, excess, k: np.exp(-n * w) * _rational(w, w + 1, n)),
        (None, lambda z, w, excess, k: (w / z) ** n * _rational(w, w + 1, n)),
    ]
    return piecewise([z, w, excess, k], cases)


def _rational(w, u, n):
    value = np.zeros_like(w)
    for c in _polynomial(n).coef[::-1]:
        value = value * w + c
    return value / u ** (2 * n - 1)


@functools.cache
def _polynomial(n):
    if n == 1:
        return Polynomial([1.0])
    m, last = n - 1, _polynomial(n - 1)
    return Polynomial([1.0, 1.0]) * last.deriv() - Polynomial([3.0 * m - 1, m]) * last


def _excess(z):
    """e z + 1, also where it cancels; on the side of the cut that z is on."""
    (real, error), (imag, rest) = product(z.real, E_HIGH), product(z.imag, E_HIGH)
    return compose((real + 1) + (error + z.real * E_LOW), np.copysign(imag + (rest + z.imag * E_LOW), z.imag))


def _near(excess, w, k, n):
    """From u = 1 + W, the solution of (u - 1) e^u + 1 = e z + 1, by Newton's method."""
    p = np.sqrt(2 * excess)
    other = np.abs(1 + w - p) > np.abs(1 + w + p)
    p = np.where(np.where(np.abs(p) < CLOSE, k.real != 0, other), -p, p)
    u = p * (1 - p / 3 * (1 - 11 / 24 * p))
    for _ in range(STEPS):
        value = np.zeros_like(u)
        for c in SERIES[::-1]:
            value = value * u + c
        u = u - (value * u * u - excess) / (u * np.exp(u))
    return np.exp(n * (1 - u)) * _rational(u - 1, u, n)
