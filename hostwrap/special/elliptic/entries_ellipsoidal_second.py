"""Ellipsoidal harmonics of the second kind, and the normalization constants."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import sqrt
from hostwrap.special._orders import orders
from hostwrap.special.elliptic import ellipsoidal
from hostwrap.special.elliptic import mp_ellipsoidal as definitions
from hostwrap.special.elliptic.entries_ellipsoidal import lame_n, third

__all__ = ["ellip_harm_2", "ellip_normal"]

# F = (2n + 1) E I, where dI/ds = -1 / (E^2 ((s^2 - k2) (s^2 - h2))^(1/2)).


def integral_slope(h2, k2, n, p, s, i, j):
    """The derivative in s of tail_partial."""
    e = lame_n(h2, k2, n, p, s)
    slope = scaled_slope(h2, k2, n, p, s) / e
    if i:
        return slope * (-2 * lame_n(h2, k2, n, p, s, dh2=1) / e + 0.5 / (s * s - h2))
    if j:
        return slope * (-2 * lame_n(h2, k2, n, p, s, dk2=1) / e + 0.5 / (s * s - k2))
    return slope


def scaled_slope(h2, k2, n, p, s):
    """E dI/ds; the product of all factors may overflow."""
    return -1 / lame_n(h2, k2, n, p, s) / sqrt(s * s - k2) / sqrt(s * s - h2)


def second_slope(y, h2, k2, n, p, s, partial, integral):
    """From the derivative of E, and E times that of I."""
    return known(y, y * partial / lame_n(h2, k2, n, p, s) + (2 * n + 1) * integral)


tail_partial = kernel(
    "tail_partial(h2, k2, n, p, s, *, i=0, j=0)",  # (d/dh2)^i (d/dk2)^j of I
    host=ellipsoidal.integral_partial,
    dn=discrete,
    dp=discrete,
    dh2=lambda y, h2, k2, n, p, s, *, i, j: (
        tail_partial(h2, k2, n, p, s, i=i + 1, j=j) if i + j < 2 else third()
    ),
    dk2=lambda y, h2, k2, n, p, s, *, i, j: (
        tail_partial(h2, k2, n, p, s, i=i, j=j + 1) if i + j < 2 else third()
    ),
    ds=lambda y, h2, k2, n, p, s, *, i, j: integral_slope(h2, k2, n, p, s, i, j) if i + j < 2 else third(),
    ref=lambda mp, h2, k2, n, p, s, *, i, j: mp.diff(
        lambda a, b: definitions.tail(mp, a, b, n, p, s), (h2, k2), (i, j)
    ),
    n=integer(1, 4),
    p=integer(1, 3),
    h2=real(0.5, 4),
    k2=real(4.5, 20),
    s=real(5, 20),
    see="Dassios, Ellipsoidal Harmonics (2012), 4.13",
)
ellip_harm_2 = special(
    "ellip_harm_2(h2, k2, n, p, s)",
    host=ellipsoidal.second_kind,
    dn=discrete,
    dp=discrete,
    dh2=lambda y, h2, k2, n, p, s: second_slope(
        y,
        h2,
        k2,
        n,
        p,
        s,
        lame_n(h2, k2, n, p, s, dh2=1),
        lame_n(h2, k2, n, p, s) * tail_partial(h2, k2, n, p, s, i=1),
    ),
    dk2=lambda y, h2, k2, n, p, s: second_slope(
        y,
        h2,
        k2,
        n,
        p,
        s,
        lame_n(h2, k2, n, p, s, dk2=1),
        lame_n(h2, k2, n, p, s) * tail_partial(h2, k2, n, p, s, j=1),
    ),
    ds=lambda y, h2, k2, n, p, s: second_slope(
        y, h2, k2, n, p, s, lame_n(h2, k2, n, p, s, ds=1), scaled_slope(h2, k2, n, p, s)
    ),
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
    orders=orders(ellipsoidal.normal_n, highest=2),
    ref=lambda mp, h2, k2, n, p: definitions.normal(mp, h2, k2, n, p),
    n=integer(2, 5),
    p=integer(1, 3),
    h2=real(0.5, 4),
    k2=real(4.5, 20),
    at=[(1.0, 2.0, 4, 9), (5.0, 8.0, 3, 7)],
    see="Dassios, Ellipsoidal Harmonics (2012), 4.14",
)
