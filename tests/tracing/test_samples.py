"""`nan_policy=`, `keepdims=` and `axis=` of `scipy.stats` in a trace: SciPy's values, and differences of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from tests._kit.days import by_turns

random = np.random.default_rng(8)
X, Y, DX, DY = random.uniform(0.5, 2.0, (4, 3, 7, 2))
WITH_NAN = np.where(np.arange(42).reshape(X.shape) == 20, np.nan, X)
SINGLE = by_turns(
    "skew", "kurtosis", "variation", "moment", "gmean", "hmean", "iqr", "median_abs_deviation", "kstat", "kstatvar",
    "entropy", "differential_entropy", "circmean", "circvar", "circstd", "sem", "tmean", "lmoment", "skewtest",
    "kurtosistest", "jarque_bera", "normaltest",
)  # fmt: skip
SEVERAL = by_turns("ttest_rel", "ttest_ind", "f_oneway", "bartlett", "levene", "entropy", "gmean")
WEIGHTS = {"gmean": "weights", "entropy": "qk"}


def _leaves(result):
    """The statistic and the p-value of a test, else all arrays."""
    return [result.statistic, result.pvalue] if hasattr(result, "pvalue") else jax.tree.leaves(result)


def _of(module, name, second, **options):
    """The function of one sample, or of two."""
    function = getattr(module, name)

    def call(x, y):
        if not second:
            return _leaves(function(x, **options))
        return _leaves(
            function(x, **{WEIGHTS[name]: y}, **options) if name in WEIGHTS else function(x, y, **options)
        )

    return call


def _check(name, second, x, **options):
    ours, theirs = (_of(module, name, second, **options) for module in (hw.stats, scipy.stats))
    expected = theirs(x, Y)
    for found, value in zip(jax.jit(ours)(x, Y), expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-13, strict=True)
    steps = ([v for v in theirs(x + h * DX, Y + h * DY) if v.dtype.kind == "f"] for h in (1e-5, -1e-5))
    differences = [(after - before) / 2e-5 for after, before in zip(*steps, strict=True)]

    @jax.jit
    def both(x, y):
        numbers = lambda x, y: [jnp.asarray(v) for v in ours(x, y)]
        tangents = jax.jvp(numbers, (x, y), (DX, DY))[1]
        return tangents, jax.grad(lambda x, y: sum(jnp.nansum(v) for v in numbers(x, y)), (0, 1))(x, y)

    tangents, (gx, gy) = both(x, Y)
    for found, value in zip(tangents, differences, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-7)
    if not np.isnan(x).any():
        pulled = np.sum(gx * DX) + np.sum(gy * DY)
        np.testing.assert_allclose(pulled, sum(map(np.sum, tangents)), rtol=1e-8, atol=1e-9)
    return tangents


@pytest.mark.parametrize("name", SINGLE)
def test_one_sample_keeps_its_axes(name):
    _check(name, False, X, axis=1, keepdims=True, nan_policy="propagate")


@pytest.mark.parametrize("name", SEVERAL)
def test_several_samples_keep_their_axes(name):
    _check(name, True, X, axis=1, keepdims=True)


@pytest.mark.parametrize("axis", [(0, 2), None, 0])
def test_of_several_axes(axis):
    _check("skew", False, X, axis=axis, keepdims=True)


@pytest.mark.parametrize("name", by_turns("median_abs_deviation", "skew", "differential_entropy", "kstat"))
def test_nan_is_handed_on(name):
    """The statistics of a sample with NaN are NaN, and so are their derivatives; the others are not touched."""
    tangents = _check(name, False, WITH_NAN, axis=1)
    assert all(np.isnan(t).sum() == 1 for t in tangents)


@pytest.mark.parametrize("name", by_turns("skew", "variation", "kstat", "iqr", "gmean", "sem"))
def test_nan_is_omitted(name):
    _check(name, False, WITH_NAN, axis=1, nan_policy="omit", keepdims=True)


TESTS = by_turns("bartlett", "levene", "f_oneway", "jarque_bera", "shapiro", "ttest_ind", "ttest_rel")


@pytest.mark.parametrize("name", TESTS)
def test_nan_is_omitted_by_tests(name):
    """SciPy calls them once for each sample, and makes an array of what they return, a tuple with names."""
    _check(name, name not in ("jarque_bera", "shapiro"), WITH_NAN, axis=1, nan_policy="omit")


@pytest.mark.parametrize("x", [X, WITH_NAN], ids=["whole", "with_nan"])
def test_counts_are_numbers_where_nan_may_be_omitted(x):
    """SciPy's degrees of freedom are integers if there is no NaN, and a compiled program has to choose before."""
    degrees = lambda module, x: module.ttest_ind(x, Y, axis=1, nan_policy="omit").df
    found = jax.jit(lambda x: degrees(hw.stats, x))(x)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, degrees(scipy.stats, x))


def test_nan_is_refused_on_the_host():
    call = jax.jit(lambda x: hw.stats.skew(x, axis=1, nan_policy="raise"))
    np.testing.assert_allclose(call(X), scipy.stats.skew(X, axis=1), rtol=1e-12)
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="The input contains nan values"):
        np.asarray(call(WITH_NAN))


def test_an_unknown_policy_is_refused():
    with pytest.raises(ValueError, match="nan_policy must be one of"):
        jax.jit(lambda x: hw.stats.skew(x, nan_policy="ignore"))(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_stays(dtype):
    assert jax.jit(lambda x: hw.stats.skew(x, axis=1, keepdims=True))(X.astype(dtype)).dtype == dtype
