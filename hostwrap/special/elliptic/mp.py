"""Jacobi's elliptic functions by the arithmetic-geometric mean, DLMF 22.20(ii)."""


def jacobi(mp, u, m):
    """sn, cn, dn and the amplitude for 0 <= m <= 1."""
    phi = amplitude(mp, u, m)
    sn = mp.sin(phi)
    return sn, mp.cos(phi), mp.sech(u) if m == 1 else mp.sqrt(1 - m * sn * sn), phi


def amplitude(mp, u, m):
    if m == 1:
        return 2 * mp.atan(mp.tanh(u / 2))
    a, b, ratios = mp.mpf(1), mp.sqrt(1 - m), []
    while mp.fabs(a - b) > mp.eps * a:
        a, b, c = (a + b) / 2, mp.sqrt(a * b), (a - b) / 2
        ratios.append(c / a)
    phi = 2 ** len(ratios) * a * u
    for ratio in reversed(ratios):
        phi = (phi + mp.asin(ratio * mp.sin(phi))) / 2
    return phi


def jacobi_n(mp, u, m, n):
    """The n-th derivatives in m of sn, cn and dn."""
    side = -1 if m == 1 else 0
    return tuple(mp.diff(lambda t, k=k: jacobi(mp, u, t)[k], m, n, direction=side) for k in range(3))


def amplitude_n(mp, u, m, n):
    """The n-th derivative of the amplitude in m, one-sided at m = 1."""
    return mp.diff(lambda t: amplitude(mp, u, t), m, n, direction=-1 if m == 1 else 0)
