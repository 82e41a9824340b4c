"""`hostwrap.ndimage`, filters and images on grids: SciPy's bits, and derivatives by differences of them."""

import doctest
import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.ndimage

import hostwrap as hw
from hostwrap import ndimage
from hostwrap._recipes.stencils import inside
from tests._kit import scipys
from tests._kit.days import LONG_TURN
from tests._kit.scipys import Case
from tests._kit.toys import each_lane, fresh_lane, same  # noqa: F401
from tests.ndimage.test_ranks import CASES as RANKS

random = np.random.default_rng(3)
IMAGE, WEIGHTS, ROW = random.normal(size=(7, 6)), random.normal(size=(3, 2)), random.normal(size=4)
COMPLEX = IMAGE + 1j * random.normal(size=(7, 6))
EDGES = ("reflect", "constant", "nearest", "mirror", "wrap")
MATRIX = np.array([[1.1, 0.2], [-0.3, 0.9]])
# two of these places are at the edge, where rounding decides whether they are outside
AT_THE_EDGE = np.array([[1.1, 0.2, 0.1], [-0.3, 0.9, 0.2]])

FILTERS = [
    *(Case("correlate", (IMAGE, WEIGHTS), {"mode": m, "origin": (1, -1), "cval": 0.3}, 2) for m in EDGES),
    *(Case("convolve", (IMAGE, WEIGHTS), {"mode": m, "origin": (-1, 0), "cval": 0.3}, 2) for m in EDGES),
    *(Case("correlate1d", (IMAGE, ROW), {"mode": m, "axis": 0, "origin": 1}, 2) for m in EDGES[:2]),
    *(Case("convolve1d", (IMAGE, ROW), {"mode": m, "origin": -1}, 2) for m in EDGES[2:]),
    *(Case("uniform_filter", (IMAGE,), {"mode": m, "size": 4, "origin": (1, 0)}) for m in EDGES),
    Case("uniform_filter1d", (IMAGE,), {"size": 3, "mode": "mirror"}),
    *(Case(name, (IMAGE,), {"mode": m}) for name in ("sobel", "laplace") for m in EDGES),
    Case("prewitt", (IMAGE,), {"axis": 0}),
    *(Case("gaussian_filter", (IMAGE, np.array([0.9, 0.7])), {"mode": m, "radius": 3}, 2) for m in EDGES),
    Case("gaussian_filter", (IMAGE, np.array([0.9, 0.7])), {"order": (2, 1), "radius": (3, 2)}, 2),
    Case("gaussian_filter", (IMAGE, 0.8), {"axes": (1,), "mode": "constant", "cval": 0.4}),
    Case("gaussian_filter1d", (IMAGE, 1.1), {"axis": 0, "order": 1}),
    Case("gaussian_laplace", (IMAGE, 0.9), {"mode": "nearest"}),
    Case("correlate", (COMPLEX, WEIGHTS), {}, 2),
    Case("convolve", (IMAGE, WEIGHTS * 1j), {}, 2),
    Case("correlate", (IMAGE, WEIGHTS * (1 + 1j)), {"origin": (1, 0)}, 2),
    Case("correlate1d", (COMPLEX, ROW * 1j), {"axis": 0}, 2),
]
SPECTRUM, WIDE = random.normal(size=(7, 6)) + 1j * random.normal(size=(7, 6)), np.array([1.3, 0.8])
FOURIER = [
    *(
        Case(f"fourier_{name}", (SPECTRUM, WIDE), {}, 2)
        for name in ("gaussian", "uniform", "ellipsoid", "shift")
    ),
    *(Case(f"fourier_{name}", (IMAGE, 0.7), {"n": 11, "axis": 0}, 2) for name in ("gaussian", "shift")),
    Case("fourier_ellipsoid", (random.normal(size=(3, 4, 5)), 1.4), {}, 2),
    Case("fourier_ellipsoid", (ROW, 1.4), {}, 2),
]
GRIDS = [
    *(Case("zoom", (IMAGE,), {"zoom": 1.7, "mode": m}) for m in ("constant", "mirror", "nearest")),
    Case("zoom", (IMAGE,), {"zoom": (0.6, 2), "mode": "mirror", "grid_mode": True, "order": 2}),
    Case("shift", (IMAGE, np.array([0.7, -1.2])), {"order": 4, "mode": "grid-wrap"}, 2),
    Case("shift", (IMAGE, 1.0), {"cval": 0.3}),
    *(
        Case("zoom", (IMAGE,), {"zoom": 1.7, "mode": m, "cval": 2.0})
        for m in ("grid-constant", "wrap", "constant")
    ),
    Case("shift", (IMAGE, np.array([0.7, -1.2])), {"mode": "wrap"}),
    Case("affine_transform", (IMAGE, MATRIX), {"mode": "wrap", "order": 0}),
    Case("rotate", (IMAGE, 23.0), {"order": 0}),
    Case("zoom", (IMAGE,), {"zoom": 1.3, "mode": "nearest", "prefilter": False}),
    Case("rotate", (IMAGE, np.float64(23.0)), {"reshape": False, "prefilter": False}, 2),
    Case("rotate", (IMAGE, np.float64(23.0)), {"reshape": False, "order": 4, "mode": "mirror"}, 2),
    Case("rotate", (random.normal(size=(3, 5, 4)), -40.0), {"axes": (0, 2)}),
    Case("affine_transform", (IMAGE, MATRIX, np.array([0.3, -0.2])), {"order": 4, "mode": "mirror"}, 3),
    Case("affine_transform", (IMAGE, np.array([0.9, 1.1]), 0.2), {"order": 5}, 2),
    Case("affine_transform", (IMAGE, AT_THE_EDGE), {"output_shape": (4, 9), "cval": 0.2}),
    Case("affine_transform", (COMPLEX, np.eye(3) * [1.1, 0.8, 1.0]), {"mode": "grid-wrap"}),
    *(Case("spline_filter", (IMAGE,), {"mode": m}) for m in ("mirror", "reflect", "grid-wrap", "nearest")),
    Case("spline_filter1d", (IMAGE,), {"axis": 0, "order": 2}),
]
CASES = FILTERS + FOURIER + GRIDS
every = pytest.mark.parametrize("case", **scipys.each(CASES))


