"""Ellipsoidal harmonics of the second kind, and the normalization constants."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import sqrt
from hostwrap.special._orders import orders
from hostwrap.special.elliptic import ellipsoidal
from hostwrap.special.elliptic import mp_ellipsoidal as definitions
from hostwrap.special.elliptic.entries_ellipsoidal import lame_n

__all__ = ["ellip_harm_2", "ellip_normal"]

# F = (2n + 1) E I, where dI/ds = -1 / (E^2 ((s^2 - k2) (s^2 - h2))^(1/2)).


def integral_slope(h2, k2, n, p, s, i, j):
    """The derivative in s of tail_partial: of -E^-2 (s^2 - h2)^(-1/2) (s^2 - k2)^(-1/2), i times in h2 and j in k2.

    By Taylor coefficients. Those of a power f = E^a come from E f' = a E' f, in h2 or in k2.
    """
    e = lambda a, b: lame_n(h2, k2, n, p, s, dh2=a, dk2=b) / (factorial(a) * factorial(b))
    terms = {(a, b): e(a, b) for a in range(i + 1) for b in range(j + 1)}
    inverse = {(0, 0): scaled_slope(h2, k2, n, p, s) / terms[0, 0]}
    for a, b in list(terms)[1:]:
        inverse[a, b] = sum(
            ((-c if a else -d) - (a or b)) * terms[c, d] * inverse[a - c, b - d]
            for c in range(a + 1) for d in range(b + 1) if c or d
        ) / ((a or b) * terms[0, 0])  # fmt: skip
    total = sum(
        inverse[a, b] * root_term(s * s - h2, i - a) * root_term(s * s - k2, j - b)
        for a in range(i + 1) for b in range(j + 1)
    )  # fmt: skip
    return factorial(i) * factorial(j) * total


def root_term(x, k):
    """The k-th coefficient of ((x - t) / x)^(-1/2) in t."""
    return root_term(x, k - 1) * (k - 0.5) / (k * x) if k else 1.0


def factorial(k):
    return k * factorial(k - 1) if k else 1


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
    dh2=lambda y, h2, k2, n, p, s, *, i, j: tail_partial(h2, k2, n, p, s, i=i + 1, j=j),
    dk2=lambda y, h2, k2, n, p, s, *, i, j: tail_partial(h2, k2, n, p, s, i=i, j=j + 1),
    ds=lambda y, h2, k2, n, p, s, *, i, j: integral_slope(h2, k2, n, p, s, i, j),
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
    orders=orders(ellipsoidal.normal_n),
    ref=lambda mp, h2, k2, n, p: definitions.normal(mp, h2, k2, n, p),
    n=integer(2, 5),
    p=integer(1, 3),
    h2=real(0.5, 4),
    k2=real(4.5, 20),
    at=[(1.0, 2.0, 4, 9), (5.0, 8.0, 3, 7)],
    see="Dassios, Ellipsoidal Harmonics (2012), 4.14",
)
