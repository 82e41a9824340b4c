"""Characteristic values of Mathieu's equation and its periodic solutions.

The angular functions take x in degrees, and their second result is the derivative per radian.
"""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.mathieu import angular, domain
from hostwrap.special.mathieu import mp as definitions

__all__ = ["mathieu_a", "mathieu_b", "mathieu_cem", "mathieu_sem"]


def characteristic(name, even, derivatives, at):
    return special(
        f"{name}(m, q)",
        orders=orders(derivatives, loops=True),
        dm=discrete,
        ref=lambda mp, m, q: definitions.characteristic(mp, even, m, q),
        m=integer(0 if even else 1, 10),
        q=real(-60, 300),
        at=at,
        unsafe=domain.long_matrix,
        see="DLMF 28.2, perturbation of the eigenvalue problem",
    )


def periodic(name, even, derivatives, at):
    return special(
        f"{name}(m, q, x) -> y, yp",
        orders=orders(derivatives, loops=True),
        dm=discrete,
        ref=lambda mp, m, q, x: definitions.angular(mp, even, m, q, x),
        m=integer(0 if even else 1, 10),
        q=real(-40, 60),
        x=real(-85, 170),
        at=at,
        unsafe=domain.unsafe,
        see="DLMF 28.4; x is in degrees, yp is the derivative per radian",
    )


mathieu_a = characteristic(
    "mathieu_a",
    True,
    angular.a_n,
    [(0, 0.0), (1, 0.0), (2, 0.0), (7, 0.0), (2, 1e-8), (5, 1e-5), (0, 2000.0)],
)
mathieu_b = characteristic(
    "mathieu_b", False, angular.b_n, [(1, 0.0), (2, 0.0), (7, 0.0), (2, 1e-8), (5, 1e-5), (1, 2000.0)]
)
mathieu_cem = periodic(
    "mathieu_cem", True, angular.ce_n, [(0, 0.0, 30.0), (2, 0.0, 30.0), (1, 5.0, 0.0), (5, 1e-5, 10.0)]
)
mathieu_sem = periodic(
    "mathieu_sem", False, angular.se_n, [(1, 0.0, 30.0), (2, 0.0, 30.0), (1, 5.0, 0.0), (5, 1e-5, 10.0)]
)
