"""Jets of an eigenpair: T v = a v for a symmetric tridiagonal T = D + t (B + E), in a variable that t depends on.

The method goes through the rows from both ends to the row p of a large component of v. It keeps two rows at a time,
and each point has as many rows as it needs. Let w_r be the product of the pivots of T - a from the end to the row r.
It is a determinant, so neither w_r nor its derivatives are divided by a pivot that is nearly 0. In the direction in
which v grows, the relative error of w is small, and so is that of the small components

    v_r / v_p = w_r / w_p times the product of -t e between the rows r and p.

Sums over the rows are formed on the way, as in Horner's scheme. The residual in the row p is a function of a with the
slope -|v / v_p|^2. So Newton's iteration is Rayleigh's, which converges cubically. The next coefficient of a(t) is the
residual of its order, divided by that slope. (Dhillon and Parlett, Linear Algebra Appl. 387, 2004, on factors that meet
in the row p.)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.special._numerics.taylor import minus, over, plus, scaled, times
from hostwrap.special._numerics.until import until

TINY = 1e-60  # replaces a divisor 0; far below any rounding error, and its powers do not underflow
CLOSE = 1e-6  # the iteration ends after such a step: gaps between eigenvalues are larger than 1
STEPS = 8
STEPS_NEAR = 3  # from a guess with four digits
HALVINGS = 36  # halvings of an interval of length 1e6 at most: close enough for the iteration
MOST = 1200  # rows


class Family(NamedTuple):
    """A family of matrices by their rows: functions of the row number r, an array, and of further arguments."""

    row: Callable[..., Any]  # (r, *args): D and B there
    coupling: Callable[..., Any]  # (r, *args): E between r and r + 1; 0 for r < 0
    bounds: Callable[..., Any]  # (t, index, *args): of the eigenvalue
    last: Callable[..., Any]  # (a, t, *args): the last row before the components decrease for good


class Matrix(NamedTuple):
    """A matrix at each point: the Taylor coefficients of t, the number of rows, and the arguments of the rows."""

    family: Family
    t: Any
    count: Any
    args: Any

    def up_to(self, n):
        return self._replace(t=self.t[: n + 1])

    def shifted(self, r, a):
        """D + t B - a in one row."""
        d, b = self.family.row(r, *self.args)
        f = [b * t for t in self.t]
        f = [f[k] - x if k < len(f) else -x for k, x in enumerate(a)]
        return [f[0] + d, *f[1:]]

    def flat(self):
        return [*self.t, self.count, *self.args]

    def unflat(self, numbers):
        t, (count,), args = _split(numbers, [len(self.t), 1, len(self.args)])
        return self._replace(t=t, count=count, args=args)


class Sums(NamedTuple):
    """Sums over the rows: their number from the first row and from the last row, and their further arguments.

    `gather(lower, r, w, totals, kept, *extra)` adds the contribution of the row r, with component w, to the totals. It
    returns what to keep for the next row on the way from the first row, or from the last one (`lower`); the way starts
    with `kept(lower)`. All numbers but the kept ones are lists of Taylor coefficients. `ratio(lower, r, *extra)` is the
    weight of the row r over that of the next row on the way; components are multiplied by their weights.
    """

    counts: Any
    gather: Any
    extra: Any
    kept: Any = None
    ratio: Any = None


NONE = Sums((0, 0), None, ())


def sums(count, terms, extra, kept=None, ratio=None):
    """Sums of the components times the terms that `terms(lower, r, kept, *extra)` lists, with what to keep."""

    def gather(lower, r, w, totals, kept, *extra):
        found, kept = terms(lower, r, kept, *extra)
        return [plus(total, times(f, w)) for total, f in zip(totals, found, strict=True)], kept

    return Sums((count, count), gather, extra, kept, ratio)


class End(NamedTuple):
    """The numbers in the row p, coming from one end."""

    w: Any
    x: Any  # t e w of the row before
    e: Any  # to the row before
    negative: Any  # how many pivots are
    square: Any  # sum of the squares of the components, relative to that of p, times w^2
    sums: Any  # of components times terms, relative to that of p, times w
    size: Any  # of the components' absolute values, in the same way
    kept: Any


def eigenvalue(matrix, index, guess):
    """The eigenvalue number `index`, from a guess; by bisection if the iteration converges to another one."""
    matrix = matrix.up_to(0)
    a, number = _refined(matrix, guess)

    def found(a, index, *rest):
        return a

    def sought(a, index, *rest):
        here = matrix.unflat(rest)
        return _refined(here, _bisected(here, index))[0]

    return piecewise(
        [a, index, *matrix.flat()], [((number == index) & np.isfinite(a), found), (None, sought)]
    )


def eigenvalue_near(matrix, index, guess):
    """The same of a guess with four digits, and NaN of one that is another's."""
    a, number = _refined(matrix.up_to(0), guess, STEPS_NEAR)
    return np.where(number == index, a, np.nan)


