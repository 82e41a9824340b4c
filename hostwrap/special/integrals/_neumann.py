"""Sums over the Bessel functions J_{v+m}(z), m = 0, 1, 2, ..., with derivatives in v: Miller's algorithm.

Backward recurrence (DLMF 3.6(iii)) gives the functions up to a factor, which is that of
(z/2)^v / Gamma(v + 1) = sum over k of (v + 2k) (v + 1)_{k-1} / k! J_{v+2k}(z) (DLMF 10.23.15).
"""

import numpy as np

from hostwrap.special._numerics.jets import over, times
from hostwrap.special.bessel._ascending import power_over_gamma

MEMORY = 2_000_000  # numbers at a time
TINY = 1e-150
LARGE = 1e100
CANCELLING = 1e7  # terms may be so much larger than the sum: beyond that too few digits are left


def neumann_sums(z, l, v, h, i, j):
    """For m = 0..h the jet in v of (d/dl)^i sum over k of (v + m + 2k + 1) (A)_k / (B)_{k+1} J_{v+m+2k+1}(z).

    A = (v - l + 1)/2, B = (v + l + 2m + 1)/2.
    """
    result = np.empty((h + 1, j + 1, z.size))
    steps = _steps(z, l, v)
    order = np.argsort(-steps, kind="stable")
    while order.size:
        some, order = np.split(order, [max(1, MEMORY // (steps[order[0]] * (j + 1)))])
        bessel = _bessel(z[some], v[some], j, steps[some])
        for m in range(h + 1):
            result[m][:, some] = _sum(bessel, l[some], v[some], m, i, j)
    return result


def _steps(z, l, v):
    """How many orders above v the recurrence starts: J has decayed by 60 powers of e there, or more where W grows."""
    more = 2 * np.maximum(-v, 0) + 2 * np.maximum(-1 - l, 0)
    return np.ceil(np.maximum(z - v, 0) + 14 * np.cbrt(z) + 40 + more).astype(int)


def _bessel(z, v, n, steps):
    """[m, k] the k-th derivatives in v of J_{v+m}(z), m = 0, 1, 2, ..."""
    f = np.zeros((steps.max() + 2, n + 1, z.size))
    f[steps, 0, np.arange(z.size)] = TINY
    for m in range(steps.max(), 0, -1):
        f[m - 1] += f[m] * (2 * (v + m) / z) - f[m + 1]
        f[m - 1, 1:] += f[m, :-1] * (2 / z * np.arange(1, n + 1)[:, None])
        big = np.abs(f[m - 1 : m + 1]).max(axis=(0, 1)) > LARGE
        if big.any():
            f[m - 1 :, :, big] /= LARGE
    start = np.maximum(np.ceil(-v), 0).astype(int)
    norm = _norm(f, v, n, start)
    true = power_over_gamma(v + start, z / 2, v + start + 1, n)
    factor = over(true, norm)
    return np.stack([times(factor, g) for g in f[:-1]])


def _norm(f, v, n, start):
    """The jet of the sum in DLMF 10.23.15, from the first order >= 0 on."""
    points = np.arange(v.size)
    total, weight = f[start, :, points].T.copy(), np.zeros((n + 1, v.size))
    weight[0] = 1.0  # (v + 1)_{k-1} / k!
    v = v + start
    for k in range(1, (len(f) - 1 - int(start.max())) // 2):
        total += times(_raised(weight, v + 2 * k), f[start + 2 * k, :, points].T)
        weight = _raised(weight, v + k) / (k + 1)
    return total


def _sum(bessel, l, v, m, i, j):
    """The jet of the sum, from W = (A)_k / (B)_{k+1} as W[derivatives in l, in v, point], by its recurrence.

    NaN where it cancels, as it does for large negative l and v.
    """
    one = np.zeros((i + 1, j + 1, v.size))
    one[0, 0] = 1.0
    upper, lower = (v - l + 1) / 2, (v + l + 2 * m + 1) / 2
    weight, total = _divided(one, lower, 0.5, 0.5), np.zeros((j + 1, v.size))
    peak = np.zeros_like(total)
    for k, r in enumerate(range(m + 1, len(bessel), 2)):
        term = times(_raised(weight[i], v + r), bessel[r])
        total += term
        peak = np.maximum(peak, np.abs(term))
        weight = _divided(_multiplied(weight, upper + k, -0.5, 0.5), lower + k + 1, 0.5, 0.5)
    return np.where(peak > CANCELLING * np.abs(total), np.nan, total)


def _raised(f, p):
    """The jet of f p, where p grows as v does."""
    result = f * p
    result[1:] += np.arange(1, len(f))[:, None] * f[:-1]
    return result


def _multiplied(w, c, along_l, along_v):
    """The derivatives of W times a linear function that is c here."""
    result = w * c
    result[1:] += along_l * np.arange(1, len(w))[:, None, None] * w[:-1]
    result[:, 1:] += along_v * np.arange(1, w.shape[1])[:, None] * w[:, :-1]
    return result


def _divided(w, c, along_l, along_v):
    """The derivatives of W over such a function."""
    result = np.empty_like(w)
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            rest = w[i, j]
            if i:
                rest = rest - i * along_l * result[i - 1, j]
            if j:
                rest = rest - j * along_v * result[i, j - 1]
            result[i, j] = rest / c
    return result
