"""`hostwrap.patch`: code that was written for NumPy and SciPy, given JAX arrays."""

import functools
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.spatial.transform
import scipy.special
import scipy.stats
from scipy.spatial.transform import Rotation
from scipy.special import gammainc  # as somebody's module has it, before the patch

import hostwrap as hw

PLACES = (scipy.special, scipy.stats, scipy.linalg, scipy.signal, jax.scipy.special, jax.core.Tracer)
PLACES += (type(jnp.zeros(())), scipy.stats.rv_continuous, scipy.stats.rv_continuous.__mro__[1])
PLACES += (scipy.fft, type(scipy.stats.multivariate_normal), scipy.spatial.transform, Rotation)
PLACES += (scipy.interpolate.BSpline, scipy.interpolate.interp1d)


def everything():
    return [list(vars(place).items()) for place in PLACES]


def slope(f, x, h=1e-5):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def users(v):
    """Code of a user, who does not know of JAX."""
    return np.exp(-v) * scipy.special.kv(v, 2.0) + gammainc(v, 1.0) + np.array(2.0) * np.sqrt(v)


def test_a_users_code():
    with hw.patch():
        found = jax.jit(jax.grad(users))(1.5)
    assert np.isclose(found, slope(users, 1.5), rtol=1e-9)


# Functions that nobody here wrote: of SciPy, in Python; and of the packages that JAX brings.
THEIRS = {
    "rosen": lambda x: scipy.optimize.rosen(np.array([0.3, 0.4, 1.2]) * x),
    "rosen_der": lambda x: scipy.optimize.rosen_der(x * np.array([0.3, 0.4, 1.2]))[1],
    "simpson": lambda x: scipy.integrate.simpson(x ** np.arange(5.0)),
    "zeta": lambda x: scipy.special.zeta(x, 2.0),
    "comb": lambda x: scipy.special.comb(x, 2.5),
    "logsumexp": lambda x: scipy.special.logsumexp(x * np.arange(3.0)),
    "kvp": lambda x: scipy.special.kvp(x, 2.0),
    "expm": lambda x: scipy.linalg.expm(x * np.array([[0.0, 1.0], [2.0, 3.0]]))[0, 1],
    "sum of an inverse": lambda x: np.sum(np.linalg.inv(x * np.eye(2) + 1.0)),
    "interp": lambda x: np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 4.0]),
    "a density": lambda x: scipy.stats.gamma.logpdf(1.3, x),
    "a frozen distribution": lambda x: scipy.stats.gamma(x, scale=2.0).cdf(1.3),
    "gauss_spline": lambda x: scipy.signal.gauss_spline(x * np.array([0.2, 0.4]), 3)[1],
    "cosine": lambda x: scipy.spatial.distance.cosine(x * np.array([1.0, 2.0]) + 1.0, np.array([2.0, 0.3])),
    "polynomials": lambda x: np.polynomial.legendre.legval(x, [0.1, 0.4, 0.7]),
    "vander": lambda x: np.vander(x * np.array([1.0, 2.0]), 3)[1, 0],
}


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.rotating
def test_code_that_nobody_here_wrote(name):
    f = THEIRS[name]
    with hw.patch():
        found = jax.grad(lambda x: jnp.sum(jnp.asarray(f(x))))(1.3)
    assert np.isclose(found, slope(f, 1.3), rtol=1e-8)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: scipy.fft.dct(x)[1],
        lambda x: scipy.stats.multivariate_normal.logpdf(x, np.zeros(3), 2 * np.eye(3)),
        lambda x: scipy.stats.dirichlet.logpdf(x / x.sum(), np.array([1.2, 2.0, 0.7])),
        pytest.param(
            lambda x: scipy.stats.pearsonr(x, x**2).statistic,
            marks=pytest.mark.skipif(scipy.__version__ < "1.16", reason="its code had a branch by numbers"),
        ),
    ],
)
def test_multimethods_joint_distributions_and_tuples_with_attributes(f):
    at, along = np.array([0.4, 0.9, 1.7]), np.array([0.3, -0.2, 0.5])
    with hw.patch():
        value, found = jax.jit(jax.value_and_grad(f))(at)
        assert np.array_equal(f(at), f(at.copy())) and not isinstance(f(at), jax.Array)
    assert np.isclose(value, f(at), rtol=1e-12)
    assert np.isclose(found @ along, slope(lambda t: f(at + t * along), 0.0, 1e-3), rtol=1e-8)


