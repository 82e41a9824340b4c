"""Sums of normalized Legendre functions, with derivatives in x, by their recurrence (DLMF 14.10.3).

Up to the row p of a large coefficient the functions are computed one after the other; what is behind it is summed
backwards, by Clenshaw's algorithm, as the coefficients come.
"""

from math import comb

import numpy as np

from hostwrap.special._numerics import tridiagonal
from hostwrap.special._numerics.taylor import minus, plus, scaled
from hostwrap.special._numerics.tridiagonal import Sums
from hostwrap.special._numerics.until import until
from hostwrap.special.spheroidal.jets import edge_n


def sums(e, x, depth):
    """sum_r v_r P_l^(d)(x), d = 0..depth, with P_m^m = (1 - x^2)^(m/2), and then this sum's value at x = 0.

    Where that is 0, the slope at x = 0 instead. As lists of Taylor coefficients in c.
    """
    (m, lowest), many = e.matrix.args, depth + 1
    extra = [x, m, lowest]

    def gather(lower, r, w, totals, kept, x, m, lowest):
        l = np.maximum(lowest + 2 * r, lowest)
        if lower:
            ahead, behind, origin = totals[:many], totals[many : 2 * many], totals[-1]
            odd = _clenshaw(l + 1, m, x, ahead, behind)
            even = _clenshaw(l, m, x, odd, ahead)
            return [
                plus(even[0], w),
                *even[1:],
                *odd,
                scaled(_at_zero(l - 2, m, lowest), plus(origin, w)),
            ], kept
        here, before, size = kept[:many], kept[many : 2 * many], kept[-1]
        totals = [plus(total, scaled(p, w)) for total, p in zip(totals[:-1], here, strict=True)] + totals[-1:]
        beyond, after = _two_further(l, m, x, here, before)
        ratio = _at_zero(l, m, lowest)
        totals[-1] = scaled(1 / ratio, plus(totals[-1], w))
        kept = [
            np.where(r < 0, old, new) for old, new in zip(kept, [*beyond, *after, size * ratio], strict=True)
        ]
        return totals, kept

    def kept(lower):
        if lower:
            return []
        here, nothing = edge_n(x, m, 1, depth), [0.0 * x] * many
        after = _raised(m, m, x, here, nothing)
        odd = lowest > m
        pairs = zip([*here, *nothing], [*after, *here], strict=True)
        slope = (2 * m + 3) * _coupling(m + 1, m)
        return [*(np.where(odd, b, a) for a, b in pairs), np.where(odd, slope, 1.0)]

    upper, lower = tridiagonal.ends(e.matrix, e.a, e.p, Sums((many + 1, 2 * many + 1), gather, extra, kept))
    one = [1.0, *[0.0] * (len(e.a) - 1)]
    here, before, size = upper.kept[:many], upper.kept[many : 2 * many], upper.kept[-1]
    above, below = ([tridiagonal.relative(total, end) for total in end.sums] for end in (upper, lower))
    l = lowest + 2 * e.p
    odd = _clenshaw(l + 1, m, x, below[:many], below[many : 2 * many])
    even = _clenshaw(l, m, x, odd, below[:many])
    even[0] = plus(even[0], one)
    weight = _coupling(l, m) / _coupling(l + 1, m)
    rows = []
    for d in range(many):
        row = above[d]
        for k in range(d + 1):
            choose = comb(d, k)
            row = plus(row, scaled(choose * here[d - k], even[k]))
            row = minus(row, scaled(choose * weight * before[d - k], odd[k]))
        rows.append(row)
    return rows, scaled(size, plus(one, above[-1], below[-1]))


def _clenshaw(l, m, x, ahead, behind):
    """b_l - c_l and its derivatives in x, from b_{l+1} and b_{l+2}."""
    up = 1 / _coupling(l + 1, m)
    back = _coupling(l + 1, m) / _coupling(l + 2, m)
    found = []
    for d, (f, g) in enumerate(zip(ahead, behind, strict=True)):
        row = scaled(x, f)
        if d:
            row = plus(row, scaled(float(d), ahead[d - 1]))
        found.append(minus(scaled(up, row), scaled(back, g)))
    return found


def _two_further(l, m, x, here, before):
    """P_{l+2} and P_{l+1} with their derivatives, from P_l and P_{l-1}."""
    after = _raised(l, m, x, here, before)
    return _raised(l + 1, m, x, after, here), after


def _raised(l, m, x, here, before):
    up, back = 1 / _coupling(l + 1, m), _coupling(l, m)
    return [
        (x * f + (d * here[d - 1] if d else 0.0) - back * g) * up
        for d, (f, g) in enumerate(zip(here, before, strict=True))
    ]


def _coupling(l, m):
    """<l - 1| x |l>."""
    return np.sqrt(np.maximum(l * l - m * m, 0.0) / (4 * l * l - 1))


def _at_zero(l, m, lowest):
    """P_{l+2} / P_l at x = 0, or the ratio of their slopes, which are (2 l + 1) <l - 1| x |l> P_{l-1}(0)."""
    even = _coupling(l + 1, m) / _coupling(l + 2, m)
    odd = (2 * l + 5) * _coupling(l + 2, m) / ((2 * l + 1) * _coupling(l + 1, m))
    return -np.where(lowest > m, odd, even)


def at_origin(m, n):
    """P_n^m(0), without the Condon-Shortley phase, or where that is 0 the slope (DLMF 14.5.1, 14.5.2)."""
    below, above = n - m, n + m

    def step(k, value, below, above):
        """(n + m - 1)!! / (n - m)!! and (n + m)!! / (n - m - 1)!!"""
        value = value * np.where(2 * k + 1 <= above, 2 * k + 1, 1.0)
        return value / np.where(2 * k + 2 <= below, 2 * k + 2, 1.0), 2 * k + 2 < above

    start = np.where(np.mod(below, 4) < 2, 1.0, -1.0)
    return until(step, [start], [below, above], 1000)[0]
