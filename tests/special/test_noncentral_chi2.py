"""High derivatives of the noncentral chi-square distribution: differences that are taken term by term."""

import math

import jax
import mpmath
import numpy as np
import pytest

from hostwrap import special
from hostwrap.special.noncentral import _mixture, chi2
from tests.reference.orders import _series


@pytest.mark.parametrize("argument, ninth", [(0, 4.328275630589219456e-10), (2, 1.0642355720372569235e-10)])
def test_ninth_derivatives_have_all_digits(argument, ninth):
    """mpmath's; differences of neighbouring terms have lost seven digits there."""
    point = [36.0, 2.25, 73.0]
    along = lambda t: special.chndtr(*point[:argument], t, *point[argument + 1 :])
    assert float(_series(along, jax.numpy.float64(point[argument]), 9)[-1]) == pytest.approx(ninth, rel=1e-12)


@pytest.mark.parametrize("l", [1e-8, 0.3, 5.0, 400.0])
@pytest.mark.parametrize("d", [0, 1, 5, 9])
def test_weights_differentiated_are_weights_times_a_polynomial(d, l):
    indices = np.array([0.0, 1.0, 2.0, 5.0, 9.0, 30.0, 350.0])
    found = _mixture.moved(indices, l, d) * np.ones(len(indices))
    with mpmath.workdps(60):
        x = mpmath.mpf(l)
        for m, factor in zip(map(int, indices), found, strict=True):
            terms = ((-1) ** (d - k) * math.comb(d, k) * mpmath.ff(m, k) / x**k for k in range(min(d, m) + 1))
            assert factor == pytest.approx(float(mpmath.fsum(terms)), rel=1e-12)


@pytest.mark.parametrize("x, l", [(0.7, 0.0), (1e-40, 0.7), (0.7, 1e-60), (0.7, 1e-3)])
def test_differences_are_those_of_shifted_terms(x, l):
    """Also next to the ends, where no power of l or x is a number."""
    a, n, m, d = 0.4, 1, 1, 3
    given = [np.float64(x), np.float64(l)]
    term = lambda shift: chi2.gamma_mixture_term_n(given[0], a + shift, given[1], n=n, m=m)
    wanted = sum((-1) ** (d - s) * math.comb(d, s) * term(s) for s in range(d + 1))
    assert chi2.gamma_mixture_term_n(given[0], a, given[1], n=n, m=m, d=d) == pytest.approx(wanted, rel=1e-12)


def test_at_no_noncentrality_derivatives_are_there():
    """A compiled program leaves these points to Python."""
    slope = jax.jit(jax.grad(jax.grad(special.chndtr, 2), 2))
    near, at = float(slope(3.0, 2.0, 1e-20)), float(slope(3.0, 2.0, 0.0))
    assert at == pytest.approx(near, rel=1e-13) and at != 0


INVERSES = [
    ("chndtrinc", 1, (35.75, 2.268896059102939, 0.003983519015836658)),
    ("chndtridf", 2, (9.075584236411757, 0.00418060782270814, 0.16982436524617434)),
    ("chndtrix", 0, (0.0016216965178282104, 0.4347037177093221, 0.018385294357522827)),
    ("chndtrix", 1, (0.0016216965178282104, 0.4347037177093221, 0.018385294357522827)),
]


@pytest.mark.parametrize("name, argument, point", INVERSES)
def test_high_derivatives_of_an_inverse_have_their_digits_or_are_nan(name, argument, point):
    """Parts cancel: an error of 6 % was in the tenth derivative of chndtrinc in df."""
    function = getattr(special, name)
    along = lambda t: function(*point[:argument], t, *point[argument + 1 :])
    found = _series(along, jax.numpy.float64(point[argument]), 10)
    with mpmath.workdps(40):
        exact = list(map(mpmath.mpf, point))
        of = lambda t: function.ref(mpmath.mp, *exact[:argument], t, *exact[argument + 1 :])
        wanted = mpmath.taylor(of, exact[argument], 10)
    assert np.isfinite(found[:3]).all() and np.isnan(found[9])
    for n, value in enumerate(map(float, found), 1):
        assert np.isnan(value) or value == pytest.approx(float(wanted[n]) * math.factorial(n), rel=1e-8)
