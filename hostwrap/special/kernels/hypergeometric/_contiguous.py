"""Hypergeometric functions of a negative lower parameter c, by contiguous relations from larger ones.

For c < 0 the regular solution of the differential equation is small beside the other, z^(1 - c), and drowns in it on
the way outwards. As a function of c it satisfies a relation of which both solutions have, for small |c|, about the
same size in it, and stay what they are on the way down.
"""

import numpy as np

from hostwrap.special.kernels.hypergeometric._orders import below

STARTS = (-16.0, -11.0, -6.0, 0.0)  # from which c, just above these: the nearest that has its digits
TRUSTED = 1e-9  # of two computations of one coefficient: how far apart they may be, relative to it
MINOR = 0.01
NOISE = 1 + 2.0**-50  # the coefficients of the relations are rounded alike in both
NEGATIVE = -5.0  # for lower parameters below, rounding errors are looked at


def completed(jet, directly, relation, args, lower, orders):
    """The jet directly(*args, orders), and where it is NaN, from larger values of the parameter args[lower].

    By F(c - 1) = relation(*args with c, F(c), F(c + 1)); NaN remains where rounding errors matter.
    """
    c = args[lower].value
    for start in STARTS:
        lost = np.flatnonzero(
            np.isnan(jet).any(tuple(range(jet.ndim - 1))) & (c < start) & (c != np.round(c))
        )
        if lost.size:
            other = _from_above(directly, relation, [x[lost] for x in args], lower, orders, start)
            jet[..., lost] = np.where(np.isnan(jet[..., lost]), other, jet[..., lost])
    return jet


def _from_above(directly, relation, args, lower, orders, start):
    """Twice, from neighbouring values."""
    c, before, after = args[lower], args[:lower], args[lower + 1 :]
    steps = np.ceil(start - c.value)
    lowest, middle, highest = (directly(*before, c + (steps + k), *after, orders) for k in range(3))

    def step(c, now, above):
        return relation(*before, c, *after, now, above)

    first = _downwards(step, c, steps, lowest, middle, 1.0)
    second = _downwards(step, c, steps + 1, middle, highest, NOISE)
    return agreeing(first, second, len(c.slopes))


def _downwards(step, c, steps, now, above, noise):
    """Every other value times `noise`."""
    result = np.full_like(now, np.nan)
    for k in range(int(steps.max())):
        above, now = now, step(c + (steps - k), now, above) * (noise if k % 2 else 1)
        result = np.where(k + 1 == steps, now, result)
    return result


def agreeing(first, second, parameters):
    """The first, and NaN where the second shows that its digits are lost.

    Of a coefficient that is small beside the higher ones, to whose products it adds little, the latter are the measure.
    """
    size = np.abs(first)
    largest = size.copy()
    for place, lower in reversed(below(parameters, first.shape[:-1])):
        for _, other in lower:
            largest[other] = np.fmax(largest[other], largest[place])
    close = np.abs(first - second) <= TRUSTED * np.maximum(size, MINOR * largest)
    return np.where(close | (first == second), first, np.nan)
