"""Jets of hypergeometric functions: whether their digits are lost, and whole numbers where they are."""

import numpy as np

from hostwrap.special._numerics.pointwise import hand_back, tape_of
from hostwrap.special._numerics.until import until_stacked
from hostwrap.special.hypergeometric._forms import Form
from hostwrap.special.hypergeometric._orders import below

TRUSTED = 1e-9  # of two computations of one coefficient: how far apart they may be, relative to it
MINOR = 0.01
NEGATIVE = -5.0  # for lower parameters below, and for larger ones than ORDINARY, steps are made twice
ORDINARY = 30.0
LARGE_PARAMETER = 60.0  # from here on there are too many steps
SMALLEST = 1e-250  # of a jet without exponent: below, digits may be subnormal


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


def confirmed_where(risky, way, nothing, args, parameters):
    """The jet of `way(1.0, *args)`; where that is risky, or it says so, only what agrees with shorter steps, 0.8."""

    def attempt(turn, jet, risky, *args):
        now, doubtful = way(np.where(turn == 0, 1.0, 0.8), *args)
        return np.where(turn == 0, now, agreeing(jet, now, parameters)), (risky | doubtful) & (turn == 0)

    return until_stacked(attempt, [nothing], [risky, *args], 2)[0]


def completed(jet, exact, args, orders, possible=True):
    """The jet with exponents of two; where it is NaN, infinite or nearly 0, exact(*args, orders), if possible."""
    axes, recorder = tuple(range(jet.ndim - 1)), tape_of(jet, *args)
    size = np.abs(jet).max(axes)
    known = np.isfinite(sum(x.value if isinstance(x, Form) else x for x in args))
    lost = ~((size >= SMALLEST) & (size < np.inf)) & known & possible
    if recorder is not None:
        hand_back(recorder, lost)
        return jet, 0
    exponents, lost = np.zeros(jet.shape[-1], int), np.flatnonzero(lost)
    if lost.size:
        jet[..., lost], exponents[lost] = exact(*(x[lost] for x in args), orders)
    return jet, exponents
