"""Carlson's integrals, from mpmath's."""


def integral(mp, x, y, z, p, i, j, k, n, e):
    """The integral over t > 0 of t^e (t+x)^-(i+1/2) (t+y)^-(j+1/2) (t+z)^-(k+1/2) (t+p)^-n.

    t = (t + p) - p or (t + x) - x lowers e; the other exponents are derivatives of R_F and R_J.
    """
    if e and n:
        return integral(mp, x, y, z, p, i, j, k, n - 1, e - 1) - p * integral(
            mp, x, y, z, p, i, j, k, n, e - 1
        )
    if e and i:
        return integral(mp, x, y, z, p, i - 1, j, k, n, e - 1) - x * integral(
            mp, x, y, z, p, i, j, k, n, e - 1
        )
    if e:
        return integral(mp, y, z, x, p, j, k, i, n, e)
    sign = (-1) ** (i + j + k + max(n - 1, 0))
    scale = sign * mp.rf(0.5, i) * mp.rf(0.5, j) * mp.rf(0.5, k) * mp.factorial(max(n - 1, 0))
    if n:
        derivative = 2 * mp.diff(mp.elliprj, (x, y, z, p), (i, j, k, n - 1)) / 3
    elif i + j + k:
        derivative = 2 * mp.diff(mp.elliprf, (x, y, z), (i, j, k))
    else:
        derivative = 2 * mp.elliprf(x, y, z)
    return derivative / scale


def integral_slopes(mp, x, y, z, p, k, n):
    """The gradient of the integral with i = j = e = 0."""
    if not k + n:
        return (*(-d / 3 for d in _d_each(mp, x, y, z)), mp.mpf(0))
    if n:
        return _j_slopes(mp, x, y, z, p)
    return (
        -integral(mp, x, y, z, p, 1, 0, k, n, 0) / 2,
        -integral(mp, x, y, z, p, 0, 1, k, n, 0) / 2,
        -(k + mp.mpf(0.5)) * integral(mp, x, y, z, p, 0, 0, k + 1, n, 0),
        mp.mpf(0),
    )


def _d_each(mp, x, y, z):
    return mp.elliprd(y, z, x), mp.elliprd(z, x, y), mp.elliprd(x, y, z)


def _j_slopes(mp, x, y, z, p):
    """2/3 of R_J's, by DLMF 19.18.4 with digits to spare; in p by homogeneity, 19.18.1."""
    with mp.extradps(40):
        value = mp.elliprj(x, y, z, p)
        slopes = [
            (value - d) / (2 * (p - v)) if p != v else -integral(mp, *moved, p, 1, 0, 0, 1, 0) * 3 / 4
            for v, d, moved in zip(
                (x, y, z), _d_each(mp, x, y, z), ((x, y, z), (y, z, x), (z, x, y)), strict=True
            )
        ]
        products = [v * slope for v, slope in zip((x, y, z), slopes, strict=True) if v != 0]
        slopes.append(-(3 * value / 2 + sum(products)) / p)
        return tuple(2 * slope / 3 for slope in slopes)


def g_slopes(mp, x, y, z):
    """The gradient of R_G, by DLMF 19.18.1 and 19.21.10."""
    a, b, c = (v * d for v, d in zip((x, y, z), _d_each(mp, x, y, z), strict=True))
    return (b + c) / 12, (c + a) / 12, (a + b) / 12


def rj(mp, x, y, z, p):
    """R_J, with Cauchy's principal value for negative p: DLMF 19.20.14, for any x, y <= z."""
    if mp.re(p) > 0 or mp.im(p):
        return mp.elliprj(x, y, z, p)
    x, y, z = sorted((mp.re(x), mp.re(y), mp.re(z)))
    q = -mp.re(p)
    shifted = (z * (x + y + q) - x * y) / (z + q)
    product = x * y + shifted * q
    last = 3 * mp.sqrt(x * y * z / product) * mp.elliprc(product, shifted * q)
    return ((shifted - z) * mp.elliprj(x, y, z, shifted) - 3 * mp.elliprf(x, y, z) + last) / (q + z)
