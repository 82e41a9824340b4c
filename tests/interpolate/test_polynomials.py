"""`hostwrap.interpolate`: polynomials in other bases, splines of curves; SciPy's values, derivatives by differences."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate

import hostwrap as hw
from hostwrap import interpolate
from hostwrap.interpolate import _curves as curves
from hostwrap.interpolate import _polynomials as polynomials
from tests._kit.along import both_ways, change, flat
from tests._kit.days import by_turns
from tests._kit.toys import same

random = np.random.default_rng(4)
X = np.sort(random.uniform(0, 3, 8))
Y, AT = random.normal(size=(8, 2)), np.array([[0.3, 1.1], [2.2, 4.0]])
BREAKS, C = np.array([0.0, 1.0, 2.5, 3.0]), random.normal(size=(4, 3, 2))
BOX, D = (np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 3.0, 4.0])), random.normal(size=(3, 2, 2, 3, 2))
T, K = np.array([0.0, 0, 0, 0, 1, 1.7, 2.2, 3, 3, 3, 3]), np.append(random.normal(size=7), np.zeros(4))
CASES = {
    "BarycentricInterpolator": (lambda m, x, y, at: m.BarycentricInterpolator(x, y)(at), X, Y, AT),
    # at a point, where the barycentric formula is 0 / 0
    "at a point": (lambda m, y, at: m.BarycentricInterpolator(X, y)(at), Y[:, 0], X[3] + np.zeros(1)),
    "Barycentric derivative": (lambda m, x, y, at: m.BarycentricInterpolator(x, y).derivative(at, 2), X, Y, AT),
    "barycentric_interpolate": (
        lambda m, y, at: m.barycentric_interpolate(X, y, at, axis=1, der=[0, 1]), Y.T, AT[0]),
    "BPoly": (lambda m, c, x, at: m.BPoly(c, x)(at), C, BREAKS, AT),
    "BPoly slope": (lambda m, c, x, at: m.BPoly(c, x).derivative(2)(at), C, BREAKS, AT),
    "BPoly integral": (lambda m, c, x, at: m.BPoly(c, x).antiderivative(2)(at), C, BREAKS, AT),
    "BPoly integrate": (lambda m, c: m.BPoly(c, BREAKS).integrate(0.2, 2.7), C),
    "NdPPoly": (lambda m, c, x, z, at: m.NdPPoly(c, (x, z))(at), D, *BOX, AT),
    "NdPPoly slope": (lambda m, c, x, z, at: m.NdPPoly(c, (x, z))(at, (1, 1)), D, *BOX, AT),
    "NdPPoly bend": (lambda m, c, at: m.NdPPoly(c, BOX)(at, (2, 0)), D, AT),
    "splprep": (lambda m, x, y: (lambda f: (f[0][1], f[1]))(m.splprep([x, y], s=0)), X, Y[:, 0]),
    "splprep of parameters": (lambda m, x, u: m.splprep([x, x**2], u=u, s=0)[0][1], Y[:, 0], X),
    "make_splprep": (lambda m, x, y: m.make_splprep([x, y], s=0, k=2)[0](AT[0] / 2), X, Y[:, 0]),
    "spalde": (lambda m, t, c: m.spalde(1.3, (t, c, 3)), T, K),
    "insert": (lambda m, x, c: (lambda f: (f[0], f[1][:8]))(m.insert(float(x) if m is THEIRS else x, (T, c, 3))),
               np.array(1.3), K),
    "insert twice": (lambda m, c: m.insert(1.7, (T, c, 3), 2)[1][:9], K),
}  # fmt: skip
THEIRS = scipy.interpolate


@pytest.mark.parametrize("name", by_turns(*CASES))
def test_values_and_derivatives(name):
    call, *at = CASES[name]
    along = [random.normal(size=np.shape(x)) for x in at]
    ours, theirs = (lambda *x, m=m: flat(call(m, *x)) for m in (interpolate, THEIRS))
    expected = change(theirs, at, along, 1e-3)
    weights = random.normal(size=expected.shape)
    value, tangent, pulled = both_ways(ours, at, along, weights)
    scale = np.max(np.abs(value))
    np.testing.assert_allclose(value, theirs(*at), rtol=1e-9, atol=1e-12 * scale)
    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-7 * scale)
    np.testing.assert_allclose(pulled, weights @ tangent, rtol=1e-9)


@pytest.mark.rotating
def test_many_points():
    """60 nodes of Chebyshev: the products neither grow nor vanish."""
    x = np.cos((2 * np.arange(60) + 1) * np.pi / 120)
    slope = jax.vmap(jax.grad(lambda at: interpolate.BarycentricInterpolator(x, np.exp(x))(at)))(x[::7])
    np.testing.assert_allclose(slope, np.exp(x[::7]), rtol=1e-10)


@pytest.mark.rotating
def test_outside():
    assert np.isnan(interpolate.NdPPoly(D, BOX, extrapolate=False)(np.array([0.5, 5.0]))).all()
    assert np.isnan(interpolate.BPoly(C, BREAKS, extrapolate=False)(3.5)).all()
    np.testing.assert_allclose(
        interpolate.BPoly(C, BREAKS, extrapolate="periodic")(3.5), THEIRS.BPoly(C, BREAKS)(0.5), rtol=1e-12
    )


@pytest.mark.rotating
def test_the_examples_say_what_comes_out():
    for module in (curves, polynomials):
        assert not doctest.testmod(module).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: interpolate.BarycentricInterpolator(X, Y, axis=1)(1.0), "wants xi"),
        (lambda: interpolate.BarycentricInterpolator(X, Y).derivative(1.0, 0.5), "der=0.5 must be"),
        (lambda: interpolate.NdPPoly(D, BOX[:1])(AT), "NdPPoly: wants c of shape"),
        (
            lambda: interpolate.splprep([X, Y[:, 0]], per=1),
            "splprep: wants nothing for task, t, per, full_output",
        ),
        (lambda: interpolate.make_splprep([X, Y[:, 0]], nest=9), "make_splprep: wants nothing for nest"),
        (lambda: interpolate.splprep([X[:3], X[:3]], s=0), "of m > k = 3 points"),
        (lambda: interpolate.insert(1.0, (T, K, 3), per=1), "insert: wants per=0"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


@pytest.mark.parametrize("s", [0.01, 0.002])
@pytest.mark.rotating
def test_a_smooth_curve_next_to_points(s):
    draw, at = np.random.default_rng(0), np.linspace(0.0, 2.0, 25)
    x, y, d = np.cos(at), np.sin(at) + 0.02 * draw.normal(size=25), draw.normal(size=25)
    (t, c, k), u = interpolate.splprep([x, y], s=s)
    (knots, coefficients, degree), places = scipy.interpolate.splprep([x, y], s=s)
    same(t, knots, 1e-14)
    same(jnp.stack(c), np.stack(coefficients), 1e-12)
    same(u, places, 1e-14)
    assert k == degree
    ours, theirs = (
        m.make_splprep([x, y], s=s)[0](np.array([0.3, 0.4])) for m in (interpolate, scipy.interpolate)
    )
    same(ours, theirs, 1e-12)

    def height(t, m=interpolate):
        knots, c, k = m.splprep([x, y + t * d], s=s)[0]
        return m.splev(0.37, (knots, c[1], k))

    slope = (height(1e-4) - height(-1e-4)) / 2e-4
    same(jax.grad(height)(0.0), slope, 1e-5)
    same(jax.jit(jax.grad(height))(0.0), jax.grad(height)(0.0), 1e-10)
