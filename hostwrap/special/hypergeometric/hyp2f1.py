"""Mixed derivatives of the Gauss function 2F1(a, b; c; z) in its parameters and z.

The power series where it does not cancel, in z or after Pfaff's transformation; from there the differential equation
in Taylor steps, which knows no exceptional parameters. Each of them knows where it loses digits; there both in whole
numbers.
"""

from math import factorial, prod

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import (
    LARGE_CHUNK,
    elsewhere,
    hand_back,
    in_chunks,
    in_python,
    piecewise,
    places,
    stack_of,
    tape_of,
)
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.hypergeometric import _forms, _whole
from hostwrap.special.hypergeometric._checks import completed
from hostwrap.special.hypergeometric._continuation import continued
from hostwrap.special.hypergeometric._forms import by_case, derivative, grown, parameters, times
from hostwrap.special.hypergeometric._gammas import ROOM, gamma_quotient, normal, unscaled
from hostwrap.special.hypergeometric._orders import Total, indices, shape
from hostwrap.special.hypergeometric._series import degree, falls, hypergeometric, regrows, where_good

LIMIT, RADIUS = 120, 0.7  # terms of the power series, and the radius in which it is tried
FAR_LIMIT, FAR_RADIUS = 1000, 0.95  # the same for negative c, where the solution z^(1-c) outgrows this one
FAR_LEFT = -1e10
TINY, STEEP = 1e-100, 100.0  # 1 - z, and the logarithm of a power of it beside which another term is lost
CLOSE = 1e-3  # of a or b to c
LARGEST_DEGREE = 2000
LARGEST_JOINT = 20  # degree of a polynomial of which all derivatives are taken together
LARGEST_EASY, EASY_RADIUS = (
    50.0,
    0.9,
)  # c, and the radius, up to which SciPy's series of positive terms is short


@in_chunks(LARGE_CHUNK)
def hyp2f1_n(a, b, c, z, *, na=0, nb=0, nc=0, nz=0):
    """(d/da)^na (d/db)^nb (d/dc)^nc (d/dz)^nz of 2F1(a, b; c; z); real parameters, real or complex z."""
    orders = (na, nb, nc)
    a, b, c = np.real(a), np.real(b), np.real(c)
    jets = lambda a, b, c, z: derivative(hyp2f1_jet(*parameters(a, b, c), z, orders, nz), orders)
    if any(orders) or np.iscomplexobj(z):
        return jets(a, b, c, z)
    easy = lambda a, b, c, z: _shifted(_of_positive_terms, a, b, c, z, nz)
    return piecewise([a, b, c, z], [(_has_positive_terms(a + nz, b + nz, c + nz, z), easy), (None, jets)])


def _has_positive_terms(a, b, c, z):
    """Where the power series, in z or after Pfaff's transformation, has no term below 0, and not too many."""
    inside = (a > 0) & (b > 0) & (np.maximum(a, b) <= c) & (c <= LARGEST_EASY)
    return inside & (z >= -EASY_RADIUS / (1 - EASY_RADIUS)) & (z <= EASY_RADIUS)


def _shifted(function, a, b, c, z, n):
    """The n-th derivative in z, DLMF 15.5.2."""
    factor = prod((a + k) / (c + k) * (b + k) for k in range(n))
    return factor * function(a + n, b + n, c + n, z)


def _of_positive_terms(a, b, c, z):
    """SciPy's, to which Pfaff's transformation (DLMF 15.8.1) is not left: the way it takes there may cancel."""
    left, small = z < 0, np.minimum(a, b)
    large = np.maximum(a, b)
    series = sc.hyp2f1(small, np.where(left, c - large, large), c, np.where(left, z / (z - 1), z))
    return np.where(left, np.exp(-small * np.log1p(np.where(left, -z, 0.0))) * series, series)


