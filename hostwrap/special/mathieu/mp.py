"""Mathieu functions by their Fourier and Bessel series, from eigenvectors of infinite matrices (DLMF 28.4, 28.24)."""

import math

from hostwrap.special._numerics.mp_tridiagonal import eigenpair, remembered


@remembered
def solution(mp, even, m, q):
    """The characteristic value, the lowest frequency, and the coefficients, normalized and signed (DLMF 28.4.9-20)."""
    first = m % 2 if even else 2 - m % 2
    index = m // 2 if even else (m - 1) // 2
    count = 14 + index + int(1.3 * math.sqrt(abs(q)) + 0.5 * mp.dps)
    diagonal = [mp.mpf(first + 2 * r) ** 2 for r in range(count)]
    off = [mp.mpf(q)] * (count - 1)
    if first == 1:
        diagonal[0] += q if even else -q
    if first == 0:
        off[0] *= mp.sqrt(2)
    value, vector = eigenpair(mp, diagonal, off, index)
    length = mp.sqrt(mp.fsum(v * v for v in vector)) * _sign(mp, even, first, vector)
    vector = [v / length for v in vector]
    if first == 0:
        vector[0] /= mp.sqrt(2)
    return value, first, vector


def _sign(mp, even, first, vector):
    """ce(0) > 0 and se'(0) > 0."""
    return mp.sign(mp.fsum(v * (1 if even else first + 2 * r) for r, v in enumerate(vector)))


def characteristic(mp, even, m, q):
    return solution(mp, even, m, q)[0]


@remembered
def angular(mp, even, m, q, x):
    """ce_m or se_m and the derivative; x in degrees, the derivative per radian."""
    _, first, vector = solution(mp, even, m, q)
    turns = x / mp.mpf(180)
    y, slope = [], []
    for k, v in zip(range(first, first + 2 * len(vector), 2), vector, strict=True):
        c, s = mp.cospi(k * turns), mp.sinpi(k * turns)
        y.append(v * (c if even else s))
        slope.append(k * v * (-s if even else c))
    return mp.fsum(y), mp.fsum(slope)


@remembered
def modified(mp, even, kind, m, q, x):
    """Mc^(kind) or Ms^(kind) and its derivative in x (DLMF 28.24); the terms cancel for small q and large m."""
    with mp.extradps(15):
        _, first, vector = solution(mp, even, m, q)
        s, sign, h = m // 2 if even else (m - 1) // 2, 1 if even else -1, mp.sqrt(q)
        u1, u2 = h * mp.exp(-x), h * mp.exp(x)
        count = len(vector) + s + first + 1
        left = _bessel_j(mp, u1, count)
        right = _bessel_j(mp, u2, count) if kind == 1 else _bessel_y(mp, u2, count)
        rows, slopes = [], []
        for r, v in enumerate(vector):
            a, b = _pair(left, u1, r - s), _pair(right, u2, r + s + first)
            c, d = _pair(left, u1, r + s + first), _pair(right, u2, r - s)
            rows.append((-1) ** (r + s) * v * (a[0] * b[0] + sign * c[0] * d[0]))
            slope = a[0] * b[1] - a[1] * b[0] + sign * (c[0] * d[1] - c[1] * d[0])
            slopes.append((-1) ** (r + s) * v * slope)
        scale = vector[s] * (2 if s == 0 and first == 0 else 1)
        result = mp.fsum(rows) / scale, mp.fsum(slopes) / scale
    return +result[0], +result[1]


def _pair(table, u, n):
    """Bessel function number n and its derivative in log u, from those of orders 0, 1, ..."""
    value = table[abs(n)], abs(n) * table[abs(n)] - u * table[abs(n) + 1]
    return tuple(-v for v in value) if n < 0 and n % 2 else value


def _bessel_j(mp, u, count):
    """J_0(u), ..., J_count(u), by Miller's algorithm."""
    start = count + int(1.4 * mp.dps) + int(1.5 * u) + 10
    start += start % 2
    table, above, total = [mp.mpf(1)], mp.mpf(0), mp.mpf(0)
    for n in range(start, 0, -1):
        table.append(2 * n / u * table[-1] - above)
        above = table[-2]
        total += 2 * table[-1] if n % 2 == 1 and n > 1 else 0
    table.reverse()
    total += table[0] + 2 * (table[start])
    return [t / total for t in table[: count + 1]]


def _bessel_y(mp, u, count):
    table = [mp.bessely(0, u), mp.bessely(1, u)]
    for n in range(1, count):
        table.append(2 * n / u * table[-1] - table[-2])
    return table
