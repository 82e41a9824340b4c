"""Steps that nobody needs are left out, and operations have the shorter one of the same bits."""

import numpy as np
import pytest

from hostwrap._native import program, steps
from hostwrap._native.arranged import chained, needed
from hostwrap._native.tape import Tape
from hostwrap.special._numerics.pointwise import piecewise_jets
from hostwrap.special._numerics.quadrature import sums
from hostwrap.special._numerics.until import until
from tests.native.test_native_bodies import checked, text_of

pytestmark = pytest.mark.native
NUMBERS = np.array([0.0, -0.0, 1.5, -0.3, np.inf, -np.inf, 5e-324, -2.3e-310, 1.7e308])


def rows(function, *dtypes):
    """The steps and bodies of the program of the function."""
    return steps.rows(program.register(text_of(function, *dtypes)).steps)


def loops(function, *dtypes):
    """The names of the loops that the program calls."""
    return [row.loop.name for row in rows(function, *dtypes) if isinstance(row, steps.Step)]


# ---- steps that nobody needs


def branched(x):
    both = lambda x: np.stack([np.exp(x), np.sin(x)])
    return piecewise_jets([x], 1, [(x > 0, both), (None, lambda x: np.stack([x, x * 3]))])[0]


def repeated(x):
    step = lambda k, s, t, unread, x: (s + x * t, t / 3, np.sin(unread), np.abs(t) > 1e-3)
    return until(step, [x, 1.0, x], [x], 40)[0]


def summed(x):
    return sums(lambda k, w, x: [w * np.exp(-x * k), w * np.sin(x * k)], [np.arange(5.0), np.ones(5)], [x])[0]


@pytest.mark.parametrize("function", [branched, repeated, summed])
def test_what_nobody_reads_is_not_computed(function):
    assert not any(name.startswith("numpy.sin") for name in loops(function, float))
    checked(function, np.linspace(-2, 3, 50))


def test_what_a_flag_or_a_wanted_number_depends_on_is_computed():
    def f(x):
        step = lambda k, s, t, u, x: (s + u, t / 3, u + np.sin(t), np.abs(t) > 1e-3)
        return until(step, [x, 1.0, x], [x], 40)[0]

    assert any(name.startswith("numpy.sin") for name in loops(f, float))
    checked(f, np.linspace(-2, 3, 50))


# ---- their order


def test_a_step_follows_the_one_whose_result_it_reads():
    tape = Tape([float, float])
    x, y = tape.inputs
    first, second = np.sin(x), np.cos(y)
    first, second = first + y, second + x
    found = chained(tape.steps, lambda body: False)
    assert [s.loop.name.split()[0] for s in found] == ["numpy.sin", "numpy.add", "numpy.cos", "numpy.add"]
    assert needed(found, {first.number}) == found[:2]


def test_a_sum_stays_a_sum():
    (body,) = [row for row in rows(summed, float) if isinstance(row, steps.Body)]
    assert body.steps[-1].loop.name == "numpy.add ddd" and body.steps[-1].written == body.results


# ---- shorter operations

SHORTER = {
    "times 1": (lambda x, y: 1 * x, 0),
    "times -1": (lambda x, y: x * -1.0, 1),
    "over 1": (lambda x, y: x / 1, 0),
    "over 4": (lambda x, y: x / 4.0, 1),
    "plus -y": (lambda x, y: x + -1 * y, 1),
    "-y plus": (lambda x, y: -y + x, 1),
    "minus -y": (lambda x, y: x - -y, 1),
    "to the first": (lambda x, y: x**1, 0),
}


@pytest.mark.parametrize("name", SHORTER)
def test_operations_have_the_shorter_one_of_the_same_bits(name):
    function, count = SHORTER[name]
    assert len([loop for loop in loops(function, float, float) if not loop.startswith("select")]) == count
    x, y = (a.ravel() for a in np.meshgrid(NUMBERS, NUMBERS))
    (got,) = checked(function, x, y)
    with np.errstate(all="ignore"):
        want = function(x, y)
    there = ~np.isnan(want)
    assert got[there].tobytes() == want[there].tobytes()


@pytest.mark.parametrize(
    "function", [lambda x: x / 3, lambda x: x + 0, lambda x: x / 2.0**-1030, lambda x: 0 * x]
)
def test_others_stay(function):
    assert len(loops(function, float)) == 1
    checked(function, NUMBERS)
