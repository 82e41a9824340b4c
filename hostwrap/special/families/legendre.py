"""The associated Legendre function of real degree on the cut -1 < x < 1."""

import numpy as np

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special.definitions._mixed import mixed
from hostwrap.special.definitions.orthogonal import associated_legendre
from hostwrap.special.families._known import known
from hostwrap.special.kernels.orthogonal import associated

__all__ = ["lpmv"]

LARGEST = 1e7  # of degree and order; SciPy counts up to them, which takes minutes at 2^31

lpmv_il = kernel(
    "lpmv_il(m, v, x, *, i, l)",  # (d/dv)^i (d/dx)^l of lpmv
    host=associated.lpmv_il,
    dm=discrete,
    dv=lambda y, m, v, x, *, i, l: lpmv_il(m, v, x, i=i + 1, l=l),
    dx=lambda y, m, v, x, *, i, l: lpmv_il(m, v, x, i=i, l=l + 1),
    ref=lambda mp, m, v, x, *, i, l: mixed(mp, lambda a, t: associated_legendre(mp, m, a, t), (v, x), (i, l)),
    m=integer(-3, 5),
    v=real(-2.6, 30),
    x=real(-0.99, 0.99),
    see="DLMF 14.3.4, 14.9.3",
)

lpmv = special(
    "lpmv(m, v, x)",
    dm=discrete,
    dv=lambda y, m, v, x: known(y, lpmv_il(m, v, x, i=1, l=0)),
    dx=lambda y, m, v, x: known(y, lpmv_il(m, v, x, i=0, l=1)),
    ref=lambda mp, m, v, x: associated_legendre(mp, m, v, x),
    unsafe=lambda m, v, x: np.maximum(np.abs(m), np.abs(v)) > LARGEST,
    m=integer(-3, 5),
    v=real(-2.6, 30),
    x=real(-1, 1),
    at=[(2, -0.3, 0.9999), (0, 10.0, 0.3), (0, 2.5, 2.0), (1, 3.0, 0.0), (2, 30.7, -0.99)],
    see="DLMF 14.3.4, 14.9.3",
)
