"""The studentized range of two variables is sqrt(2) times the size of one of Student's t: a closed form."""

import jax
import numpy as np
import pytest
from mpmath import mp

from hostwrap import stats
from hostwrap.stats._range import Range

PLACES = [(q, df) for q in (1e-3, 0.7, 5.0, 200.0) for df in (0.3, 4.0, 30.0)]


def _of_t(q, df):
    """log P(|t| > q / sqrt(2)), and the logarithm of the rest."""
    x = df / (df + q * q / 2)
    above = mp.betainc(df / 2, mp.mpf(1) / 2, 0, x, regularized=True)
    return mp.log(above), mp.log(mp.betainc(mp.mpf(1) / 2, df / 2, 0, 1 - x, regularized=True))


@pytest.mark.parametrize(("q", "df"), PLACES)
@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.rotating
def test_of_two_variables(q, df, side):
    formula = lambda q, df: jax.numpy.log(Range(side)(q, 2.0, df))
    first = jax.jit(jax.jacfwd(formula, (0, 1)))(q, df)
    second = jax.jit(jax.hessian(formula, (0, 1)))(q, df)
    with mp.workdps(60):
        if not -300 < _of_t(mp.mpf(q), mp.mpf(df))[side == "below"] < -0.5:
            return  # the larger side is not asked for derivatives
        truth = lambda q, df: _of_t(q, df)[side == "below"]
        slope = lambda *order: mp.diff(truth, (mp.mpf(q), mp.mpf(df)), order)
        for i, order in enumerate([(1, 0), (0, 1)]):
            np.testing.assert_allclose(first[i], float(slope(*order)), rtol=1e-10, atol=1e-290)
        for (i, j), order in {(0, 0): (2, 0), (0, 1): (1, 1), (1, 1): (0, 2)}.items():
            size = abs(float(slope(*order))) + 1e-4 * abs(float(first[i] * first[j]))
            assert abs(float(second[i][j]) - float(slope(*order))) < 1e-9 * size + 1e-14, (
                order,
                second[i][j],
            )


@pytest.mark.parametrize("args", [(43.1, 3.1, 10.0), (0.02, 6.0, 1.5), (30.0, 1e4, 5.0), (5.0, 100.0, 0.05)])
@pytest.mark.rotating
def test_the_two_sides_move_against_each_other(args):
    """They are integrals of different terms."""
    below, above = (np.array(jax.jit(jax.grad(Range(side), (0, 1, 2)))(*args)) for side in ("below", "above"))
    np.testing.assert_allclose(below, -above, rtol=1e-9, atol=1e-15)  # one of them is of a number of almost 1


def test_the_gradient_of_a_density_is_finite_where_scipys_is_noise():
    slope = jax.jit(jax.grad(stats.studentized_range.logpdf, (0, 1, 2)))(60.0, 3.1, 10.0)
    assert np.isfinite(slope).all() and -11.0 < slope[0] * 60.0 < -9.0  # a tail like q^-11
