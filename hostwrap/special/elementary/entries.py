"""Elementary functions in the forms that keep their digits, and angles in degrees."""

from math import prod

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import exp, log, pi, sin, where
from hostwrap.special._orders import orders
from hostwrap.special.elementary import elementary as kernels
from hostwrap.special.elementary import twins

__all__ = [
    "cbrt",
    "cosdg",
    "cosm1",
    "cotdg",
    "exp2",
    "exp10",
    "expm1",
    "exprel",
    "log1p",
    "powm1",
    "radian",
    "round",
    "sindg",
    "tandg",
]


expm1 = special(
    "expm1(x)",
    dx=lambda y, x: exp(x),  # not y + 1, which is 0 for x < -37
    ref=lambda mp, x: mp.expm1(x),
    x=real(-100, 100, im=8),
    at=[0.0, -40.0, -700.0, 1e-300],
    see="DLMF 4.2",
)
log1p = special(
    "log1p(x)",
    twin=twins.log1p,
    dx=lambda y, x: known(y, 1 / (1 + x)),
    ref=lambda mp, x: mp.log1p(x),
    x=real(-0.99, 1e6, im=8),
    at=[0.0, -0.999999, 1e-300, 1e100],
    see="DLMF 4.2",
)
exp2 = special(
    "exp2(x)",
    dx=lambda y, x: log(2.0) * y,
    ref=lambda mp, x: mp.mpf(2) ** x,
    x=real(-100, 100),
    at=[0.0, -900.0, 900.0],
    see="DLMF 4.4",
)
exp10 = special(
    "exp10(x)",
    dx=lambda y, x: log(10.0) * y,
    ref=lambda mp, x: mp.mpf(10) ** x,
    x=real(-30, 30),
    at=[0.0, -280.0, 280.0],
    see="DLMF 4.4",
)
exprel = special(
    "exprel(x)",
    orders=orders(kernels.exprel_n, loops=True, at=[0.0, 1e-9, 20.0, -20.0, 20.001, -20.001]),
    ref=lambda mp, x: mp.hyp1f1(1, 2, x),
    x=real(-700, 600),
    at=[0.0, 1e-9, -1e-9, 1e-3, 700.0],
    see="DLMF 13.4.1",
)
exprel_n = exprel.derivatives
cosm1 = special(
    "cosm1(x)",
    dx=lambda y, x: -sin(x),
    ref=lambda mp, x: -2 * mp.sin(x / 2) ** 2,
    x=real(-50, 50),
    at=[0.0, 1e-9, 1e3],
    see="DLMF 4.20",
)


def power_slope(f, x, p, n):
    """d/dx of f = x^p log(x)^n; at 0^0 the exponent prevails along x, and along p nothing is known."""
    corner = (x == 0) & (p == 0)
    base = where(corner, 1.0, x)
    slope = where(corner, p * f, p * power_n(base, p - 1, n=n))
    return slope + n * power_n(x, p - 1, n=n - 1) if n else slope


power_n = kernel(
    "power_n(x, p, *, n)",  # (d/dp)^n of x^p
    host=kernels.power_n,
    twin=twins.power_n,
    loops=True,
    dx=lambda f, x, p, *, n: power_slope(f, x, p, n),
    dp=lambda f, x, p, *, n: power_n(x, p, n=n + 1),
    ref=lambda mp, x, p, *, n: x**p * mp.log(x) ** n,
    x=real(1e-10, 100),
    p=real(-3, 20),
    at=[(1.0 + 1e-9, 2.0), (2.0, 0.0), (1e-300, 0.5)],
    see="DLMF 4.2(iv)",
)
falling_power = kernel(
    "falling_power(x, p, *, n)",  # (d/dx)^n of x^p, n > 0
    host=kernels.falling_power,
    twin=twins.falling_power,
    loops=True,
    dx=lambda f, x, p, *, n: falling_power(x, p, n=n + 1),
    dp=lambda f, x, p, *, n: falling_by_exponent(x, p, n),
    ref=lambda mp, x, p, *, n: mp.ff(p, n) * x ** (p - n),
    x=real(1e-10, 100),
    p=real(-3, 20),
    at=[(2.0, 0.0), (2.0, 1.0), (1e-160, 1e-160), (1e200, 3.5)],
    see="DLMF 4.2(iv)",
)


