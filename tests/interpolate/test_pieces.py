"""`hostwrap.interpolate`, splines and radial functions: SciPy's values, and derivatives by differences of them."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate
import scipy.sparse.linalg

import hostwrap as hw
from hostwrap import interpolate
from hostwrap._recipes import pieces
from hostwrap.interpolate import _radial as radial
from hostwrap.interpolate import _smoothing as smoothing
from hostwrap.interpolate import _tensors as tensors
from hostwrap.interpolate import _triangles as triangles
from tests._kit import scipys
from tests._kit.scipys import Case
from tests._kit.toys import same

random = np.random.default_rng(5)
X = np.array([0.1, 0.6, 1.4, 1.9, 2.7, 3.3, 4.2])
Y = np.sin(2 * X)
TABLE = np.stack([Y, Y**2], 1)
AT = np.array([[0.4, 1.1], [2.3, 4.7]])
INSIDE = np.array([0.4, 1.1, 4.0])
W = random.uniform(0.5, 2.0, 7)
SITES, PLACES = random.uniform(size=(8, 2)), random.uniform(size=(3, 2))
DATA = np.sin(3 * SITES.sum(1))
GRID, ALSO = X, np.array([0.0, 0.5, 1.2, 1.7, 2.5, 3.1])
VALUES = np.sin(GRID[:, None] + ALSO**2 / 4)
XI = np.array([[0.4, 0.3], [1.5, 2.7], [3.9, 1.4]])
KERNELS = tuple(radial.KERNELS)
METHODS = ("linear", "slinear", "cubic", "quintic", "pchip")


class Of:
    """SciPy's interpolators, or ours, as functions of arrays alone."""

    def __init__(self, m):
        self.cubic = lambda x, y, at, nu=0, **given: m.CubicSpline(x, y, **given)(at, nu)
        self.ends = lambda x, y, at, s: m.CubicSpline(x, y, bc_type=((1, s), (2, -s)))(at)
        self.periodic = lambda x, y, at: m.CubicSpline(
            x, (jnp if m is interpolate else np).append(y, y[0]), bc_type="periodic"
        )(at)
        self.integral = lambda x, y, at: m.CubicSpline(x, y).antiderivative(2)(at)
        self.between = lambda x, y, a, b: m.PchipInterpolator(x, y).integrate(a, b)
        self.pchip = lambda x, y, at: m.PchipInterpolator(x, y)(at)
        self.akima = lambda x, y, at, **given: m.Akima1DInterpolator(x, y, **given)(at)
        self.hermite = lambda x, y, s, at: m.CubicHermiteSpline(x, y, s)(at)
        self.smooth = lambda x, y, w, lam, at: m.make_smoothing_spline(x, y, w, lam)(at)
        self.radial = lambda y, d, x, s, **given: m.RBFInterpolator(y, d, smoothing=s, epsilon=1.5, **given)(
            x
        )
        solver = {} if m is interpolate else {"solver": scipy.sparse.linalg.spsolve}
        self.nearby = lambda y, d, x, s: m.RBFInterpolator(y, d, 5, s)(x)
        self.through = lambda x, y, at, k=3, **given: m.make_interp_spline(x, y, k, **given)(at)
        self.knots = lambda x, y, t, at, k=3: m.make_interp_spline(x, y, k, t)(at)
        self.rates = lambda x, y, s, at: m.make_interp_spline(
            x, y, bc_type=([(1, s)], [(2, -s)] if m is interpolate else [(2, np.negative(s))])
        )(at)
        self.circle = lambda x, y, at, k=3: m.make_interp_spline(
            x, (jnp if m is interpolate else np).append(y, y[0]), k, bc_type="periodic"
        )(at)
        self.falling = lambda x, y, v, xi: m.RegularGridInterpolator((x[::-1], y), v[::-1])(xi)
        self.boxed = lambda x, y, v, e, p, q: m.RectBivariateSpline(x, y, v, [e, None, None, e + 6], 2, 3)(
            p, q
        )
        self.grid = lambda x, y, v, xi, method: m.RegularGridInterpolator(
            (x, y), v, method, **(solver if method in tensors.DEGREES else {})
        )(xi)
        self.box = lambda x, y, v, p, q, kx=3, ky=3, **given: m.RectBivariateSpline(x, y, v, kx=kx, ky=ky)(
            p, q, **given
        )
        self.linear = lambda p, d, x: m.LinearNDInterpolator(p, d)(x)


