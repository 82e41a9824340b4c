"""Probabilities of gamma variables, accurate for large shapes, too."""

from __future__ import annotations

import dataclasses
import functools
from fractions import Fraction
from typing import Any

from hostwrap.special import gammainc, gammaincc, gammaln, ndtr
from hostwrap.special._math import abs, exp, log, sqrt, where
from hostwrap.stats._functions import log1p_series, log_phi, power

_LARGE = 2e4  # below, SciPy's series for gammainc has all of its terms


@dataclasses.dataclass(frozen=True)
class Side:
    """gammainc(a, x), or gammaincc; SciPy's has four digits below the mean of an a of 1e6, none in the tail of 1e9.

    Next to x = a it is Temme's uniform expansion, DLMF 8.12.3 to 8.12.7.
    """

    lower: bool

    def __call__(self, a: Any, x: Any) -> Any:
        usual, sign = (gammainc, -1) if self.lower else (gammaincc, 1)
        near = (a > _LARGE) & (abs(x - a) < a / 10)
        b = where(near, a, 2 * _LARGE + 0 * a)
        u = (where(near, x, b) - b) / b
        eta = u * sqrt(2 * log1p_series(u))  # eta^2 / 2 = u - log(1 + u)
        rest: Any = 0.0
        for terms in reversed(_temme()):
            rest = rest / b + functools.reduce(lambda total, d: total * eta + d, reversed(terms), 0 * eta)
        z = eta * sqrt(b)
        close = ndtr(-sign * z) + sign * exp(log_phi(z)) * rest / sqrt(b)
        return where(near, close, usual(where(near, 1 + 0 * a, a), where(near, 1 + 0 * x, x)))


@functools.cache
def _temme() -> tuple[tuple[float, ...], ...]:
    """d(k, n) of DLMF 8.12.8 to 8.12.12, as many as 1 / a = 5e-5 and eta = 0.11 need for all digits."""
    most = 18
    alpha = [Fraction(0), Fraction(1)]
    for n in range(2, most + 3):
        known = sum((j * alpha[j] * alpha[n - j + 1] for j in range(2, n)), Fraction(0))
        alpha.append((alpha[n - 1] - known) / (n + 1))
    first = [Fraction(-1, 3), *((n + 2) * alpha[n + 2] for n in range(1, most + 1))]
    rows = [first]
    for k, g in enumerate((Fraction(1, 12), Fraction(1, 288), Fraction(-139, 51840)), start=1):
        above = rows[-1]
        rows.append([(-1) ** k * g * first[n] + (n + 2) * above[n + 2] for n in range(len(above) - 2)])
    return tuple(tuple(map(float, row[:count])) for row, count in zip(rows, (12, 9, 6, 3), strict=True))


gamma_below, gamma_above = Side(True), Side(False)


def upper_half(a: Any, z: Any) -> Any:
    """Half of gammaincc(a, z): the upper tail of a symmetric law, exact next to its median too."""
    return where(z < a, 0.5 - gamma_below(a, z) / 2, gamma_above(a, z) / 2)


def upper_half_of_power(size: Any, beta: Any) -> Any:
    """The same for a = 1 / beta and z = size^beta, which underflows next to 0: there z^a = size, DLMF 8.7.1."""
    tiny = beta * log(where(size > 0, size, 1 + 0 * size)) < -80
    tiny = tiny | (size == 0)
    near = 0.5 - where(tiny, size, 0 * size) / 2 * exp(-gammaln(1 + 1 / beta))
    return where(tiny, near, upper_half(1 / beta, power(where(tiny, 1 + 0 * size, size), beta)))
