"""Zeta functions of Riemann and Hurwitz."""

import scipy.special

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import isinf, where
from hostwrap.special._orders import orders
from hostwrap.special.zeta_functions import hurwitz, riemann

__all__ = ["zeta", "zetac"]


def zeta(x, q=None):
    """Riemann's zeta function of real or complex x; with `q`, the Hurwitz zeta function of real x > 1.

    Differentiable in both, any number of times.
    """
    return riemann_zeta(x) if q is None else hurwitz_zeta(x, q)


hurwitz_n = kernel(
    "hurwitz_n(x, q, *, n)",  # (d/dx)^n of the Hurwitz zeta function
    host=hurwitz.hurwitz_n,
    loops=True,
    dx=lambda y, x, q, *, n: hurwitz_n(x, q, n=n + 1),
    dq=lambda y, x, q, *, n: -x * hurwitz_n(x + 1, q, n=n) - (n * hurwitz_n(x + 1, q, n=n - 1) if n else 0),
    ref=lambda mp, x, q, *, n: mp.zeta(x, q, n),
    x=real(1.01, 60),
    q=real(0.01, 1000),
    see="DLMF 25.11.7, 25.11.17",
)
riemann_zeta = special(
    "riemann_zeta(x)",  # zeta(x)
    host=scipy.special.zeta,
    loops=True,
    orders=orders(riemann.zeta_n, loops=True, at=[0.999, 1.0001]),
    ref=lambda mp, x: mp.zeta(x),
    x=real(-20, 60, im=30),
    at=[1.0001, 0.999, 0.0, -2.0, -4.0, -20.4, -150.3, 70.0, 0.5 + 14j, -3 + 60j, 0.5 + 100j],
    see="DLMF 25.4.1, 25.11.7",
)
riemann_zeta_n = riemann_zeta.derivatives
hurwitz_zeta = special(
    "hurwitz_zeta(x, q)",  # zeta(x, q); in x it has no derivative for q < 0, where x must be an integer
    host=scipy.special.zeta,
    loops=True,
    dx=lambda y, x, q: known(y, where(isinf(y) & (q <= 0), y, hurwitz_n(x, q, n=1))),
    dq=lambda y, x, q: known(y, -x * hurwitz_zeta(x + 1, q)),
    ref=lambda mp, x, q: mp.zeta(x, q),
    x=real(1, 60),
    q=real(0, 1e4),
    at=[(1.001, 0.3), (60.0, 1e4), (20.3, 2.5), (1.5, 1e10), (2.0, 1e-3)],
    see="DLMF 25.11.7, 25.11.17",
)
zetac = special(
    "zetac(x)",
    dx=lambda y, x: known(y, riemann_zeta_n(x, dx=1)),
    ref=lambda mp, x: mp.zeta(x) - 1,
    x=real(-20, 60),
    at=[1.0001, 0.999, 0.0, -2.0, -4.0, -20.4, -150.3, 70.0, 120.0],
    see="DLMF 25.4.1, 25.11.7",
)
