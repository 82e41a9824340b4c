"""Carlson's symmetric elliptic integrals.

All their derivatives are integrals of the same kind with raised exponents: positive integrands, in which nothing
cancels when arguments are equal or nearly so. The first ones of each function come from one pass of duplication.
"""

from hostwrap.special._entry import real, special
from hostwrap.special._known import known
from hostwrap.special._math import imag, re, sqrt, where
from hostwrap.special.elliptic import mp_carlson as definitions
from hostwrap.special.elliptic.entries_carlson_integral import carlson_slopes, g_slopes

__all__ = ["elliprc", "elliprd", "elliprf", "elliprg", "elliprj"]

SYMMETRIC = {argument: real(0, 100, im=20) for argument in "xyz"}


def principal(p):
    """Where R_C and R_J are Cauchy principal values."""
    return (re(p) < 0) & (imag(p) == 0)


elliprf = special(
    "elliprf(x, y, z)",
    dx=lambda r, x, y, z: known(r, carlson_slopes(x, y, z, 1.0).x / 2),
    dy=lambda r, x, y, z: known(r, carlson_slopes(x, y, z, 1.0).y / 2),
    dz=lambda r, x, y, z: known(r, carlson_slopes(x, y, z, 1.0).z / 2),
    ref=lambda mp, x, y, z: mp.elliprf(x, y, z),
    **SYMMETRIC,
    at=[
        (2.0, 2.0, 2.0),
        (1.0, 1.0 + 1e-9, 7.0),
        (1e-10, 1.0, 1e6),
        (1e-100, 1.0, 2.0),
        (-3 + 0.1j, -2 - 0.1j, 1.0),
    ],
    see="DLMF 19.18.1",
)
elliprd = special(
    "elliprd(x, y, z)",
    dx=lambda r, x, y, z: known(r, 1.5 * carlson_slopes(x, y, z, 1.0, k=1).x),
    dy=lambda r, x, y, z: known(r, 1.5 * carlson_slopes(x, y, z, 1.0, k=1).y),
    dz=lambda r, x, y, z: known(r, 1.5 * carlson_slopes(x, y, z, 1.0, k=1).z),
    ref=lambda mp, x, y, z: mp.elliprd(x, y, z),
    **SYMMETRIC,
    at=[
        (2.0, 2.0, 2.0),
        (1.0, 1.0 + 1e-9, 7.0),
        (1e-10, 1.0, 1e6),
        (1e-100, 1.0, 2.0),
        (-3 + 0.1j, -2 - 0.1j, 1.0),
    ],
    see="DLMF 19.16.5, differentiated under the integral",
)
elliprg = special(
    "elliprg(x, y, z)",
    dx=lambda r, x, y, z: known(r, g_slopes(x, y, z).x),
    dy=lambda r, x, y, z: known(r, g_slopes(x, y, z).y),
    dz=lambda r, x, y, z: known(r, g_slopes(x, y, z).z),
    ref=lambda mp, x, y, z: mp.elliprg(x, y, z),
    **SYMMETRIC,
    at=[
        (2.0, 2.0, 2.0),
        (1.0, 1.0 + 1e-9, 7.0),
        (1e-10, 1.0, 1e6),
        (1e6, 1e-10, 1.0),
        (-3 + 0.1j, -2 - 0.1j, 1.0),
    ],
    see="DLMF 19.16.2_5, differentiated under the integral",
)


# The principal value R_C(x, y < 0) has the derivatives that follow from R_C's differential equations; there x - y
# has no zero. For y > 0, R_C(x, y) = R_F(x, y, y).


def rc_x(r, x, y):
    cut = principal(y)
    ordinary, negative = where(cut, 1.0, y), where(cut, y, -1.0)
    return where(
        cut, (r - 1 / sqrt(x)) / (2 * (negative - x)), carlson_slopes(x, ordinary, ordinary, 1.0).x / 2
    )


def rc_y(r, x, y):
    cut = principal(y)
    ordinary, negative = where(cut, 1.0, y), where(cut, y, -1.0)
    x_part = (x * r - sqrt(x)) / (2 * (negative - x))
    return where(cut, -(r / 2 + x_part) / negative, carlson_slopes(x, ordinary, ordinary, 1.0).y)


elliprc = special(
    "elliprc(x, y)",
    dx=lambda r, x, y: known(r, rc_x(r, x, y)),
    dy=lambda r, x, y: known(r, rc_y(r, x, y)),
    ref=lambda mp, x, y: mp.elliprc(x, y),
    x=real(0, 100, im=20),
    y=real(-20, 100, im=20),
    at=[
        (2.0, 2.0),
        (2.0, -3.0),
        (1.0, 1.0 + 1e-9),
        (1e-10, 1.0),
        (1e6, -1e-3),
        (-3 + 0.1j, 1 - 2j),
        (2.0, -4 + 0.1j),
    ],
    see="DLMF 19.2.17, 19.2.20, 19.18.1",
)


# For p < 0 the derivatives of the principal value R_J follow from R_D by DLMF 19.18.4 and homogeneity, 19.18.1;
# there p - x has no zero.


def rj_slopes(r, x, y, z, p):
    """In x, y, z and p."""
    cut = principal(p)
    ordinary, negative = where(cut, 1.0, p), where(cut, p, -1.0)
    f, j = carlson_slopes(x, y, z, 1.0), carlson_slopes(x, y, z, ordinary, n=1)
    twice = [(v, r + 3 * d) for v, d in ((x, f.x), (y, f.y), (z, f.z))]
    across = [rise / (2 * (negative - v)) for v, rise in twice]
    parts = [
        where(v == 0, 0 * v, rise * (v / (2 * (negative - v)))) for v, rise in twice
    ]  # slopes may underflow
    across.append(-(1.5 * r + sum(parts)) / negative)
    return [known(r, where(cut, a, 1.5 * d)) for a, d in zip(across, (j.x, j.y, j.z, j.p), strict=True)]


elliprj = special(
    "elliprj(x, y, z, p)",
    dx=lambda r, x, y, z, p: rj_slopes(r, x, y, z, p)[0],
    dy=lambda r, x, y, z, p: rj_slopes(r, x, y, z, p)[1],
    dz=lambda r, x, y, z, p: rj_slopes(r, x, y, z, p)[2],
    dp=lambda r, x, y, z, p: rj_slopes(r, x, y, z, p)[3],
    ref=lambda mp, x, y, z, p: definitions.rj(mp, x, y, z, p),
    **SYMMETRIC,
    p=real(-20, 100, im=20),
    at=[
        (2.0, 2.0, 2.0, 2.0),
        (1.0, 2.0, 3.0, 1.0 + 1e-9),
        (1e4, 1e-4, 1e-3, -20.0),
        (0.3, 1.0, 1.0, 0.5),
        (2.5, 1.0, 3.0, 40.0),
        (1.0, 2.0, 3.0, -1 + 0.5j),
    ],
    see="DLMF 19.16.2, 19.18.4",
)
