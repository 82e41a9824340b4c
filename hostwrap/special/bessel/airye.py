"""Derivatives of the exponentially scaled Airy functions, without the cancellation in sqrt(z) e^zeta Ai(z) + ...

zeta = 2/3 z^(3/2), F(z) = e^zeta Ai(z). For z > 0 the rotation DLMF 9.2.11 gives
e^-zeta Bi(z) = 2 Re(e^(i pi/6) F(omega z)) with omega = e^(2 pi i/3).
"""

from __future__ import annotations

import functools
import math
from math import comb

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.quadrature import sums
from hostwrap.special.gamma_beta.gamma import exponential

OMEGA = complex(-0.5, math.sqrt(0.75))
_ROTATION = complex(math.sqrt(0.75), 0.5)  # e^(i pi/6)
FAR = 11.0  # |z| from which on the asymptotic series has all digits


@pointwise
def airye_ai(z, *, n):
    """d^n/dz^n (e^zeta Ai(z)); complex z, or real z >= 0 (NaN below, like SciPy's value)."""
    small = 2 * np.abs(z) + np.real(z) < 3  # nothing cancels yet
    return piecewise([z], [(small, lambda z: _near(sc.airye(z)[:2], z, n, 1)), (None, lambda z: _f(z, n))])


@pointwise
def airye_bi(z, *, n):
    """d^n/dz^n (e^-zeta Bi(z)) for real z; z < 0 is not scaled. For complex z see `_bi`."""
    if np.iscomplexobj(z):
        result = _bi(np.where(z.imag < 0, np.conj(z), z), n)
        return np.where(z.imag < 0, np.conj(result), np.where(z.imag == 0, result.real, result))
    return piecewise(
        [z],
        [
            (z < 0, lambda z: airy_jet(sc.airy(z)[2:], z, n)[n]),
            (z < 2, lambda z: _near(sc.airye(z)[2:], z, n, -1)),
            (None, lambda z: 2 * np.real(_ROTATION * OMEGA**n * _ahead(OMEGA * z, n))),
        ],
    )


def _bi(z, n):
    """d^n/dz^n (e^(-s zeta) Bi(z)) times e^(is Im zeta), s = sign(Re zeta); Im z >= 0.

    DLMF 9.2.11: Bi(z) = i Ai(z) + 2 e^(-i pi/6) Ai(z / omega), and 2/3 (z / omega)^(3/2) = -zeta.
    """
    unit = z / np.where(z == 0, 1, np.abs(z))  # z^(3/2) may be out of range
    s = np.sign(np.real(unit * np.sqrt(unit)))
    back = OMEGA.conjugate()

    def far(z, s):
        """One of the two has the factor e^(-2s zeta)."""
        zeta = 2 / 3 * z * np.sqrt(z)
        falling = functools.partial(exponential, lambda k: -2 * s * _root(z, k - 1))
        near, other = np.exp(np.where(s > 0, -2, 0) * zeta), np.exp(np.where(s > 0, 0, 2) * zeta)
        jets = [(_f(z, k), back**k * _ahead(back * z, k)) for k in range(n + 1)]
        faded = sum(
            comb(n, k) * falling(n - k) * np.where(s > 0, jets[k][0], jets[k][1]) for k in range(n + 1)
        )
        first, second = np.where(s > 0, faded, jets[n][0]), np.where(s > 0, jets[n][1], faded)
        total = 1j * near * first + 2 * _ROTATION.conjugate() * other * second
        return total * np.exp(1j * s * zeta.imag)

    return piecewise(
        [z, s],
        [
            (s == 0, lambda z, s: airy_jet(sc.airye(z)[2:], z, n)[n]),
            (np.abs(z) < 2, lambda z, s: _near(sc.airye(z)[2:], z, n, -s)),
            (None, far),
        ],
    )


def airy_jet(start, z, n):
    """The derivatives 0 .. n (at least 1) of a solution of y'' = z y from its first two."""
    jet = list(start)
    for k in range(n - 1):
        jet.append(z * jet[k] + (k * jet[k - 1] if k else 0))
    return jet


