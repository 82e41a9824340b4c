"""What a program does once that was recorded twice, or in each turn: the same bits as from NumPy, with fewer steps."""

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


def in_step(x):
    """Both have as many turns, and the second one carries on what the first one does; a third one waits for them."""
    power = lambda x: until(lambda k, s, x: (s * x, k < 4), [1.0], [x], 9)[0]
    slope = lambda x: until(lambda k, s, t, x: (s * x, t * x + s, k < 4), [1.0, 0.0], [x], 9)
    one, (again, other) = power(x), slope(x)
    return one, again, other, power(other)


def of_own_ends(x):
    """The same steps, but what tells the end starts elsewhere."""
    halved = lambda x, y: until(lambda k, x, y: (x / 2, y / 2, np.abs(y) > 1e-3), [x, y], [], 99)[0]
    return halved(x, x), halved(x, x + 1), halved(x + 2, x)


def given_twice(x):
    """What the inner and the outer repetition have in common is in front of both, and given to the outer one once."""
    power = lambda t, x: until(lambda k, s, t, x: (s * t + np.exp(x), k < 3), [1.0], [t, x], 9)[0]
    area = lambda n: integrals(lambda t: [np.exp(x) * power(t, x) + n * t], [(0.0, x)], 16)[0]
    return area(1.0), area(2.0)


def slopes(x):
    """The sum and its derivative in a number that is a sum itself: the last two are one, the first one is not."""
    add = lambda f: until(lambda k, s, x: (s + f(x, k), k < 5), [0.0], [x], 9)[0]
    place = add(lambda x, k: x / (k + 1))
    wave = lambda p: lambda x, k: np.sin(k * x) * p
    return add(wave(1.0)), add(wave(place))


CASES = [
    (given_twice, 2),
    (slopes, 2),
    (twice, 3),
    (chained, 4),
    (repeated, 3),
    (in_step, 2),
    (of_own_ends, 2),
]


@pytest.mark.parametrize("function, left", CASES)
def test_bodies_that_can_be_one_are_one(function, left):
    checked(function, X)
    checked(function, X[20])
    checked(function, np.tile(X, 500), threads=2)
    assert count(function) == left


def test_what_is_shared_is_shared_with_what_repeats_it():
    steps = json.loads(text_of(slopes, np.float64))["steps"]
    assert [len(s["results"]) for s in steps if isinstance(s, dict)] == [1, 2]


def test_a_repetition_carries_on_nothing_twice():
    first = json.loads(text_of(in_step, np.float64))["steps"][0]
    assert len(first["results"]) == 2


def in_each_turn(x):
    """In the inner repetition nothing but the sum changes, and of it the sine of x is the same in the outer one, too.

    A branch stays, but one for elements that are known before is in front, with all that is in it.
    """
    sines = lambda x: piecewise([x], [(x > 1, lambda x: np.sin(x) * x), (None, np.cos)])
    inner = lambda t, x: until(lambda k, s, t, x: (s + (np.sin(x) + t * x), k < 3), [0.0], [t, x], 9)[0]
    step = lambda k, s, x: (s / 2 + inner(s, x) + sines(x) + piecewise([s], [(s > 1, np.exp)]), k < 5)
    return until(step, [x], [x], 9)[0], integrals(lambda t: [np.exp(x) * t + np.expm1(x)], [(0.0, x)], 16)[0]


def loops(steps, depth=0):
    """(depth in repetitions, name) of each loop."""
    for step in steps:
        if isinstance(step, dict):
            yield from loops(step["steps"], depth + bool(step["bound"]))
        else:
            yield depth, step[0].split()[0]


def test_what_is_the_same_in_each_turn_is_computed_once():
    checked(in_each_turn, X)
    checked(in_each_turn, X[20])
    checked(in_each_turn, np.tile(X, 500), threads=2)
    found = list(loops(json.loads(text_of(in_each_turn, np.float64))["steps"]))
    depths = {name: {d for d, n in found if n == f"numpy.{name}"} for name in ("sin", "cos", "exp", "expm1")}
    assert depths == {"sin": {0}, "cos": {0}, "exp": {0, 1}, "expm1": {0}}
    assert sorted(n for d, n in found if d == 2) == ["numpy.add", "numpy.less"]
