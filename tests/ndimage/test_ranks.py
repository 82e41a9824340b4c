"""`hostwrap.ndimage`, filters that choose pixels, distances, modes: SciPy's bits, derivatives by their differences."""

import doctest
import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.ndimage

import hostwrap as hw
from hostwrap import ndimage
from hostwrap._rules.differences import slope
from hostwrap.ndimage._splines import EVERY
from tests._kit import scipys
from tests._kit.days import by_turns
from tests._kit.scipys import Case
from tests._kit.toys import same

random = np.random.default_rng(3)
# no two pixels are near to each other, so that small steps do not change their order; some are below 0
IMAGE = random.permutation(42).reshape(7, 6) - 9.0 + random.uniform(0.0, 0.3, (7, 6))
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
EDGES = ("reflect", "constant", "nearest", "mirror", "wrap")

CASES = [
    *(Case("median_filter", (IMAGE,), {"size": (3, 2), "mode": m, "cval": 0.4}) for m in EDGES),
    Case("rank_filter", (IMAGE,), {"rank": -2, "footprint": CROSS, "mode": "constant", "cval": -2.5}),
    Case("percentile_filter", (IMAGE,), {"percentile": 30, "size": 3, "origin": (1, 0)}),
    Case("minimum_filter", (IMAGE,), {"footprint": CROSS, "mode": "constant"}),
    Case("maximum_filter", (IMAGE,), {"size": 4, "axes": (1,)}),
    Case("minimum_filter1d", (IMAGE,), {"size": 3, "axis": 0, "mode": "wrap"}),
    Case("maximum_filter1d", (IMAGE,), {"size": 4, "mode": "constant", "cval": 7.7}),
    Case("grey_erosion", (IMAGE,), {"size": 3, "mode": "constant"}),
    Case("grey_dilation", (IMAGE,), {"footprint": CROSS}),
    Case("grey_opening", (IMAGE,), {"size": (2, 3)}),
    Case("grey_closing", (IMAGE,), {"size": 2, "mode": "mirror"}),
    *(Case(f"morphological_{name}", (IMAGE,), {"size": 3}) for name in ("gradient", "laplace")),
    *(Case(f"{name}_tophat", (IMAGE,), {"size": 3}) for name in ("white", "black")),
]


@pytest.mark.parametrize("case", **scipys.each(CASES))
def test_values_are_scipys_own(case):
    scipys.bits(ndimage, scipy.ndimage, case)


@pytest.mark.parametrize("case", by_turns(*CASES), ids=str)
def test_derivatives_of_both_modes_and_orders(case):
    scipys.derivatives(ndimage, scipy.ndimage, case)


@pytest.mark.parametrize("case", by_turns(CASES[1], *CASES[5:]), ids=str)
def test_batches_and_single_precision(case):
    scipys.batches(ndimage, case)
    scipys.narrow(ndimage, case)


def test_of_equal_pixels_one_is_chosen():
    gradient = jax.grad(lambda x: ndimage.maximum_filter(x, 3)[1])(np.ones(4))
    assert sorted(gradient.tolist()) == [0, 0, 0, 1]


@pytest.mark.parametrize("name", ["median_filter", "rank_filter", "maximum_filter", "grey_opening"])
def test_next_to_a_nan_each_result_is_still_a_pixel(name):
    """What SciPy chooses there depends on the order of its comparisons. The derivative is of what it chose."""
    image = np.random.default_rng(13).normal(size=(6, 7))
    image[1, 2] = np.nan
    given = (-2,) if name == "rank_filter" else ()
    f = lambda m, x: getattr(m, name)(x, *given, size=3, mode="constant")
    step = np.random.default_rng(5).normal(size=image.shape)
    value, tangent = jax.jit(lambda x: jax.jvp(lambda x: f(ndimage, x), (x,), (step,)))(image)
    expected = f(scipy.ndimage, image)
    np.testing.assert_array_equal(value, expected)
    there = ~np.isnan(expected)
    apart = (f(scipy.ndimage, image + 1e-6 * step) - f(scipy.ndimage, image - 1e-6 * step)) / 2e-6
    same(tangent[there], apart[there], 1e-8)


def test_pixels_that_are_the_constant_are_no_constants():
    image = np.array([0.0, 0.0, 5.0])
    got = jax.grad(lambda x: ndimage.minimum_filter(x, 3, mode="constant")[1])(image)
    same(got, jnp.array([1.0, 0.0, 0.0]), 0)
    outside = jax.grad(lambda x: ndimage.maximum_filter(x, 3, mode="constant", cval=9.0)[0])(image)
    same(outside, jnp.zeros(3), 0)