def jets(matrix, a, n):
    """The Taylor coefficients 0..n of the eigenvalue, from the first, and the row p."""
    p, a = _pivot_row(matrix, a), [a]
    for k in range(1, n + 1):
        a.append(0.0)
        upper, lower = ends(matrix.up_to(k), a, p, squares=1 if k == 1 else 0)
        if k == 1:
            length = _length(upper, lower)
        a[k] = _rest(matrix.up_to(k), a, p, upper, lower)[k] / length
    return a, p


def ends(matrix, a, p, wanted=NONE, squares=0):
    """What comes to the row p from the first row and from the last one.

    Of the sum of the squares of all components so many coefficients are computed.
    """
    return [_end(matrix, a, p, wanted, squares, lower) for lower in (False, True)]


def _end(matrix, a, p, wanted, squares, lower):
    n, many, count = len(a), len(matrix.flat()), wanted.counts[lower]
    kept = list(wanted.kept(lower)) if wanted.kept else []
    weighted = wanted.ratio is not None
    sizes = [n, n, 1, 1, squares, int(weighted), len(kept), *[n] * count]

    def step(turn, *now):
        w, x, (before,), (negative,), square, whole, kept, *totals = _split(now, sizes)
        here, rest = matrix.unflat(now[sum(sizes) :][:many]), now[sum(sizes) + many :]
        a, p, extra = rest[:n], rest[n], rest[n + 1 :]
        r = here.count - 1 - turn if lower else turn - 1
        shifted = here.shifted(r, a)
        e = here.family.coupling(r - 1 if lower else r, *here.args)
        back, on = scaled(before, here.t), scaled(e, here.t)
        size = 1 / _pivot(shifted[0], back[0], on[0])
        moved, x = [scaled(size, f) for f in (minus(times(shifted, w), times(back, x)), times(on, w))]
        if not lower:  # there is no row -1
            moved = [np.where(r < 0, float(k == 0), f) for k, f in enumerate(moved)]
        negative = negative + ((moved[0] < 0) != (w[0] < 0))
        on = scaled(-size, on)
        if count:
            totals, kept = wanted.gather(lower, r, w, totals, kept, *extra)
            totals = [times(on, total) for total in totals]
        if weighted:
            ratio = wanted.ratio(lower, r, *extra)
            totals = [scaled(ratio, total) for total in totals]
            whole = [ratio * (np.abs(on[0]) * whole[0] + np.abs(x[0]))]
        if squares:
            on, one = on[:squares], x[:squares]
            square = plus(times(on, times(on, square)), times(one, one))
        if n > 2:
            size = _common(moved, x)
            moved, x, *totals = [over(f, size) for f in (moved, x, *totals)]
            square = over(over(square, size), size) if squares else square
        going = r > p + 1 if lower else r < p - 1
        return [*moved, *x, e, negative, *square, *whole, *kept, *_joined(totals), going]

    start = [1.0, *[0.0] * (2 * n + 1 + squares + weighted), *kept, *[0.0] * (n * count)]
    found = until(step, start, [*matrix.flat(), *a, p, *wanted.extra], MOST)
    w, x, (e,), (negative,), square, whole, kept, *totals = _split(found, sizes)
    return End(w, x, e, negative, square, totals, whole, kept)


def _pivot(shifted, back, on):
    """About the size of a pivot, so that determinants stay in range."""
    half = 0.5 * np.abs(shifted)
    return np.maximum(
        np.maximum(np.abs(on), half + np.sqrt(np.maximum(half * half - back * back, 0.0))), TINY
    )


def _common(w, x):
    """The common factor of two neighbouring components: their length in one direction.

    It changes with t much more than their ratio. Without this division it would have to cancel in second derivatives.
    """
    weight = 1 / (w[0] * w[0] + x[0] * x[0])
    return [1.0, *((w[0] * f + x[0] * g) * weight for f, g in zip(w[1:], x[1:], strict=True))]


