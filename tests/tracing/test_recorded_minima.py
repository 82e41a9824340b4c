"""Minimizers, least squares and linear programs in recorded code."""

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from tests.tracing.test_tape import check

P = np.array([0.7, 1.4])
T = np.linspace(0.0, 2.0, 7)
START, BOX = [0.3, 0.2], [(-3.0, 3.0), (-3.0, 3.0)]


def bowl(x, p):
    """With a branch, so that it is recorded."""
    return np.cosh(x[0] - p[0]) + p[1] * (x[1] - x[0] * p[0]) ** 2 + 0.1 * x[0] ** 4 if x[0] > -9 else 0.0


def slope(x, p):
    off = x[1] - x[0] * p[0]
    first = np.sinh(x[0] - p[0]) - 2 * p[0] * p[1] * off + 0.4 * x[0] ** 3
    return np.array([first, 2 * p[1] * off])


def line(x, p):
    return (x - p[0]) ** 2 + p[1] * np.exp(-x) if x > -9 else 0.0


def fine(method, **more):
    """A minimum to all digits: with the slope, or by differences that need it not."""
    return lambda p: so.minimize(bowl, START, (p,), method, jac=slope, tol=1e-12, **more).x


RULES = [
    {"type": "ineq", "fun": lambda x: 0.5 - x[0]},
    {"type": "ineq", "fun": lambda x, a: a - x[1] - x[0], "args": (2.0,)},
]
TIGHT = {"xatol": 1e-10, "fatol": 1e-15}
MINIMA = {
    "Nelder-Mead": lambda p: so.minimize(bowl, START, p, "Nelder-Mead", options=TIGHT).x,
    "BFGS": fine("BFGS"),
    "Newton-CG": fine("Newton-CG"),
    "L-BFGS-B, a bound": lambda p: so.minimize(
        bowl, START, (p,), jac=slope, bounds=so.Bounds(-np.inf, [0.4 * p[0], 9.0]), tol=1e-12
    ).x,
    "SLSQP": lambda p: so.minimize(bowl, START, (p,), jac=slope, constraints=RULES, tol=1e-13).x,
    "trust-constr": lambda p: so.minimize(
        lambda x: (x[0] - 2 * p[0]) ** 2 + x[1] ** 2, START, method="trust-constr", options={"gtol": 1e-10},
        constraints=[so.LinearConstraint([[1, 1]], p[1], p[1]), so.NonlinearConstraint(lambda x: x[0] * x[1], -9, 9)],
    ).x,
    "value and slope": lambda p: so.minimize(lambda x: (bowl(x, p), slope(x, p)), START, jac=True, tol=1e-12).fun,
    "fun and jac": lambda p: (lambda r: r.fun * r.x + r.jac)(so.minimize(bowl, START, (p,), jac=slope, tol=1e-12)),
    "fmin": lambda p: so.fmin(bowl, START, (p,), xtol=1e-10, ftol=1e-15, disp=0),
    "fmin_bfgs, all of it": lambda p: (lambda r: r[0] * r[1])(
        so.fmin_bfgs(bowl, START, slope, (p,), gtol=1e-10, disp=0, full_output=True)
    ),
    "fmin_l_bfgs_b": lambda p: (lambda x, f, d: x * f + d["grad"])(
        *so.fmin_l_bfgs_b(lambda x: (bowl(x, p), slope(x, p)), START, bounds=[(None, 0.3), (None, None)], factr=0.1)
    ),
    "fmin_slsqp": lambda p: so.fmin_slsqp(
        bowl, START, [lambda x, p: x[0] - x[1] * p[1]], fprime=slope, args=(p,), acc=1e-13, iprint=0
    ),
    "differential_evolution": lambda p: so.differential_evolution(bowl, BOX, (p,), tol=1e-10, rng=1, popsize=5).fun,
    "brute": lambda p: so.brute(bowl, BOX, (p,), Ns=5, full_output=True)[1],
    "basinhopping": lambda p: so.basinhopping(
        bowl, START, 1, rng=1, minimizer_kwargs={"args": (p,), "jac": slope, "tol": 1e-12}
    ).x,
    "minimize_scalar": lambda p: so.minimize_scalar(line, args=(p,), tol=1e-12).fun * p,
    "minimize_scalar, at a bound": lambda p: so.minimize_scalar(
        line, bounds=(p[0] + 1.0, 4.0), args=(p,), options={"xatol": 1e-12}
    ).fun,
    "fminbound": lambda p: so.fminbound(lambda x: (x - p[0]) ** 4 + p[1] * x, -3, 3, xtol=1e-12, full_output=True)[1],
    "brent": lambda p: so.brent(line, (p,), (-1.0, 0.5, 3.0), 1e-12, full_output=True)[1] * p,
    "leastsq": lambda p: so.leastsq(lambda x: x[0] * np.exp(-x[1] * T) - residue(p), [1.0, 0.5], Dfun=decay,
                                    xtol=1e-14, ftol=1e-14)[0],
    "least_squares": lambda p: (lambda r: np.append(r.x, r.cost))(so.least_squares(
        lambda x, y: x[0] * np.exp(-x[1] * T) - y, [1.0, 0.5], decay, args=(residue(p),), **SMALL)),
    "least_squares, a loss and bounds": lambda p: so.least_squares(
        lambda x: x[0] * np.exp(-x[1] * T) - residue(p), [0.7, 0.5], decay, ([0, 0], [0.8, 3.0]), loss="cauchy",
        f_scale=0.3, **SMALL).x,
    "curve_fit": lambda p: so.curve_fit(lambda t, a, b: a * np.exp(-b * t), T, residue(p), [1.0, 0.5], 1 + T * p[0],
                                        jac=lambda t, a, b: decay([a, b]), xtol=1e-14, ftol=1e-14)[0],
    "linprog": lambda p: (lambda r: np.concatenate([r.x, [r.fun], r.slack, r.ineqlin.marginals]))(
        so.linprog(-p, [[1.0, p[0]], [p[1], 3.0]], [4.0 + p[0], 6.0])),
    "linprog, equations": lambda p: so.linprog([1.0, p[1], 3.0], A_eq=[[1.0, 1.0, p[0]]], b_eq=[p[1]],
                                               bounds=[(0.1 * p[0], 1.0), (0, None), (0.2, None)]).x,
    "isotonic_regression": lambda p: so.isotonic_regression([p[1], p[0], 3.0, p[1] * 2], weights=[1, p[1], 1, 2.0]).x,
}  # fmt: skip
SMALL = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}


