"""SciPy's solvers in code without a rule: the derivative is that of the answer, whatever the steps to it were."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
from scipy import integrate, optimize

import hostwrap as hw
from hostwrap._recipes import equations
from hostwrap._tracing import calls
from tests._kit.toys import same

# On an accelerator the program raises it, as an error of JAX with the text of ours.
REFUSED = hw.HostwrapError if jax.default_backend() == "cpu" else jax.errors.JaxRuntimeError


def vector(*shape):
    return jax.ShapeDtypeStruct(shape, float)


def cubic(x, a):
    return x**3 + a * x - 2


TIGHT = {"xtol": 1e-14}
SCALAR = {
    **{
        name: lambda a, name=name: getattr(optimize, name)(lambda x: cubic(x, a), 0, 2, xtol=1e-14)
        for name in ("brentq", "brenth", "bisect", "ridder", "toms748")
    },
    "args=": lambda a: optimize.brentq(cubic, 0, 2, args=(a,), xtol=1e-14),
    "full_output": lambda a: optimize.brentq(cubic, 0, 2, args=(a,), xtol=1e-14, full_output=True)[0],
    "newton": lambda a: optimize.newton(lambda x: cubic(x, a), 1.0, tol=1e-14),
    "newton, fprime": lambda a: optimize.newton(
        lambda x: cubic(x, a), 1.0, lambda x: 3 * x**2 + a, tol=1e-13
    ),
    "root_scalar": lambda a: optimize.root_scalar(lambda x: cubic(x, a), bracket=[0, 2], xtol=1e-14).root,
    "root_scalar, fprime=True": lambda a: (
        optimize.root_scalar(lambda x: (cubic(x, a), 3 * x * x + a), x0=1.0, fprime=True).root
    ),
    "fsolve": lambda a: optimize.fsolve(lambda x: cubic(x, a), 1.0, xtol=1e-13)[0],
    "root": lambda a: optimize.root(lambda x: cubic(x, a), [1.0], tol=1e-13).x[0],
    "root, jac=True": lambda a: optimize.root(
        lambda x: (cubic(x, a), np.array([3 * x**2 + a])), [1.0], jac=True, tol=1e-13
    ).x[0],
    "fixed_point": lambda a: optimize.fixed_point(lambda x: 2 / (x**2 + a), 0.9, xtol=1e-13),
    "newton_krylov": lambda a: optimize.newton_krylov(lambda x: cubic(x, a), [1.0], f_tol=1e-13)[0],
    "minimize_scalar": lambda a: (
        optimize.minimize_scalar(lambda x: x**4 / 4 + a * x**2 / 2 - 2 * x, tol=1e-12).x
    ),
    "fminbound": lambda a: optimize.fminbound(lambda x: x**4 / 4 + a * x**2 / 2 - 2 * x, 0, 2, xtol=1e-12),
}


@pytest.mark.rotating
@pytest.mark.parametrize("solver", SCALAR)
def test_a_root(solver):
    """x' = -x / (3 x² + a)."""
    f = hw.wrap(SCALAR[solver])
    x = scipy.optimize.brentq(cubic, 0, 2, args=(1.3,), xtol=1e-15)
    want, tolerance = -x / (3 * x**2 + 1.3), 1e-7 if "min" in solver else 1e-11
    assert float(f(1.3)) == float(SCALAR[solver](1.3))
    same(jax.grad(f)(1.3), want, tolerance)
    same(jax.jvp(f, (1.3,), (1.0,))[1], want, tolerance)
    assert hw.explain(f, 1.3).way == "traced"


def kepler(M, e):
    return optimize.brentq(lambda E: E - e * np.sin(E) - M, -10, 10, xtol=1e-14)


def test_kepler_in_all_modes_and_twice():
    f = hw.wrap(kepler)
    E = kepler(1.0, 0.3)
    slope = 1 - 0.3 * np.cos(E)
    same(jax.jit(jax.grad(f, (0, 1)))(1.0, 0.3), (1 / slope, np.sin(E) / slope), 1e-13)
    same(jax.jit(jax.hessian(f))(1.0, 0.3), -0.3 * np.sin(E) / slope**3, 1e-12)
    assert hw.explain(f, 1.0, 0.3).replaced["scipy.optimize._zeros_py.brentq"].endswith("equations.brentq")


