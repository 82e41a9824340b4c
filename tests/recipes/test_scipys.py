"""Functions of SciPy's names are called as SciPy's are, by name and by place."""

import importlib
import inspect

import jax
import numpy as np
import pytest
import scipy.fft
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal

import hostwrap as hw
from hostwrap import fft, interpolate, linalg, ndimage, optimize, spatial
from hostwrap._recipes.elsewhere import WITHOUT_EFFECT
from hostwrap._recipes.scipys import _places
from hostwrap._rules.differences import slope as differences
from tests._kit.versions import SCIPY

A = np.random.default_rng(0).normal(size=(4, 4))
MODULES = (
    "linalg", "optimize", "integrate", "interpolate", "signal", "ndimage", "fft", "sparse.linalg", "sparse.csgraph",
    "spatial.distance",
)  # fmt: skip
# They take other arguments, by design: a kernel is one of them, or a sparse matrix in its parts; or make a solver.
OTHERS = {
    "spsolve", "splu", "LinearOperator", "brentq", "root", "minimize", "quad", "solve_ivp", "cdist", "pdist",
    "sosfreqz", "shortest_path",
}  # fmt: skip


def functions():
    for module in MODULES:
        ours, theirs = (importlib.import_module(f"{home}.{module}") for home in ("hostwrap", "scipy"))
        for name in set(ours.__all__) - OTHERS:
            found = getattr(ours, name), getattr(theirs, name, None)
            if all(callable(f) and not inspect.isclass(f) for f in found):
                yield module, name, *found


def test_every_place_and_name_is_scipys():
    """By place, each argument is that of SciPy; and what SciPy takes by name is taken, or refused by its name."""
    wrong = []
    for module, name, ours, theirs in functions():
        try:
            scipys = inspect.signature(theirs).parameters
        except ValueError:  # one in C
            continue
        own = inspect.signature(ours).parameters
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        places = [[p.name for p in s.values() if p.kind in kinds] for s in (own, scipys)]
        if places[0] != places[1] and not hasattr(ours, "scipys"):
            wrong.append(f"{module}.{name}{tuple(places[0])}, not {tuple(places[1])}")
        unknown = [
            p for p in own if p not in scipys and own[p].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        if any(own[p].default is inspect.Parameter.empty for p in unknown):
            wrong.append(f"{module}.{name} wants {unknown}, which SciPy does not have")
    assert not wrong, "\n".join(wrong)


CLASSES = {  # what a function returns that makes one
    interpolate: {"CubicSpline": "PPoly", "CubicHermiteSpline": "PPoly", "PchipInterpolator": "PPoly",
                  "Akima1DInterpolator": "PPoly", "UnivariateSpline": "FittedSpline",
                  "InterpolatedUnivariateSpline": "FittedSpline", "LSQUnivariateSpline": "FittedSpline"},
    spatial: {},
}  # fmt: skip
# places that an older SciPy does not have
NEWER = {("RectBivariateSpline", "maxit")} if SCIPY < (1, 17) else set()


def methods():
    """Of the classes, and of what makes objects: how each is made, and what it can."""
    for module, made in CLASSES.items():
        theirs = importlib.import_module(f"scipy.{module.__name__.partition('.')[2]}")
        for name in module.__all__:
            own, scipys = getattr(module, name), getattr(theirs, name, None)
            if not inspect.isclass(scipys):
                continue
            yield name, own, scipys
            own = getattr(module, made.get(name, name))
            for method in ("__call__", *(m for m in dir(own) if not m.startswith("_"))):
                found = getattr(own, method, None), getattr(scipys, method, None)
                if all(map(callable, found)):
                    yield f"{name}.{method}", *found


def test_every_place_of_a_class_and_its_methods_is_scipys():
    """A place that means another argument is a wrong number, and no error."""
    wrong = []
    for name, ours, theirs in methods():
        try:
            own, scipys = (_places(inspect.signature(f).parameters) for f in (ours, theirs))
        except ValueError:  # one in C
            continue
        own = [p for p in own if p in scipys or (name, p) not in NEWER]
        if own != scipys[: len(own)]:
            wrong.append(f"{name}{tuple(own)}, not {tuple(scipys)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            lambda: fft.dct(A, 2, None, 0, None, False, None, True),
            lambda: scipy.fft.dct(A, 2, None, 0, None, False, None, True),
        ),
        (
            lambda: linalg.solve_banded((1, 1), A[:3], A[0], False, False, False),
            lambda: scipy.linalg.solve_banded((1, 1), A[:3], A[0]),
        ),
        (lambda: linalg.expm(A=A), lambda: scipy.linalg.expm(A)),
        (
            lambda: linalg.qr_update(*np.linalg.qr(A), A[0], A[1], False)[1],
            lambda: scipy.linalg.qr_update(*np.linalg.qr(A), A[0], A[1])[1],
        ),
        (
            lambda: ndimage.gaussian_filter(A, 1.0, 0, None, "wrap"),
            lambda: scipy.ndimage.gaussian_filter(A, 1.0, 0, None, "wrap"),
        ),
        (
            lambda: optimize.fmin(lambda x: (x[0] - 1) ** 2, [0.0], (), 1e-9, 1e-12, disp=0),
            lambda: scipy.optimize.fmin(lambda x: (x[0] - 1) ** 2, [0.0], (), 1e-9, 1e-12, disp=0),
        ),
        (lambda: linalg.signm(A.tolist()), lambda: scipy.linalg.signm(A.tolist())),
    ],
)
def test_by_place_and_with_what_has_no_effect(ours, theirs):
    np.testing.assert_allclose(ours(), theirs(), rtol=1e-9, atol=1e-12)