def test_numpy_arrays_get_what_they_got():
    before = scipy.special.kv(np.ones(2), 1.0), scipy.stats.norm.pdf(0.3), scipy.linalg.inv(np.eye(2))
    with hw.patch():
        after = scipy.special.kv(np.ones(2), 1.0), scipy.stats.norm.pdf(0.3), scipy.linalg.inv(np.eye(2))
        assert isinstance(scipy.special.kv, np.ufunc) and np.ones(2).sum() == 2
    for a, b in zip(before, after, strict=True):
        assert type(a) is type(b) and np.array_equal(a, b)


def test_jax_scipy_has_what_it_lacks():
    assert not hasattr(jax.scipy.special, "kv")
    with hw.patch():
        assert jax.scipy.special.kv is hw.special.kv
    assert not hasattr(jax.scipy.special, "kv")


def test_it_is_undone_exactly():
    before = everything()
    with hw.patch(), hw.patch():
        assert everything() != before
    assert everything() == before
    with pytest.raises(ZeroDivisionError), hw.patch():
        raise ZeroDivisionError
    assert everything() == before


def test_what_somebody_else_put_there_since_then_stays(monkeypatch):
    monkeypatch.setattr(scipy.linalg, "inv", scipy.linalg.inv)
    with hw.patch():
        scipy.linalg.inv = mine = lambda x: x
    assert scipy.linalg.inv is mine


def test_another_thread_does_not_see_the_context():
    def plain():
        try:
            jax.grad(lambda v: scipy.special.kv(v, 2.0))(1.5)
        except jax.errors.TracerArrayConversionError:
            kinds = [
                type(x)
                for x in (scipy.special.kv(jnp.ones(2), 1.0), np.sin(jnp.ones(2)), np.stack([jnp.ones(2)]))
            ]
            seen.append([*kinds, type(np.ones(2) + jnp.ones(2))])

    seen = []
    plain()
    with hw.patch():
        thread = threading.Thread(target=plain)
        thread.start()
        thread.join()
    assert seen[0] == seen[1] and len(seen) == 2


def test_many_threads_at_once():
    def work():
        for _ in range(3):
            with hw.patch():
                found.append(float(jax.grad(users)(1.5)))

    before, found = everything(), []
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 and len(set(found)) == 1
    assert everything() == before


def test_in_force_until_it_is_stopped():
    before, found = everything(), []
    patched = hw.patch().start()
    try:
        patched.start()  # once is enough
        thread = threading.Thread(target=lambda: found.append(jax.grad(users)(1.5)))
        thread.start()
        thread.join()
        assert np.isclose(found[0], slope(users, 1.5), rtol=1e-9)
    finally:
        patched.stop()
    patched.stop()
    assert everything() == before


def test_what_cannot_be_followed_says_so():
    with hw.patch(), pytest.raises(hw.MissingDerivative, match=r"ldl.*under hostwrap\.patch"):
        jax.grad(lambda x: scipy.linalg.ldl(x * jnp.eye(2))[1][0, 0])(1.0)


def test_the_fields_of_what_a_solver_returns_are_arrays_of_jax():
    with hw.patch():
        slope = jax.grad(lambda y: scipy.optimize.isotonic_regression(y).x[0])(jnp.array([3.0, 1.0, 2.0]))
    np.testing.assert_allclose(slope, 1 / 3)


class _Cube:
    def __init__(self, a):
        self.a = a

    def off(self, x):
        return x**3 - self.a


def _below(f):
    return lambda x: f(x)


