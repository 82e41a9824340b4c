"""Bessel functions of continuous order with their exponential growth or decay scaled out."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import with_phase
from hostwrap.special._math import abs, exp, imag, iscomplexobj, isinf, re, sign, where
from hostwrap.special._orders import orders
from hostwrap.special.bessel import scaled as kernels
from hostwrap.special.bessel import twins
from hostwrap.special.bessel.entries import ANY_ORDER, jv_slopes, nonzero, use_ratio, y_slope, yv_order

__all__ = ["ive", "jve", "kve", "yve"]

# For complex z, jve, yve (times e^-|Im z|) and ive (times e^-|Re z|) are not holomorphic. As Im z = (z -
# conj z)/2i and Re z = (z + conj z)/2, the logarithm of e^-|Im z| has derivatives -s/2i along z and s/2i
# along conj z, where s = sign(Im z), and that of e^-|Re z| has -s/2 along both, s = sign(Re z). On the axis
# itself, a kink, s = 0: the mean of both sides.


def along_imag(y, z):
    return y * sign(imag(z)) / 2j if iscomplexobj(z) else 0


def along_real(y, z):
    return y * sign(re(z)) / 2


# The recurrences DLMF 10.6.1 and 10.29.1 (see entries.py) hold for the scaled functions too.


def jve_in_order(v, z):
    return jve_order(v, z, n=1) if iscomplexobj(z) else jv_slopes(v, z)[0]


def jve_slope(y, v, z):
    """For real z the function is J itself."""
    return complex_jve_slope(y, v, z) if iscomplexobj(z) else with_phase(z, jv_slopes(v, z)[1])


def complex_jve_slope(y, v, z):
    above = jve(v + 1, z)
    return where(use_ratio(v, z), v / nonzero(z) * y - above, (jve(v - 1, z) - above) / 2)


def jve_order_slope(y, v, z, n):
    above = jve_order(v + 1, z, n=n)
    lower = jve_order(v, z, n=n - 1) if n > 1 else jve(v, z)
    ratio = (v * y + n * lower) / nonzero(z) - above
    return where(use_ratio(v, z), ratio, (jve_order(v - 1, z, n=n) - above) / 2)


def yve_in_order(v, z):
    return (yve_order if iscomplexobj(z) else yv_order)(v, z, n=1)


def yve_slope(y, v, z):
    """At the pole z = 0, Y is -inf and its slope inf. For real z the function is Y itself."""
    if not iscomplexobj(z):
        return y_slope(y, v, z)
    return where(isinf(y), -y, (yve(v - 1, z) - yve(v + 1, z)) / 2)


def yve_order_slope(y, v, z, n):
    return where(isinf(y), -y, (yve_order(v - 1, z, n=n) - yve_order(v + 1, z, n=n)) / 2)


def ive_slope(y, v, z):
    """For real z the formulas of complex z would cancel."""
    if not iscomplexobj(z):
        return ive_n(v, z, i=0, j=1)
    above = ive(v + 1, z)
    plain = where(use_ratio(v, z), v / nonzero(z) * y + above, (ive(v - 1, z) + above) / 2)
    return plain - along_real(y, z)


def ive_order_slope(y, v, z, n):
    if not iscomplexobj(z):
        return ive_n(v, z, i=n, j=1)
    above = ive_order(v + 1, z, n=n)
    lower = ive_order(v, z, n=n - 1) if n > 1 else ive(v, z)
    ratio = (v * y + n * lower) / nonzero(z) + above
    slope = where(use_ratio(v, z), ratio, (ive_order(v - 1, z, n=n) + above) / 2)
    if (
        n == 1
    ):  # d/dv I_v = -K_0 at v = 0 (DLMF 10.38.4), exponentially smaller than the terms of the recurrence
        slope = where(v == 0, kve(1.0, z) * exp(-z - abs(re(z))), slope)
    return slope - along_real(y, z)


jve_order = kernel(
    "jve_order(v, z, *, n)",
    host=kernels.jve_order,
    loops=True,  # for real arguments
    dv=lambda y, v, z, *, n: jve_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: jve_order_slope(y, v, z, n) - along_imag(y, z),
    dz_conj=lambda y, v, z, *, n: along_imag(y, z),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.besselj(a, z), v, n) * mp.exp(-mp.fabs(mp.im(z))),
    **ANY_ORDER,
    see="DLMF 10.6.1",
)
yve_order = kernel(
    "yve_order(v, z, *, n)",
    host=kernels.yve_order,
    loops=True,  # for real arguments
    dv=lambda y, v, z, *, n: yve_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: yve_order_slope(y, v, z, n) - along_imag(y, z),
    dz_conj=lambda y, v, z, *, n: along_imag(y, z),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.bessely(a, z), v, n) * mp.exp(-mp.fabs(mp.im(z))),
    **ANY_ORDER,
    see="DLMF 10.6.1",
)
ive_order = kernel(
    "ive_order(v, z, *, n)",
    host=kernels.ive_order,
    loops=True,  # for real arguments
    dv=lambda y, v, z, *, n: ive_order(v, z, n=n + 1),
    dz=lambda y, v, z, *, n: ive_order_slope(y, v, z, n),
    dz_conj=lambda y, v, z, *, n: -along_real(y, z),
    ref=lambda mp, v, z, *, n: mp.diff(lambda a: mp.besseli(a, z), v, n) * mp.exp(-mp.fabs(mp.re(z))),
    **ANY_ORDER,
    see="DLMF 10.29.1",
)
ive_n = kernel(
    "ive_n(v, x, *, i, j)",
    host=kernels.ive_n,
    twin=twins.ive_n,
    loops=True,
    dv=lambda y, v, x, *, i, j: ive_n(v, x, i=i + 1, j=j),
    dx=lambda y, v, x, *, i, j: ive_n(v, x, i=i, j=j + 1),
    ref=lambda mp, v, x, *, i, j: mp.diff(
        lambda a, b: mp.besseli(a, b) * mp.exp(-mp.fabs(b)), (v, x), (i, j)
    ),
    v=real(-5, 20),
    x=real(0.1, 50),
    see="DLMF 10.34.2",
)

jve = special(
    "jve(v, z)",
    dv=lambda y, v, z: jve_in_order(v, z),
    dz=lambda y, v, z: jve_slope(y, v, z) - along_imag(y, z),
    dz_conj=lambda y, v, z: along_imag(y, z),
    ref=lambda mp, v, z: mp.besselj(v, z) * mp.exp(-mp.fabs(mp.im(z))),
    **ANY_ORDER,
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, -3.0), (0.5, 2.0), (40.0, 30.0)],
    see="DLMF 10.6.1",
)
yve = special(
    "yve(v, z)",
    dv=lambda y, v, z: yve_in_order(v, z),
    dz=lambda y, v, z: yve_slope(y, v, z) - along_imag(y, z),
    dz_conj=lambda y, v, z: along_imag(y, z),
    ref=lambda mp, v, z: mp.bessely(v, z) * mp.exp(-mp.fabs(mp.im(z))),
    **ANY_ORDER,
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)],
    see="DLMF 10.6.1",
)
ive = special(
    "ive(v, z)",
    dv=lambda y, v, z: ive_order(v, z, n=1),
    dz=lambda y, v, z: ive_slope(y, v, z),
    dz_conj=lambda y, v, z: -along_real(y, z),
    ref=lambda mp, v, z: mp.besseli(v, z) * mp.exp(-mp.fabs(mp.re(z))),
    **ANY_ORDER,
    at=[(1.0, 0.5), (2.0, -3.0), (0.5, 2.0), (0.0, 1e4), (10.0, 1e4), (40.0, 30.0)],
    see="DLMF 10.29.1, 10.34.2",
)
kve = special(
    "kve(v, z)",
    orders=orders(kernels.kve_n, loops=True),  # loops for real arguments
    ref=lambda mp, v, z: mp.besselk(v, z) * mp.exp(z),
    **ANY_ORDER,
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (0.0, 1e4), (10.0, 1e4), (40.0, 30.0)],
    see="DLMF 10.32.9",
)
kve_n = kve.derivatives
