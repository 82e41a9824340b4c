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
@pytest.mark.rotating
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
        solver(lambda x, a: x - a, **{"gradient" if solver is optimize.minimize else "residual": 3})


def test_values_are_those_of_scipy():
    expected = scipy.optimize.brentq(lambda x: 2 * x**3 - 5, 0, 10)
    same(jax.jit(cubic)(0.0, 10.0, 2.0, 5.0), expected, 1e-15)


# ---- called as SciPy's


@pytest.mark.parametrize(
    "module",
    [
        "_recipes.equations",
        "integrate._quadrature",
        "integrate._trajectories",
        "optimize._bounded",
        "optimize._choices",
        "optimize._minima",
        "optimize._minimizers",
        "optimize._squares",
    ],
)
@pytest.mark.rotating
def test_examples_print_what_they_say(module):
    tried = doctest.testmod(importlib.import_module(f"hostwrap.{module}"))
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
        (
            lambda: jax.grad(
                lambda a: optimize.root_scalar(lambda x: x - a if x > 1 else -x, bracket=(1, 4)).root
            )(2.0),
            "JAX cannot trace the function",
        ),
    ],
)
def test_what_a_solver_does_not_take(call, words):
    with pytest.raises(hw.RuleError, match=words):
        call()


# ---- what users have for SciPy


@pytest.mark.parametrize(
    ("solve", "exact"),
    [
        (lambda a: optimize.brentq(lambda x: np.exp(x) - a, 0.0, 3.0, xtol=1e-14), np.log),
        (lambda a: optimize.fsolve(lambda x: [x[0] * x[1] - a, np.log(x[1])], [2.0, 1.5])[0], lambda a: a),
        (lambda a: optimize.root(lambda x: np.array([np.sinh(x[0]) - a]), [0.3]).x[0], np.arcsinh),
        (lambda a: optimize.minimize(lambda x: np.sum(np.cosh(x - a)), [0.3], tol=1e-9).x[0], lambda a: a),
        (
            lambda a: optimize.minimize(
                lambda x: np.sum((x - a) ** 2), [0.3, 0.4], bounds=scipy.optimize.Bounds(0, 9), tol=1e-9,
                constraints=[
                    scipy.optimize.LinearConstraint([[1.0, 1.0]], -np.inf, 1.0),
                    scipy.optimize.NonlinearConstraint(lambda x: np.exp(x[0]) - np.exp(x[1]), 0.5, 0.5),
                ],
            ).x.sum(),
            lambda a: 1.0 + 0 * a,
        ),
        (
            lambda a: optimize.curve_fit(lambda t, p, q: p * np.exp(-q * t), TIMES, 2 * jnp.exp(-a * TIMES))[0][1],
            lambda a: a,
        ),
    ],
)  # fmt: skip
@pytest.mark.rotating
def test_functions_in_numpy_and_constraints_as_objects(solve, exact):
    """They may close over traced numbers, as functions in JAX."""
    for f in (solve, jax.jit(solve)):
        same(f(1.7), exact(1.7), 1e-6)
    same(jax.jit(jax.grad(solve))(1.7), (exact(1.7 + 1e-6) - exact(1.7 - 1e-6)) / 2e-6, 1e-5)


TIMES = np.linspace(0.0, 2.0, 9)

# ---- SciPy's other minimizers, and optima of which something is chosen


@pytest.mark.parametrize("name", ["fmin_bfgs", "fmin_slsqp", "brent", "shgo"])
def test_minima_by_the_name_of_the_method(name):
    """x**3 = a: jit, vmap and second derivatives, beside the closed form."""
    f = getattr(optimize, name)
    given = {
        "brent": {"brack": (0.1, 3.0)}, "shgo": {"bounds": [(0.0, 3.0)]}, "fmin_slsqp": {"x0": [1.0], "acc": 1e-13},
        "fmin_bfgs": {"x0": [1.0], "gtol": 1e-7},
    }[name]  # fmt: skip
    value = lambda a: jnp.ravel(find(lambda x: jnp.sum(x**4 / 4 - a * x), a))[0]
    find = lambda fun, a: getattr(found := f(fun, **given), "x", found)
    a = np.array([1.7, 4.2])
    same(jax.jit(jax.vmap(jax.grad(value)))(a), a ** (-2 / 3) / 3, 1e-5)
    same(jax.jit(jax.grad(jax.grad(value)))(1.7), -2 / 9 * 1.7 ** (-5 / 3), 1e-4)


@pytest.mark.rotating
def test_a_bound_that_holds_moves_the_minimum():
    for f in (
        lambda b: optimize.differential_evolution(lambda x: jnp.sum((x - 2) ** 2), [(0.0, b)], rng=1).x[0],
        lambda b: optimize.fmin_l_bfgs_b(
            lambda x: jnp.sum((x - 2) ** 2), [0.3], approx_grad=1, bounds=[(0, b)]
        )[0][0],
        lambda b: optimize.fmin_cobyla(lambda x: jnp.sum((x - 2) ** 2), [0.3], lambda x: b - x)[0],
        lambda b: optimize.fmin_slsqp(lambda x: jnp.sum((x - 2) ** 2), [0.3], f_ieqcons=lambda x: b - x)[0],
    ):
        same(jax.jacfwd(f)(1.0), 1.0, 1e-6)
        same(jax.grad(f)(1.0), 1.0, 1e-6)


def test_solvers_called_with_a_start_are_scipys():
    same(jax.grad(lambda a: optimize.brentq(lambda x: x**3 - a, 0.0, 9.0, xtol=1e-13))(8.0), 1 / 12, 1e-9)
    same(jax.grad(lambda a: optimize.root(lambda x: x**3 - a, x0=jnp.ones(1)).x[0])(8.0), 1 / 12, 1e-7)
    least = lambda a: optimize.minimize(lambda x, k: jnp.sum((x - k) ** 2), jnp.zeros(1), (a**2,)).x[0]
    same(jax.grad(least)(1.5), 3.0, 1e-6)


