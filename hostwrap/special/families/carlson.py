"""Carlson's symmetric elliptic integrals.

All their derivatives are integrals of the same kind with raised exponents: positive integrands, in which nothing
cancels when arguments are equal or nearly so. R_D is among them, hence the first derivatives of R_F and R_C.
"""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import imag, re, sqrt, where
from hostwrap.special.definitions import carlson as definitions
from hostwrap.special.families._known import known
from hostwrap.special.kernels.elliptic import carlson as kernels

__all__ = ["elliprc", "elliprd", "elliprf", "elliprg", "elliprj"]

carlson = kernel(
    # the integral over t > 0 of t^e (t+x)^-(i+1/2) (t+y)^-(j+1/2) (t+z)^-(k+1/2) (t+p)^-n
    "carlson(x, y, z, p, *, i=0, j=0, k=0, n=0, e=0)",
    host=kernels.integral,
    dx=lambda r, x, y, z, p, *, i, j, k, n, e: -(i + 0.5) * carlson(x, y, z, p, i=i + 1, j=j, k=k, n=n, e=e),
    dy=lambda r, x, y, z, p, *, i, j, k, n, e: -(j + 0.5) * carlson(x, y, z, p, i=i, j=j + 1, k=k, n=n, e=e),
    dz=lambda r, x, y, z, p, *, i, j, k, n, e: -(k + 0.5) * carlson(x, y, z, p, i=i, j=j, k=k + 1, n=n, e=e),
    dp=lambda r, x, y, z, p, *, i, j, k, n, e: -n * carlson(x, y, z, p, i=i, j=j, k=k, n=n + 1, e=e),
    ref=lambda mp, x, y, z, p, *, i, j, k, n, e: definitions.integral(mp, x, y, z, p, i, j, k, n, e),
    x=real(0.05, 20, im=3),
    y=real(0.05, 20, im=3),
    z=real(0.05, 20, im=3),
    p=real(0.05, 20, im=3),
    see="DLMF 19.16.1 to 19.16.5",
)


def principal(p):
    """Where R_C and R_J are Cauchy principal values."""
    return (re(p) < 0) & (imag(p) == 0)


elliprf = special(
    "elliprf(x, y, z)",
    dx=lambda r, x, y, z: known(r, -elliprd(y, z, x) / 6),
    dy=lambda r, x, y, z: known(r, -elliprd(x, z, y) / 6),
    dz=lambda r, x, y, z: known(r, -elliprd(x, y, z) / 6),
    ref=lambda mp, x, y, z: mp.elliprf(x, y, z),
    x=real(0, 100, im=20),
    y=real(0, 100, im=20),
    z=real(0, 100, im=20),
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
    dx=lambda r, x, y, z: known(r, -3 / 4 * carlson(x, y, z, 1.0, i=1, k=1)),
    dy=lambda r, x, y, z: known(r, -3 / 4 * carlson(x, y, z, 1.0, j=1, k=1)),
    dz=lambda r, x, y, z: known(r, -9 / 4 * carlson(x, y, z, 1.0, k=2)),
    ref=lambda mp, x, y, z: mp.elliprd(x, y, z),
    x=real(0, 100, im=20),
    y=real(0, 100, im=20),
    z=real(0, 100, im=20),
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
    dx=lambda r, x, y, z: known(r, carlson(x, y, z, 1.0, i=1, e=1) / 8),
    dy=lambda r, x, y, z: known(r, carlson(x, y, z, 1.0, j=1, e=1) / 8),
    dz=lambda r, x, y, z: known(r, carlson(x, y, z, 1.0, k=1, e=1) / 8),
    ref=lambda mp, x, y, z: mp.elliprg(x, y, z),
    x=real(0, 100, im=20),
    y=real(0, 100, im=20),
    z=real(0, 100, im=20),
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
    return where(cut, (r - 1 / sqrt(x)) / (2 * (negative - x)), -elliprd(ordinary, ordinary, x) / 6)


def rc_y(r, x, y):
    cut = principal(y)
    ordinary, negative = where(cut, 1.0, y), where(cut, y, -1.0)
    x_part = (x * r - sqrt(x)) / (2 * (negative - x))
    return where(cut, -(r / 2 + x_part) / negative, -elliprd(x, ordinary, ordinary) / 3)


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


def rj_slope(r, x, y, z, p):
    """In x, for p < 0."""
    return (r - elliprd(y, z, x)) / (2 * (p - x))


def rj_x(r, x, y, z, p):
    cut = principal(p)
    ordinary, negative = where(cut, 1.0, p), where(cut, p, -1.0)
    slope = where(cut, rj_slope(r, x, y, z, negative), -3 / 4 * carlson(x, y, z, ordinary, i=1, n=1))
    return known(r, slope)


def rj_part(r, x, y, z, p):
    """x times the derivative in x, which vanishes with x."""
    inside = where(x == 0, 1.0, x)
    return where(x == 0, 0 * x, inside * rj_slope(r, inside, y, z, p))


def rj_p(r, x, y, z, p):
    cut = principal(p)
    ordinary, negative = where(cut, 1.0, p), where(cut, p, -1.0)
    parts = rj_part(r, x, y, z, negative) + rj_part(r, y, z, x, negative) + rj_part(r, z, x, y, negative)
    slope = where(cut, -(1.5 * r + parts) / negative, -3 / 2 * carlson(x, y, z, ordinary, n=2))
    return known(r, slope)


elliprj = special(
    "elliprj(x, y, z, p)",
    dx=lambda r, x, y, z, p: rj_x(r, x, y, z, p),
    dy=lambda r, x, y, z, p: rj_x(r, y, z, x, p),
    dz=lambda r, x, y, z, p: rj_x(r, z, x, y, p),
    dp=lambda r, x, y, z, p: rj_p(r, x, y, z, p),
    ref=lambda mp, x, y, z, p: definitions.rj(mp, x, y, z, p),
    x=real(0, 100, im=20),
    y=real(0, 100, im=20),
    z=real(0, 100, im=20),
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
