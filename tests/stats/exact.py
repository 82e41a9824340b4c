"""First derivatives of the methods at many digits: the formulas of a law, run on mpmath's numbers, and differenced.

The density and the probabilities are formulas of their own, so the derivative of a probability in x checks the one
by the other; their values are compared with SciPy's.
"""

import functools
from collections.abc import Callable

from mpmath import mp

from hostwrap.special import gammainc, gammaincc
from hostwrap.stats._gammas import Side
from hostwrap.stats._integral import Integral, Total
from hostwrap.stats._law import DiscreteLaw, Law
from hostwrap.stats._range import Range
from hostwrap.stats._stable import Stable
from hostwrap.stats._two_sided import TwoSided
from hostwrap.stats._wallenius import Taken
from tests.reference import bindings

DIGITS = 75


def bound(formula: Callable) -> Callable:
    """The formula for mpmath's numbers."""
    return bindings.OTHERS.get(type(formula), bindings.bound)(formula)


def _integral(side: Integral) -> Callable:
    logpdf = bindings.bound(side.logpdf)

    def integrate(y: object, *shapes: object) -> object:
        def density(t: object) -> object:
            value = logpdf(t, *shapes)
            return mp.mpf(0) if mp.im(value) else mp.exp(value)  # a logarithm beyond the end of the support

        end = mp.mpf(side.end)
        away = [y + s * mp.mpf(10) ** n for n in (-2, -1, 0, 1) for s in ([-1] if side.lower else [1])]
        between = [x for x in away if not mp.isfinite(end) or min(y, end) < x < max(y, end)]
        points = sorted([end, *between, y])
        with mp.workdps(30):
            return mp.quad(density, points)

    return integrate


@functools.cache
def _of_range(upper: bool, w: object, k: object) -> object:
    """The probability that the range of k normal variables is above w, or below."""

    def term(z: object) -> object:
        whole, inside = mp.ncdf(-z), mp.ncdf(z + w) - mp.ncdf(z)
        power = whole ** (k - 1) - inside ** (k - 1) if upper else inside ** (k - 1)
        return k * mp.npdf(z) * power

    low = -mp.floor(w / 2) - 12
    return mp.fsum(term(low + mp.mpf(j) / 4) for j in range(int(4 * (12 - low)) + 1)) / 4


def _studentized(side: Range) -> Callable:
    """By the density of w = q s, in which q moves and w does not: the derivative in q has another integrand.

    The trapezoid rule, in z and log w, at nodes that stay the same when an argument moves a little.
    """
    step = mp.mpf(1) / 12

    def formula(q: object, k: object, df: object) -> object:
        upper = side.kind == "above" or (side.kind == "log_density" and q > 3)
        rough = mp.mpf(mp.nstr(q, 1))

        def term(w: object) -> object:
            weight = 2 * (df / 2) ** (df / 2) / mp.gamma(df / 2) * (w / q) ** df
            weight *= mp.exp(-df * (w / q) ** 2 / 2)
            if side.kind == "log_density":
                weight *= (1 if upper else -1) * (df - df * (w / q) ** 2) / q
            return weight * _of_range(upper, w, k)

        total = step * mp.fsum(term(rough * mp.exp(j * step)) for j in range(-int(72 / float(df) / step), 21))
        return mp.log(total) if side.kind == "log_density" else total

    return formula


def _total(total: Total) -> Callable:
    term = bindings.bound(total.log_term)
    return lambda k, *shapes: mp.fsum(mp.exp(term(mp.mpf(j), *shapes)) for j in range(total.low, int(k) + 1))


def chances(M: int, n: int, N: int, odds: object) -> list:
    """Of each count in Wallenius' urn, one draw after the other."""
    chance = [mp.mpf(1)] + [mp.mpf(0)] * n
    for drawn in range(N):
        after = [mp.mpf(0)] * (n + 2)
        for taken in range(max(0, drawn - (M - n)), min(drawn, n) + 1):
            first, other = odds * (n - taken), (M - n) - (drawn - taken)
            after[taken] += chance[taken] * other / (first + other)
            after[taken + 1] += chance[taken] * first / (first + other)
        chance = after[: n + 1]
    return chance


def _taken(urn: Taken) -> Callable:
    def formula(k: object, M: object, n: object, N: object, odds: object) -> object:
        k, chance = int(k), chances(int(M), int(n), int(N), odds)
        return mp.fsum(
            {"mass": chance[k : k + 1], "below": chance[: k + 1], "above": chance[k + 1 :]}[urn.kind]
        )

    return formula


def between_lines(n: int, x: object) -> object:
    """The probability that n ordered uniform numbers lie between a_i = i / n - x and b_i = (i - 1) / n + x.

    It is n! det[(b_i - a_j)^(j-i+1) / (j-i+1)!] (G. P. Steck, Annals of Mathematical Statistics 42, 1 (1971)).
    """
    steps = mp.matrix(n, n)
    for i in range(1, n + 1):
        for j in range(max(1, i - 1), n + 1):
            apart = min(mp.mpf(1), mp.mpf(i - 1) / n + x) - max(mp.mpf(0), mp.mpf(j) / n - x)
            power = j - i + 1
            steps[i - 1, j - 1] = max(apart, mp.mpf(0)) ** power / mp.factorial(power) if power else 1
    return mp.factorial(n) * mp.det(steps)


