"""dI/da of the regularized incomplete beta function I = I_x(a, b), divided by phi = x^a y^b / B(a, b), y = 1 - x.

phi = dI/du is the density in the logit u = log(x / y). The parameters vary at fixed x (`Fixed.X`), or at fixed
f = (b / a) (x / y), the argument of the F distribution (`Fixed.F`). Either way dI/da is the integral of the score
d phi / da over the lower tail, or minus that over the upper tail: with Mills' ratio M of the tail and its derivative,
dI/da = +-phi (M_a + M score). M_a has one sign, and that tail is taken in which the score has the same.

Small parameters, for which a tail is long, are raised by one with DLMF 8.17.20-21: a first, then b. After a has stayed
as it is, at a score that is not negative, it is not raised at b + 1 either, where the score is larger.
"""

from __future__ import annotations

import enum
import functools

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, piecewise_jets
from hostwrap.special.beta_incomplete import _score
from hostwrap.special.beta_incomplete._tail import SMALL, lower_tail
from hostwrap.special.gamma_incomplete._scale import log1p_minus

Fixed = enum.Enum("Fixed", ["X", "F"])


def slope(a, b, x, y, fixed):
    """(dI/da) / phi."""
    return _slopes(a, b, x, y, fixed, 1)[0]


def slopes(a, b, x, y, fixed):
    """The same, and its derivatives in a, b and u."""
    return _slopes(a, b, x, y, fixed, 4)


def _slopes(a, b, x, y, fixed, count):
    if fixed is Fixed.X:
        return _at_fixed_x(a, b, x, y, count)
    small = lambda a, b, x, y: _from_fixed_x(a, b, _at_fixed_x(a, b, x, y, count))
    cases = [(a < SMALL, small), (None, lambda a, b, x, y: _of_no_small_a(a, b, x, y, Fixed.F, count))]
    return piecewise_jets([a, b, x, y], count - 1, cases)


def _at_fixed_x(a, b, x, y, count):
    small = lambda *at: _score.raised_score(*at)
    raised = piecewise([a, b, x, y], [(a < SMALL, small), (None, lambda *_: 0.0)]) < 0
    above = _of_no_small_a(np.where(raised, a + 1, a), b, x, y, Fixed.X, count)
    return _where(raised, [a, b, x, y], above, _below_a)


def _of_no_small_a(a, b, x, y, fixed, count):
    growth = _score.slope(a, b, x, y) if fixed is Fixed.F else -_score.score(a, b, x, y)
    lower = growth > 0
    raised = (b < SMALL) & ~lower
    above = _of_tails(a, np.where(raised, b + 1, b), x, y, lower, fixed, count)
    return _where(raised, [a, b, x, y], above, lambda *at: _below_b(*at, fixed))


def _where(mask, at, above, below):
    """`below(*at, above)` where the mask holds, elsewhere what is given."""
    count = len(at)
    cases = [
        (mask, lambda *args: below(*args[:count], args[count:])),
        (None, lambda *args: np.stack(args[count:])),
    ]
    return piecewise_jets([*at, *above], len(above) - 1, cases)


def _of_tails(a, b, x, y, lower, fixed, count):
    terms, rows = functools.partial(_terms, fixed=fixed, count=count), 2 if count == 1 else 7
    tail, first, *others = of_tail(a, b, x, y, lower, terms, rows)
    score, scores = _scores(a, b, x, y, fixed, count > 1)
    moved, own = [first, *others[:2]], others[2:]
    jets = (o + score * m + s * tail for o, m, s in zip(own, moved, scores, strict=False))
    return np.stack([first + score * tail, *jets])


def of_tail(a, b, x, y, lower, terms, rows):
    """The integrals of `lower_tail` over the lower tail, or less those over the upper one.

    The nodes of a tail are laid out for one side of 1/2.
    """
    left = lambda bent: lambda a, b, x, y: lower_tail(a, b, x, y, terms, rows, bent)
    right = lambda bent: lambda a, b, x, y: _upper_tail(a, b, x, y, terms, rows, bent)
    cases = [
        (lower & (x <= 0.5), left(False)),
        (lower, left(True)),
        (y <= 0.5, right(False)),
        (None, right(True)),
    ]
    return piecewise_jets([a, b, x, y], rows - 1, cases)


