"""Polygamma functions and the derivatives of 1/Gamma, for real and complex arguments, right up to the poles.

psi_n is the n-th derivative of psi = Gamma'/Gamma. For Re z < 0 all come from the reflection formula, in which a
cotangent contains the poles. SciPy's own values lose digits next to the negative integers.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_python, piecewise, piecewise_jets, pointwise, tape_of
from hostwrap.special._numerics.trigpi import cotpi_n, sinpi_n
from hostwrap.special._numerics.until import until

BERNOULLI = sc.bernoulli(24)  # B_0 .. B_24
USUAL = 8  # orders that a recorded program contains where the order is an argument


@pointwise
def polygamma(n, z):
    """psi_n(z) for integers n >= 0 and real or complex z.

    At the poles it is infinite for odd n, where both sides agree, and NaN for even n. At 0.0 and -0.0 the sign of the
    zero chooses the side.
    """
    if tape_of(n) is None:
        return _of_orders(n, z, np.unique(n.real[n.real >= 0]))
    above = [(n.real > USUAL, in_python(polygamma))]
    return _of_orders(n, z, range(USUAL + 1), above)


def _of_orders(n, z, orders, others=()):
    return piecewise(
        [n, z], [*((n == order, functools.partial(_of_order, order)) for order in orders), *others]
    )


def _of_order(order, n, z):
    return psi_n(z, int(order))


def psi_n(z, n):
    """psi_n(z) for one order n."""
    return piecewise([z], [(np.real(z) < 0, lambda z: _reflected(z, n)), (None, lambda z: psi_right(z, n))])


def _reflected(z, n):
    """DLMF 5.15.6: psi_n(z) = (-1)^n psi_n(1 - z) - d^n/dz^n (pi cot(pi z))."""
    value = (-1) ** n * psi_right(1 - z, n) - math.pi * cotpi_n(z, n)
    pole = (z == np.round(np.real(z))) & (n % 2 == 0)
    return np.where(pole, np.nan, value)


def psi_right(z, n):
    """psi_n(z) for Re z >= 0. DLMF 25.11.12: psi_n(z) = (-1)^(n+1) n! zeta(n + 1, z)."""
    if n == 0:
        return sc.psi(z)
    zeta = _zeta(n + 1, z) if np.iscomplexobj(z) else sc.zeta(n + 1, z)
    value = (-1) ** (n + 1) * sc.gamma(n + 1) * zeta
    if n % 2 or np.iscomplexobj(z):
        return value
    return np.where((z == 0) & np.signbit(z), np.inf, value)  # -0.0 lies below the pole


def _zeta(s, z):
    """zeta(s, z), integer s > 1, complex z with Re z >= 0: the recurrence up to |z| > 15 + s, then DLMF 25.11.43."""

    def up(_, z, total):
        small = np.abs(z) < 15 + s
        z, total = np.where(small, z + 1, z), np.where(small, total + z**-s, total)
        return z, total, np.abs(z) < 15 + s

    z, total = until(up, [z, np.zeros_like(z)], [], 16 + s)
    w = 1 / z  # whose powers overflow only where the function does
    square, series = w * w, 0 * z
    for k in range(11, 0, -1):
        series = (series + BERNOULLI[2 * k] * math.comb(s + 2 * k - 2, s - 1) / (2 * k)) * square
    return total + math.prod([w] * (s - 1)) * (1 / (s - 1) + (w / 2 + series))


@pointwise
def rgamma_n(z, *, dz):
    """d^n/dz^n 1/Gamma(z), an entire function; real or complex z."""
    return piecewise([z], [(mask, lambda z, f=f: f(z, dz)[dz]) for mask, f in _rgamma_cases(z)])


def rgamma_jet(z, n):
    """The derivatives up to the n-th, stacked; z is flat."""
    return piecewise_jets([z], n, [(mask, lambda z, f=f: np.stack(f(z, n))) for mask, f in _rgamma_cases(z)])


def _rgamma_cases(z):
    return [((np.real(z) < 0.5) & (np.abs(np.imag(z)) <= 1), _rgamma_reflected), (None, _rgamma_regular)]


def _rgamma_regular(z, n):
    psi = psi_n if np.iscomplexobj(z) else psi_right
    value, slopes = sc.rgamma(z), exponentials(lambda k: -psi(z, k - 1), n)
    return [np.where(value == 0, 0.0, value * slope) for slope in slopes]


def _rgamma_reflected(z, n):
    """By Leibniz from Gamma(1 - z) sin(pi z) / pi, DLMF 5.5.3: regular in the zeros of 1/Gamma."""
    slopes = exponentials(lambda k: (-1) ** k * psi_right(1 - z, k - 1), n)
    value, waves = sc.gamma(1 - z), [sinpi_n(z, k) for k in range(n + 1)]
    sums = (sum(math.comb(m, k) * slopes[m - k] * waves[k] for k in range(m + 1)) for m in range(n + 1))
    return [value * (total / math.pi) for total in sums]


def exponential(logs, n):
    """(e^f)^(n) / e^f, from the derivatives f^(k) = logs(k), k = 1 .. n."""
    return exponentials(logs, n)[n]


def exponentials(logs, n):
    """The same for all orders up to n, as a list."""
    slopes, found = [logs(k + 1) for k in range(n)], [1.0]
    for m in range(n):
        found.append(sum(math.comb(m, k) * slopes[k] * found[m - k] for k in range(m + 1)))
    return found


def multigammaln(a, *, d):
    """SciPy's multigammaln, but NaN in place of an exception outside the domain."""
    inside = np.asarray(a > (d - 1) / 2)
    value = np.asarray(sc.multigammaln(np.where(inside, a, d), d))
    return np.where(inside, value, np.nan)[()]


@pointwise
def multigamma_n(a, *, d, n):
    """psi_n(a) + psi_n(a - 1/2) + ... + psi_n(a - (d - 1)/2)."""
    inside = a > (d - 1) / 2
    return np.where(inside, sum(psi_n(a - j / 2, n) for j in range(d)), np.nan)