def all_of_degree(degree):
    """Every derivative of this degree in a, b, c of (d/dz)^nz 2F1, by rows (aa, ab, ac, bb, ..), as a kernel."""
    rows = indices(3, degree)

    @in_chunks(LARGE_CHUNK // degree, len(rows))
    def kernel(a, b, c, z, *, nz=0):
        args = np.real(a), np.real(b), np.real(c), z
        recorder = tape_of(*args)
        if recorder is not None:
            hand_back(recorder, _apart(*args, nz))
            result = _together(*args, degree, nz)
            hand_back(recorder, np.isnan(result).any(0))
            return result
        result = np.full((len(rows), z.size), np.nan, z.dtype)
        joint = places(~_apart(*args, nz))
        if joint.size:
            result[:, joint] = _together(*(x[joint] for x in args), degree, nz)
        for row, index in zip(result, rows, strict=True):
            alone = places(np.isnan(row) & _is_other_alone(*args, nz, index))
            if alone.size:
                row[alone] = _alone(*(x[alone] for x in args), index, nz)
        return result

    return kernel


hyp2f1_1, hyp2f1_2 = all_of_degree(1), all_of_degree(2)


def _apart(a, b, c, z, nz):
    """Where the derivatives in some of the parameters are there, or simple, and the others are not."""
    beyond = (np.real(z) > 1) & np.isrealobj(z)  # here only polynomials have a value
    joint = np.where(beyond, -1, LARGEST_JOINT)
    is_apart = lambda a: (-(a + nz) > joint) & (a == np.round(a))
    return is_apart(a) | is_apart(b) | (z == 1)


def _is_other_alone(a, b, c, z, nz, index):
    """Where a derivative is there though all together are not, or takes less long: of a polynomial, or next to a pole.

    Elsewhere, what takes too long together has taken as long as all of them are worth.
    """
    is_polynomial = lambda p: (p + nz <= 0) & (p == np.round(p))
    apart = _apart(a, b, c, z, nz) | is_polynomial(c)
    has_it = [
        is_polynomial(p) & ((i == 0) | (p >= -LARGEST_DEGREE)) for p, i in ((a, index[0]), (b, index[1]))
    ]
    return apart | has_it[0] | has_it[1]


def _alone(a, b, c, z, index, nz):
    return derivative(hyp2f1_jet(*parameters(a, b, c), z, index, nz), index)


def _together(a, b, c, z, degree, nz):
    """With a and b in the order that Pfaff's transformation wants, so that all points go the same way."""
    swapped, rows = np.abs(a + nz) > np.abs(b + nz), indices(3, degree)
    forms = parameters(np.where(swapped, b, a), np.where(swapped, a, b), c)
    jet = hyp2f1_jet(*forms, z, Total(3, degree), nz)[-len(rows) :]
    mirrored = [rows.index((j, i, k)) for i, j, k in rows]
    factors = np.array([[prod(map(factorial, index))] for index in rows])
    return factors * np.where(swapped, jet[mirrored], jet)


def hyp2f1_jet(a, b, c, z, orders, nz=0, u=None):
    return unscaled(*hyp2f1_scaled(a, b, c, z, orders, nz, u))


def hyp2f1_scaled(a, b, c, z, orders, nz=0, u=None):
    """A jet and exponents of two; u = 1 - z.

    DLMF 15.5.2: the n-th derivative in z is (a)_n (b)_n / (c)_n 2F1(a + n, b + n; c + n; z).
    """
    u = 1 - z if u is None else u
    args = (*(p.shifted(nz) for p in (a, b, c)), z, u) if nz else (a, b, c, z, u)
    jet, exponents = completed(_jet(*args, orders), _beyond, args, orders, (u.real > 0) | (u.imag != 0))
    if nz:  # a b may underflow where its derivatives do not
        small = np.maximum(np.abs(a.value), np.abs(b.value)) < 2.0**ROOM
        jet, exponents = normal(jet, exponents, np.where(small, ROOM, 0))
    for k in range(nz):
        jet = (c + k).over((a + k).times((b + k).times(jet)))
    return jet, exponents


def _jet(a, b, c, z, u, orders):
    degree_a, degree_b, alone = degree(a, orders), degree(b, orders), not isinstance(orders, Total)
    cases = [
        (~np.isfinite(a.value + b.value + c.value + z), None),
        (degree_a <= np.minimum(degree_b, LARGEST_DEGREE), _polynomial if alone else in_python(_polynomial)),
        (degree_b <= LARGEST_DEGREE, in_python(lambda a, b, c, z, u, n: _polynomial(b, a, c, z, u, n))),
        (u == 0, in_python(_at_one)),
        ((u.real < 0) & np.isrealobj(z), in_python(_beyond_one)),
        (_is_power(a, b, c, u) if alone else np.False_, None),  # left to `_beyond`
        (z == z, _directly),
    ]
    return by_case((a, b, c, z, u), orders, z.dtype, cases)


def _polynomial(a, b, c, z, u, orders):
    """a = -m: the sum where it does not cancel; else upwards in the degree by DLMF 15.5.11."""
    jet, good = hypergeometric((a, b), (c,), z, orders, LIMIT)
    return elsewhere(jet, ~good, lambda *args: _upwards(*args, orders), a, b, c, z, u)


def _upwards(a, b, c, z, u, orders):
    def step(k, last, now, z, u, a, b, c):
        middle = (c + 2 * k - (b + k) * z).times(now)
        return now, (c + k).over(middle - k * u * last), k + 1 < -a.value

    one = _forms.constant(1.0, orders, z)
    result = until_stacked(step, [0 * one, one], [z, u, a, b, c], LARGEST_DEGREE)[1]
    return np.where(a.value == 0, one, result)


def _beyond_one(a, b, c, z, u, orders):
    """Real only by DLMF 15.8.1, where (1 - z)^(c - a - b) is, and what belongs to it is a polynomial."""
    excess, rest = c - a - b, (c - a, c - b)
    degrees = [degree(form, orders) for form in rest]
    is_real = excess.is_constant(orders) & (excess.value == np.round(excess.value))
    result, power = stack_of(np.nan, shape(orders), z), np.float_power(u, excess.value)
    for (first, second), here in ((rest, degrees[0] <= degrees[1]), (rest[::-1], degrees[1] < degrees[0])):
        here = here & (np.minimum(*degrees) <= LARGEST_DEGREE) & is_real
        polynomial = lambda a, b, c, z, u, power: power * _polynomial(a, b, c, z, u, orders)
        result = elsewhere(result, here, polynomial, first, second, c, z, u, power)
    return result


def _at_one(a, b, c, z, u, orders):
    """Gauss's sum, DLMF 15.4.20, for c > a + b; infinite otherwise (DLMF 15.4.21-23)."""
    excess = c - a - b
    finite = unscaled(*gamma_quotient((c, excess), (c - a, c - b), orders))
    sign = sc.gammasgn(a.value) * sc.gammasgn(b.value) * sc.gammasgn(c.value) * (-1) ** orders[-1]
    return np.where(excess.value > 0, finite, sign * np.inf)


def _directly(a, b, c, z, u, orders):
    """The series in z, or the differential equation; for Re z < 0 both after Pfaff's transformation."""
    jet, left = _by_series(a, b, c, z, u, orders)
    small = _first_is_a(a, b, c)
    swapped = lambda a, b, c, z, u, n: _pfaff(b, a, c, z, u, n)
    cases = [
        (left & (z.real < 0) & small, _pfaff),
        (left & (z.real < 0), in_python(swapped) if _forms.degree(orders) else swapped),
        (left & (z.real >= 0), continued),
    ]
    return by_case((a, b, c, z, u), orders, z.dtype, cases, start=jet)


def _first_is_a(a, b, c):
    """In Pfaff's transformation: the smaller one of a and b, but next to c the other one.

    For w -> 1, 2F1(a, c - b; c; w) tends to Gamma(c) Gamma(b - a) / (Gamma(c - a) Gamma(b)) (DLMF 15.4.20). That is far
    smaller than its terms next to c = a.
    """
    small = np.abs(a.value) <= np.abs(b.value)
    near = CLOSE * np.minimum(np.abs(c.value), 1.0)
    return np.where(small, np.abs(c.minus(a).value) >= near, np.abs(c.minus(b).value) < near)


def _pfaff(a, b, c, z, u, orders, less=0.0):
    """DLMF 15.8.1: (1 - z)^-a 2F1(a, c - b; c; z / (z - 1)), divided by e^less."""
    b, w, v = c.minus(b), -z / u, 1 / u
    jet, left = _by_series(a, b, c, w, v, orders)
    jet = elsewhere(jet, left, lambda *args: continued(*args, orders), a, b, c, w, v)
    return grown(-np.log(u), a, jet, orders, less)


def _beyond(a, b, c, z, u, orders):
    """A jet and exponents of two: far to the left only Pfaff's factor is small or large; elsewhere in whole numbers."""
    jet, exponents = stack_of(np.nan, shape(orders), z), np.zeros(z.size, int)
    far = (z.real < FAR_LEFT) & np.isfinite(u)
    small = _first_is_a(a, b, c)
    for first, second, here in ((a, b, far & small), (b, a, far & ~small)):
        here = np.flatnonzero(here)
        if here.size:
            power = np.rint((-np.log(u[here]) * first.value[here]).real / np.log(2))
            args = (x[here] for x in (first, second, c, z, u))
            jet[..., here], exponents[here] = _pfaff(*args, orders, power * np.log(2)), power
    steep = np.flatnonzero(_is_power(a, b, c, u) & (not isinstance(orders, Total)))
    if steep.size:
        jet[..., steep], exponents[steep] = _as_power(*(x[steep] for x in (a, b, c, u)), orders)
    left = np.flatnonzero(~np.isfinite(jet).all(tuple(range(jet.ndim - 1))))
    if left.size:
        jet[..., left], exponents[left] = _whole.gauss(*(x[left] for x in (a, b, c, z, u)), orders)
    return jet, exponents


def _is_power(a, b, c, u):
    """Is it its first term next to z = 1, as far as digits go? There the slope of this function leaves the doubles."""
    size = np.maximum(np.maximum(np.abs(a.value), np.abs(b.value)), np.abs(c.value))
    near = np.isrealobj(u) & (u > 0) & (u < TINY) & (size < LARGEST_EASY)
    return near & ((c - a - b).value * np.log(np.where(near, u, 1.0)) > STEEP)


def _as_power(a, b, c, u, orders):
    """(1 - z)^(c - a - b) Gamma(c) Gamma(a + b - c) / (Gamma(a) Gamma(b)), DLMF 15.4.23; a jet and exponents of two."""
    excess, log = c - a - b, np.log(u)
    quotient, exponents = gamma_quotient((c, -excess), (a, b), orders, log * excess.value)
    return times(_forms.power(log, excess - excess.value, orders), quotient), exponents


def _by_series(a, b, c, z, u, orders):
    """The power series, for large c an asymptotic one (DLMF 15.12.2-3), and the points that are left.

    The other solution next to z = 0 is a multiple of (z / (1 - z))^-c.
    """
    again = regrows(c, np.log(np.abs(u)) - np.log(np.abs(z)), (a, b), orders)
    jet, near = stack_of(np.nan, shape(orders), z), np.abs(z) <= RADIUS
    asymptotic = falls((a, b), c, z) & ((c.value > 0) | ~again)
    far = (c.value < -1) & (np.abs(z) <= FAR_RADIUS)
    for here, limit in ((near | asymptotic, LIMIT), (far, FAR_LIMIT)):
        summed = lambda a, b, c, z, again, n=limit: where_good(
            *hypergeometric((a, b), (c,), z, orders, n, again)
        )
        jet = elsewhere(jet, here & _is_left(jet), summed, a, b, c, z, again)
    return jet, _is_left(jet)


def _is_left(jet):
    """At which points there is nothing yet."""
    return np.isnan(jet[(0,) * (jet.ndim - 1)])
