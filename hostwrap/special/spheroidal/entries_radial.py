"""Radial spheroidal wave functions of the first and second kind, prolate and oblate.

SciPy's functions of the second kind are wrong for small x, and so is its derivative there: the derivatives use only our
own kernels.
"""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.spheroidal import domain
from hostwrap.special.spheroidal import mp as definitions
from hostwrap.special.spheroidal import radial as kernels
from hostwrap.special.spheroidal.coefficients import OBLATE, PROLATE

__all__ = ["obl_rad1", "obl_rad2", "pro_rad1", "pro_rad2"]

BOXES = {
    PROLATE: {"c": real(0.1, 12), "x": real(1.01, 20)},
    OBLATE: {"c": real(0.1, 20), "x": real(0, 20)},
}


def radial(name, sign, kind, derivatives, unsafe):
    near = 1.05 if sign == PROLATE else 0.05
    return special(
        f"{name}(m, n, c, x) -> r, rp",
        orders=orders(derivatives, loops=True),
        dm=discrete,
        dn=discrete,
        ref=lambda mp, m, n, c, x: definitions.radial(mp, sign, kind, m, n, c, x),
        m=integer(0, 2),
        n=integer(2, 6),
        **BOXES[sign],
        at=[(0, 0, 8.0, near), (0, 1, 1.0, 2.0), (1, 1, 2.0, 1.5), (0, 0, 0.1, near), (3, 9, 5.0, 2.0)],
        unsafe=unsafe,
        see="DLMF 30.11",
    )


pro_rad1 = radial("pro_rad1", PROLATE, 1, kernels.pro_rad1_n, domain.unsafe_rad1)
pro_rad2 = radial("pro_rad2", PROLATE, 2, kernels.pro_rad2_n, domain.unsafe_rad2)
obl_rad1 = radial("obl_rad1", OBLATE, 1, kernels.obl_rad1_n, domain.unsafe_rad1)
obl_rad2 = radial("obl_rad2", OBLATE, 2, kernels.obl_rad2_n, domain.unsafe_rad2)
