"""Mixed derivatives of Kummer's function 1F1(a; b; z) in its parameters and z.

For large |z| the asymptotic expansion, for small the power series, both where they are accurate; elsewhere the
differential equation in Taylor steps (DLMF 13.2.1), from the origin outwards in the half-plane Re z > 0 where 1F1
does not decay. Each of them knows where it loses digits; there the power series in whole numbers.
"""

import numpy as np

from hostwrap.special._numerics.pointwise import LARGE_CHUNK, elsewhere, in_chunks, stack_of
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.hypergeometric import _forms, _whole
from hostwrap.special.hypergeometric._checks import (
    LARGE_PARAMETER,
    NEGATIVE,
    ORDINARY,
    completed,
    confirmed_where,
)
from hostwrap.special.hypergeometric._equations import GROWTH, Kummer
from hostwrap.special.hypergeometric._forms import by_case, derivative, parameters, times
from hostwrap.special.hypergeometric._gammas import BITS, LARGEST, gamma_quotient, rising, unscaled
from hostwrap.special.hypergeometric._march import march
from hostwrap.special.hypergeometric._series import (
    asymptotic,
    degree,
    falls,
    hypergeometric,
    may_converge,
    regrows,
    summed,
    where_good,
)

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
    jet, exponents = completed(_jet(a + nz, b + nz, z, orders), _exactly, (a + nz, b + nz, z), orders)
    for k in range(nz):
        moved = (b + k).over((a + k).times(jet))
        # a polynomial of a lower degree, however large the jet
        jet = np.where((a + k).value == 0, 0.0, moved) if a.is_constant(orders) else moved
    return jet, exponents


def _exactly(a, b, z, orders):
    """In whole numbers; far out, where they take too long, the asymptotic expansion times a power of two."""
    jet, exponents = _whole.kummer(a, b, z, orders)
    far = np.flatnonzero(np.isnan(jet[(0,) * len(orders)]) & (np.abs(z) >= LARGE) & np.isfinite(z))
    if far.size:
        a, b, z = a[far], b[far], z[far]
        size = np.log(np.abs(z))
        larger = np.maximum(z.real + (a.value - b.value) * size, -a.value * size)
        exponents[far] = np.clip(np.round(larger / BITS), -LARGEST, LARGEST)
        jet[..., far] = _far(a, b, z, orders, -exponents[far] * BITS)
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
    """The asymptotic expansion is tried first; what it leaves is NaN."""
    size, x, y = np.abs(z), a.value, b.value
    may = (size >= LARGE) & may_converge(1 - x, y - x, size) & may_converge(x, x - y + 1, size)
    far = by_case((a, b, z), orders, z.dtype, [(may, _far)])
    return by_case((a, b, z), orders, z.dtype, [(np.isnan(far[(0,) * len(orders)]), _nearby)], start=far)


def _nearby(a, b, z, orders):
    jet = by_case((a, b, z), orders, z.dtype, [(falls((a,), b, z), _series)])
    left = np.isnan(jet[(0,) * len(orders)])
    cases = [
        (left & (z.real >= 0), _near),
        (left & _is_slight(a, b), _slightly),
        (left & (z.real < 0), _near_reflected),
    ]
    return by_case((a, b, z), orders, z.dtype, cases, start=jet)


def _is_slight(a, b):
    """1F1 is 1 + O(a), and its derivatives in b have a as a factor, which Kummer's transformation has not."""
    return np.abs(a.value) < TINY * np.maximum(1, np.abs(b.value))


def _polynomial_reflected(a, b, z, orders):
    """By Kummer's transformation, DLMF 13.2.39."""
    return np.exp(z) * _polynomial(b - a, b, -z, orders)


def _near_reflected(a, b, z, orders):
    """The same."""
    return np.exp(z) * _near(b - a, b, -z, orders)


def _series(a, b, z, orders):
    """The other solution next to z = 0 is z^n e^z / n!, up to powers of n = -b."""
    n, size = np.maximum(-b.value, 1.0), np.abs(z)
    again = regrows(b, np.log(n) - 1 - np.log(size) - size / n, (a,), orders)
    return where_good(*hypergeometric((a,), (b,), z, orders, LIMIT, again))


def _slightly(a, b, z, orders):
    """The power series for small a; where it cancels, Kummer's by (b - a + k) / (b + k) = 1 - a / (b + k)."""
    following = lambda k, term, z, a, b: (term - a.times((b + k).over(term))) * (-z / (k + 1))
    early = lambda k, a, b: k < -b.value
    reflected = lambda a, b, z: np.exp(z) * where_good(*summed(following, z, (a, b), orders, LIMIT, early))
    jet, good = hypergeometric((a,), (b,), z, orders, LIMIT)
    return elsewhere(jet, ~good, reflected, a, b, z)


