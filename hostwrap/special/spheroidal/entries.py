"""Spheroidal wave functions: characteristic values and angular functions, prolate and oblate."""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.spheroidal import angular, domain
from hostwrap.special.spheroidal import mp as definitions
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE

__all__ = ["obl_ang1", "obl_cv", "pro_ang1", "pro_cv"]


def characteristic(name, sign, derivatives):
    return special(
        f"{name}(m, n, c)",
        orders=orders(derivatives, guarded=True, loops=True),
        dm=discrete,
        dn=discrete,
        ref=lambda mp, m, n, c: definitions.characteristic(mp, sign, m, n, c),
        m=integer(0, 3),
        n=integer(3, 9),
        c=real(0, 40),
        at=[(0, 0, 0.01), (0, 0, 10.0), (0, 1, 1.0), (1, 1, 5.0), (1, 2, 1e-5), (0, 0, 0.0), (2, 2, 100.0)],
        unsafe=domain.unsafe_cv,
        see="DLMF 30.8, perturbation of the eigenvalue problem",
    )


def first_kind(name, sign, derivatives):
    return special(
        f"{name}(m, n, c, x) -> s, sp",
        orders=orders(derivatives, loops=True),
        dm=discrete,
        dn=discrete,
        ref=lambda mp, m, n, c, x: definitions.angular(mp, sign, m, n, c, x),
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


pro_cv = characteristic("pro_cv", PROLATE, angular.pro_cv_n)
obl_cv = characteristic("obl_cv", OBLATE, angular.obl_cv_n)
pro_ang1 = first_kind("pro_ang1", PROLATE, angular.pro_ang1_n)
obl_ang1 = first_kind("obl_ang1", OBLATE, angular.obl_ang1_n)
