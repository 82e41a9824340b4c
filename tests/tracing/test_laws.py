"""SciPy's distributions in code that is followed: what cannot be followed has the derivatives of hostwrap.stats."""

import jax
import numpy as np
import pytest
import scipy.stats as st

import hostwrap as hw
from tests.tracing.corpus.differences import jacobian


def slope(function, *point):
    """Derivatives in all numbers."""
    return jacobian(lambda x: np.ravel(function(*x)), np.array(point)).value[0]


@pytest.mark.parametrize(
    "function, point",
    [
        (lambda p: st.binom.pmf(3, 10, p), (0.42,)),
        (lambda x, df, nc: st.ncx2.pdf(x, df, nc), (1.3, 3.1, 0.8)),
        (lambda q, a, scale: st.skewnorm(a, scale=scale).ppf(q), (0.2, 1.3, 0.8)),
        (lambda x, df, nc: st.nct._sf(x, df, nc), (0.7, 3.1, 0.8)),
        (lambda a, b: st.beta.mean(a, b), (3.1, 0.8)),
    ],
    ids=["binom.pmf", "ncx2.pdf", "skewnorm.ppf", "nct._sf", "beta.mean"],
)
@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.rotating
def test_a_method_that_ends_in_compiled_code(function, point, looks):
    def called(*xs):
        y = function(*xs)
        if looks and not y > -1e9:
            raise ValueError
        return y

    wrapped = hw.wrap(called)
    assert hw.explain(wrapped, *point).way == ("recorded" if looks else "traced")
    found = jax.grad(wrapped, argnums=tuple(range(len(point))))(*point)
    np.testing.assert_allclose(found, slope(called, *point), rtol=1e-7)


def test_a_law_of_the_user_is_not_taken_for_scipys():
    class Gamma(type(st.gamma)):
        def _sf(self, x, a):
            return np.exp(-a * x) if np.all(x > 0) else x

    mine = Gamma(name="gamma")
    wrapped = hw.wrap(lambda x: mine.sf(x, 2.0))
    assert np.isclose(jax.grad(wrapped)(0.7), -2 * np.exp(-1.4))


def test_second_derivatives_of_a_recorded_method():
    def function(x, a):
        y = st.gamma.sf(x, a)
        return y * y if y > 0 else y

    wrapped = hw.wrap(function)
    assert hw.explain(wrapped, 1.2, 2.1).way == "recorded"
    first = lambda x, a: float(jax.grad(wrapped)(x, a))
    np.testing.assert_allclose(jax.grad(jax.grad(wrapped), 1)(1.2, 2.1), slope(first, 1.2, 2.1)[1], rtol=1e-6)


def test_a_method_of_what_records_nothing_is_scipys():
    def function(x):
        weights = st.norm.pdf([0.1, 0.4])
        return weights.sum() * x if x > 0 else x

    assert jax.grad(hw.wrap(function))(2.0) == st.norm.pdf([0.1, 0.4]).sum()


def test_a_branch_that_is_not_taken_gives_no_nan():
    """Skellam's mass takes a noncentral chi-square with 0 degrees of freedom there, which has no derivative."""

    def function(a, b):
        return st.skellam._pmf(np.array([1, 3]), a, b).sum()

    np.testing.assert_allclose(
        jax.grad(hw.wrap(function), argnums=(0, 1))(5.0, 4.0), slope(function, 5.0, 4.0), rtol=1e-8
    )


@pytest.mark.skipif(
    not hasattr(st, "Mixture"), reason="SciPy's distributions of another kind are from 1.16 on"
)
@pytest.mark.parametrize(
    "function",
    [
        lambda m: st.Normal(mu=m, sigma=2.0).pdf(0.3),
        lambda m: st.Normal(mu=0.1, sigma=m).icdf(0.3),
        lambda m: st.make_distribution(st.gamma)(a=m).pdf(0.3),
        lambda m: (m * st.Normal() + 1.0).logcdf(0.3),
        lambda m: st.Mixture([st.Normal(mu=m, sigma=1.0), st.Normal()], weights=[0.4, 0.6]).pdf(0.3),
    ],
    ids=["Normal", "icdf", "make_distribution", "shifted", "Mixture"],
)
@pytest.mark.rotating
def test_distributions_that_are_made_in_the_code(function):
    np.testing.assert_allclose(jax.grad(hw.wrap(function))(1.1), slope(function, 1.1)[0], rtol=1e-7)
