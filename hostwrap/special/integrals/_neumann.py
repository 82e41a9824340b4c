"""Sums over the Bessel functions J_{v+m}(z), m = 0, 1, 2, ..., with derivatives in v: Miller's algorithm.

Backward recurrence (DLMF 3.6(iii)) gives the functions up to a factor, which is that of
(z/2)^v / Gamma(v + 1) = sum over k of (v + 2k) (v + 1)_{k-1} / k! J_{v+2k}(z) (DLMF 10.23.15).
The weights of neighbours in a sum have a simple quotient. So the sums go along with the recurrence as in Horner's
scheme, from the last term to the first, and no function is kept. All is made of loops.
"""

import functools

import numpy as np

from hostwrap.special._numerics.jets import over, product
from hostwrap.special._numerics.until import until
from hostwrap.special.bessel._ascending import power_over_gamma

MOST_PAIRS = 40_000  # of functions
TINY = 1e-150
LARGE = 1e100
CANCELLING = 1e7  # terms may be so much larger than the sum: beyond that too few digits are left


def neumann_sums(z, l, v, h, i, j):
    """For m = 0..h the jet in v of (d/dl)^i sum over k of (v + m + 2k + 1) (A)_k / (B)_{k+1} J_{v+m+2k+1}(z).

    A = (v - l + 1)/2, B = (v + l + 2m + 1)/2. NaN where it cancels, as it does for large negative l and v.
    """
    n, orders = j + 1, range(h + 1)
    start = 2 * np.ceil(
        np.maximum(-v, 0) / 2
    )  # the first order of the sum for the factor: it is not negative

    def turn(_, k, *rest):
        """From the functions of the orders v + 2k + 2 and v + 2k + 3 to those two below, and their terms."""
        *rest, z, l, v, start = rest
        above, here, norm, *sums = [rest[p : p + n] for p in range(0, len(rest), n)]
        odd = _lower(here, above, 2 * (v + 2 * k + 2) / z, 2 / z)
        even = _lower(odd, here, 2 * (v + 2 * k + 1) / z, 2 / z)
        norm = _with_norm_term(norm, even, v + start, k - start / 2)
        sums = [sums[p : p + i + 1] for p in range(0, len(sums), i + 1)]
        after = []
        for m in orders:
            f, first = even if m % 2 else odd, (m + 1) // 2
            p, q = v + 2 * k + (1 - m % 2), k - first
            upper, lower = (v - l + 1) / 2 + q, (v + l + 2 * m + 3) / 2 + q
            more = _with_term(sums[2 * m], _raised(f, p), upper, lower, -0.5)
            size = _with_term(sums[2 * m + 1], _raised(_sizes(f), np.abs(p)), *_sizes([upper, lower]), 0.5)
            after += [_chosen(q >= 0, more, sums[2 * m]), _chosen(q >= 0, size, sums[2 * m + 1])]
        flat = [*odd, *even, *norm, *(f for some in after for row in some for f in row)]
        largest = functools.reduce(np.maximum, _sizes([*odd, *even]))
        down = np.where(largest > LARGE, 1 / LARGE, 1.0)
        return k - 1, *(down * f for f in flat), k > 0

    zeros = [0.0] * (n * (1 + 2 * (h + 1) * (i + 1)))
    begin = [_pairs(z, l, v) - 1, *[0.0] * n, TINY, *[0.0] * j, *zeros]
    _, *rest = until(turn, begin, [z, l, v, start], MOST_PAIRS)
    _, _, norm, *sums = [rest[p : p + n] for p in range(0, len(rest), n)]
    factor = over(power_over_gamma(v + start, z / 2, v + start + 1, j), norm)
    results = []
    for m in orders:
        some = sums[2 * m * (i + 1) : 2 * (m + 1) * (i + 1)]
        lower = (v + l + 2 * m + 1) / 2
        total = product(factor, _divided(some[: i + 1], lower, 0.5)[i])
        size = product(_sizes(factor), _divided(some[i + 1 :], np.abs(lower), -0.5)[i])
        results.append(
            [np.where(s > CANCELLING * np.abs(t), np.nan, t) for s, t in zip(size, total, strict=True)]
        )
    return results


def _pairs(z, l, v):
    """How many orders above v the recurrence starts: J has decayed by 60 powers of e there, or more where W grows."""
    more = 2 * np.maximum(-v, 0) + 2 * np.maximum(-1 - l, 0)
    return np.ceil((np.maximum(z - v, 0) + 14 * np.cbrt(z) + 40 + more) / 2)


def _lower(f, above, factor, slope):
    """The jet of the function below f."""
    jet = [a * factor - b for a, b in zip(f, above, strict=True)]
    return [jet[0], *(a + q * slope * b for q, (a, b) in enumerate(zip(jet[1:], f, strict=False), 1))]


def _with_norm_term(total, f, v, k):
    """By Horner's scheme: the sum in DLMF 10.23.15 from its k-th term on, from that behind it."""
    raised, first = _raised(total, v + k), [a + b for a, b in zip(f, total, strict=True)]
    more = [a + b / (k + 1) for a, b in zip(_raised(f, v + 2 * k), raised, strict=True)]
    return [np.where(k > 0, a, np.where(k < 0, c, b)) for a, b, c in zip(more, first, total, strict=True)]


def _with_term(total, term, upper, lower, along_l):
    """The same of a sum with weights W = (A)_k / (B)_{k+1}: term + total upper / lower, as [derivatives in l][in v].

    For the sizes of all that is added up, the signs are such that they add.
    """
    rows = _divided(_multiplied(total, upper, along_l), lower, -along_l)
    return [[a + b for a, b in zip(rows[0], term, strict=True)], *rows[1:]]


def _multiplied(w, c, along_l):
    """The derivatives of W times a linear function that is c here, and grows by 1/2 with v."""
    rows = [_raised(row, c, 0.5) for row in w]
    below = [[p * along_l * f for f in row] for p, row in enumerate(w[:-1], 1)]
    return [
        rows[0],
        *([a + b for a, b in zip(x, y, strict=True)] for x, y in zip(rows[1:], below, strict=True)),
    ]


def _divided(w, c, along):
    """The derivatives of W over such a function, which grows by `along` with l and v."""
    result = []
    for p, row in enumerate(w):
        result.append([])
        for q, rest in enumerate(row):
            if p:
                rest = rest - p * along * result[p - 1][q]
            if q:
                rest = rest - q * along * result[p][q - 1]
            result[p].append(rest / c)
    return result


def _raised(f, p, along=1.0):
    """The jet of f p, where p grows by `along` with v."""
    jet = [a * p for a in f]
    return [jet[0], *(a + q * along * b for q, (a, b) in enumerate(zip(jet[1:], f, strict=False), 1))]


def _sizes(f):
    return [np.abs(a) for a in f]


def _chosen(mask, rows, others):
    return [
        [np.where(mask, a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(rows, others, strict=True)
    ]
