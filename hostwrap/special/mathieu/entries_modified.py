"""Modified Mathieu functions of the first and second kind.

SciPy's second result is the derivative of the first, but where SciPy loses digits the two are wrong together: the
derivatives are all of our own kernels.
"""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.mathieu import domain, radial
from hostwrap.special.mathieu import mp as definitions

__all__ = ["mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1", "mathieu_modsem2"]


def modified(name, even, kind, derivatives):
    m = 0 if even else 1
    return special(
        f"{name}(m, q, x) -> y, yp",
        orders=orders(derivatives, loops=True),
        dm=discrete,
        ref=lambda mp, m, q, x: definitions.modified(mp, even, kind, m, q, x),
        m=integer(m, 10),
        q=real(0.01, 100),
        x=real(0, 3),
        at=[(m, 1e-3, 0.5), (m + 1, 25.0, 0.0), (m + 2, 1e-3, 1.0), (5, 0.05, 0.4)],
        unsafe=domain.unsafe,
        see="DLMF 28.24",
    )


mathieu_modcem1 = modified("mathieu_modcem1", True, 1, radial.mc1_n)
mathieu_modcem2 = modified("mathieu_modcem2", True, 2, radial.mc2_n)
mathieu_modsem1 = modified("mathieu_modsem1", False, 1, radial.ms1_n)
mathieu_modsem2 = modified("mathieu_modsem2", False, 2, radial.ms2_n)
