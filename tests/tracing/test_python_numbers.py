"""Python's `statistics`, numbers one by one, asserts, and an order that is random, in code without a rule."""

import collections
import math
import statistics

import jax
import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator

import hostwrap as hw
from hostwrap._errors import HostCallError
from tests._kit.days import by_turns
from tests.tracing.corpus.differences import jacobian

X = np.array([1.0, 2.0, 0.5, 0.3, 1.5])
NORMAL = statistics.NormalDist()
CDF = statistics.NormalDist(0.1, 2.0).cdf


def windows(x):
    window, found = collections.deque(maxlen=3), []
    for v in x:
        window.append(v)
        if len(window) == 3:
            found.append(math.fsum(window) / 3 - statistics.pstdev(window) * math.prod(window))
    return np.array(found)


def asserted(x):
    np.testing.assert_array_less(x, 10.0)
    np.testing.assert_allclose(x, x + 1e-16)
    np.testing.assert_equal(x.shape, (5,))
    return x**2


def normals(x):
    own = statistics.NormalDist(x[0], x[1])
    fitted = statistics.NormalDist.from_samples(list(x))
    return (
        NORMAL.cdf(x[2]) * CDF(x[3]),
        own.pdf(0.3),
        own.inv_cdf(0.7),
        own.zscore(x[4]),
        fitted.cdf(1.0),
        own.variance,
    )


FUNCTIONS = {
    "windows": windows,
    "asserts": asserted,
    "normals": normals,
    "one by one": lambda x: (
        statistics.stdev(v for v in x), statistics.fmean(map(math.exp, x)), math.fsum({"a": x[0]}.values()),
    ),
    "quantiles": lambda x: [*statistics.quantiles(x, n=5), *statistics.quantiles(list(x), n=3, method="inclusive")],
    "correlation": lambda x: statistics.correlation(x.tolist(), (x**3 + np.arange(5.0)).tolist()),
    "barycentric": lambda x: (
        BarycentricInterpolator(np.arange(5.0), x**2)(2.2) + BarycentricInterpolator(range(5), x)(1.3)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", by_turns(*FUNCTIONS))
@pytest.mark.parametrize("branch", [False, True])
def test_values_and_derivatives(name, branch):
    f = FUNCTIONS[name]
    if branch:  # then it is recorded
        f = lambda x: FUNCTIONS[name](x if x[0] > 0 else -x)
    flat = lambda x: np.ravel(f(x))
    g = hw.wrap(flat, out=jax.ShapeDtypeStruct(np.shape(flat(X)), float))
    assert hw.explain(g, X).way == ("recorded" if branch else "traced")
    want = jacobian(flat, X)
    np.testing.assert_allclose(jax.jit(jax.jacrev(g))(X), want.value, rtol=1e-7, atol=1e-7)


def test_an_assert_that_fails_is_the_functions_own_error():
    def f(x):
        np.testing.assert_array_less(x, 1.0)
        return x * 2

    g = hw.wrap(f)
    with pytest.raises((AssertionError, HostCallError), match="not strictly ordered"):
        jax.grad(g)(3.0)
    assert jax.grad(g)(0.5) == 2
