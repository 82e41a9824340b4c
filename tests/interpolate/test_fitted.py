"""`hostwrap.interpolate`, splines that are fitted: SciPy's values, derivatives by differences of them."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate

import hostwrap as hw
from hostwrap import interpolate
from hostwrap.interpolate import _fitted as fitted
from hostwrap.interpolate import _one_axis as one_axis
from hostwrap.interpolate import _rational as rational
from hostwrap.interpolate import _spheres as spheres
from tests._kit.along import change

random = np.random.default_rng(8)
X, Y, W = np.sort(random.uniform(0, 5, 12)), random.normal(size=12), random.uniform(0.5, 2, 12)
T, AT = np.array([1.7, 3.1]), np.array([0.7, 2.2, 3.3, 4.9])
ENDS = lambda m, t: (np if m is scipy.interpolate else jnp).concatenate([np.zeros(4), t, np.full(4, 5.5)])
PLANE = np.random.default_rng(3).uniform(size=(2, 60))
GRID = (np.random.default_rng(4).normal(size=(4, 4)),)
CASES = {
    "through": (lambda m, x, y, z: m.InterpolatedUnivariateSpline(x, y, bbox=[-1, 6])(z), X, Y, AT),
    "even degree": (lambda m, x, y, z: m.InterpolatedUnivariateSpline(x, y, k=4)(z, 1), X, Y, AT),
    "knots": (lambda m, x, y, t, w, z: m.LSQUnivariateSpline(x, y, t, w, k=2)(z), X, Y, T, W, AT),
    "integral": (lambda m, x, y, t: m.LSQUnivariateSpline(x, y, t, bbox=[0, 5]).integral(0.3, 7.0), X, Y, T),
    "residual": (lambda m, x, y, t, w: m.LSQUnivariateSpline(x, y, t, w).get_residual(), X, Y, T, W),
    "surface": (
        lambda m, x, y, z, tx, w: m.LSQBivariateSpline(x, y, z, tx, [0.5], w, [0, 1, 0, 1], 2, 3)(AT / 5, AT / 6),
        *random.uniform(size=(2, 60)), random.normal(size=60), T / 5, random.uniform(0.5, 2, 60),
    ),
    "surface along a curve": (
        lambda m, z, p: m.LSQBivariateSpline(PLANE[0], PLANE[1], z, [0.4], [0.5]).ev(p, p**2, 1, 0),
        random.normal(size=60), AT / 6,
    ),
    "surface's residual": (
        lambda m, z: m.LSQBivariateSpline(PLANE[0], PLANE[1], z, [0.4], [0.5]).get_residual(), random.normal(size=60),
    ),
    "surface's coefficients": (
        lambda m, z: m.LSQBivariateSpline(PLANE[0], PLANE[1], z, [0.4], [0.5]).get_coeffs(), random.normal(size=60),
    ),
    "sphere": (
        lambda m, t, f, r, tp, w: m.LSQSphereBivariateSpline(t, f, r, [1.5], tp, w)(AT / 2, AT),
        *PLANE * [[np.pi], [2 * np.pi]], random.normal(size=60), np.array([2.0, 3.9]), random.uniform(0.5, 2, 60),
    ),
    "sphere's rest": (
        lambda m, r: m.LSQSphereBivariateSpline(np.pi * PLANE[0], 2 * np.pi * PLANE[1], r, [], [2.0, 4]).get_residual(),
        random.normal(size=60),
    ),
    "sphere through a grid": (
        lambda m, u, v, r: m.RectSphereBivariateSpline(u, v, r).ev(AT / 2 + 0.1, AT - 2.8, 1, 0), AT / 2, AT - 3, *GRID,
    ),
    "sphere with smooth poles": (
        lambda m, u, v, r: m.RectSphereBivariateSpline(u, v, r, pole_continuity=(True, False))(AT / 2 + 0.1, AT - 2.8),
        np.append(AT / 2, 2.8), AT - 3, random.normal(size=(5, 4)),
    ),
    "sphere with a flat pole": (
        lambda m, u, r: m.RectSphereBivariateSpline(
            u, AT - 3, r, pole_continuity=True, pole_values=(None, 0.3), pole_flat=(False, True)
        ).ev(AT / 2 + 0.1, AT - 2.8), AT / 2, *GRID,
    ),
    "rational": (lambda m, x, y, z: m.AAA(x, y, max_terms=5)(z), 3 * X, np.exp(X / 3) + Y / 9, AT),
    "rational, at support points": (
        lambda m, y, z: m.AAA(X, y, max_terms=4)(z), np.exp(X / 3) + Y / 9, np.append(X[[0, 5, 11]], np.inf),
    ),
    "its residues": (lambda m, y: abs(m.AAA(X, y, max_terms=4).residues()[:3]), np.exp(X / 3) + Y / 9),
    "interp1d": (lambda m, x, y, z: m.interp1d(x, y, axis=0)(z), X[::-1], np.stack([Y, Y**2], 1), AT),
    "interp1d, a spline": (lambda m, x, y, z: m.interp1d(x, y, "quadratic")(z), X, np.stack([Y, Y**2]), AT),
    "interp1d, a step": (
        lambda m, y, z: m.interp1d(X, y, "previous", fill_value="extrapolate")(z) * z.sum(), Y, np.append(AT, 7.0)
    ),
    "columns": (
        lambda m, x, y, t, w: m.make_lsq_spline(x, y, ENDS(m, t), w=w)(AT), X, np.stack([Y, Y**2], 1), T, W,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:AAA failed to converge:RuntimeWarning")
@pytest.mark.rotating
def test_values_and_derivatives(name):
    call, *at = CASES[name]
    ours, theirs = (lambda *x, m=m: call(m, *x) for m in (interpolate, scipy.interpolate))
    np.testing.assert_allclose(jax.jit(ours)(*at), theirs(*at), rtol=1e-8, atol=1e-9)
    along = [random.normal(size=x.shape) / 9 for x in at]
    expected = change(theirs, at, along, 1e-3)
    tangent = jax.jit(lambda *x: jax.jvp(ours, x, tuple(along))[1])(*at)
    np.testing.assert_allclose(tangent, expected, rtol=1e-5, atol=1e-6)
    weights = random.normal(size=np.shape(tangent))
    back = jax.jit(lambda *x: jax.vjp(ours, *x)[1](jnp.asarray(weights)))(*at)
    pulled = sum(np.sum(c * d) for c, d in zip(back, along, strict=True))
    np.testing.assert_allclose(pulled, np.sum(weights * tangent), rtol=1e-7)


@pytest.mark.rotating
def test_beyond_the_domain_and_other_methods():
    far = np.array([X[0] - 1, 2.0, X[-1] + 1])
    for ext in (0, 1, 3, "zeros"):
        f, theirs = (m.InterpolatedUnivariateSpline(X, Y, ext=ext) for m in (interpolate, scipy.interpolate))
        np.testing.assert_allclose(f(far), theirs(far), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(f.derivative(2)(AT), theirs.derivative(2)(AT), rtol=1e-7)
    np.testing.assert_allclose(f.antiderivative()(AT), theirs.antiderivative()(AT), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(f.get_knots(), theirs.get_knots())
    np.testing.assert_allclose(f.get_coeffs(), theirs.get_coeffs(), rtol=1e-8)
    with pytest.raises(ValueError, match="outside of the domain"):
        f(far, ext=2)
    assert np.array_equal(np.isnan(jax.jit(lambda z: f(z, ext="raise"))(far)), [True, False, True])


@pytest.mark.rotating
@pytest.mark.parametrize("kind", ["linear", "nearest", "nearest-up", "previous", "next", "zero", "cubic", 4])
def test_interpolation_along_one_axis_outside_of_the_sites(kind):
    order, places = random.permutation(12), np.append(X[[0, 3, 11]], [-1.0, 7.0])
    for fill in ("extrapolate", 0.5, (1.0, 2.0)):
        options = {"fill_value": fill} | ({} if fill == "extrapolate" else {"bounds_error": False})
        f, theirs = (
            m.interp1d(X[order], Y[order], kind, **options) for m in (interpolate, scipy.interpolate)
        )
        np.testing.assert_allclose(f(places), theirs(places), rtol=1e-8, atol=1e-10)
    f = interpolate.interp1d(X, Y, kind)
    with pytest.raises(ValueError, match=r"7\.0 is outside of the sites"):
        f(places[[0, 4]])
    assert np.array_equal(np.isnan(jax.jit(f)(places)), [False, False, False, True, True])


def test_weights_that_the_data_do_not_say_have_no_derivative():
    """SciPy goes on to the noise of rounding, where two singular values are next to each other."""
    x = np.linspace(-1.5, 1.5, 60)
    assert np.isnan(jax.jacfwd(lambda p: interpolate.AAA(x, jnp.tan(p * x))(0.1))(1.0))
    slope = jax.jacfwd(lambda p: interpolate.AAA(x, jnp.tan(p * x), rtol=1e-6)(0.1))(1.0)
    np.testing.assert_allclose(slope, 0.1 / np.cos(0.1) ** 2, rtol=1e-4)


@pytest.mark.rotating
def test_the_examples_say_what_comes_out():
    for module in (fitted, one_axis, rational, spheres):
        assert not doctest.testmod(module).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: interpolate.InterpolatedUnivariateSpline(X, Y, k=6), "k=6 must be an integer from 1 to 5"),
        (lambda: interpolate.InterpolatedUnivariateSpline(X, Y, ext=7), "ext=7 must be 0 to 3"),
        (lambda: interpolate.InterpolatedUnivariateSpline(X[::-1], Y), "`x` must increase strictly"),
        (lambda: interpolate.LSQUnivariateSpline(X, Y[:5], T), "data with n values along axis 0"),
        (lambda: interpolate.make_lsq_spline(X, Y, T), "wants 8 to 16 knots"),
        (lambda: interpolate.make_lsq_spline(X, Y, T, axis=1), "wants axis=0"),
        (lambda: interpolate.interp1d(X, Y[:3])(1.0), r"got \(12,\) and \(3,\)"),
        (lambda: interpolate.interp1d(X, Y, "cubical")(1.0), "kind='cubical' must be a degree"),
        (lambda: interpolate.AAA(X, Y[:3])(1.0), r"got \(12,\) and \(3,\)"),
        (lambda: interpolate.LSQSphereBivariateSpline(X, X, X, [1.0], [1.0])(0, 0), "with l > 1"),
        (lambda: interpolate.RectSphereBivariateSpline(X, Y, Y)(0, 0), r"wants u \(n,\)"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()
