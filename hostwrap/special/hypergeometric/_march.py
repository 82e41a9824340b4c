"""Second-order linear differential equations by Taylor steps, with jets in the parameters.

The coefficients of the Taylor series about any ordinary point follow from a recurrence in which the parameters
stand linearly. Nothing degenerates at integers, as the connection formulas do.
"""

import numpy as np

from hostwrap.special._numerics.pointwise import places

TERMS = 200
SMALL = 2.0**-60
CHECK = 4
WORTH = 0.8  # points that are through are left out when there are so many
STEPS = 1000


def march(equation, x, goal, w, slope):
    """(w, w') at `goal` from their jets at x, along straight lines; an equation holds its points' parameters.

    The third result is how large w was on the way: errors have grown by as much as that is more than at the goal.
    """
    x, w, slope, peak = x.copy(), w.copy(), slope.copy(), np.abs(w)
    todo = places(x != goal)
    for _ in range(STEPS):
        if not todo.size:
            break
        here, part = x[todo], equation[todo]
        h, longest = goal[todo] - here, part.longest(here)
        far = np.abs(h) > 1.001 * longest  # no step of rounding errors is left over
        h = np.where(far, h * (longest / np.abs(h)), h)
        w[..., todo], slope[..., todo] = taylor(part, here, h, w[..., todo], slope[..., todo])
        peak[..., todo] = np.maximum(peak[..., todo], np.abs(w[..., todo]))
        x[todo] += h
        todo = todo[places(far)]
    w[..., todo] = np.nan  # too far to go
    return w, slope, peak


def taylor(equation, x, h, w, slope):
    """One step, by the terms c_k h^k from `recurrence(k, [.., c_k h^k, c_(k+1) h^(k+1)])`."""
    terms = [np.zeros_like(w), np.zeros_like(w), w, slope * h]  # before the first, zeros
    sums = w + terms[-1], terms[-1].copy()
    totals, left, following = (
        (np.empty_like(w), np.empty_like(w)),
        np.arange(h.size),
        equation.recurrence(x, h),
    )
    more = np.ones(h.size, bool)
    for k in range(TERMS):
        new = following(k, terms)
        terms = [*terms[1:], new]
        for total, term in zip(sums, (new, (k + 2) * new), strict=True):
            np.add(total, term, out=total, where=more)  # those that are through stay as they are
        if k % CHECK == CHECK - 1:
            more &= ~_negligible(terms[2:], *sums, k)
            if more.sum() < WORTH * more.size:  # the others are through
                _put(totals, left, sums)
                here = places(more)
                left, terms, sums = left[here], _part(terms, here), _part(sums, here)
                if not left.size:
                    break
                following, more = equation[left].recurrence(x[left], h[left]), np.ones(left.size, bool)
    _put(totals, left, sums)
    return totals[0], totals[1] / h


def _put(totals, places, sums):
    for total, part in zip(totals, sums, strict=True):
        total[..., places] = part


def _part(jets, here):
    return [jet[..., here] for jet in jets]


def _negligible(terms, total, moment, k):
    """At which points."""
    last = (k + 2) * np.maximum(np.abs(terms[0]), np.abs(terms[1]))
    size = np.maximum(np.abs(total), np.abs(moment))
    return ~(last > SMALL * size).any(tuple(range(total.ndim - 1)))
