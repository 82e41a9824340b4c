"""Struve functions of continuous order."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special.definitions import struve as definitions
from hostwrap.special.families._known import known
from hostwrap.special.kernels.struve import struve as kernels
from hostwrap.special.kernels.struve.order_zero import struve_zero as struve_zero_host

__all__ = ["modstruve", "struve"]

struve_ij = kernel(
    "struve_ij(v, x, *, i, j)",  # (d/dv)^i (d/dx)^j of struve
    host=kernels.struve_ij,
    dv=lambda y, v, x, *, i, j: struve_ij(v, x, i=i + 1, j=j),
    dx=lambda y, v, x, *, i, j: struve_ij(v, x, i=i, j=j + 1),
    ref=lambda mp, v, x, *, i, j: definitions.struve_ij(mp, v, x, -1, i, j),
    v=real(-5, 20),
    x=real(0.1, 50),
    at=[(9.0, 7.0), (-3.0, 2.0)],
    see="DLMF 11.2.1 and 11.5(i)",
)
modstruve_ij = kernel(
    "modstruve_ij(v, x, *, i, j)",  # the same of modstruve
    host=kernels.modstruve_ij,
    dv=lambda y, v, x, *, i, j: modstruve_ij(v, x, i=i + 1, j=j),
    dx=lambda y, v, x, *, i, j: modstruve_ij(v, x, i=i, j=j + 1),
    ref=lambda mp, v, x, *, i, j: definitions.struve_ij(mp, v, x, 1, i, j),
    v=real(-5, 20),
    x=real(0.1, 50),
    at=[(9.0, 7.0), (-3.0, 2.0)],
    see="DLMF 11.2.2",
)
struve_ratio_n = kernel(
    "struve_ratio_n(x, *, n)",  # (d/dx)^n of H_0(x)/x
    host=kernels.struve_ratio_n,
    dx=lambda y, x, *, n: struve_ratio_n(x, n=n + 1),
    ref=lambda mp, x, *, n: mp.diff(lambda t: definitions.struve(mp, mp.mpf(0), t, -1) / t, x, n),
    x=real(-20, 50),
    at=[1e-8, 3.49, 3.51],
    see="DLMF 11.2.1",
)
struve_zero = kernel(
    "struve_zero(x, *, modified=False)",  # H_0 or L_0
    host=struve_zero_host,
    dx=lambda y, x, *, modified: modstruve_ij(0.0, x, i=0, j=1) if modified else struve_ij(0.0, x, i=0, j=1),
    ref=lambda mp, x, *, modified: definitions.struve(mp, mp.mpf(0), x, 1 if modified else -1),
    x=real(-20, 60),
    at=[1e-8, 3.0, 13.001, 35.9, 36.1, 19.99, 20.01],
    see="DLMF 11.5.1, 11.6.1",
)

struve = special(
    "struve(v, x)",
    dv=lambda y, v, x: known(y, struve_ij(v, x, i=1, j=0)),
    dx=lambda y, v, x: known(y, struve_ij(v, x, i=0, j=1)),
    ref=lambda mp, v, x: definitions.struve(mp, v, x, -1),
    v=real(-5, 20),
    x=real(0.01, 100),
    at=[
        (0.0, 0.0),
        (1.0, 0.0),
        (-1.0, 0.0),
        (1.0, -3.0),
        (-2.5, 3.0),
        (30.0, 20.0),
        (2.0, 300.0),
        (-12.3, 9.0),
        (0.0, 46.0),
        (1e-5, 46.0),
    ],
    see="DLMF 11.2.1 and 11.5(i)",
)
modstruve = special(
    "modstruve(v, x)",
    dv=lambda y, v, x: known(y, modstruve_ij(v, x, i=1, j=0)),
    dx=lambda y, v, x: known(y, modstruve_ij(v, x, i=0, j=1)),
    ref=lambda mp, v, x: definitions.struve(mp, v, x, 1),
    v=real(-5, 20),
    x=real(0.01, 100),
    at=[
        (0.0, 0.0),
        (1.0, 0.0),
        (-1.0, 0.0),
        (1.0, -3.0),
        (-2.5, 3.0),
        (30.0, 20.0),
        (2.0, 300.0),
        (-12.3, 9.0),
        (0.0, 46.0),
        (1e-5, 46.0),
    ],
    see="DLMF 11.2.2 and 11.2.6",
)
