"""Arrays of several numbers for each element, in programs of loops: the bits that NumPy has."""

import jax
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._errors import NoLoop
from hostwrap._host.function import HostFunction, HostOptions
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call
from hostwrap._native.tape import Tape
from hostwrap.special._numerics.pointwise import (
    elsewhere,
    in_python,
    pointwise_rows,
    stack_of,
    tape_of,
)
from hostwrap.special._numerics.until import repeated, until_stacked
from tests.native.test_native import targets

pytestmark = pytest.mark.native
DEGREE = 3


def powers(x):
    """[1, x, x^2, x^3]"""
    jet = stack_of(1.0, (DEGREE + 1,), x)
    for k in range(DEGREE):
        jet[k + 1] = jet[k] * x
    return jet


def geometric(x, y):
    """The sums of x^m y^n over n, until the terms are small; another number of them for each element."""

    def add_terms(turn, term, total, y):
        def add_one(i, term, total):
            return term * y, total + term

        term, total = repeated(add_one, [term, total], 3)
        return term, total, (np.abs(term) > 1e-17 * np.abs(total)).any(0)

    jet = powers(x)
    return until_stacked(add_terms, [jet, np.zeros_like(jet)], [y], 400)[1]


def mixed(x, y):
    """Branches, of which one is seldom, on elements of one stack."""
    jet = stack_of(np.nan, (DEGREE + 1,), x)
    jet = elsewhere(jet, y > 0.99, in_python(lambda x: np.stack([np.round(x, 2)] * (DEGREE + 1))), x)
    jet = elsewhere(jet, (y > 0) & (y <= 0.99), geometric, x, y)
    jet = elsewhere(jet, y <= -0.5, lambda x, y: np.stack([powers(x), powers(y)])[:, ::-1].copy()[1], x, y)
    largest = np.abs(jet).max(0)
    jet[0] += np.where(np.isfinite(jet).all(0), largest, 1.0)
    return np.where(jet > 2, -jet, jet)


def wrapped(function):
    kernel = pointwise_rows(DEGREE + 1)(function)
    host = HostFunction(
        kernel, name=function.__name__, argnames=("x", "y"),
        options=HostOptions("expand_dims"), trusted=True, loops=kernel,
    )  # fmt: skip
    layout = Layout((0, 0), (Result((), np.dtype(float)),) * (DEGREE + 1))
    return lambda x, y: host_call(host, layout, x, y)


@pytest.mark.parametrize("function", [geometric, mixed])
@pytest.mark.parametrize("size", [1, 2, 7, 5001])
def test_the_bits_of_numpy(function, size):
    random = np.random.default_rng(3)
    x, y = random.normal(size=size), random.uniform(-1, 1, size)
    y[::5] = 0.995
    f = wrapped(function)
    assert targets(f, x, y) == ["hostwrap_loops"]
    got = jax.jit(f)(x, y)
    with hw.lane("callback"):
        np.testing.assert_array_equal(got, jax.jit(f)(x, y))


def test_what_has_not_ended_is_nan():
    def endless(x):
        return until_stacked(lambda k, jet, x: (jet + 1, x > 0), [powers(x)], [x], 10)[0]

    x = np.array([-1.0, 2.0])
    np.testing.assert_array_equal(endless(x)[:, 1], np.nan)
    np.testing.assert_array_equal(endless(x)[:, 0], powers(x)[:, 0] + 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda jet, x: jet[x > 0],
        lambda jet, x: jet * np.arange(3.0),
        lambda jet, x: jet.max(1),
        lambda jet, x: np.frexp(jet),
        lambda jet, x: np.sort(jet),
    ],
)
def test_what_looks_at_elements_is_no_loop(function):
    (x,) = Tape([float]).inputs
    with pytest.raises(NoLoop):
        function(powers(x), x)


def test_what_is_written_to_a_copy_is_not_written_to_the_stack():
    (x,) = Tape([float]).inputs
    jet = powers(x)
    before, other = [jet[k].number for k in range(1, DEGREE + 1)], jet.copy()
    other[1] += 1.0
    part = jet[2]
    part += 1.0
    assert [jet[k].number for k in range(1, DEGREE + 1)] == before
    assert tape_of(other) is other.tape
