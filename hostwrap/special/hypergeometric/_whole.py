"""Hypergeometric functions in whole numbers, one point at a time, where double precision loses their digits.

A coefficient of a jet is an integer times 2^-bits. Terms of the power series, and of the Taylor series that solve the
differential equation, are products and quotients of such numbers and of the parameters, which are doubles and so are
known exactly. All is computed with more and more bits, until two results agree. Nothing overflows: a result is a jet
and the power of two that belongs to it.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hostwrap.special.hypergeometric._gaussian import Gaussian, inverse, number, size, whole
from hostwrap.special.hypergeometric._orders import asked, below, places, shape

FEWEST = 128  # bits
WORK = 1_000_000  # words of 64 bits in all terms, for each coefficient: a tenth of a second or two
LEAST = 2  # coefficients
COMPLEX = 5  # times as much work
OVERHEAD = 10  # what a term costs beside its words, in words
AGREEING = 44  # bits that two results have in common
DEEP = 1100  # bits from which on nothing left of a number means that it is 0 in double precision
SERIES = 0.7  # up to here the power series of the Gauss function, and Taylor steps from there
STEP = 0.5  # of the way to the next singularity
COARSE = 12  # bits of a step
CORNER = 0.5 + 0.875j  # the way around z = 1, about as far from z = 0 as from there
NOTHING = 8  # units of the last bit
CHECK = 8
LIMIT = 1.3


class TooLong(ArithmeticError):
    """More terms than a point is worth."""


def kummer(a, b, z, orders):
    """1F1(a; b; z): (jet, exponents), the function being jet 2^exponents; NaN where it takes too long."""
    return _each((a, b), (z,), orders, _kummer, factors=1)


def gauss(a, b, c, z, u, orders):
    """2F1(a, b; c; z) for complex z and for real z < 1, u = 1 - z; the same."""
    return _each((a, b, c), (z, u), orders, _gauss, factors=2)


def tricomi(a, b, x, orders):
    """U(a, b, x), a polynomial in x, with derivatives in b; the same."""
    return _each((a, b), (x,), orders, _tricomi, factors=1)


def _each(forms, variables, orders, function, factors):
    """At each point; the first so many of the forms are factors of the function's difference from 1."""
    points = variables[0].size
    jet = np.full((*shape(orders), points), np.nan, variables[0].dtype)
    rows, exponents = jet.reshape(-1, points), np.zeros(points, int)
    layout = _layout(len(forms[0].slopes), shape(orders))
    for p in range(points):
        if p and all(x[p] == x[p - 1] for x in (*variables, *(form.value for form in forms))):
            rows[:, p], exponents[p] = rows[:, p - 1], exponents[p - 1]  # a point that is alone comes twice
            continue
        exact = [_Linear.at(form, p, orders, layout) for form in forms]
        at = [x[p].item() for x in variables]
        run = _Computation(layout, COMPLEX if isinstance(at[0], complex) else 1, _bits_below_one(exact))
        zeros = _zeros(exact[:factors], layout)
        found = _agreed(lambda run, e=exact, x=at: function(*e, *x, run), run, zeros)
        if found:
            rows[:, p], exponents[p] = found
        rows[list(zeros), p] = 0
    return jet, exponents


def _bits_below_one(forms):
    """A derivative in one parameter may be as small as the others are, and as their product."""
    values = [abs(float(form)) for form in forms]
    return -sum(min(math.frexp(x)[1], 0) for x in values if x)


def _zeros(factors, layout):
    """The rows that are 0 where one of the factors is, unless its own parameter moves."""
    found = set()
    for factor in factors:
        own = [axis for axis, slope in enumerate(factor.slopes) if slope]
        if factor.value == 0 and len(own) < 2:
            moved = [{axis for axis, _ in lower} for lower in layout]
            found |= {row for row, axes in enumerate(moved) if axes and not axes & {*own}}
    return found


