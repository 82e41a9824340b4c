"""Functions of `scipy.stats` with rules of their own: SciPy's values, derivatives by differences of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from hostwrap import stats
from tests._kit.along import change, flat

random = np.random.default_rng(4)
X, S = np.exp(random.normal(size=9)), random.normal(size=8)
U, V = random.normal(size=(4, 2)), random.normal(size=(5, 2))
A, B = random.uniform(0.5, 1, 4), random.uniform(0.5, 1, 5)
APART = np.array([0.2, 0.35, 0.5, 0.7, 0.9, 1.1, 1.4, 2.0, 5.3])
# the call, whether SciPy finds an optimum there (of which differences lose digits), and where
CASES = {
    **{
        f"boxcox_llf {k}": (lambda m, k, x: m.boxcox_llf(k, x), k == 0, np.array(k), X)
        for k in (0.0, 0.3, -3.0, 900.0)
    },
    "columns": (lambda m, k, x: m.boxcox_llf(k, x.reshape(3, 3), axis=1, keepdims=True), False, np.array(0.2), X),
    "all": (lambda m, x: m.boxcox_normmax(x, method="all"), True, X),
    "limited": (lambda m, x: m.boxcox_normmax(x, method="mle", ymax=1e10), False, 2000 - 20 * X),
    "yeojohnson_normmax": (lambda m, x: m.yeojohnson_normmax(x - 1), True, X),
    "ppcc_max": (lambda m, x: m.ppcc_max(x, dist="lognorm", brack=(0.5, 1.5)), True, APART),
    "distance": (lambda m, u, v, a, b: m.wasserstein_distance_nd(u, v, a, b), False, U, V, A, B),
    "equal weights": (lambda m, u, v: m.wasserstein_distance_nd(u, v[:4]), False, U, V),
    "dunnett": (lambda m, x, s: m.dunnett(x, s[:4], control=s).statistic, False, X, S),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.rotating
@pytest.mark.filterwarnings("ignore:The optimal lambda")
def test_values_and_derivatives(name):
    call, found, *at = CASES[name]
    ours, theirs = (lambda *x, m=m: flat(call(m, *x)) for m in (stats, scipy.stats))
    np.testing.assert_allclose(jax.jit(ours)(*at), theirs(*at), rtol=1e-10)
    along = [random.normal(size=x.shape) / 9 for x in at]
    expected = change(theirs, at, along, 3e-2 if found else 1e-4)

    @jax.jit
    def both(weights, *x):
        tangent = jax.jvp(ours, x, tuple(along))[1]
        return tangent, jax.vjp(ours, *x)[1](weights)

    weights = jnp.asarray(random.normal(size=expected.shape))
    tangent, back = both(weights, *at)
    np.testing.assert_allclose(tangent, expected, rtol=3e-4 if found else 1e-7, atol=1e-9)
    pulled = sum(np.sum(c * d) for c, d in zip(back, along, strict=True))
    np.testing.assert_allclose(pulled, np.sum(weights * tangent), rtol=1e-9)


@pytest.mark.rotating
@pytest.mark.parametrize("name", ["distance", "all", "boxcox_llf 0.3"])
def test_second_derivatives_of_both_modes(name):
    call, _, *at = CASES[name]
    weights = np.cos(np.arange(2.0))
    f = lambda x: jnp.sum(weights[: flat(call(stats, *at[:-1], x)).shape[0]] * flat(call(stats, *at[:-1], x)))
    d = random.normal(size=at[-1].shape) / 9
    slope = jax.jit(jax.grad(f))

    @jax.jit
    def twice(x):
        return jax.jvp(jax.grad(f), (x,), (d,))[1], jax.grad(lambda x: jnp.sum(jax.grad(f)(x) * d))(x)

    expected = change(slope, [at[-1]], [d], 3e-3)
    for got in twice(at[-1]):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.rotating
def test_a_fitted_law():
    """Of a normal law: the mean and the deviation of the data."""
    start = lambda bounds: [np.mean(pair) / 2 for pair in bounds]
    simplex = lambda f, bounds, **_: scipy.optimize.minimize(
        f, start(bounds), bounds=bounds, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    limits = {"loc": (-5, 9), "scale": (0.1, 9)}
    scale = lambda x: stats.fit(scipy.stats.norm, x, limits, optimizer=simplex).params.scale
    found, slope = jax.jit(jax.value_and_grad(scale))(X)
    np.testing.assert_allclose(found, X.std(), rtol=1e-6)
    np.testing.assert_allclose(slope, (X - X.mean()) / (X.size * X.std()), rtol=1e-5)
    with pytest.raises(hw.SignatureError, match="fit: wants bounds for each of a"):
        stats.fit(scipy.stats.gamma, X, {"scale": (0.1, 9)})
    with pytest.raises(hw.SignatureError, match="fit: wants a continuous distribution"):
        stats.fit(scipy.stats.poisson, X)


def test_what_is_not_there_is_said():
    with pytest.raises(hw.MissingDerivative, match="dunnett_pvalue"):
        jax.grad(lambda x: stats.dunnett(x, control=S).pvalue[0])(X)
    same = [m.dunnett(X, control=S, rng=1).pvalue for m in (stats, scipy.stats)]
    np.testing.assert_array_equal(*same)
    with pytest.raises(hw.SignatureError, match="boxcox_normmax: wants method"):
        stats.boxcox_normmax(X, method="other")
    with pytest.raises(hw.SignatureError, match=r"wasserstein_distance_nd: wants points"):
        stats.wasserstein_distance_nd(U, V[:, :1])
    with pytest.raises(hw.SignatureError, match="dunnett: wants samples"):
        stats.dunnett(control=X)


# ---- functions of SciPy's without a rule of ours

FOLLOWED = {
    "skew": lambda m, x: m.skew(x, bias=False),
    "zscore": lambda m, x: m.zscore(x.reshape(3, 3), axis=1),
    "gmean": lambda m, x: m.gmean(x),
    "pearsonr": lambda m, x: tuple(m.pearsonr(x[:4], x[5:])),
    "linregress": lambda m, x: [m.linregress(x[:4], x[5:])[:], m.linregress(x[:4], x[5:]).intercept_stderr],
    "ttest_ind": lambda m, x: [m.ttest_ind(x[:4], x[4:])[:], m.ttest_ind(x[:4], x[4:]).df],
    "theilslopes": lambda m, x: m.theilslopes(x[:4], x[5:]),
    "alexandergovern": lambda m, x: m.alexandergovern(x[:4], x[4:]).pvalue,
    "wasserstein_distance": lambda m, x: m.wasserstein_distance(x[:4], x[4:]),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_other_functions_lead_to_scipys(name):
    call, along = FOLLOWED[name], random.normal(size=9) / 9
    ours, theirs = (lambda x, m=m: flat(call(m, x)) for m in (stats, scipy.stats))
    assert np.array_equal(flat(call(stats, jnp.asarray(X))), theirs(X))
    value, tangent = jax.jit(lambda x: jax.jvp(ours, (x,), (along,)))(X)
    np.testing.assert_allclose(value, theirs(X), rtol=1e-12)
    np.testing.assert_allclose(tangent, change(theirs, [X], [along], 1e-4), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["ttest_ind", "linregress", "alexandergovern"])
def test_results_with_attributes_pass_through_jit(name):
    ours, theirs = (getattr(m, name) for m in (stats, scipy.stats))
    found, expected = jax.jit(ours)(X[:4], X[4:8]), theirs(X[:4], X[4:8])
    assert type(found) is type(expected) and vars(found).keys() == vars(expected).keys()
    np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-12)
    assert len(found) == len(expected) if isinstance(expected, tuple) else True
    rows = jax.vmap(ours)(np.stack([X[:4], X[4:8]]), np.stack([X[4:8], X[:4]]))
    np.testing.assert_allclose(rows.pvalue[1], theirs(X[4:8], X[:4]).pvalue, rtol=1e-12)


def test_methods_of_a_result_of_concrete_numbers():
    found, expected = (m.ttest_ind(X[:4], X[4:]).confidence_interval() for m in (stats, scipy.stats))
    assert tuple(found) == tuple(expected)
