"""`hostwrap.integrate`: closed forms, SciPy's values and differences of them, in all modes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate
import scipy.special

import hostwrap as hw
from hostwrap import integrate, special
from hostwrap._rules.differences import slope
from tests._kit.toys import each_lane, fresh_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("fresh_lane")
MODES = {
    "jacfwd": lambda f, every: jax.jacfwd(f, every),
    "jacrev": lambda f, every: jax.jacrev(f, every),
    "hessian": lambda f, every: jax.hessian(f, every),
}
modes = pytest.mark.parametrize("mode", MODES)

# ---- quad

gauss = integrate.quad(lambda x, a, b: jnp.exp(-a * x**2) * jnp.cos(b * x))
powers = integrate.quad(lambda x, p: x**p)


def gauss_exact(a, b):
    return jnp.sqrt(jnp.pi / a) * jnp.exp(-(b**2) / (4 * a))


@modes
@pytest.mark.rotating
def test_quad_over_the_line(mode):
    got = jax.jit(MODES[mode](lambda a, b: gauss(-np.inf, np.inf, a, b), (0, 1)))(1.3, 0.7)
    same(got, MODES[mode](gauss_exact, (0, 1))(1.3, 0.7), 1e-9)


@modes
def test_quad_between_limits_that_move(mode):
    def exact(a, b, p):
        return (b ** (p + 1) - a ** (p + 1)) / (p + 1)

    got = jax.jit(MODES[mode](powers, (0, 1, 2)))(0.4, 1.7, 1.3)
    same(got, MODES[mode](exact, (0, 1, 2))(0.4, 1.7, 1.3), 1e-9)


def test_quad_is_scipys_and_broadcasts():
    a, b = np.array([0.5, 1.0, 2.0]), np.array([[0.0], [0.3]])
    each = [
        [scipy.integrate.quad(lambda x, u, v: np.exp(-u * x**2) * np.cos(v * x), 0, 2, (u, v))[0] for u in a]
        for v in b[:, 0]
    ]
    same(jax.jit(gauss)(0, 2, a, b), jnp.array(each), 1e-14)
    same(jax.jit(jax.vmap(lambda u: gauss(0, 2, u, 0.3)))(a), jnp.array(each[1]), 1e-14)
    many = jax.jit(jax.vmap(jax.grad(gauss, (1, 2, 3)), (None, None, 0, None)))(0.0, 2.0, a, 0.3)
    one = [jax.grad(gauss, (1, 2, 3))(0.0, 2.0, u, 0.3) for u in a]
    same(many, jax.tree.map(lambda *x: jnp.stack(x), *one), 1e-13)


def test_quad_with_a_special_function_inside_and_options():
    """J0(z)^2 is the mean of J0(2 z sin t) over half a turn (DLMF 10.9.26)."""
    bessel = integrate.quad(lambda t, z: special.j0(2 * z * jnp.sin(t)), epsabs=1e-13, epsrel=1e-13)
    exact = scipy.special.j0(1.3) ** 2 * np.pi
    value, first = jax.jit(jax.value_and_grad(lambda z: bessel(0.0, np.pi, z)))(1.3)
    slope_ = -2 * np.pi * scipy.special.j0(1.3) * scipy.special.j1(1.3)
    same((value, first), (float(exact), float(slope_)), 1e-12)


def test_quad_the_value_and_all_derivatives_are_one_call():
    calls = []

    def counted(x):
        calls.append(x)
        return np.sin(x)

    inner = hw.wrap(counted).defpartials(lambda ans, x: jnp.cos(x))
    f = integrate.quad(lambda x, p: inner(p * x))
    compiled = jax.jit(jax.value_and_grad(lambda p: f(0.0, 1.0, p)))
    value, first = compiled(2.0)
    same((value, first), (float((1 - np.cos(2)) / 2), float((2 * np.sin(2) + np.cos(2) - 1) / 4)), 1e-12)
    assert len(calls) == 21  # points of one Gauss-Kronrod rule


@lanes
def test_the_derivative_at_an_infinite_limit_is_zero_and_no_nan():
    tail = integrate.quad(lambda x, k: jnp.exp(-k * x) * jnp.log(x))
    got = jax.jit(jax.grad(tail, (0, 1, 2)))(1.0, np.inf, 1.5)
    exact, _ = slope(lambda h: scipy.special.exp1(1.5 + h) / (1.5 + h), 0.1)
    same(got, (0.0, 0.0, float(exact)), 1e-9)


# ---- solve_ivp

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
TIMES = np.linspace(0.3, 1.5, 4)
START = np.array([1.0, 2.0])


decay = integrate.solve_ivp(lambda t, y, k: [-k * t * y[0]], **TIGHT)


def decay_exact(y0, t, k):
    return (y0[:, None] * jnp.exp(-k * (t**2 - t[0] ** 2) / 2)).reshape(1, -1)


@modes
@pytest.mark.rotating
def test_solve_ivp_against_a_closed_form(mode):
    args = (START[:1], TIMES, 0.9)
    got = jax.jit(MODES[mode](decay, (0, 1, 2)))(*args)
    same(got, MODES[mode](decay_exact, (0, 1, 2))(*args), 1e-8)


def predator(t, y, rates, period):
    hare, lynx = y
    a, b, c = rates
    return [a * hare - b * hare * lynx, b * hare * lynx - c * lynx * jnp.cos(t / period)]


def test_solve_ivp_of_a_system_against_differences_of_scipys_solution():
    solver = integrate.solve_ivp(predator, method="DOP853", **TIGHT)
    args = (START, TIMES, np.array([0.7, 0.4, 0.9]), 3.0)
    random = np.random.default_rng(2)
    steps = [0.1 * random.normal(size=np.shape(x)) for x in args]

    def moved(h):
        y0, t, rates, period = (x + h * d for x, d in zip(args, steps, strict=True))
        found = scipy.integrate.solve_ivp(
            lambda s, y: np.array(predator(s, y, rates, period)),
            (t[0], t[-1]),
            y0,
            t_eval=t,
            method="DOP853",
            rtol=1e-13,
            atol=1e-14,
        )
        return found.y

    same(solver(*args), moved(0.0), 1e-9)
    exact, error = slope(moved, 0.2)
    assert error.max() < 1e-9
    same(jax.jit(lambda *d: jax.jvp(solver, args, d)[1])(*steps), exact, 1e-8)
    weights = random.normal(size=(2, 4))
    pulled = jax.jit(jax.grad(lambda *a: (solver(*a) * weights).sum(), (0, 1, 2, 3)))(*args)
    total = sum(jnp.sum(g * d) for g, d in zip(pulled, steps, strict=True))
    same(total, jnp.asarray((exact * weights).sum()), 1e-8)


@lanes
def test_solve_ivp_in_each_lane():
    got = jax.jit(jax.grad(lambda *a: decay(*a).sum(), 2))(START[:1], TIMES, 0.9)
    same(got, jax.grad(lambda *a: decay_exact(*a).sum(), 2)(START[:1], TIMES, 0.9), 1e-9)


def test_solve_ivp_backwards_batched_and_at_one_time():
    there = decay(START[:1], TIMES, 0.9)
    back = decay(there[:, -1], TIMES[::-1], 0.9)
    same(back[:, ::-1], there, 1e-9)
    ks = np.array([0.5, 0.9])
    many = jax.jit(jax.vmap(jax.grad(lambda k: decay(START[:1], TIMES, k).sum())))(ks)
    same(many, jnp.stack([jax.grad(lambda k: decay(START[:1], TIMES, k).sum())(k) for k in ks]), 1e-9)
    same(decay(START[:1], TIMES[:1], 0.9), jnp.ones((1, 1)))
    same(jax.jacfwd(lambda y: decay(y, TIMES[:1], 0.9))(START[:1]), jnp.ones((1, 1, 1)))


def test_fits_an_equation_to_data():
    """The gradient of a sum of squares is 0 at the parameter that the data were made of."""
    data = decay_exact(START[:1], TIMES, 0.9)
    loss = jax.jit(jax.value_and_grad(lambda k: ((decay(START[:1], TIMES, k) - data) ** 2).sum()))
    value, gradient = loss(0.9)
    assert value < 1e-18
    assert abs(gradient) < 1e-9
    assert loss(0.8)[1] < -1e-2


# ---- what does not fit


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: integrate.quad(3.0), hw.RuleError, "quad: expected a function, got float: 3.0"),
        (
            lambda: integrate.quad(lambda *x: x),
            hw.RuleError,
            r"quad\(<lambda>\): it must take its arguments by",
        ),
        (lambda: integrate.quad(lambda x, upper: x), hw.RuleError, "lower and upper are the limits; give"),
        (
            lambda: integrate.quad(lambda x, p: np.sin(p * x)),
            hw.RuleError,
            r"quad\(<lambda>\): JAX cannot trace it",
        ),
        (
            lambda: integrate.quad(lambda x: jnp.sum(jnp.arange(3) * x)),
            hw.RuleError,
            "quad.* array.*, but it must be a function of numbers.*passed as an argument",
        ),
        (lambda: integrate.quad(lambda x: x * 1j), hw.RuleError, "must return real numbers, not complex128"),
        (lambda: powers(0.0, 1.0), hw.SignatureError, "missing a required argument: 'p'"),
        (
            lambda: decay(1.0, TIMES, 0.9),
            hw.SignatureError,
            r"wants y0 of shape \(n,\).*got \(\), \(4,\), \(\)",
        ),
        (
            lambda: decay(START, TIMES, 0.9),
            hw.RuleError,
            "must return a list of 2 numbers, one for each of y",
        ),
        (
            lambda: jax.jit(lambda q: integrate.quad(lambda x: q * x)(0.0, 1.0))(2.0),
            hw.RuleError,
            "closes over an array, but .* passed as an argument",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_a_solution_that_ends_early_is_an_error():
    blowup = integrate.solve_ivp(lambda t, y: [y[0] ** 2])  # 1 / (1 - t)
    with pytest.raises(RuntimeError, match="the integration stopped: Required step size"):
        blowup(jnp.ones(1), np.array([0.0, 2.0]))
    with pytest.raises(Exception, match="the integration stopped"):
        jax.block_until_ready(jax.jit(blowup)(jnp.ones(1), np.array([0.0, 2.0])))
    assert isinstance(hw.last_error(), hw.HostCallError)


def test_quad_warns_as_scipy_does():
    with pytest.warns(scipy.integrate.IntegrationWarning):
        integrate.quad(lambda x: 1 / x)(0.0, 1.0)


@pytest.mark.rotating
def test_hostwrap_finds_nothing_wrong():
    assert not hw.testing.check(powers, 0.4, 1.7, 1.3).failures