def _upper_tail(a, b, x, y, terms, rows, bent):
    """Less than nothing."""

    def mirrored(b, a, y, x):
        of_nodes = terms(a, b, x, y)
        return lambda e, log_y, log_x, step: of_nodes(e, log_x, log_y, -step)

    return np.stack([-total for total in lower_tail(b, a, y, x, mirrored, rows, bent)])


def _terms(a, b, x, y, fixed, count):
    """e, its first derivative in a, and for `count` 4 those in b and u, and the derivatives of the first one."""
    changes = _of_exponent_f(a, b, x, y) if fixed is Fixed.F else _of_exponent_x(a, b)

    def terms(e, *nodes):
        by_a, others = changes(*nodes)
        if count == 1:
            return [e, e * by_a]
        by_b, by_u, own = others()
        return [e, *(e * f for f in (by_a, by_b, by_u, *own))]

    return terms


def _scores(a, b, x, y, fixed, further):
    """The score and its derivatives in a, b and u."""
    if fixed is Fixed.F:
        return _score.f_score(a, b, x, y), _score.f_score_derivatives(a, b, x, y) if further else ()
    return _score.score(a, b, x, y), _score.score_derivatives(a, b, x, y) if further else ()


def _of_exponent_x(a, b):
    """Of the exponent h at a node: its derivative in a, and a function for those in b and u and of the first one.

    The latter with the product of the two, as e^h has it.
    """
    n = a + b

    def changes(log_x, log_y, step):
        by_u = n * step
        return log_x, lambda: (log_y, by_u, (log_x * log_x, log_x * log_y, log_x * by_u + step))

    return changes


def _of_exponent_f(a, b, x, y):
    """With g = d log phi / du, and where d/da and d/db now take x with them."""
    g, n = _score.slope(a, b, x, y), a + b

    def changes(log_x, log_y, step):
        by_a = _log_minus(log_x, -step / x) - step * g / (a * x)

        def others():
            by_b, by_u = _log_minus(log_y, step / y) - step * g / (b * y), n * step
            both = step * (2 * g + by_u)
            own = both / (a * a), -both / (a * b), step * (n * y + g + by_u) / a
            return by_b, by_u, [by_a * f + s for f, s in zip((by_a, by_b, by_u), own, strict=True)]

        return by_a, others

    return changes


def _log_minus(log, change):
    """log - change, where log = log(1 + change)."""
    small = np.abs(change) < 0.5
    return np.where(small, log1p_minus(np.where(small, change, 0.0)), log - change)


def _below_a(a, b, x, y, above):
    """I(a, b) = I(a + 1, b) + phi / a, from what there is at a + 1."""
    n, score = a + b, _score.raised_score(a, b, x, y)
    value = score / a + x * n / a * above[0]
    if len(above) == 1:
        return np.stack([value])
    factors = -x * b / (a * a), x / a, x * y * n / a
    scores = (
        _score.score_derivatives(a + 1, b, x, y)[0] + 1 / (n * n) - score / a,
        _score.score_derivatives(a, b, x, y)[1],
        y,
    )
    moved = zip(scores, factors, above[1:], strict=True)
    return np.stack([value, *(s / a + f * above[0] + x * n / a * m for s, f, m in moved)])


def _below_b(a, b, x, y, above, fixed):
    """I(a, b) = I(a, b + 1) - phi / b, from what there is at b + 1."""
    n = a + b
    score, scores = _scores(a, b, x, y, fixed, len(above) > 1)
    value = y * n / b * above[0] - score / b
    if len(above) == 1:
        return np.stack([value])
    factors = y / b, -y * a / (b * b), -x * y * n / b
    moved = above[1:]
    if fixed is Fixed.F:
        factors = factors[0] + factors[2] / a, factors[1] - factors[2] / b, factors[2]
        moved = moved[0], moved[1] - moved[2] / (b * (b + 1)), moved[2]
    own = scores[0], scores[1] - score / b, scores[2]
    parts = zip(factors, moved, own, strict=True)
    return np.stack([value, *(f * above[0] + y * n / b * m - o / b for f, m, o in parts)])


def _from_fixed_x(a, b, at):
    """du/da = 1 / a and du/db = -1 / b at fixed f."""
    value = at[0] + 1 / a
    if len(at) == 1:
        return np.stack([value])
    return np.stack([value, at[1] + at[3] / a - 1 / (a * a), at[2] - at[3] / b, at[3]])
