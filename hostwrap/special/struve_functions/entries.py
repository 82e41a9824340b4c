"""Struve functions of continuous order."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._orders import orders
from hostwrap.special.struve_functions import mp as definitions
from hostwrap.special.struve_functions import struve as kernels
from hostwrap.special.struve_functions.order_zero import struve_zero as struve_zero_host

__all__ = ["modstruve", "struve"]

struve_ratio_n = kernel(
    "struve_ratio_n(x, *, n)",  # (d/dx)^n of H_0(x)/x
    host=kernels.struve_ratio_n,
    loops=True,
    dx=lambda y, x, *, n: struve_ratio_n(x, n=n + 1),
    ref=lambda mp, x, *, n: mp.diff(lambda t: definitions.struve(mp, mp.mpf(0), t, -1) / t, x, n),
    x=real(-20, 50),
    at=[1e-8, 3.49, 3.51],
    see="DLMF 11.2.1",
)
struve_zero = kernel(
    "struve_zero(x, *, modified=False)",  # H_0 or L_0
    host=struve_zero_host,
    loops=True,
    dx=lambda y, x, *, modified: (
        modstruve_n(0.0, x, dv=0, dx=1) if modified else struve_n(0.0, x, dv=0, dx=1)
    ),
    ref=lambda mp, x, *, modified: definitions.struve(mp, mp.mpf(0), x, 1 if modified else -1),
    x=real(-20, 60),
    at=[1e-8, 3.0, 13.001, 35.9, 36.1, 19.99, 20.01],
    see="DLMF 11.5.1, 11.6.1",
)


def of_any_order(name, derivatives, sign, see):
    return special(
        f"{name}(v, x)",
        orders=orders(derivatives, loops=True, x=real(0.1, 50), at=[(9.0, 7.0), (-3.0, 2.0)]),
        ref=lambda mp, v, x: definitions.struve(mp, v, x, sign),
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
        see=see,
    )


struve = of_any_order("struve", kernels.struve_n, -1, "DLMF 11.2.1 and 11.5(i)")
modstruve = of_any_order("modstruve", kernels.modstruve_n, 1, "DLMF 11.2.2 and 11.2.6")
struve_n, modstruve_n = struve.derivatives, modstruve.derivatives