# ---- distances

BLOT = random.uniform(size=(6, 7)) > 0.2
STEPS = np.array([1.3, 0.7])


def test_distances_are_scipys_and_their_derivatives_those_of_all_orders():
    expected = scipy.ndimage.distance_transform_edt(BLOT, STEPS, True, True)
    for y, e in zip(ndimage.distance_transform_edt(BLOT, STEPS, True, True), expected, strict=True):
        np.testing.assert_array_equal(y, e)
    f = lambda s: jnp.sum(ndimage.distance_transform_edt(BLOT, s) ** 1.5)
    along = np.array([0.3, -0.4])
    theirs = lambda t: np.sum(scipy.ndimage.distance_transform_edt(BLOT, STEPS + t * along) ** 1.5)
    first = jax.jit(jax.grad(f))
    same(first(STEPS) @ along, jnp.asarray(slope(theirs, 0.02)[0]), 1e-9)
    second = slope(lambda t: np.asarray(first(STEPS + t * along) @ along), 0.02)[0]
    same(along @ jax.jit(jax.hessian(f))(STEPS) @ along, jnp.asarray(second), 1e-8)


def test_distances_have_no_derivative_in_the_image():
    f = lambda x: jnp.sum(ndimage.distance_transform_edt(x, STEPS))
    with pytest.raises(
        hw.MissingDerivative, match=r"distance_transform_edt: .*`input`: a distance depends on which"
    ):
        jax.grad(f)(BLOT.astype(float))
    stack = np.stack([BLOT, ~BLOT])
    same(jax.vmap(lambda x: f(x))(stack), jnp.stack([f(BLOT), f(~BLOT)]), 1e-13)


# ---- places in all modes


@pytest.mark.rotating
@pytest.mark.parametrize("mode", EVERY)
def test_coordinates_of_each_order_and_mode(mode):
    places = np.concatenate([random.uniform(-9, 15, (2, 30)), [[0, 6, -1e-3, 17.9], [0, 5, -5.0, 9.7]]], 1)
    far = np.array([[18.2], [9.7]])  # more than SciPy's 12 pixels outside, see the docstring
    for order in (0, 3):
        rough = order == 3 and mode in ("reflect", "grid-mirror")
        limits = [(places, 1e-3 if rough else 1e-10), (far, 1e-3 if rough else 1e-6)]
        for at, exact in limits if order == 3 else [(np.concatenate([places, far], 1), 1e-10)]:
            expected = scipy.ndimage.map_coordinates(IMAGE, at, order=order, mode=mode, cval=0.3)
            same(
                ndimage.map_coordinates(IMAGE, at, order=order, mode=mode, cval=0.3),
                jnp.asarray(expected),
                exact,
            )


@pytest.mark.parametrize("mode", by_turns("grid-constant", "wrap"))
def test_derivatives_of_coordinates_outside(mode):
    places = np.array([[-1.3, 7.4, 2.2], [1.6, 2.3, -0.8]])
    steps = random.normal(size=IMAGE.shape), random.normal(size=places.shape)
    moved = lambda f, t: f(IMAGE + t * steps[0], places + t * steps[1], order=3, mode=mode, cval=0.3)
    expected, error = slope(lambda t: moved(scipy.ndimage.map_coordinates, t), 0.02)
    assert np.max(error) < 1e-8
    got = jax.jit(lambda t: jax.jvp(lambda t: moved(ndimage.map_coordinates, t), (t,), (1.0,))[1])(0.0)
    same(got, jnp.asarray(expected), 1e-9)


# ---- examples, errors


@pytest.mark.parametrize("name", ["_ranks", "_distances"])
def test_the_examples_say_what_comes_out(name):
    module = importlib.import_module(f"hostwrap.ndimage.{name}")
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    for key in ndimage.__all__:
        if key in vars(module):
            for test in finder.find(vars(module)[key], key, module=False, globs=dict(vars(module))):
                runner.run(test)
    assert runner.summarize().attempted and not runner.summarize().failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ndimage.median_filter(IMAGE * 1j, 3), "median_filter: `input` must be real, got complex128"),
        (lambda: ndimage.median_filter("cat", 3), "median_filter: `input` must be a number or an array"),
        (lambda: ndimage.distance_transform_edt(BLOT, [1.0] * 3), r"`sampling` must be .*\(2,\), got \(3,\)"),
        (lambda: ndimage.distance_transform_edt(BLOT, None, False), "give return_distances=True or"),
        (lambda: ndimage.map_coordinates(IMAGE, np.zeros((2, 1)), order=6), "an integer from 0 to 5"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()