def test_what_neither_takes_is_named():
    """Which eigenvalues lie in an interval is not known in a compiled program."""
    assert "check_finite" in WITHOUT_EFFECT
    with pytest.raises(
        hw.SignatureError, match="eigh: hostwrap's has no argument `subset_by_value`; leave it out"
    ):
        jax.jit(lambda a: linalg.eigh(a, subset_by_value=[0.0, 1.0]))(A)
    linalg.eigh(A + A.T, subset_by_value=None, check_finite=False)
    with pytest.raises(TypeError, match="nonsense"):
        linalg.eigh(A, nonsense=1)
    slope = jax.jit(jax.grad(lambda a: linalg.solve_banded((1, 1), a, A[0], check_finite=False).sum()))
    assert np.isfinite(slope(A[:3])).all()


BAND = np.triu(np.tril(A, 1), -1)
LEFT_OUT = {  # what ours, or JAX's, does not take, and SciPy's does
    "axes": lambda m, x: m.signal.fftconvolve(x, x[:, :2], axes=1),
    "boundary": lambda m, x: m.signal.convolve2d(x, x[:2, :2], boundary="symm"),
    "structure": lambda m, x: m.ndimage.grey_erosion(x, structure=x[:2, :2]),
    "transposed": lambda m, x: m.linalg.solve(x, np.ones(4), transposed=True),
    "assume_a": lambda m, x: m.linalg.solve(x * (BAND != 0), np.ones(4), assume_a="tridiagonal"),
    "outaxis": lambda m, x: m.linalg.solve_circulant(x[0], np.ones((2, 4)), baxis=1, outaxis=1),
}
LOOKING = {  # SciPy's code looks at numbers
    "lists": lambda m, x: m.signal.iirnotch(abs(x[0, 0]), 20.0),
    "pairs": lambda m, x: m.signal.impulse((x[0, :1], x[1]), T=np.linspace(0.0, 1.0, 5))[1],
    "roots": lambda m, x: m.signal.tf2zpk(x[0, :2], x[1])[1],
    "spline": lambda m, x: m.interpolate.pchip_interpolate(np.arange(4.0), x[0], x[1], der=1),
    "labels": lambda m, x: m.ndimage.variance(x, np.arange(16).reshape(4, 4) % 3, [0, 1, 2]),
}