def _rest(matrix, a, p, upper, lower):
    """The coefficients of the residual in the row p."""
    rest = matrix.shifted(p, a)
    for end in (upper, lower):
        rest = minus(rest, scaled(end.e, times(matrix.t, over(end.x, end.w))))
    return rest


def _length(upper, lower):
    """The sum of the squares of all components, v_p = 1."""
    return 1.0 + (upper.square[0] / upper.w[0] ** 2 + lower.square[0] / lower.w[0] ** 2)


def lengths(upper, lower):
    """The Taylor coefficients of the sum of squares."""
    total = plus(*(over(end.square, times(end.w, end.w)[: len(end.square)]) for end in (upper, lower)))
    return [1.0 + total[0], *total[1:]]


def summed(number, there, upper, lower):
    """The sum with this number; `there` holds the terms of the row p."""
    return plus(there, *(relative(end.sums[number], end) for end in (upper, lower)))


def relative(total, end):
    """Relative to v_p."""
    return over(total, end.w)


def size_of(upper, lower):
    """The sum of the absolute values of the components, times their weights, over those of the row p."""
    return 1.0 + (upper.size[0] / np.abs(upper.w[0]) + lower.size[0] / np.abs(lower.w[0]))


def _refined(matrix, a, steps=STEPS):
    """Newton's iteration from a, and the number of the eigenvalue that it found."""
    p = _pivot_row(matrix, a)

    def step(turn, a, number, p, *rest):
        here = matrix.unflat(rest)
        upper, lower = ends(here, [a], p, squares=1)
        change = _rest(here, [a], p, upper, lower)[0] / _length(upper, lower)
        going = (np.abs(change) > CLOSE) & (turn < steps - 1)
        return a + change, upper.negative + lower.negative, going

    return until(step, [a, 0.0], [p, *matrix.flat()], steps)


def _pivot_row(matrix, a):
    """The row of the largest component, among those before all components decrease."""
    matrix = matrix.up_to(0)
    last = matrix.family.last(a, matrix.t[0], *matrix.args)
    last = np.clip(last, 0.0, matrix.count - 2)

    def step(turn, p, size, pivot, before, a, last, *rest):
        here = matrix.unflat(rest)
        d, b = here.family.row(turn, *here.args)
        e, t = here.family.coupling(turn, *here.args), here.t[0]
        pivot = d + b * t - a - (t * before) ** 2 / pivot
        pivot = nonzero(pivot)
        size = size * np.abs(pivot) / np.maximum(np.abs(t * e), TINY)
        moved = (size >= 1) & (turn < last)
        p = np.where(moved, turn + 1, p)
        return p, np.where(moved, 1.0, size), pivot, e, turn < last - 1

    return until(step, [0.0, 1.0, np.inf, 0.0], [a, last, *matrix.flat()], MOST)[0]


def _bisected(matrix, index):
    """The approximate eigenvalue, by the number of negative pivots (Sturm's theorem)."""

    def step(turn, low, high, index, *rest):
        middle = 0.5 * (low + high)
        below = _below(matrix.unflat(rest), middle) <= index
        return np.where(below, middle, low), np.where(below, high, middle), turn < HALVINGS - 1

    ends = matrix.family.bounds(matrix.t[0], index, *matrix.args)
    low, high = until(step, ends, [index, *matrix.flat()], HALVINGS)
    return 0.5 * (low + high)


def _below(matrix, shift):
    def step(turn, number, pivot, before, shift, *rest):
        here = matrix.unflat(rest)
        d, b = here.family.row(turn, *here.args)
        pivot = d + b * here.t[0] - shift - (here.t[0] * before) ** 2 / pivot
        pivot = nonzero(pivot)
        e = here.family.coupling(turn, *here.args)
        return number + (pivot < 0), pivot, e, turn < here.count - 1

    return until(step, [0.0, np.inf, 0.0], [shift, *matrix.flat()], MOST)[0]


def nonzero(pivot):
    return np.where(pivot == 0, TINY, pivot)


def _split(numbers, sizes):
    parts, at = [], 0
    for size in sizes:
        parts.append(list(numbers[at : at + size]))
        at += size
    return parts


def _joined(lists):
    return [x for some in lists for x in some]