@pytest.mark.parametrize(
    "users",
    [
        lambda a: scipy.optimize.brentq(lambda x: x**3 - a, 0.0, 5.0),
        lambda a: scipy.optimize.brentq(_below(lambda x: x**3 - a), 0.0, 5.0),
        lambda a: scipy.optimize.brentq(lambda x, a=a: x**3 - a, 0.0, 5.0),
        lambda a: scipy.optimize.brentq(functools.partial(lambda a, x: x**3 - a, a), 0.0, 5.0),
        lambda a: scipy.optimize.brentq(_Cube(a).off, 0.0, 5.0),
        lambda a: scipy.integrate.quad(lambda x: np.exp(-a * x), 0.0, 1.0)[0],
    ],
    ids=["closure", "closure within", "default", "partial", "method", "quad"],
)
def test_a_solver_whose_function_has_the_traced_number_from_around_it(users):
    with hw.patch():
        found = jax.grad(users)(1.7)
    assert np.isclose(found, (users(1.7 + 1e-4) - users(1.7 - 1e-4)) / 2e-4, rtol=1e-7)


SITES, DATA = np.arange(6.0), np.sin(np.arange(6.0))
CURVES = {
    "CubicSpline": lambda y, z: scipy.interpolate.CubicSpline(SITES, y)(z),
    "PchipInterpolator": lambda y, z: scipy.interpolate.PchipInterpolator(SITES, y)(z),
    "UnivariateSpline": lambda y, z: scipy.interpolate.UnivariateSpline(SITES, y, s=0.1)(z),
    "BSpline": lambda y, z: scipy.interpolate.BSpline(np.arange(10.0), y, k=3)(z + 3),
    "RBFInterpolator": lambda y, z: scipy.interpolate.RBFInterpolator(SITES[:, None], y)(z[:, None]),
    "RegularGridInterpolator": lambda y, z: scipy.interpolate.RegularGridInterpolator([SITES], y)(z[:, None]),
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.rotating
def test_classes_made_of_jax_arrays(name):
    places, f = np.array([1.3, 2.2]), CURVES[name]
    want = f(DATA, places)
    with hw.patch():
        y, z = jnp.asarray(DATA), jnp.asarray(places)
        np.testing.assert_allclose(jax.jit(f)(y, z), want, rtol=1e-12)
        slope = jax.grad(lambda y: jnp.sum(f(y, z)))(y)
        np.testing.assert_array_equal(f(DATA, places), want)
    steps = 1e-6 * np.eye(6)
    if name != "UnivariateSpline":  # FITPACK's values are not smooth
        differences = [(np.sum(f(DATA + e, places)) - np.sum(f(DATA - e, places))) / 2e-6 for e in steps]
        np.testing.assert_allclose(slope, differences, atol=1e-7)


@pytest.mark.parametrize(
    "name", ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "UnivariateSpline"]
)
def test_splines_of_numpy_arrays_at_places_in_a_jax_array(name):
    f = getattr(scipy.interpolate, name)(SITES, DATA)
    with hw.patch():
        slope = jax.jit(jax.grad(lambda z: f(z)))(1.3)
    np.testing.assert_allclose(slope, f.derivative()(1.3), rtol=1e-12)


