"""Options of SciPy that a solver lacks: SciPy's own function where nothing is traced, an error in a trace."""

import functools
import multiprocessing

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.stats

import hostwrap as hw
from hostwrap import integrate, linalg, optimize

OURS = {"integrate": integrate, "linalg": linalg, "optimize": optimize}
THEIRS = {name: getattr(scipy, name) for name in OURS}
X, TIMES = np.linspace(0.0, 1.0, 5), np.array([0.0, 0.5, 1.0])


def halves(p, xp):
    """One of SciPy's functions of a function with a branch, which JAX cannot trace."""
    return lambda x: p * x if x < 0.5 else 1 - p * x


def bowl(p, xp):
    return lambda x: xp.sum((x - p) ** 2)


ENDS = lambda a, b: np.array([a[1], b[0] - 1])
CASES = {
    "quad": ("quad: full_output=", lambda m, xp, p: m.integrate.quad(lambda x: xp.cos(p * x), 0, 1, full_output=1)[:2]),
    "quad, a branch": ("quad: JAX cannot trace", lambda m, xp, p: m.integrate.quad(halves(p, xp), 0, 1)),
    "quad_vec": ("quad_vec: workers= and full", lambda m, xp, p: m.integrate.quad_vec(
        lambda x: xp.stack([x, p * x]), 0, 1, full_output=True)[:2]),
    "nquad": ("nquad: full_output=", lambda m, xp, p: m.integrate.nquad(
        lambda x, y: p * x * y, [(0, 1), (0, 2)], full_output=True)[:2]),
    "tanhsinh": ("tanhsinh: log=, preserve", lambda m, xp, p: m.integrate.tanhsinh(
        xp.cos, 0, p, preserve_shape=True).integral),
    "cubature": ("cubature: workers= and points=", lambda m, xp, p: m.integrate.cubature(
        lambda x: xp.cos(p * x).sum(-1), [0.0], [1.0], points=[[0.2]]).estimate),
    "qmc_quad": ("qmc_quad: in a trace it wants qrng=", lambda m, xp, p: m.integrate.qmc_quad(
        lambda x: p * x[0], [0.0], [1.0], log=True, qrng=scipy.stats.qmc.Halton(1, seed=1)).integral),
    "odeint": ("odeint: full_output= and tcrit=", lambda m, xp, p: m.integrate.odeint(
        lambda y, t: -p * y, 1.0, TIMES, tcrit=[2.0])),
    "solve_bvp": ("solve_bvp: S=, fun_jac=", lambda m, xp, p: m.integrate.solve_bvp(
        lambda x, y: xp.stack([y[1], -p * y[0]]), ENDS, X, np.ones((2, 5)), S=np.diag([0.0, -1.0])).y),
    "solve_bvp, complex": ("solve_bvp: y and p must be real", lambda m, xp, p: m.integrate.solve_bvp(
        lambda x, y: xp.stack([y[1], -p * y[0]]), ENDS, X, np.ones((2, 5)) + 0j).y),
    "minimize": ("minimize: hessp= and callback=", lambda m, xp, p: m.optimize.minimize(
        bowl(p, xp), [0.0], callback=lambda x: None).x),
    "fmin_bfgs": ("fmin_bfgs: full_output=", lambda m, xp, p: m.optimize.fmin_bfgs(
        bowl(p, xp), [0.0], full_output=True, disp=0)[:2]),
    "fmin": ("fmin: retall=", lambda m, xp, p: m.optimize.fmin(bowl(p, xp), [0.0], retall=True, disp=0)[1]),
    "brent": ("brent: full_output=", lambda m, xp, p: m.optimize.brent(lambda x: (x - p) ** 2, full_output=True)[0]),
    "brute": ("brute: full_output=", lambda m, xp, p: m.optimize.brute(bowl(p, xp), [(0, 1)], full_output=True)[0]),
    "shgo": ("shgo: constraints=", lambda m, xp, p: m.optimize.shgo(
        bowl(p, xp), [(0, 1)], constraints={"type": "ineq", "fun": lambda x: x[0] - 0.8}).x),
    "basinhopping": ("basinhopping: in a trace it takes no callback", lambda m, xp, p: m.optimize.basinhopping(
        bowl(p, xp), [0.0], niter=2, rng=1, callback=lambda *found: None).x),
    "curve_fit": ("curve_fit: full_output=", lambda m, xp, p: m.optimize.curve_fit(
        lambda x, a: a * x, X, p * X, full_output=True)[0]),
    "lstsq": ("lstsq: lapack_driver='gelsy'", lambda m, xp, p: m.linalg.lstsq(
        p * xp.eye(3)[:, :2], np.arange(3.0), lapack_driver="gelsy")[0]),
}  # fmt: skip
MODULES = type("Ours", (), OURS), type("Theirs", (), THEIRS)


@pytest.mark.parametrize("name", CASES)
def test_outside_of_a_trace_it_is_scipys(name):
    """The user's function may be one of NumPy or JAX."""
    call = CASES[name][1]
    ours, theirs = MODULES
    for xp in (np, jnp):
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-15),
            call(ours, xp, 0.7),
            call(theirs, np, 0.7),
        )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("transform", [jax.jit, jax.jacfwd])
def test_a_trace_refuses_it(name, transform):
    words, call = CASES[name]
    with pytest.raises(hw.RuleError, match=words):
        transform(functools.partial(call, MODULES[0], jnp))(0.7)


class Bowl:
    """An object that holds a number."""

    __slots__ = ("p",)

    def __init__(self, p):
        self.p = p

    def __call__(self, x):
        return jnp.sum((x - self.p) ** 2)


HELD = {}


def of_a_global(p):
    HELD["p"] = p
    return lambda x: jnp.sum((x - HELD["p"]) ** 2)


@pytest.mark.parametrize("made", [Bowl, of_a_global, lambda p: functools.partial(lambda p, x: Bowl(p)(x), p)])
def test_a_traced_number_that_is_read_unseen_is_refused(made):
    """SciPy's function must not take a traced number for a constant."""
    solve = lambda p: optimize.minimize(made(p), [0.0], callback=lambda x: None).x[0]
    np.testing.assert_allclose(solve(0.7), 0.7, rtol=1e-6)
    for transform in (jax.jit, jax.grad):
        with pytest.raises(hw.RuleError, match="hessp= and callback= are not taken in a trace"):
            transform(solve)(0.7)


def test_errors_of_the_users_function_pass():
    def broken(x):
        raise ZeroDivisionError("the user's")

    with pytest.raises(ZeroDivisionError, match="the user's"):
        integrate.quad(broken, 0, 1, full_output=1)


def squares(x):
    return np.array([x, x * x])


def test_other_processes_get_the_function():
    """`workers=` sends it to them."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        got, _ = integrate.quad_vec(squares, 0.0, 1.0, workers=pool.map)
    np.testing.assert_array_equal(got, scipy.integrate.quad_vec(squares, 0.0, 1.0)[0])
