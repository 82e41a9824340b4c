"""Carlson's integral with raised exponents: all derivatives of R_F, R_C, R_D, R_J and R_G; first ones together."""

from hostwrap.special._entry import kernel, real
from hostwrap.special.elliptic import carlson as kernels
from hostwrap.special.elliptic import mp_carlson as definitions
from hostwrap.special.elliptic import slopes

__all__: list[str] = []

carlson = kernel(
    # the integral over t > 0 of t^e (t+x)^-(i+1/2) (t+y)^-(j+1/2) (t+z)^-(k+1/2) (t+p)^-n
    "carlson(x, y, z, p, *, i=0, j=0, k=0, n=0, e=0)",
    host=kernels.integral,
    loops=True,  # for real arguments
    dx=lambda r, x, y, z, p, *, i, j, k, n, e: -(i + 0.5) * carlson(x, y, z, p, i=i + 1, j=j, k=k, n=n, e=e),
    dy=lambda r, x, y, z, p, *, i, j, k, n, e: -(j + 0.5) * carlson(x, y, z, p, i=i, j=j + 1, k=k, n=n, e=e),
    dz=lambda r, x, y, z, p, *, i, j, k, n, e: -(k + 0.5) * carlson(x, y, z, p, i=i, j=j, k=k + 1, n=n, e=e),
    dp=lambda r, x, y, z, p, *, i, j, k, n, e: -n * carlson(x, y, z, p, i=i, j=j, k=k, n=n + 1, e=e),
    ref=lambda mp, x, y, z, p, *, i, j, k, n, e: definitions.integral(mp, x, y, z, p, i, j, k, n, e),
    x=real(0.05, 20, im=3),
    y=real(0.05, 20, im=3),
    z=real(0.05, 20, im=3),
    p=real(0.05, 20, im=3),
    see="DLMF 19.16.1 to 19.16.5",
)


def differentiated(args, orders, e, axes):
    """The derivative along `axes` of the integral with exponents `orders` = i, j, k, n and e."""
    orders, factor = list(orders), 1.0
    for axis in axes:
        factor = -factor * (orders[axis] + (0.5 if axis < 3 else 0))
        orders[axis] += 1
    i, j, k, n = orders
    return factor * carlson(*args, i=i, j=j, k=k, n=n, e=e) if factor else 0 * args[0]


def slopes_along(axis, x, y, z, p, k, n):
    return tuple(differentiated((x, y, z, p), (0, 0, k, n), 0, (q, axis)) for q in range(4))


def g_slopes_along(axis, x, y, z):
    return tuple(-differentiated((x, y, z, 1.0), (0, 0, 0, 0), 1, (q, axis)) / 4 for q in range(3))


carlson_slopes = kernel(
    "carlson_slopes(x, y, z, p, *, k=0, n=0) -> x, y, z, p",  # the gradient of `carlson`, k + n <= 1
    host=slopes.integral_slopes,
    loops=True,  # for real arguments
    dx=lambda r, x, y, z, p, *, k, n: slopes_along(0, x, y, z, p, k, n),
    dy=lambda r, x, y, z, p, *, k, n: slopes_along(1, x, y, z, p, k, n),
    dz=lambda r, x, y, z, p, *, k, n: slopes_along(2, x, y, z, p, k, n),
    dp=lambda r, x, y, z, p, *, k, n: slopes_along(3, x, y, z, p, k, n),
    ref=lambda mp, x, y, z, p, *, k, n: definitions.integral_slopes(mp, x, y, z, p, k, n),
    x=real(0.05, 20),
    y=real(0.05, 20),
    z=real(0.05, 20),
    p=real(0.05, 20),
    see="DLMF 19.36.1",
)
g_slopes = kernel(
    "g_slopes(x, y, z) -> x, y, z",  # the gradient of elliprg
    host=slopes.g_slopes,
    loops=True,
    dx=lambda r, x, y, z: g_slopes_along(0, x, y, z),
    dy=lambda r, x, y, z: g_slopes_along(1, x, y, z),
    dz=lambda r, x, y, z: g_slopes_along(2, x, y, z),
    ref=lambda mp, x, y, z: definitions.g_slopes(mp, x, y, z),
    x=real(0.05, 20),
    y=real(0.05, 20),
    z=real(0.05, 20),
    see="DLMF 19.36.1",
)
