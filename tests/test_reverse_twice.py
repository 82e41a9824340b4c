"""Reverse over reverse mode of host functions in two arguments, with a loss that is linear in the result.

Then a cotangent is a constant, and what JAX transposes a second time has parts that do not move.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hostwrap import linalg, ndimage, signal
from hostwrap.spatial import distance
from tests._kit.toys import same

draw = np.random.default_rng(5)
POINTS, OTHERS = draw.normal(size=(2, 4, 3))
VECTOR, SIGNAL = draw.normal(size=4), draw.normal(size=12)
BAND = draw.normal(size=(3, 4)) + np.array([[0.0], [6.0], [0.0]])
B, A = np.array([0.2, 0.3, 0.1]), np.array([1.0, -0.4, 0.2])
SECTIONS = np.array([[0.2, 0.3, 0.1, 1.0, -0.4, 0.2]])
IMAGE, PLACES = draw.normal(size=(6, 5)), draw.uniform(1, 3, (2, 3))
EACH_DAY = {  # one for each mechanism
    "a filter, in signal and coefficients": (lambda x, a: signal.lfilter(B, a, x), SIGNAL, A),
    "an equation with a factor": (lambda m, b: linalg.solve_banded((1, 1), m, b), BAND, VECTOR),
}
BY_TURNS = {
    "a filter, twice in its coefficients": (lambda a, d: signal.lfilter(B, a + d, SIGNAL), A, 0 * A),
    "filtfilt": (lambda x, a: signal.filtfilt(B, a, x, padlen=3), SIGNAL, A),
    "sosfilt": (
        lambda x, s: signal.sosfilt(jnp.asarray(SECTIONS).at[:, 4:].set(s), x),
        SIGNAL,
        SECTIONS[:, 4:],
    ),
    "lstsq": (lambda a, d: linalg.lstsq(a + d, VECTOR)[0], POINTS, 0 * POINTS),
    "lstsq, in both": (lambda b, a: linalg.lstsq(a, b)[0], VECTOR, POINTS),
    "cdist": (distance.cdist, POINTS, OTHERS),
    "pdist": (lambda x, d: distance.pdist(x + d), POINTS, 0 * POINTS),
    "map_coordinates": (lambda x, at: ndimage.map_coordinates(x, at, order=4), IMAGE, PLACES),
}


def products(f, x, z):
    """The derivative in z of a product with the gradient in x, backward and forward."""
    shape = jax.eval_shape(f, x, z).shape
    weights, along = (
        np.random.default_rng(1).normal(size=shape),
        np.random.default_rng(2).normal(size=x.shape),
    )
    product = lambda z: jnp.sum(along * jax.grad(lambda x: jnp.sum(weights * f(x, z)))(x))
    return jax.jit(jax.grad(product))(z), jax.jit(jax.jacfwd(product))(z)


@pytest.mark.parametrize("case", EACH_DAY)
def test_reverse_over_reverse(case):
    backward, forward = products(*EACH_DAY[case])
    same(backward, forward, 1e-11)


@pytest.mark.rotating
@pytest.mark.parametrize("case", BY_TURNS)
def test_reverse_over_reverse_of_others(case):
    backward, forward = products(*BY_TURNS[case])
    same(backward, forward, 1e-11)
