"""Roots, integrals and events in recorded code."""

import collections

import numpy as np
import pytest
import scipy.integrate as si
import scipy.interpolate
import scipy.optimize as so

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from tests.tracing.test_tape import check

P = np.array([0.7, 1.4])


def event(p):
    motion = lambda t, y: np.array([y[1], -9 * p[0] * y[0]])
    found = si.solve_ivp(motion, (0, 3), [1.0, p[1]], events=lambda t, y: y[0], rtol=1e-9, atol=1e-11)
    return found.t_events[0][0]


def system(x, p):
    """Two equations with a branch."""
    return [x[0] ** 2 + p[0] * x[1] - 2 if x[0] > -9 else 0.0, x[1] ** 3 - x[0] * p[1]]


def tall(p):
    """For `nnls` the second number is 0; between bounds of 0.3 the first is at its own."""
    return np.array([[1.0, p[0]], [p[1], 1.0], [0.3, p[0] * p[1]]]), p[[0, 1, 0]] * [1.0, 0.4, -0.5] + [
        2,
        0,
        0,
    ]


USES = {
    "fsolve": lambda p: so.fsolve(system, [1.0, 1.0], args=(p,), xtol=1e-13) * p,
    "fsolve, of a number": lambda p: so.fsolve(lambda x: x**3 + p[0] * x - p[1], p[0], xtol=1e-13)[0],
    "fsolve, its slope": lambda p: so.fsolve(
        lambda x: x**3 - p, [1.0, 1.0], fprime=lambda x: np.diag(3 * x**2), full_output=True, xtol=1e-13
    )[0],
    "root": lambda p: so.root(system, [1.0, 1.0], args=(p,), tol=1e-13).x,
    "root, method": lambda p: so.root(lambda x: [x[0] - p[0] * np.cos(x[0])], [0.3], method="krylov", tol=1e-13).x,
    "root, jac": lambda p: so.root(
        lambda x: (x**3 - p * x - 2, np.diag(3 * x**2 - p)), [1.5, 1.5], jac=True, tol=1e-13
    ).x,
    "newton_krylov": lambda p: so.newton_krylov(lambda x: x + p * x**3 - 1, np.ones(2), f_tol=1e-13),
    "broyden1": lambda p: so.broyden1(lambda x: x + p * x**3 - 1, [1.0, 1.0], f_tol=1e-13),
    "nnls": lambda p: np.append(*so.nnls(*tall(p))),
    "nnls, all of them": lambda p: so.nnls([[p[0], 0.1], [0.2, p[1]], [0.0, p[0]]], [1.0, 2.0, p[1]])[0],
    "lsq_linear": lambda p: so.lsq_linear(*tall(p), bounds=(-1, [0.3 * p[1], 2.0]), tol=1e-14).x,
    "lsq_linear, its cost": lambda p: so.lsq_linear(
        *tall(p), bounds=so.Bounds([p[0] - 5, -5.0], [2.0, 2.0]), tol=1e-14
    ).cost,
    "brentq": lambda p: so.brentq(lambda t: t**3 - p[0] * t - p[1] if t > 0 else -p[1], 0, 10),
    "brentq, args": lambda p: so.brentq(lambda t, a: t - a * np.cos(t), 0, 3, args=(p[0],)) * p[1],
    "brentq, a report": lambda p: so.brentq(lambda t: t - p[0] * np.cos(t), 0, 3, full_output=True)[1].root,
    "root_scalar": lambda p: so.root_scalar(lambda t: t**3 - p[0] * t - p[1], bracket=[0, 10], method="ridder").root,
    "quad": lambda p: si.quad(lambda t: np.exp(-p[0] * t * t) if t > -1 else 0.0, 0, p[1])[0],
    "quad, infinite": lambda p: si.quad(lambda t: np.exp(-p[0] * t), p[1], np.inf)[0]
    + si.quad(lambda t: np.exp(-p[0] * t * t), -np.inf, np.inf)[0]
    + si.quad(lambda t: np.exp(p[0] * t), -np.inf, 0.3)[0],
    "quad, args": lambda p: si.quad(lambda t, a, b: a * np.sin(b * t), 0, 1, args=(p[0], p[1]))[0]
    + si.quad(lambda t: np.sqrt(abs(t - 0.3)), 0, 1)[0] * p[0],
    "quad, back": lambda p: si.quad(lambda t: np.cos(p[0] * t), p[1], 0.1)[0] + si.quad(np.sin, p[0], 1)[0],
}  # fmt: skip


def wave(f, a, b, **how):
    """An integral of f(t) exp(-t / 2) from a to b."""
    return si.quad(lambda t: f(t) * np.exp(-t / 2), a, b, epsrel=1e-11, **how)[0]


