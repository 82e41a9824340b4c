"""The cardinal sine and its periodic form."""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.integrals import diric as diric_kernel
from hostwrap.special.integrals import integrands

__all__ = ["diric", "sinc"]


def dirichlet(mp, x, n):
    """As a finite sum of cosines."""
    return mp.fsum(mp.cos((2 * k - n + 1) * x / 2) for k in range(int(n))) / n


sinc = special(
    "sinc(x)",
    host=integrands.sinc,
    loops=True,
    orders=orders(integrands.sinc_n, loops=True, at=[1e-8, 0.69, 0.71]),
    ref=lambda mp, x: mp.sincpi(x),
    x=real(-20, 20, im=4),
    at=[0.0, 1e-8, 1234.5],
    see="DLMF 10.49.3 and 10.51.2",
)
diric = special(
    "diric(x, n)",
    host=diric_kernel.diric,
    loops=True,
    orders=orders(diric_kernel.diric_n, loops=True, at=[(6.28, 12), (6.2831853, 7), (1e-9, 4)]),
    dn=discrete,
    ref=lambda mp, x, n: dirichlet(mp, x, n),
    x=real(-10, 10),
    n=integer(1, 20),
    at=[(0.0, 3), (6.28, 12), (6.2831853, 7), (1e-9, 4), (100.0, 50)],
    see="Dirichlet's kernel as a finite sum of cosines",
)
