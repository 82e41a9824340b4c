"""Arrays that recorded code makes of integers, and then writes to: they record as those of `np.zeros` do."""

import jax
import numpy as np
import pytest
import scipy.ndimage

import hostwrap as hw
from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import run
from hostwrap._tracing.tape.integers import Integers
from tests.tracing.test_tape import check

COUNTS = np.array([3, 1, 2])


def halves(a):
    x = np.arange(4) * 0.5
    x[1] = a
    return x * a


def shares(a):
    w = COUNTS / COUNTS.sum()
    w[0] += a
    return w


def roots(a):
    x = np.sqrt(np.arange(1, 5)[::2] + 1)
    x *= a
    return x


def cast(a):
    x, m = np.ones((2, 3), int).astype(float), np.array([True, False, True])
    x[:, m] = a
    return x, m * a


def averaged(a):
    x, y = np.indices((2, 3))[1].mean(axis=0), np.mean(np.indices((2, 3))[0], axis=1)
    x[0], y[-1] = a, a * x[1]
    return x, y


def outer(a):
    x = np.hypot(np.arange(3)[:, None], np.arange(3)[None])
    np.fill_diagonal(x, a)
    np.multiply(x, a, out=x)
    return x


def kept_in_place(a):
    n = np.arange(3)
    n += 2
    n[0] = 7
    x = a * n  # of the numbers that it has now
    n[:] = 0
    return x, n, 2.0**n


USES = (halves, shares, roots, cast, averaged, outer, kept_in_place)


@pytest.mark.parametrize("f", USES, ids=lambda f: f.__name__)
def test_floats_that_come_of_integers_are_written_to(f):
    check(f, 0.7)


def test_integers_given_to_the_code():
    def f(n, a):
        w = n / 4
        w[n > 1] = a
        return w

    check(f, COUNTS, 0.7)


def test_the_code_sees_arrays_of_numpy():
    def f(a):
        n = np.arange(3)
        assert type(n) is np.ndarray and isinstance(n, np.ndarray) and repr(n) == "array([0, 1, 2])"
        return np.zeros(3)[n] + a, n

    recorded = run(f, [0.7], [True])
    assert not any(isinstance(x, Integers) for x in recorded.value)


def test_an_array_that_c_made_is_an_error_that_says_what_to_write():
    def noisy(a):
        x = np.random.default_rng(0).poisson(3.0, size=3) * 1.0
        x[1] = a
        return x

    with pytest.raises(Untraceable, match=r"write `x = np.array\(x\)` before you write to an array x"):
        run(noisy, [0.7], [True])


def test_in_a_wrapped_function():
    def steps(a):
        x = np.arange(3) / 2
        if a > 0:
            x[x > 0.7] = a
        return x

    f = hw.wrap(steps, out=jax.ShapeDtypeStruct((3,), float))
    np.testing.assert_array_equal(jax.jacobian(f)(0.3), [0.0, 0.0, 1.0])


@pytest.mark.parametrize("f", [
    lambda x: np.arange(6).reshape(2, 3).dot(np.array([x, x**2, 1.0])),
    lambda x: np.arange(4).clip(x, x * 2),
    lambda x: scipy.ndimage.gaussian_laplace(np.cos(np.arange(7.0)), x),
], ids=["dot", "clip", "gaussian_laplace"])  # fmt: skip
def test_methods_of_integers_take_recorded_numbers(f):
    recorded = run(f, [1.3], [True])
    np.testing.assert_allclose(recorded.value[0], f(1.3), rtol=1e-14)
    want = (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6
    np.testing.assert_allclose(recorded.jvp([1.0])[0], want, rtol=1e-6, atol=1e-8)