OURS, THEIRS = Of(interpolate), Of(scipy.interpolate)
CASES = [
    *(Case("cubic", (X, TABLE, AT), {"bc_type": b}, 3, 0.01) for b in ("not-a-knot", "clamped", "natural")),
    *(Case("cubic", (X[:n], Y[:n], AT), {}, 3, 0.01) for n in (2, 3, 4)),
    Case("cubic", (X, TABLE.T, AT), {"axis": 1, "nu": 1}, 3, 0.01),
    Case("ends", (X, Y, AT, np.array(0.3)), {}, 3, 0.01),
    Case("periodic", (X, Y[:-1], AT), {}, 3, 0.01),
    Case("integral", (X, TABLE, AT), {}, 3, 0.01),
    Case("between", (X, Y, np.array(0.3), np.array(2.5)), {}, 4, 0.005),
    Case("pchip", (X, TABLE, AT), {}, 3, 0.005),
    *(Case("akima", (X, TABLE, INSIDE), {"method": m}, 3, 0.005) for m in ("akima", "makima")),
    Case("hermite", (X, Y, Y**2, AT), {}, 4, 0.01),
    Case("smooth", (X, Y, W, np.array(0.3), AT), {}, 5, 0.01),
    *(Case("radial", (SITES, DATA, PLACES, np.float64(0.1)), {"kernel": k}, 4, 0.005) for k in KERNELS),
    *(Case("grid", (GRID, ALSO, VALUES, XI), {"method": m}, 4, 0.005) for m in METHODS),
    Case("box", (GRID, ALSO, VALUES, XI[:, 0], np.sort(XI[:, 1])), {"dx": 1}, 5, 0.005),
    Case("box", (GRID, ALSO, VALUES, XI[:, 0], XI[:, 1]), {"kx": 2, "ky": 4, "grid": False}, 5, 0.005),
    Case("nearby", (SITES, DATA, PLACES, np.float64(0.1)), {}, 4, 0.002),
    *(Case("through", (X, TABLE, AT), {"k": k}, 3, 0.01) for k in (1, 2, 5)),
    *(Case("through", (X, TABLE.T, AT), {"axis": 1, "bc_type": b}, 3, 0.01) for b in ("clamped", "natural")),
    Case("knots", (X, Y, np.r_[[X[0] - 0.2] * 4, X[2:-2], [X[-1] + 0.2] * 4], INSIDE), {}, 2, 0.005),
    Case("rates", (X, Y, np.array(0.3), AT), {}, 4, 0.01),
    *(Case("circle", (X, Y[:-1], AT), {"k": k}, 3, 0.005) for k in (2, 3, 4)),
    Case("falling", (GRID, ALSO, VALUES, XI), {}, 4, 0.005),
    Case("boxed", (GRID, ALSO, VALUES, np.array(-0.5), XI[:, 0], np.sort(XI[:, 1])), {}, 6, 0.005),
    Case("linear", (SITES, DATA, SITES[:3] / 2 + SITES[3:6] / 2 + 0.001), {}, 2, 0.0005),
]
every = pytest.mark.parametrize("case", **scipys.each(CASES))
some = pytest.mark.parametrize("case", **scipys.each([CASES[0], CASES[15], CASES[17], CASES[26]]))


@pytest.mark.rotating
@every
def test_values_are_those_of_scipy(case):
    same(case.of(OURS)(*case.point), case.of(THEIRS)(*case.point), 1e-11)


