"""The normal distribution: ndtr, its logarithm, and the inverses of ndtr, erf and erfc."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import pi, sqrt
from hostwrap.special._orders import orders
from hostwrap.special.error import normal, twins
from hostwrap.special.error.entries import gaussian

__all__ = ["erfcinv", "erfinv", "log_ndtr", "ndtr", "ndtri", "ndtri_exp"]


def quantile(mp, p):
    """The x with ndtr(x) = p, at a precision at which 2 p - 1 has all digits of p."""
    with mp.extradps(10 - mp.mag(p) if 0 < p < 0.5 else 0):
        return mp.sqrt(2) * mp.erfinv(2 * p - 1)


ndtr = special(
    "ndtr(x)",
    dx=lambda y, x: gaussian(x, c=-1, n=0) / sqrt(2 * pi),
    ref=lambda mp, x: mp.erfc(-x / mp.sqrt(2)) / 2,
    x=real(-37, 11, im=8),
    at=[0.0, 30.0],
    see="Abramowitz and Stegun 26.2.2",
)

log_ndtr = special(
    "log_ndtr(x)",
    orders=orders(normal.log_ndtr_n, guarded=True, twin=twins.log_ndtr_n, loops=True),
    ref=lambda mp, x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2),
    x=real(-100, 11, im=8),
    at=[0.0, -1e6, 30.0],
    see="DLMF 7.10.2",
)


ndtri = special(
    "ndtri(y)",
    orders=orders(normal.ndtri_n, guarded=True, twin=twins.ndtri_n, loops=True, y=real(0.001, 0.999)),
    ref=lambda mp, y: quantile(mp, y),
    y=real(0, 1),
    at=[0.5, 1e-300, 1 - 1e-16],
    see="DLMF 7.17.1",
)
ndtri_n = ndtri.derivatives


erfinv = special(
    "erfinv(y)",
    orders=orders(normal.erfinv_n, guarded=True, twin=twins.erfinv_n, loops=True, y=real(-0.999, 0.999)),
    ref=lambda mp, y: mp.erfinv(y),
    y=real(-1, 1),
    at=[0.0, 1 - 1e-16],
    see="DLMF 7.17.1",
)


erfcinv = special(
    "erfcinv(y)",
    orders=orders(normal.erfcinv_n, guarded=True, twin=twins.erfcinv_n, loops=True, y=real(0.001, 1.999)),
    ref=lambda mp, y: -quantile(mp, y / 2) / mp.sqrt(2),
    y=real(0, 2),
    at=[1.0, 1e-300, 2 - 3e-16],
    see="DLMF 7.17.1",
)


ndtri_exp = special(
    "ndtri_exp(y)",
    dy=lambda x, y: mills_n(x, n=0),
    ref=lambda mp, y: quantile(mp, mp.exp(y)) if y < -1 else -quantile(mp, -mp.expm1(y)),
    y=real(-300, 0),
    at=[-1e-300, -1e-16, -700.0],
    see="inverse function theorem",
)

mills_n = kernel(
    "mills_n(x, *, n)",
    host=normal.mills_n,
    loops=True,
    dx=lambda y, x, *, n: mills_n(x, n=n + 1),
    ref=lambda mp, x, *, n: mp.diff(
        lambda t: mp.sqrt(mp.pi / 2) * mp.exp(t * t / 2) * mp.erfc(-t / mp.sqrt(2)), x, n
    ),
    x=real(-100, 30),
    see="DLMF 7.8.1",
)
