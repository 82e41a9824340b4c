"""Lambert's W function."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special.families._known import known
from hostwrap.special.kernels import lambert as kernels

__all__ = ["lambertw"]

lambertw_n = kernel(
    "lambertw_n(z, k, *, n)",  # (d/dz)^n of lambertw, n = 1, 2, ...
    host=kernels.lambertw_n,
    complex_result=True,
    dz=lambda y, z, k, *, n: lambertw_n(z, k, n=n + 1),
    dk=discrete,
    ref=lambda mp, z, k, *, n: mp.diff(lambda t: mp.lambertw(t, k), z, n),
    z=real(0.01, 100, im=20),
    k=integer(-2, 2),
    at=[(0.0, 0), (-0.36, -1), (-0.36, 0), (-0.3678, 0), (1e10, 1)],
    see="Corless et al. 1996, Adv. Comp. Math. 5, 329",
)
lambertw = special(
    "lambertw(z, k=0, *, tol=1e-8)",
    complex_result=True,
    dz=lambda y, z, k, *, tol: known(y, lambertw_n(z, k, n=1)),
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
