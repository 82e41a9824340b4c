"""`hostwrap.integrate.solve_ivp` with events, a solution for any time, and SciPy's own steps."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate

import hostwrap as hw
from hostwrap import integrate
from tests._kit.toys import same

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
SPAN, TIMES = (0.0, 10.0), jnp.linspace(0.0, 1.0, 5)


def fall(t, y, g):
    return [y[1], -g]


def hit(t, y, g):
    return y[0]


hit.terminal, hit.direction = True, -1


def thrown(g, v, **given):
    return integrate.solve_ivp(fall, SPAN, jnp.stack([1.0, v]), args=(g,), **TIGHT, **given)


def exact(g, v):
    """When it is on the ground."""
    return (v + jnp.sqrt(v * v + 2 * g)) / g


def test_of_known_numbers_it_is_scipys_result():
    given = {"args": (9.8,), "events": [hit], "dense_output": True}
    ours, theirs = (m.solve_ivp(fall, SPAN, [1.0, 2.0], **given) for m in (integrate, scipy.integrate))
    for name in ("t", "y", "status", "nfev"):
        same(ours[name], jnp.asarray(theirs[name]), 1e-14)
    same(ours.t_events[0], theirs.t_events[0], 1e-14)
    at = np.array([0.3, 0.1, 0.2])
    same(ours.sol(at), theirs.sol(at), 1e-14)
    same(jax.jacfwd(ours.sol)(0.3), jnp.array([2 - 9.8 * 0.3, -9.8]), 1e-7)


@pytest.mark.rotating
def test_the_time_of_an_event_moves_by_the_implicit_function_theorem():
    time = lambda g, v: thrown(g, v, events=hit, t_eval=TIMES).t_events[0][0]
    same(jax.jit(time)(9.8, 2.0), exact(9.8, 2.0), 1e-12)
    same(jax.grad(time, (0, 1))(9.8, 2.0), jax.grad(exact, (0, 1))(9.8, 2.0), 1e-8)
    same(jax.grad(jax.grad(time))(9.8, 2.0), jax.grad(jax.grad(exact))(9.8, 2.0), 1e-6)
    speed = lambda g: thrown(g, 2.0, events=hit, t_eval=TIMES).y_events[0][0, 1]
    same(jax.grad(speed)(9.8), jax.grad(lambda g: 2.0 - g * exact(g, 2.0))(9.8), 1e-8)


def test_behind_an_event_there_is_nothing():
    found = jax.jit(lambda g: thrown(g, 2.0, events=hit, t_eval=TIMES))(9.8)
    there = exact(9.8, 2.0) > TIMES
    assert np.all(np.isnan(found["y"]) == ~there)
    assert found["status"] == 1
    high = jax.jit(lambda g: thrown(g, 200.0, events=hit, t_eval=TIMES))(9.8)
    assert np.isnan(high["t_events"][0]).all()
    assert not np.isnan(high["y"]).any()


def test_a_solution_for_any_time():
    at = jnp.array([0.7, 0.2])
    height = lambda g: thrown(g, 2.0, dense_output=True).sol(at)[0]
    same(jax.jit(jax.jacfwd(height))(9.8), -(at**2) / 2, 1e-8)


def test_what_is_not_known_in_a_trace_is_refused():
    with pytest.raises(hw.RuleError, match=r"give t_eval=.*how many steps"):
        jax.grad(lambda g: thrown(g, 2.0).y[0, -1])(9.8)
    passing = lambda t, y, g: y[1]
    with pytest.raises(hw.RuleError, match=r"events= must be terminal"):
        jax.jit(lambda g: thrown(g, 2.0, events=passing, t_eval=TIMES))(9.8)


@pytest.mark.parametrize("method", ["BDF", "Radau", "LSODA"])
def test_a_jacobian_serves_known_numbers_and_is_none_of_derivatives(method):
    """y = exp(-p) for dy/dt = -p y."""
    jacobian = lambda t, y, p: jnp.array([[-p]])
    how = {"method": method, "t_eval": [1.0], "rtol": 1e-8, "atol": 1e-10}

    def last(p, **more):
        rate = lambda t, y, p: -p * y
        return integrate.solve_ivp(rate, (0.0, 1.0), jnp.ones(1), args=(p,), **how, **more).y[0, 0]

    same(jax.jit(jax.grad(lambda p: last(p, jac=jacobian)))(0.7), -np.exp(-0.7), 1e-6)
    own = scipy.integrate.solve_ivp(
        lambda t, y: -0.7 * y, (0.0, 1.0), [1.0], **how, jac=lambda t, y: [[-0.7]]
    )
    assert last(0.7, jac=jacobian) == own.y[0, 0]


JUMPING = {
    "a sign": lambda y, p: jnp.sign(y - p),
    "a branch": lambda y, p: jnp.where(y > p, 1.0, -1.0),
    "a small jump, and a slope": lambda y, p: y - p + 0.01 * jnp.sign(y - p),
    "too steep for the solver": lambda y, p: jnp.tanh((y - p) / 1e-13),
}


def stopped(p, signal, rate=1.0):
    """A line, until the event."""
    reached = lambda t, y, p: signal(y[0], p)
    reached.terminal = True
    return integrate.solve_ivp(
        lambda t, y, p: [rate + 0.0 * p], SPAN, [0.0], args=(p,), events=reached, t_eval=TIMES[:2]
    )


@pytest.mark.parametrize("signal", JUMPING)
@pytest.mark.parametrize(
    ("rate", "transform"), [(1.0, jax.grad), (0.4, jax.jacfwd), (0.4, lambda f: jax.jit(jax.grad(f)))]
)
def test_the_time_at_which_an_event_jumps_over_0_is_refused(signal, rate, transform):
    """Its derivative was 0: the event does not move with p there. With one of the rates SciPy's root is exact."""
    time = lambda p: stopped(p, JUMPING[signal], rate).t_events[0][0]
    with pytest.raises(
        Exception, match=r"event 0 of solve_ivp: .* jumps there|event 0 of solve_ivp: .* no root"
    ):
        jax.block_until_ready(transform(time)(0.4))


