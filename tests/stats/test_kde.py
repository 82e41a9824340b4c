"""`gaussian_kde`: SciPy's values, and derivatives in the points, the data, the weights and the bandwidth."""

import jax
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from hostwrap import stats
from hostwrap._rules.differences import slope

DRAWN = np.random.default_rng(5)
DATA, WEIGHTS, POINTS = DRAWN.normal(size=(2, 9)), DRAWN.uniform(0.5, 2.0, 9), DRAWN.normal(size=(2, 4))


@pytest.mark.parametrize("bandwidth", [None, "silverman", 0.4])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_values_are_those_of_scipy(bandwidth, weights):
    ours, theirs = (k(DATA, bandwidth, weights) for k in (stats.gaussian_kde, scipy.stats.gaussian_kde))
    np.testing.assert_array_equal(ours.evaluate(POINTS), theirs.evaluate(POINTS))
    np.testing.assert_array_equal(jax.jit(lambda k, x: k.logpdf(x))(ours, POINTS), theirs.logpdf(POINTS))
    np.testing.assert_allclose(ours.factor, theirs.factor, rtol=1e-14)
    np.testing.assert_allclose(ours.covariance, theirs.covariance, rtol=1e-13)


@pytest.mark.parametrize("bandwidth", ["scott", 0.4])
@pytest.mark.rotating
def test_derivatives(bandwidth):
    args = (POINTS, DATA, WEIGHTS) if bandwidth == "scott" else (POINTS, DATA, WEIGHTS, bandwidth)

    def total(module, kind, x, data, weights, width=bandwidth):
        return getattr(module.gaussian_kde(data, width, weights), kind)(x).sum()

    for kind in ("evaluate", "logpdf"):
        moving = tuple(range(len(args)))
        slopes = jax.jit(jax.grad(lambda *a, kind=kind: total(stats, kind, *a), moving))(*args)
        for i, got in enumerate(slopes):
            direction = np.random.default_rng(i).normal(size=np.shape(args[i])) * 0.3

            def moved(h, i=i, kind=kind, direction=direction):
                return total(scipy.stats, kind, *args[:i], args[i] + h * direction, *args[i + 1 :])

            np.testing.assert_allclose(np.sum(got * direction), slope(moved, 0.1)[0], rtol=1e-8)


@pytest.mark.rotating
def test_one_dimension_one_point_and_samples():
    line = stats.gaussian_kde(DATA[0])
    assert line([0.1, 0.2]).shape == (2,) and (line.d, line.n) == (1, 9) and "9 points" in repr(line)
    assert stats.gaussian_kde(DATA).pdf(POINTS[:, 0]).shape == (1,)
    sample = line.sample(jax.random.key(0), 2000)
    assert sample.shape == (1, 2000) and abs(np.mean(sample) - np.mean(DATA[0])) < 0.1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.gaussian_kde(DATA, "other"), "`bw_method` must be 'scott', 'silverman' or a number"),
        (lambda: stats.gaussian_kde(DATA, len), "call your function yourself"),
        (lambda: stats.gaussian_kde(DATA, None, np.ones(3)), r"`weights` must have shape \(9,\)"),
        (lambda: stats.gaussian_kde(DATA).evaluate(np.ones((3, 2))), r"points must have shape \(2, m\)"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()
