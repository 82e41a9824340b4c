"""Sums of normalized Legendre functions, all derivatives in x, by their recurrence (DLMF 14.10.3)."""

import numpy as np

from hostwrap.special.spheroidal.jets import edge_n


def sums(expansion, m, x, n):
    """sum_r v_r P_l^(d)(x) for the jets v, as an array (d = 0..n, jet, point); P_m^m = (1 - x^2)^(m/2)."""
    v, total = expansion.v, np.zeros((n + 1, *expansion.v[:, 0].shape))
    here, before = edge_n(x, m, 1, n), np.zeros((n + 1, x.size))
    for s in range(2 * v.shape[1]):  # degree l = m + s
        total += np.where(expansion.parity == s % 2, v[:, s // 2], 0.0) * here[:, None]
        raised = x * here
        raised[1:] += np.arange(1, n + 1)[:, None] * here[:-1]
        here, before = (raised - _coupling(m + s, m) * before) / _coupling(m + s + 1, m), here
    return total


def _coupling(l, m):
    """<l - 1| x |l>."""
    return np.sqrt(np.maximum(l * l - m * m, 0.0) / (4 * l * l - 1))


def at_origin(m, n):
    """P_n^m(0), without the Condon-Shortley phase, or where that is 0 the slope (DLMF 14.5.1, 14.5.2)."""
    below, above = n - m, n + m
    value = np.where(below % 4 < 2, 1.0, -1.0)
    for k in range(
        int(np.max(above, initial=0)) // 2 + 1
    ):  # (n + m - 1)!! / (n - m)!! and (n + m)!! / (n - m - 1)!!
        value = value * np.where(2 * k + 1 <= above, 2 * k + 1.0, 1.0)
        value = value / np.where(2 * k + 2 <= below, 2 * k + 2.0, 1.0)
    return value
