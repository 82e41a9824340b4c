"""dI/da of the regularized incomplete beta function I = I_x(a, b), divided by phi = x^a y^b / B(a, b), y = 1 - x.

phi = dI/du is the density in the logit u = log(x / y). The parameters vary at fixed x (`Fixed.X`), or at fixed
f = (b / a) (x / y), the argument of the F distribution (`Fixed.F`). Either way dI/da is the integral of the score
d phi / da over the lower tail, or minus that over the upper tail: with Mills' ratio M of the tail and its derivative,
dI/da = +-phi (M_a + M score). M_a has one sign, and that tail is taken in which the score has the same.

Small parameters, for which a tail is long, are raised by one with DLMF 8.17.20-21.
"""

from __future__ import annotations

import enum

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special.beta_incomplete import _score
from hostwrap.special.beta_incomplete._tail import SMALL, lower_tail
from hostwrap.special.gamma_incomplete._scale import log1p_minus

Fixed = enum.Enum("Fixed", ["X", "F"])


def slope(a, b, x, y, fixed, d):
    """(dI/da) / phi for d = 0; its derivative in a, b or u for d = 1, 2, 3."""
    if fixed is Fixed.F:
        small = lambda a, b, x, y: _from_fixed_x(a, b, x, y, d)
        lower = _score.slope(a, b, x, y) > 0
        cases = [(a < SMALL, small)]
    else:
        lower = _score.score(a, b, x, y) < 0
        raised = (a < SMALL) & (_score.raised_score(a, b, x, y) < 0)
        cases = [(raised, lambda a, b, x, y: _raised_a(a, b, x, y, d))]
    cases += [  # the nodes of a tail are laid out for one side of 1/2
        (lower & (x <= 0.5), lambda a, b, x, y: _lower(a, b, x, y, fixed, d)),
        (lower, lambda a, b, x, y: _lower(a, b, x, y, fixed, d)),
        (b < SMALL, lambda a, b, x, y: _raised_b(a, b, x, y, fixed, d)),
        (y <= 0.5, lambda a, b, x, y: _upper(a, b, x, y, fixed, d)),
        (None, lambda a, b, x, y: _upper(a, b, x, y, fixed, d)),
    ]
    return piecewise([a, b, x, y], cases)


def _lower(a, b, x, y, fixed, d):
    return _of_tail(lower_tail(a, b, x, y), a, b, x, y, fixed, d)


def _upper(a, b, x, y, fixed, d):
    return -_of_tail(lower_tail(b, a, y, x).mirrored(), a, b, x, y, fixed, d)


def _of_tail(tail, a, b, x, y, fixed, d):
    changes = _of_exponent_f if fixed is Fixed.F else _of_exponent_x
    first, second = changes(tail, *(v[:, None] for v in (a, b, x, y)))
    score, scores = _scores(a, b, x, y, fixed)
    if d == 0:
        return tail.integral(first[0]) + score * tail.integral()
    moved = first[d - 1]
    own = tail.integral(first[0] * moved + second[d - 1])
    return own + score * tail.integral(moved) + scores[d - 1] * tail.integral()


def _scores(a, b, x, y, fixed):
    """The score and its derivatives in a, b and u."""
    if fixed is Fixed.F:
        return _score.f_score(a, b, x, y), _score.f_score_derivatives(a, b, x, y)
    return _score.score(a, b, x, y), _score.score_derivatives(a, b, x, y)


def _of_exponent_x(tail, a, b, x, y):
    """The derivatives in a, b and u of the exponent h, and of the first of them."""
    return (tail.log_x, tail.log_y, (a + b) * tail.step), (0.0, 0.0, tail.step)


def _of_exponent_f(tail, a, b, x, y):
    """With g = d log phi / du, and where d/da and d/db now take x with them."""
    g, n, step = _score.slope(a, b, x, y), a + b, tail.step
    first = (
        _log_minus(tail.log_x, -step / x) - step * g / (a * x),
        _log_minus(tail.log_y, step / y) - step * g / (b * y),
        n * step,
    )
    both = step * (2 * g + n * step)
    return first, (both / (a * a), -both / (a * b), step * (n * y + g + n * step) / a)


def _log_minus(log, change):
    """log - change, where log = log(1 + change)."""
    small = np.abs(change) < 0.5
    return np.where(small, log1p_minus(np.where(small, change, 0.0)), log - change)


def _raised_a(a, b, x, y, d):
    """I(a, b) = I(a + 1, b) + phi / a."""
    n = a + b
    above = lambda d: slope(a + 1, b, x, y, Fixed.X, d)
    score = _score.raised_score(a, b, x, y)
    if d == 0:
        return score / a + x * n / a * above(0)
    factors = -x * b / (a * a), x / a, x * y * n / a
    scores = (
        _score.score_derivatives(a + 1, b, x, y)[0] + 1 / (n * n) - score / a,
        _score.score_derivatives(a, b, x, y)[1],
        y,
    )
    return scores[d - 1] / a + factors[d - 1] * above(0) + x * n / a * above(d)


def _raised_b(a, b, x, y, fixed, d):
    """I(a, b) = I(a, b + 1) - phi / b."""
    n = a + b
    above = lambda d: slope(a, b + 1, x, y, fixed, d)
    score, scores = _scores(a, b, x, y, fixed)
    if d == 0:
        return y * n / b * above(0) - score / b
    factors = y / b, -y * a / (b * b), -x * y * n / b
    moved = above(d)
    if fixed is Fixed.F:
        factors = factors[0] + factors[2] / a, factors[1] - factors[2] / b, factors[2]
        moved = moved - above(3) / (b * (b + 1)) if d == 2 else moved
    own = scores[d - 1] - (score / b if d == 2 else 0.0)
    return factors[d - 1] * above(0) + y * n / b * moved - own / b


def _from_fixed_x(a, b, x, y, d):
    """du/da = 1 / a and du/db = -1 / b at fixed f."""
    at = lambda d: slope(a, b, x, y, Fixed.X, d)
    if d == 0:
        return at(0) + 1 / a
    if d == 1:
        return at(1) + at(3) / a - 1 / (a * a)
    return at(2) - at(3) / b if d == 2 else at(3)
