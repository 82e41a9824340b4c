"""Hypergeometric functions in whole numbers: a point takes no longer than it is worth."""

import mpmath
import numpy as np
import pytest

from hostwrap.special.hypergeometric import _series, _whole
from hostwrap.special.hypergeometric._forms import parameters
from hostwrap.special.hypergeometric.hyp2f1 import hyp2f1_1


def gauss(a, b, c, z, orders=(0, 0, 0)):
    a, b, c, z = (np.array([x]).ravel() for x in (a, b, c, z))
    jet, exponents = _whole.gauss(*parameters(a, b, c), z, 1 - z, orders)
    return np.ldexp(jet.reshape(-1, z.size)[-1], exponents)


def test_a_series_whose_terms_grow_for_longer_than_there_is_work_is_not_begun(monkeypatch):
    monkeypatch.setattr(_whole._Computation, "term", lambda *args: pytest.fail("a term was computed"))
    assert np.isnan(gauss(2e19, -1.3e19, 1.1e19, 0.43))


@pytest.mark.parametrize("a, b, c, z", [(-21329.54, -639.01, -137476.35, 0.485), (-3.5e19, 2.5, 1e19, 0.1)])
def test_a_series_whose_terms_turn_in_time_is_summed(a, b, c, z):
    with mpmath.workdps(60):
        exact = float(mpmath.hyp2f1(a, b, c, z))
    np.testing.assert_allclose(gauss(a, b, c, z), exact, rtol=1e-12)


def test_equal_neighbours_are_computed_once(monkeypatch):
    calls, right = [], _whole._agreed
    monkeypatch.setattr(_whole, "_agreed", lambda *args: calls.append(args) or right(*args))
    twice, other = gauss([1.5, 1.5, 2.5], [0.5] * 3, [3.0] * 3, [0.3] * 3)[[0, 1]], gauss(1.5, 0.5, 3.0, 0.3)
    assert len(calls) == 3 and (twice == other).all()


def test_work_counts_all_coefficients():
    """The value is 1, while the derivative in b = 0 grows to numbers of a million bits."""
    run = _whole._Computation([[], []], 1, 0)
    run.term([1, 1 << 10**6])
    assert _whole.WORK * 2 - run.work > 10**6 // 64


@pytest.mark.parametrize(
    "a, b, c, z", [(34.6, 1e260, 2.5, 0.3), (1e151, -1e-293, 1e94, -1e5), (-1e-27, -1e-15, -2.5e11, -2e14)]
)
def test_steps_that_would_take_too_long_are_not_begun(monkeypatch, a, b, c, z):
    """Terms of the power series grow once its parameters are positive; those of a Taylor series from the start."""
    counted, right = [], _whole._Computation.term
    monkeypatch.setattr(_whole._Computation, "term", lambda *args: counted.append(1) or right(*args))
    assert np.isnan(gauss(a, b, c, z))
    assert len(counted) < 2000


def test_a_term_that_vanishes_from_below_ends_a_series():
    """Its digits are -1: a negative number is rounded downwards."""
    in_a, in_b, in_c = hyp2f1_1(-454482.7, -0.0011537, -263562314.9, 1.18711e-18)
    with mpmath.workdps(60):
        a, b, c, z = (mpmath.mpf(x) for x in (-454482.7, -0.0011537, -263562314.9, 1.18711e-18))
        wanted = [float(x) for x in (b * z / c, a * z / c, -a * b * z / c**2)]
    np.testing.assert_allclose([in_a, in_b, in_c], wanted, rtol=1e-10)


def test_derivatives_that_a_factor_of_0_makes_0_are_known(monkeypatch):
    """F is 1 at a = 0 for any b and c; what else would take more bits than there are is NaN."""
    bits = []
    right = _whole._agreed
    monkeypatch.setattr(
        _whole, "_agreed", lambda f, run, *rest: (right(f, run, *rest), bits.append(run.bits))[0]
    )
    in_a, in_b, in_c = hyp2f1_1(0.0, 67.88298239705955, 248.68577770712122, -612.240904750011)
    np.testing.assert_allclose(in_a, -5.119379564567115, rtol=1e-13)
    assert in_b == in_c == 0 and len(bits) == 1
    in_a, in_b, in_c = hyp2f1_1(0.0, -9.6e-167, -971126.5, -5e33)
    assert np.isnan(in_a) and in_b == in_c == 0


def test_an_asymptotic_series_serves_for_large_c():
    """Digits of Arb."""
    in_a, _, in_c = hyp2f1_1(0.5, 1.5, 3e6, -40.5)
    np.testing.assert_allclose([in_a, in_c], [-2.02493165936728876e-5, 3.37482915080108287e-12], rtol=1e-13)


@pytest.mark.parametrize("n, wanted", [(400, True), (400.25, False)])
def test_a_series_goes_on_to_the_pole_of_its_terms(n, wanted):
    """At c = -400 the 401st term is infinite; next to it, it is 1e-120 at most."""
    a, b, c = parameters(*(np.array([x]) for x in (0.5, 1.5, -n)))
    assert _series.regrows(c, np.log(10.0), (a, b), (0, 0, 0))[0] == wanted