def test_what_is_known_is_computed_by_scipy_and_may_be_looked_at():
    f = hw.wrap(lambda k: k * (2.0 if optimize.brentq(lambda x: x * x - 2, 0, 2) > 1 else 3.0))
    same(jax.grad(f)(1.0), 2.0)


class Lambert:
    def __init__(self, k):
        self.k = k

    def left(self, x):
        return x * np.exp(x) - self.k

    def solve(self):
        return optimize.brentq(self.left, 0, 10, xtol=1e-14)


def test_a_method_of_an_object_and_a_solver_inside_of_one():
    w = float(scipy.special.lambertw(2.0).real)
    same(jax.grad(hw.wrap(lambda k: Lambert(k).solve()))(2.0), w / (2.0 * (1 + w)), 1e-12)

    def median(a):
        return optimize.brentq(
            lambda x: integrate.quad(lambda t: np.exp(-a * t), 0, x)[0] - 0.5, 0, 5, xtol=1e-13
        )

    exact = lambda a: -jnp.log(1 - a / 2) / a
    same(jax.grad(hw.wrap(median))(0.7), jax.grad(exact)(0.7), 1e-11)


@pytest.mark.rotating
def test_arrays_are_read_from_outside_and_in_batches():
    f = hw.wrap("(n),(n)->()")(
        lambda a, b: optimize.brentq(lambda x: np.sum(a * np.exp(-b * x)) - 1, 0, 50, xtol=1e-14)
    )
    a, b = np.array([1.0, 2, 3]), np.array([0.5, 0.2, 0.3])

    def want(a, b):
        e = np.exp(-b * f(a, b))
        return e / np.sum(a * b * e)

    same(jax.grad(f)(a, b), want(a, b), 1e-12)
    stack = np.stack([a, 2 * a])
    same(jax.jit(jax.vmap(jax.grad(f), (0, None)))(stack, b), np.stack([want(x, b) for x in stack]), 1e-12)


# ---- minima, against closed forms


@pytest.mark.rotating
def test_constraints_and_bounds():
    """The shortest x with x0 + a x1 = 1; then with x1 held."""

    def line(a):
        rule = {"type": "eq", "fun": lambda x: x[0] + a * x[1] - 1}
        return optimize.minimize(lambda x: x @ x, [0.3, 0.2], constraints=rule, tol=1e-12).x

    exact = lambda a: jnp.stack([1 / (1 + a * a), a / (1 + a * a)])
    f = hw.wrap(out=vector(2))(line)
    same(jax.jacrev(f)(1.3), jax.jacrev(exact)(1.3), 1e-6)
    same(jax.jacfwd(f)(1.3), jax.jacfwd(exact)(1.3), 1e-6)
    held = hw.wrap(
        lambda a: optimize.minimize(
            lambda x: (x - 1) @ (x - 1), [0.3, 0.2], bounds=[(None, None), (2 * a, None)]
        ).x[1]
    )
    same(jax.grad(held)(1.3), 2.0, 1e-12)


def test_a_bound_without_a_force_is_an_error():
    f = hw.wrap(
        lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [0.5], bounds=[(0.0, None)], tol=1e-12).x[0]
    )
    with pytest.raises(REFUSED, match="the residual is nan"):
        jax.grad(f)(0.0)


X = np.arange(5.0)
Y = np.array([0.3, 1.1, 1.7, 3.2, 3.9])


@pytest.mark.rotating
def test_a_fit_and_its_covariance():
    """A line: both are known in closed form."""

    def fit(y):
        best, covariance = optimize.curve_fit(lambda x, a, b: a + b * x, X, y)
        return np.append(best, np.sqrt(np.diag(covariance)))

    def exact(y):
        A = jnp.stack([jnp.ones(5), X], axis=1)
        best = jnp.linalg.solve(A.T @ A, A.T @ y)
        s2 = jnp.sum((A @ best - y) ** 2) / 3
        return jnp.append(best, jnp.sqrt(s2 * jnp.diag(jnp.linalg.inv(A.T @ A))))

    f = hw.wrap(out=vector(4))(fit)
    same(jax.jacrev(f)(Y), jax.jacrev(exact)(Y), 1e-6)
    same(jax.jvp(f, (Y,), (X,))[1], jax.jvp(exact, (Y,), (X,))[1], 1e-6)


