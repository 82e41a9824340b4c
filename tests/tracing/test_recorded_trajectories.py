"""Initial value problems in recorded code: compiled and implicit methods, and right-hand sides with jumps."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate as si

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import recordable, run, second
from tests._kit.days import by_turns
from tests.tracing.test_tape import check

P, STEP = np.array([0.7, 1.4]), np.array([0.3, -0.2])
FINE = {"rtol": 1e-10, "atol": 1e-12}
T = np.array([0.0, 0.4, 1.1])


def swing(t, y, p):
    """With a branch that does not change."""
    return [y[1], -p[0] * np.sin(y[0]) - 0.1 * y[1]] if y[0] > -99 else [0.0, 0.0]


def swings(t, y, p):
    """The Jacobian of `swing`."""
    return [[0.0, 1.0], [-p[0] * np.cos(y[0]), -0.1]]


def falls(t, y, p):
    return y[0]


def drops(t, y, p):
    """It jumps over 0 where y[0] is p[0] / 3, with a slope on both sides."""
    return (1.0 if y[0] > p[0] / 3 else -1.0) + 0.1 * y[0]


for event in (falls, drops):
    event.terminal, event.direction = True, -1


def solved(p, span=(0.0, 1.1), **more):
    return si.solve_ivp(swing, span, [p[0], p[1]], args=(p,), **FINE, **more)


USES = {
    "odeint": lambda p: si.odeint(lambda y, t: swing(t, y, p), [p[1], 0.0], T, **FINE),
    "odeint, all of it": lambda p: si.odeint(swing, p, T * p[1], (p,), tfirst=True, full_output=True, **FINE)[0][-1],
    "odeint, of one number": lambda p: si.odeint(lambda y, t: -p[0] * y if t < 9 else y, p[1], T, **FINE)[-1, 0],
    "LSODA": lambda p: solved(p, method="LSODA", t_eval=T).y,
    "BDF with a Jacobian": lambda p: solved(p, method="BDF", t_eval=T, jac=swings).y,
    "odeint with a Jacobian": lambda p: si.odeint(
        swing, [p[1], 0.0], T, (p,), tfirst=True, Dfun=swings, tcrit=[0.5], **FINE
    ),
    "LSODA, without times": lambda p: solved(p, method="LSODA").y[:, -1],
    "a moving end": lambda p: solved(p, (0.1 * p[0], p[1]), method="LSODA").y[0, -1],
    "BDF, between": lambda p: si.solve_ivp(
        swing, (0, 1.1), p, "BDF", dense_output=True, args=(p,), rtol=1e-9, atol=1e-11
    ).sol([0.3 * p[0], 0.9])[0],
    "an event": lambda p: (lambda r: np.append(r.t_events[0], r.y[1, -1]))(
        solved(p, (0.0, 9.0), method="LSODA", events=falls)
    ),
}  # fmt: skip


@pytest.mark.parametrize("use", by_turns(*USES))
def test_uses(use):
    """Each value runs the solver, whose tolerances are all that differences are uncertain by."""
    at = lambda k: np.asarray(USES[use](P + k * 4e-3 * STEP))
    recorded = run(USES[use], [P], [True])
    np.testing.assert_array_equal(recorded.value[0], at(0))
    one, two, three = ((at(k) - at(-k)) / (8e-3 * k) for k in (1, 2, 3))
    np.testing.assert_allclose(
        recorded.jvp([STEP])[0], 1.5 * one - 0.6 * two + 0.1 * three, rtol=1e-6, atol=1e-8
    )


def test_second_derivatives():
    check(USES["odeint, of one number"], P, rtol=1e-6)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853"])
def test_sizes_of_steps_are_held(method):
    """Each step is chosen by the one before: through the sizes the derivative was wrong by factors up to 1e13."""
    data = np.array([0.0, 1.0, 0.3, 0.7, 0.2, 1.0])

    def last(p, **how):
        rate = lambda t, y: [p * np.interp(t, np.linspace(0.0, 1.0, 6), data) - p**2 * y[0]]
        return si.solve_ivp(rate, (0.0, 1.0), [0.1], t_eval=[1.0], **how).y[0, 0]

    fine = {"rtol": 1e-10, "atol": 1e-12, "max_step": 0.02}
    exact = (last(0.38, **fine) - last(0.36, **fine)) / 0.02
    found = run(lambda p: last(p, method=method, rtol=1e-6, atol=1e-9), [np.float64(0.37)], [True])
    assert found.jvp([1.0])[0] == pytest.approx(exact, rel=1e-3)


# ---- jumps: what is solved, and its solution, as functions of p


def thrown(p, last=2.0, friction=1.0, **how):
    """Up, and down, with friction against the motion. At the top it would stay if that were above 1."""
    fall = lambda t, y: [y[1], -1.0 - friction * p[0] * np.sign(y[1])]
    return si.solve_ivp(fall, (0, last), [0.0, p[1]], max_step=0.5, **{"rtol": 1e-7, "atol": 1e-9, **how})


def height(p, t=2.0):
    top = p[1] / (1 + p[0])
    return p[1] * top / 2 - (1 - p[0]) * (t - top) ** 2 / 2


def low(t, y):
    return y[0] - 0.1


def ground(t, y):
    return y[0]


ground.terminal, ground.direction = True, -1
JUMPS = {
    "at a time": (
        lambda p: si.odeint(lambda y, t: -p[0] * y + (2.0 if t > p[0] else 0.0), 1.0, T, **FINE)[-1, 0],
        lambda p: 2 / p[0] + (jnp.exp(-(p[0] ** 2)) - 2 / p[0]) * jnp.exp(-p[0] * (1.1 - p[0])),
    ),
    "at a state": (
        lambda p: si.solve_ivp(
            lambda t, y: [p[0] if y[0] < p[1] else 3.0], (0, 2), [1.0], max_step=0.2, **FINE
        ).y[0, -1],
        lambda p: p[1] + 3 * (2 - (p[1] - 1) / p[0]),
    ),
    "in an array": (
        lambda p: si.odeint(
            lambda y, t: np.where(y > p[1], p[0] * y, 0.5 + y), [1.0, 1.2], T, hmax=0.05, rtol=1e-8, atol=1e-9
        )[-1],
        lambda p: p[1] * jnp.exp(p[0] * (1.1 - jnp.log((p[1] + 0.5) / jnp.array([1.5, 1.7])))),
    ),
    "two of them": (
        lambda p: si.odeint(
            lambda y, t: y * (1.0 if p[0] < t < 0.7 * p[1] else -0.5), 1.0, T, hmax=0.02, **FINE
        )[-1, 0],
        lambda p: jnp.exp(1.05 * p[1] - 1.5 * p[0] - 0.55),
    ),
    "friction": (lambda p: thrown(p).y[0, -1], height),
    "friction, LSODA": (lambda p: thrown(p, method="LSODA", t_eval=[2.0]).y[0, 0], height),
    "friction, Radau": (lambda p: thrown(p, method="Radau").y[0, -1], height),
    "an event behind": (
        lambda p: thrown(p, 9.0, events=[low, ground]).t_events[1][0],
        lambda p: p[1] / (1 + p[0]) * (1 + jnp.sqrt((1 + p[0]) / (1 - p[0]))),
    ),
    "the second time of an event": (
        lambda p: thrown(p, 9.0, events=[low, ground]).t_events[0][1],
        lambda p: p[1] / (1 + p[0]) + jnp.sqrt((p[1] ** 2 / (1 + p[0]) - 0.2) / (1 - p[0])),
    ),
}


@pytest.mark.parametrize("jump", by_turns(*JUMPS))
def test_a_jump_at_a_place_that_moves(jump):
    """Both derivatives have the part of the place, which the steps alone lack."""
    f, solution = JUMPS[jump]
    recorded = run(f, [P], [True])
    np.testing.assert_array_equal(recorded.value[0], f(P))
    np.testing.assert_allclose(recorded.jvp([STEP])[0], jax.jvp(solution, (P,), (STEP,))[1], rtol=3e-6)
    _, (along,) = second(recordable(f), [P], [True], [STEP], [np.ones(np.shape(f(P)))])
    slope = jax.grad(lambda p: jnp.sum(solution(p)))
    np.testing.assert_allclose(along, jax.jvp(slope, (P,), (STEP,))[1], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("method", by_turns("LSODA", "BDF", "Radau", "RK23", "DOP853"))
def test_an_event_alone_that_moves(method):
    """The problem itself is constant."""

    def crosses(p):
        event = lambda t, y: y[0] - p[0] * p[1]
        return si.solve_ivp(lambda t, y: [2.0 * t], (0, 9), [0.0], method, events=event, **FINE).t_events[0][
            0
        ]

    recorded, root = run(crosses, [P], [True]), lambda p: jnp.sqrt(p[0] * p[1])
    np.testing.assert_allclose(recorded.jvp([STEP])[0], jax.jvp(root, (P,), (STEP,))[1], rtol=1e-8)


@pytest.mark.parametrize("method", ["RK45", "LSODA"])
def test_an_event_that_jumps_may_end_what_is_differentiated(method):
    """The derivative of its time is not asked for."""
    late = lambda p: solved(p, (0.0, 9.0), method=method, events=drops, t_eval=T).y[0, 1]
    early = lambda p: solved(p, (0.0, 9.0), method=method, t_eval=T).y[0, 1]
    np.testing.assert_allclose(*(run(f, [P], [True]).jvp([STEP])[0] for f in (late, early)), rtol=1e-7)


def test_a_stiff_problem():
    """Robertson's, with the derivatives of the slow manifold: differences need tight tolerances."""

    def robertson(p):
        def rate(y, t):
            slow, fast = 0.04 * p[0] * y[0], 1e4 * p[1] * y[1] * y[2]
            return [-slow + fast, slow - fast - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2] if t > -1 else y

        return si.odeint(rate, [1.0, 0.0, 0.0], [0.0, 0.4], rtol=1e-8, atol=1e-11)[-1]

    step, h = np.array([0.3, -0.2]), 1e-3
    (along,) = run(robertson, [P], [True]).jvp([step])
    want = (robertson(P + h * step) - robertson(P - h * step)) / (2 * h)
    np.testing.assert_allclose(along, want, rtol=1e-3)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda p: solved(p, method="LSODA", dense_output=True).sol(3.0 * p), "beyond its ends"),
        (lambda p: solved(p, (0.0, 9.0), method="LSODA", events=drops).t_events[0][0], "event at .* jumps"),
        (lambda p: solved(p, (0.0, 9.0), events=drops).y[0, -1], "event at .* jumps"),
        (
            lambda p: thrown(p, friction=2.0, rtol=1e-2).y[0, -1],
            "keeps the solution at a place where it jumps",
        ),
        (
            lambda p: thrown(p, friction=2.0, method="LSODA", rtol=1e-2).y[0, -1],
            "keeps the solution at a place",
        ),
        (lambda p: solved(p, method="LSODA").njev * solved(p, method="LSODA").jac, "result's `jac`"),
    ],
)
def test_what_has_no_derivative_says_so(f, why):
    with pytest.raises(Untraceable, match=why):
        run(f, [P], [True])
