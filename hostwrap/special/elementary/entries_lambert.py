"""Lambert's W function."""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._orders import orders
from hostwrap.special.elementary import lambert as kernels

__all__ = ["lambertw"]

lambertw = special(
    "lambertw(z, k=0, *, tol=1e-8)",
    host=kernels.lambertw,
    loops=True,
    complex_result=True,
    orders=orders(
        kernels.lambertw_n,
        loops=True,
        z=real(0.01, 100, im=20),
        at=[(0.0, 0), (-0.36, -1), (-0.36, 0), (-0.3678, 0), (1e10, 1)],
        complex_result=True,
    ),
    dk=discrete,
    ref=lambda mp, z, k, *, tol: mp.lambertw(z, k),
    z=real(-5, 100, im=20),
    k=integer(-2, 2),
    at=[
        (0.0, 0),
        (-0.3, -1),
        (-0.36787, 0),
        (-0.36787, -1),
        (-1e-5, -1),
        (1e10, 1),
        (-0.37 + 0.01j, 0),
        (-2.0 + 1e-9j, 1),
    ],
    see="DLMF 4.13.4",
)