def residue(p):
    return p[1] * np.exp(-p[0] * T) + 0.1 * np.cos(5 * T) if p[0] > 0 else T


def decay(x, *_):
    power = np.exp(-x[1] * T)
    return np.stack([power, -x[0] * T * power], axis=1)


@pytest.mark.parametrize("use", MINIMA)
def test_minima(use):
    """Some find the minimum to half of the digits, and second derivatives have fewer; wide steps have less noise."""
    check(
        MINIMA[use],
        P,
        step=3e-3,
        rtol=2e-6 if use not in ("Nelder-Mead", "fmin", "brute", "trust-constr") else 2e-4,
    )


def test_the_covariance_of_a_fit():
    """SciPy's covariance is that of the step before; its derivatives are those of the formula at the minimum."""
    fit = lambda y: so.curve_fit(
        lambda t, a, b: a * np.exp(-b * t), T, y, [1.0, 0.5], jac=lambda t, a, b: decay([a, b])
    )[1]
    found = run(lambda p: fit(residue(p)), [P], [True])
    step, h = np.array([0.3, -0.2]), 1e-4
    want = (fit(residue(P + h * step)) - fit(residue(P - h * step))) / (2 * h)
    np.testing.assert_allclose(found.jvp([step])[0], want, rtol=1e-3)


def test_a_solver_in_a_solver_in_a_solver():
    """Each tape takes one more derivative of the innermost answer."""
    depth = lambda x, p: so.brentq(lambda s: 0.1 * p[0] * s**3 + s - x, -9, 9, xtol=1e-14)
    check(
        lambda p: so.minimize_scalar(lambda x: (depth(x, p) - p[1]) ** 2, (0.0, 1.0), tol=1e-12).x,
        P,
        rtol=1e-4,
    )
    check(
        lambda p: so.brentq(lambda x: si.quad(lambda t: depth(t * x, p), 0, 1)[0] - 0.4, 0, 1, xtol=1e-14),
        P,
        rtol=1e-5,
    )


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda p: so.minimize(lambda x: abs(x[0] - p[0]), [0.0], method="Nelder-Mead").x, "singular"),
        (lambda p: so.minimize(lambda x: (x[0] - p[0]) ** 2, [5.0], options={"maxiter": 0}).x, "is no minimum"),
        (lambda p: so.minimize(lambda x: (x[0] - p[0]) ** 2, [0.1]).hess_inv, "result's `hess_inv`"),
        (lambda p: so.fmin_bfgs(lambda x: (x[0] - p[0]) ** 2, [0.1], full_output=True, disp=0)[3] * 2, "part of the"),
        (lambda p: so.minimize(lambda x: (x - P[0]) @ (x - p), P, bounds=[(P[0], 9)] * 2).x, "has a kink"),
        (lambda p: so.isotonic_regression([p[0], p[0]]).x, "has a kink"),
        (lambda p: so.milp(p, bounds=so.Bounds(1, 2)).x, "scipy.optimize.milp"),
    ],
)  # fmt: skip
def test_what_has_no_derivative_says_so(f, why):
    with pytest.raises(Untraceable, match=why):
        run(f, [P], [True])


def test_what_does_not_move_is_scipys_own():
    found = run(lambda p: so.minimize(lambda x: (x[0] - 1) ** 2, [0.3]).hess_inv[0, 0] * p, [P], [True])
    np.testing.assert_array_equal(
        found.value[0], so.minimize(lambda x: (x[0] - 1) ** 2, [0.3]).hess_inv[0, 0] * P
    )
