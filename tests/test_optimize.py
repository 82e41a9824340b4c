"""`hostwrap.optimize`: roots and minima against closed forms, in all modes."""

import doctest
import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.optimize

import hostwrap as hw
from hostwrap import optimize
from tests._kit.days import by_turns
from tests._kit.toys import fresh_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("fresh_lane")

cubic = optimize.brentq(lambda x, a, b: a * x**3 - b)  # x = (b/a)^(1/3)
power = optimize.root(lambda x, a, b: a * x**3 - b)


def cubic_root(a, b):
    return jnp.cbrt(b / a)


SCALARS = {
    "jacfwd": lambda f: jax.jacfwd(f, (0, 1)),
    "jacrev": lambda f: jax.jacrev(f, (0, 1)),
    "hessian": lambda f: jax.hessian(f, (0, 1)),
    "third": lambda f: jax.grad(jax.grad(jax.grad(f)), 1),
}


@lanes
@pytest.mark.parametrize("transform", by_turns(*SCALARS))
def test_brentq(transform):
    transform = SCALARS[transform]
    solve = transform(lambda a, b: cubic(0.0, 10.0, a, b))
    same(jax.jit(solve)(2.0, 5.0), transform(cubic_root)(2.0, 5.0), 1e-9)


def test_brentq_broadcasts_and_its_bracket_does_not_matter():
    a, b = np.array([1.0, 2.0]), np.array([[3.0], [4.0]])
    same(cubic(0.0, 10.0, a, b), cubic_root(a, b), 1e-11)
    same(jax.grad(cubic, (0, 1))(0.0, 10.0, 2.0, 5.0), (0.0, 0.0))
    got = jax.jit(jax.grad(lambda a: cubic(0.0, 10.0, a, b).sum()))(a)
    same(got, jax.grad(lambda a: cubic_root(a, b).sum())(a), 1e-10)


@lanes
@pytest.mark.parametrize("transform", by_turns("jacfwd", "jacrev", "hessian"))
def test_root(transform):
    x0, a, b = np.ones(3), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 7.0])
    transform = SCALARS[transform]
    same(jax.jit(transform(lambda a, b: power(x0, a, b)))(a, b), transform(cubic_root)(a, b), 1e-7)


def test_root_of_a_matrix_and_in_batches():
    """x x = a: the square root of a matrix."""
    square = optimize.root(lambda x, a: x @ x - a, tol=1e-12)
    a = np.array([[4.0, 1.0], [0.5, 3.0]])
    same(square(np.eye(2), a), hw.linalg.sqrtm(a), 1e-10)
    same(jax.jit(jax.jacrev(square, 1))(np.eye(2), a), jax.jacrev(hw.linalg.sqrtm)(a), 1e-9)
    stack = np.stack([a, a.T])
    same(jax.jit(jax.vmap(square, (None, 0)))(np.eye(2), stack), hw.linalg.sqrtm(stack), 1e-10)


def rosenbrock(x, a, b):
    return (a - x[0]) ** 2 + b * (x[1] - x[0] ** 2) ** 2  # the minimum is at (a, a²)


@pytest.mark.parametrize("transform", ["jacfwd", "jacrev", "hessian"])
def test_minimize(transform):
    solve = optimize.minimize(rosenbrock, jac=scipy_slope, tol=1e-10)
    exact = SCALARS[transform](lambda a, b: jnp.stack([a, a**2 + 0 * b]))(1.5, 10.0)
    got = jax.jit(SCALARS[transform](lambda a, b: solve(np.zeros(2), a, b)))(1.5, 10.0)
    same(got, exact, 1e-6)


def scipy_slope(x, a, b):
    inner = x[1] - x[0] ** 2
    return np.array([-2 * (a - x[0]) - 4 * b * x[0] * inner, 2 * b * inner])


def test_functions_that_jax_cannot_trace_have_a_residual_beside():
    def kepler(E, M, e):
        return E - e * np.sin(E) - M

    with pytest.raises(hw.RuleError, match=r"kepler: JAX cannot trace it.*give the equation in jax.numpy"):
        jax.grad(optimize.brentq(kepler), 2)(-10.0, 10.0, 1.0, 0.3)
    solve = optimize.brentq(kepler, lambda E, M, e: E - e * jnp.sin(E) - M)
    E = solve(-10.0, 10.0, 1.0, 0.3)
    same(
        jax.jit(jax.grad(solve, (2, 3)))(-10.0, 10.0, 1.0, 0.3),
        (1 / (1 - 0.3 * np.cos(E)), np.sin(E) / (1 - 0.3 * np.cos(E))),
        1e-10,
    )
    lowest = optimize.minimize(lambda x, a: np.cosh(x[0] - a), lambda x, a: jnp.sinh(x - a), tol=1e-9)
    same(jax.jit(jax.jacrev(lowest, 1))(np.zeros(1), 0.5), np.ones(1), 1e-8)


def test_single_precision():
    x = cubic(*map(np.float32, (0.0, 10.0, 2.0, 5.0)))
    assert x.dtype == np.float32
    slope = jax.grad(cubic, 3)(*map(np.float32, (0.0, 10.0, 2.0, 5.0)))
    assert slope.dtype == np.float32
    np.testing.assert_allclose(slope, jax.grad(cubic_root, 1)(2.0, 5.0), rtol=1e-5)
    assert power(np.ones(2, np.float32), np.ones(2), np.ones(2)).dtype == np.float64


