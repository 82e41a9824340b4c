"""Bessel functions J, Y, I, K of continuous order."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import with_phase
from hostwrap.special._math import abs, iscomplexobj, isinf, where
from hostwrap.special.bessel import ik, jy

__all__ = ["iv", "jn", "jv", "kv", "yv"]

ANY_ORDER = {"v": real(-5, 20), "z": real(0.1, 50, im=8)}

# The symmetric recurrences f' = (f(v-1) - f(v+1)) / 2 of J and Y (DLMF 10.6.1) hold at z = 0 too, and so do their own
# derivatives. But for J of order nearly 0 and for small z, v - 1 has lost the digits of v on which f(v-1) depends.
# There f' = (v/z) f - f(v+1), except at z = 0. Y, I and K have kernels for mixed derivatives, which cancel next to
# v = 0. Where a function is infinite (at its pole z = 0, or by overflow next to it) its slope has the opposite sign.


def use_ratio(v, z):
    return (abs(v) < 0.5) & (z != 0)


def nonzero(z):
    return where(z == 0, 1, z)


def j_in_order(v, z):
    return jv_order(v, z, n=1) if iscomplexobj(z) else jv_slopes(v, z)[0]


def j_slope(y, v, z):
    return complex_j_slope(y, v, z) if iscomplexobj(z) else with_phase(z, jv_slopes(v, z)[1])


def complex_j_slope(y, v, z):
    above = jv(v + 1, z)
    slope = where(use_ratio(v, z), v / nonzero(z) * y - above, (jv(v - 1, z) - above) / 2)
    return with_phase(z, where(isinf(y), -y, slope))


def y_slope(y, v, z):
    return with_phase(z, where(isinf(y), -y, (yv(v - 1, z) - yv(v + 1, z)) / 2))


# The same recurrences, differentiated n times in the order.


def j_order_slope(y, v, z, n):
    above, lower = jv_order(v + 1, z, n=n), n * jv_order(v, z, n=n - 1) if n else 0.0
    slope = where(
        use_ratio(v, z), (v * y + lower) / nonzero(z) - above, (jv_order(v - 1, z, n=n) - above) / 2
    )
    return where(isinf(y), -y, slope)


def j_second(slope, v, z):
    """d^2/dz^2 of J, z real. Higher derivatives are sums of J of the orders v - n to v + n."""
    y, before, above = (jv_order(v + k, z, n=0) for k in (0, -1, 1))
    above = j_order_slope(above, v + 1, z, 0)
    ratio = v / nonzero(z) * (slope - y / nonzero(z)) - above
    second = where(use_ratio(v, z), ratio, (j_order_slope(before, v - 1, z, 0) - above) / 2)
    return where(isinf(slope), -slope, second)


def with_derivatives_in_order(name, host, order_slope, slope, definition, at):
    """A function and the kernel of its derivatives in the order. A rule differentiates the kernel in z."""
    derivatives = kernel(
        f"{name}_order(v, z, *, n)",
        host=host,
        loops=True,  # for real arguments
        dv=lambda y, v, z, *, n: derivatives(v, z, n=n + 1),
        dz=lambda y, v, z, *, n: order_slope(y, v, z, n),
        ref=lambda mp, v, z, *, n: mp.diff(lambda a: getattr(mp, definition)(a, z), v, n),
        **ANY_ORDER,
        see=J,
    )
    return derivatives, of_order(name, j_in_order, slope, definition, J, at)


def with_mixed_derivatives(name, host, is_pole, definition, at, slope=None):
    """A function and the kernel of its derivatives, n times in the order and m times in z."""
    see = J if slope else I
    derivatives = kernel(
        f"{name}_order(v, z, *, n, m=0)",
        host=host,
        loops=True,  # I for n = 0, K for real arguments
        dv=lambda y, v, z, *, n, m: derivatives(v, z, n=n + 1, m=m),
        dz=lambda y, v, z, *, n, m: where(is_pole(y, z), -y, derivatives(v, z, n=n, m=m + 1)),
        ref=lambda mp, v, z, *, n, m: mixed(mp, getattr(mp, definition), v, z, n, m),
        **ANY_ORDER,
        see=see,
    )
    if slope is None:
        slope = lambda y, v, z: where(is_pole(y, z), -y, derivatives(v, z, n=0, m=1))

    def in_order(v, z):
        return derivatives(v, z, n=1)

    return derivatives, of_order(name, in_order, slope, definition, see, at)


def mixed(mp, f, v, z, n, m):
    return mp.diff(f, (v, z), (n, m)) if m else mp.diff(lambda a: f(a, z), v, n)


def of_order(name, in_order, slope, definition, see, at):
    return special(
        f"{name}(v, z)",
        dv=lambda y, v, z: in_order(v, z),
        dz=lambda y, v, z: slope(y, v, z),
        ref=lambda mp, v, z: getattr(mp, definition)(v, z),
        **ANY_ORDER,
        at=at,
        see=see,
    )


J, I = "DLMF 10.6.1", "DLMF 10.29.1"
AT_ZERO = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, -3.0)]
AT_J = [*AT_ZERO, (1e-8, 1e-3), (0.5, 2.0), (7.0, 7.0), (40.0, 30.0)]
AT_I = [*AT_ZERO, (1e-8, 1e-3), (0.5, 2.0), (0.0, 20.0), (40.0, 30.0)]
AT_YK = [(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)]

jv_slopes = kernel(
    "jv_slopes(v, z) -> jv, jz",
    host=jy.jv_slopes,
    loops=True,
    dv=lambda y, v, z: (jv_order(v, z, n=2), j_order_slope(y[0], v, z, 1)),
    dz=lambda y, v, z: (j_order_slope(y[0], v, z, 1), j_second(y[1], v, z)),
    ref=lambda mp, v, z: [mp.diff(mp.besselj, (v, z), index) for index in ((1, 0), (0, 1))],
    v=real(-5, 20),
    z=real(0.1, 50),
    see="DLMF 10.15.3, 10.23.15",
)
jv_order, jv = with_derivatives_in_order("jv", jy.jv_order, j_order_slope, j_slope, "besselj", AT_J)
yv_order, yv = with_mixed_derivatives("yv", jy.yv_order, lambda y, z: isinf(y), "bessely", AT_YK, y_slope)
iv_order, iv = with_mixed_derivatives("iv", ik.iv_order, lambda y, z: isinf(y) & (z == 0), "besseli", AT_I)
kv_order, kv = with_mixed_derivatives("kv", ik.kv_order, lambda y, z: isinf(y), "besselk", AT_YK)
jn = of_order("jn", j_in_order, j_slope, "besselj", f"{J}; an alias of jv in SciPy", AT_ZERO)