@pytest.mark.parametrize("transform", [jax.grad, jax.jacfwd, lambda f: jax.jit(jax.grad(f))])
def test_an_event_that_jumps_may_end_what_is_differentiated(transform):
    """The derivative of its time is not asked for."""
    late = lambda p: stopped(p, JUMPING["a sign"]).y[0, -1] * p
    same(transform(late)(0.4), TIMES[1], 1e-12)


def test_entries_that_are_computed_late_look_as_others_do():
    found = jax.vmap(lambda g: thrown(g, 2.0, events=hit, t_eval=TIMES))(jnp.array([9.8]))
    assert set(found) == {"t", "y", "t_events", "y_events", "sol", "status", "success", "message"}
    kept = jax.jit(
        lambda g: [dict(r := thrown(g, 2.0, events=hit, t_eval=TIMES))["t_events"], r.get("t_events")]
    )
    for (time,) in (found["t_events"], *kept(9.8)):
        same(jnp.ravel(time)[0], exact(9.8, 2.0), 1e-12)


@pytest.mark.parametrize("method", ["RK45", "LSODA"])
def test_with_large_tolerances_an_event_still_has_a_derivative(method):
    """The solution up to the event is another one than that in which SciPy found it, by the tolerances."""

    def time(p):
        swings = lambda t, y: [y[1], -p * y[0]]
        found = integrate.solve_ivp(
            swings, SPAN, [1.0, 0.0], method, TIMES, events=below, rtol=1e-2, atol=1e-3
        )
        return found.t_events[0][0]

    below = lambda t, y: y[0]
    below.terminal, below.direction = True, 1  # at 3 pi / 2
    same(jax.grad(time)(1.0), -0.75 * np.pi, 0.05)
