"""`hostwrap.integrate` under SciPy's own calls: boundary values, double exponentials, samples."""

import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats

import hostwrap as hw
from hostwrap import integrate
from hostwrap._rules.differences import slope
from hostwrap.integrate import _boundary as boundary
from hostwrap.integrate import _cubatures as cubatures
from hostwrap.integrate import _quadrature as quadrature
from hostwrap.integrate import _samples as samples
from hostwrap.testing import check
from tests._kit.toys import same

# ---- boundary values

FIRST = np.linspace(0.0, 1.0, 5)


def bent(solve, xp):
    """y'' = -k exp(y) with y(0) = c, y(b) = 0: the values inside."""

    def values(k, c, b):
        rate = lambda t, s: xp.stack([s[1], -k * xp.exp(s[0])])
        ends = lambda left, right: xp.stack([left[0] - c, right[0]])
        found = solve(rate, ends, b * FIRST, np.zeros((2, 5)), tol=1e-5, max_nodes=60)
        return found.sol(b * np.array([0.3, 0.5]))

    return values


def resonance(k):
    """y'' = -(p^2 + k x) y, y(0) = y(1) = 0, y'(0) = p: p."""
    guess = np.stack([np.sin(3.1 * FIRST), 3 * np.cos(3.1 * FIRST)])
    rate = lambda t, s, p: jnp.stack([s[1], -(p[0] ** 2 + k * t) * s[0]])
    ends = lambda a, b, p: jnp.stack([a[0], b[0], a[1] - p[0]])
    return integrate.solve_bvp(rate, ends, FIRST, guess, p=[3.0], tol=1e-5, max_nodes=60).p[0]


def test_boundary_values_are_those_of_scipy():
    point = (1.0, 0.2, 1.1)
    same(
        bent(integrate.solve_bvp, jnp)(*point),
        jnp.asarray(bent(scipy.integrate.solve_bvp, np)(*point)),
        1e-12,
    )


@pytest.mark.rotating
def test_derivatives_of_a_boundary_value_problem():
    """In what fun reads, what bc reads, and the end: beside differences of SciPy's values, which stop at tol."""
    point, step = np.array([1.0, 0.2, 1.1]), np.array([0.7, -0.4, 0.3])
    theirs = bent(scipy.integrate.solve_bvp, np)
    exact, _ = slope(lambda t: theirs(*(point + t * step)), 0.05)
    f = jax.jit(jax.jacrev(lambda z: bent(integrate.solve_bvp, jnp)(*z)))
    np.testing.assert_allclose(f(point) @ step, exact, rtol=2e-5)


def test_a_parameter_of_a_boundary_value_problem():
    """First order perturbation: d(p^2) = -dk <x> with the weight sin(pi x)^2, so dp = -1 / (4 pi)."""
    value, gradient = jax.jit(jax.value_and_grad(resonance))(0.0)
    np.testing.assert_allclose(value, np.pi, rtol=1e-5)
    np.testing.assert_allclose(gradient, -1 / (4 * np.pi), rtol=1e-4)


@pytest.mark.rotating
def test_second_derivatives_and_batches_of_boundary_values():
    """The mesh is held: gradients at neighbouring points, each on its own mesh, are equal to tol."""
    point, step = np.array([1.0, 0.2, 1.1]), np.array([0.7, -0.4, 0.3])
    gradient = jax.jit(jax.grad(lambda z: bent(integrate.solve_bvp, jnp)(*z).sum()))
    exact, _ = slope(lambda t: np.asarray(gradient(point + t * step)), 0.05)
    got = jax.jit(lambda z: jax.jvp(gradient, (z,), (step,))[1])(point)
    np.testing.assert_allclose(got, exact, rtol=1e-3, atol=1e-4)
    pair = np.stack([point, 1.1 * point])
    same(jax.jit(jax.vmap(gradient))(pair), jnp.stack(list(map(gradient, pair))), 1e-9)


# ---- double exponentials


def gamma(k, a=0.0, b=40.0):
    return integrate.tanhsinh(lambda x: x ** (k - 1) * jnp.exp(-x), a, b).integral


def test_integrals_with_infinite_ends():
    psi = scipy.special.psi(0.5)
    np.testing.assert_allclose(jax.grad(gamma)(0.5), scipy.special.gamma(0.5) * psi, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(gamma, 2)(0.5, 0.0, 1.0), np.exp(-1), rtol=1e-14)
    same(jax.grad(gamma)(1.5), jax.jvp(gamma, (1.5,), (1.0,))[1], 1e-14)


@pytest.mark.rotating
def test_all_derivatives_of_integrals():
    check(gamma, 1.7, 0.3, 1.1)


