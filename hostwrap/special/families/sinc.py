"""The cardinal sine and its periodic form."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special.families._known import known
from hostwrap.special.kernels.integrals import diric as diric_kernel
from hostwrap.special.kernels.integrals import integrands

__all__ = ["diric", "sinc"]


def dirichlet(mp, x, n):
    """As a finite sum of cosines."""
    return mp.fsum(mp.cos((2 * k - n + 1) * x / 2) for k in range(int(n))) / n


sinc_n = kernel(
    "sinc_n(x, *, n)",  # (d/dx)^n of sinc
    host=integrands.sinc_n,
    dx=lambda y, x, *, n: sinc_n(x, n=n + 1),
    ref=lambda mp, x, *, n: mp.diff(lambda t: mp.sinpi(t) / (mp.pi * t), x, n),
    x=real(-20, 20, im=4),
    at=[1e-8, 0.69, 0.71],
    see="DLMF 10.49.3",
)
sinc = special(
    "sinc(x)",
    host=integrands.sinc,
    dx=lambda y, x: sinc_n(x, n=1),
    ref=lambda mp, x: mp.sincpi(x),
    x=real(-20, 20, im=4),
    at=[0.0, 1e-8, 1234.5],
    see="DLMF 10.49.3 and 10.51.2",
)
diric_m = kernel(
    "diric_m(x, n, *, m)",  # (d/dx)^m of diric
    host=diric_kernel.diric_m,
    dx=lambda y, x, n, *, m: diric_m(x, n, m=m + 1),
    dn=discrete,
    ref=lambda mp, x, n, *, m: mp.diff(lambda t: dirichlet(mp, t, n), x, m),
    x=real(-10, 10),
    n=integer(1, 20),
    at=[(6.28, 12), (6.2831853, 7), (1e-9, 4)],
    see="Dirichlet's kernel as a finite sum of cosines",
)
diric = special(
    "diric(x, n)",
    host=diric_kernel.diric,
    dx=lambda y, x, n: known(y, diric_m(x, n, m=1)),
    dn=discrete,
    ref=lambda mp, x, n: dirichlet(mp, x, n),
    x=real(-10, 10),
    n=integer(1, 20),
    at=[(0.0, 3), (6.28, 12), (6.2831853, 7), (1e-9, 4), (100.0, 50)],
    see="Dirichlet's kernel as a finite sum of cosines",
)
