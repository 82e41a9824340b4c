"""Spheroidal wave functions: characteristic values and angular functions, prolate and oblate."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special.definitions import spheroidal as definitions
from hostwrap.special.families._known import both_known, known
from hostwrap.special.kernels.spheroidal import angular, domain

__all__ = ["obl_ang1", "obl_cv", "pro_ang1", "pro_cv"]

pro_cv_n = kernel(
    "pro_cv_n(m, n, c, *, i)",  # (d/dc)^i
    host=angular.pro_cv_n,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, *, i: pro_cv_n(m, n, c, i=i + 1),
    ref=lambda mp, m, n, c, *, i: mp.diff(lambda t: definitions.characteristic(mp, 1, m, n, t), c, i),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 40),
    see="DLMF 30.8, perturbation of the eigenvalue problem",
)

pro_ang1_ij = kernel(
    "pro_ang1_ij(m, n, c, x, *, i, j) -> s, sp",  # (d/dc)^i (d/dx)^j, and one more in x
    host=angular.pro_ang1_ij,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x, *, i, j: pro_ang1_ij(m, n, c, x, i=i + 1, j=j),
    dx=lambda y, m, n, c, x, *, i, j: pro_ang1_ij(m, n, c, x, i=i, j=j + 1),
    ref=lambda mp, m, n, c, x, *, i, j: definitions.angular_ij(mp, 1, m, n, c, x, i, j),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 20),
    x=real(-0.99, 0.99),
    see="DLMF 30.8",
)

pro_cv = special(
    "pro_cv(m, n, c)",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c: known(y, pro_cv_n(m, n, c, i=1)),
    ref=lambda mp, m, n, c: definitions.characteristic(mp, 1, m, n, c),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 40),
    at=[(0, 0, 0.01), (0, 0, 10.0), (0, 1, 1.0), (1, 1, 5.0), (1, 2, 1e-5), (0, 0, 0.0), (2, 2, 100.0)],
    unsafe=domain.unsafe_cv,
    see="DLMF 30.8, perturbation of the eigenvalue problem",
)

pro_ang1 = special(
    "pro_ang1(m, n, c, x) -> s, sp",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x: both_known(y, pro_ang1_ij(m, n, c, x, i=1, j=0)),
    dx=lambda y, m, n, c, x: both_known(y, pro_ang1_ij(m, n, c, x, i=0, j=1)),
    ref=lambda mp, m, n, c, x: definitions.angular(mp, 1, m, n, c, x),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 20),
    x=real(-0.99, 0.99),
    at=[
        (0, 0, 1.0, 0.25),
        (0, 0, 10.0, 0.97),
        (0, 1, 2.0, 0.5),
        (1, 1, 5.0, -0.5),
        (1, 2, 1e-5, 0.25),
        (2, 2, 8.0, 0.999),
    ],
    unsafe=domain.unsafe_ang1,
    see="DLMF 30.8",
)

obl_cv_n = kernel(
    "obl_cv_n(m, n, c, *, i)",  # (d/dc)^i
    host=angular.obl_cv_n,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, *, i: obl_cv_n(m, n, c, i=i + 1),
    ref=lambda mp, m, n, c, *, i: mp.diff(lambda t: definitions.characteristic(mp, -1, m, n, t), c, i),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 40),
    see="DLMF 30.8, perturbation of the eigenvalue problem",
)

obl_ang1_ij = kernel(
    "obl_ang1_ij(m, n, c, x, *, i, j) -> s, sp",  # (d/dc)^i (d/dx)^j, and one more in x
    host=angular.obl_ang1_ij,
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x, *, i, j: obl_ang1_ij(m, n, c, x, i=i + 1, j=j),
    dx=lambda y, m, n, c, x, *, i, j: obl_ang1_ij(m, n, c, x, i=i, j=j + 1),
    ref=lambda mp, m, n, c, x, *, i, j: definitions.angular_ij(mp, -1, m, n, c, x, i, j),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 20),
    x=real(-0.99, 0.99),
    see="DLMF 30.8",
)

obl_cv = special(
    "obl_cv(m, n, c)",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c: known(y, obl_cv_n(m, n, c, i=1)),
    ref=lambda mp, m, n, c: definitions.characteristic(mp, -1, m, n, c),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 40),
    at=[(0, 0, 0.01), (0, 0, 10.0), (0, 1, 1.0), (1, 1, 5.0), (1, 2, 1e-5), (0, 0, 0.0), (2, 2, 100.0)],
    unsafe=domain.unsafe_cv,
    see="DLMF 30.8, perturbation of the eigenvalue problem",
)

obl_ang1 = special(
    "obl_ang1(m, n, c, x) -> s, sp",
    dm=discrete,
    dn=discrete,
    dc=lambda y, m, n, c, x: both_known(y, obl_ang1_ij(m, n, c, x, i=1, j=0)),
    dx=lambda y, m, n, c, x: both_known(y, obl_ang1_ij(m, n, c, x, i=0, j=1)),
    ref=lambda mp, m, n, c, x: definitions.angular(mp, -1, m, n, c, x),
    m=integer(0, 3),
    n=integer(3, 9),
    c=real(0, 20),
    x=real(-0.99, 0.99),
    at=[
        (0, 0, 1.0, 0.25),
        (0, 0, 10.0, 0.97),
        (0, 1, 2.0, 0.5),
        (1, 1, 5.0, -0.5),
        (1, 2, 1e-5, 0.25),
        (2, 2, 8.0, 0.999),
    ],
    unsafe=domain.unsafe_ang1,
    see="DLMF 30.8",
)
