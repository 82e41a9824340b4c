"""What SciPy has and hostwrap has no function of its own for: differentiated through its code, or refused by name."""

import jax
import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial.transform

import hostwrap as hw

draw = np.random.default_rng(0)
X, Y, Z = draw.uniform(0, 1, 60), draw.uniform(0, 1, 60), draw.normal(size=60)
Q = draw.normal(size=(4, 4))
PLANE = np.sin(np.add.outer(np.arange(8.0), np.arange(9.0)))


def written(p):
    out = np.zeros(60)
    scipy.ndimage.gaussian_filter(p * Z, 2.0, output=out)
    return out[3]


WORK = {
    "cubature": lambda p: (
        scipy.integrate.cubature(lambda x: np.exp(-p * x[:, 0] * x[:, 1]), [0, 0], [1, 1]).estimate
    ),
    "cossin": lambda p: scipy.linalg.cossin(scipy.linalg.expm(p * (Q - Q.T)), 2, 2, separate=True)[1][0],
    "czt": lambda p: np.abs(scipy.signal.czt(p * Z)[3]),
    "firls": lambda p: scipy.signal.firls(11, [0, p, 0.8, 1], [1, 1, 0, 0])[3],
    "output=": written,
    "remez": lambda p: scipy.signal.remez(11, [0, p / 3, 0.3, 0.5], [1, 0])[3],
}
if not hasattr(scipy.integrate, "cubature"):  # before SciPy 1.15
    del WORK["cubature"]

REFUSED = {
    "SmoothBivariateSpline": lambda p: scipy.interpolate.SmoothBivariateSpline(X, Y, np.sin(p * X) + Y)(
        0.3, 0.4
    )[0, 0],
    "LSQBivariateSpline": lambda p: scipy.interpolate.LSQBivariateSpline(
        X, Y, np.sin(p * X) + Y, [0.5], [0.5]
    )(0.3, 0.4)[0, 0],
    "bisplrep": lambda p: scipy.interpolate.bisplev(
        0.3, 0.4, scipy.interpolate.bisplrep(X, Y, np.sin(p * X) + Y, s=0.5)
    ),
    "RectSphereBivariateSpline": lambda p: scipy.interpolate.RectSphereBivariateSpline(
        np.linspace(0.2, 3, 8), np.linspace(0.1, 6, 9), p * PLANE
    )(1.0, 2.0)[0, 0],
}
if hasattr(scipy.interpolate, "AAA"):  # SciPy 1.15
    REFUSED["AAA"] = lambda p: scipy.interpolate.AAA(X, np.exp(p * X))(0.33)


def wrapped(function):
    return hw.wrap(function, out=jax.ShapeDtypeStruct((), np.result_type(float)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WORK)
def test_code_without_a_rule_is_differentiated(name):
    f, h = WORK[name], 1e-4
    difference = (f(0.6 + h) - f(0.6 - h)) / (2 * h)
    np.testing.assert_allclose(jax.grad(wrapped(f))(0.6), difference, rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_compiled_code_without_a_rule_is_refused(name):
    f = wrapped(REFUSED[name])
    assert np.isfinite(f(0.6))
    with pytest.raises(hw.MissingDerivative, match="there is no derivative with respect to `p`"):
        jax.grad(f)(0.6)
