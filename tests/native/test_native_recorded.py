"""A value that Python computes: the derivatives beside it are C loops all the same, with the bits of NumPy's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import special
from hostwrap._native import program

pytestmark = pytest.mark.native
POINTS = np.array([0.3, 0.9, 1.7, 4.2, -1.0, np.nan])  # besselpoly's own derivatives from 1 on are for Python


def wrapped():
    @hw.wrap
    def f(x):
        return np.cumsum(np.ones(3))[2] * np.exp(x)  # nothing that can be recorded

    f.defpartials(x=lambda ans, x: special.besselpoly(x, 0.5, 1.2))
    return f


def both(x):
    """The value and two derivatives, of one call."""
    f, unit = wrapped(), jnp.ones_like(x)
    (value, first), (_, second) = jax.jvp(lambda x: jax.jvp(f, (x,), (unit,)), (x,), (unit,))
    return value, first, second


@pytest.fixture
def runs(monkeypatch):
    found, run = [], program.Assembled.run
    monkeypatch.setattr(program.Assembled, "run", lambda *args: found.append(args[2]) or run(*args))
    return found


@pytest.mark.parametrize("x", [POINTS, POINTS.reshape(2, 3), POINTS[0], POINTS[3], POINTS[:0]], ids=np.shape)
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_derivatives_beside_a_value_of_python(runs, x, dtype):
    x = np.asarray(x, dtype)
    with hw.lane("native"):
        got = jax.jit(lambda x: both(x))(x)
    assert runs == ([x.shape] if x.size else [])
    with hw.lane("callback"):
        want = jax.jit(lambda x: both(x))(x)
    assert len(runs) <= 1
    for g, w in zip(got, want, strict=True):
        assert g.dtype == dtype
        np.testing.assert_array_equal(g, w)


def test_where_a_program_fails_numpy_does_it(monkeypatch):
    monkeypatch.setattr(program.Assembled, "run", lambda *_: None)
    with hw.lane("native"):
        got = jax.jit(lambda x: both(x))(POINTS)
    with hw.lane("callback"):
        want = jax.jit(lambda x: both(x))(POINTS)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)
