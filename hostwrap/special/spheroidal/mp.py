"""Spheroidal wave functions by their expansions in Legendre and spherical Bessel functions (DLMF 30.8, 30.11).

`sign` is 1 for prolate and -1 for oblate functions. The radial function of the second kind is continued inwards from
x = 3, where its series converges well, by Taylor series of the differential equation.
"""

import math

from scipy import special

from hostwrap.special._numerics.mp_tridiagonal import eigenpair, remembered

START = 3


@remembered
def expansion(mp, sign, m, n, c, far=False):
    """The characteristic value, the lowest degree, and coefficients of normalized Legendre functions.

    `far`: as many coefficients as the series of the second kind needs at START, where its terms fall like START^-2r.
    """
    parity, index = (n - m) % 2, (n - m) // 2
    count = 14 + index + int(0.7 * c + 0.4 * mp.dps)
    count += int(mp.dps / (2 * math.log10(START))) if far else 0
    t, lowest = sign * c * c, m + parity
    diagonal, off = [], []
    for l in range(lowest, lowest + 2 * count, 2):
        b = mp.mpf(2 * l * (l + 1) - 2 * m * m - 1) / ((2 * l - 1) * (2 * l + 3))
        e = mp.mpf(((l + 1) ** 2 - m * m) * ((l + 2) ** 2 - m * m)) / ((2 * l + 1) * (2 * l + 5))
        diagonal.append(l * (l + 1) + t * b)
        off.append(t * mp.sqrt(e) / (2 * l + 3))
    value, vector = eigenpair(mp, diagonal, off[:-1], index)
    return value, lowest, vector


def characteristic(mp, sign, m, n, c):
    return expansion(mp, sign, m, n, c)[0]


@remembered
def angular(mp, sign, m, n, c, x):
    """S_mn(c, x) and the derivative in x, with the value (or the slope) of P_n^m at x = 0."""
    with mp.extradps(10 + int(c)):
        _, lowest, vector = expansion(mp, sign, m, n, c)
        zero = _legendre_sums(mp, m, lowest, vector, mp.mpf(0))
        size = _at_origin(mp, m, n) / zero[lowest - m]
        y, slope = _legendre_sums(mp, m, lowest, vector, mp.mpf(x))
        result = size * y, size * slope
    return +result[0], +result[1]