def test_what_does_not_converge_is_an_error():
    nothing = optimize.root(lambda x, a: x * x + a)
    with pytest.raises(RuntimeError, match="no convergence: The iteration is not making good progress"):
        nothing(np.ones(1), 1.0)
    with pytest.raises(ValueError, match="different signs"):
        cubic(5.0, 10.0, 2.0, 5.0)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"root\(<lambda>\): .* no convergence"):
        jax.block_until_ready(jax.jit(nothing)(np.ones(1), 1.0))


def test_a_minimum_that_is_none_is_found_out():
    early = optimize.minimize(lambda x, a: (x[0] - a) ** 4 + (x[0] - a) ** 2, method="Nelder-Mead", tol=0.5)
    with pytest.raises(hw.ResultError, match=r"minimize\(<lambda>\): the host's answer is no root"):
        jax.jacrev(early, 1)(np.array([2.9]), 1.0)


@pytest.mark.parametrize("solver", [optimize.brentq, optimize.root, optimize.minimize])
def test_what_is_no_function_is_refused(solver):
    with pytest.raises(hw.RuleError, match="expected a function, got int"):
        solver(3)
    with pytest.raises(hw.RuleError, match="expected a function, got"):
        solver(lambda x, a: x - a, 3)


def test_values_are_those_of_scipy():
    expected = scipy.optimize.brentq(lambda x: 2 * x**3 - 5, 0, 10)
    same(jax.jit(cubic)(0.0, 10.0, 2.0, 5.0), expected, 1e-15)


# ---- called as SciPy's


@pytest.mark.parametrize("module", ["equations", "minima", "squares", "quadrature", "trajectories"])
@pytest.mark.rotating
def test_examples_print_what_they_say(module):
    tried = doctest.testmod(importlib.import_module(f"hostwrap._recipes.{module}"))
    assert tried.attempted
    assert not tried.failed


@pytest.mark.rotating
def test_a_function_that_closes_over_traced_arrays_in_batches():
    def rate(y):
        x = jnp.arange(4.0)
        return optimize.curve_fit(lambda x, a, b: a * jnp.exp(-b * x), x, y, p0=[1.0, 0.5], xtol=1e-15)[0]

    y = np.array([[1.9, 1.2, 0.8, 0.4], [2.0, 1.1, 0.7, 0.5]])
    jacobians = jax.jit(jax.vmap(jax.jacrev(rate)))(y)
    for row, jacobian in zip(y, jacobians, strict=True):
        found = optimize.least_squares(
            lambda p, row=row: p[0] * jnp.exp(-p[1] * jnp.arange(4.0)) - row,
            [1.0, 0.5],
            xtol=1e-15,
            ftol=1e-15,
        )
        J, r = np.asarray(found.jac), np.asarray(found.fun)
        curve = [[0, -np.arange(4.0)], [-np.arange(4.0), found.x[0] * np.arange(4.0) ** 2]]
        e = np.exp(-found.x[1] * np.arange(4.0))
        matrix = J.T @ J + np.array([[np.sum(r * e * c) for c in line] for line in curve])
        same(jacobian, jnp.asarray(np.linalg.solve(matrix, J.T)), 1e-6)


@pytest.mark.rotating
def test_minimize_with_bounds_and_constraints():
    rule = {"type": "ineq", "fun": lambda x, a: a - x[0] - x[1]}  # it holds: both are on the line
    nearest = optimize.minimize(
        lambda x, a: (x[0] - 2) ** 2 + 2 * (x[1] - 2) ** 2,
        bounds=[(0, None), (0, None)],
        constraints=rule,
        tol=1e-12,
    )
    x = nearest(np.array([0.3, 0.2]), 3.0)
    same(x, jnp.array([4 / 3, 5 / 3]), 1e-6)
    same(jax.jit(jax.jacfwd(nearest, 1))(np.array([0.3, 0.2]), 3.0), jnp.array([2 / 3, 1 / 3]), 1e-6)
    same(jax.jacrev(nearest, 1)(np.array([0.3, 0.2]), 3.0), jnp.array([2 / 3, 1 / 3]), 1e-6)
    with pytest.raises(hw.RuleError, match="gradient= has no part"):
        optimize.minimize(lambda x: x @ x, jax.grad(lambda x: x @ x), constraints=rule)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: optimize.root_scalar(3.0, bracket=(0, 1)),
            "root_scalar: expected a function, got float: 3.0",
        ),
        (
            lambda: optimize.least_squares(lambda x: x, [1.0], loss="none"),
            "loss= is one of .*'cauchy'.*'none'",
        ),
        (lambda: optimize.nnls(np.eye(2) * 1j, np.ones(2)), "nnls: A must be real, got complex128"),
        (lambda: optimize.curve_fit(lambda x, *p: x, [1.0], [1.0]), "curve_fit: give p0="),
        (
            lambda: optimize.linprog([1.0, 2.0], bounds=[(0, 1)] * 3),
            "linprog: bounds are a pair .* for each of 2",
        ),
        (
            lambda: optimize.minimize(lambda x: x @ x, constraints={"type": "or", "fun": abs})(np.ones(1)),
            "the type of a constraint is 'eq' or 'ineq', got 'or'",
        ),
        (
            lambda: optimize.minimize(lambda x: x @ x, constraints=[3])(np.ones(1)),
            "constraints are dictionaries .*got int",
        ),
        (lambda: optimize.root_scalar(np.sin, bracket=(1, 4)).root, "JAX cannot trace the function"),
    ],
)
def test_what_a_solver_does_not_take(call, words):
    with pytest.raises(hw.RuleError, match=words):
        call()
