"""`hostwrap.patch` with packages that know nothing of JAX: line shapes of lmfit, filters of filterpy, control."""

import concurrent.futures
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._rules.differences import slope

PLACES = np.linspace(-2.0, 2.0, 7)
MATRIX, COLUMN = np.array([[-1.0, 0.2], [0.3, -2.0]]), np.array([[0.0], [1.0]])
EYE, MOVE = np.eye(2), np.array([[1.0, 0.1], [0.0, 1.0]])


def lineshapes():
    return pytest.importorskip("lmfit.lineshapes")


def kalman():
    return pytest.importorskip("filterpy.kalman")


def statistics():
    return pytest.importorskip("filterpy.stats")


def control():
    return pytest.importorskip("control")


CODE = {
    "moffat": lambda p: lineshapes().moffat(PLACES, 1.0, 0.1, 0.5, p),
    "breit_wigner": lambda p: lineshapes().breit_wigner(PLACES, 1.0, p, 0.5, 0.2),
    "expgaussian": lambda p: lineshapes().expgaussian(PLACES, 1.0, p, 0.3, 0.9),
    "doniach": lambda p: lineshapes().doniach(PLACES, 1.0, p, 0.3, 0.2),
    "thermal_distribution": lambda p: lineshapes().thermal_distribution(PLACES + 3, 1.0, p, 0.3),
    "step": lambda p: lineshapes().step(PLACES, 1.0, p, 0.3, form="erf"),
    "prediction": lambda p: kalman().predict(np.ones(2), EYE * p, F=MOVE, Q=0.1 * EYE)[1],
    "update": lambda p: kalman().update(np.ones(2), EYE * p, np.array([1.2]), np.array([[0.5]]), EYE[:1])[0],
    "unscented": lambda p: kalman().unscented_transform(
        p * np.arange(10.0).reshape(5, 2), np.ones(5) / 5, np.ones(5) / 5, EYE
    )[1],
    "density": lambda p: statistics().logpdf(p * np.array([1.0, 2.0]), np.array([0.3, 0.2]), EYE + 0.3),
    "probability": lambda p: statistics().norm_cdf((0.0, 1.0), 0.0, p),
    "lqr": lambda p: control().lqr(p * MATRIX, COLUMN, EYE, EYE[:1, :1])[0],
    "lyap": lambda p: control().lyap(p * MATRIX, EYE),
    "care": lambda p: control().care(p * MATRIX, COLUMN, EYE)[0],
}


@pytest.mark.parametrize("name", CODE)
@pytest.mark.rotating
def test_packages(name):
    code = lambda p: jnp.sum(jnp.asarray(CODE[name](p)))
    want, error = slope(lambda t: float(np.sum(CODE[name](0.7 + t))), 0.02)
    with hw.patch():
        found, compiled = jax.grad(code)(0.7), jax.jit(jax.grad(code))(0.7)
    np.testing.assert_allclose([found, compiled], want, rtol=1e-8, atol=10 * error)


def modules():
    """What all modules of these packages hold."""
    packages = ("lmfit", "filterpy", "control")
    return {name: dict(vars(m)) for name, m in sys.modules.items() if name.split(".")[0] in packages}


def test_packages_are_what_they_were():
    control(), kalman()  # importing is what counts
    want, before = lineshapes().voigt(PLACES, 1.0, 0.1, 0.7, 0.3), modules()
    with hw.patch():
        assert any(modules()[name] != held for name, held in before.items())
        np.testing.assert_array_equal(lineshapes().voigt(PLACES, 1.0, 0.1, 0.7, 0.3), want)
    assert all(modules()[name] == held for name, held in before.items())


def test_threads_that_patch_packages():
    f = CODE["expgaussian"]

    def work(_):
        with hw.patch():
            return float(jax.grad(lambda p: jnp.sum(f(p)))(0.7))

    lineshapes()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(8)))
    assert len(found) == 8
    assert len(set(found)) == 1
    np.testing.assert_allclose(found[0], slope(lambda t: float(np.sum(f(0.7 + t))), 0.02)[0], rtol=1e-8)
