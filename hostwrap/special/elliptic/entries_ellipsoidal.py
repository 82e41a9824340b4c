"""Ellipsoidal harmonics of the first kind: Lame polynomials."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import nan, where
from hostwrap.special.elliptic import lame
from hostwrap.special.elliptic import mp_ellipsoidal as definitions

__all__ = ["ellip_harm"]


lame_n = kernel(
    "lame_n(h2, k2, n, p, s, *, dh2=0, dk2=0, ds=0)",  # a derivative of ellip_harm
    host=lame.lame_n,
    loops=True,
    dh2=lambda y, h2, k2, n, p, s, *, dh2, dk2, ds: lame_n(h2, k2, n, p, s, dh2=dh2 + 1, dk2=dk2, ds=ds),
    dk2=lambda y, h2, k2, n, p, s, *, dh2, dk2, ds: lame_n(h2, k2, n, p, s, dh2=dh2, dk2=dk2 + 1, ds=ds),
    dn=discrete,
    dp=discrete,
    ds=lambda y, h2, k2, n, p, s, *, dh2, dk2, ds: lame_n(h2, k2, n, p, s, dh2=dh2, dk2=dk2, ds=ds + 1),
    ref=lambda mp, h2, k2, n, p, s, *, dh2, dk2, ds: mp.diff(
        lambda a, b, c: definitions.harmonic(mp, a, b, n, p, c, 1, 1), (h2, k2, s), (dh2, dk2, ds)
    ),
    h2=real(0.5, 4),
    k2=real(4.5, 20),
    n=integer(1, 6),
    p=integer(1, 3),
    s=real(0.1, 20),
    see="DLMF 29.12, 31.5",
)


def sign(n, p, signm, signn):
    """signm where the polynomial has the factor |s^2 - h2|^(1/2), signn where it has |s^2 - k2|^(1/2).

    NaN where one of them is not a sign.
    """
    first, second = (p > n // 2 + 1) & (p <= n + 1), (p > n + 1) & (p <= 2 * n + 1 - n // 2)
    both = p > 2 * n + 1 - n // 2
    size = where(first | both, signm, 1) * where(second | both, signn, 1)
    return where((signm * signm == 1) & (signn * signn == 1), size, nan)


ellip_harm = special(
    "ellip_harm(h2, k2, n, p, s, signm=1, signn=1)",
    dh2=lambda y, h2, k2, n, p, s, signm, signn: sign(n, p, signm, signn) * lame_n(h2, k2, n, p, s, dh2=1),
    dk2=lambda y, h2, k2, n, p, s, signm, signn: sign(n, p, signm, signn) * lame_n(h2, k2, n, p, s, dk2=1),
    dn=discrete,
    dp=discrete,
    ds=lambda y, h2, k2, n, p, s, signm, signn: sign(n, p, signm, signn) * lame_n(h2, k2, n, p, s, ds=1),
    dsignm=discrete,
    dsignn=discrete,
    ref=lambda mp, h2, k2, n, p, s, signm, signn: definitions.harmonic(mp, h2, k2, n, p, s, signm, signn),
    h2=real(0.5, 4),
    k2=real(4.5, 20),
    n=integer(1, 6),
    p=integer(1, 3),
    s=real(-20, 20),
    signm=integer(1, 1),
    signn=integer(1, 1),
    at=[
        (1.0, 2.0, 0, 1, 1.5, 1, 1),
        (5.0, 8.0, 3, 7, 2.5, -1, 1),
        (1.3, 3.7, 6, 13, 2.7, 1, -1),
        (1.0, 1.1, 4, 5, 3.0, -1, -1),
    ],
    see="DLMF 29.12, 31.5; perturbation of the coefficients' eigenvalue problem",
)
