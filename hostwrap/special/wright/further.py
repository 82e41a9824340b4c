"""Third and higher derivatives of log Phi(a, b, x), Phi being Wright's function: the power series of a logarithm.

The series of Phi has the quotients of `wright_ratio_ns`, which are (d/db)^n (d/dx)^s Phi divided by Phi. A derivative
in a is one in b after x d/dx, and (x d/dx)^i = sum_s S(i, s) x^s (d/dx)^s with Stirling's numbers of the second kind
(DLMF 26.8.10), each term of which Leibniz' rule differentiates in x. Products of quotients cancel in the logarithm; the
series counts what they cost, and where too few digits are left the derivative is NaN.
"""

import functools
import itertools
import math

import numpy as np

from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special._numerics.series import Series, pair
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.wright.wright import central_sums, inside, wright_ratio_ns

LOST = 2.0  # of the digits of a quotient, in roundings


@pointwise
def log_wright_n(a, b, x, *, wrt):
    """A derivative of log Phi(a, b, x): "xxx" is the third in x, "abx" one in each argument."""
    orders, degree = tuple(map(wrt.count, "abx")), len(wrt) + 1
    if set(wrt) == {"b"}:
        return piecewise(
            [a, b, x],
            [
                (~inside(a, b, x) | np.isinf(x), lambda a, b, x: np.nan),
                (x == 0, lambda a, b, x: -psi_n(b, len(wrt) - 1)),
                (None, lambda a, b, x: _central(a, b, x, len(wrt))),
            ],
        )
    moving = [i for i, order in enumerate(orders) if order]
    ratio = functools.cache(lambda n, s: wright_ratio_ns(a, b, x, n=n, s=s))
    terms = {}
    for index in itertools.product(range(degree + 1), repeat=len(moving)):
        if 0 < sum(index) <= degree:
            each = dict(zip(moving, index, strict=True))
            terms[index] = _coefficient(ratio, x, *(each.get(i, 0) for i in range(3)))
    one = 1 + 0 * x
    given = tuple((a, b, x)[i] for i in moving)
    return _logarithm(terms, degree, one).derivative(tuple(filter(None, orders)), given)


def _central(a, b, x, n):
    """In b alone the sums about a large term lose the fewest digits: log Phi differs by a line, c beta."""
    orders = range(n + 2)
    sums, sizes = central_sums(a, b, x, orders), central_sums(a, b, x, orders, sizes=True)
    terms = {
        (k,): pair(sums[k] / sums[0] / math.factorial(k), LOST * sizes[k] / sums[0] / math.factorial(k))
        for k in orders[1:]
    }
    return _logarithm(terms, n + 1, np.ones_like(x)).derivative((n,), (b,))


def _logarithm(terms, degree, one):
    """log(1 + terms)."""
    return Series(terms, degree).of(
        [pair(0 * one), *(pair(one * (-1.0) ** (k + 1) / k) for k in range(1, degree + 1))]
    )


def _coefficient(ratio, x, i, j, m):
    """Of alpha^i beta^j xi^m in Phi(a + alpha, b + beta, x + xi) / Phi(a, b, x)."""
    parts = [
        _stirling(i, s) * math.comb(m, q) * math.perm(s, q) * x ** (s - q) * ratio(i + j, s + m - q)
        for s in range(i + 1)
        for q in range(min(m, s) + 1)
        if _stirling(i, s)
    ]
    size = np.sum(np.abs(parts), axis=0)
    scale = math.factorial(i) * math.factorial(j) * math.factorial(m)
    return pair(sum(parts) / scale, LOST * size / scale)


@functools.cache
def _stirling(i, s):
    """The ways to put i things into s places, none of which stays empty."""
    if s in (0, i):
        return int(s == i)
    return s * _stirling(i - 1, s) + _stirling(i - 1, s - 1)