USES |= {
    "quad, points": lambda p: wave(lambda t: p[0] * t if t < p[0] else abs(t - 0.4), p[1], 0, points=[p[0], 0.4]),
    "quad, points at a fixed jump": lambda p: wave(lambda t: p[0] * t if t < 0.3 else p[1], 0, 1, points=[0.3]),
    "quad, points for nothing": lambda p: wave(lambda t: np.exp(p[0] * t), 0, p[1], points=0.3 * p),
    "quad, one point": lambda p: wave(lambda t: abs(t - p[0]), 0, p[1], points=p[0]),
    "quad, a point twice": lambda p: wave(lambda t: abs(t - p[0]), 0, p[1], points=[p[0], p[0]]),
    "quad, no interval": lambda p: wave(lambda t: t * p[1], 0.7, p[0]),
    "quad, cos": lambda p: wave(lambda t: p[0] * t, 0, p[1], weight="cos", wvar=20 * p[1]),
    "quad, sin": lambda p: wave(lambda t: np.exp(p[0] * t), p[1], 0, weight="sin", wvar=3 * p[1]),
    "quad, cauchy": lambda p: wave(lambda t: p[0] * t * t, -1, p[1], weight="cauchy", wvar=p[0]),
    "quad, cauchy in the middle": lambda p: wave(lambda t: p[1] + t, p[0], -p[0], weight="cauchy", wvar=p[0] - 0.7),
    "quad, cauchy outside": lambda p: wave(lambda t: p[0] * t, -1, p[1], weight="cauchy", wvar=2 * p[1]),
    "quad, alg": lambda p: wave(lambda t: p[0] * t, -p[0], p[1], weight="alg", wvar=(p[0] - 1.3, p[1])),
    "quad, alg-loga": lambda p: wave(lambda t: p[0] * t, 1, -p[0], weight="alg-loga", wvar=(p[0] - 1.3, p[1])),
    "quad, alg-logb": lambda p: wave(lambda t: p[0] * t, -p[0], 1, weight="alg-logb", wvar=(-0.3, -0.8)),
    "quad, alg-log": lambda p: wave(lambda t: p[0] * t, 0.3, p[1], weight="alg-log", wvar=p - 1),
    "quad, complex": lambda p: si.quad(lambda t: np.exp(1j * p[0] * t), -p[1], 2, complex_func=True)[0],
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_uses(use):
    check(USES[use], P, rtol=2e-6)


class Slotted:
    __slots__ = ("__p",)

    def __init__(self, p):
        self.__p = p

    def __call__(self, t):
        return self.__p[0] * t * self.__p[1]


def class_attribute(p):
    class Line:
        slope = p[0]

        @property
        def at(self):
            return lambda t: self.slope * t * p[1]

    return Line().at


def class_property(p):
    class Line:
        slope = property(lambda self: p[0] * p[1])

        def __call__(self, t):
            return self.slope * t

    return Line()


HOLDERS = {
    "a spline": lambda p: scipy.interpolate.CubicSpline([0.0, 1.0, 2.0], [p[0], p[1], p[0] * p[1]], bc_type="natural"),
    "slots": Slotted,
    "an attribute of a class": class_attribute,
    "a property": class_property,
    "a deque": lambda p: (lambda d: lambda t: d[0] * t * d[1])(collections.deque([p[0], p[1]])),
    "a named tuple": lambda p: (lambda d: lambda t: d.a * t)(collections.namedtuple("D", "a")(p[0] * p[1])),
}  # fmt: skip


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_solver_sees_what_moves_wherever_its_function_keeps_it(holder):
    """The answer would be a constant, without a word."""
    check(lambda p: si.quad(HOLDERS[holder](p), 0, 1)[0], P, rtol=2e-6)


def area(p):
    return si.dblquad(lambda y, x: np.exp(-p[0] * x * y), 0, 1, 0, lambda x: x + p[1])[0]


@pytest.mark.parametrize("f", [event, area])
def test_longer_ones(f):
    step, h = np.array([0.3, -0.2]), 1e-3
    (along,) = run(f, [P], [True]).jvp([step])
    at = lambda k: f(P + k * h * step)
    np.testing.assert_allclose(along, (8 * (at(1) - at(-1)) - at(2) + at(-2)) / (12 * h), rtol=1e-6)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda p: so.brentq(lambda t: (t - p[0]) ** 3, 0, 3.1), "the slope"),
        (lambda p: si.quad(lambda t: p[0] / t, 1, np.inf, weight="cos", wvar=2.0)[0], "finite limits only"),
        (lambda p: si.quad(lambda t: p[0], 0, 1, weight="cos", wvar=2e4)[0], "at most 2000 intervals"),
        (
            lambda p: si.quad(lambda t: abs(t - p[0]), 0, 1, points=[0.7])[0],
            "compute the point from the same",
        ),
        (lambda p: si.quad(lambda t: t < p[0], 0, 1, points=[p[1] / 2])[0], "points= 0.7"),
        (lambda p: si.quad(lambda t: t < p[0], 0, 1, weight="cos", wvar=p[1])[0], "not smooth enough"),
        (lambda p: si.quad(lambda t: t < p[0], 0, 1, weight="alg", wvar=(0, 0))[0], "not smooth enough"),
        (lambda p: si.quad(lambda t: p[0] / np.sqrt(t), 0, 1)[0], "not smooth enough"),
        (lambda p: si.quad(lambda t: abs(t - p[0]), 0, 1)[0], "not smooth enough"),
        (lambda p: si.quad(lambda t: 1.0 if t < p[0] else 0.0, 0, 1)[0], "not smooth enough"),
        (
            lambda p: si.quad(lambda t: p[1] * t if t < p[0] else 0.0, 0, 1, epsabs=1e-3)[0],
            "not smooth enough",
        ),
        (lambda p: so.brentq(lambda t: 1.0 if t > p[0] else -1.0, 0, 3), "jumps at the answer"),
    ],
)
def test_what_has_no_derivative_says_so(f, why):
    with pytest.raises(Untraceable, match=why):
        run(f, [P], [True])


REFUSED = {
    "singular": lambda p: so.fsolve(lambda x: [x[0] + x[1] - p[0], 2 * (x[0] + x[1] - p[0])], [0.5, 0.2]),
    "has a kink": lambda p: so.nnls(np.eye(2), [p[0], 0.0 * p[1]])[0],
    "many answers": lambda p: so.nnls([[p[0], p[0]], [1.0, 1.0]], p)[0],
}


@pytest.mark.parametrize("why", REFUSED)
def test_an_answer_without_a_derivative_is_refused(why):
    with pytest.raises(Untraceable, match=why):
        run(REFUSED[why], [P], [True])
