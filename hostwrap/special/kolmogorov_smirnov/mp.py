"""The distributions of Kolmogorov's and Smirnov's statistics in mpmath."""

import scipy.special as sc

from hostwrap.special._numerics.mp_roots import root


def kolmogorov(mp, y):
    """The series in e^(-2 y^2), or for small y its transform."""
    if y <= 0:
        return mp.one
    return _direct(mp, y) if y > 1 else 1 - _distribution(mp, y)


def _direct(mp, y):
    k = range(1, 3 + int(mp.sqrt(mp.prec / (2 * y * y))))
    return 2 * mp.fsum((-1) ** (j - 1) * mp.exp(-2 * j * j * y * y) for j in k)


def _distribution(mp, y):
    k = range(1, 4 + int(2 * y * mp.sqrt(mp.prec)), 2)
    terms = mp.fsum(mp.exp(-((j * mp.pi / y) ** 2) / 8) for j in k)
    return mp.sqrt(2 * mp.pi) / y * terms


def kolmogi(mp, p):
    if p == 1:
        return mp.zero
    _check(p)
    guess = float(sc.kolmogi(float(p)))
    if p < 0.5:
        return root(mp, lambda y: mp.log(_direct(mp, y) / p), guess)
    return root(mp, lambda y: mp.log(_distribution(mp, y) / (1 - p)), guess)


def _check(p):
    if not 0 < p < 1:
        raise ValueError("outside the domain")


def smirnov(mp, n, d):
    """By Birnbaum and Tingey (1951)."""
    if not 0 <= d <= 1:
        raise ValueError("outside the domain")
    with mp.extraprec(10 + n.bit_length()):
        return 1 - d * (1 + d) ** (n - 1) if n * d <= 1 else _sum(mp, n, d)


def _sum(mp, n, d):
    total, choose = mp.zero, 1
    for j in range(int(mp.ceil(n * (1 - d)))):
        above = d + mp.mpf(j) / n
        total += choose * above ** (j - 1) * (1 - above) ** (n - j)
        choose = choose * (n - j) // (j + 1)
    return d * total


def smirnovi(mp, n, p):
    if p in (0, 1):
        return mp.one - p
    _check(p)
    guess = float(sc.smirnovi(n, float(p)))
    return root(mp, lambda d: mp.log(smirnov(mp, n, d) / p), guess)
