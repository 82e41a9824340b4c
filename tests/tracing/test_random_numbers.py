"""Random numbers in code without a rule: constants where the code seeds their generator itself, else refused."""

import jax
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._errors import MissingDerivative, ResultError

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
