"""Characteristic values of Mathieu's equation and its periodic solutions.

The angular functions take x in degrees, and their second result is the derivative per radian.
"""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import pi
from hostwrap.special.definitions import mathieu as definitions
from hostwrap.special.families._known import both_known, known
from hostwrap.special.kernels.mathieu import angular, domain

__all__ = ["mathieu_a", "mathieu_b", "mathieu_cem", "mathieu_sem"]


def per_degree(slopes):
    return pi / 180 * slopes[0], pi / 180 * slopes[1]


mathieu_a_n = kernel(
    "mathieu_a_n(m, q, *, n)",  # (d/dq)^n
    host=angular.a_n,
    dm=discrete,
    dq=lambda y, m, q, *, n: mathieu_a_n(m, q, n=n + 1),
    ref=lambda mp, m, q, *, n: mp.diff(lambda t: definitions.characteristic(mp, True, m, t), q, n),
    m=integer(0, 10),
    q=real(-60, 300),
    see="DLMF 28.2, perturbation of the eigenvalue problem",
)
mathieu_b_n = kernel(
    "mathieu_b_n(m, q, *, n)",
    host=angular.b_n,
    dm=discrete,
    dq=lambda y, m, q, *, n: mathieu_b_n(m, q, n=n + 1),
    ref=lambda mp, m, q, *, n: mp.diff(lambda t: definitions.characteristic(mp, False, m, t), q, n),
    m=integer(1, 10),
    q=real(-60, 300),
    see="DLMF 28.2, perturbation of the eigenvalue problem",
)
mathieu_a = special(
    "mathieu_a(m, q)",
    dm=discrete,
    dq=lambda y, m, q: known(y, mathieu_a_n(m, q, n=1)),
    ref=lambda mp, m, q: definitions.characteristic(mp, True, m, q),
    m=integer(0, 10),
    q=real(-60, 300),
    at=[(0, 0.0), (1, 0.0), (2, 0.0), (7, 0.0), (2, 1e-8), (5, 1e-5), (0, 2000.0)],
    unsafe=domain.long_matrix,
    see="DLMF 28.2, perturbation of the eigenvalue problem",
)
mathieu_b = special(
    "mathieu_b(m, q)",
    dm=discrete,
    dq=lambda y, m, q: known(y, mathieu_b_n(m, q, n=1)),
    ref=lambda mp, m, q: definitions.characteristic(mp, False, m, q),
    m=integer(1, 10),
    q=real(-60, 300),
    at=[(1, 0.0), (2, 0.0), (7, 0.0), (2, 1e-8), (5, 1e-5), (1, 2000.0)],
    unsafe=domain.long_matrix,
    see="DLMF 28.2, perturbation of the eigenvalue problem",
)

mathieu_ce_ij = kernel(
    "mathieu_ce_ij(m, q, x, *, i, j) -> y, yp",  # (d/dq)^i (d/dx)^j of ce, and one more in x; per radian
    host=angular.ce_ij,
    dm=discrete,
    dq=lambda y, m, q, x, *, i, j: mathieu_ce_ij(m, q, x, i=i + 1, j=j),
    dx=lambda y, m, q, x, *, i, j: per_degree(mathieu_ce_ij(m, q, x, i=i, j=j + 1)),
    ref=lambda mp, m, q, x, *, i, j: definitions.angular_ij(mp, True, m, q, x, i, j),
    m=integer(0, 10),
    q=real(-40, 60),
    x=real(-85, 170),
    see="DLMF 28.4",
)
mathieu_se_ij = kernel(
    "mathieu_se_ij(m, q, x, *, i, j) -> y, yp",
    host=angular.se_ij,
    dm=discrete,
    dq=lambda y, m, q, x, *, i, j: mathieu_se_ij(m, q, x, i=i + 1, j=j),
    dx=lambda y, m, q, x, *, i, j: per_degree(mathieu_se_ij(m, q, x, i=i, j=j + 1)),
    ref=lambda mp, m, q, x, *, i, j: definitions.angular_ij(mp, False, m, q, x, i, j),
    m=integer(1, 10),
    q=real(-40, 60),
    x=real(-85, 170),
    see="DLMF 28.4",
)
mathieu_cem = special(
    "mathieu_cem(m, q, x) -> y, yp",
    dm=discrete,
    dq=lambda y, m, q, x: both_known(y, mathieu_ce_ij(m, q, x, i=1, j=0)),
    dx=lambda y, m, q, x: both_known(y, per_degree(mathieu_ce_ij(m, q, x, i=0, j=1))),
    ref=lambda mp, m, q, x: definitions.angular(mp, True, m, q, x),
    m=integer(0, 10),
    q=real(-40, 60),
    x=real(-85, 170),
    at=[(0, 0.0, 30.0), (2, 0.0, 30.0), (1, 5.0, 0.0), (5, 1e-5, 10.0)],
    unsafe=domain.unsafe,
    see="DLMF 28.4; x is in degrees, yp is the derivative per radian",
)
mathieu_sem = special(
    "mathieu_sem(m, q, x) -> y, yp",
    dm=discrete,
    dq=lambda y, m, q, x: both_known(y, mathieu_se_ij(m, q, x, i=1, j=0)),
    dx=lambda y, m, q, x: both_known(y, per_degree(mathieu_se_ij(m, q, x, i=0, j=1))),
    ref=lambda mp, m, q, x: definitions.angular(mp, False, m, q, x),
    m=integer(1, 10),
    q=real(-40, 60),
    x=real(-85, 170),
    at=[(1, 0.0, 30.0), (2, 0.0, 30.0), (1, 5.0, 0.0), (5, 1e-5, 10.0)],
    unsafe=domain.unsafe,
    see="DLMF 28.4; x is in degrees, yp is the derivative per radian",
)
