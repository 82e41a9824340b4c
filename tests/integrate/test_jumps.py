"""Derivatives of integrals and of trajectories whose integrand or right-hand side jumps at a place that moves."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate as si
from jax import lax

import hostwrap as hw
import hostwrap.integrate as hi
import hostwrap.optimize as ho
from hostwrap import MissingDerivative
from hostwrap._tracing.tape import recordable, second
from hostwrap._tracing.tape.array import concrete
from tests._kit.days import by_turns
from tests._kit.versions import SCIPY

P = 0.4


def derivatives(f):
    """The first two, in both modes."""
    return np.array([jax.grad(f)(P), jax.jit(jax.jacfwd(jax.grad(f)))(P)])


def of_quad(f, lower=0.0, upper=1.0):
    return lambda p: hi.quad(lambda x: f(x, p), lower, upper)[0]


E = np.exp(-(P**2))
# (integrand, its integral's first two derivatives in p)
INTEGRANDS = {
    "where": (lambda x, p: jnp.where(x > p * p, p, x), (1 - 3 * P**2 + 2 * P**3, 6 * P**2 - 6 * P)),
    "heaviside": (lambda x, p: jnp.heaviside(x - p, 0.5) * jnp.exp(-x * x), (-E, 2 * P * E)),
    "sign": (lambda x, p: jnp.sign(p - x) * x, (2 * P, 2)),
    "floor": (lambda x, p: jnp.floor(7 * p * x) * x, (5 / 49 / P**3, -15 / 49 / P**4)),
    "mod": (lambda x, p: jnp.mod(3 * p * x, 1.0), (1.5 - 1 / (3 * P**2), 2 / (3 * P**3))),
    "a truth as a number": (lambda x, p: (x > p) * (x < 2 * p) * p, (2 * P, 2)),
    "argmax": (lambda x, p: 1.0 * jnp.argmax(jnp.stack([x, p])), (1, 0)),
    "an integer": (lambda x, p: (3 * p * x).astype(int) * 1.0, (1 / 3 / P**2, -2 / 3 / P**3)),
    "a kink": (lambda x, p: jnp.maximum(x - p, 0.0), (P - 1, 1)),
    "an absolute value": (lambda x, p: jnp.abs(x - p), (2 * P - 1, 2)),
    "the root of a square": (lambda x, p: jnp.sqrt(4.0 * (x - p) ** 2 + 0.0) / 2, (2 * P - 1, 2)),
    "the root of a product": (lambda x, p: ((x - p) * (x - p)) ** 0.5, (2 * P - 1, 2)),
    "the norm of one number": (lambda x, p: jnp.linalg.norm(jnp.stack([x - p])), (2 * P - 1, 2)),
    "the root of a dot product": (lambda x, p: jnp.sqrt((v := jnp.stack([x - p])) @ v), (2 * P - 1, 2)),
    "hypot": (lambda x, p: jnp.hypot(x - p, 0.0), (2 * P - 1, 2)),
    "clip": (lambda x, p: jnp.clip(x, 0.1, p), (1 - P, -1)),
    "a fixed jump": (lambda x, p: jnp.where(x > 0.5, p * p * x, p), (0.375 * 2 * P + 0.5, 0.75)),
    "branches": (lambda x, p: lax.cond(x > p, lambda: x, lambda: 0.0), (-P, -1)),
    "a loop": (
        lambda x, p: lax.scan(lambda c, i: (c + jnp.where(x > p * i, 1.0, 0.0), None), 0.0, jnp.arange(1.0, 3.0))[0],
        (-3, 0),
    ),
    "the square root of a distance": (lambda x, p: jnp.sqrt(jnp.abs(x * x - p * p)) * 0 + x * p, (0.5, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", by_turns(*INTEGRANDS))
def test_quad_with_a_jump_or_a_kink_at_a_place_that_moves(name):
    f, want = INTEGRANDS[name]
    np.testing.assert_allclose(derivatives(of_quad(f)), want, rtol=1e-9, atol=1e-9)


STEP = lambda x, p: jnp.where(x < p, jnp.exp(-x * x), 0.0)
USES = {
    "tanhsinh": lambda p: hi.tanhsinh(lambda x: STEP(x, p), 0.0, 1.0).integral,
    "an integrator": lambda p: hi.quad(STEP)(0.0, 1.0, p),
    "from minus infinity": lambda p: of_quad(STEP, -jnp.inf, jnp.inf)(p),
    "backward": lambda p: -of_quad(STEP, 1.0, 0.0)(p),
    "the outer variable": lambda p: hi.dblquad(lambda y, x: STEP(x, p), 0.0, 1.0, 0.0, 1.0)[0],
    "the inner variable": lambda p: hi.dblquad(lambda y, x: STEP(y, p), 0.0, 1.0, 0.0, 1.0)[0],
    "up to the place": lambda p: hi.quad(lambda x: jnp.where(x < p, jnp.exp(-x * x), 9.0), 0.0, p)[0],
    "in code of NumPy": hw.wrap(lambda p: si.quad(lambda x: np.where(x < p, np.exp(-x * x), 0.0), 0.0, 1.0)[0]),
}  # fmt: skip


@pytest.mark.parametrize("use", by_turns(*USES))
def test_integrals_with_a_step(use):
    if use == "tanhsinh" and SCIPY < (1, 17):
        pytest.skip("SciPy's tanhsinh does not end beside the step")
    np.testing.assert_allclose(derivatives(USES[use]), (E, -2 * P * E), rtol=1e-8)


def test_an_inner_integral_whose_place_enters_and_leaves():
    """The area below a diagonal; its second derivative has the kink of the inner integral."""
    volume = lambda p: hi.dblquad(lambda y, x: jnp.maximum(p - x - y, 0.0), 0.0, 1.0, 0.0, 1.0)[0]
    np.testing.assert_allclose(derivatives(volume), (P * P / 2, P), rtol=1e-8)


def test_an_infinite_integrand_at_a_place_that_moves_is_refused():
    with pytest.raises(MissingDerivative, match=r"quad: .*infinite at x = 0.4.*Split the interval"):
        jax.grad(of_quad(lambda x, p: jnp.where(x > p, jnp.log(jnp.abs(x - p)), 0.0)))(P)


def test_two_places_that_meet_and_move_apart_are_refused():
    with pytest.raises(MissingDerivative, match="for two reasons"):
        jax.grad(of_quad(lambda x, p: jnp.where((x > p) & (x < 2 * P - p), 1.0, jnp.where(x > p, 2.0, 0.0))))(
            P
        )


def test_a_series_that_stops_by_a_tolerance_has_no_jumps():
    def exp(x):
        more = lambda c: (c[0] + c[1], c[1] * x / c[2], c[2] + 1)
        return lax.while_loop(lambda c: jnp.abs(c[1]) > 1e-17, more, (0.0, 1.0, 1.0))[0]

    want = (np.exp(P) * P - np.exp(P) + 1) / P**2
    np.testing.assert_allclose(jax.grad(of_quad(lambda x, p: exp(p * x)))(P), want, rtol=1e-9)


@hw.wrap
def traced(x, p):
    return np.where(x < p, np.exp(-x * x), 0.0)


@hw.wrap(vmap_method="sequential")
def recorded(x, p):
    return np.exp(-x * x) if x < p else 0.0 * x


@hw.wrap(dtype=float)
def ruled(x, p):
    return np.where(x < p, np.exp(-x * x), 0.0)


ruled.defpartials(
    lambda ans, x, p: jnp.where(x < p, -2 * x * jnp.exp(-x * x), 0.0), lambda ans, x, p: jnp.zeros_like(p)
)


@hw.wrap(dtype=float)
def same(x, p):
    return np.where(x < p, np.exp(-x * x), 0.0)


same.defimplicit(lambda y, x, p: y - jnp.where(x < p, jnp.exp(-x * x), 0.0))


cubic = lambda x, p: lambda y: y**3 + y - jnp.exp(-x * x) * (x < p)
CALLED = {
    "traced": traced,
    "with a rule": ruled,
    "brentq": lambda x, p: (lambda y: y**3 + y)(ho.brentq(cubic(x, p), -1.0, 2.0, xtol=1e-14)),
    "newton": lambda x, p: (lambda y: y**3 + y)(ho.newton(cubic(x, p), 0.5, tol=1e-14)),
    "fsolve": lambda x, p: (lambda y: y**3 + y)(ho.fsolve(cubic(x, p), jnp.ones(1), xtol=1e-12)[0]),
    "an equation": same,
}


@pytest.mark.parametrize("called", by_turns(*CALLED))
def test_functions_that_the_integrand_calls(called):
    """Their branches count, be they in code without a rule, in code with one, or in the equation of a solver."""
    np.testing.assert_allclose(derivatives(of_quad(CALLED[called])), (E, -2 * P * E), rtol=1e-8)
    slope = lambda y, t, p: CALLED[called](t, p) + 0 * y
    end = lambda p: hi.odeint(slope, jnp.zeros(1), np.array([0.0, 1.0]), (p,), **FINE)[-1, 0]
    np.testing.assert_allclose(jax.grad(end)(P), E, rtol=1e-6)


def test_code_that_is_recorded_is_refused_where_it_jumps():
    with pytest.raises(MissingDerivative, match=r"quad: .*in code that is recorded.*at x = 0.4"):
        jax.grad(of_quad(recorded))(P)
    end = lambda p: hi.odeint(lambda y, t: recorded(t, p) + 0 * y, jnp.zeros(1), np.array([0.0, 1.0]))[-1, 0]
    with pytest.raises(MissingDerivative, match=r"odeint: .*in code that is recorded.*at t = 0.4"):
        jax.grad(end)(P)


def test_recorded_code_may_stop_where_rounding_decides():
    """Newton's iteration stops after a number of turns that is another one at nearly each place."""

    @hw.wrap(vmap_method="sequential")
    def root(x, p):
        y, step = 1.0 + 0 * x, 1.0
        turns = 0
        while abs(step) > 3e-17 and turns < 60:
            step = (y**3 + y - p * x) / (3 * y * y + 1)
            y, turns = y - step, turns + 1
        return y

    end = lambda root: jax.grad(of_quad(root))(P)
    want = end(lambda x, p: ho.brentq(lambda y: y**3 + y - p * x, -1.0, 2.0, xtol=1e-14))
    np.testing.assert_allclose(end(root), want, rtol=1e-8)


