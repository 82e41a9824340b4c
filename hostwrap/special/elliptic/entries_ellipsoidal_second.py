"""Ellipsoidal harmonics of the second kind, and the normalization constants."""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.elliptic import ellipsoidal
from hostwrap.special.elliptic import mp_ellipsoidal as definitions

__all__ = ["ellip_harm_2", "ellip_normal"]

ellip_harm_2 = special(
    "ellip_harm_2(h2, k2, n, p, s)",
    host=ellipsoidal.second_kind,
    dn=discrete,
    dp=discrete,
    orders=orders(ellipsoidal.second_kind_n, guarded=True, loops=True),
    ref=lambda mp, h2, k2, n, p, s: (
        (2 * n + 1) * definitions.harmonic(mp, h2, k2, n, p, s, 1, 1) * definitions.tail(mp, h2, k2, n, p, s)
    ),
    n=integer(1, 4),
    p=integer(1, 3),
    h2=real(0.5, 4),
    k2=real(4.5, 20),
    s=real(5, 20),
    at=[(1.0, 2.0, 0, 1, 1.5), (5.0, 8.0, 3, 7, 12.5)],
    see="Dassios, Ellipsoidal Harmonics (2012), 4.13",
)

ellip_normal = special(
    "ellip_normal(h2, k2, n, p)",
    host=ellipsoidal.normal,
    dn=discrete,
    dp=discrete,
    orders=orders(ellipsoidal.normal_n, guarded=True, loops=True),
    ref=lambda mp, h2, k2, n, p: definitions.normal(mp, h2, k2, n, p),
    n=integer(2, 5),
    p=integer(1, 3),
    h2=real(0.5, 4),
    k2=real(4.5, 20),
    at=[(1.0, 2.0, 4, 9), (5.0, 8.0, 3, 7)],
    see="Dassios, Ellipsoidal Harmonics (2012), 4.14",
)
