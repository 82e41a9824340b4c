"""Mixed derivatives of the Jacobi functions of real degree and of their relatives, as hypergeometric jets.

P(n, alpha, beta; x) = binom(n + alpha, n) F(-n, n + alpha + beta + 1; alpha + 1; z), z = (1 - x) / 2 (DLMF 18.5.7).
The shifted ones have z = 1 - x, and 1 - z = x keeps all its digits next to the singular point x = 0.
"""

from __future__ import annotations

import numpy as np

from hostwrap.special._numerics.pointwise import LARGE_CHUNK, hand_back, in_chunks, tape_of
from hostwrap.special.hypergeometric._forms import Form, derivative, over, parameters
from hostwrap.special.hypergeometric._gammas import cancelled, product, unscaled
from hostwrap.special.hypergeometric._middle import symmetric, symmetric_scaled
from hostwrap.special.orthogonal._binomial import scaled_rising

WORST = 1e8  # from the third order on, a sum of terms that are so much larger may be off by 1e-8
BESIDE = 2.0**-52, 2.0**-45  # next to an end: what still grows there, if only as a logarithm, is infinite


@in_chunks(LARGE_CHUNK)
def jacobi_n(n, alpha, beta, x, *, dn, dalpha, dbeta, dx):
    """(d/dn)^i (d/dalpha)^j (d/dbeta)^k (d/dx)^l of eval_jacobi."""
    n, alpha, beta = parameters(n, alpha, beta)
    gauss = n, n + (alpha + beta + 1), alpha + 1
    symmetry = None if dalpha or dbeta else alpha.value - beta.value
    return _top(gauss, [(alpha + 1, alpha)], half(x), (dn, dalpha, dbeta), dx, symmetry)


@in_chunks(LARGE_CHUNK)
def gegenbauer_n(n, alpha, x, *, dn, dalpha, dx):
    """(d/dn)^i (d/dalpha)^j (d/dx)^l of eval_gegenbauer, DLMF 18.5.9."""
    n, alpha = parameters(n, alpha)
    gauss = n, n + alpha * 2, alpha + 0.5
    return _top(gauss, [(alpha * 2, alpha * 2 - 1)], half(x), (dn, dalpha), dx, 0 * alpha.value)


@in_chunks(LARGE_CHUNK)
def legendre_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_legendre."""
    return hypergeometric_il(n, n + 1, 1.0, half(x), dn, dx)


@in_chunks(LARGE_CHUNK)
def sh_legendre_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_sh_legendre."""
    return hypergeometric_il(n, n + 1, 1.0, whole(x), dn, dx)


@in_chunks(LARGE_CHUNK)
def sh_jacobi_n(n, p, q, x, *, dn, dp, dq, dx):
    """(d/dn)^i (d/dp)^j (d/dq)^k (d/dx)^l of eval_sh_jacobi."""
    n, p, q = parameters(n, p, q)
    gauss = n, n + p, p - q + 1
    return _top(gauss, [(p - q + 1, p - q), (n + p, n + p - 1)], whole(x), (dn, dp, dq), dx)


def hypergeometric_il(n, upper, c, place, i, l, factor=None):
    """(d/dn)^i (d/dx)^l of F(-n, upper; c; z), where `upper` is n and a constant, and of n + `factor` times it."""
    forms = [Form(n, (1,)), Form(upper, (1,)), Form(c + 0 * n, (0,))]

    def top(z, rest, x, n, upper, c):
        jet = symmetric(-n, upper, c, (z, rest, x), (i,), l)
        return derivative(jet if factor is None else (n + factor).times(jet), (i,))

    z, rest, slope, x = place
    return with_ends(top, z, rest, [x, *forms]) * slope**l


def with_ends(function, z, rest, forms):
    """function(z, rest, *forms); where that says nothing finite at the end rest = 0, its limit."""
    result = function(z, rest, *forms)
    ends, recorder = (rest == 0) & ~np.isfinite(result), tape_of(result)
    if recorder is not None:
        hand_back(recorder, ends)
        return result
    ends = np.flatnonzero(ends)
    if ends.size and not np.iscomplexobj(z):
        here, farther = (_beside(function, forms, ends, distance) for distance in BESIDE)
        infinite = np.abs(here - farther) > 1e-3 * np.abs(here)
        result[ends] = np.where(infinite, np.copysign(np.inf, here), here)
    return result


def _beside(function, forms, ends, distance):
    near = np.full(ends.size, distance)
    return function(1 - near, near, *(f[ends] for f in forms))


def half(x):
    """z, 1 - z, dz/dx, and 1 - 2 z with all its digits."""
    return (1 - x) / 2, (1 + x) / 2, -0.5, x


def whole(x):
    return 1 - x, x, -1.0, 2 * x - 1


def _top(gauss, rising, place, orders, l, symmetry=None):
    """The highest order of F(-n, b; c; z) (e)_n / n!, divided by a second (e)_n / n! if there is one.

    The forms n, b, c come as they are, and e with e - 1: small ones lose digits when others are added to them. The
    symmetry is 0 where c is half of 1 - n + b.
    """
    z, rest, slope, x = place

    def top(z, rest, x, symmetry, n, b, c, *ends):
        jet = symmetric_scaled(-n, b, c, (z, rest, x), orders, l, symmetry == 0)
        pairs = list(zip(ends[::2], ends[1::2], strict=True))
        (above, *below) = (scaled_rising(n, e, f, orders, shared=len(pairs) > 1) for e, f in pairs)
        lost = cancelled(above, jet, *below) > WORST if sum(orders) > 2 else None
        jet, exponents = product(above, jet)
        for other, more in below:
            jet, exponents = over(jet, other), exponents - more
        jet = jet if lost is None else np.where(lost, np.nan, jet)
        return derivative(unscaled(jet, exponents), orders)

    symmetry = 0 * rest.real + 1 if symmetry is None else symmetry
    ends = [form for pair in rising for form in pair]
    return with_ends(top, z, rest, [x, symmetry, *gauss, *ends]) * slope**l