def _agreed(function, run, zeros):
    """The first result that the one with half as many bits has confirmed, as floating-point numbers.

    That a row is 0 takes many bits to see, unless it is known to be.
    """
    try:
        now = function(run)
        while True:
            run.bits, last = 2 * run.bits, [x << run.bits for x in now]
            now = function(run)
            pairs = enumerate(zip(now, last, strict=True))
            if all(row in zeros or _is_settled(x, y, run.bits) for row, (x, y) in pairs):
                return _floats(now, run.bits)
    except (TooLong, ZeroDivisionError, OverflowError):
        return None


def _is_settled(x, before, bits):
    return size(x - before) <= size(x) >> AGREEING and (bool(x) or bits >= DEEP)


def _floats(jet, bits):
    """The largest of the size of 1, and their exponent."""
    length = max(size(x).bit_length() for x in jet)
    room = 1000 - length  # an integer of 1000 bits is a double still
    scaled = [x << room if room >= 0 else x >> -room for x in jet]
    return np.array([number(x, 1000) for x in scaled]), -room - bits + 1000


def _layout(parameters, sizes):
    """For each coefficient, in a row, [(axis, place of the one below on it)]."""
    rows = {place: row for row, place in enumerate(places(parameters, sizes).values())}
    return [[(axis, rows[other]) for axis, other in lower] for _, lower in below(parameters, sizes)]


