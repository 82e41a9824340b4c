"""Right-hand sides in recorded code that have jumps and kinks by what functions of NumPy decide."""

import math

import numpy as np
import pytest
import scipy.integrate as si

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import recordable, run, second
from hostwrap._tracing.tape.array import concrete
from hostwrap._tracing.tape.outcomes import DECISIONS
from tests._kit.days import by_turns

P = 0.37
SIDES = np.array([0.6, 0.8])
TWO = np.array([1.0, 3.0, 5.0])
# (f(t, p), the first and the second derivative of its integral over t from 0 to 1)
INTEGRANDS = {
    "maximum": (lambda t, p: np.maximum(t - p, 0.0), P - 1, 1.0),
    "fmin": (lambda t, p: np.fmin(t, p), 1 - P, -1.0),
    "clip": (lambda t, p: np.clip(t, p, 2.0), P, 1.0),
    "absolute": (lambda t, p: np.abs(t - p), 2 * P - 1, 2.0),
    "abs": (lambda t, p: abs(t - p), 2 * P - 1, 2.0),
    "the root of a square": (lambda t, p: np.sqrt(4.0 * (t - p) ** 2 + 0.0) / 2, 2 * P - 1, 2.0),
    "the root of a product": (lambda t, p: ((t - p) * (t - p)) ** 0.5, 2 * P - 1, 2.0),
    "the root of an element": (lambda t, p: math.sqrt(np.square([t - p])[0]), 2 * P - 1, 2.0),
    "the root of a dot product": (lambda t, p: np.sqrt((v := np.array([t - p])) @ v), 2 * P - 1, 2.0),
    "hypot": (lambda t, p: np.hypot(t - p, 0.0), 2 * P - 1, 2.0),
    "absolute of a complex number": (lambda t, p: np.abs((t - p) * (0.6 + 0.8j)), 2 * P - 1, 2.0),
    "the norm of two numbers": (lambda t, p: np.linalg.norm((t - p) * SIDES), 2 * P - 1, 2.0),
    "norms along an axis": (
        lambda t, p: np.linalg.norm([(t - p) * SIDES, TWO[:2]], axis=1)[0],
        2 * P - 1,
        2.0,
    ),
    "a sum of squares": (lambda t, p: ((0.6 * (t - p)) ** 2 + (0.8 * (t - p)) ** 2) ** 0.5, 2 * P - 1, 2.0),
    "a sum of weighted squares": (
        lambda t, p: np.sqrt(np.sum(np.array([1.0, 0.0]) * np.array([t - p, 5.0]) ** 2)),
        2 * P - 1,
        2.0,
    ),
    "a product with the conjugate": (
        lambda t, p: np.sqrt(((z := (t - p) * (0.6 + 0.8j)) * np.conj(z)).real),
        2 * P - 1,
        2.0,
    ),
    "hypot of two numbers": (lambda t, p: np.hypot(0.6 * (t - p), 0.8 * (t - p)), 2 * P - 1, 2.0),
    "math.hypot": (lambda t, p: math.hypot(0.6 * (t - p), 0.8 * (t - p), 0 * t), 2 * P - 1, 2.0),
    "math.dist": (lambda t, p: math.dist([t, 0.0], [p, 0.0]), 2 * P - 1, 2.0),
    "std": (lambda t, p: 2 * np.std([t, p]), 2 * P - 1, 2.0),
    "the norm of one number": (lambda t, p: np.linalg.norm([t - p]), 2 * P - 1, 2.0),
    "max": (lambda t, p: np.max(np.array([t, p])), P, 1.0),
    "max along an axis": (lambda t, p: np.max(np.array([[t], [p]]), axis=0)[0], P, 1.0),
    "sort": (lambda t, p: np.sort(np.array([t, p, 9.0]))[1], P, 1.0),
    "partition": (lambda t, p: np.partition(np.array([t, p, 9.0]), 1)[1], P, 1.0),
    "median": (lambda t, p: np.median([t, p, 0.0]), 1 - P, -1.0),
    "median of four": (lambda t, p: np.median([t, p, 0.5, 9.0]), P / 2, 0.5),
    "nanmedian": (lambda t, p: np.nanmedian(np.array([t, p, 0.0, np.nan])), 1 - P, -1.0),
    "percentile": (lambda t, p: np.percentile([t, p, 0.0], 50.0), 1 - P, -1.0),
    "a comparison of what is overwritten": (lambda t, p: compared_before(np.array([t - p])), -2.0, 0.0),
    "the root of what is overwritten": (lambda t, p: rooted_before(np.array([t - p])), 2 * P - 1, 2.0),
    "interp": (lambda t, p: np.interp(t, [0.0, p, 1.0], [0.0, 0.0, 1 - p]), P - 1, 1.0),
    "interp, left": (lambda t, p: np.interp(t, [p, 1.0], [1.0, 1.0], left=3.0), 2.0, 0.0),
    "remainder": (lambda t, p: np.remainder(t, p), 6 * P - 2, 6.0),
    "%": (lambda t, p: t % p, 6 * P - 2, 6.0),
    "fmod": (lambda t, p: math.fmod(t, p), 6 * P - 2, 6.0),
    "divmod": (lambda t, p: divmod(t, p)[1], 6 * P - 2, 6.0),
    "modf": (lambda t, p: np.modf(t / p)[0] * p, 6 * P - 2, 6.0),
    "//": (lambda t, p: t // p, -3.0, 0.0),
    "floor": (lambda t, p: np.floor(t / p), -3.0, 0.0),
    "int": (lambda t, p: int(t / p), -3.0, 0.0),
    "round": (lambda t, p: round(t / p), -4.5, 0.0),
    "numpy.round": (lambda t, p: np.round(t / p), -4.5, 0.0),
    "numpy.greater": (lambda t, p: np.where(np.greater(t, p), 3.0, 1.0), -2.0, 0.0),
    "sign": (lambda t, p: np.sign(t - p), -2.0, 0.0),
    "copysign": (lambda t, p: np.copysign(1.0, t - p), -2.0, 0.0),
    "signbit": (lambda t, p: np.where(np.signbit(t - p), 1.0, 3.0), -2.0, 0.0),
    "arctan2": (lambda t, p: np.arctan2(p - t, -1.0), 2 * np.pi - np.arctan(P) - np.arctan(1 - P), None),
    "searchsorted": (lambda t, p: TWO[np.searchsorted([p, 0.8], t)], -2.0, 0.0),
    "digitize": (lambda t, p: TWO[np.digitize(t, [p, 0.8])], -2.0, 0.0),
    "argmax": (lambda t, p: TWO[np.argmax([t, p])], 2.0, 0.0),
    "argsort": (lambda t, p: 1.0 + np.argsort([t, p])[0], -1.0, 0.0),
    "argpartition": (lambda t, p: 1.0 + np.argpartition(np.array([t, p]), 0)[0], -1.0, 0.0),
    "fix": (lambda t, p: np.fix(t / p), -3.0, 0.0),
    "maximum.accumulate": (lambda t, p: np.maximum.accumulate(np.array([p, t]))[1], P, 1.0),
    "lexsort": (lambda t, p: 1.0 + np.lexsort(([t, p],))[0], -1.0, 0.0),
    "astype": (lambda t, p: (np.array([t]) / p).astype(int)[0] * 1.0, -3.0, 0.0),
    "astype(bool)": (lambda t, p: np.array([np.maximum(t - p, 0.0)]).astype(bool)[0] * 1.0, -1.0, 0.0),
    "isclose": (lambda t, p: 1.0 if np.isclose(t, p, rtol=0.3, atol=0.0) else 3.0, -1.2, 0.0),
}


def compared_before(x):
    y = np.where(x > 0.0, 3.0, 1.0)
    x[0] = 7.0
    return y[0]


def rooted_before(x):
    square = x**2
    x[0] = 7.0
    return np.sqrt(square)[0]


def integral(f, method="RK45"):
    how = {"rtol": 1e-6, "atol": 1e-9, "t_eval": [1.0], "method": method}
    return lambda p: si.solve_ivp(lambda t, y: [f(t, p)], (0.0, 1.0), [0.0], **how).y[0, 0]


@pytest.mark.parametrize("name", by_turns(*INTEGRANDS))
def test_a_place_of_a_decision_moves(name):
    """The first derivative had no part of a jump, the second none of a kink."""
    f, first, second_one = INTEGRANDS[name]
    function = recordable(integral(f))
    recording, (twice,) = second(function, [np.float64(P)], [True], [1.0], [1.0])
    assert concrete(recording.jvp([1.0])[0]) == pytest.approx(first, rel=1e-6)
    if second_one is not None:
        assert twice == pytest.approx(second_one, rel=1e-6, abs=1e-6)


def test_the_root_of_a_curved_path_through_zero():
    """y = the integral of the length of (t - p, (t - p)^2)."""
    length = lambda s: s * math.sqrt(1 + s * s)
    slope = lambda s: (1 + 2 * s * s) / math.sqrt(1 + s * s)
    function = recordable(integral(lambda t, p: np.linalg.norm([t - p, (t - p) ** 2])))
    recording, (twice,) = second(function, [np.float64(P)], [True], [1.0], [1.0])
    assert concrete(recording.jvp([1.0])[0]) == pytest.approx(length(P) - length(1 - P), rel=1e-5)
    assert twice == pytest.approx(slope(P) + slope(1 - P), rel=1e-5)


def test_a_length_that_does_not_touch_zero_ends_no_step():
    """An orbit turns its direction round without a kink."""

    def orbit(m):
        rate = lambda t, s: np.concatenate([s[2:], -m * s[:2] / np.linalg.norm(s[:2]) ** 3])
        return si.solve_ivp(rate, (0.0, 8.0), [1.0, 0.0, 0.0, 1.2], rtol=1e-8, atol=1e-10, t_eval=[8.0]).y[
            0, 0
        ]

    h = 1e-4
    found = run(orbit, [np.float64(1.0)], [True]).jvp([1.0])[0]
    assert found == pytest.approx((orbit(1 + h) - orbit(1 - h)) / (2 * h), rel=1e-5)


def test_a_root_without_digits_where_it_touches_zero_has_no_second_derivative():
    """sqrt(1 - cos(t - p)) near t = p: 1 - cos loses all digits."""
    function = recordable(integral(lambda t, p: np.sqrt(2 - 2 * np.cos(t - p))))
    with pytest.raises(Untraceable, match=r"takes another branch after t = 0\.37"):
        second(function, [np.float64(P)], [True], [1.0], [1.0])


@pytest.mark.parametrize("method", ["DOP853", "LSODA"])
def test_a_kink_ends_a_step_of_any_method(method):
    f, first, _ = INTEGRANDS["maximum"]
    assert run(integral(f, method), [np.float64(P)], [True]).jvp([1.0])[0] == pytest.approx(first, rel=1e-6)


def test_a_kink_at_which_the_solution_stays_has_a_first_derivative():
    """y = exp(-p t) - 1e-17 t for a second component that is rounding about its kink at 0."""
    rate = lambda t, y, p: [-p * y[0] + np.abs(y[1]), -50.0 * np.abs(y[1])]
    last = lambda p: si.solve_ivp(
        rate, (0.0, 1.0), [1.0, 0.0], t_eval=[1.0], args=(p,), rtol=1e-8, atol=1e-10
    ).y[0, 0]
    assert run(last, [np.float64(P)], [True]).jvp([1.0])[0] == pytest.approx(-np.exp(-P), rel=1e-6)


def test_kinks_at_fixed_times_end_no_step():
    """Data that are interpolated in time have a kink at each of them: no step of our own is needed."""
    times, data = np.linspace(0.0, 1.0, 20), np.sin(np.arange(20.0))
    found = run(integral(lambda t, p: p * np.interp(t, times, data)), [np.float64(P)], [True])
    assert found.jvp([1.0])[0] == pytest.approx(found.value[0] / P, rel=1e-3)


@pytest.mark.parametrize("name", DECISIONS)
def test_outcomes_of_a_decision_are_one_number_for_each_element(name):
    x = np.array([-1.5, 2.5])
    function = getattr(np, name)
    given = (x,) if function.nin == 1 else (x, np.array([1.0, 2.0]))
    assert np.shape(DECISIONS[name].gap(*given)) == (2,)
    if DECISIONS[name].outcome is not None:
        assert np.shape(DECISIONS[name].outcome(*given)) == (2,)
