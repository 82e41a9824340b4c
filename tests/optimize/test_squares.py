"""Fits under a loss and linear programs against SciPy: values, and derivatives against differences of SciPy's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import hostwrap as hw
from hostwrap import optimize
from hostwrap._tracing.tape import run
from tests._kit.days import by_turns

T = np.linspace(0.0, 2.0, 9)
Y = 1.4 * np.exp(-T) + 0.1 * np.cos(5 * T)
EXACT = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
ALONG = np.sin(np.arange(9.0))
# away from residuals where the loss begins to bend the other way: SciPy's covariance has a root's slope there
SCALES = {"soft_l1": 0.1, "huber": 0.08, "cauchy": 0.2, "arctan": 0.3}


def fit(module, xp, y, loss, scale, **more):
    """The parameters, and their covariance."""
    return module.curve_fit(
        lambda t, a, b: a * xp.exp(-b * t), T, y, [1.0, 1.0], method="trf", loss=loss, f_scale=scale, **EXACT, **more,
        jac=lambda t, a, b: xp.stack([xp.exp(-b * t), -a * t * xp.exp(-b * t)], axis=1),
    )  # fmt: skip


def differences(f, h=1e-3):
    """The slopes of f along `ALONG`, and its size, by Richardson's extrapolation."""
    at = lambda h: (np.concatenate([np.ravel(x) for x in f(Y + h * ALONG)])
                    - np.concatenate([np.ravel(x) for x in f(Y - h * ALONG)])) / (2 * h)  # fmt: skip
    return (4 * at(h / 2) - at(h)) / 3


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("loss", by_turns(*SCALES))
def test_a_fit_under_a_loss(loss, absolute):
    """Its covariance is that of the loss, too."""
    how = {"loss": loss, "scale": SCALES[loss], "absolute_sigma": absolute}
    theirs = lambda y: fit(scipy.optimize, np, y, **how)
    ours = lambda y: jnp.concatenate([jnp.ravel(x) for x in fit(optimize, jnp, y, **how)])
    np.testing.assert_allclose(ours(Y), np.concatenate([np.ravel(x) for x in theirs(Y)]), rtol=1e-6)
    want = differences(theirs)
    slope = jax.jit(lambda y: jax.jvp(ours, (y,), (jnp.asarray(ALONG),))[1])(Y)
    np.testing.assert_allclose(slope, want, rtol=2e-5, atol=2e-5 * np.max(np.abs(want)))
    recorded = run(lambda y: fit(scipy.optimize, np, y if y[0] > 0 else T, **how), [Y], [True])
    got = np.concatenate([np.ravel(x) for x in recorded.jvp([ALONG])])
    np.testing.assert_allclose(got, slope, rtol=1e-6, atol=1e-7 * np.max(np.abs(want)))


@pytest.mark.parametrize("loss", by_turns("linear", "soft_l1", "huber", "cauchy", "arctan"))
def test_what_least_squares_says_under_a_loss(loss):
    """The Jacobian is scaled as SciPy's, and `f_scale` may be traced."""

    def least(module, xp, scale):
        found = module.least_squares(
            lambda p: p[0] * xp.exp(-p[1] * T) - Y, [1.0, 1.0], lambda p: xp.stack([xp.exp(-p[1] * T),
            -p[0] * T * xp.exp(-p[1] * T)], axis=1), loss=loss, f_scale=scale, **EXACT,
        )  # fmt: skip
        return found.x, found.cost, found.fun, found.jac, found.grad

    ours, theirs = least(optimize, jnp, 0.1), least(scipy.optimize, np, 0.1)
    for mine, his in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, his, rtol=1e-6, atol=1e-7)
    slope = jax.jit(jax.grad(lambda s: least(optimize, jnp, s)[0].sum()))(0.1)
    h = 1e-4
    want = (least(scipy.optimize, np, 0.1 + h)[0] - least(scipy.optimize, np, 0.1 - h)[0]).sum() / (2 * h)
    np.testing.assert_allclose(slope, want, rtol=1e-4, atol=1e-6)


def test_what_a_linear_program_leaves():
    c, A, b = (
        np.array([-1.0, -2.0]),
        np.array([[1.0, 1.0], [1.0, 3.0], [1.0, 0.0]]),
        np.array([4.0, 6.0, 5.0]),
    )
    ours, theirs = optimize.linprog(c, A, b), scipy.optimize.linprog(c, A, b)
    np.testing.assert_allclose(ours.slack, theirs.slack, atol=1e-12)
    assert ours.con.shape == theirs.con.shape == (0,)
    slopes = jax.jacobian(lambda b: optimize.linprog(c, A, b).slack)(b)
    np.testing.assert_allclose(slopes, [[0, 0, 0], [0, 0, 0], [-1.5, 0.5, 1]], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: optimize.linprog([1.0, 2.0], [[1.0, 1.0]], [1.0, 2.0]), hw.SignatureError,
         r"linprog: wants A_ub of shape \(2, 2\), as b_ub and c are, got \(1, 2\)"),
        (lambda: optimize.linprog([1.0], A_eq=scipy.sparse.eye_array(1), b_eq=[1.0]), hw.RuleError,
         r"linprog: A_eq is sparse, and must be an array: give A_eq.toarray\(\)"),
        (lambda: optimize.lsq_linear(scipy.sparse.eye_array(1), [1.0]), hw.RuleError, "lsq_linear: A is sparse"),
        (lambda: optimize.curve_fit(lambda t, a: a * t, T, Y, loss="none"), hw.RuleError,
         "curve_fit: loss= is one of .*'cauchy'.*got 'none'"),
    ],
)  # fmt: skip
def test_what_they_refuse(call, error, words):
    with pytest.raises(error, match=words):
        call()
