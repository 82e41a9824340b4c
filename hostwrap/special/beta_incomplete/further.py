"""Derivatives of I_x(a, b), and of what is made of it, from the third on, by power series in a, b and u = log(x / y).

The density phi(a, b, u) = x^a y^b / B(a, b) has a power series next to a point, and I has its integral in u. What I
depends on in a and b alone is an integral over a tail: phi at a node, divided by phi at the end of the tail, is
e^(h + alpha log(x_s / x) + beta log(y_s / y)) times the series of phi itself in alpha and beta. So a few moments of the
two logarithms make all derivatives. An inverse function comes of the series by the implicit function theorem.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from hostwrap.special._numerics.series import LESS, Series, logarithm, pair, product
from hostwrap.special.beta_incomplete._score import raised_score, score
from hostwrap.special.beta_incomplete.density import density_over, logit_density
from hostwrap.special.beta_incomplete.slope import Fixed, of_tail
from hostwrap.special.gamma_beta.gamma import psi_right
from hostwrap.special.gamma_beta.psi_difference import psi_rise

RAISED = 1.0  # a smaller parameter is raised by one, because its tail is long and its score large
A, B, U = range(3)


def density(a, b, x, y, n, moving, raised=""):
    """phi divided by phi at the point, up to the degree n; "a" or "b" raised is that of phi / a or phi / b.

    A parameter that is not `moving` has no powers.
    """
    terms = _of_parameters(a, b, x, y, n, moving, raised)
    log_x, log_y = _log_shares(x, y, n)
    exponent = Series(terms, n)
    for name, own, parameter, logs in (("a", (1, 0, 0), a, log_x), ("b", (0, 1, 0), b, log_y)):
        exponent = exponent + logs.scaled(parameter)
        if name in moving:
            exponent = exponent + Series({own: pair(1 + 0 * a)}, n) * logs
    return exponent.exponential()


def _of_parameters(a, b, x, y, n, moving, raised):
    """The logarithm of phi in a and b."""
    score_a = raised_score(a, b, x, y) if raised == "a" else score(a, b, x, y)
    score_b = raised_score(b, a, y, x) if raised == "b" else score(b, a, y, x)
    first = {"a": ((1, 0, 0), pair(score_a)), "b": ((0, 1, 0), pair(score_b))}
    terms = {(0, 0, 0): pair(0 * a), **dict(first[name] for name in "ab" if name in moving)}
    for i in range(n + 1 if "a" in moving else 1):
        for j in range(max(2 - i, 0), n + 1 - i if "b" in moving else 1):
            if i and j:
                value = psi_right(a + b, i + j - 1)
            elif i:
                value = _rise(a, b, i - 1, raised == "a")
            else:
                value = _rise(b, a, j - 1, raised == "b")
            terms[i, j, 0] = pair(value / (math.factorial(i) * math.factorial(j)))
    return terms


def _rise(a, b, m, raised):
    """psi_m(a + b) - psi_m(a), or psi_m(a + b) - psi_m(a + 1), m > 0."""
    if not raised:
        return psi_rise(a, b, m)
    return psi_rise(a + 1, b, m) - (-1) ** m * math.factorial(m) / (a + b) ** (m + 1)


def _log_shares(x, y, n):
    """log x and log y without their first coefficients: x' = x y, so the one has the derivative y, the other -x."""
    share = _share(x, y, n)
    return _share(y, x, n, -1.0).integrated(U), share.scaled(-1.0).integrated(U)


def _share(x, y, n, sign=1.0):
    """x as a series in u, of which x' = x y; or y, with x' = -x y."""
    of_x, of_y = [pair(x)], [pair(y)]
    for k in range(n):
        rise = sum(product(of_x[m], of_y[k - m]) for m in range(k + 1)) / (k + 1)
        rise = rise if sign > 0 else LESS * rise
        of_x.append(rise)
        of_y.append(LESS * rise)
    return Series({(0, 0, k): c for k, c in enumerate(of_x)}, n)


def distribution(a, b, x, y, n, moving):
    """I divided by phi at the point, without its first coefficient; 0 < x < 1."""
    whole = density(a, b, x, y, n, moving)
    small_a, small_b = a < RAISED, b < RAISED
    above_a, above_b = np.where(small_a, a + 1, a), np.where(small_b, b + 1, b)
    total = _of_parameters_alone(above_a, above_b, x, y, n, moving)
    # I(a, b) = I(a + 1, b) + phi / a = I(a, b + 1) - phi / b, DLMF 8.17.20-21
    factor_b = np.where(small_b, y * (above_a + b) / b, 1.0)
    total = total.scaled(factor_b) + density(above_a, b, x, y, n, moving, "b").scaled(
        np.where(small_b, -1 / b, 0.0)
    )
    factor_a = np.where(small_a, x * (a + b) / a, 1.0)
    total = total.scaled(factor_a) + density(a, b, x, y, n, moving, "a").scaled(np.where(small_a, 1 / a, 0.0))
    alone = Series({k: c for k, c in total.terms.items() if not k[U] and any(k)}, n)
    return alone + whole.integrated(U)


