"""Random numbers in code without a rule: constants where the code seeds their generator itself, else refused."""

import jax
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from hostwrap._errors import MissingDerivative, ResultError
from hostwrap._tracing.tape import run

OUTSIDE = np.random.default_rng(5)


def of_the_old_generator(x):
    np.random.seed(7)  # noqa: NPY002
    return np.mean(np.exp(x * np.random.randn(50)))  # noqa: NPY002


def drawn_again_and_again(x):
    np.random.seed(3)  # noqa: NPY002
    total = 0.0
    for _ in range(5):
        if total < 3:
            total += x * np.random.uniform(0, 1) * np.random.choice([1.0, 2.0])  # noqa: NPY002
    return total


def shuffled(x):
    np.random.seed(1)  # noqa: NPY002
    order = np.arange(5)
    np.random.shuffle(order)  # noqa: NPY002
    return (x**order)[0] + x * order[1]


def of_a_new_generator(x):
    random = np.random.default_rng(3)
    return np.sum(x ** random.choice(5, 3, replace=False)) * random.normal()


@pytest.mark.parametrize("f", [of_the_old_generator, drawn_again_and_again, shuffled, of_a_new_generator])
def test_random_numbers_that_the_code_seeds_are_constants(f):
    wrapped = hw.wrap(f)
    want = (f(1.2 + 1e-6) - f(1.2 - 1e-6)) / 2e-6
    for slope in (jax.grad(wrapped), jax.jit(jax.grad(wrapped)), jax.jacfwd(wrapped)):
        np.testing.assert_allclose(slope(1.2), want, rtol=1e-7)


def seeded_by_the_clock(x):
    np.random.seed()  # noqa: NPY002
    return x * np.random.rand()  # noqa: NPY002


def seeded_too_late(x):
    y = x * np.random.rand()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    return y


@pytest.mark.parametrize("f", [
    seeded_by_the_clock, seeded_too_late,
    lambda x: x * np.random.rand(),  # noqa: NPY002
    lambda x: x * OUTSIDE.normal(),
])  # fmt: skip
def test_other_random_numbers_are_refused(f):
    of_the_old_generator(1.0)  # what another run has seeded does not count
    jax.grad(hw.wrap(of_the_old_generator))(1.0)
    with pytest.raises(MissingDerivative, match="a random number"):
        jax.grad(hw.wrap(f))(1.2)


def test_other_random_numbers_in_recorded_code_are_no_slopes():
    f = hw.wrap(lambda x: x * np.random.rand() if x > 0 else x)  # noqa: NPY002
    with pytest.raises((MissingDerivative, ResultError)):
        jax.grad(f)(1.2)


DRAWS = {
    "normal": lambda p: (p, p[1]), "uniform": lambda p: (p[0], p), "laplace": lambda p: (p[0], p[1]),
    "logistic": lambda p: (p[0], p[1]), "gumbel": lambda p: (p[0], p[1]), "exponential": lambda p: (p,),
    "rayleigh": lambda p: (p[0],), "weibull": lambda p: (p,), "power": lambda p: (p[0],), "pareto": lambda p: (p[0],),
    "lognormal": lambda p: (p[0], p[1]), "gamma": lambda p: (2.3, p), "multivariate_normal": lambda p: (p, np.eye(2)),
    "choice": lambda p: (p,), "permutation": lambda p: (p,),
}  # fmt: skip


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("name", DRAWS)
def test_draws_move_with_their_parameters(name, make):
    """The bits are NumPy's, and the generator goes on as NumPy's; the derivative is that of the draw itself."""

    def drawn(p):
        random = make(3)
        random.normal()  # the old generator keeps a second one
        alone, size = (
            getattr(random, name)(*DRAWS[name](p)),
            {} if name == "permutation" else {"size": (3, 2)},
        )
        return np.append(alone, getattr(random, name)(*DRAWS[name](p), **size)), random.normal()

    at, along = np.array([0.7, 1.4]), np.array([0.3, -0.2])
    recorded = run(drawn, [at], [True])
    for a, b in zip(recorded.value, drawn(at), strict=True):
        np.testing.assert_array_equal(a, b)
    ahead, behind = (drawn(at + h * along)[0] for h in (1e-6, -1e-6))
    np.testing.assert_allclose(recorded.jvp([along])[0], (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-8)


def test_shuffles_and_frozen_distributions():
    def f(x):
        rows = np.outer([x, x * x, 1.0], [1.0, x])
        np.random.default_rng(4).shuffle(rows)
        frozen = scipy.stats.norm(x, 2 * x).rvs(size=3, random_state=np.random.RandomState(3))
        np.random.seed(2)  # noqa: NPY002
        return np.sum(rows * np.arange(6).reshape(3, 2)) + np.sum(frozen**2) + np.random.normal(x, x)  # noqa: NPY002

    want = (f(1.2 + 1e-6) - f(1.2 - 1e-6)) / 2e-6
    np.testing.assert_allclose(jax.grad(hw.wrap(f))(1.2), want, rtol=1e-7)


@pytest.mark.parametrize("draw", [
    lambda random, x: random.gamma(x, 2.0), lambda random, x: random.poisson(x) * x,
    lambda random, x: random.multivariate_normal([x, x], [[x, 0.0], [0.0, x]])[0],
    lambda random, x: random.choice([x, 2 * x], p=[x / 9, 1 - x / 9]),
])  # fmt: skip
def test_draws_without_a_derivative_say_so(draw):
    f = hw.wrap(lambda x: draw(np.random.default_rng(3), x))
    with pytest.raises(MissingDerivative, match=r"numpy\.random's .* (does|do) not move"):
        jax.grad(f)(1.2)