def falling_by_exponent(x, p, n):
    """The derivatives in p of the factor and of the power."""
    factors = [p - k for k in range(n)]
    rise = sum(prod(factors[:k] + factors[k + 1 :]) for k in range(n))
    return prod(factors) * power_n(x, p - n, n=1) + rise * power_n(x, p - n, n=0)


powm1 = special(
    "powm1(x, y)",
    dx=lambda f, x, y: falling_power(x, y, n=1),
    dy=lambda f, x, y: power_n(x, y, n=1),
    ref=lambda mp, x, y: mp.expm1(y * mp.log(x)),
    x=real(1e-10, 100),
    y=real(-3, 20),
    at=[(1.0, 2.0), (1.0 + 1e-9, 1e-9), (2.0, 0.0), (0.5, 1e-12), (1e-300, 0.5)],
    see="DLMF 4.4",
)
cbrt = special(
    "cbrt(x)",
    dx=lambda y, x: 1 / (3 * cbrt(x) ** 2),
    ref=lambda mp, x: mp.sign(x) * mp.cbrt(abs(x)),
    x=real(-100, 100),
    at=[1e-300, -1e-300, 1e300, 8.0],
    see="DLMF 4.2",
)
round = special(
    "round(x)",
    dx=lambda y, x: known(y, 0.0),  # constant between its jumps at the half-integers
    ref=lambda mp, x: mp.nint(x),
    x=real(-20, 20),
    at=[0.3, 1e6],
    see="its definition",
)
sindg = special(
    "sindg(x)",
    twin=twins.sindg,
    dx=lambda y, x: pi / 180 * cosdg(x),
    ref=lambda mp, x: mp.sinpi(x / 180),
    x=real(-720, 720),
    at=[0.0, 30.0, 90.0, 180.0, 1e8],
    see="DLMF 4.20",
)
cosdg = special(
    "cosdg(x)",
    twin=twins.cosdg,
    dx=lambda y, x: -pi / 180 * sindg(x),
    ref=lambda mp, x: mp.cospi(x / 180),
    x=real(-720, 720),
    at=[0.0, 60.0, 90.0, 180.0, 1e8],
    see="DLMF 4.20",
)
tandg = special(
    "tandg(x)",
    dx=lambda y, x: pi / 180 / cosdg(x) ** 2,
    ref=lambda mp, x: mp.sinpi(x / 180) / mp.cospi(x / 180),
    x=real(-80, 80),
    at=[0.0, 45.0, 135.0, 89.999, 360.0],
    see="DLMF 4.20",
)
cotdg = special(
    "cotdg(x)",
    dx=lambda y, x: -pi / 180 / sindg(x) ** 2,
    ref=lambda mp, x: mp.cospi(x / 180) / mp.sinpi(x / 180),
    x=real(1, 179),
    at=[45.0, 90.0, -45.0, 0.001, 359.0],
    see="DLMF 4.20",
)
radian = special(
    "radian(d, m, s)",
    dd=lambda y, d, m, s: known(y, pi / 180),
    dm=lambda y, d, m, s: known(y, pi / 10800),
    ds=lambda y, d, m, s: known(y, pi / 648000),
    ref=lambda mp, d, m, s: (d + m / 60 + s / 3600) * mp.pi / 180,
    d=real(-10, 30),
    m=real(0, 12.5),
    s=real(0, 59),
    at=[(0.0, 0.0, 0.0)],
    see="its definition",
)