def _near(scaled, z, n, sign):
    """By Leibniz's rule from y^(k) e^(sign zeta), where the sum does not cancel."""
    jet = airy_jet(scaled, z, n)
    factor = functools.partial(exponential, lambda k: sign * _root(z, k - 1))
    return sum(comb(n, k) * factor(n - k) * jet[k] for k in range(n + 1))


def _root(z, n):
    """d^n/dz^n sqrt(z)."""
    return functools.reduce(lambda root, k: (0.5 - k) * root / z, range(n), np.sqrt(z))  # z^n may be 0


def _f(z, n):
    """d^n/dz^n (e^zeta Ai(z)) away from 0; NaN for real z < 0."""
    if not np.iscomplexobj(z):
        return piecewise([z], [(z >= FAR, lambda z: _far(z, n)), (z >= 0, lambda z: _middle(z, n))])
    behind = np.real(z) < -0.6 * np.abs(z)
    return piecewise(
        [z],
        [
            (behind & (np.imag(z) < 0), lambda z: np.conj(_behind(np.conj(z), n))),
            (behind, lambda z: _behind(z, n)),
            (None, lambda z: _ahead(z, n)),
        ],
    )


def _ahead(z, n):
    return piecewise([z], [(np.abs(z) >= FAR, lambda z: _far(z, n)), (None, lambda z: _middle(z, n))])


def _behind(z, n):
    """Near the negative axis, from above: DLMF 9.2.14, Ai(z) = -omega Ai(omega z) - Ai(z / omega) / omega."""
    back = OMEGA.conjugate()
    factor = functools.partial(exponential, lambda k: 2 * _root(z, k - 1))
    terms = (comb(n, k) * factor(n - k) * back**k * _ahead(back * z, k) for k in range(n + 1))
    growing = np.exp(4 / 3 * z * np.sqrt(z)) * sum(terms)
    return -(OMEGA ** (n + 1)) * _ahead(OMEGA * z, n) - back * growing


# ---- DLMF 9.7.5, term by term: F(z) = sum of (-1)^k u_k (3/2)^k z^(-1/4 - 3k/2) / (2 sqrt(pi))


def _far(z, n):
    w = 1 / (z * np.sqrt(z))
    total = np.zeros_like(w)
    for c in _far_coefficients(n)[::-1]:
        total = total * w + c
    return total / np.sqrt(np.sqrt(z)) / z**n


@functools.cache
def _far_coefficients(n, count=24):
    found, u = [], 1 / (2 * math.sqrt(math.pi))
    for k in range(count):
        powers = math.prod(-0.25 - 1.5 * k - i for i in range(n))
        found.append(u * powers)
        u *= -1.5 * (6 * k + 1) * (6 * k + 3) * (6 * k + 5) / (216 * (k + 1) * (2 * k + 1))
    return found


# ---- DLMF 9.5.8: F(z) = 1/pi times the integral of e^(-sqrt(z) t^2) cos(t^3 / 3) over t > 0, by the trapezoidal rule

_STEP = 0.075
_T = _STEP * np.arange(110)
_WEIGHTS = np.where(_T == 0, 0.5, 1.0) * _STEP / math.pi * np.cos(_T**3 / 3)


def _middle(z, n):
    """Each derivative in z brings down a factor of one sign, so nothing cancels."""
    s = np.sqrt(z)
    powers = range(max(1, n))

    def terms(square, weight, s):
        falling = weight * np.exp(-s * square)
        return [falling * square ** (n - k) for k in powers]

    moments = sums(terms, [_T**2, _WEIGHTS], [s])
    if n == 0:
        return moments[0]
    total = 0.0
    for k in range(n):  # d^n/dz^n f(sqrt(z)) in the derivatives of f
        count = math.factorial(n - 1 + k) / (math.factorial(n - 1 - k) * math.factorial(k))
        total = total + count * moments[k] / (2 * s) ** (n + k)
    return (-1) ** n * total
