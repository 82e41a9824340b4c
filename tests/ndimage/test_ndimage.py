"""`hostwrap.ndimage`: values by SciPy, derivatives by differences of SciPy's values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.ndimage

import hostwrap as hw
from hostwrap._rules.differences import slope
from hostwrap.ndimage import map_coordinates
from hostwrap.ndimage._splines import MODES
from tests._kit.toys import fresh_lane, same  # noqa: F401

random = np.random.default_rng(3)
IMAGE = random.normal(size=(30, 26))
# inside, at pixels, and outside; for "nearest" SciPy is exact up to 12 pixels away, beyond which it is not
PLACES = np.concatenate([random.uniform(-10, 36, (2, 60)), [[0, 29, 3, 2.5, 29], [0, 25, 2, 1.5, 0]]], 1)
INSIDE = random.uniform(3.1, 20.0, (2, 4))


def _as_scipys(mode, orders):
    for order in orders:
        expected = scipy.ndimage.map_coordinates(IMAGE, PLACES, order=order, mode=mode, cval=0.3)
        same(map_coordinates(IMAGE, PLACES, order=order, mode=mode, cval=0.3), jnp.asarray(expected), 1e-12)


@pytest.mark.rotating
@pytest.mark.parametrize("mode", MODES)
def test_values_are_those_of_scipy(mode):
    _as_scipys(mode, [2, 5] if mode == "reflect" else [3])


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_more_values_are_those_of_scipy(mode):
    _as_scipys(mode, range(1, 6))


def test_coefficients_that_are_given():
    for mode in ("mirror", "nearest", "grid-constant"):
        how = {"mode": mode, "cval": 0.3, "prefilter": False}
        same(
            map_coordinates(IMAGE, PLACES, **how), scipy.ndimage.map_coordinates(IMAGE, PLACES, **how), 1e-12
        )


def test_values_of_lines_volumes_and_complex_images():
    line, volume = random.normal(size=9), random.normal(size=(4, 5, 6))
    at = np.array([[[0.2, 3.3]], [[1.0, 2.8]], [[4.9, 0.1]]])
    for image, places in ((line, at[:1]), (volume, at), (volume + 1j * volume**2, at)):
        same(map_coordinates(image, places), scipy.ndimage.map_coordinates(image, places), 1e-12)
    assert map_coordinates(line.astype(np.float32), at[:1].astype(np.float32)).dtype == np.float32
    whole = scipy.ndimage.map_coordinates(np.arange(9.0), [[2.5]])
    same(map_coordinates(np.arange(9), np.array([[2.5]])), jnp.asarray(whole), 1e-12)


@pytest.mark.usefixtures("fresh_lane")
@pytest.mark.rotating
def test_derivatives_in_the_image_and_the_places():
    image = IMAGE[:8, :7]
    places = INSIDE % 6
    steps = 0.1 * random.normal(size=image.shape), 0.1 * random.normal(size=places.shape)

    def scipys(t):
        return scipy.ndimage.map_coordinates(image + t * steps[0], places + t * steps[1], order=5)

    def ours(image, places):
        return map_coordinates(image, places, order=5)

    exact, error = slope(scipys, 0.2)
    assert error.max() < 1e-9
    same(jax.jit(lambda *d: jax.jvp(ours, (image, places), d)[1])(*steps), exact, 1e-9)
    rows = jax.jit(jax.jacrev(ours, (0, 1)))(image, places)
    same(sum(jnp.tensordot(r, d, d.ndim) for r, d in zip(rows, steps, strict=True)), exact, 1e-9)
    same(jax.jit(jax.jacfwd(ours, (0, 1)))(image, places), rows, 1e-11)


def test_second_derivatives_and_batches():
    image, places = IMAGE[:6, :5], INSIDE[:, :1] % 4

    def energy(places, image):
        return jnp.sum(map_coordinates(image, places, order=3, mode="mirror") ** 2)

    gradient = jax.jit(jax.grad(energy))
    hessian = jax.jit(jax.hessian(energy))(places, image).reshape(2, 2)
    for i in range(2):
        unit = np.eye(2)[i].reshape(2, 1) * 0.1
        exact, _ = slope(lambda t, unit=unit: np.asarray(gradient(places + t * unit, image)).ravel(), 0.1)
        same(0.1 * hessian[i], jnp.asarray(exact), 1e-8)
    images = np.stack([image, image**2])
    many = jax.jit(jax.vmap(jax.grad(energy, 1), (None, 0)))(places, images)
    same(many, jnp.stack([jax.grad(energy, 1)(places, x) for x in images]), 1e-12)


def test_second_derivatives_between_the_pixels_of_order_0():
    energy = lambda image, places: jnp.sum(map_coordinates(image, places, order=0) ** 2)
    gradient = lambda image, places: jax.grad(energy, (0, 1))(image, places)
    at = IMAGE[:6, :5], INSIDE[:, :3] % 4
    image, places = jax.jvp(gradient, at, at)[
        1
    ]  # a gradient that is linear in the image, and 0 in the places
    same(image, gradient(*at)[0], 1e-12)
    assert not places.any()


def test_outside_of_a_constant_derivatives_are_zero_and_nan_stays_nan():
    slopes = jax.grad(lambda p: map_coordinates(IMAGE, p)[0])(np.array([[-3.0], [2.0]]))
    same(slopes, jnp.zeros((2, 1)))
    assert np.isnan(map_coordinates(IMAGE, np.array([[np.nan], [2.0]]))).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: map_coordinates(IMAGE, PLACES[:1]),
            r"coordinates of shape \(d, ...\), got \(30, 26\), \(1, 65\)",
        ),
        (lambda: map_coordinates(IMAGE, PLACES, order=6), "order=6 must be an integer from 0 to 5"),
        (lambda: map_coordinates(IMAGE, PLACES, mode="worm"), "mode='worm' must be one of .*constant"),
        (lambda: map_coordinates("cat", PLACES), "map_coordinates: `input` must be a number or an array"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


@pytest.mark.rotating
@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_signals_backward(mode, order):
    """An array with one axis: the values are a matrix times the signal, and the vjp is its transpose."""
    for n in (2, 7, 50):
        at = np.linspace(-0.6, n - 0.5, 17)[None]
        values = lambda x: map_coordinates(x, at, order=order, mode=mode)  # noqa: B023
        want = [scipy.ndimage.map_coordinates(e, at, order=order, mode=mode) for e in np.eye(n)]
        np.testing.assert_allclose(jax.jacrev(values)(np.ones(n)), np.stack(want, 1), atol=1e-11)