@pytest.mark.exhaustive
@every
def test_derivatives_of_both_modes_and_orders(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.rotating
@some
def test_derivatives_of_some(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.exhaustive
@every
def test_batches(case):
    scipys.batches(OURS, case)


def test_a_spline_is_a_pytree():
    spline = jax.jit(lambda y: interpolate.CubicSpline(X, y))(Y)
    slope = jax.jit(jax.grad(lambda s: s(1.0)))(spline)
    assert slope.c.shape == spline.c.shape
    assert jnp.sum(slope.c != 0) == 4


@pytest.mark.parametrize(
    "value",
    [
        lambda x: interpolate.PchipInterpolator(x, Y)(1.0),
        lambda x: interpolate.Akima1DInterpolator(x, Y)(1.0),
        lambda x: interpolate.CubicHermiteSpline(x, Y, Y)(1.0),
        lambda x: interpolate.make_interp_spline(x, Y)(1.0),
        lambda x: interpolate.RectBivariateSpline(x, ALSO, VALUES)(1.0, 1.0),
        lambda x: interpolate.RegularGridInterpolator((jnp.roll(x, 1), ALSO), VALUES)(np.ones(2)),
    ],
)
@pytest.mark.rotating
def test_sites_that_fall_are_refused_or_have_no_values(value):
    with pytest.raises(hw.SignatureError, match=r"must increase strictly"):
        value(X[::-1])
    assert np.all(np.isnan(jax.jit(value)(X[::-1])))


@pytest.mark.rotating
def test_a_spline_outside_of_its_domain():
    ours, theirs = (m.make_interp_spline(X, Y) for m in (interpolate, scipy.interpolate))
    for outside in (True, False, "periodic"):
        same(ours(AT, 1, outside), theirs(AT, 1, outside), 1e-12)
    kinds = [interpolate.splder(interpolate.make_interp_spline(X, Y)), scipy.interpolate.splder(theirs)]
    same(*(s(INSIDE) for s in kinds), 1e-12)


def test_places_on_a_line_and_slopes_on_a_grid():
    line = [m.RegularGridInterpolator((X,), Y)(INSIDE) for m in (interpolate, scipy.interpolate)]
    same(*line, 1e-14)
    solver = {"solver": scipy.sparse.linalg.spsolve}
    ours = interpolate.RegularGridInterpolator((GRID, ALSO), VALUES, "cubic")
    theirs = scipy.interpolate.RegularGridInterpolator((GRID, ALSO), VALUES, "cubic", **solver)
    same(ours(XI, nu=(1, 0)), theirs(XI, nu=(1, 0)), 1e-11)
    with pytest.raises(hw.SignatureError, match=r"nu=\(1,\) wants a method of"):
        ours(XI, nu=(1,))


def test_outside():
    same(interpolate.Akima1DInterpolator(X, Y)(9.0), jnp.nan, 0)
    same(interpolate.CubicSpline(X, Y, extrapolate=False)(9.0), jnp.nan, 0)
    grid = interpolate.RegularGridInterpolator((GRID, ALSO), VALUES)
    with pytest.raises(ValueError, match="a place is outside of the grid"):
        grid(np.array([9.0, 0.0]))
    assert jnp.isnan(jax.jit(grid)(np.array([9.0, 0.0])))
    ours, theirs = (
        m.RegularGridInterpolator((GRID, ALSO), VALUES, bounds_error=False, fill_value=None)
        for m in (interpolate, scipy.interpolate)
    )
    same(ours(np.array([9.0, 0.0])), theirs(np.array([9.0, 0.0]))[0], 1e-12)


def test_nearest_has_no_slope_and_interpn_is_the_same():
    ours = interpolate.interpn((GRID, ALSO), VALUES, XI, "nearest")
    same(ours, scipy.interpolate.interpn((GRID, ALSO), VALUES, XI, "nearest"), 0)
    assert not np.any(jax.jacfwd(lambda xi: interpolate.interpn((GRID, ALSO), VALUES, xi, "nearest"))(XI))


@pytest.mark.rotating
@pytest.mark.parametrize("module", [pieces, radial, smoothing, tensors, triangles])
def test_the_examples_say_what_comes_out(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: interpolate.CubicSpline(X[::-1], Y), "CubicSpline: `x` must increase strictly"),
        (lambda: interpolate.CubicSpline(X, Y[:3]), r"n values along axis 0; got \(7,\), \(3,\)"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type="flat"), "bc_type='flat' must be not-a-knot"),
        (
            lambda: interpolate.CubicSpline(X, Y, bc_type="periodic"),
            "the first and the last value must be equal",
        ),
        (lambda: interpolate.Akima1DInterpolator(X, Y, method="x"), "method='x' must be 'akima' or 'makima'"),
        (lambda: interpolate.make_smoothing_spline(X, Y), "make_smoothing_spline: give lam="),
        (lambda: interpolate.RBFInterpolator(SITES, DATA, kernel="x")(PLACES), "kernel='x' must be one of"),
        (lambda: interpolate.RBFInterpolator(SITES, DATA, kernel="gaussian")(PLACES), "needs epsilon="),
        (lambda: interpolate.RBFInterpolator(SITES[:2], DATA[:2])(PLACES), "a polynomial with 3 terms"),
        (lambda: interpolate.interpn((GRID,), VALUES, XI), r"places of shape \(..., d\), got .*\(7,\)"),
        (lambda: interpolate.interpn((GRID[:3],), VALUES[:3, 0], np.ones((1, 1)), "cubic"), "wants 4 sites"),
        (
            lambda: interpolate.RectBivariateSpline(X, X, VALUES)(1.0, 1.0),
            r"RectBivariateSpline: wants x \(n,\)",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


# ---- integrals, also where the function repeats or ends

KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.7, 4.0, 4.0, 4.0, 4.0])