def test_limits_and_parameters_in_single_precision():
    k, b = np.float32(1.7), np.float32(1.1)
    np.testing.assert_allclose(gamma(k, np.float32(0.3), b), gamma(1.7, 0.3, 1.1), rtol=1e-6)
    inner = lambda k: integrate.nquad(lambda x: jnp.exp(-k * x), [(np.float32(0.0), b)])[0]
    np.testing.assert_allclose(jax.grad(inner)(k), jax.grad(inner)(1.7), rtol=1e-6)


def test_integrals_of_each_element():
    f = lambda m: (
        lambda k, b: (
            m.tanhsinh(
                lambda x, k: np.exp(-k * x) if m is scipy.integrate else jnp.exp(-k * x), 0.0, b, args=(k,)
            ).integral
        )
    )
    given = np.array([0.5, 0.7]), np.array([1.0, 2.0])
    same(f(integrate)(*given), jnp.asarray(f(scipy.integrate)(*given)), 1e-14)
    assert jnp.isnan(jax.grad(lambda b: integrate.tanhsinh(lambda x: x, 0.0, b).error)(1.0))


# ---- cubature


def over_box(xp, cubature):
    """Two integrals over a box whose corners move."""

    def values(k, a, b, shift):
        f = lambda x: xp.exp(-k * x[:, 0] * x[:, 1])[:, None] * xp.cos(x[:, 1:] + shift)
        return cubature(f, xp.stack([a, 0.2]), xp.stack([1.5, b]), rule="genz-malik", rtol=1e-10).estimate

    return values


BOX = (0.7, 0.1, 0.9, np.array([0.3, -0.4]))


def test_cubatures():
    ours, theirs = over_box(jnp, integrate.cubature), over_box(np, scipy.integrate.cubature)
    same(ours(*BOX), jnp.asarray(theirs(*BOX)), 0.0)
    step = (0.3, -0.2, 0.5, np.array([0.4, 0.1]))
    exact, _ = slope(lambda t: theirs(*(x + t * d for x, d in zip(BOX, step, strict=True))), 0.05)
    same(jax.jvp(ours, BOX, tuple(map(jnp.asarray, step)))[1], exact, 1e-8)
    rows = jax.jacrev(ours, (0, 1, 2, 3))(*BOX)
    same(
        sum(jnp.tensordot(r, jnp.asarray(d), np.ndim(d)) for r, d in zip(rows, step, strict=True)),
        exact,
        1e-8,
    )


def test_cubatures_with_infinite_limits_and_their_second_derivatives():
    f = lambda k, a: integrate.cubature(lambda x: jnp.exp(-k * x[:, 0]), [a], [np.inf]).estimate
    k, a = 1.3, 0.4  # exp(-k a) / k
    value = np.exp(-k * a) / k
    same(jax.jit(jax.grad(f, (0, 1)))(k, a), (-value * (a + 1 / k), -k * value), 1e-9)
    exact = [[value * (a**2 + 2 * a / k + 2 / k**2), a * k * value], [a * k * value, k**2 * value]]
    same(jnp.array(jax.hessian(f, (0, 1))(k, a)), jnp.array(exact), 1e-8)
    many = jnp.array([1.3, 1.5])
    same(jax.vmap(jax.grad(f), (0, None))(many, a), jnp.stack([jax.grad(f)(x, a) for x in many]), 1e-13)


def test_cubatures_that_cannot_be():
    with pytest.raises(RuntimeError, match="does not converge"):
        integrate.cubature(lambda x: 1 / x[:, 0], [0.0], [1.0], max_subdivisions=20)
    with pytest.raises(hw.SignatureError, match="corners a and b of one shape"):
        integrate.cubature(lambda x: x[:, 0], [0.0], [1.0, 2.0])


# ---- samples

X = np.array([0.0, 0.9, 2.0, 4.0, 4.5])
Y = np.cos(X) + X


@pytest.mark.parametrize("name", ["simpson", "trapezoid", "cumulative_trapezoid"])
@pytest.mark.rotating
def test_integrals_of_samples(name):
    ours, theirs = getattr(integrate, name), getattr(scipy.integrate, name)
    np.testing.assert_array_equal(ours(Y, X), theirs(Y, X))
    np.testing.assert_array_equal(ours(Y, dx=0.5), theirs(Y, dx=0.5))
    check(lambda y, x: ours(y, x), Y, X, order=1 if name == "simpson" else 2)


@pytest.mark.rotating
@pytest.mark.parametrize("module", [boundary, cubatures, quadrature])
def test_the_examples_say_what_comes_out(module):
    assert not doctest.testmod(module).failed


@pytest.mark.rotating
def test_the_examples_of_samples_say_what_comes_out():
    for name in ("simpson", "trapezoid", "cumulative_trapezoid"):
        finder = doctest.DocTestFinder(recurse=False)
        for example in finder.find(getattr(samples, name), name, globs={name: getattr(samples, name)}):
            assert example.examples and not doctest.DocTestRunner().run(example).failed


