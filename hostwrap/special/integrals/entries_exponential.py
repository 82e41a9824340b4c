"""Exponential, sine and cosine integrals, and the dilogarithm."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import cos, cosh, exp, iscomplexobj, where
from hostwrap.special._orders import orders
from hostwrap.special.integrals import expint as expint_kernel
from hostwrap.special.integrals import integrands, twins

__all__ = ["exp1", "expi", "expn", "shichi", "sici", "spence"]


def growth(z):
    """exp(z)/z, also where the exponential alone is out of range; z = 0 is left out."""
    safe = where(z == 0, 1, z)
    half = exp(safe / 2)
    return half * (half / safe)


exp_over = kernel(
    "exp_over(x)",  # e^x / x for real x, also where e^x alone is out of range; infinite at zero, with its sign
    host=integrands.exp_over,
    twin=twins.exp_over,
    loops=True,
    dx=lambda y, x: y * ((x - 1) / x),
    ref=lambda mp, x: mp.exp(x) / x,
    x=real(-50, 100),
    at=[1e-10, -1e-10, 600.0, 716.0],
    see="DLMF 6.2.5",
)


def expi_slope(y, x):
    return where(x == 0, -y, known(y, growth(x))) if iscomplexobj(x) else exp_over(x)


# ---- exponential integrals

exp1 = special(
    "exp1(z)",
    dz=lambda y, z: where(z == 0, -y, known(y, growth(-z))),
    ref=lambda mp, z: mp.e1(z),
    z=real(0.01, 100, im=20),
    at=[1e-300, 1e-10, 700.0, -1 + 1j, -30 + 2j],
    see="DLMF 6.2.1",
)
expi = special(
    "expi(x)",
    dx=lambda y, x: expi_slope(y, x),
    ref=lambda mp, x: mp.ei(x),
    x=real(-50, 100, im=20),
    at=[1e-10, -1e-10, 0.3725, 600.0, -1 + 1j, -30 + 2j],
    see="DLMF 6.2.5",
)
expn = special(
    "expn(n, x)",
    dn=discrete,
    dx=lambda y, n, x: known(y, -expint(n - 1, x)),
    ref=lambda mp, n, x: mp.expint(n, x),
    n=integer(0, 60),
    x=real(0.01, 100),
    at=[(0, 1e-8), (1, 1e-8), (2, 0.0), (3, 0.0), (2, 1e-8), (5, 600.0), (200, 100.0), (1000, 3.0)],
    see="DLMF 8.19.13",
)
expint = kernel(
    "expint(n, x)",  # of orders n <= 0 too
    host=expint_kernel.expint,
    loops=True,
    dn=discrete,
    dx=lambda y, n, x: -expint(n - 1, x),
    ref=lambda mp, n, x: mp.expint(n, x),
    n=integer(-4, 60),
    x=real(0.01, 100),
    at=[(-1, 1e-8), (-3, 1e-3), (0, 1e-8), (200, 100.0), (1000, 3.0)],
    see="DLMF 8.19.13",
)

# ---- sine and cosine integrals

cardinal_n = kernel(
    "cardinal_n(z, *, c, n)",  # (d/dz)^n of sin(z)/z for c = -1, of sinh(z)/z for c = 1
    host=integrands.cardinal_n,
    loops=True,
    dz=lambda y, z, *, c, n: cardinal_n(z, c=c, n=n + 1),
    ref=lambda mp, z, *, c, n: mp.diff(lambda t: mp.sinh(t) / t if c > 0 else mp.sin(t) / t, z, n),
    z=real(-30, 30, im=8),
    at=[1e-8, 2.49, 2.51],
    see="DLMF 10.49.3 and 10.49.8",
)
sici = special(
    "sici(x) -> si, ci",
    dx=lambda y, x: (cardinal_n(x, c=-1, n=0), where(x == 0, -y.ci, cos(x) / where(x == 0, 1, x))),
    ref=lambda mp, x: (mp.si(x), mp.ci(x) if isinstance(x, mp.mpc) else mp.ci(abs(x))),
    x=real(-20, 100, im=8),
    at=[0.0, 1e-10, 0.6165, 1e5, -3 + 0.5j],
    see="DLMF 6.2.9 and 6.2.11",
)
shichi = special(
    "shichi(x) -> shi, chi",
    dx=lambda y, x: (cardinal_n(x, c=1, n=0), where(x == 0, -y.chi, cosh(x) / where(x == 0, 1, x))),
    ref=lambda mp, x: (mp.shi(x), mp.chi(x) if isinstance(x, mp.mpc) else mp.chi(abs(x))),
    x=real(-20, 100, im=8),
    at=[0.0, 1e-10, 0.5238, 600.0, -3 + 0.5j],
    see="DLMF 6.2.15 and 6.2.16",
)

# ---- the dilogarithm

spence = special(
    "spence(z)",
    orders=orders(
        integrands.spence_n,
        guarded=True,
        twin=twins.spence_n,
        loops=True,
        z=real(0.01, 100, im=20),
        at=[1e-10, 1.001, 1.499, 1.501],
    ),
    ref=lambda mp, z: mp.polylog(2, 1 - z),
    z=real(0, 100, im=20),
    at=[1e-300, 1.0, 1.0 + 1e-7, 1.499, 1.501, 1e10, -3 + 0.5j, 0.5 - 0.1j],
    see="DLMF 25.12.2",
)