def test_cubature_refuses_jumps_and_takes_kinks():
    cube = lambda f, rtol=1e-4: jax.grad(
        lambda p: hi.cubature(lambda x: f(x[:, 0] + x[:, 1], p), [0, 0], [1, 1], rtol=rtol).estimate
    )
    with pytest.raises(MissingDerivative, match=r"cubature: .*Call dblquad"):
        cube(lambda s, p: jnp.where(s < p, 1.0, 0.0), 1e-2)(P)
    np.testing.assert_allclose(cube(lambda s, p: jnp.maximum(p - s, 0.0))(P), P * P / 2, rtol=1e-3)
    np.testing.assert_allclose(cube(lambda s, p: jnp.where(s < 0.5, p, 0.0))(P), 0.125, rtol=1e-3)


# ---- trajectories: (dy/dt, y(0), y(1) in closed form), all as functions of p
RATES = {
    "a time": (lambda t, y, p: jnp.where(t > p, 1.0, 0.5) * y, lambda p: 1.0 + 0 * p, lambda p: jnp.exp(1 - p / 2)),
    "a state": (lambda t, y, p: jnp.where(y < p, 0.5, 2.0), lambda p: p * p, lambda p: p + 2 * (1 - 2 * (p - p * p))),
    "a kink": (
        lambda t, y, p: jnp.maximum(t - p, 0.0) * y, lambda p: 1 + p, lambda p: (1 + p) * jnp.exp((1 - p) ** 2 / 2),
    ),
    "wholes": (lambda t, y, p: jnp.floor(2 * t / p) + 0 * y, lambda p: 0 * p, lambda p: 5.0 - 15 * p / 2),
}  # fmt: skip
SOLVERS = {
    "odeint": lambda f, y0, p: hi.odeint(
        lambda y, t: f(t, y, p), y0[None], np.array([0.0, 0.9, 1.0]), mxstep=5000, **FINE
    )[-1, 0],
    "solve_ivp": lambda f, y0, p: hi.solve_ivp(
        lambda t, y: f(t, y, p), (0.0, 1.0), y0[None], t_eval=[0.9, 1.0], **FINE
    ).y[0, -1],
    "a solver": lambda f, y0, p: hi.solve_ivp(lambda t, y, p: [f(t, y[0], p)], **FINE)(
        y0[None], jnp.array([0.0, 1.0]), p
    )[0, -1],
}  # fmt: skip
FINE = {"rtol": 1e-9, "atol": 1e-11}
CASES = list(itertools.product(RATES, SOLVERS))