RATE, ENDS = (lambda t, s: s), (lambda a, b: a)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: integrate.solve_bvp(RATE, ENDS, FIRST[:2], np.ones((1, 2))), "with 3 <= m <= max_nodes"),
        (
            lambda: integrate.solve_bvp(lambda t, s: s[0], ENDS, FIRST, np.ones((1, 5))),
            "fun must return an array",
        ),
        (
            lambda: integrate.solve_bvp(RATE, lambda a, b: a[0], FIRST, np.ones((1, 5))),
            "bc must return an array",
        ),
    ],
)
def test_what_is_not_taken_is_refused(call, words):
    with pytest.raises(hw.RuleError, match=words):
        call()


@pytest.mark.parametrize("function", [integrate.trapezoid, integrate.simpson, integrate.cumulative_trapezoid])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_samples_may_be_complex(function, dtype):
    y = (np.arange(5.0) ** 2 + 1j).astype(dtype)
    got = jax.jit(function)(y)
    np.testing.assert_allclose(got, getattr(scipy.integrate, function.__name__)(y), rtol=1e-6)
    assert got.dtype == dtype


# ---- quasi-random points


def sampled(solve, xp):
    engine = lambda: scipy.stats.qmc.Halton(2, seed=1)

    def values(k, a, b):
        f = lambda x: xp.exp(-k * x[0] * x[1])
        return tuple(solve(f, xp.stack([a, 1.0]), xp.stack([b, -0.5]), qrng=engine(), n_points=16))

    return values


@pytest.mark.rotating
def test_quasi_random_points():
    ours, theirs = sampled(integrate.qmc_quad, jnp), sampled(scipy.integrate.qmc_quad, np)
    at, steps = (0.7, 0.1, 1.3), (0.3, -0.4, 0.5)
    same(jax.jit(ours)(*at), tuple(map(jnp.asarray, theirs(*at))), 1e-13)
    exact, _ = slope(lambda t: np.array(theirs(*(x + t * d for x, d in zip(at, steps, strict=True)))), 0.05)
    same(jnp.stack(jax.jit(lambda *d: jax.jvp(ours, at, d)[1])(*steps)), jnp.asarray(exact), 1e-9)
    check(lambda k, a, b: ours(k, a, b)[0], *at, order=2)
    with pytest.raises(
        hw.SignatureError, match=r"qmc_quad: wants .* qrng=scipy.stats.qmc.Halton\(d, seed=1\)"
    ):
        integrate.qmc_quad(jnp.sum, [0.0], [1.0], qrng=scipy.stats.qmc.Halton(2, seed=1))


# ---- sums and integrals of arrays

SIZES = np.array([[1.0, 2.0]])
ARRAYS = {
    "fixed_quad": lambda s, xp, p: s.fixed_quad(lambda t: xp.exp(-p * t), 0.0, p, n=4)[0],
    "quad_vec": lambda s, xp, p: s.quad_vec(lambda t: xp.exp(-p * t) * SIZES, p, np.inf)[0],
    "quad_vec, args": lambda s, xp, p: s.quad_vec(lambda t, q: xp.exp(-q * t), 0.0, p, args=(p,), norm="max")[0],
    "trapezoid, dx": lambda s, xp, p: s.trapezoid(SIZES, dx=p),
    "simpson, dx": lambda s, xp, p: s.simpson(np.arange(5.0) ** 2, dx=p),
    "a vectorized rate": lambda s, xp, p: s.solve_ivp(
        lambda t, y: -xp.stack([p, 2 * p])[:, None] * y, (0.0, 1.0), [1.0, 2.0], t_eval=[1.0], vectorized=True,
        rtol=1e-9,
    ).y,
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.rotating
def test_derivatives_of_arrays_and_of_steps(name):
    f = ARRAYS[name]
    same(f(integrate, jnp, jnp.asarray(0.7)), jnp.asarray(f(scipy.integrate, np, 0.7)), 1e-9)
    want, _ = slope(lambda t: np.asarray(f(scipy.integrate, np, 0.7 + t)), 0.02)
    for derivative in (jax.jacfwd, jax.jacrev):
        same(jax.jit(derivative(lambda p: f(integrate, jnp, p)))(0.7), jnp.asarray(want), 1e-6)


def test_a_jump_in_an_array_that_is_integrated():
    area = lambda p: integrate.quad_vec(
        lambda t: jnp.where(t > p, 1.0, 0.5) * t * SIZES, 0.0, 2.0, epsrel=1e-9
    )[0]
    same(jax.jacfwd(area)(0.7), -0.35 * SIZES, 1e-6)
