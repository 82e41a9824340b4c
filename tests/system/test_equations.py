"""Differential equations in the hands of others: JAX's and diffrax's solvers, networks whose loss holds Laplacians."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from jax.experimental.jet import jet
from jax.experimental.ode import odeint

import hostwrap as hw
from hostwrap import special

END = 0.5
LIMITS = {"rtol": 1e-11, "atol": 1e-11}


@hw.wrap
def logistic(y):
    """NumPy, of which hostwrap finds the derivatives in the code."""
    return y - np.square(y)


def exact_logistic(start):
    return start / (start + (1 - start) * jnp.exp(-END))


def growth(y):
    return special.i0(y)


def time_of(start, end):
    """y' = I_0(y) takes so long from the one to the other."""
    return float(mpmath.quad(lambda u: 1 / mpmath.besseli(0, u), [float(start), float(end)]))


def by_odeint(field):
    return lambda start: odeint(lambda y, t: field(y), start, jnp.array([0.0, END]), **LIMITS)[-1]


def by_diffrax(solver, adjoint):
    diffrax = pytest.importorskip("diffrax")
    made = getattr(diffrax, solver)()

    def of(field):
        return lambda start: diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, args: field(y)),
            made,
            t0=0.0,
            t1=END,
            dt0=0.05,
            y0=start,
            stepsize_controller=diffrax.PIDController(rtol=1e-10, atol=1e-10),
            adjoint=getattr(diffrax, adjoint)(),
        ).ys[-1]

    return of


SOLVERS = {
    "odeint": lambda: by_odeint,
    "Dopri8": lambda: by_diffrax("Dopri8", "RecursiveCheckpointAdjoint"),
    "Dopri8, backsolve": lambda: by_diffrax("Dopri8", "BacksolveAdjoint"),
    "Kvaerno5": lambda: by_diffrax(
        "Kvaerno5", "RecursiveCheckpointAdjoint"
    ),  # implicit: it wants the Jacobian
}
WITH_SOLVERS = pytest.mark.parametrize("name", SOLVERS)


@WITH_SOLVERS
@pytest.mark.rotating
def test_a_field_of_numpy(name):
    flow = SOLVERS[name]()(logistic)
    end, slope = jax.jit(jax.value_and_grad(flow))(0.25)
    np.testing.assert_allclose(end, exact_logistic(0.25), rtol=1e-8)
    np.testing.assert_allclose(slope, jax.grad(exact_logistic)(0.25), rtol=1e-7)


@WITH_SOLVERS
@pytest.mark.rotating
def test_a_field_of_special_functions(name):
    """I_0(y(t)) / I_0(y(0)) is the derivative in the start."""
    flow = SOLVERS[name]()(growth)
    end, slope = jax.jit(jax.value_and_grad(flow))(0.25)
    np.testing.assert_allclose(time_of(0.25, end), END, rtol=1e-8)
    np.testing.assert_allclose(slope, special.i0(end) / special.i0(0.25), rtol=1e-7)


@pytest.mark.rotating
def test_a_second_derivative_of_a_flow():
    """Of the logistic equation, forward over the steps of a fixed number."""

    def flow(start):
        step = END / 64

        def runge_kutta(y, _):
            k1 = logistic(y)
            k2 = logistic(y + step / 2 * k1)
            k3 = logistic(y + step / 2 * k2)
            return y + step / 6 * (k1 + 2 * k2 + 2 * k3 + logistic(y + step * k3)), None

        return jax.lax.scan(runge_kutta, start, None, length=64)[0]

    found = jax.jit(jax.hessian(flow))(0.25)
    np.testing.assert_allclose(found, jax.hessian(exact_logistic)(0.25), rtol=1e-7)


# ---- networks

UNITS, DIMENSION = 8, 3


def network(weights, x):
    """A sum of units, each of a function of one number: its Laplacian is known by hand."""
    first, shift, last = weights
    return last @ special.erf(first @ x + shift)


def weights():
    random = np.random.default_rng(0)
    return (
        jnp.asarray(random.normal(size=(UNITS, DIMENSION))),
        jnp.asarray(random.normal(size=UNITS)),
        jnp.asarray(random.normal(size=UNITS)),
    )


def erf_second(u):
    return -4 / jnp.sqrt(jnp.pi) * u * jnp.exp(-u * u)


def erf_fourth(u):
    return (24 * u - 16 * u**3) / jnp.sqrt(jnp.pi) * jnp.exp(-u * u)


def by_hand(derivative, power):
    """The Laplacian, or that of it, of the network."""

    def of(weights, x):
        first, shift, last = weights
        return (last * jnp.sum(first**2, axis=1) ** power) @ derivative(first @ x + shift)

    return of


def nested(f):
    """The trace of the Hessian, as most networks for differential equations have it."""
    return lambda weights, x: jnp.trace(jax.hessian(f, argnums=1)(weights, x))


def forward(f):
    """The second Taylor coefficients along the axes."""

    def of(weights, x):
        second = lambda v: jet(lambda x: f(weights, x), (x,), ((v, jnp.zeros_like(x)),))[1][1]
        return jnp.sum(jax.vmap(second)(jnp.eye(DIMENSION)))

    return of


@pytest.mark.parametrize("laplacian", [nested, forward])
def test_the_loss_of_a_network_holds_a_laplacian(laplacian):
    """Its gradient in all weights, over a batch of places."""
    places = jnp.asarray(np.random.default_rng(1).normal(size=(5, DIMENSION)))

    def loss(of):
        return lambda weights: jnp.mean(jax.vmap(lambda x: of(weights, x) - network(weights, x))(places) ** 2)

    found = jax.jit(jax.value_and_grad(loss(laplacian(network))))(weights())
    want = jax.jit(jax.value_and_grad(loss(by_hand(erf_second, 1))))(weights())
    for f, w in zip(jax.tree.leaves(found), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(f, w, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("laplacian", [nested, forward])
@pytest.mark.rotating
def test_a_laplacian_of_a_laplacian(laplacian):
    x = jnp.array([0.3, -0.2, 0.7])
    found = jax.jit(laplacian(laplacian(network)))(weights(), x)
    np.testing.assert_allclose(found, by_hand(erf_fourth, 2)(weights(), x), rtol=1e-10)