@pytest.mark.parametrize("case", by_turns(*CASES))
def test_trajectories(case):
    rate, start, end = RATES[case[0]]
    got = derivatives(lambda p: SOLVERS[case[1]](rate, start(p), p))
    np.testing.assert_allclose(got, derivatives(end), rtol=2e-6, atol=2e-6)


def test_an_integral_over_trajectories_that_have_a_jump_or_not():
    """The trajectory up to T has a kink in T where it meets the jump, so the second derivative has a part of it."""
    rate = lambda t, y, p: jnp.where(t > p, 1.0, 0.5) + 0 * y
    up_to = lambda t, p: hi.odeint(rate, jnp.zeros(1), jnp.stack([0.0, t]), (p,), tfirst=True)[-1, 0]
    area = lambda p: hi.quad(lambda t: up_to(t, p), 0.0, 0.6, epsabs=1e-3)[0]
    np.testing.assert_allclose(jax.grad(jax.grad(area))(P), 0.5, rtol=1e-6)


def test_dry_friction():
    """Two reversals of a mass on a spring: each lies 2 p below the amplitude before."""
    f = lambda t, y, p: jnp.stack([y[1], -y[0] - p * jnp.sign(y[1])])
    end = lambda p: hi.solve_ivp(lambda t, y: f(t, y, p), (0.0, 7.0), [5.0, 0.0], t_eval=[7.0], **FINE).y[
        0, -1
    ]
    want = lambda p: p + (5.0 - 5 * p) * jnp.cos(7.0 - 2 * jnp.pi)  # in the third half turn
    np.testing.assert_allclose(end(P), want(P), rtol=1e-6)
    np.testing.assert_allclose(derivatives(end), derivatives(want), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("rate", "why"),
    [
        (lambda t, y, p: -jnp.sign(y - 0.1 * t), "keeps the solution at the place"),
        (lambda t, y, p: jnp.where((t > p) | (t > 2 * p - P), 0.0, 1.0), "for two reasons"),
    ],
)
def test_trajectories_that_have_no_derivative(rate, why):
    end = lambda p: hi.solve_ivp(lambda t, y: rate(t, y, p), (0.0, 1.0), p[None], t_eval=[1.0]).y[0, -1]
    with pytest.raises(MissingDerivative, match=f"solve_ivp: .*{why}.*terminal event"):
        jax.grad(end)(P)