@pytest.mark.parametrize("f", [*LEFT_OUT.values(), *LOOKING.values()], ids=[*LEFT_OUT, *LOOKING])
def test_what_ours_lacks_is_scipys(f):
    """An option that ours lacks leads to SciPy's code, and code that looks at numbers to a host call of it."""
    step = np.random.default_rng(3).normal(size=(4, 4))
    number = lambda m, x: sum(np.sum(np.abs(y) ** 2) for y in jax.tree.leaves(f(m, x)))
    of_ours = lambda x: sum(jax.numpy.sum(jax.numpy.abs(y) ** 2) for y in jax.tree.leaves(f(hw, x)))
    expected, error = differences(lambda t: number(scipy, A + t * step), 1e-3)
    for wrapped in (lambda g: g, jax.jit):
        np.testing.assert_allclose(wrapped(of_ours)(A), number(scipy, A), rtol=1e-12)
        got = wrapped(jax.grad(of_ours))(A)
        assert abs(np.sum(got * step) - expected) < 1e-7 * max(1.0, abs(expected)) + 10 * error


HALVES = {
    "sym": lambda m, a: m.linalg.solve(a, np.ones(4), assume_a="sym"),
    "lower": lambda m, a: m.linalg.solve(a, np.ones(4), lower=True, assume_a="sym"),
    "pos": lambda m, a: m.linalg.solve(a, np.ones(4), assume_a="pos"),
    "cholesky": lambda m, a: m.linalg.cholesky(a),
    "factor": lambda m, a: m.linalg.cho_solve(m.linalg.cho_factor(a, lower=True), np.ones(4)),
}


@pytest.mark.parametrize("f", HALVES.values(), ids=HALVES)
def test_one_half_of_a_matrix_is_read(f):
    """JAX's functions read both halves, or differentiate in both. SciPy's do not: a is not symmetric here."""
    a, step = 9 * np.eye(4) + A, np.random.default_rng(3).normal(size=(4, 4))
    expected, error = differences(lambda t: f(scipy, a + t * step), 1e-3)
    value, tangent = jax.jit(lambda a: jax.jvp(lambda a: f(hw, a), (a,), (step,)))(a)
    np.testing.assert_allclose(value, f(scipy, a), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(tangent, expected, rtol=1e-7, atol=1e-9 + 10 * np.max(error))


def test_a_shape_that_depends_on_numbers_is_known_where_they_are():
    """Under `grad` alone the numbers are there; a compiled program has to know the shape before."""
    x = np.random.default_rng(1).normal(size=24)
    heights = lambda x: hw.signal.find_peaks(x, height=0.0)[1]["peak_heights"].sum()
    at = scipy.signal.find_peaks(x, height=0.0)[0]
    np.testing.assert_array_equal(jax.grad(heights)(x), np.isin(np.arange(24), at))
    with pytest.raises(hw.MissingDerivative, match=r"find_peaks.*the shape of its result depends on numbers"):
        jax.jit(jax.grad(heights))(x)


def test_a_name_without_a_rule_leads_to_jax():
    assert hw.signal.welch.__wrapped__ is jax.scipy.signal.welch
    assert hw.fft.hfft.__wrapped__ is jax.numpy.fft.hfft
    assert spatial.transform.Slerp is jax.scipy.spatial.transform.Slerp
    assert "welch" not in dir(hw.signal)


def test_a_name_that_jax_lacks_follows_scipys_code():
    x = np.random.default_rng(1).normal(size=24)
    values = hw.signal.periodogram(jax.numpy.asarray(x))[1]
    np.testing.assert_array_equal(values, scipy.signal.periodogram(x)[1])
    assert isinstance(values, jax.Array) and isinstance(hw.signal.periodogram(x)[1], jax.Array)
    power = lambda x, m: m.periodogram(x)[1] @ np.arange(13.0)
    along = (power(x + 0.01, scipy.signal) - power(x - 0.01, scipy.signal)) / 0.02  # of a square: exact
    slope = jax.jit(jax.grad(lambda x: power(x, hw.signal)))(x)
    np.testing.assert_allclose(slope.sum(), along, atol=1e-10)


def test_an_array_to_be_filled_is_refused_in_a_trace():
    x, given = np.ones(5), np.zeros(5)
    with pytest.raises(hw.SignatureError, match="gaussian_filter: hostwrap's has no argument `output`"):
        jax.jit(lambda x: ndimage.gaussian_filter(x, 1.0, output=given))(x)
