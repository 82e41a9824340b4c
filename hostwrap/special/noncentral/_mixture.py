"""Poisson mixtures sum_j p_j(l) I(a + j) of incomplete gamma or beta functions, over a window of indices.

With I(a + j) = sum of U(a + m), m >= j, the mixture is the sum of U(a + m) (p_0 + .. + p_m): both sides are carried
along by recurrences of positive terms, one step of NumPy for all points. Below the mean of the distribution the
mixture is summed itself, above it one minus the mixture, so the smaller one is, and derivatives have no large parts
that cancel. What lies beyond the window is one incomplete gamma or beta function, from its integral.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import places, tape_of
from hostwrap.special._numerics.until import repeated
from hostwrap.special.gamma_beta._quotient import scaled
from hostwrap.special.noncentral._logarithms import log_poisson

SIGMAS, LEAST = 9.4, 16.0  # a Poisson distribution ends, to e^-44, within SIGMAS sqrt(mean) + LEAST
WIDER = 0.25  # times this deviation to the power of a whole number, for each of its units
LONGEST = 2**15  # steps; longer windows, of l above 2e6, are not summed


def windows(function, peak, l, differences=0):
    """First index and number of indices that count, from the peak of p_m U(a + m).

    Differences of p_m are polynomials times p_m, so more of the tails count.
    """
    spread = 2 * np.sqrt(np.maximum(peak, l))
    low = np.maximum(l, peak - spread) if function is above else peak
    high = np.minimum(l, peak + spread) if function is below else peak
    low, high = np.minimum(low, high), np.maximum(low, high)
    first = np.floor(np.maximum(0.0, low - _margin(low, differences)))
    return first, np.ceil(high + _margin(high, differences)) - first


def _margin(mean, differences):
    return (SIGMAS + WIDER * differences) * np.sqrt(mean) + LEAST + differences


def by_length(function, first, count, *args):
    """`function(first, size, *args)` for points whose windows have up to `size` indices, size = 32, 64, ..."""
    sizes = np.float_power(2.0, np.ceil(np.log2(np.maximum(count, 32))))
    if tape_of(first, *args) is not None:
        summed = sizes <= LONGEST
        return np.where(summed, function(first, np.where(summed, sizes, 1.0), *args), np.nan)
    result = np.full(first.shape, np.nan)
    for size in np.unique(sizes[sizes <= LONGEST]):
        here = places(sizes == size)
        result[here] = function(first[here], int(size), *(x[here] for x in args))
    return result


def density(terms, l, first, size, differences=0):
    """sum of p_m U(a + m), differentiated so many times in l, which is a difference in a."""

    def add(m, w, total):
        total = total + w * terms.jet() * moved(first + (m - 1), l, differences)
        return w * (l / (first + m)) * terms.step(), total

    _, total = _repeated(add, terms, [1.0, 0.0], size)
    return scaled(terms.log_value + log_poisson(first, l), total)


def moved(m, l, d):
    """(d/dl)^d p_m / p_m = (-1)^d C_d(m; l), Charlier's polynomial (DLMF 18.19.5, 18.22.2), symmetric in d and m.

    Its recurrence, here of (-l)^k C_k, goes up to the smaller one of both: beyond, it would lose digits.
    """
    low, high = np.minimum(m, d), np.maximum(m, d)
    before, here, result = 0.0, 1.0, 1.0
    for k in range(d):
        before, here = here, (high - (k + l)) * here - k * l * before
        result = np.where(low > k, (-1) ** (d - k - 1) * here / l ** (k + 1), result)
    return np.where(low == 0, (-1) ** d, result) if d else 1.0


def below(terms, l, first, size):
    """The mixture where it is the smaller side: U(A) (p_0 + .. + p_m) follows from the one before."""

    def add(m, w, v, _, total):
        total = total + v * terms.jet()
        ratio = terms.step()
        w = w * (l / (first + m)) * ratio
        return w, v * ratio + w, v * ratio, total

    _, _, last, total = _repeated(add, terms, [1.0, 1.0, 0.0, 0.0], size)
    return scaled(terms.log_value + log_poisson(first, l), total + last * terms.whole())


def above(terms, l, first, size):
    """One minus the mixture where that is the smaller side: 1 - I(A + 1) = 1 - I(A) + U(A)."""

    def add(m, p, u, rest, total):
        total = total + p * rest
        rest = rest + u * terms.jet()
        return p * (l / (first + m)), u * terms.step(), rest, total

    *_, total = _repeated(add, terms, [1.0, 1.0, terms.rest(), 0.0], size)
    return scaled(terms.log_value + log_poisson(first, l), total)


def _repeated(add, terms, start, size):
    """`*carried = add(m, *carried)` for m = 1 .. size, from `start`; `add` takes the terms one step on."""

    def turn(k, *now):
        terms.state = now[len(start) :]
        return [*add(k + 1, *now[: len(start)]), *terms.state]

    found = repeated(turn, [*start, *terms.state], size, LONGEST)
    terms.state = found[len(start) :]
    return found[: len(start)]


def density_at_zero(a, l, n):
    """`density` at the end where U(A) = x^A (1 + ..) / Gamma(A + 1), differentiated n times in a."""
    term = np.exp(sc.xlogy(-a, l) - l - sc.gammaln(1 - a))  # the one with A = 0
    pole = (-1.0) ** n * np.inf * sc.gammasgn(a + 1)
    at_whole = term if n == 0 else np.where(a == 0, (-1.0) ** n, (-1.0) ** (n - a)) * np.inf
    return np.where(a > 0, 0.0, np.where(a == np.round(a), at_whole, pole))
