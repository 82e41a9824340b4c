"""Functions of SciPy that end in compiled code: what a twin is given, and what is followed where that does not do."""

import jax
import numpy as np
import pytest
import scipy.fft
import scipy.ndimage
import scipy.signal
import scipy.stats

import hostwrap as hw
from tests._kit.days import by_turns
from tests._kit.versions import SCIPY
from tests.tracing.corpus.differences import jacobian
from tests.tracing.corpus.row import Row
from tests.tracing.corpus.runner import attempt

X = np.array([0.3, 1.7, 2.2, 3.4])
IMAGE = np.sin(np.arange(1.0, 21.0) ** 1.3).reshape(4, 5)
PLACES = np.array([[1.3, 2.2], [2.7, 1.1]])


@pytest.mark.parametrize(
    "case",
    by_turns(
        (lambda x: scipy.ndimage.map_coordinates(x, PLACES, order=1), IMAGE),
        (lambda x: scipy.fft.dct(x, type=3), X),
        (scipy.signal.sawtooth, X),
        (lambda x: scipy.ndimage.zoom(x, 1.5, order=2), IMAGE),
        (lambda x: scipy.fft.hfft(x, workers=1), X),
        (lambda x: scipy.fft.rfft2(x, norm="ortho"), IMAGE),
    ),
)
def test_traced(case):
    function, argument = case
    assert attempt(Row("test", function, (argument,), {}), None, False).way == "traced"


def test_a_function_whose_twin_cannot_take_it_is_followed_once():
    """Not again and again by its own name: it is recorded, in the order of SciPy's code."""
    image = IMAGE

    def blurred(sigma):
        return scipy.ndimage.gaussian_filter(image, sigma)

    wrapped = hw.wrap(blurred, out=jax.ShapeDtypeStruct(image.shape, float))
    assert "a branch" in hw.explain(wrapped, 1.3).why
    slope = (blurred(1.3 + 1e-6) - blurred(1.3 - 1e-6)) / 2e-6
    np.testing.assert_allclose(jax.jacfwd(wrapped)(1.3), slope, rtol=1e-6, atol=1e-8)


def test_statistics_that_look_at_the_numbers_are_recorded():
    """SciPy 1.18 writes `iqr` without a look at them."""
    wrapped = hw.wrap("(n)->()")(scipy.stats.iqr)
    way = "traced" if SCIPY >= (1, 18) else "recorded"
    assert hw.explain(wrapped, X).way == way, hw.explain(wrapped, X)
    np.testing.assert_allclose(jax.grad(wrapped)(X), np.ravel(jacobian(scipy.stats.iqr, X).value), atol=1e-8)
