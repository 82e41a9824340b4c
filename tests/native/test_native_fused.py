"""What a program does once that was recorded twice: the same bits as from NumPy, with fewer bodies."""

import json

import numpy as np
import pytest

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.quadrature import integrals
from hostwrap.special._numerics.until import until
from tests.native.test_native_bodies import checked, text_of

pytestmark = pytest.mark.native
X = np.linspace(-3.0, 5.0, 23)


def bodies(steps):
    found = [s for s in steps if isinstance(s, dict)]
    return len(found) + sum(bodies(s["steps"]) for s in found)


def count(function):
    return bodies(json.loads(text_of(function, np.float64))["steps"])


def twice(x):
    """Two kernels with the same cases; in one of these both add up over the same nodes."""
    area = lambda x, n: integrals(lambda t: [np.exp(-t * x) * t**n], [(0.0, x)], 16)[0]
    one = piecewise([x], [(x > 1, lambda x: area(x, 1)), (None, lambda x: np.exp(x))])
    other = piecewise([x], [(x > 1, lambda x: area(x, 2) + area(x, 1)), (None, lambda x: np.exp(x) * x)])
    return one, other, one


def chained(x):
    """The second branch reads what the first one gives: it stays where it is."""
    one = piecewise([x], [(x > 1, lambda x: x * x), (None, lambda x: x)])
    other = piecewise([one], [(x > 1, lambda y: y + 1), (None, lambda y: -y)])
    return one, other


def repeated(x):
    """Each has a number of turns of its own, and none is one that only adds; equal ones are one."""
    halved = lambda x, least: until(lambda k, x: (x / 2, np.abs(x) > least), [x], [], 99)[0]
    one = piecewise([x], [(x > 1, lambda x: halved(x, 1e-3))])
    other = piecewise([x], [(x > 1, lambda x: halved(x, 1e-3) + halved(x, 1e-6))])
    return one, other


@pytest.mark.parametrize("function, left", [(twice, 3), (chained, 4), (repeated, 3)])
def test_bodies_that_can_be_one_are_one(function, left):
    checked(function, X)
    checked(function, X[20])
    checked(function, np.tile(X, 500), threads=2)
    assert count(function) == left
