"""Jets beside the logarithm of a factor: Gamma functions and solutions of Weber's equation out of a double's range.

Numbers of ordinary size have the factor 1, whose logarithm is 0.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import elsewhere
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.hypergeometric._equations import Weber
from hostwrap.special.hypergeometric._forms import power, relative_gamma, rgamma, times
from hostwrap.special.hypergeometric._march import march
from hostwrap.special.parabolic._weber import NEXT, next_to_origin, sine

ORDINARY = 100.0  # arguments of Gamma and exponents of 2 up to here
LARGE = 1e100
GROWTH = 200.0  # solutions are scaled anew before they have grown by this power of e
MOST_PARTS = 60
STEPS = 210  # in one part: a step is 1 long, or the solutions grow by e^3


def scaled_rgamma(form, orders):
    """1/Gamma(form), by DLMF 5.5.3 for negative arguments."""
    z, jet = form.value, rgamma(form, orders)
    above, below = z > ORDINARY, z < -ORDINARY
    jet = elsewhere(jet, above, lambda form: relative_gamma(form, orders, -1), form)
    reflected = lambda form: times(relative_gamma(1 - form, orders, 1), sine(form, orders)) / np.pi
    jet = elsewhere(jet, below, reflected, form)
    log = sc.gammaln(np.where(below, 1 - z, z))
    return jet, np.where(above, -log, np.where(below, log, 0.0))


def scaled_power(log, form, orders):
    """exp(log * form)."""
    exponent = log * form.value
    out = np.where(np.abs(exponent) > ORDINARY, form.value, 0.0)
    return power(log, form - out, orders), log * out


def rescaled(jets, log):
    """With the factor taken out where some coefficient is out of range."""
    size = np.abs(jets).max(tuple(range(jets.ndim - 1)))
    out = ((size > LARGE) | (size < 1 / LARGE)) & (size > 0) & (size < np.inf)
    factor = np.where(out, size, 1.0)
    return jets / factor, log + np.log(factor)


def common(first, second):
    """The jets of two, (jets, log), brought to one factor, and its logarithm."""
    (f, p), (g, q) = first, second
    log = np.where((f == 0).all(tuple(range(f.ndim - 1))), q, np.maximum(p, q))
    log = np.where((g == 0).all(tuple(range(g.ndim - 1))), p, log)
    return _shifted(f, p - log), _shifted(g, q - log), log


def _shifted(jets, log):
    return np.where(jets == 0, 0.0, jets * np.exp(log))


def times_factor(x, log):
    """x e^log, where e^log alone may be out of range."""
    half = np.exp(log / 2)
    return x * half * half


def marched(bend, level, x, pair, log):
    """(w, w') at x from those at 0, in parts short enough, between which the solutions are scaled."""
    rate = np.sqrt(np.abs(bend) * x * x + np.abs(level.value))
    parts = np.ceil(np.maximum(np.abs(x) * rate / GROWTH, 1))

    def part(turn, pair, log, place, x, parts, level):
        k = turn + 1
        goal = np.where(k < parts, x * (k / parts), x)
        pair, log = rescaled(np.stack(march(Weber(bend, level), place, goal, *pair, STEPS)[:2]), log)
        return pair, log, goal, k < parts

    near = parts <= MOST_PARTS  # beyond, it is too far to go
    fixed = [x, np.where(near, parts, 1.0), level]
    ended, grown, _ = until_stacked(
        part, [np.where(near, np.stack(pair), np.nan), log, 0 * x], fixed, MOST_PARTS
    )
    beside = np.abs(x) < NEXT
    return np.where(beside, next_to_origin(level, x, *pair), ended), np.where(beside, log, grown)