class _Linear:
    """(value + slopes . parameters) 2^-shift: a linear form at one point, in whole numbers."""

    def __init__(self, value, slopes, shift, layout):
        self.value, self.slopes, self.shift, self.layout = value, slopes, shift, layout
        self.moves = [[(slopes[axis], row) for axis, row in lower if slopes[axis]] for lower in layout]

    @staticmethod
    def at(form, p, orders, layout):
        slopes = [s if np.ndim(s) == 0 else s[p] for s in form.slopes]
        rest = form.rest if np.ndim(form.rest) == 0 else form.rest[p].item()
        exact = Fraction(form.value[p].item()) + Fraction(rest)  # of a shifted parameter
        value, shift = exact.numerator, exact.denominator.bit_length() - 1
        slopes = [int(s) << shift if asked(orders, axis) else 0 for axis, s in enumerate(slopes)]
        return _Linear(value, slopes, shift, layout)

    def plus(self, k):
        return _Linear(self.value + (k << self.shift), self.slopes, self.shift, self.layout)

    def combined(self, factor, other, factor_of_other):
        """factor * self + factor_of_other * other."""
        shift = max(self.shift, other.shift)
        mine, theirs = factor << shift - self.shift, factor_of_other << shift - other.shift
        slopes = [s * mine + t * theirs for s, t in zip(self.slopes, other.slopes, strict=True)]
        return _Linear(self.value * mine + other.value * theirs, slopes, shift, self.layout)

    def times(self, jet, k=0):
        """(form + k) jet 2^shift."""
        value = self.value + (k << self.shift)
        return [
            sum([slope * jet[row] for slope, row in moves], value * x)
            for x, moves in zip(jet, self.moves, strict=True)
        ]

    def over(self, jet, k=0):
        """jet / (form + k)."""
        value, result = self.value + (k << self.shift), []
        for x, moves in zip(jet, self.moves, strict=True):
            lower = sum([slope * result[row] for slope, row in moves], 0)
            result.append(((x << self.shift) - lower) // value)
        return result

    def __float__(self):
        return float(number(self.value, self.shift))


class _Computation:
    """As long as there is work left for the point."""

    def __init__(self, layout, cost, more):
        self.bits, self.layout, self.cost = FEWEST + more, layout, cost
        self.work = WORK * max(LEAST, len(layout))

    def constant(self):
        return [1 << self.bits, *[0] * (len(self.layout) - 1)]

    def expect(self, terms):
        """Whether there is work left for so many."""
        if terms > self.terms_left():
            raise TooLong

    def terms_left(self):
        """At most."""
        return self.work // ((FEWEST // 64 + OVERHEAD) * self.cost * len(self.layout))

    def term(self, jet):
        """One more, like this one."""
        self.work -= sum(max(self.bits, size(x).bit_length()) // 64 + OVERHEAD for x in jet) * self.cost
        if self.work < 0:
            raise TooLong


def _is_small(term):
    return all(size(x) < NOTHING for x in term)


def _has_vanished(term):
    """A negative number that is rounded downwards stays -1."""
    return all(size(x) <= 1 for x in term)


def _series(tops, bottoms, z, run):
    """The power series, DLMF 16.2.1."""
    term = run.constant()
    total = list(term)
    factor, shift = whole(z)
    shift += sum(top.shift for top in tops)
    above, beneath, radius = [float(f) for f in tops], [float(f) for f in bottoms], abs(z)
    turns = [2 - x for x in (*above, *beneath)]  # before the last of them, small terms may grow again
    turned, most = max(turns), run.terms_left()
    ends = any(
        -most <= x <= 0 and x.is_integer() and not any(top.slopes) for x, top in zip(above, tops, strict=True)
    )
    # what a term is multiplied by is from here on least at one of the ends
    steady = max(x for x in (0.0, *turns) if x <= 2 * most)
    k = 0
    while True:
        is_steady = k % CHECK == 0 and steady <= k < steady + CHECK and not ends
        if is_steady and all(_grows(above, beneath, radius, place) for place in (k, most)):
            raise TooLong
        run.term(term)
        for top in tops:
            term = top.times(term, k)
        for bottom in bottoms:
            term = bottom.over(term, k) if any(term) else term
        divisor = (k + 1) << shift
        term = [x * factor // divisor for x in term]
        total = [x + y for x, y in zip(total, term, strict=True)]
        k += 1
        if k % CHECK == 0 and _is_small(term):
            falls = k >= turned and not _grows(above, beneath, radius, k, 0.99)
            if falls or _has_vanished(term):
                return total


def _grows(above, beneath, radius, k, least=1.0):
    """Whether the term after the k-th is larger than so much of it."""
    rising, falling = (math.fsum(math.log(abs(x + k) or 1e-300) for x in group) for group in (above, beneath))
    return rising + math.log(radius or 1e-300) > falling + math.log(k + 1) + math.log(least)


def _kummer(a, b, z, run):
    ends = float(a) <= 0 and float(a).is_integer() and not any(a.slopes)
    if not ends and max(abs(float(a)), abs(float(b))) < abs(z) / 4:
        run.expect(abs(z) / 2)  # terms, which grow up to there
    return _series([a], [b], z, run)


def _gauss(a, b, c, z, u, run):
    """Along the differential equation (DLMF 15.10.1) from the power series outwards; next to z = 1 in u = 1 - z."""
    if abs(z) <= SERIES:
        return _series([a, b], [c], z, run)
    if z.real > 0.5:
        there = complex(CORNER.real, math.copysign(CORNER.imag, z.imag)) if isinstance(z, complex) else 0.5
        jets, x = _from_origin(a, b, c, there, run)
        q = x.shift
        x = _Place((1 << q) - x.value, q)
        jets = jets[0], [x * -1 for x in jets[1]]
        c = a.combined(1, b, 1).plus(1).combined(1, c, -1)
        return _march(a, b, c, x, u, jets, run)[0]
    return _from_origin(a, b, c, z, run)[0][0]


def _tricomi(a, b, x, run):
    """Upwards in the degree -a, DLMF 13.3.7."""
    factor, shift = whole(x)
    last, now = [0] * len(run.layout), run.constant()
    for k in range(-int(float(a))):
        run.term(now)
        falling = zip(now, b.times(now, 2 * k), b.times(last, k - 1), strict=True)
        last, now = now, [(x * factor >> shift) - (y + k * z >> b.shift) for x, y, z in falling]
    return now


class _Place:
    """value 2^-shift."""

    def __init__(self, value, shift):
        self.value, self.shift = value, shift

    @staticmethod
    def of(x):
        return _Place(*whole(x))

    def minus(self, other):
        shift = max(self.shift, other.shift)
        return _Place((self.value << shift - self.shift) - (other.value << shift - other.shift), shift)

    def number(self):
        return number(self.value, self.shift)


def _from_origin(a, b, c, goal, run):
    start = _rounded(goal * (SERIES * 0.7 / abs(goal)))
    w = _series([a, b], [c], start.number(), run)
    slope = _series([a.plus(1), b.plus(1)], [c.plus(1)], start.number(), run)
    shift = a.shift + b.shift
    slope = [x >> shift for x in c.over(a.times(b.times(slope)))]
    return _march(a, b, c, start, goal, (w, slope), run), _Place.of(goal)


def _rounded(x):
    """To a few bits of its size."""
    exponent = COARSE - math.frexp(abs(x))[1]
    if isinstance(x, complex):
        parts = (round(math.ldexp(part, exponent)) for part in (x.real, x.imag))
        value = Gaussian(*parts)
    else:
        value = round(math.ldexp(x, exponent))
    return _Place(value << max(-exponent, 0), max(exponent, 0))


def _march(a, b, c, x, goal, jets, run):
    """(w, w') at `goal`, in straight steps."""
    goal = _Place.of(goal)
    sum_of_both = a.combined(1, b, 1).plus(1)
    while True:
        here, way = x.number(), goal.minus(x)
        longest = STEP * min(abs(here), abs(1 - here))
        distance = abs(way.number())
        last = distance <= longest
        h = way if last else _rounded(way.number() * (longest / distance))
        jets = _taylor(a, b, c, sum_of_both, x, h, jets, run)
        if last:
            return jets
        x = x.minus(_Place(h.value * -1, h.shift))


def _taylor(a, b, c, sum_of_both, x, h, jets, run):
    """By x (1 - x) (k + 1) (k + 2) t'' = h^2 (a + k) (b + k) t - h (k + 1) (c - (a + b + 1) x + k (1 - 2 x)) t'.

    Here t, t', t'' are the k-th term of the Taylor series and the next two.
    """
    q = max(x.shift, h.shift)
    x, h, one = x.value << q - x.shift, h.value << q - h.shift, 1 << q
    w, slope = jets
    term, after = w, [s * h >> q for s in slope]
    sums, moments = [s + t for s, t in zip(term, after, strict=True)], list(after)
    up, down = inverse(x * (x * -1 + one))  # 1 / (x (1 - x)) = up / down
    pull, turn = h * h * up, (x * -2 + one) * h * up
    drift = c.combined(one, sum_of_both, x * -1)  # 2^q times it
    square, first = a.shift + b.shift, drift.shift
    factor = h * up
    settled = _settled(float(a), float(b), float(c), number(x, q), number(h, q), run.terms_left())
    k = 0
    while True:
        run.term(term)
        one_part = a.times(b.times(term, k), k)
        other = [x * factor + y * (turn * k << first) for x, y in zip(drift.times(after), after, strict=True)]
        divisor = down * (k + 1) * (k + 2)
        term, after = (
            after,
            [
                ((x * pull >> square) - (y * (k + 1) >> first)) // divisor
                for x, y in zip(one_part, other, strict=True)
            ],
        )
        sums = [s + t for s, t in zip(sums, after, strict=True)]
        moments = [s + (k + 2) * t for s, t in zip(moments, after, strict=True)]
        k += 1
        if k % CHECK == 0 and _is_small(term) and _is_small(after) and settled(k):
            break
    up, down = inverse(h)
    return sums, [(s << q) * up // down for s in moments]


def _settled(a, b, c, x, h, most):
    """Whether from the k-th on small terms stay small: in the limit of many, the bound below is 5/4 at the most.

    Too long, if it is above that for every k up to `most`.
    """
    scale = abs(h / (x * (1 - x)))
    linear, turn = abs(c - (a + b + 1) * x), abs(1 - 2 * x)

    def bound(a, b, linear, k):
        return abs(h) * scale * a * b / ((k + 1) * (k + 2)) + scale * linear / (k + 2)

    least = [max(x - most * by, 0) for x, by in ((abs(a), 1), (abs(b), 1), (linear, turn))]
    if bound(*least, most) > LIMIT:
        raise TooLong
    return lambda k: bound(abs(a + k), abs(b + k), abs(c - (a + b + 1) * x + k * (1 - 2 * x)), k) < LIMIT
