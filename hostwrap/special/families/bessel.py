"""Bessel functions J, Y, I, K of continuous order."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import abs, isinf, pi, where
from hostwrap.special.kernels.bessel import ik, jy

__all__ = ["iv", "jn", "jv", "kv", "yv"]

# The symmetric recurrences f' = (f(v-1) -+ f(v+1)) / 2 (DLMF 10.6.1, 10.29.1) hold at z = 0 too, and so do
# their own derivatives. But for J and I of order nearly 0 and for small z, v - 1 has lost the digits of v on
# which f(v-1) depends. There f' = (v/z) f -+ f(v+1), except at z = 0. Where a function is infinite (at its pole
# z = 0, or next to it by overflow) it falls away from that value.


def use_ratio(v, z):
    return (abs(v) < 0.5) & (z != 0)


def nonzero(z):
    return where(z == 0, 1, z)


def j_slope(y, v, z):
    above = jv(v + 1, z)
    slope = where(use_ratio(v, z), v / nonzero(z) * y - above, (jv(v - 1, z) - above) / 2)
    return where(isinf(y), -y, slope)


def i_slope(y, v, z):
    above = iv(v + 1, z)
    slope = where(use_ratio(v, z), v / nonzero(z) * y + above, (iv(v - 1, z) + above) / 2)
    return where(isinf(y) & (z == 0), -y, slope)


def y_slope(y, v, z):
    return where(isinf(y), -y, (yv(v - 1, z) - yv(v + 1, z)) / 2)


def k_slope(y, v, z):
    return where(isinf(y), -y, -(kv(v - 1, z) + kv(v + 1, z)) / 2)


# The same recurrences, differentiated n times in the order.


def j_order_slope(y, v, z, n):
    above = jv_order(v + 1, z, n=n)
    ratio = (v * y + n * j_lower(v, z, n)) / nonzero(z) - above
    slope = where(use_ratio(v, z), ratio, (jv_order(v - 1, z, n=n) - above) / 2)
    return where(isinf(y), -y, slope)


def i_order_slope(y, v, z, n):
    above = iv_order(v + 1, z, n=n)
    ratio = (v * y + n * i_lower(v, z, n)) / nonzero(z) + above
    slope = where(use_ratio(v, z), ratio, (iv_order(v - 1, z, n=n) + above) / 2)
    slope = where(isinf(y) & (z == 0), -y, slope)
    # d/dv I_v = -K_0 at v = 0 (DLMF 10.38.4), exponentially smaller than the terms of the recurrence
    return where(v == 0, kv(1.0, z), slope) if n == 1 else slope


def j_lower(v, z, n):
    return jv_order(v, z, n=n - 1) if n > 1 else jv(v, z)


def i_lower(v, z, n):
    return iv_order(v, z, n=n - 1) if n > 1 else iv(v, z)


def y_order_slope(y, v, z, n):
    slope = where(isinf(y), -y, (yv_order(v - 1, z, n=n) - yv_order(v + 1, z, n=n)) / 2)
    # d/dv Y_v = -(pi/2) J_0 at v = 0 (DLMF 10.15.6), far smaller than the terms of the recurrence for small z
    return where((v == 0) & (y == y), pi / 2 * jv(1.0, z), slope) if n == 1 else slope  # y == y: no NaN


def k_order_slope(y, v, z, n):
    zero = (v == 0) & (n % 2 == 1)  # K is even in v: here the derivative is 0 for all z
    return where(isinf(y) | zero, -y, -(kv_order(v - 1, z, n=n) + kv_order(v + 1, z, n=n)) / 2)


jv_order = kernel(
    "jv_order(v, z, *, n)",
    host=jy.jv_order,
    dv=lambda y, v, z, *, n: jv_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: j_order_slope(y, v, z, n),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.besselj(a, z), v, n),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.6.1",
)
yv_order = kernel(
    "yv_order(v, z, *, n)",
    host=jy.yv_order,
    dv=lambda y, v, z, *, n: yv_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: y_order_slope(y, v, z, n),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.bessely(a, z), v, n),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.6.1",
)
iv_order = kernel(
    "iv_order(v, z, *, n)",
    host=ik.iv_order,
    dv=lambda y, v, z, *, n: iv_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: i_order_slope(y, v, z, n),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.besseli(a, z), v, n),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.29.1",
)
kv_order = kernel(
    "kv_order(v, z, *, n)",
    host=ik.kv_order,
    loops=True,  # for real arguments
    dv=lambda y, v, z, *, n: kv_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: k_order_slope(y, v, z, n),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.besselk(a, z), v, n),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.29.1",
)

jv = special(
    "jv(v, z)",
    dv=lambda y, v, z: jv_order(v, z, n=1),
    dz=lambda y, v, z: j_slope(y, v, z),
    ref=lambda mp, v, z: mp.besselj(v, z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, -3.0), (1e-8, 1e-3), (0.5, 2.0), (7.0, 7.0), (40.0, 30.0)],
    see="DLMF 10.6.1",
)
jn = special(
    "jn(v, z)",
    dv=lambda y, v, z: jv_order(v, z, n=1),
    dz=lambda y, v, z: j_slope(y, v, z),
    ref=lambda mp, v, z: mp.besselj(v, z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, -3.0)],
    see="DLMF 10.6.1; an alias of jv in SciPy",
)
yv = special(
    "yv(v, z)",
    dv=lambda y, v, z: yv_order(v, z, n=1),
    dz=lambda y, v, z: y_slope(y, v, z),
    ref=lambda mp, v, z: mp.bessely(v, z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)],
    see="DLMF 10.6.1",
)
iv = special(
    "iv(v, z)",
    dv=lambda y, v, z: iv_order(v, z, n=1),
    dz=lambda y, v, z: i_slope(y, v, z),
    ref=lambda mp, v, z: mp.besseli(v, z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, -3.0), (1e-8, 1e-3), (0.5, 2.0), (0.0, 20.0), (40.0, 30.0)],
    see="DLMF 10.29.1",
)
kv = special(
    "kv(v, z)",
    dv=lambda y, v, z: kv_order(v, z, n=1),
    dz=lambda y, v, z: k_slope(y, v, z),
    ref=lambda mp, v, z: mp.besselk(v, z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)],
    see="DLMF 10.29.1",
)