def _two_sided(law: TwoSided) -> Callable:
    def formula(x: object, n: object) -> object:
        n = int(n)
        if law.kind == "below":
            return between_lines(n, x)
        if law.kind == "above":
            return 1 - between_lines(n, x)
        step = mp.mpf(10) ** (-mp.dps // 4)
        return mp.log((between_lines(n, x + step) - between_lines(n, x - step)) / (2 * step))

    return formula


def _gamma_side(side: Side) -> Callable:
    return functools.partial(bindings.definition, gammainc if side.lower else gammaincc)


def _stable(law: Stable) -> Callable:
    """By the series in powers of x, and of 1 / x: term by term from int exp(-i x t - c t^alpha) dt.

    For alpha > 1 the second is asymptotic; for alpha < 1 it alone converges.
    """

    def density(x: object, alpha: object, c: object, lower: object) -> object:
        """Or, with the probability at 0, that below x > 0."""
        whole = lower is not None

        def near(k: int) -> object:
            power = (-1j) ** k * x ** (k + whole) / (mp.factorial(k) * (k + 1 if whole else 1))
            return power * mp.gamma((k + 1) / alpha) / alpha * c ** (-(k + 1) / alpha) / mp.pi

        def far(n: int) -> object:
            part = (-c) ** n / mp.factorial(n) * (1j * x) ** (-alpha * n) / (1j * mp.pi)
            return part * mp.gamma(alpha * n) if whole else part * mp.gamma(alpha * n + 1) / x

        found = _summed(far, 1, alpha > 1)
        if found is not None:
            return 1 - found if whole else found
        found = _summed(near, 0, False) if alpha > 1 else None
        if found is None:
            raise ArithmeticError("both series have lost their digits")
        return lower + found if whole else found

    def formula(x: object, alpha: object, beta: object) -> object:
        sign = -1 if x < 0 else 1
        tau = sign * beta * mp.tan(mp.pi * alpha / 2)
        c = 1 - 1j * tau
        if law.kind == "density":
            return density(sign * x, alpha, c, None)
        below = density(sign * x, alpha, c, mp.mpf(1) / 2 - mp.atan(tau) / (mp.pi * alpha))
        return below if sign == 1 else 1 - below

    return formula


def _summed(term: Callable, first: int, asymptotic: bool) -> object:
    """The real part of a series; None where it does not end, or its terms are too large."""
    limit = mp.mpf(10) ** (-0.9 * mp.dps)
    with mp.workdps(2 * mp.dps):
        total, largest, last = mp.mpf(0), mp.mpf(0), mp.inf
        for n in range(first, 2000):
            added = term(n)
            size = abs(added)
            total, largest = total + mp.re(added), max(largest, size)
            if size <= limit * abs(total) and n > first + 2:
                return +total if largest * mp.eps <= limit * abs(total) else None
            if asymptotic and size > last and n > first + 5:
                return None
            last = size
    return None


bindings.OTHERS |= {Integral: _integral, Range: _studentized, Total: _total, Taken: _taken, Stable: _stable}
bindings.OTHERS |= {TwoSided: _two_sided, Side: _gamma_side}


def _derivative(function: Callable, values: list, i: int, ends: tuple) -> object:
    """Central, in the i-th argument; the step stays in the support, whose ends are given."""
    step = abs(values[i]) or abs(values[0]) or mp.mpf(1)
    if i in (0, len(values) - len(ends)):  # x, and loc
        step = min([step, *(abs(values[0] - e) for e in ends if mp.isfinite(e) and e != values[0])])
    step *= mp.mpf(10) ** (-mp.dps // 3)
    sides = [function(*values[:i], values[i] + s * step, *values[i + 1 :]) for s in (1, -1)]
    return (sides[0] - sides[1]) / (2 * step)


def standard(law: Law | DiscreteLaw, kind: str) -> Callable | None:
    """The method in standard form; None where the law has no formula for it."""
    density = law.logpmf if isinstance(law, DiscreteLaw) else law.logpdf
    plain = kind.removeprefix("log")
    formula = density if plain in ("pdf", "pmf") else getattr(law, plain)
    if formula is None:
        return None
    function = bound(formula)
    if kind in ("pdf", "pmf"):
        return lambda *args: mp.exp(function(*args))
    if kind in ("logcdf", "logsf"):
        return lambda *args: mp.log(function(*args))
    return function


def needs_quadrature(law: Law | DiscreteLaw, kind: str) -> bool:
    """Of which fewer digits are there."""
    if isinstance(law, Law) and isinstance(law.logpdf, Range):
        return True
    formula = getattr(law, kind.removeprefix("log"), None) if kind.endswith(("cdf", "sf")) else None
    used = getattr(getattr(formula, "__code__", None), "co_names", ())
    around = [getattr(formula, "__globals__", {}).get(name) for name in used]
    return any(isinstance(f, Integral) for f in (formula, *around)) or "_pearson3_side" in used


def of_method(
    law: Law | DiscreteLaw, kind: str, args: tuple, i: int, ends: tuple
) -> tuple[object, object] | None:
    """(value, derivative in the i-th argument) at (x, *shapes, loc, scale), or (k, *shapes, loc)."""
    function = standard(law, kind)
    if function is None:
        return None
    few = isinstance(law, DiscreteLaw) or needs_quadrature(law, kind)
    with mp.workdps(30 if few else DIGITS):
        values = list(map(mp.mpf, args))

        def located(x: object, *more: object) -> object:
            if isinstance(law, DiscreteLaw):
                return mp.re(function(x - more[-1], *more[:-1]))
            *shapes, loc, scale = more
            value = mp.re(function((x - loc) / scale, *shapes))
            return value / scale if kind == "pdf" else value - mp.log(scale) if kind == "logpdf" else value

        return located(*values), _derivative(located, values, i, ends)
