"""Struve functions by their power series, DLMF 11.2.1 and 11.2.2: faster than a general hypergeometric sum."""


def struve(mp, v, x, c):
    """H_v(x) for c = -1, L_v(x) for c = 1."""
    with mp.extradps(10 + int(abs(x))):
        square, k, total = c * x * x / 4, 0, mp.mpf(0)
        while v + k + 1 <= 0:  # next to the poles of Gamma(k + v + 3/2), and past them
            total += c**k * _term(mp, v, x, k)
            k += 1
        term = c**k * _term(mp, v, x, k)
        small = mp.eps * mp.mpf(10) ** -20
        while abs(term) > small * abs(total) or abs(square) > k * (k + v):
            total += term
            term = term * square / ((k + mp.mpf(3) / 2) * (k + v + mp.mpf(3) / 2))
            k += 1
        return total


def _term(mp, v, x, k):
    return (x / 2) ** (2 * k + v + 1) * mp.rgamma(k + mp.mpf(3) / 2) * mp.rgamma(k + v + mp.mpf(3) / 2)


def struve_ij(mp, v, x, c, i, j):
    """Its derivative, i times in v and j times in x."""
    return mp.diff(lambda a, b: struve(mp, a, b, c), (v, x), (i, j))
