"""Second-order linear differential equations by Taylor steps, with jets in the parameters.

The coefficients of the Taylor series about any ordinary point follow from a recurrence in which the parameters
stand linearly. Nothing degenerates at integers, as the connection formulas do.
"""

import numpy as np

from hostwrap.special._numerics.pointwise import tape_of
from hostwrap.special._numerics.until import repeated, until_stacked

TERMS = 200
SMALL = 2.0**-60
CHECK = 4
STEPS = 1000
EARLY = 50  # steps, which most points do not need


def march(equation, x, goal, w, slope, steps=STEPS):
    """(w, w') at `goal` from their jets at x, along straight lines; an equation holds its points' parameters.

    The third result is how large w was on the way: errors have grown by as much as that is more than at the goal.
    All are NaN where it is too far to go.
    """

    def step(turn, x, w, slope, peak, goal, equation):
        h, far = _stride(equation, x, goal)
        if tape_of(x) is None and turn == EARLY:
            arrives = _arrives(equation, x, goal, steps - EARLY)
            w, far = np.where(arrives, w, np.nan), far & arrives
        w, slope = taylor(equation, x, h, w, slope)
        return x + h, w, slope, np.maximum(peak, np.abs(w)), far

    there, start = x == goal, [w, slope, np.abs(w)]
    _, *ends = until_stacked(step, [x, *start], [goal, equation], steps)
    return [np.where(there, before, after) for before, after in zip(start, ends, strict=True)]


def _stride(equation, x, goal):
    """The next step, and whether there is another one behind it."""
    h, longest = goal - x, equation.longest(x)
    far = np.abs(h) > 1.001 * longest  # no step of rounding errors is left over
    return np.where(far, h * (longest / np.abs(h)), h), far


def _arrives(equation, x, goal, steps):
    """At which points so many steps are enough: known by their lengths alone, at an eighth of their cost."""

    def step(_, x, goal, equation):
        h, far = _stride(equation, x, goal)
        return x + h, far

    return ~np.isnan(until_stacked(step, [x], [goal, equation], steps)[0])


def taylor(equation, x, h, w, slope):
    """One step, by the terms c_k h^k from `following(k, [.., c_k h^k, c_(k+1) h^(k+1)], *scaled(x, h))`."""

    def add_terms(turn, *carried):
        (*terms, total, moment, _), known = carried[:7], carried[7:]

        def add_one(i, *carried):
            *terms, total, moment = carried
            k = CHECK * turn + i
            new = equation.following(k, terms, *known)
            return *terms[1:], new, total + new, moment + (k + 2) * new

        *terms, total, moment = repeated(add_one, [*terms, total, moment], CHECK)
        return *terms, total, moment, ~_negligible(terms[2:], total, moment, CHECK * turn + (CHECK - 1))

    first, nothing = slope * h, np.zeros_like(w)  # before the first, zeros
    start = [nothing, nothing, w, first, w + first, first]
    *_, total, moment = until_stacked(add_terms, start, [h, *equation.scaled(x, h)], TERMS // CHECK)
    return total, moment / h


def _negligible(terms, total, moment, k):
    """At which points."""
    last = (k + 2) * np.maximum(np.abs(terms[0]), np.abs(terms[1]))
    size = np.maximum(np.abs(total), np.abs(moment))
    return ~(last > SMALL * size).any(tuple(range(total.ndim - 1)))
