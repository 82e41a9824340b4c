"""Splines through points, and between given knots, in the user's code: traced, and recorded."""

import jax
import numpy as np
import pytest
import scipy.interpolate as ip

import hostwrap as hw
from hostwrap._copies.retarget import Untraceable
from hostwrap._errors import MissingDerivative
from hostwrap._tracing.compiled import fits
from hostwrap._tracing.tape import run
from tests._kit.days import by_turns
from tests.tracing.test_recorded_scipy import check_slopes

try:
    from scipy.interpolate import _dfitpack as fitpack
except ImportError:  # SciPy 1.18 has FITPACK in C
    fitpack = None
X, W = np.array([0, 1, 2.2, 3, 4.1, 4.5, 5, 6]), np.arange(1.0, 9)
Y = np.array([0.3, 1.2, 2, 0.7, 0.4, 0.1, 1.4, 4])


@pytest.mark.skipif(fitpack is None, reason="FITPACK in C")
@pytest.mark.parametrize("k", range(1, 6))
def test_as_fitpack(k):
    knots = np.concatenate([[0.0] * (k + 1), [2.5], [6.0] * (k + 1)])
    for ours, theirs, given in (
        (fits.fpcurf0, fitpack.fpcurf0, (X, Y, k, W, -0.5, 7.0, 0.0)),
        (fits.fpcurfm1, fitpack.fpcurfm1, (X, Y, k, knots, W, 0.0, 6.0)),
    ):
        found, known = ours(*given), theirs(*given)
        n = known[7]
        assert found[7] == n and found[-1] == known[-1]
        np.testing.assert_allclose(found[8], known[8][:n], rtol=1e-14)
        np.testing.assert_allclose(found[9], known[9][:n], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(found[10], known[10], rtol=1e-10, atol=1e-20)


def moved(y):
    return np.append(X[:3] + 0.1 * y[:3], X[3:])


USES = {
    "UnivariateSpline": lambda y: ip.UnivariateSpline(X, y, s=0, k=2)(1.3),
    "moving points": lambda y: ip.InterpolatedUnivariateSpline(moved(y), y, k=4)(y[0] + 1),
    "its integral": lambda y: ip.InterpolatedUnivariateSpline(X, y).integral(0.2, 2.5),
    "its derivative": lambda y: ip.InterpolatedUnivariateSpline(X, y).derivative()(1.2),
    "its antiderivative": lambda y: ip.UnivariateSpline(X, y, s=0, k=5).antiderivative()(1.2),
    "its derivatives": lambda y: ip.UnivariateSpline(X, y, s=0).derivatives(1.1) @ [1.0, 2, 3, 4],
    "least squares": lambda y: ip.LSQUnivariateSpline(X, y, [2 + y[0]], w=W)(1.3),
    "what is left": lambda y: ip.LSQUnivariateSpline(X, y, [2.5]).get_residual(),
    "splrep": lambda y: ip.splev(1.3, ip.splrep(moved(y), y, s=0, k=1)),
    "splrep, weights": lambda y: ip.splint(0.2, 3.0, ip.splrep(X, y, w=W * y[0], t=[2.5, 4])),
    "spalde": lambda y: ip.spalde(1.1, ip.splrep(X, y, s=0))[2],
    "make_interp_spline": lambda y: ip.make_interp_spline(moved(y), y, k=5)(1.3 + y[1]),
    "at the ends": lambda y: ip.make_interp_spline(X, y, bc_type=([(1, y[0])], "natural"))(1.3),
}  # fmt: skip


ROOTS = {
    "PPoly.roots": lambda y: ip.CubicSpline(moved(y), y - 1).roots(extrapolate=False),
    "PPoly.solve": lambda y: ip.PchipInterpolator(X, y).solve(y[3] + 0.1, extrapolate=False),
    "falling": lambda y: ip.PPoly([[y[0], y[1]], [-1.0, y[0] - 1]], [2.0, 1, 0]).roots(extrapolate=True),
    "sproot": lambda y: ip.InterpolatedUnivariateSpline(X, y - 1).roots(),
}


@pytest.mark.parametrize("use", ROOTS)
def test_roots(use):
    check_slopes(ROOTS[use], Y)


@pytest.mark.parametrize(
    "c", [[[0.0, 0.0], [1.0, -1.0]], [[1.0, 1.0], [0.0, 1.0], [0.0, 1.0]]], ids=["jump", "double"]
)
def test_roots_without_a_slope_are_refused(c):
    with pytest.raises(Untraceable, match="has no slope at a root"):
        run(lambda y: ip.PPoly(np.array(c) * y[0], [0.0, 1, 2]).roots(), [Y], [True])


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("behind", by_turns(True, False))
def test_in_code(use, behind):
    f, along, h = USES[use], np.cos(np.arange(8.0)), 1e-3
    slope = (8 * (f(Y + h * along) - f(Y - h * along)) - f(Y + 2 * h * along) + f(Y - 2 * h * along)) / (
        12 * h
    )
    looks = lambda y: f(y) if y[0] > 0 else 0.0
    g = hw.wrap("(n)->()")(looks if behind else lambda y: f(y))
    np.testing.assert_allclose(jax.grad(g)(Y) @ along, slope, rtol=1e-8)


def test_the_knots_of_a_smoothing_spline_depend_on_the_numbers():
    with pytest.raises(MissingDerivative, match="chooses the knots"):
        jax.grad(hw.wrap("(n)->()")(lambda y: ip.UnivariateSpline(X, y, s=0.1)(1.3)))(Y)
