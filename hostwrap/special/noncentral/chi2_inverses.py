"""SciPy's inverses of the noncentral chi-square distribution, differentiated by the implicit function theorem.

F(x, a, l), of half of the three numbers, has all derivatives in `chi2`. The inverse w in one of them satisfies
F(.., w) = p. So with subscripts for derivatives, r for that in the place of w, F_p = -1 and F_pt = 0:
w_t = -F_t / F_r,  w_tu = -(F_tu + F_tr w_u + F_ur w_t + F_rr w_t w_u) / F_r.
From the third order on the power series of F is solved for w. The number moves nearly in proportion with a parameter,
so terms cancel there: the series knows how much, and a derivative that has lost its digits is NaN.
"""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import in_python, piecewise, pointwise
from hostwrap.special._numerics.series import Series, pair
from hostwrap.special.gamma_incomplete import tiny
from hostwrap.special.noncentral.chi2 import gamma_mixture_n, gamma_mixture_term_n

ENDS = 1e-99, 1e99  # of SciPy's searches for df and nc
NEXT = 1e-100  # to x = 0, where powers of x leave the doubles


@pointwise
def chndtrix_n(p, df, nc, *, dp=0, ddf=0, dnc=0):
    x = sc.chndtrix(p, df, nc)
    return _derivative(0, x, True, p, [x, df, nc], (dp, ddf, dnc))


@pointwise
def chndtridf_n(x, p, nc, *, dx=0, dp=0, dnc=0):
    df = sc.chndtridf(x, p, nc)
    return _derivative(1, df, _searched(df), p, [x, df, nc], (dx, dp, dnc))


@pointwise
def chndtrinc_n(x, df, p, *, dx=0, ddf=0, dp=0):
    nc = sc.chndtrinc(x, df, p)
    return _derivative(2, nc, _searched(nc), p, [x, df, nc], (dx, ddf, dp))


def _searched(root):
    return (root > ENDS[0]) & (root < ENDS[1])


def _derivative(place, root, found, p, at, orders):
    """Of the root at that place of (x, df, nc), so many times in each; in p for the place itself."""
    if not any(orders):
        return root
    smaller = 1e-3 * np.minimum(p, 1 - p) + np.where(p > 0.5, 4e-16, 0.0)
    found = found & (np.abs(sc.chndtr(*at) - p) <= smaller)
    halved = 2.0 ** (1 + orders[place] - sum(orders))

    def inside(p, *half):
        if sum(orders) > 2:
            return halved * _further(place, p, half, orders)
        wrt = [t for t, order in enumerate(orders) for _ in range(order)]
        return halved * _first_two(place, half, wrt)

    def near(p, x, a, l):
        return halved * tiny.quantile(a, p, l, (orders[1], orders[0], orders[2]))

    inside = in_python(inside) if sum(orders) > 2 else inside
    cases = [(~found, lambda *_: np.nan), (None, inside)]
    if place == 0:
        cases.insert(1, ((root > 0) & (root < NEXT), near))
    return piecewise([p, *(number / 2 for number in at)], cases)


def _of_distribution(half, of_x, of_a, of_l):
    """(d/dx)^i (d/da)^j (d/dl)^k F."""
    if of_x:
        return (-1) ** (of_x - 1) * gamma_mixture_term_n(*half, n=of_a, m=of_x, d=of_x - 1 + of_l)
    return -gamma_mixture_term_n(*half, n=of_a, d=of_l - 1) if of_l else gamma_mixture_n(*half, n=of_a)


def _first_two(place, half, wrt):
    def change(*places):
        return _of_distribution(half, *(places.count(t) for t in range(3)))

    steep = change(place)

    def first(t):
        if t == place:
            return 1 / steep
        return np.where(half[0] == 0, 0.0, -change(t) / steep)  # p = 0, whatever df and nc

    if len(wrt) == 1:
        return first(*wrt)
    t, u = wrt
    parts = [(first(t), first(u), (place, place))]
    parts += [(first(u), 1.0, (t, place))] if t != place else []
    parts += [(first(t), 1.0, (u, place))] if u != place else []
    parts += [(1.0, 1.0, (t, u))] if place not in wrt else []
    terms = [np.where((v == 0) | (w == 0), 0.0, change(*places) / steep * v * w) for v, w, places in parts]
    return np.where((half[0] == 0) & (place not in wrt), 0.0, -sum(terms))


def _further(place, p, half, orders):
    """The series in the other two numbers that move, and in the root at last."""
    degree = sum(orders) + 1
    others = [t for t in range(3) if t != place]
    most = [degree if orders[t] else 0 for t in others]
    steep = _of_distribution(half, *(int(t == place) for t in range(3)))
    terms = {}
    for i in range(most[0] + 1):
        for j in range(min(most[1], degree - i) + 1):
            for k in range(degree + 1 - i - j):
                counts = dict(zip([*others, place], (i, j, k), strict=True))
                value = _of_distribution(half, *(counts[t] for t in range(3)))
                shares = math.factorial(i) * math.factorial(j) * math.factorial(k)
                terms[i, j, k] = pair(value / steep / shares)
    index = *(orders[t] for t in others), orders[place]
    arguments = *(half[t] for t in others), p / steep
    return Series(terms, degree).solved().derivative(index, arguments) / steep ** orders[place]
