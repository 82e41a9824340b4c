"""`hostwrap.ndimage` with functions of the user's: SciPy's values, derivatives by differences of them."""

import doctest

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.ndimage

import hostwrap as hw
from hostwrap import ndimage
from hostwrap.ndimage import _callables, _distances
from tests._kit.along import both_ways, change
from tests._kit.days import by_turns

random = np.random.default_rng(5)
IMAGE, P = random.normal(size=(6, 7)), 0.7
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
HERE = random.uniform(size=(5, 6)) > 0.3


def at(xp, p):
    return lambda i: (i[0] + p * i[1] / 5, xp.sin(p) * i[1] + 0.3)


CASES = {
    "generic_filter": (lambda m, xp, x, p: m.generic_filter(x, lambda w: xp.sum(w**2 * p), 3), IMAGE, P),
    "by a footprint": (
        lambda m, xp, x: m.generic_filter(x, lambda w: w[0] * w[3] - w[4], footprint=CROSS, mode="wrap"), IMAGE),
    "with an origin": (
        lambda m, xp, x: m.generic_filter(x, lambda w, a, b: xp.sum(w**3) * a + b, (2, 4), mode="constant", cval=0.5,
                                          origin=(-1, 1), extra_arguments=(2.0,), extra_keywords={"b": 1.0}), IMAGE),
    "along an axis": (
        lambda m, xp, x: m.generic_filter(x, lambda w: w[0] * w[2], 3, mode="mirror", axes=(1,)), IMAGE),
    "geometric_transform": (lambda m, xp, x, p: m.geometric_transform(x, at(xp, p)), IMAGE, P),
    "of another shape": (
        lambda m, xp, x, p: m.geometric_transform(x, lambda i: (p * i[0], i[0] + 0.4), (4,), order=2, mode="mirror"),
        IMAGE, P),
    "distance_transform_bf": (
        lambda m, xp, s: m.distance_transform_bf(HERE, sampling=s if m is ndimage else tuple(s)), np.array([0.9, 1.3])),
}  # fmt: skip


@pytest.mark.parametrize("name", by_turns(*CASES))
def test_values_and_derivatives(name):
    call, *at = CASES[name]
    along = [random.normal(size=np.shape(x)) for x in at]
    ours, theirs = (lambda *x: call(ndimage, jnp, *x)), (lambda *x: call(scipy.ndimage, np, *x))
    expected = change(theirs, at, along, 1e-4)
    weights = random.normal(size=expected.shape)
    value, tangent, pulled = both_ways(ours, at, along, weights)
    np.testing.assert_allclose(value, theirs(*at), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(tangent, expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(pulled, np.sum(weights * tangent), rtol=1e-9)


@pytest.mark.rotating
def test_the_examples_say_what_comes_out():
    for module in (_callables, _distances):
        assert not doctest.testmod(module).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ndimage.generic_filter(IMAGE, jnp.sum), "give size= or footprint="),
        (lambda: ndimage.generic_filter(IMAGE, jnp.sum, 3, origin=2), "an origin inside"),
        (lambda: ndimage.generic_filter(IMAGE, jnp.sum, (3,)), "`size` must be an integer"),
        (lambda: ndimage.generic_filter(IMAGE, lambda w: w, 3), "must return a number"),
        (lambda: ndimage.geometric_transform(IMAGE, lambda i: (i[0],)), "must return 2 numbers"),
        (lambda: ndimage.geometric_transform(IMAGE, lambda i: i, prefilter=False), "prefilter=True"),
        (lambda: ndimage.distance_transform_bf(HERE, "taxicab"), "distances are integers"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()
