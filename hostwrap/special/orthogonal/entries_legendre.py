"""The associated Legendre function of real degree on the cut -1 < x < 1."""

import numpy as np

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.orthogonal import associated
from hostwrap.special.orthogonal.mp import associated_legendre

__all__ = ["lpmv"]

lpmv = special(
    "lpmv(m, v, x)",
    dm=discrete,
    orders=orders(associated.lpmv_n, loops=True, x=real(-0.99, 0.99)),
    ref=lambda mp, m, v, x: associated_legendre(mp, m, v, x),
    unsafe=lambda m, v, x: np.maximum(np.abs(m), np.abs(v)) > associated.LARGEST,
    m=integer(-3, 5),
    v=real(-2.6, 30),
    x=real(-1, 1),
    at=[(2, -0.3, 0.9999), (0, 10.0, 0.3), (0, 2.5, 2.0), (1, 3.0, 0.0), (2, 30.7, -0.99)],
    see="DLMF 14.3.4, 14.9.3",
)
