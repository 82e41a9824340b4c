"""`far_logcdf` and `far_logsf`: below the smallest probability, by mpmath; SciPy's values above it."""

import jax
import numpy as np
import pytest
import scipy.stats
from mpmath import mp

from hostwrap import stats
from tests._kit.toys import same

CASES = [
    ("gamma", "logsf", (1e5, 2.5), lambda x, a: mp.gammainc(a, x, mp.inf, regularized=True)),
    ("gamma", "logcdf", (1e-5, 200.0), lambda x, a: mp.gammainc(a, 0, x, regularized=True)),
    ("beta", "logcdf", (1e-5, 200.0, 3.0), lambda x, a, b: mp.betainc(a, b, 0, x, regularized=True)),
    ("invgamma", "logcdf", (1e-4, 2.0), lambda x, a: mp.gammainc(a, 1 / x, mp.inf, regularized=True)),
    (
        "t",
        "logsf",
        (1e30, 50.0),
        lambda x, n: mp.betainc(n / 2, 0.5, 0, n / (n + x * x), regularized=True) / 2,
    ),
    ("maxwell", "logsf", (60.0,), lambda x: mp.gammainc(1.5, x * x / 2, mp.inf, regularized=True)),
]


@pytest.mark.parametrize(("name", "kind", "args", "truth"), CASES)
@pytest.mark.rotating
def test_beyond_the_smallest_number(name, kind, args, truth):
    """SciPy's logarithm is -inf there, ours is not; first derivatives in x and the shapes."""
    assert getattr(getattr(scipy.stats, name), kind)(*args) == -np.inf
    method = getattr(getattr(stats, name), f"far_{kind}")
    value, slopes = jax.jit(jax.value_and_grad(method, tuple(range(len(args)))))(*args)
    with mp.workdps(50):
        at = list(map(mp.mpf, args))
        logarithm = lambda *p: mp.log(truth(*p))
        assert abs(float(value) / logarithm(*at) - 1) < 1e-14
        for i, got in enumerate(slopes):
            moving = lambda t: logarithm(*at[:i], t, *at[i + 1 :])  # noqa: B023
            right = mp.diff(moving, at[i], h=at[i] * mp.mpf(10) ** -15)
            assert abs(float(got) / right - 1) < 1e-11


def test_elsewhere_it_is_scipys():
    x = np.array([-1.0, 0.0, 1.0, 30.0, np.inf, np.nan])
    same(stats.gamma.far_logsf(x, 2.0), scipy.stats.gamma.logsf(x, 2.0), 0)
    same(stats.gamma.far_logsf(1e3, -2.0), np.nan, 0)
    slopes = [jax.vmap(jax.grad(f), (0, None))(x, 2.0) for f in (stats.gamma.far_logsf, stats.gamma.logsf)]
    same(*slopes, 0)


def test_in_loc_and_scale_and_again():
    located = lambda loc, scale: stats.gamma.far_logsf(3e4, 2.0, loc, scale)
    x = (3e4 - 5.0) / 7.0
    slope = float(jax.grad(stats.gamma.far_logsf)(x, 2.0))
    same(np.array(jax.grad(located, (0, 1))(5.0, 7.0)), -slope / 7 * np.array([1.0, x]), 1e-13)
    second = jax.grad(jax.grad(stats.gamma.far_logsf))(1e3, 2.0)
    assert np.isclose(second, -1 / 1001**2, rtol=1e-9)  # logsf = log(1 + x) - x
    assert stats.gamma(2.0).far_logsf(1e3) == stats.gamma.far_logsf(1e3, 2.0)


def test_not_where_the_end_of_the_support_moves():
    with pytest.raises(AttributeError, match="pearson3 has no far_logsf"):
        stats.pearson3.far_logsf(1.0, 0.1)
    assert "far_logsf" not in stats.poisson.methods
    assert np.isclose(stats.genpareto.far_logsf(1e5, 0.0), -1e5, rtol=1e-15)  # by a formula
