"""Mixed derivatives of Kummer's function 1F1(a; b; z) in its parameters and z.

For large |z| the asymptotic expansion, for small the power series, both where they are accurate; elsewhere the
differential equation in Taylor steps (DLMF 13.2.1), from the origin outwards in the half-plane Re z > 0 where 1F1
does not decay. Each of them knows where it loses digits; there the power series in whole numbers.
"""

import numpy as np

from hostwrap.special._numerics.pointwise import LARGE_CHUNK, in_chunks, places
from hostwrap.special.hypergeometric import _forms, _whole
from hostwrap.special.hypergeometric._checks import (
    LARGE_PARAMETER,
    NEGATIVE,
    ORDINARY,
    agreeing,
    completed,
)
from hostwrap.special.hypergeometric._equations import GROWTH, Kummer
from hostwrap.special.hypergeometric._forms import by_case, derivative, parameters, times
from hostwrap.special.hypergeometric._gammas import gamma_quotient, unscaled
from hostwrap.special.hypergeometric._march import march
from hostwrap.special.hypergeometric._series import asymptotic, degree, hypergeometric

LIMIT, RADIUS = 300, 80.0  # terms of the power series, and the radius in which it is tried
LARGE = 40.0  # from here on the asymptotic expansion is tried
LARGEST_DEGREE = 2000
LONGEST = 150.0  # for steps
TINY = 1e-4  # a parameter next to which the others hardly matter


@in_chunks(LARGE_CHUNK)
def hyp1f1_n(a, b, z, *, da=0, db=0, dx=0):
    """(d/da)^na (d/db)^nb (d/dz)^nz of 1F1(a; b; z); real parameters, real or complex z."""
    orders = (da, db)
    a, b = parameters(np.real(a), np.real(b))
    return derivative(hyp1f1_jet(a, b, z, orders, dx), orders)


def hyp1f1_jet(a, b, z, orders, nz=0):
    return unscaled(*hyp1f1_scaled(a, b, z, orders, nz))


def hyp1f1_scaled(a, b, z, orders, nz=0):
    """A jet and exponents of two; DLMF 13.3.16: the n-th derivative in z is (a)_n / (b)_n 1F1(a + n; b + n; z)."""
    jet, exponents = completed(_jet(a + nz, b + nz, z, orders), _whole.kummer, (a + nz, b + nz, z), orders)
    for k in range(nz):
        jet = (b + k).over((a + k).times(jet))
    return jet, exponents


def _jet(a, b, z, orders):
    cases = [
        (~np.isfinite(a.value + b.value + z), None),
        (degree(a, orders) <= LARGEST_DEGREE, _polynomial),
        (degree(b - a, orders) <= LARGEST_DEGREE, _polynomial_reflected),
        (z == z, _directly),
    ]
    return by_case((a, b, z), orders, z.dtype, cases)


def _directly(a, b, z, orders):
    return by_case((a, b, z), orders, z.dtype, [(np.abs(z) >= LARGE, _far), (z == z, _nearby)])


def _nearby(a, b, z, orders):
    slightly = np.abs(a.value) < TINY * np.maximum(1, np.abs(b.value))
    cases = [(z.real >= 0, _near), (slightly, _series), (z.real < 0, _near_reflected)]
    return by_case((a, b, z), orders, z.dtype, cases)


def _polynomial_reflected(a, b, z, orders):
    """By Kummer's transformation, DLMF 13.2.39."""
    return np.exp(z) * _polynomial(b - a, b, -z, orders)


def _near_reflected(a, b, z, orders):
    """The same."""
    return np.exp(z) * _near(b - a, b, -z, orders)


def _series(a, b, z, orders):
    """The power series, which has a as a factor where Kummer's transformation has not."""
    jet, good = hypergeometric((a,), (b,), z, orders, LIMIT)
    jet[..., ~good] = np.nan
    return jet


def _polynomial(a, b, z, orders):
    """a = -m: the sum where it does not cancel; else upwards in the degree by DLMF 13.3.1."""
    jet, good = hypergeometric((a,), (b,), z, orders, LIMIT)
    left = places(~good)
    if left.size:
        jet[..., left] = _upwards(a[left], b[left], z[left], orders)
    return jet


def _upwards(a, b, z, orders):
    """Stable for positive b only."""
    last, now = _forms.constant(0 * z, orders), _forms.constant(1 + 0 * z, orders)
    result = now.copy()
    for k in range(int(-a.value.min())):
        last, now = now, (b + k).over((b + 2 * k - z).times(now) - k * last)
        result = np.where(k + 1 == -a.value, now, result)
    return np.where(b.value > 0, result, np.nan)


def _near(a, b, z, orders):
    """Re z >= 0: the power series, and where it cancels, the differential equation."""
    jet, left = np.full((*_forms.shape(orders), z.size), np.nan, z.dtype), np.ones(z.size, bool)
    falling = np.abs(z) * (np.abs(a.value) + LIMIT / 2) < LIMIT / 4 * np.abs(b.value + LIMIT / 2)
    here = places((np.abs(z) <= RADIUS) | falling)
    jet[..., here], good = hypergeometric((a[here],), (b[here],), z[here], orders, LIMIT)
    jet[..., here[~good]] = np.nan
    left[here[good]] = False
    moderate = np.maximum(np.abs(a.value), np.abs(b.value)) < LARGE_PARAMETER
    left = places(left & moderate & (np.abs(z) < LONGEST))
    if left.size:
        jet[..., left] = _continued(a[left], b[left], z[left], orders)
    return jet


def _continued(a, b, z, orders):
    clean = np.minimum(1.0, GROWTH * np.abs(b.value) / (np.abs(a.value) + 1e-300))
    jet = _outwards(a, b, z, clean, orders)
    risky = places((b.value < NEGATIVE) | (np.maximum(np.abs(a.value), np.abs(b.value)) > ORDINARY))
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
    good = one & two
    total = np.full((*_forms.shape(orders), z.size), np.nan, z.dtype)
    left, good = places(~good), places(good)
    total[..., left] = _nearby(a[left], b[left], z[left], orders)
    a, b, z, growing, falling = a[good], b[good], z[good], growing[..., good], falling[..., good]
    first = _principal(z, z, np.log(z + 0j), a - b, ((b,), (a,)), growing, orders)
    # -z = z e^(-+ i pi) for Im z >= 0 and < 0
    log = np.log(np.abs(z)) + 1j * (np.angle(z + 0j) - np.where(np.signbit(np.imag(z)), -np.pi, np.pi))
    second = _principal(z, 0 * z, log, -a, ((b,), (b - a,)), falling, orders)
    total[..., good] = first + second
    return total


def _principal(z, exponent, log, form, gammas, series, orders):
    """The jet of e^(exponent + log form) times a quotient of Gamma functions and a series.

    For real z its real part is meant: there, what is complex is negligible.
    """
    whole = exponent + log * form.value
    quotient, exponents = gamma_quotient(*gammas, orders, whole.real)
    moving = times(_forms.power(log, form - form.value, orders) * np.exp(1j * whole.imag), series)
    return unscaled(times(quotient, moving if np.iscomplexobj(z) else moving.real), exponents)
