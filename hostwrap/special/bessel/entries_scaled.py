"""Bessel functions of continuous order with their exponential growth or decay scaled out."""

from hostwrap.special._entry import kernel, special
from hostwrap.special._known import with_phase
from hostwrap.special._math import abs, exp, imag, iscomplexobj, isinf, re, sign, where
from hostwrap.special._orders import orders
from hostwrap.special.bessel import complex_scaled, twins
from hostwrap.special.bessel import scaled as kernels
from hostwrap.special.bessel.entries import ANY_ORDER, jv_slopes, nonzero, use_ratio, y_slope, yv_order

__all__ = ["ive", "jve", "kve", "yve"]

# For complex z, ive is scaled by e^-|Re z|, jve and yve by e^-|Im z|. These are not holomorphic: each function is a
# phase times an analytic one, G, whose derivatives are the kernels below (see `complex_scaled`). The phase of ive,
# e^(is Im z), turns along the imaginary axis, that of jve and yve, e^(-is Re z), along the real one.


def ive_along_imag(y, further, z):
    return 1j * (further + sign(re(z)) * y)


def along_real(y, further, z):
    """Of jve and yve."""
    return further - 1j * sign(imag(z)) * y


# The recurrences DLMF 10.6.1 and 10.29.1 (see entries.py) hold for the scaled functions too.


def jve_in_order(v, z):
    return jve_n(v, z, i=1, j=0) if iscomplexobj(z) else jv_slopes(v, z)[0]


def jve_slope(y, v, z):
    """For real z the function is J itself."""
    if not iscomplexobj(z):
        return with_phase(z, jv_slopes(v, z)[1])
    above = jve(v + 1, z)
    return where(use_ratio(v, z), v / nonzero(z) * y - above, (jve(v - 1, z) - above) / 2)


def jve_n_slope(y, v, z, i, j):
    """By the recurrence where j = 0, since next to z = 0 the phase and its opposite in the kernel would cancel."""
    if j:
        return along_real(y, jve_n(v, z, i=i, j=j + 1), z)
    above, below = jve_n(v + 1, z, i=i, j=0), jve_n(v - 1, z, i=i, j=0)
    ratio = (v * y + i * (jve_n(v, z, i=i - 1, j=0) if i > 1 else jve(v, z))) / nonzero(z) - above
    return where(use_ratio(v, z), ratio, (below - above) / 2)


def yve_in_order(v, z):
    return yve_n(v, z, i=1, j=0) if iscomplexobj(z) else yv_order(v, z, n=1)


def yve_slope(y, v, z):
    """At the pole z = 0, Y is -inf and its slope inf. For real z the function is Y itself."""
    if not iscomplexobj(z):
        return y_slope(y, v, z)
    return where(isinf(y), -y, (yve(v - 1, z) - yve(v + 1, z)) / 2)


def yve_n_slope(y, v, z, i, j):
    """Y has a kernel for mixed derivatives, because the recurrence cancels next to v = 0."""
    if j:
        return along_real(y, yve_n(v, z, i=i, j=j + 1), z)
    slope = yv_order(v, z, n=i, m=1) * exp(-abs(imag(z)))
    far = (yve_n(v - 1, z, i=i, j=0) - yve_n(v + 1, z, i=i, j=0)) / 2
    return where(isinf(y), -y, where(abs(z) < 1, slope, far))


def ive_recurrence(y, v, z):
    above = ive(v + 1, z)
    return where(use_ratio(v, z), v / nonzero(z) * y + above, (ive(v - 1, z) + above) / 2)


def scaled_ref(mp, f, rate, v, z, i, j):
    """e^(rate z) f, differentiated, times its phase; `rate` is -+1 or -+i. A mixed difference loses half the digits."""
    turn = mp.im(rate * z)
    with mp.workdps(2 * mp.dps):
        y = mp.diff(lambda a, b: f(a, b) * mp.exp(rate * b), (v, z), (i, j))
    return y * mp.expj(-turn) if turn else y


def oscillating(name, host, definition, slope):
    """d^i/dv^i d^j/dz^j of the analytic part of jve or yve, times its phase; of real z, that of J or Y."""
    derivatives = kernel(
        f"{name}_n(v, z, *, i, j)",
        host=host,
        complex_result=True,
        dv=lambda y, v, z, *, i, j: derivatives(v, z, i=i + 1, j=j),
        dz=lambda y, v, z, *, i, j: slope(y, v, z, i, j),
        dz_imag=lambda y, v, z, *, i, j: 1j * derivatives(v, z, i=i, j=j + 1),
        ref=lambda mp, v, z, *, i, j: scaled_ref(
            mp, getattr(mp, definition), mp.j * mp.sign(mp.im(z)), v, z, i, j
        ),
        **ANY_ORDER,
        see="DLMF 10.6.7, 10.27.6",
    )
    return derivatives


jve_n = oscillating("jve", complex_scaled.jve_n, "besselj", jve_n_slope)
yve_n = oscillating("yve", complex_scaled.yve_n, "bessely", yve_n_slope)
ive_n = kernel(
    "ive_n(v, z, *, i, j)",
    host=kernels.ive_n,
    twin=twins.ive_n,
    loops=True,  # for real arguments
    dv=lambda y, v, z, *, i, j: ive_n(v, z, i=i + 1, j=j),
    dz=lambda y, v, z, *, i, j: ive_n(v, z, i=i, j=j + 1),
    dz_imag=lambda y, v, z, *, i, j: ive_along_imag(y, ive_n(v, z, i=i, j=j + 1), z),
    ref=lambda mp, v, z, *, i, j: scaled_ref(mp, mp.besseli, -mp.sign(mp.re(z)), v, z, i, j),
    **ANY_ORDER,
    see="DLMF 10.34.2",
)

jve = special(
    "jve(v, z)",
    dv=lambda y, v, z: jve_in_order(v, z),
    dz=lambda y, v, z: jve_slope(y, v, z),
    dz_imag=lambda y, v, z: 1j * jve_n(v, z, i=0, j=1),
    ref=lambda mp, v, z: mp.besselj(v, z) * mp.exp(-mp.fabs(mp.im(z))),
    **ANY_ORDER,
    at=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, -3.0), (0.5, 2.0), (40.0, 30.0)],
    see="DLMF 10.6.1",
)
yve = special(
    "yve(v, z)",
    dv=lambda y, v, z: yve_in_order(v, z),
    dz=lambda y, v, z: yve_slope(y, v, z),
    dz_imag=lambda y, v, z: where(isinf(y), -1j * y, 1j * yve_n(v, z, i=0, j=1)),
    ref=lambda mp, v, z: mp.bessely(v, z) * mp.exp(-mp.fabs(mp.im(z))),
    **ANY_ORDER,
    at=[(0.0, 1.0), (1.0, 1e-3), (0.5, 2.0), (2.0, 5.0), (40.0, 30.0)],
    see="DLMF 10.6.1",
)
ive = special(
    "ive(v, z)",
    dv=lambda y, v, z: ive_n(v, z, i=1, j=0),
    dz=lambda y, v, z: ive_n(v, z, i=0, j=1),
    dz_imag=lambda y, v, z: 1j * ive_recurrence(y, v, z),
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
