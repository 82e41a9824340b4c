"""Initial value problems in recorded code: compiled and implicit methods, and right-hand sides with jumps."""

import numpy as np
import pytest
import scipy.integrate as si

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from tests._kit.days import by_turns
from tests.tracing.test_tape import check

P = np.array([0.7, 1.4])
FINE = {"rtol": 1e-8, "atol": 1e-9}
T = np.array([0.0, 0.4, 1.1])


def swing(t, y, p):
    """With a branch that does not change."""
    return [y[1], -p[0] * np.sin(y[0]) - 0.1 * y[1]] if y[0] > -99 else [0.0, 0.0]


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
    "LSODA, without times": lambda p: solved(p, method="LSODA").y[:, -1],
    "a moving end": lambda p: solved(p, (0.1 * p[0], p[1]), method="LSODA").y[0, -1],
    "BDF, between": lambda p: si.solve_ivp(
        swing, (0, 1.1), p, "BDF", dense_output=True, args=(p,), rtol=1e-5, atol=1e-6
    ).sol([0.3 * p[0], 0.9])[0],
    "an event": lambda p: (lambda r: np.append(r.t_events[0], r.y[1, -1]))(
        solved(p, (0.0, 9.0), method="LSODA", events=falls)
    ),
}  # fmt: skip


def right(f):
    """First derivatives: each value runs the solver."""
    step, h = np.array([0.3, -0.2]), 2e-3
    at = lambda k: np.asarray(f(P + k * h * step))
    recorded = run(f, [P], [True])
    np.testing.assert_array_equal(recorded.value[0], at(0))
    want = (8 * (at(1) - at(-1)) - at(2) + at(-2)) / (12 * h)
    np.testing.assert_allclose(recorded.jvp([step])[0], want, rtol=2e-3, atol=5e-5)


@pytest.mark.parametrize("use", by_turns(*USES))
def test_uses(use):
    right(USES[use])


def test_second_derivatives():
    check(USES["odeint, of one number"], P, rtol=1e-4)


JUMPS = {
    "at a time": lambda p: si.odeint(lambda y, t: -p[0] * y + (2.0 if t > p[0] else 0.0), 1.0, T, **FINE)[-1, 0],
    "at a state": lambda p: si.solve_ivp(
        lambda t, y: [p[0] if y[0] < p[1] else 3.0], (0, 2), [1.0], max_step=0.2, **FINE
    ).y[0, -1],
    "in an array": lambda p: si.odeint(
        lambda y, t: np.where(y > p[1], p[0] * y, 0.5 + y), [1.0, 1.2], T, hmax=0.05, **FINE
    )[-1],
    "two of them": lambda p: si.odeint(
        lambda y, t: y * (1.0 if p[0] < t < 0.7 * p[1] else -0.5), 1.0, T, hmax=0.02, **FINE
    )[-1],
}  # fmt: skip


@pytest.mark.parametrize("jump", by_turns(*JUMPS))
def test_a_jump_at_a_place_that_moves(jump):
    """The derivative has the part of the place, which the steps alone lack."""
    right(JUMPS[jump])


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
        (lambda p: solved(p, (0.0, 9.0), events=drops).t_events[0][0], "jumps at the answer"),
        (lambda p: solved(p, method="LSODA").njev * solved(p, method="LSODA").jac, "result's `jac`"),
    ],
)
def test_what_has_no_derivative_says_so(f, why):
    with pytest.raises(Untraceable, match=why):
        run(f, [P], [True])