OBJECTS = {
    "gaussian_kde": (lambda: scipy.stats.gaussian_kde(DATA), lambda f, x: f(x)[0] + f.logpdf(2 * x)[0]),
    "KDTree": (
        lambda: scipy.spatial.KDTree(DATA.reshape(3, 2)), lambda f, x: f.query(x * np.array([1.0, 2.0]), 2)[0].sum()
    ),
    "RegularGridInterpolator": (
        lambda: scipy.interpolate.RegularGridInterpolator([SITES], DATA, method="cubic"),
        lambda f, x: f(x * np.array([1.0]))[0],
    ),
    "RectBivariateSpline": (
        lambda: scipy.interpolate.RectBivariateSpline(SITES, SITES, np.outer(DATA, DATA)), lambda f, x: f.ev(x, 2 * x)
    ),
    "multivariate_normal": (
        lambda: scipy.stats.multivariate_normal(np.ones(2), [[2.0, 0.5], [0.5, 1.0]]),
        lambda f, x: f.logpdf(x * np.array([1.0, 2.0])) + f.pdf(x * np.array([1.0, 2.0])),
    ),
    "dirichlet": (
        lambda: scipy.stats.dirichlet([1.3, 2.0]), lambda f, x: f.logpdf(np.stack([x, 1 - x]) / 2 + 0.25)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.rotating
def test_objects_that_are_made_of_numpy_arrays_meanwhile(name):
    """They are SciPy's; given a JAX array hostwrap's answer, which are made of copies."""
    make, use = OBJECTS[name]
    plain = make()
    with hw.patch():
        made = make()
        assert type(made) is type(plain)
        assert float(use(made, 0.6)) == float(use(plain, 0.6))
        found, again = (jax.jit(jax.grad(lambda x: jnp.reshape(use(made, x), ())))(0.6) for _ in range(2))
    assert found == again
    np.testing.assert_allclose(found, slope(lambda x: float(use(plain, x)), 0.6, 1e-4), rtol=1e-7)


TURNS = {
    "from_euler": lambda x: Rotation.from_euler("xyz", x).apply(np.array([1.0, 2.0, 0.5])),
    "from_rotvec, by SciPy's": lambda x: (
        Rotation.from_euler("z", 0.7) * Rotation.from_rotvec(x)
    ).as_matrix()[0],
    "of points": lambda x: scipy.spatial.transform.Rotation.from_euler("z", 0.7).apply(x),
    "from_matrix": lambda x: Rotation.from_matrix(scipy.linalg.expm(np.cross(np.eye(3), x))).as_rotvec(),
    "interp1d": lambda x: scipy.interpolate.interp1d([0.0, 1.0, 2.0], x)([0.3, 1.4]),
}


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.rotating
def test_rotations_and_other_classes_imported_before(name):
    if "by SciPy's" in name and scipy.__version__ < "1.17":
        pytest.skip("its product of rotations was in C")
    f, at, along = TURNS[name], np.array([0.3, -0.5, 0.4]), np.array([0.2, 0.7, -0.3])
    want = f(at)
    with hw.patch():
        found, moved = jax.jit(lambda x: jax.jvp(f, (x,), (jnp.asarray(along),)))(jnp.asarray(at))
        back = jax.grad(lambda x: jnp.sum(jnp.asarray(f(x))))(jnp.asarray(at))
        np.testing.assert_array_equal(f(at), want)
    np.testing.assert_allclose(found, want, rtol=1e-12)
    np.testing.assert_allclose(moved, slope(lambda t: f(at + t * along), 0.0, 1e-3), rtol=1e-8)
    np.testing.assert_allclose(back @ along, np.sum(moved), rtol=1e-10)


def test_what_class_methods_make_is_of_scipys_class():
    with hw.patch():
        made = scipy.interpolate.BSpline.construct_fast(np.arange(8.0), np.ones(4), 3)
        turned = scipy.spatial.transform.Rotation.from_euler("z", 0.3)
    assert type(made) is scipy.interpolate.BSpline
    assert type(turned) is Rotation


def test_frozen_parameters_that_are_traced():
    f = lambda a: scipy.stats.multivariate_normal(np.zeros(2), a * np.eye(2)).logpdf(np.array([1.0, 2.0]))
    with hw.patch():
        found = jax.grad(f)(1.3)
    np.testing.assert_allclose(found, slope(f, 1.3, 1e-4), rtol=1e-8)


def test_what_the_user_writes_to_his_arrays_later_changes_what_scipys_object_holds_of_them():
    """A density holds the user's array itself, a spline a copy."""
    data = DATA.copy()
    with hw.patch():
        density, spline = scipy.stats.gaussian_kde(data), scipy.interpolate.CubicSpline(SITES, data)
        value = spline(jnp.asarray(0.3))
        data[:] = 0.0
        assert spline(jnp.asarray(0.3)) == value
        np.testing.assert_allclose(density(jnp.asarray(0.3)), density(0.3), rtol=1e-12)


def test_classes_are_what_they_were():
    theirs = scipy.interpolate.CubicSpline
    with hw.patch():
        front = scipy.interpolate.CubicSpline
        made = front(SITES, DATA)
        assert type(made) is theirs
        assert isinstance(made, front)
        assert issubclass(theirs, front)
        assert front.__name__ == "CubicSpline"

        class Mine(front):
            pass

        assert isinstance(Mine(SITES, DATA), theirs)
        assert not isinstance(made, Mine)
    assert scipy.interpolate.CubicSpline is theirs
    assert not hasattr(theirs.__call__, "patched")
