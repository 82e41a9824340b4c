"""Mixed derivatives of Kummer's function 1F1(a; b; z) in its parameters and z.

For large |z| the asymptotic expansion, for small the power series, both where they are accurate; elsewhere the
differential equation in Taylor steps (DLMF 13.2.1), from the origin outwards in the half-plane Re z > 0 where 1F1
does not decay.
"""

import numpy as np

from hostwrap.special.kernels._pointwise import LARGE_CHUNK, in_chunks
from hostwrap.special.kernels.hypergeometric import _forms
from hostwrap.special.kernels.hypergeometric._contiguous import NEGATIVE, agreeing, completed
from hostwrap.special.kernels.hypergeometric._equations import GROWTH, Kummer
from hostwrap.special.kernels.hypergeometric._forms import by_case, derivative, parameters, power, times
from hostwrap.special.kernels.hypergeometric._march import march
from hostwrap.special.kernels.hypergeometric._series import asymptotic, degree, hypergeometric

LIMIT, RADIUS = 300, 80.0  # terms of the power series, and the radius in which it is tried
LARGE = 40.0  # from here on the asymptotic expansion is tried
LARGEST_DEGREE = 2000
GAMMA = 150.0  # parameters up to here have Gamma functions that do not overflow


@in_chunks(LARGE_CHUNK)
def hyp1f1_n(a, b, z, *, na=0, nb=0, nz=0):
    """(d/da)^na (d/db)^nb (d/dz)^nz of 1F1(a; b; z); real parameters, real or complex z."""
    orders = (na, nb)
    a, b = parameters(np.real(a), np.real(b))
    return derivative(hyp1f1_jet(a, b, z, orders, nz), orders)


def hyp1f1_jet(a, b, z, orders, nz=0):
    """DLMF 13.3.16: the n-th derivative in z is (a)_n / (b)_n 1F1(a + n; b + n; z)."""
    jet = _jet(a + nz, b + nz, z, orders)
    for k in range(nz):
        jet = (b + k).over((a + k).times(jet))
    return jet


def _jet(a, b, z, orders):
    cases = [
        (~np.isfinite(a.value + b.value + z), None),
        (degree(a, orders) <= LARGEST_DEGREE, _polynomial),
        (degree(b - a, orders) <= LARGEST_DEGREE, _polynomial_reflected),
        (z == z, _transcendental),
    ]
    return by_case((a, b, z), orders, z.dtype, cases)


def _transcendental(a, b, z, orders):
    return completed(_directly(a, b, z, orders), _directly, _relation, (a, b, z), 1, orders)


def _relation(a, b, z, now, above):
    """DLMF 13.3.2, from b and b + 1 to b - 1."""
    return (b - 1).over((b - 1 + z).times(now) - z * b.over((b - a).times(above)))


def _directly(a, b, z, orders):
    cases = [(np.abs(z) >= LARGE, _far), (z.real < 0, _near_reflected), (z.real >= 0, _near)]
    return by_case((a, b, z), orders, z.dtype, cases)


def _polynomial_reflected(a, b, z, orders):
    """By Kummer's transformation, DLMF 13.2.39."""
    return np.exp(z) * _polynomial(b - a, b, -z, orders)


def _near_reflected(a, b, z, orders):
    """The same."""
    return np.exp(z) * _near(b - a, b, -z, orders)


def _polynomial(a, b, z, orders):
    """a = -m: the sum where it does not cancel; else upwards in the degree by DLMF 13.3.1."""
    jet, good = hypergeometric((a,), (b,), z, orders, LIMIT)
    if not good.all():
        jet[..., ~good] = _upwards(a[~good], b[~good], z[~good], orders)
    return jet


def _upwards(a, b, z, orders):
    last, now = _forms.constant(0 * z, orders), _forms.constant(1 + 0 * z, orders)
    result = now.copy()
    for k in range(int(-a.value.min())):
        last, now = now, (b + k).over((b + 2 * k - z).times(now) - k * last)
        result = np.where(k + 1 == -a.value, now, result)
    return result


def _near(a, b, z, orders):
    """Re z >= 0: the power series, and where it cancels, the differential equation."""
    jet, left = _forms.constant(0 * z, orders), np.ones(z.size, bool)
    here = np.flatnonzero(np.abs(z) <= RADIUS)
    jet[..., here], good = hypergeometric((a[here],), (b[here],), z[here], orders, LIMIT)
    left[here[good]] = False
    if left.any():
        jet[..., left] = _continued(a[left], b[left], z[left], orders)
    return jet


def _continued(a, b, z, orders):
    clean = np.minimum(1.0, GROWTH * np.abs(b.value) / (np.abs(a.value) + 1e-300))
    jet = _outwards(a, b, z, clean, orders)
    risky = np.flatnonzero(b.value < NEGATIVE)
    if risky.size:
        again = _outwards(a[risky], b[risky], z[risky], 0.8 * clean[risky], orders)
        jet[..., risky] = agreeing(jet[..., risky], again, len(a.slopes))
    return jet


def _outwards(a, b, z, radius, orders):
    """From where the terms of the power series stay small."""
    start = np.minimum(radius, np.abs(z)) / np.abs(z) * z
    w, _ = hypergeometric((a,), (b,), start, orders, LIMIT)
    slope, _ = hypergeometric((a + 1,), (b + 1,), start, orders, LIMIT)
    return march(Kummer(a, b), start, z, w, b.over(a.times(slope)))[0]


def _far(a, b, z, orders):
    """DLMF 13.7.2 where its terms fall far enough."""
    growing, one = asymptotic((1 - a, b - a), z, orders)
    falling, two = asymptotic((a, a - b + 1), -z, orders)
    moderate = np.maximum(np.maximum(np.abs(a.value), np.abs(b.value)), np.abs(b.value - a.value)) < GAMMA
    good = one & two & moderate
    first = times(times(_forms.rgamma(a, orders), _grown_power(z, a - b, orders)), growing)
    second = times(times(_forms.rgamma(b - a, orders), _turned_power(z, a, orders)), falling)
    total = _forms.over(first + second, _forms.rgamma(b, orders))
    if not good.all():
        rest = (a[~good], b[~good], z[~good])
        right = rest[2].real >= 0
        cases = [(right, _near), (~right, _near_reflected)]
        total[..., ~good] = by_case(rest, orders, z.dtype, cases)
    return total


def _grown_power(z, form, orders):
    """The jet of e^z z^form."""
    return np.exp(z) * _principal(z, np.log(z + 0j), form, orders)


def _turned_power(z, a, orders):
    """The jet of (-z)^-a, where -z = z e^(-+ i pi) for Im z >= 0 and < 0."""
    log = np.log(np.abs(z)) + 1j * (np.angle(z + 0j) - np.where(np.signbit(np.imag(z)), -np.pi, np.pi))
    return _principal(z, log, -a, orders)


def _principal(z, log, form, orders):
    """The jet of e^(log form), of which for real z the real part is meant: there, what is complex is negligible."""
    jet = power(log, form, orders)
    return jet if np.iscomplexobj(z) else jet.real