def _polynomial(a, b, z, orders):
    """a = -m: the sum where it does not cancel; else upwards in the degree by DLMF 13.3.1."""
    jet, good = hypergeometric((a,), (b,), z, orders, LIMIT)
    return elsewhere(jet, ~good, lambda *args: _upwards(*args, orders), a, b, z)


def _upwards(a, b, z, orders):
    """Stable for positive b only."""

    def step(k, last, now, z, a, b):
        return now, (b + k).over((b + 2 * k - z).times(now) - k * last), k + 1 < -a.value

    one = _forms.constant(1.0, orders, z)
    result = until_stacked(step, [0 * one, one], [z, a, b], LARGEST_DEGREE)[1]
    return np.where(b.value > 0, np.where(a.value == 0, one, result), np.nan)


def _near(a, b, z, orders):
    """Re z >= 0: the power series, and where it cancels, the differential equation."""
    nothing = stack_of(np.nan, _forms.shape(orders), z)
    falling = np.abs(z) * (np.abs(a.value) + LIMIT / 2) < LIMIT / 4 * np.abs(b.value + LIMIT / 2)
    jet = elsewhere(nothing, (np.abs(z) <= RADIUS) | falling, lambda *args: _series(*args, orders), a, b, z)
    moderate = np.maximum(np.abs(a.value), np.abs(b.value)) < LARGE_PARAMETER
    left = np.isnan(jet[(0,) * (jet.ndim - 1)]) & moderate & (np.abs(z) < LONGEST)
    return elsewhere(jet, left, lambda *args: _continued(*args, orders), a, b, z)


def _continued(a, b, z, orders):
    clean = np.minimum(1.0, GROWTH * np.abs(b.value) / (np.abs(a.value) + 1e-300))
    risky = (b.value < NEGATIVE) | (np.maximum(np.abs(a.value), np.abs(b.value)) > ORDINARY)
    nothing = stack_of(np.nan, _forms.shape(orders), z)
    way = lambda shorter, z, clean, a, b: (_outwards(a, b, z, shorter * clean, orders), False)
    return confirmed_where(risky, way, nothing, (z, clean, a, b), len(a.slopes))


def _outwards(a, b, z, radius, orders):
    """From where the terms of the power series stay small."""
    start = np.minimum(radius, np.abs(z)) / np.abs(z) * z
    w, _ = hypergeometric((a,), (b,), start, orders, LIMIT)
    slope, _ = hypergeometric((a + 1,), (b + 1,), start, orders, LIMIT)
    return march(Kummer(a, b), start, z, w, b.over(a.times(slope)))[0]


def _far(a, b, z, orders, lift=0.0):
    """e^lift 1F1 by DLMF 13.7.2 where its terms fall far enough."""
    growing, one = asymptotic((1 - a, b - a), z, orders)
    falling, two = asymptotic((a, a - b + 1), -z, orders)
    nothing = stack_of(np.nan, _forms.shape(orders), z)
    return elsewhere(
        nothing, one & two, lambda *x: _expanded(*x, orders), a, b, z, growing, falling, lift + 0 * z.real
    )


def _expanded(a, b, z, growing, falling, lift, orders):
    first = principal(z, z + lift, np.log(z + 0j), a - b, ((b,), (a,)), growing, orders)
    # -z = z e^(-+ i pi) for Im z >= 0 and < 0
    side = z + 0j  # 1F1 has no cut: -0 in Im z is +0
    log = np.log(np.abs(z)) + 1j * (_angle(side) - np.where(np.signbit(side.imag), -np.pi, np.pi))
    second = principal(z, lift, log, -a, ((b,), (b - a,)), falling, orders)
    slight = lambda *args: _slightly_falling(*args, orders)
    return first + elsewhere(second, _is_slight(a, b), slight, a, b, z, log, falling, lift)


def _slightly_falling(a, b, z, log, falling, lift, orders):
    """The second term with derivatives of Gamma(b) / Gamma(b - a) that have a as a factor."""
    moving = times(_forms.power(log, -a, orders), np.exp(lift) * falling)
    return _forms.over(moving if np.iscomplexobj(z) else moving.real, rising(b, -a, orders))


def _angle(z):
    return np.arctan2(z.imag, z.real)


def principal(z, exponent, log, form, gammas, series, orders):
    """The jet of e^(exponent + log form) times a quotient of Gamma functions and a series.

    For real z its real part is meant: there, what is complex is negligible.
    """
    power = log * form.value
    quotient, exponents = gamma_quotient(*gammas, orders, exponent.real + power.real)
    turn = np.exp(1j * power.imag)
    if np.iscomplexobj(exponent):  # far out, the sum of both phases would be the larger one
        turn = turn * np.exp(1j * exponent.imag)
    moving = times(_forms.power(log, form - form.value, orders) * turn, series)
    return unscaled(times(quotient, moving if np.iscomplexobj(z) else moving.real), exponents)