@pytest.mark.rotating
def test_the_curvature_of_a_residual_that_stays_counts():
    """(x² - y0)² + (x - y1)²: Gauss and Newton's matrix alone is wrong here."""
    f = hw.wrap("(n)->()")(
        lambda y: optimize.least_squares(
            lambda x: np.array([x[0] ** 2 - y[0], x[0] - y[1]]), [1.0], xtol=1e-15, ftol=1e-15, gtol=1e-15
        ).x[0]
    )
    y = np.array([0.5, 3.0])
    x = float(f(y))
    second = 6 * x**2 - 2 * y[0] + 1
    same(jax.grad(f)(y), np.array([2 * x, 1.0]) / second, 1e-7)


FOLLOWED = {  # whose own Python code is traced
    "integrate": {"cubature", "cumulative_trapezoid", "fixed_quad", "qmc_quad", "simpson", "trapezoid"},
    "signal": {"bessel", "butter", "cheby1", "cheby2", "ellip", "firwin"},
}
MODULES = (
    "optimize",
    "integrate",
    "stats",
    "linalg",
    "interpolate",
    "signal",
    "fft",
    "ndimage",
    "spatial.distance",
)


@pytest.mark.parametrize("module", MODULES)
def test_traced_code_has_what_the_modules_have(module):
    ours, theirs = (importlib.import_module(f"{home}.{module}") for home in ("hostwrap", "scipy"))
    found = {name: getattr(theirs, name, None) for name in dir(ours)}
    functions = {name: f for name, f in found.items() if type(f).__name__ in ("function", "_Function")}
    assert {name for name, f in functions.items() if calls.twin_of(f) is None} == FOLLOWED.get(module, set())


@pytest.mark.rotating
def test_linear_problems():
    A, b = np.array([[0.3, 0.5], [1.1, 0.2], [-0.4, 0.9]]), np.array([1.1, 0.9, -1.4])
    nnls = hw.wrap(out=vector(2))(lambda A, b: optimize.nnls(A, b)[0])
    alone = lambda A, b: jnp.stack([A[:, 0] @ b / (A[:, 0] @ A[:, 0]), 0.0])  # the second number is held at 0
    same(jax.jacrev(nnls, (0, 1))(A, b), jax.jacrev(alone, (0, 1))(A, b), 1e-10)

    def vertex(b):
        return optimize.linprog([-1, -2.0], A_ub=[[1, 1.0], [1, 3]], b_ub=b).fun

    same(jax.grad(hw.wrap("(n)->()")(vertex))(np.array([4.0, 6.0])), np.array([-0.5, -0.5]), 1e-10)

    def pairs(cost):
        rows, columns = optimize.linear_sum_assignment(cost)
        return cost[rows, columns].sum()

    cost = np.array([[4.0, 1, 3], [2, 0, 5], [3, 2, 2]])
    same(jax.grad(hw.wrap("(n,n)->()")(pairs))(cost), np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1]]))


# ---- integrals and trajectories


def test_an_integral_in_limits_and_closures_and_twice():
    f = hw.wrap(lambda b, k: integrate.quad(lambda x: np.exp(-k * x), 0, b)[0])
    exact = lambda b, k: (1 - jnp.exp(-k * b)) / k
    same(jax.jit(jax.grad(f, (0, 1)))(1.4, 0.7), jax.grad(exact, (0, 1))(1.4, 0.7), 1e-13)
    same(jax.hessian(f, 1)(1.4, 0.7), jax.hessian(exact, 1)(1.4, 0.7), 1e-12)
    error = hw.wrap(lambda k: integrate.quad(lambda x: np.exp(-k * x), 0, 1)[1], derivatives="unchecked")
    assert np.isnan(jax.grad(error)(0.7))


@pytest.mark.rotating
def test_integrals_in_several_variables():
    f = hw.wrap(lambda k: integrate.dblquad(lambda y, x: np.exp(-k * x) * y, 0, 1, 0, lambda x: k * x)[0])
    exact = lambda k: (2 - (k * k + 2 * k + 2) * jnp.exp(-k)) / (2 * k)
    same(jax.grad(f)(0.7), jax.grad(exact)(0.7), 1e-11)
    infinite = hw.wrap(lambda k: integrate.quad(lambda x: np.exp(-k * x * x), -np.inf, np.inf)[0])
    same(jax.grad(infinite)(0.7), -0.5 * np.sqrt(np.pi) * 0.7**-1.5, 1e-9)