def _of_parameters_alone(a, b, x, y, n, moving):
    """From the moments of a tail, below the mode the lower one, a and b not small."""
    most = [n * (name in moving) for name in "ab"]
    places = [(p, q) for p in range(most[0] + 1) for q in range(min(most[1], n - p) + 1)]

    def moments(*_):
        return lambda e, log_x, log_y, _: [e * log_x**p * log_y**q for p, q in places]

    found = of_tail(a, b, x, y, a * y > b * x, moments, len(places))
    logs = {
        (p, q, 0): pair(m / (math.factorial(p) * math.factorial(q)))
        for (p, q), m in zip(places, found, strict=True)
    }
    return Series(logs, n) * Series(_of_parameters(a, b, x, y, n, moving, ""), n).exponential()


def at_fixed_f(a, b, n, moving):
    """What u is in a, b and z = log f: it is z + log(a / b)."""
    z = Series({(0, 0, 1): pair(1 + 0 * a)}, n)
    return z + _rates(a, b, n, moving)


def _rates(a, b, n, moving):
    """log(a / b) without its first coefficient."""
    logs = {"a": logarithm(A, 3, a, n), "b": logarithm(B, 3, b, n, -1.0)}
    return functools.reduce(Series.__add__, [logs[name] for name in "ab" if name in moving], Series({}, n))


def shift_series(a, b, x, y, n, fixed, moving):
    """(dI/da) / (dI/du)."""
    change = distribution(a, b, x, y, n + 1, moving).derived(A) * density(a, b, x, y, n, moving).inverse()
    if fixed is Fixed.X:
        return change
    return change.substituted(at_fixed_f(a, b, n, moving)) + logarithm(A, 3, a, n + 1).derived(A)


def _index(wrt, last):
    return wrt.count("a"), wrt.count("b"), wrt.count(last)


def _scales(a, b):
    return np.abs(a), np.abs(b), 1.0


def shift(a, b, x, y, fixed, wrt):
    """A derivative of (dI/da) / (dI/du) in a, b and u, or z."""
    index = _index(wrt, "u" if fixed is Fixed.X else "z")
    return shift_series(a, b, x, y, len(wrt) + 1, fixed, "a" + wrt).derivative(index, _scales(a, b))


def shift_t(v, t, x, y, wrt):
    """A derivative of (dF/dv) / (dF/dz), z = log |t|, of Student's t in v and t, where x / y = v / t^2."""
    n, a, b = len(wrt) + 1, v / 2, 0.5 + 0 * v
    series = shift_series(a, b, x, y, n, Fixed.F, "a").substituted(logarithm(U, 3, t, n, -2.0))
    index = wrt.count("v"), 0, wrt.count("t")
    return -series.derivative(index, (a, b, t)) / 2 ** (index[0] + 2)


def parameter(a, b, x, y, fixed, wrt):
    """A derivative of I in a and b."""
    n = len(wrt) + 1
    series = distribution(a, b, x, y, n, wrt)
    if fixed is Fixed.F:
        series = series.substituted(at_fixed_f(a, b, n, wrt))
    return logit_density(a, b, x, y, series.derivative(_index(wrt, "u"), _scales(a, b)))


def density_f(a, b, x, y, f, wrt):
    """A derivative of phi / f, the density of the F distribution, in a, b and f."""
    n = len(wrt) + 1
    last = logarithm(U, 3, f, n) + _rates(a, b, n, wrt)
    over = Series({(0, 0, k): pair((-1.0) ** k / f ** (k + 1)) for k in range(n + 1)}, n)
    series = density(a, b, x, y, n, wrt).substituted(last) * over
    return density_over(a, b, x, y, 1.0, series.derivative(_index(wrt, "f"), (*_scales(a, b)[:2], f)))


def quantile(a, b, x, y, wrt):
    """A derivative of the x with I_x(a, b) = p in a, b and p."""
    n = len(wrt) + 1
    logit = distribution(a, b, x, y, n, wrt).solved()  # in a, b and the change of p, divided by phi
    change = _share(x, y, n).substituted(logit)
    value, phi = change.derivative(_index(wrt, "p"), _scales(a, b)), logit_density(a, b, x, y)
    for _ in range(wrt.count("p")):  # a power of phi may leave the doubles where the quotient does not
        value = value / phi
    return value
