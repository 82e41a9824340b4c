"""Second-order linear differential equations by Taylor steps, with jets in the parameters.

The coefficients of the Taylor series about any ordinary point follow from a recurrence in which the parameters
stand linearly. Nothing degenerates at integers, as the connection formulas do.
"""

import numpy as np

TERMS = 200
SMALL = 2.0**-58
CHECK = 4
STEPS = 1000


def march(equation, x, goal, w, slope):
    """(w, w') at `goal` from their jets at x, along straight lines; an equation holds its points' parameters.

    The third result is how large w was on the way: errors have grown by as much as that is more than at the goal.
    """
    x, w, slope, peak = x.copy(), w.copy(), slope.copy(), np.abs(w)
    todo = np.flatnonzero(x != goal)
    for _ in range(STEPS):
        if not todo.size:
            break
        here, part = x[todo], equation[todo]
        h, longest = goal[todo] - here, part.longest(here)
        far = np.abs(h) > 1.001 * longest  # no step of rounding errors is left over
        h = np.where(far, h * (longest / np.abs(h)), h)
        w[..., todo], slope[..., todo] = taylor(part.recurrence(here, h), w[..., todo], slope[..., todo], h)
        peak[..., todo] = np.maximum(peak[..., todo], np.abs(w[..., todo]))
        x[todo] += h
        todo = todo[far]
    w[..., todo] = np.nan  # too far to go
    return w, slope, peak


def taylor(recurrence, w, slope, h):
    """One step: the terms c_k h^k from `recurrence(k, [.., c_k h^k, c_(k+1) h^(k+1)])`."""
    terms = [np.zeros_like(w), np.zeros_like(w), w, slope * h]  # before the first, zeros
    total, moment = w + terms[-1], terms[-1].copy()
    for k in range(TERMS):
        new = recurrence(k, terms)
        terms = [*terms[1:], new]
        total += new
        moment += (k + 2) * new
        if k % CHECK == CHECK - 1 and _negligible(terms[2:], total, moment, k):
            break
    return total, moment / h


def _negligible(terms, total, moment, k):
    last = (k + 2) * np.maximum(np.abs(terms[0]), np.abs(terms[1]))
    size = np.maximum(np.abs(total), np.abs(moment))
    return not (last > SMALL * size).any()