@pytest.mark.rotating
@pytest.mark.parametrize("solver", ["odeint", "solve_ivp"])
def test_a_trajectory(solver):
    """y'' = -k y, in the start, in k and in the last time."""
    times = np.array([0.0, 1.0, 2.0])

    def swing(k, end):
        right = lambda t, y: [y[1], -k * y[0]]
        if solver == "odeint":
            return odeint(right, [1.0, 0.3], times * end / 2)
        found = integrate.solve_ivp(
            right, (0, end), [1.0, 0.3], t_eval=times * end / 2, rtol=1e-11, atol=1e-12
        )
        return found.y[0, -1]

    def odeint(right, y0, t):
        return integrate.odeint(right, y0, t, tfirst=True, rtol=1e-11, atol=1e-12)[-1, 0]

    exact = lambda k, end: jnp.cos(jnp.sqrt(k) * end) + 0.3 / jnp.sqrt(k) * jnp.sin(jnp.sqrt(k) * end)
    f = hw.wrap(swing)
    same(jax.grad(f, (0, 1))(1.7, 2.0), jax.grad(exact, (0, 1))(1.7, 2.0), 1e-8)
    same(jax.jvp(f, (1.7, 2.0), (1.0, 0.5))[1], jax.jvp(exact, (1.7, 2.0), (1.0, 0.5))[1], 1e-8)


# ---- never wrong


def test_where_there_is_no_root_it_is_an_error():
    f = hw.wrap(lambda a: optimize.fsolve(lambda x: x**2 + a, 1.0)[0], on_error="raise")
    with pytest.warns(RuntimeWarning), pytest.raises(REFUSED, match="no convergence"):
        jax.block_until_ready(jax.grad(f)(1.3))


def test_a_solver_that_stops_early_is_an_error():
    f = hw.wrap(lambda a: optimize.brentq(lambda x: cubic(x, a), 0.0, 2.0, xtol=0.5, rtol=0.5))
    with pytest.raises(REFUSED, match="no root of the residual"):
        jax.block_until_ready(jax.grad(f)(1.3))


def test_a_twin_that_solves_another_equation_is_found_out(monkeypatch):
    right = equations.brentq
    monkeypatch.setattr(
        equations, "brentq", lambda f, *rest, **more: right(lambda x: f(x) + 0.1, *rest, **more)
    )
    hw._tracing.calls.twin_of.cache_clear()
    try:
        with pytest.raises(hw.ResultError, match="its derivative would be wrong"):
            jax.grad(hw.wrap(kepler))(1.0, 0.3)
    finally:
        hw._tracing.calls.twin_of.cache_clear()


def test_a_minimizer_is_not_followed_step_by_step():
    f = hw.wrap(lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [0.0]).x[0] if a > 0 else a)
    assert jax.grad(f)(1.0) == pytest.approx(1.0, abs=1e-12)
    assert jax.hessian(f)(1.0) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("solve", "words"),
    [
        (
            lambda a: integrate.quad(lambda x: a / (1 + x), 0, np.inf, weight="cos", wvar=1, full_output=1)[
                0
            ],
            "full_output",
        ),
        (
            lambda a: optimize.minimize(lambda x: a * x @ x, [1.0], callback=print).hess_inv[0, 0],
            "depends on the steps",
        ),
    ],
)
def test_what_is_not_taken_is_said(solve, words):
    with pytest.raises(hw.MissingDerivative, match=words):
        jax.grad(hw.wrap(solve))(1.0)


def test_a_comparison_in_one_integrand_is_no_value_in_another():
    """JAX traces each integrand by itself, and the same comparison was taken from the first one."""

    def areas(s):
        above = lambda t: np.where(s > 0, t * s, 0.0)
        return scipy.integrate.quad(above, 0, 1)[0] + scipy.integrate.quad(above, 0, 2)[0] * np.where(
            s > 0, 1, 2
        )

    assert jax.grad(hw.to_jax(hw.wrap(areas), host=True))(1.5) == pytest.approx(2.5)