def _spline(m, c, extrapolate):
    return m.BSpline(KNOTS, c, 3, extrapolate)


def _around(m, c, extrapolate):
    xp = jnp if m is interpolate else np
    return m.CubicSpline(np.arange(8.0), xp.append(c, c[0]), bc_type="periodic")


def _pieces(m, c, extrapolate):
    return m.PPoly(c[:6].reshape(2, 3), np.array([0.0, 0.7, 2.0, 4.0]), extrapolate)


def _bernstein(m, c, extrapolate):
    return m.BPoly(c[:6].reshape(2, 3), np.array([0.0, 0.7, 2.0, 4.0]), extrapolate)


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("made", [_spline, _around, _pieces, _bernstein])
@pytest.mark.parametrize(("a", "b"), [(0.3, 3.1), (-1.0, 9.7), (13.0, -5.5)])
def test_integrals_beyond_the_ends(made, extrapolate, a, b):
    c = np.sin(np.arange(7.0) ** 2)
    ours, theirs = (
        lambda c, a, b, m=m: made(m, c, extrapolate).integrate(a, b) for m in (interpolate, scipy.interpolate)
    )
    np.testing.assert_allclose(ours(c, a, b), theirs(c, a, b), rtol=1e-12, atol=1e-12)
    slopes = jax.jit(jax.grad(lambda *given: jnp.sum(ours(*given)), (0, 1, 2)))(c, a, b)
    along, h = np.cos(np.arange(7.0)), 1e-5
    want = (theirs(c + h * along, a + h, b - h) - theirs(c - h * along, a - h, b + h)) / (2 * h)
    if np.isfinite(want):  # values of pieces that end are NaN outside
        np.testing.assert_allclose(slopes[0] @ along + slopes[1] - slopes[2], want, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("extrapolate", [True, "periodic"])
@pytest.mark.parametrize("made", [_spline, _around, _pieces, _bernstein])
def test_antiderivatives_and_derivatives(made, extrapolate):
    """The antiderivative of a function that repeats ends, as SciPy's."""
    c, at = np.sin(np.arange(7.0) ** 2), np.array([-0.5, 0.3, 2.2, 8.1])
    ours, theirs = (made(m, c, extrapolate) for m in (interpolate, scipy.interpolate))
    for nu in (1, 2):
        np.testing.assert_allclose(ours.antiderivative(nu)(at), theirs.antiderivative(nu)(at), rtol=1e-11)
    np.testing.assert_allclose(ours.derivative()(at), theirs.derivative()(at), rtol=1e-11, atol=1e-11)


def test_a_spline_of_several_values():
    c = np.stack([np.sin(np.arange(7.0)), np.cos(np.arange(7.0))], 1)
    ours, theirs = (_spline(m, c, True) for m in (interpolate, scipy.interpolate))
    np.testing.assert_allclose(ours.integrate(0.3, 5.0), theirs.integrate(0.3, 5.0), rtol=1e-12)
    np.testing.assert_allclose(ours.derivative(2)(INSIDE), theirs.derivative(2)(INSIDE), rtol=1e-12)


@pytest.mark.parametrize("ext", [0, 1, 3])
def test_fitted_splines_outside(ext):
    at = np.array([-0.5, 0.1, 2.2, 4.2, 5.0])
    ours, theirs = (m.UnivariateSpline(X, Y, s=0, ext=ext) for m in (interpolate, scipy.interpolate))
    for nu in (0, 1, 2):
        np.testing.assert_allclose(ours(at, nu), theirs(at, nu), rtol=1e-10, atol=1e-12)
    slopes = jax.vmap(jax.grad(ours))(jnp.asarray(at[::4]))
    np.testing.assert_allclose(slopes, theirs(at[::4], 1) if ext == 0 else np.zeros(2), rtol=1e-10)