@pytest.mark.parametrize("increasing", [True, False])
def test_isotonic_regression(increasing):
    random = np.random.default_rng(2)
    y, weights = random.normal(size=9), random.uniform(0.5, 2, 9)
    f = lambda y, w: optimize.isotonic_regression(y, weights=w, increasing=increasing).x
    theirs = lambda y, w: scipy.optimize.isotonic_regression(y, weights=w, increasing=increasing).x
    same(f(y, weights), theirs(y, weights), 1e-14)
    dy, dw = random.normal(size=(2, 9))
    change = (theirs(y + 1e-6 * dy, weights + 1e-6 * dw) - theirs(y - 1e-6 * dy, weights - 1e-6 * dw)) / 2e-6
    same(jax.jvp(f, (y, weights), (dy, dw))[1], change, 1e-7)
    back = jax.jit(jax.vjp(f, y, weights)[1])(dy)
    same(back[0] @ dy + back[1] @ dw, jax.jvp(f, (y, weights), (dy, dw))[1] @ dy, 1e-12)


@pytest.mark.rotating
def test_programs_with_integers():
    c, A, b = np.array([-1.0, -2.0, -1.5]), np.array([[1.0, 1.0, 1.2], [0.5, 2.0, 0.3]]), np.array([4.3, 5.1])

    def answer(module, c, A, b):
        return module.milp(c, integrality=[1, 1, 0], bounds=(0, 3), constraints=[(A, -np.inf, b)]).x

    given = (c, A, b)
    same(answer(optimize, *given), answer(scipy.optimize, *given), 1e-9)
    random = np.random.default_rng(3)
    along = tuple(random.normal(size=x.shape) for x in given)
    ahead, behind = (
        answer(scipy.optimize, *(x + s * 1e-5 * d for x, d in zip(given, along, strict=True)))
        for s in (1, -1)
    )
    f = lambda *given: answer(optimize, *given)
    tangent = jax.jvp(f, given, along)[1]
    same(tangent, (ahead - behind) / 2e-5, 1e-6)
    back = jax.jit(jax.grad(lambda *given: f(*given)[2], (0, 1, 2)))(*given)
    same(sum(jnp.sum(x * d) for x, d in zip(back, along, strict=True)), tangent[2], 1e-9)
    with pytest.raises(hw.RuleError, match="0 or 1"):
        optimize.milp(c, integrality=2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: optimize.isotonic_regression(np.ones((2, 2))), r"wants y and weights of shape \(n,\)"),
        (lambda f: optimize.milp(np.ones(2), constraints=(np.ones(3), 0, 1)), "a matrix with 2 columns"),
        (lambda f: optimize.quadratic_assignment(np.ones((2, 3)), np.ones((2, 3))), r"shape \(n, n\)"),
    ],
)
def test_what_the_minimizers_do_not_take(call, words):
    with pytest.raises((hw.RuleError, hw.SignatureError), match=words):
        call(lambda x: jnp.sum(x**2))


def test_what_minimizers_count_and_say():
    bowl = lambda x, a: jnp.sum((x - a) ** 2 + x**4)
    found = jax.jit(lambda a: optimize.minimize(bowl, [0.0, 0.0], args=(a,)))(1.0)
    theirs = scipy.optimize.minimize(lambda x: np.sum((x - 1) ** 2 + x**4), [0.0, 0.0])
    assert [int(found[k]) for k in ("nit", "nfev", "njev")] == [theirs[k] for k in ("nit", "nfev", "njev")]
    np.testing.assert_allclose(found.jac, theirs.jac, atol=1e-6)
    assert "njev" not in optimize.minimize(bowl, [0.0], args=(1.0,), method="Powell")
    assert optimize.minimize_scalar(lambda x: (x - 1) ** 2).nit > 0


def test_a_grid_that_nobody_polishes():
    f = lambda x, a: (x[0] - a) ** 2
    assert optimize.brute(f, ((0, 1),), (0.33,), Ns=5, finish=None)[0] == 0.25
    with pytest.raises(hw.ResultError):
        jax.grad(lambda a: optimize.brute(f, ((0, 1),), (a,), Ns=5, finish=None)[0])(0.33)


@pytest.mark.rotating
def test_derivatives_between_bounds():
    draw = np.random.default_rng(0)
    A, b, d = np.abs(draw.normal(size=(20, 8))), np.abs(draw.normal(size=20)), draw.normal(size=(20, 8))
    ours, theirs = (lambda t, m=m: m.nnls(A + t * d, b)[0] @ d[0] for m in (optimize, scipy.optimize))
    slope = lambda f, t=0.0: (f(t + 1e-6) - f(t - 1e-6)) / 2e-6
    np.testing.assert_allclose(jax.grad(ours)(0.0), slope(theirs), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.hessian(ours))(0.0), slope(jax.grad(ours)), rtol=1e-6)
    box = lambda m, u: m.lsq_linear(A, b, (-0.1, u)).x @ d[0]
    above = np.full(8, 0.12)
    got = jnp.sum(jax.grad(lambda u: box(optimize, u))(above))
    np.testing.assert_allclose(got, slope(lambda t: box(scipy.optimize, above + t)), rtol=1e-5)
    with pytest.raises(hw.ResultError, match=r"nnls: a number of x is at a bound without a force"):
        jax.grad(lambda b: optimize.nnls(np.eye(2), b)[0].sum())(np.array([0.0, 1.0]))
