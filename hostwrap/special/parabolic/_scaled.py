"""Jets beside the logarithm of a factor: Gamma functions and solutions of Weber's equation out of a double's range.

Numbers of ordinary size have the factor 1, whose logarithm is 0.
"""

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import places
from hostwrap.special.hypergeometric._forms import power, relative_gamma, rgamma, times
from hostwrap.special.parabolic._weber import from_origin, sine

ORDINARY = 100.0  # arguments of Gamma and exponents of 2 up to here
LARGE = 1e100
GROWTH = 200.0  # solutions are scaled anew before they have grown by this power of e
MOST_PARTS = 60


def scaled_rgamma(form, orders):
    """1/Gamma(form), by DLMF 5.5.3 for negative arguments."""
    z, log = form.value, np.zeros_like(form.value)
    jet = rgamma(form, orders)
    for here, reflected in ((places(z > ORDINARY), False), (places(z < -ORDINARY), True)):
        if here.size:
            part = 1 - form[here] if reflected else form[here]
            relative = relative_gamma(part, orders, 1 if reflected else -1)
            if reflected:
                relative = times(relative, sine(form[here], orders)) / np.pi
            jet[..., here], log[here] = relative, sc.gammaln(part.value) * (1 if reflected else -1)
    return jet, log


def scaled_power(log, form, orders):
    """exp(log * form)."""
    exponent = log * form.value
    out = np.where(np.abs(exponent) > ORDINARY, form.value, 0.0)
    return power(log, form - out, orders), log * out


def rescaled(jets, log):
    """With the factor taken out where some coefficient is out of range."""
    size = np.max(np.abs(jets), axis=tuple(range(jets.ndim - 1)))
    out = ((size > LARGE) | (size < 1 / LARGE)) & (size > 0) & (size < np.inf)
    factor = np.where(out, size, 1.0)
    return jets / factor, log + np.log(factor)


def common(first, second):
    """The jets of two, (jets, log), brought to one factor, and its logarithm."""
    (f, p), (g, q) = first, second
    log = np.where(np.all(f == 0, axis=tuple(range(f.ndim - 1))), q, np.maximum(p, q))
    log = np.where(np.all(g == 0, axis=tuple(range(g.ndim - 1))), p, log)
    return _shifted(f, p - log), _shifted(g, q - log), log


def _shifted(jets, log):
    return np.where(jets == 0, 0.0, jets * np.exp(log))


def times_factor(x, log):
    """x e^log, where e^log alone may be out of range."""
    half = np.exp(log / 2)
    return x * half * half


def marched(bend, level, x, pair, log):
    """`from_origin` in parts short enough, between which the solutions are scaled."""
    rate = np.sqrt(np.abs(bend) * x * x + np.abs(level.value))
    parts = np.ceil(np.maximum(np.abs(x) * rate / GROWTH, 1))
    pair, place = np.array(pair), np.zeros_like(x)
    pair[..., ~(parts <= MOST_PARTS)] = np.nan  # too far to go
    for k in range(1, int(np.max(parts, initial=0, where=parts <= MOST_PARTS)) + 1):
        goal = np.where(k < parts, x * (k / parts), x)
        goal = np.where(parts <= MOST_PARTS, goal, 0.0)
        pair = np.stack(from_origin(bend, level, goal, *pair, start=place))
        pair, log = rescaled(pair, log)
        place = goal
    return pair, log
