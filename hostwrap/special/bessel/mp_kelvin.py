"""Kelvin functions from the power series of I_0 and K_0, at as many digits as cancel."""


def first(mp, x):
    """ber + i bei and its derivative."""
    with mp.extradps(int(0.8 * mp.fabs(x)) + 5):
        turn = mp.expjpi(mp.mpf(1) / 4)
        be, _, bep, _ = series(mp, x * turn)
        return be, turn * bep


def second(mp, x):
    """ker + i kei and its derivative."""
    with mp.extradps(int(0.8 * mp.fabs(x)) + 5):
        turn = mp.expjpi(mp.mpf(1) / 4)
        be, ke, bep, kep = series(mp, x * turn)
        logarithm = mp.log(x * turn / 2) + mp.euler
        return ke - logarithm * be, turn * (kep - logarithm * bep - be / (x * turn))


def series(mp, w):
    """Sums over k of w^2k / (4^k k!^2), without and with the harmonic number H_k, and their derivatives."""
    term, harmonic, k = mp.mpf(1), mp.mpf(0), 0
    be, ke, bep, kep = mp.mpf(1), mp.mpf(0), mp.mpf(0), mp.mpf(0)
    while mp.fabs(term) > mp.eps**2:
        k += 1
        slope = term * w / (2 * k)
        term = slope * w / (2 * k)
        harmonic += mp.mpf(1) / k
        be, ke, bep, kep = be + term, ke + harmonic * term, bep + slope, kep + harmonic * slope
    return be, ke, bep, kep