def _legendre_sums(mp, m, lowest, vector, x):
    edge = mp.sqrt(1 - x * x) ** m
    here, slope = edge, -m * x * edge / (1 - x * x)
    before, slope_before, a = mp.mpf(0), mp.mpf(0), mp.mpf(0)
    total = [mp.mpf(0), mp.mpf(0)]
    for s in range(lowest - m + 2 * len(vector) - 1):
        l = m + s
        if (l - lowest) % 2 == 0:
            total[0] += vector[(l - lowest) // 2] * here
            total[1] += vector[(l - lowest) // 2] * slope
        b = mp.sqrt(mp.mpf((l + 1) ** 2 - m * m) / (4 * (l + 1) ** 2 - 1))
        here, before, slope, slope_before = (
            (x * here - a * before) / b,
            here,
            (x * slope + here - a * slope_before) / b,
            slope,
        )
        a = b
    return total


def _at_origin(mp, m, n):
    if (n - m) % 2 == 0:
        return (-1) ** ((n - m) // 2) * mp.fac2(n + m - 1) / mp.fac2(n - m)
    return (-1) ** ((n - m - 1) // 2) * mp.fac2(n + m) / mp.fac2(n - m - 1)


@remembered
def radial(mp, sign, kind, m, n, c, x):
    """R^(kind)_mn(c, x) and the derivative in x."""
    with mp.extradps(10 + int(c)):
        if kind == 1 or x >= START:
            result = _radial_series(mp, sign, kind, m, n, c, mp.mpf(x))
        else:
            result = _inwards(mp, sign, m, n, c, mp.mpf(x))
    return +result[0], +result[1]


@remembered
def _radial_series(mp, sign, kind, m, n, c, x):
    """c^m |x^2 - sign|^(m/2) sum of i^(l - n) a_l z^(l - m) f_l(z) / sum of a_l, f_l = z^-l j_l or y_l, z = c x."""
    _, lowest, vector = expansion(mp, sign, m, n, c, kind == 2)
    z, degrees = c * x, range(lowest, lowest + 2 * len(vector), 2)
    bessel = (_scaled_j if kind == 1 else _scaled_y)(mp, z, degrees[-1] + 1)
    y, slope, size = [], [], []
    weight = mp.sqrt((2 * lowest + 1) * mp.gamma(lowest + m + 1) / mp.gamma(lowest - m + 1))
    for l, v in zip(degrees, vector, strict=True):
        a, r = v * weight, l - m
        size.append(a)
        a *= (-1) ** ((l - n) // 2)
        y.append(a * z**r * bessel[l])
        slope.append(a * (r * z ** (r - 1) * bessel[l] if r else 0) - a * z ** (r + 1) * bessel[l + 1])
        weight *= mp.sqrt(
            mp.mpf((2 * l + 5) * (l + m + 1) * (l + m + 2)) / ((2 * l + 1) * (l - m + 1) * (l - m + 2))
        )
    rest, size = x * x - sign, mp.fsum(size) / c**m
    edge = mp.sqrt(rest) ** m
    y, slope = edge * mp.fsum(y) / size, c * edge * mp.fsum(slope) / size
    return y, slope + m * x / rest * y


def _scaled_j(mp, z, highest):
    """z^-l j_l(z), l = 0..highest, by Miller's algorithm."""
    start = highest + int(0.7 * mp.dps) + int(1.5 * z) + 10
    here, above, table = mp.mpf(1), mp.mpf(0), []
    for l in range(start, 0, -1):
        if l <= highest:
            table.append(here)
        here, above = (2 * l + 1) * here - z * z * above, here
    table.append(here)
    zeroth = mp.sinc(z)
    first = (zeroth - mp.cos(z)) / z**2 if z > 1 else mp.hyp0f1(mp.mpf(5) / 2, -z * z / 4) / 3
    size = zeroth / here if abs(zeroth) > abs(first) else first / above
    return [t * size for t in reversed(table)]


def _scaled_y(mp, z, highest):
    """z^-l y_l(z)."""
    table = [-mp.cos(z) / z, -(mp.cos(z) / z + mp.sin(z)) / z**2]
    for l in range(1, highest):
        table.append(((2 * l + 1) * table[-1] - table[-2]) / z**2)
    return table


def _inwards(mp, sign, m, n, c, x):
    """From START to x: u = |x^2 - sign|^(m/2) R satisfies

    (x^2 - sign) u'' + 2 (1 - m) x u' + (m^2 - m - value + c^2 x^2) u = 0.
    """
    at, value = mp.mpf(START), characteristic(mp, sign, m, n, c)
    y, slope = _radial_series(mp, sign, 2, m, n, c, at)
    edge = mp.sqrt(at * at - sign) ** m
    u, u1 = edge * y, edge * (slope + m * at / (at * at - sign) * y)
    while at != x:
        reach = (at - 1 if sign == 1 else mp.sqrt(at * at + 1)) / 2
        step = max(x - at, -reach)
        u, u1 = _taylor(mp, sign, m, value, c, at, step, u, u1)
        at = x if step == x - at else at + step
    edge = mp.sqrt(x * x - sign) ** -m
    return edge * u, edge * (u1 - m * x / (x * x - sign) * u)


def _taylor(mp, sign, m, value, c, at, h, u, u1):
    a = [mp.mpf(0), mp.mpf(0), u, u1 * h]  # a[k + 2] belongs to h^k
    rest, q = at * at - sign, m * m - m - value + c * c * at * at
    for k in range(int(3.33 * mp.dps) + int(6 * c) + 10):
        total = 2 * at * h * (k + 1) * (k + 1 - m) * a[k + 3]
        total += h * h * ((k * (k - 1) + 2 * (1 - m) * k + q) * a[k + 2])
        total += h**3 * c * c * (2 * at * a[k + 1] + h * a[k])
        a.append(-total / (rest * (k + 2) * (k + 1)))
    return mp.fsum(a[2:]), mp.fsum(k * t for k, t in enumerate(a[2:])) / h


def on_the_curve(mp, sign, function, m, n, c, cv, x):
    """A function of (m, n, c, x) that is given the characteristic value: `cv` has to be it, but for rounding errors."""
    nearly = (special.pro_cv if sign == 1 else special.obl_cv)(m, n, float(c))
    if abs(cv - nearly) > 1e-6 * (1 + abs(nearly)):
        raise ValueError("not the characteristic value")
    return function(mp, m, n, c, x)
