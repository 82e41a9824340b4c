"""Radial spheroidal wave functions of the first and second kind, prolate and oblate."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special.definitions import spheroidal as definitions
from hostwrap.special.families._known import both_known
from hostwrap.special.kernels.spheroidal import domain, radial

__all__ = ["obl_rad1", "obl_rad2", "pro_rad1", "pro_rad2"]

# SciPy's functions of the second kind are wrong for small x, and so is its derivative there: the rules use only our
# own kernels.

pro_rad1_ij = kernel(
    "pro_rad1_ij(m, n, c, x, *, i, j) -> r, rp",  # (d/dc)^i (d/dx)^j, and one more in x
    host=radial.pro_rad1_ij,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x, *, i, j: pro_rad1_ij(m, n, c, x, i=i + 1, j=j),
    dx=lambda y, m, n, c, x, *, i, j: pro_rad1_ij(m, n, c, x, i=i, j=j + 1),
    ref=lambda mp, m, n, c, x, *, i, j: definitions.radial_ij(mp, 1, 1, m, n, c, x, i, j),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 12),
    x=real(1.01, 20),
    see="DLMF 30.11",
)

pro_rad2_ij = kernel(
    "pro_rad2_ij(m, n, c, x, *, i, j) -> r, rp",  # (d/dc)^i (d/dx)^j, and one more in x
    host=radial.pro_rad2_ij,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x, *, i, j: pro_rad2_ij(m, n, c, x, i=i + 1, j=j),
    dx=lambda y, m, n, c, x, *, i, j: pro_rad2_ij(m, n, c, x, i=i, j=j + 1),
    ref=lambda mp, m, n, c, x, *, i, j: definitions.radial_ij(mp, 1, 2, m, n, c, x, i, j),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 12),
    x=real(1.01, 20),
    see="DLMF 30.11",
)

obl_rad1_ij = kernel(
    "obl_rad1_ij(m, n, c, x, *, i, j) -> r, rp",  # (d/dc)^i (d/dx)^j, and one more in x
    host=radial.obl_rad1_ij,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x, *, i, j: obl_rad1_ij(m, n, c, x, i=i + 1, j=j),
    dx=lambda y, m, n, c, x, *, i, j: obl_rad1_ij(m, n, c, x, i=i, j=j + 1),
    ref=lambda mp, m, n, c, x, *, i, j: definitions.radial_ij(mp, -1, 1, m, n, c, x, i, j),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 20),
    x=real(0, 20),
    see="DLMF 30.11",
)

obl_rad2_ij = kernel(
    "obl_rad2_ij(m, n, c, x, *, i, j) -> r, rp",  # (d/dc)^i (d/dx)^j, and one more in x
    host=radial.obl_rad2_ij,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x, *, i, j: obl_rad2_ij(m, n, c, x, i=i + 1, j=j),
    dx=lambda y, m, n, c, x, *, i, j: obl_rad2_ij(m, n, c, x, i=i, j=j + 1),
    ref=lambda mp, m, n, c, x, *, i, j: definitions.radial_ij(mp, -1, 2, m, n, c, x, i, j),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 20),
    x=real(0, 20),
    see="DLMF 30.11",
)

pro_rad1 = special(
    "pro_rad1(m, n, c, x) -> r, rp",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x: both_known(y, pro_rad1_ij(m, n, c, x, i=1, j=0)),
    dx=lambda y, m, n, c, x: both_known(y, pro_rad1_ij(m, n, c, x, i=0, j=1)),
    ref=lambda mp, m, n, c, x: definitions.radial(mp, 1, 1, m, n, c, x),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 12),
    x=real(1.01, 20),
    at=[(0, 0, 8.0, 1.05), (0, 1, 1.0, 2.0), (1, 1, 2.0, 1.5), (0, 0, 0.1, 1.05), (3, 9, 5.0, 2.0)],
    unsafe=domain.unsafe_rad1,
    see="DLMF 30.11",
)

pro_rad2 = special(
    "pro_rad2(m, n, c, x) -> r, rp",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x: both_known(y, pro_rad2_ij(m, n, c, x, i=1, j=0)),
    dx=lambda y, m, n, c, x: both_known(y, pro_rad2_ij(m, n, c, x, i=0, j=1)),
    ref=lambda mp, m, n, c, x: definitions.radial(mp, 1, 2, m, n, c, x),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 12),
    x=real(1.01, 20),
    at=[(0, 0, 8.0, 1.05), (0, 1, 1.0, 2.0), (1, 1, 2.0, 1.5), (0, 0, 0.1, 1.05), (3, 9, 5.0, 2.0)],
    unsafe=domain.unsafe_rad2,
    see="DLMF 30.11",
)

obl_rad1 = special(
    "obl_rad1(m, n, c, x) -> r, rp",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x: both_known(y, obl_rad1_ij(m, n, c, x, i=1, j=0)),
    dx=lambda y, m, n, c, x: both_known(y, obl_rad1_ij(m, n, c, x, i=0, j=1)),
    ref=lambda mp, m, n, c, x: definitions.radial(mp, -1, 1, m, n, c, x),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 20),
    x=real(0, 20),
    at=[(0, 0, 8.0, 0.05), (0, 1, 1.0, 2.0), (1, 1, 2.0, 1.5), (0, 0, 0.1, 0.05), (3, 9, 5.0, 2.0)],
    unsafe=domain.unsafe_rad1,
    see="DLMF 30.11",
)

obl_rad2 = special(
    "obl_rad2(m, n, c, x) -> r, rp",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x: both_known(y, obl_rad2_ij(m, n, c, x, i=1, j=0)),
    dx=lambda y, m, n, c, x: both_known(y, obl_rad2_ij(m, n, c, x, i=0, j=1)),
    ref=lambda mp, m, n, c, x: definitions.radial(mp, -1, 2, m, n, c, x),
    m=integer(0, 2),
    n=integer(2, 6),
    c=real(0.1, 20),
    x=real(0, 20),
    at=[(0, 0, 8.0, 0.05), (0, 1, 1.0, 2.0), (1, 1, 2.0, 1.5), (0, 0, 0.1, 0.05), (3, 9, 5.0, 2.0)],
    unsafe=domain.unsafe_rad2,
    see="DLMF 30.11",
)
