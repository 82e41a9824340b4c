"""Hankel functions, scaled or not, and the scaled functions of orders 0 and 1."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._orders import orders
from hostwrap.special.bessel import hankel as kernels
from hostwrap.special.bessel import whole_orders
from hostwrap.special.bessel.entries import ANY_ORDER
from hostwrap.special.bessel.entries_scaled import ive_n

__all__ = ["hankel1", "hankel1e", "hankel2", "hankel2e", "i0e", "i1e", "k0e", "k1e"]

# Results are complex for real z too. The scaled functions have kernels for all their derivatives, because the
# formula f' = (v/z) f - f_{v+1} -+ i f cancels for large |z|.


def order_slope(y, v, z, n, lower, above):
    """The derivative in z by DLMF 10.6.2, differentiated n times in v."""
    return (v * y + n * lower) / z - above


def hankel(name, host):
    """H^(1) or H^(2), and the kernel of its derivatives in the order."""
    derivatives = kernel(
        f"{name}_order(v, z, *, n)",
        host=host,
        complex_result=True,
        loops=True,
        dv=lambda y, v, z, *, n: derivatives(v, z, n=n + 1),
        dz=lambda y, v, z, *, n: order_slope(
            y, v, z, n, derivatives(v, z, n=n - 1) if n > 1 else function(v, z), derivatives(v + 1, z, n=n)
        ),
        ref=lambda mp, v, z, *, n: mp.diff(lambda a: getattr(mp, name)(a, z), v, n),
        **ANY_ORDER,
        see="DLMF 10.6.2, 10.27.8",
    )
    function = special(
        f"{name}(v, z)",
        dv=lambda y, v, z: derivatives(v, z, n=1),
        dz=lambda y, v, z: v / z * y - function(v + 1, z),
        ref=lambda mp, v, z: getattr(mp, name)(v, z),
        **ANY_ORDER,
        at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)],
        see="DLMF 10.6.2",
    )
    return function


def scaled(name, host, sign):
    """H e^(-iz) or H e^(iz)."""
    return special(
        f"{name}e(v, z)",
        orders=orders(host, complex_result=True, loops=True),
        ref=lambda mp, v, z: getattr(mp, name)(v, z) * mp.exp(sign * mp.j * z),
        **ANY_ORDER,
        at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (0.0, 1e4), (40.0, 30.0)],
        see="DLMF 10.27.8, 10.32.9",
    )


hankel1 = hankel("hankel1", kernels.hankel1_order)
hankel2 = hankel("hankel2", kernels.hankel2_order)
hankel1e = scaled("hankel1", kernels.hankel1e_n, -1)
hankel2e = scaled("hankel2", kernels.hankel2e_n, 1)

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
whole_kve_n = kernel(
    "whole_kve_n(x, *, v, n)",  # v = 0 or 1
    host=whole_orders.whole_kve_n,
    loops=True,
    dx=lambda y, x, *, v, n: whole_kve_n(x, v=v, n=n + 1),
    ref=lambda mp, x, *, v, n: mp.diff(lambda a: mp.besselk(v, a) * mp.exp(a), x, n),
    x=real(0.1, 50),
    see="DLMF 10.29.3, 10.40.2; Temme's continued fraction",
)
k0e = special(
    "k0e(x)",
    dx=lambda y, x: whole_kve_n(x, v=0, n=1),
    ref=lambda mp, x: mp.besselk(0, x) * mp.exp(x),
    x=real(0.1, 50),
    at=[1e-10, 1.0, 1e4],
    see="DLMF 10.29.3, 10.32.9",
)
k1e = special(
    "k1e(x)",
    dx=lambda y, x: whole_kve_n(x, v=1, n=1),
    ref=lambda mp, x: mp.besselk(1, x) * mp.exp(x),
    x=real(0.1, 50),
    at=[1e-10, 1.0, 1e4],
    see="DLMF 10.29.3, 10.32.9",
)
