"""`solve_ivp` of complex numbers: SciPy's values, and differences of them, traced and recorded."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate

import hostwrap as hw
from hostwrap import integrate
from tests._kit.days import by_turns

START, TIMES = np.array([1.0 + 0.2j, 0.3j]), np.linspace(0.0, 1.0, 4)
FINE = {"rtol": 1e-10, "atol": 1e-12}
RATES = {
    "holomorphic": lambda xp, p, y: -1j * (xp.array([[p, 1.0], [1.0, -p]]) @ y),
    "abs": lambda xp, p, y: -1j * p * y[::-1] + 0.1 * xp.abs(y) * y,
    "conj": lambda xp, p, y: 1j * p * xp.conj(y) * y,
    "parts": lambda xp, p, y: p * y.real * y - 1j * y.imag,
}


def difference(f, p, h=1e-3):
    return (8 * (f(p + h) - f(p - h)) - f(p + 2 * h) + f(p - 2 * h)) / (12 * h)


def solution(module, xp, name, p, start=START, **options):
    rate = lambda t, y: RATES[name](xp, p, y)
    return module.solve_ivp(rate, (0.0, 1.0), start, **{**FINE, **options})


def number(y):
    """Of both parts."""
    return abs(y[0, -1]) ** 2 + y[1, -1].real


@pytest.mark.parametrize("name", by_turns(*RATES))
@pytest.mark.parametrize("method", by_turns("RK45", "BDF"))
def test_derivatives(name, method):
    how = {"method": method, "t_eval": TIMES}
    ours = lambda p: solution(integrate, jnp, name, p, **how).y
    theirs = lambda p: solution(scipy.integrate, np, name, p, **how).y
    recorded = hw.wrap(lambda p: number(theirs(p)) if p > 0 else p)
    found = jax.jit(ours)(0.7)
    np.testing.assert_allclose(found, theirs(0.7), rtol=1e-14, atol=1e-15)
    assert found.dtype == complex
    np.testing.assert_allclose(jax.jacfwd(ours)(0.7), difference(theirs, 0.7), rtol=1e-6, atol=1e-6)
    expected = difference(lambda p: number(theirs(p)), 0.7)
    slope = jax.jit(jax.grad(lambda p: number(ours(p))))
    np.testing.assert_allclose([slope(0.7), jax.grad(recorded)(0.7)], expected, rtol=1e-6)
    twice = jax.jacfwd(jax.grad(lambda p: number(ours(p))))(0.7)
    np.testing.assert_allclose(twice, difference(slope, 0.7), rtol=1e-5)
    np.testing.assert_allclose(jax.grad(jax.grad(recorded))(0.7), twice, rtol=1e-5)


def test_the_derivative_in_the_start():
    """It is JAX's: of a real number, the conjugate of the gradient in both parts."""
    end = lambda y, module=integrate, xp=jnp: number(solution(module, xp, "abs", 0.7, y, t_eval=TIMES).y)
    at = lambda e: end(START + np.array([e, 0]), scipy.integrate, np)
    expected = difference(at, 0.0) - 1j * difference(lambda e: at(1j * e), 0.0)
    np.testing.assert_allclose(jax.grad(end)(START)[0], expected, rtol=1e-7)


def test_known_numbers_give_scipys_own_steps():
    found, expected = (
        solution(m, xp, "abs", 0.7, dense_output=True, rtol=1e-4, atol=1e-6)
        for m, xp in ((integrate, jnp), (scipy.integrate, np))
    )
    np.testing.assert_allclose(found.t, expected.t, rtol=1e-12)
    np.testing.assert_allclose(found.y, expected.y, rtol=1e-12)
    np.testing.assert_allclose(found.sol(0.4), expected.sol(0.4), rtol=1e-12)
    moved = jax.jacfwd(lambda t: solution(integrate, jnp, "abs", 0.7, dense_output=True).sol(t))(0.4)
    np.testing.assert_allclose(moved, RATES["abs"](np, 0.7, expected.sol(0.4)), rtol=1e-4)


@pytest.mark.parametrize("recorded", [False, True], ids=["traced", "recorded"])
def test_events(recorded):
    """y = exp(i w t) has no real part at pi / (2 w)."""

    def leaves(t, y):
        return y[0].real

    leaves.terminal = True

    def crossing(w, module=integrate):
        found = module.solve_ivp(
            lambda t, y: 1j * w * y, (0.0, 3.0), [1.0 + 0j], events=leaves, **options, **FINE
        )
        return found.t_events[0][0], found.y_events[0][0, 0]

    options = {} if recorded else {"t_eval": [1.0, 2.0]}
    time = lambda w: crossing(w)[0]
    if recorded:
        time = hw.wrap(lambda w: crossing(w, scipy.integrate)[0] if w > 0 else w)
    else:
        np.testing.assert_allclose(crossing(0.9)[1], 1j, atol=1e-9)
    np.testing.assert_allclose(time(0.9), np.pi / 1.8, rtol=1e-9)
    np.testing.assert_allclose(jax.grad(time)(0.9), -np.pi / 2 / 0.81, rtol=1e-7)


def test_a_jump_that_moves():
    end = lambda p: integrate.solve_ivp(
        lambda t, y: 1j * y * jnp.where(t < p, 1.0, 2.0), (0.0, 2.0), [1.0 + 0j], t_eval=[2.0], **FINE
    ).y[0, 0]
    np.testing.assert_allclose(jax.jacfwd(end)(0.7), -1j * np.exp(3.3j), rtol=1e-6)


def test_a_method_that_takes_real_numbers_alone():
    compiled = jax.jit(lambda p: solution(integrate, jnp, "abs", p, method="Radau", t_eval=TIMES).y)
    with pytest.raises(
        (ValueError, jax.errors.JaxRuntimeError), match="`y0` is complex, but the chosen solver"
    ):
        np.asarray(compiled(0.7))