def test_every_function_is_tested():
    elsewhere = {case.name for case in RANKS} | {"map_coordinates", "distance_transform_edt"}
    elsewhere |= {
        "distance_transform_bf",
        "generic_filter",
        "geometric_transform",
    }  # of test_ndimage_callables
    assert sorted({case.name for case in CASES} | elsewhere) == sorted(ndimage.__all__)


@every
def test_values_are_scipys_own(case):
    scipys.bits(ndimage, scipy.ndimage, case)


@pytest.mark.rotating(turn=LONG_TURN)
@every
def test_derivatives_of_both_modes_and_orders(case):
    scipys.derivatives(ndimage, scipy.ndimage, case)


FEW = [FILTERS[0], FILTERS[20], GRIDS[0], GRIDS[4]]


@pytest.mark.parametrize("case", **scipys.each(FEW))
def test_derivatives_of_some_each_day(case):
    scipys.derivatives(ndimage, scipy.ndimage, case)


@pytest.mark.parametrize("case", **scipys.each(FEW))
def test_batches_and_single_precision(case):
    scipys.batches(ndimage, case)
    scipys.narrow(ndimage, case)


@pytest.mark.rotating
@pytest.mark.usefixtures("fresh_lane")
def test_gradients_in_each_lane():
    f = lambda x, w: jnp.sum(ndimage.convolve(x, w, mode="mirror") ** 3)
    got = jax.jit(jax.grad(f, (0, 1)))(IMAGE, WEIGHTS)
    same(got, jax.grad(f, (0, 1))(IMAGE, WEIGHTS), 1e-11)


@pytest.mark.rotating
def test_hessians_of_the_correlation_against_that_of_jax():
    energy = lambda f: lambda x, w: jnp.sum(f(x, w) ** 3)
    x, w = IMAGE[:3, 0], ROW[:2]
    by_jax = lambda x, w: jnp.correlate(x, w, "valid")
    got = jax.jit(jax.hessian(energy(inside), (0, 1)))(x, w)
    same(got, jax.hessian(energy(by_jax), (0, 1))(x, w), 1e-12)
    third = jax.jacfwd(jax.hessian(energy(inside), 1), 0)(x, w)
    same(third, jax.jacfwd(jax.hessian(energy(by_jax), 1), 0)(x, w), 1e-12)


@pytest.mark.parametrize("name", ["_filters", "_grids", "_splines"])
@pytest.mark.rotating
def test_the_examples_say_what_comes_out(name):
    found = doctest.testmod(importlib.import_module(f"hostwrap.ndimage.{name}"))
    assert found.attempted and not found.failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ndimage.correlate("cat", ROW), "correlate: `input` must be a number or an array"),
        (
            lambda: jax.jit(lambda s: ndimage.gaussian_filter(IMAGE, s))(1.0),
            "sigma is traced, .* give radius=",
        ),
        (lambda: jax.jit(lambda a: ndimage.rotate(IMAGE, a))(1.0), "`angle` is traced, .* reshape=False"),
        (lambda: ndimage.rotate(ROW, 10.0), r"wants an image with two axes or more .*, got \(4,\)"),
        (lambda: ndimage.zoom(IMAGE, 2, order=6), "zoom: order=6 must be an integer from 0 to 5"),
        (lambda: ndimage.shift(IMAGE, 0.5, mode="worm"), "shift: mode='worm' must be one of constant"),
        (lambda: ndimage.sobel(IMAGE, axes=1), "sobel.*keyword argument 'axes'"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


def test_numbers_of_python_for_each_axis_keep_the_precision_of_the_image():
    assert ndimage.gaussian_filter(IMAGE.astype(np.float32), (1.1, 0.6)).dtype == np.float32
    assert ndimage.gaussian_filter(COMPLEX.astype(np.complex64), [1.1, 0.6]).dtype == np.complex64
