"""Hypergeometric functions in whole numbers: a point takes no longer than it is worth."""

import mpmath
import numpy as np
import pytest

from hostwrap.special.hypergeometric import _whole
from hostwrap.special.hypergeometric._forms import parameters


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
