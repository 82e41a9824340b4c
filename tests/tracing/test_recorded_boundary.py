"""`scipy.integrate.solve_bvp` in recorded code."""

import numpy as np
import pytest
import scipy.integrate

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run

MESH = np.linspace(0.0, 1.0, 11)


def middle(force, tol=0.1):
    """y(1/2), where y'' = force(x, y) and y is 0 at both ends; SciPy takes a jump if it is small beside tol."""
    rate = lambda x, y: np.stack([y[1], force(x, y[0])])
    ends = lambda a, b: np.stack([a[0], b[0]])
    return scipy.integrate.solve_bvp(rate, ends, MESH, np.zeros((2, 11)), tol=tol).sol(0.5)[0]


def slope(force, tol=0.1, at=0.37):
    recording = run(lambda p: middle(lambda x, y: force(x, y, p[0]), tol), [np.array([at])], [True])
    return recording.jvp([np.array([1.0])])[0]


@pytest.mark.parametrize(
    "force",
    [
        lambda x, y, p: 1 + 0.1 * (x > p),
        lambda x, y, p: np.where(y > p / 20, -0.9, -1.0),
        lambda x, y, p: np.where(y > 0.05, -0.9, -1.0) * (1 + p),
    ],
)
def test_a_jump_that_may_move_is_refused(force):
    """The collocation equations alone have the derivative 0 in the first case. It is p / 20 there."""
    with pytest.raises(Untraceable, match=r"solve_bvp: fun jumps at x = .*, a place that may move"):
        slope(force)


def test_a_fixed_jump_and_a_kink_have_derivatives():
    steady = lambda x, y, p: (1 + 0.1 * (x > 0.3)) * p
    one = middle(lambda x, y: steady(x, y, 1.0))
    assert slope(steady) == pytest.approx(one, rel=1e-12)
    # y = sum of the Green's function G(1/2, x) times |x - p|, of which d/dp is that of the sign of p - x
    exact = -(0.37**2) / 2 + 1 / 8
    assert slope(lambda x, y, p: np.abs(x - p), 1e-6) == pytest.approx(exact, rel=1e-3)


KINKS = {
    "where": lambda x, y, p: np.where(x > p, x - p, p - x),
    "absolute": lambda x, y, p: np.abs(x - p),
    "maximum": lambda x, y, p: 2 * np.maximum(x, p) - x - p,
    "interp": lambda x, y, p: np.interp(x, [0.0, p, 1.0], [p, 0.0, 1 - p]),
}


@pytest.mark.parametrize("force", KINKS.values(), ids=KINKS)
@pytest.mark.parametrize("place", [0.4, 0.4 + 1e-7, 0.45])
def test_a_kink_next_to_a_node_is_refused(force, place):
    """The equations count the kink as one that is elsewhere: the derivative was 15 % off."""
    with pytest.raises(
        Untraceable, match=r"fun has a kink at x = 0\.4.*, a place that may move, and the mesh is too"
    ):
        slope(force, 1e-4, place)


def test_a_smooth_end_of_a_branch_on_a_node_has_a_derivative():
    found = slope(lambda x, y, p: np.where(x > p, x * p, p * x), 1e-6, 0.4)
    assert found == pytest.approx(-1 / 16, rel=1e-12)


def test_a_smooth_equation_has_the_derivative_of_its_solution():
    force = lambda x, y, p: p * np.exp(y)
    high, low = (middle(lambda x, y, t=t: force(x, y, 0.37 + t), 1e-8) for t in (1e-3, -1e-3))
    assert slope(force, 1e-8) == pytest.approx((high - low) / 2e-3, rel=1e-6)
