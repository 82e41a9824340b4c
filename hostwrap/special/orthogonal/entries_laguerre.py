"""Laguerre functions of real degree, and the Hermite polynomials."""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._math import maximum
from hostwrap.special._orders import orders
from hostwrap.special.orthogonal import laguerre as kernels
from hostwrap.special.orthogonal._endless import long_recurrence
from hostwrap.special.orthogonal.mp import laguerre

__all__ = ["assoc_laguerre", "eval_genlaguerre", "eval_hermite", "eval_hermitenorm", "eval_laguerre"]


eval_laguerre = special(
    "eval_laguerre(n, x)",
    orders=orders(kernels.laguerre_n, loops=True),
    ref=lambda mp, n, x: laguerre(mp, n, 0, x),
    n=real(-0.5, 30),
    x=real(-20, 100, im=20),
    at=[(3.0, 0.0), (30.3, 60.0), (10.0, 1e-9)],
    unsafe=long_recurrence,
    see="DLMF 13.6.19",
)
eval_genlaguerre = special(
    "eval_genlaguerre(n, alpha, x)",
    orders=orders(kernels.genlaguerre_n, loops=True),
    ref=lambda mp, n, alpha, x: laguerre(mp, n, alpha, x),
    n=real(0, 30),
    alpha=real(-0.9, 10),
    x=real(-20, 100, im=20),
    at=[(30.0, 0.5, 60.0), (5.0, -0.4, 60.0), (20.3, 1.5, 15.0)],
    unsafe=long_recurrence,
    see="DLMF 13.6.19",
)


def hermite_slope(n, x):
    return 2 * n * eval_hermite(maximum(n - 1, 0), x)


def hermitenorm_slope(n, x):
    return n * eval_hermitenorm(maximum(n - 1, 0), x)


eval_hermite = special(
    "eval_hermite(n, x)",
    dn=discrete,
    dx=lambda y, n, x: hermite_slope(n, x),
    ref=lambda mp, n, x: mp.hermite(n, x),
    n=integer(0, 40),
    x=real(-30, 30),
    at=[(0, 0.0), (1, 0.0), (2, 0.0), (5, 1e-9)],
    unsafe=long_recurrence,
    see="DLMF 18.9.25",
)
eval_hermitenorm = special(
    "eval_hermitenorm(n, x)",
    dn=discrete,
    dx=lambda y, n, x: hermitenorm_slope(n, x),
    ref=lambda mp, n, x: mp.hermite(n, x / mp.sqrt(2)) / mp.mpf(2) ** (mp.mpf(n) / 2),
    n=integer(0, 40),
    x=real(-30, 30),
    at=[(0, 0.0), (1, 0.0), (2, 0.0), (5, 1e-9)],
    unsafe=long_recurrence,
    see="DLMF 18.9.27",
)


def assoc_laguerre(x, n, k=0.0):
    """The generalized Laguerre polynomial `eval_genlaguerre(n, k, x)`, in SciPy's other order of arguments.

    Arguments:
        x: real or complex.
        n: degree, real.
        k: real.
    """
    return eval_genlaguerre(n, k, x)