def test_code_of_numpy_is_traced():
    """The traced way serves: it need not be recorded."""

    @hw.wrap
    def end(p):
        rate = lambda t, y: np.where(t > p, 1.0, 0.5) * y
        return si.solve_ivp(rate, (0.0, 1.0), [1.0], t_eval=[1.0], rtol=1e-8, atol=1e-10).y[0, -1]

    assert hw.explain(end, P).way == "traced"
    np.testing.assert_allclose(jax.grad(end)(P), -np.exp(1 - P / 2) / 2, rtol=1e-6)


def test_an_array_that_the_integrand_closes_over():
    """It is a number of a program that is read for its branches."""
    shift = jnp.asarray(0.3)
    assert jax.grad(of_quad(lambda x, p: jnp.where(x + shift < p, 1.0, 0.0)))(P) == pytest.approx(1.0)


# integrals of x from 0.7 on or up to there, and what their second derivative has of a kink or a jump at that limit
AT_LIMITS = {
    "a length, at the end": (lambda s, xp, p: s.quad(lambda x: abs(x - p) * x, 0.0, p), P**2 / 2, P),
    "a length, at the start": (lambda s, xp, p: s.quad(lambda x: abs(x - p) * x, p, 2.0), P**2 / 2 - 2, P),
    "a length, backwards": (lambda s, xp, p: s.quad(lambda x: abs(x - p) * x, p, 0.0), -(P**2) / 2, -P),
    "a maximum": (lambda s, xp, p: s.quad(lambda x: xp.maximum(p - x, 0.0) * x, 0.0, p), P**2 / 2, P),
    "an option": (
        lambda s, xp, p: s.quad(lambda x: xp.maximum(x - p, 0.0) * xp.exp(-x), p, np.inf),
        -np.exp(-P),
        np.exp(-P),
    ),
    "a jump": (lambda s, xp, p: s.quad(lambda x: xp.where(x < p, 1.0, 3.0) * x, 0.0, p), P, 1.0),
    "a jump, at the start": (
        lambda s, xp, p: s.quad(lambda x: xp.where(x <= p, 1.0, 3.0) * x, p, 2.0), -3 * P, -3.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_LIMITS)
def test_a_branch_that_ends_at_a_limit_counts_as_it_is_inside(name):
    """Traced and recorded: on the limit itself the slope of a maximum is a half, that of a length either one."""
    f, first, twice = AT_LIMITS[name]
    traced = jax.grad(lambda p: f(hi, jnp, p)[0])
    np.testing.assert_allclose([traced(P), jax.jit(jax.grad(traced))(P)], [first, twice], rtol=1e-7)
    of_numpy = recordable(lambda p: f(si, np, p)[0])
    recording, found = second(of_numpy, [np.float64(P)], [True], [1.0], [1.0])
    np.testing.assert_allclose(concrete([recording.jvp([1.0])[0], *found]), [first, twice], rtol=1e-7)


def test_a_branch_that_ends_at_the_limit_of_an_integral_inside():
    """The diagonal of a square, as a limit: the integral of |x - y| over 0 < y < p x < p, at p = 1."""
    area = lambda p: hi.dblquad(lambda y, x: jnp.abs(p * x - y), 0.0, 1.0, 0.0, lambda x: p * x)[0]
    np.testing.assert_allclose([jax.grad(area)(P), jax.grad(jax.grad(area))(P)], [P / 3, 1 / 3], rtol=1e-7)


@pytest.mark.parametrize("distance", [1e-3, 1e-12, 1e-30])
def test_a_place_next_to_a_limit_of_0_is_inside(distance):
    jump = lambda p: hi.quad(lambda x: jnp.where(x < p, 1.0, 3.0), 0.0, 1.0)[0]
    assert jax.grad(jump)(distance) == pytest.approx(-2.0)
