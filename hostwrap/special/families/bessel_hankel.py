"""Hankel functions, scaled or not, and the scaled functions of orders 0 and 1."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special.families.bessel_scaled import ive_n, kve_n
from hostwrap.special.kernels.bessel import hankel

__all__ = ["hankel1", "hankel1e", "hankel2", "hankel2e", "i0e", "i1e", "k0e", "k1e"]

# Results are complex for real z too. The scaled functions have kernels for all their derivatives, because the
# formula f' = (v/z) f - f_{v+1} -+ i f cancels for large |z|.


def order_slope(y, v, z, n, lower, above):
    """DLMF 10.6.2, differentiated n times in v."""
    return (v * y + n * lower) / z - above


hankel1_order = kernel(
    "hankel1_order(v, z, *, n)",
    host=hankel.hankel1_order,
    complex_result=True,
    dv=lambda y, v, z, *, n: hankel1_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: order_slope(
        y, v, z, n, hankel1_order(v, z, n=n - 1) if n > 1 else hankel1(v, z), hankel1_order(v + 1, z, n=n)
    ),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.hankel1(a, z), v, n),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.6.2, 10.27.8",
)
hankel2_order = kernel(
    "hankel2_order(v, z, *, n)",
    host=hankel.hankel2_order,
    complex_result=True,
    dv=lambda y, v, z, *, n: hankel2_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: order_slope(
        y, v, z, n, hankel2_order(v, z, n=n - 1) if n > 1 else hankel2(v, z), hankel2_order(v + 1, z, n=n)
    ),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.hankel2(a, z), v, n),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.6.2, 10.27.8",
)
hankel1e_n = kernel(
    "hankel1e_n(v, z, *, i, j)",
    host=hankel.hankel1e_n,
    complex_result=True,
    dv=lambda y, v, z, *, i, j: hankel1e_n(v, z, i=i + 1, j=j),
    dz=lambda y, v, z, *, i, j: hankel1e_n(v, z, i=i, j=j + 1),
    ref=lambda mp, v, z, *, i, j: mp.diff(lambda a, b: mp.hankel1(a, b) * mp.exp(-mp.j * b), (v, z), (i, j)),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.27.8, 10.32.9",
)
hankel2e_n = kernel(
    "hankel2e_n(v, z, *, i, j)",
    host=hankel.hankel2e_n,
    complex_result=True,
    dv=lambda y, v, z, *, i, j: hankel2e_n(v, z, i=i + 1, j=j),
    dz=lambda y, v, z, *, i, j: hankel2e_n(v, z, i=i, j=j + 1),
    ref=lambda mp, v, z, *, i, j: mp.diff(lambda a, b: mp.hankel2(a, b) * mp.exp(mp.j * b), (v, z), (i, j)),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    see="DLMF 10.27.8, 10.32.9",
)

hankel1 = special(
    "hankel1(v, z)",
    dv=lambda y, v, z: hankel1_order(v, z, n=1),
    dz=lambda y, v, z: v / z * y - hankel1(v + 1, z),
    ref=lambda mp, v, z: mp.hankel1(v, z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)],
    see="DLMF 10.6.2",
)
hankel2 = special(
    "hankel2(v, z)",
    dv=lambda y, v, z: hankel2_order(v, z, n=1),
    dz=lambda y, v, z: v / z * y - hankel2(v + 1, z),
    ref=lambda mp, v, z: mp.hankel2(v, z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)],
    see="DLMF 10.6.2",
)
hankel1e = special(
    "hankel1e(v, z)",
    dv=lambda y, v, z: hankel1e_n(v, z, i=1, j=0),
    dz=lambda y, v, z: hankel1e_n(v, z, i=0, j=1),
    ref=lambda mp, v, z: mp.hankel1(v, z) * mp.exp(-mp.j * z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (0.0, 1e4), (40.0, 30.0)],
    see="DLMF 10.27.8, 10.32.9",
)
hankel2e = special(
    "hankel2e(v, z)",
    dv=lambda y, v, z: hankel2e_n(v, z, i=1, j=0),
    dz=lambda y, v, z: hankel2e_n(v, z, i=0, j=1),
    ref=lambda mp, v, z: mp.hankel2(v, z) * mp.exp(mp.j * z),
    v=real(-5, 20),
    z=real(0.1, 50, im=8),
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (0.0, 1e4), (40.0, 30.0)],
    see="DLMF 10.27.8, 10.32.9",
)

# At the kink x = 0 of i0e and i1e the derivatives are the mean of those from the two sides: i0e'(0) = 0.
i0e = special(
    "i0e(x)",
    dx=lambda y, x: ive_n(0.0, x, i=0, j=1),
    ref=lambda mp, x: mp.besseli(0, x) * mp.exp(-mp.fabs(x)),
    x=real(-20, 50),
    at=[1e-10, 2.0, 1e4],
    see="DLMF 10.34.2",
)
i1e = special(
    "i1e(x)",
    dx=lambda y, x: ive_n(1.0, x, i=0, j=1),
    ref=lambda mp, x: mp.besseli(1, x) * mp.exp(-mp.fabs(x)),
    x=real(-20, 50),
    at=[1e-10, 2.0, 1e4],
    see="DLMF 10.34.2",
)
k0e = special(
    "k0e(x)",
    dx=lambda y, x: kve_n(0.0, x, i=0, j=1),
    ref=lambda mp, x: mp.besselk(0, x) * mp.exp(x),
    x=real(0.1, 50),
    at=[1e-10, 1.0, 1e4],
    see="DLMF 10.32.9",
)
k1e = special(
    "k1e(x)",
    dx=lambda y, x: kve_n(1.0, x, i=0, j=1),
    ref=lambda mp, x: mp.besselk(1, x) * mp.exp(x),
    x=real(0.1, 50),
    at=[1e-10, 1.0, 1e4],
    see="DLMF 10.32.9",
)
